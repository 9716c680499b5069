# SPDX-License-Identifier: Apache-2.0
"""Looks for the platform that suits a program: its profile, configurations that may pay, their front."""
