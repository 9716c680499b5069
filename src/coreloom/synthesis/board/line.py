# SPDX-License-Identifier: Apache-2.0
"""The serial line to a board, and the protocol of its boot ROM (rtl/board/README.md)."""

from __future__ import annotations

import errno
import fcntl
import os
import select
import struct
import termios
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from coreloom.design.keys import CORES
from coreloom.errors import UserError
from coreloom.synthesis.board.boards import BAUD, Machine, core_number

MARK = b"\x04CL"  # before each frame, and each answer
VERSION = 1
CHUNK = 1024  # bytes of a frame
STACK_BYTES = 1024  # at the end of the memory, the boot ROM's
_PATIENCE = 2.0  # seconds for an answer
_TRIES = 3
_DONE, _WRONG_CRC, _OUT_OF_RANGE, _UNKNOWN, _INFO, _ENDED = b"K", b"E", b"R", b"U", b"I", b"X"
_BEHIND = {_INFO: 4, _ENDED: 1}  # bytes behind an answer


@dataclass(frozen=True)
class Info:
    """What the SoC on a board is."""

    core: str
    cpus: int
    ram_bytes: int


def port(given: Path | None, name: str, folder: Path = Path("/dev/serial/by-id")) -> Path:
    """The port of a board: that given, else the only one whose name has the board's. UserError if none."""
    if given:
        return given
    found = sorted(path for path in folder.glob("*") if name in path.name.lower()) if folder.is_dir() else []
    if len(found) == 1:
        return found[0]
    what = f"are {len(found)} ports" if found else "is no port"
    raise UserError(f"there {what} of a board {name} in {folder}: name it by --port, such as /dev/ttyUSB0")


class Line:
    """An open port, on which no other program is."""

    def __init__(self, handle: int, patience: float = _PATIENCE) -> None:
        self._handle = handle
        self._patience = patience
        self._got = b""

    def write(self, data: bytes) -> None:
        while data:
            select.select([], [self._handle], [])
            try:
                data = data[os.write(self._handle, data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise _gone(error) from error

    def read(self, seconds: float | None) -> bytes:
        """What has come, or b"" after that time."""
        if not select.select([self._handle], [], [], seconds)[0]:
            return b""
        try:
            got = os.read(self._handle, 4096)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise _gone(error) from error
        if not got:
            raise UserError("the port is gone: plug the board in again")
        return got

    def ask(self, operation: bytes, address: int = 0, data: bytes = b"") -> bytes:
        """Send a frame until it is answered; what comes behind the answer. UserError if it is refused."""
        for _ in range(_TRIES):
            self._got = b""
            self.write(frame(operation, address, data))
            code, behind = self.answer()
            if code in (_DONE, _INFO):
                return behind
            if code == _OUT_OF_RANGE:
                raise UserError(
                    f"the board has no memory at {address:#x} to {address + len(data) - 1:#x}: "
                    "build the program for this board"
                )
            if code == _UNKNOWN:
                raise UserError("the board has another boot ROM: load the bitstream of this version")
        raise UserError(
            f"the board does not answer (asked {_TRIES} times): press its button PWR, which starts the boot "
            "ROM, or load its bitstream"
        )

    def answer(self) -> tuple[bytes, bytes]:
        """The next answer, not of a program that has ended; b"" if none comes."""
        until = time.monotonic() + self._patience
        while (left := until - time.monotonic()) > 0:
            self._got += self.read(left)
            _, mark, rest = self._got.partition(MARK)
            code = rest[:1]
            if not mark or not code or len(rest) <= _BEHIND.get(code, 0):
                continue
            size = 1 + _BEHIND.get(code, 0)
            self._got = rest[size:]
            if code != _ENDED:
                return code, rest[1:size]
        return b"", b""

    def info(self) -> Info:
        version, core, cpus, size = self.ask(_INFO)
        if version != VERSION or core >= len(CORES):
            raise UserError("the board has another boot ROM: load the bitstream of this version")
        return Info(CORES[core], cpus, 1 << size)

    def send(self, program: bytes, progress: Callable[[], None] = lambda: None) -> None:
        """Write a program to the memory, from its start."""
        for at in range(0, len(program), CHUNK):
            self.ask(b"W", at, program[at : at + CHUNK])
            progress()

    def start(self) -> None:
        self.ask(b"G")

    def console(self, write: Callable[[bytes], None]) -> int:
        """What the program sends, until it ends: its status."""
        held, self._got = self._got, b""
        while True:
            place = held.find(MARK + _ENDED)
            if place >= 0 and len(held) > place + len(MARK) + 1:
                write(held[:place])
                return held[place + len(MARK) + 1]
            keep = _held(held)
            write(held[: len(held) - keep])
            held = held[len(held) - keep :] + self.read(None)


def _gone(error: OSError) -> UserError:
    return UserError(f"the port is gone ({error.strerror}): plug the board in again")


def _held(text: bytes) -> int:
    """How many bytes at the end may be the beginning of an end."""
    end = MARK + _ENDED
    place = text.find(end)
    if place >= 0:
        return len(text) - place
    return next((size for size in range(len(end) - 1, 0, -1) if text.endswith(end[:size])), 0)


def frame(operation: bytes, address: int = 0, data: bytes = b"") -> bytes:
    """A frame of the protocol."""
    content = operation + struct.pack("<HI", len(data), address) + data
    return MARK + content + struct.pack("<I", zlib.crc32(content))


def check_program(machine: Machine, name: str, size: int) -> None:
    """UserError if a program is too large for the memory of a board."""
    room = machine.ram_bytes - STACK_BYTES
    if size > room:
        others = machine.board.sdram_bytes if machine.memory == "block" else 0
        larger = f"; --memory sdram has {others >> 20} MiB" if others else ""
        raise UserError(
            f"{name} has {size} bytes, {machine.label} has room for {room}: make it smaller{larger}"
        )


def check_board(machine: Machine, info: Info) -> None:
    """UserError if the SoC on the board is another one."""
    core = CORES[core_number(machine.soc)]
    wanted = Info(core, machine.soc.cpus, machine.ram_bytes)
    if info != wanted:
        raise UserError(
            f"the board has {_said(info)}, the program is for {_said(wanted)}: load the right bitstream by "
            f"`coreloom board {machine.board.name} load`, or choose others of --platform, --cpus, --memory"
        )


def _said(info: Info) -> str:
    return f"{info.cpus} x core {info.core} with {info.ram_bytes >> 10} KiB"


@contextmanager
def opened(path: Path, patience: float = _PATIENCE, wait: float = 0) -> Iterator[Line]:
    """A port as a line, for this program alone. UserError if there is none, or another program has it.

    wait: seconds within which it must come.
    """
    until = time.monotonic() + wait
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            break
        except OSError as error:
            if time.monotonic() > until:
                raise UserError(_why(path, error)) from error
            time.sleep(0.1)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"{path} is in use by another program: close that one") from None
        try:
            _raw(handle)
        except termios.error as error:
            raise UserError(f"{path} is no serial port: {error.args[-1]}; name another by --port") from error
        yield Line(handle, patience)
    finally:
        os.close(handle)


def _why(path: Path, error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return f"there is no port {path}: plug the board in, or name another by --port"
    if error.errno == errno.EACCES:
        return f"{path} is not yours to open: add yourself to its group (often dialout), and log in again"
    if error.errno == errno.EBUSY:
        return f"{path} is in use by another program: close that one"
    return f"{path} cannot be opened: {error.strerror}; name another by --port"


def _raw(handle: int) -> None:
    """Eight bits as they are, at the speed of the boards."""
    speed = getattr(termios, f"B{BAUD}")
    termios.tcsetattr(
        handle,
        termios.TCSANOW,
        [
            0,
            0,
            termios.CS8 | termios.CREAD | termios.CLOCAL,
            0,
            speed,
            speed,
            [b"\0"] * 6 + [b"\1"] + [b"\0"] * 25,
        ],
    )
    termios.tcflush(handle, termios.TCIOFLUSH)
