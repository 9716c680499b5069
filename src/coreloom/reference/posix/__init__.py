# SPDX-License-Identifier: Apache-2.0
"""A model of POSIX, beside the kernel's: what calls of threads return, and in which order."""
