# SPDX-License-Identifier: Apache-2.0
"""The gdb of tests/debug."""

from debug.conftest import gdb

__all__ = ["gdb"]
