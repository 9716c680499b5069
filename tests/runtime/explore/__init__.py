# SPDX-License-Identifier: Apache-2.0
"""The software kernel under exploration: all interleavings of small programs (docs/decisions/0058)."""
