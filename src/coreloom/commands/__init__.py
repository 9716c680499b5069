# SPDX-License-Identifier: Apache-2.0
"""One file per verb of the command line; the only package that prints."""
