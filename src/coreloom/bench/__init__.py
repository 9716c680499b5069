# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: each module measures one subject and returns rows; the command line prints them."""
