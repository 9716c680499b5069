# SPDX-License-Identifier: Apache-2.0
"""What a SoC is: platforms, operations, registers, hardware threads."""
