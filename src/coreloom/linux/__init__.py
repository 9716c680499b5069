# SPDX-License-Identifier: Apache-2.0
"""Linux: programs for it, and a virtual machine that runs them with a kernel of Debian's, without root."""
