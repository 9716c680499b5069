# SPDX-License-Identifier: Apache-2.0
"""Faults of one line that are planted to see which tests notice them (docs/decisions/0060)."""
