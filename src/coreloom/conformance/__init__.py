# SPDX-License-Identifier: Apache-2.0
"""Conformance to POSIX: a test for each requirement of a function, the same source on every ground."""
