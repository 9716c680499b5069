# SPDX-License-Identifier: Apache-2.0
"""The POSIX layer against its model (coreloom.reference.posix): program.c carries out what the model says."""
