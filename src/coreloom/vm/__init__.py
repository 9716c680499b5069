# SPDX-License-Identifier: Apache-2.0
"""Booting a Linux of Debian's in QEMU."""
