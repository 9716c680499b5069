# SPDX-License-Identifier: Apache-2.0
"""One program on several kernels and numbers of CPUs: what it takes, where that goes, and one page of all."""
