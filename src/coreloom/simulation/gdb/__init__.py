# SPDX-License-Identifier: Apache-2.0
"""A real gdb on a simulated machine: its remote protocol on one side, the harness on the other."""
