# SPDX-License-Identifier: Apache-2.0
"""One verb of the command line a file; the only place that prints."""
