# SPDX-License-Identifier: Apache-2.0
"""Coreloom: operating-system services in hardware, in a software kernel or in Linux, side by side."""

__version__ = "0.1.0"
