# SPDX-License-Identifier: Apache-2.0
"""Result files, tables, plots and pages; they know rows, not benches."""
