# SPDX-License-Identifier: Apache-2.0
"""Executable models: the referee of the kernel's operations."""
