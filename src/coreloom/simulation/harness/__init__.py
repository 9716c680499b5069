# SPDX-License-Identifier: Apache-2.0
"""Units of the RTL driven alone, without a SoC."""
