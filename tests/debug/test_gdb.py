# SPDX-License-Identifier: Apache-2.0
"""A real gdb on the simulated machine: the same session on all cores and both kernels."""

from __future__ import annotations

import re

import pytest

from .conftest import PROGRAMS, Debug

_IN_RUNTIME = re.compile(r"(?m)^#\d+ .* at \S*runtime/\S+\n")


def plain(text: str) -> str:
    """A transcript without what differs: frames of the runtime, and which CPU a thread is on."""
    text = re.sub(r"(?m)^(.*Thread \d+.*\(tid \d+), [^)]*\) +(.*)$", r"\1) \2", text)
    text = re.sub(r"(?m)^(.*Thread \d+.*\(tid \d+\)) .* at \S*runtime/\S+$", r"\1 in the runtime", text)
    # What gdb 13 says more, and newer ones.
    text = re.sub(r"(?m)^\[Thread \d+ exited\]\n", "", text.replace("reply 'E.", "reply '"))
    return re.sub(r"(?m)^#\d+ +", "# ", _IN_RUNTIME.sub("", text))


@pytest.mark.parametrize("kernel", ["hw", "sw"])
@pytest.mark.parametrize("platform", ["smp-economy", "smp-standard", "smp-fast"])
def test_a_session(platform: str, kernel: str, debug: Debug) -> None:
    commands = (PROGRAMS / "steps.gdb").read_text().splitlines()
    session = debug(PROGRAMS / "steps.c", commands, "--platform", platform, "--on", kernel)
    assert plain(session.transcript) == (PROGRAMS / "steps.txt").read_text()
    assert session.out.startswith("4 calls, 100\n")
    assert session.status == 3
