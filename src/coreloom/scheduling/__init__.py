# SPDX-License-Identifier: Apache-2.0
"""The model of scheduling: workloads, and the simulator around policies/*.c that runs them."""
