# SPDX-License-Identifier: Apache-2.0
"""What cannot be debugged: one line each."""

from __future__ import annotations

import socket

import pytest

from cli.command import run

from .conftest import PROGRAMS

ENDS = str(PROGRAMS / "ends.c")


def _refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status, out, err = run(capsys, *words)
    assert (status, out) == (125, "")
    assert err.count("\n") == 1
    return err.rstrip("\n")


@pytest.mark.parametrize("option", ["--gdb", "--jtag"])
def test_a_port_in_use(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        there.listen()
        port = there.getsockname()[1]
        assert _refused(capsys, "run", ENDS, option, str(port)) == (
            f"coreloom: error: port {port} cannot be used: Address already in use; "
            f"choose another by {option} PORT"
        )


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x"])
def test_no_port(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _refused(capsys, "run", ENDS, f"--gdb={port}") == (
        f"coreloom run: error: argument --gdb: must be a port from 1 to 65535, not '{port}' "
        "(see coreloom run --help)"
    )


@pytest.mark.parametrize("words", [["run", ENDS, "--gdb"], ["debug", ENDS]])
def test_linux(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert _refused(capsys, *words, "--on", "linux") == (
        "coreloom: error: ground linux runs on this machine: start gdb itself on the program"
    )


def test_jtag_is_not_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert _refused(capsys, "run", ENDS, "--jtag", "--platform", "smp-economy") == (
        "coreloom: error: the economy core has no debug mode: leave out --jtag, or choose the standard core"
    )
    assert _refused(capsys, "run", ENDS, "--jtag", "--on", "linux") == (
        "coreloom: error: --jtag is not an option of ground linux: it needs a simulated machine"
    )
    assert _refused(capsys, "debug", ENDS, "--jtag") == (
        "coreloom: error: coreloom debug starts gdb without OpenOCD: use coreloom run --jtag"
    )
    assert _refused(capsys, "run", ENDS, "--jtag", "--gdb") == (
        "coreloom run: error: argument --gdb: not allowed with argument --jtag (see coreloom run --help)"
    )


def test_no_gdb(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CORELOOM_GDB", "/no/gdb")
    assert _refused(capsys, "debug", ENDS) == (
        "coreloom: error: the gdb in $CORELOOM_GDB is missing or does not know RISC-V: /no/gdb"
    )
    monkeypatch.delenv("CORELOOM_GDB")
    monkeypatch.setattr("coreloom.simulation.gdb.debugger.shutil.which", lambda name: None)
    assert _refused(capsys, "debug", ENDS) == (
        "coreloom: error: there is no gdb for RISC-V here: install the package gdb-multiarch, "
        "or set CORELOOM_GDB to one"
    )
