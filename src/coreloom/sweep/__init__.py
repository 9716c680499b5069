# SPDX-License-Identifier: Apache-2.0
"""Sweeps: a program run at every point of a cross product of platforms, kernels, applications, parameters."""
