# SPDX-License-Identifier: Apache-2.0
"""Running a program on a simulated SoC, and what is read from the run."""
