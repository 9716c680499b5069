# SPDX-License-Identifier: Apache-2.0
"""The definition of a SoC: platforms, operations, registers, hardware threads."""
