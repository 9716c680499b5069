# SPDX-License-Identifier: Apache-2.0
"""Area and clock of units on an FPGA."""
