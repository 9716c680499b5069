# SPDX-License-Identifier: Apache-2.0
"""The programs for Linux: how they are made, documented and packaged."""
