# SPDX-License-Identifier: Apache-2.0
"""Many runs as jobs: on all cores of this machine (local), or on a Dask cluster (cluster)."""
