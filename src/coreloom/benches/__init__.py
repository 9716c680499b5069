# SPDX-License-Identifier: Apache-2.0
"""One measurement a folder."""
