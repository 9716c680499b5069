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
    text = re.sub(r"(?m)^(.*\(in its loader\)) .*$", r"\1", text)
    # What gdb 13 says more, and newer ones.
    text = re.sub(r"(?m)^\[Thread \d+ exited\]\n", "", text.replace("reply 'E.", "reply '"))
    # A simulator that ends while gdb writes to it resets the connection.
    text = re.sub(
        r"(?m)^Remote communication error\..*: Connection reset by peer\.$", "Remote connection closed", text
    )
    return re.sub(r"(?m)^#\d+ +", "# ", _IN_RUNTIME.sub("", text))


_ALL = [
    *(
        (platform, kernel)
        for platform in ("smp-economy", "smp-standard", "smp-fast")
        for kernel in ("hw", "sw")
    ),
    *(("amp-economy", "sw"), ("amp-standard", "hw"), ("low-jitter", "sw")),
    *(("backdoor-economy", "sw"), ("backdoor-standard", "hw"), ("low-jitter", "hw")),
    *(("dcache-economy", "hw"), ("dcache-standard", "sw")),
]


@pytest.mark.parametrize(("platform", "kernel"), _ALL)
@pytest.mark.nightly("amp-economy-sw", "dcache-standard-sw")
def test_a_session(platform: str, kernel: str, debug: Debug) -> None:
    commands = (PROGRAMS / "steps.gdb").read_text().splitlines()
    session = debug(PROGRAMS / "steps.c", commands, "--on", kernel, on=platform)
    assert plain(session.transcript) == (PROGRAMS / "steps.txt").read_text()
    assert session.out.startswith("4 calls, 100\n")
    assert session.status == 3


@pytest.mark.parametrize(
    "platform", ["smp-fast", "amp-economy", "amp-standard", "dcache-economy", "dcache-standard"]
)
@pytest.mark.nightly("amp-economy", "dcache-standard")
def test_what_gdb_writes_is_seen_by_all(platform: str, debug: Debug) -> None:
    """In caches and in local memories, where a CPU also has what is its own."""
    commands = (PROGRAMS / "memories.gdb").read_text().splitlines()
    session = debug(PROGRAMS / "memories.c", commands, on=platform)
    local = platform.startswith("amp")
    found = [line.partition(" = ")[2] for line in session.transcript.splitlines() if line[0:1] == "$"]
    assert found == ["10" if local else "20", "20", "10" if local else "30", "5", "30"]
    assert "Old value = 30\nNew value = 31\n" in session.transcript
    assert session.out == "31, limit 5\n"
    assert session.status == 0


@pytest.mark.parametrize(("platform", "cause"), [("backdoor-economy", 8), ("backdoor-standard", 5)])
def test_a_second_program(platform: str, cause: int, debug: Debug) -> None:
    """Processor 1 behind a Back-Door is a process of its own, with the same commands."""
    commands = (PROGRAMS / "far.gdb").read_text().splitlines()
    session = debug(PROGRAMS / "far.c", commands, on=platform)
    assert plain(session.transcript) == (PROGRAMS / "far.txt").read_text().replace("CAUSE", f"0{cause:o}")
    assert session.out == f"1 here, state 5, {cause} there\n"
    assert session.status == cause
