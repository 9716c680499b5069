# SPDX-License-Identifier: Apache-2.0
"""The one way to build: firmware, simulated models, programs for Linux, Yosys, Debian packages."""
