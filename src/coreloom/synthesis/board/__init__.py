# SPDX-License-Identifier: Apache-2.0
"""Boards: an SoC as a bitstream, and what is sent to it."""
