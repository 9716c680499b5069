# SPDX-License-Identifier: Apache-2.0
"""The rows of `coreloom bench examples`."""

from __future__ import annotations

import msgspec

from coreloom.report import results


class Row(msgspec.Struct, frozen=True):
    """One run; cycles of `application` to `waiting` are of all CPUs together."""

    program: str
    on: str
    cpus: int
    cycles: int
    switches: int
    application: int
    kernel: int
    library: int
    waiting: int
    bus: float


class Result(results.Result, kw_only=True):
    rows: list[Row]
