# SPDX-License-Identifier: Apache-2.0
"""Boots Debian's Linux in QEMU."""
