# SPDX-License-Identifier: Apache-2.0
"""The command line of scx_dwrr where nothing is loaded: mistakes and help."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from coreloom import __version__
from coreloom.paths import LINUX, ROOT
from linux import system

FOLDER = LINUX / "scx_dwrr"


def call(*words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [system.scx_dwrr(), *words], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr.removeprefix("scx_dwrr: error: ")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--foo", "unknown option --foo"),
        ("-x", "unknown option -x"),
        ("-vx", "unknown option -vx"),
        ("--verbose=1", "unknown option --verbose=1"),
        ("now", "unexpected argument 'now'"),
        ("-s", "-s needs a value"),
        ("--stats", "--stats needs a value"),
        ("-s 999", "--slice-us 999: give microseconds from 1000 to 1000000"),
        ("--slice-us=1000001", "--slice-us 1000001: give microseconds from 1000 to 1000000"),
        ("-s 12ms", "--slice-us 12ms: give microseconds from 1000 to 1000000"),
        ("-s -1", "--slice-us -1: give microseconds from 1000 to 1000000"),
        (f"-s {2**64 + 5000}", f"--slice-us {2**64 + 5000}: give microseconds from 1000 to 1000000"),
        ("--stats 0", "--stats 0: give seconds from 0.01 to 86400"),
        ("--stats nan", "--stats nan: give seconds from 0.01 to 86400"),
        ("--monitor 1s", "--monitor 1s: give seconds from 0.01 to 86400"),
        ("--monitor=1e9", "--monitor 1e9: give seconds from 0.01 to 86400"),
        ("--stats 1 --monitor 1", "give only one of --stats and --monitor"),
        ("--exit-dump-len 32769", "--exit-dump-len 32769: give bytes from 0 to 32768"),
    ],
)
def test_a_mistake_is_one_line(words: str, error: str) -> None:
    assert call(*words.split()) == (2, "", f"{error}; see scx_dwrr --help\n")


def test_the_help_is_for_a_terminal() -> None:
    status, out, err = call("--help")
    assert (status, err) == (0, "")
    assert call("-h") == (0, out, "")
    assert out.startswith("usage: scx_dwrr [OPTION]...\n")
    assert "microseconds (default 12000)" in " ".join(out.split())
    assert max(len(line) for line in out.splitlines()) <= 120
    assert call("--version") == call("-V") == (0, f"scx_dwrr {__version__}\n", "")


def test_each_counter_is_explained() -> None:
    status, out, err = call("--help-stats")
    assert (status, err) == (0, "")
    table = (FOLDER / "scx_dwrr.h").read_text().split("dwrr_stats {")[1].split("};")[0]
    counters = re.findall(r"  u64 (\w+);", table)
    lines = [re.fullmatch(r"  (\w+) +\(u64\) : .+", line) for line in out.splitlines()]
    assert [line and line[1] for line in lines[: len(counters)]] == counters


@pytest.mark.linux  # libbpf is a package of Debian
def test_coreloom_becomes_the_program() -> None:
    for words in (["--version"], ["--stats", "x"]):
        done = subprocess.run(
            [sys.executable, "-m", "coreloom.entry", "scx_dwrr", *words],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr.removeprefix("scx_dwrr: error: ")) == call(*words)


def test_the_source_is_as_long_as_promised() -> None:
    files = [path for path in FOLDER.iterdir() if path.suffix in (".c", ".h")]
    assert sum(len(path.read_text().splitlines()) for path in files) <= 2100  # 1500 of them without cgroups


def test_the_unit_ends_to_start_again() -> None:
    """systemd gives up when so many starts are in the interval, if each ends after 30 s, too."""
    unit = dict(
        line.split("=", 1) for line in (FOLDER / "scx_dwrr.service").read_text().splitlines() if "=" in line
    )
    stall_s = int(re.findall(r"\.timeout_ms = (\d+)000,", (FOLDER / "scx_dwrr.bpf.c").read_text())[0])
    burst, between = int(unit["StartLimitBurst"]), int(unit["RestartSec"])
    assert burst == 5
    assert burst * (stall_s + between) < int(unit["StartLimitIntervalSec"])
    described = (ROOT / "docs" / "scx_dwrr.md").read_text()
    assert "at most five starts in five minutes" in described
    assert int(unit["StartLimitIntervalSec"]) == 5 * 60
