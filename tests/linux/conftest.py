# SPDX-License-Identifier: Apache-2.0
"""Tests with the marker linux boot a guest: where none can be had they are skipped, or fail where it must."""

from __future__ import annotations

import functools
import os

import pytest

from coreloom.errors import UserError
from coreloom.vm import vm

REQUIRED = "CORELOOM_LINUX"  # `make test-linux` sets it


@functools.cache
def _missing() -> str:
    try:
        vm.prepare()
    except UserError as error:
        return str(error)
    return ""


@pytest.fixture(autouse=True)
def guest_is_here(request: pytest.FixtureRequest) -> None:
    """Fetches what a guest needs, once."""
    if request.node.get_closest_marker("linux") is None or not (reason := _missing()):
        return
    if os.environ.get("CI") == "true" or os.environ.get(REQUIRED) == "1":
        pytest.fail(f"no virtual machine: {reason}", pytrace=False)
    pytest.skip(f"no virtual machine: {reason}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which sanitizers the fuzzing had, as that depends on the machine's compiler."""
    reports = (report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, []))
    modes = {value for report in reports for name, value in report.user_properties if name == "fuzzing"}
    for mode in sorted(map(str, modes)):
        terminalreporter.write_line(f"fuzzing: {mode}")
