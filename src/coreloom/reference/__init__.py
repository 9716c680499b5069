# SPDX-License-Identifier: Apache-2.0
"""Executable models of the hardware: what RTL and software kernel must agree with, word for word."""
