# SPDX-License-Identifier: Apache-2.0
"""A run that a gdb holds: the port, the thread that serves it, and how gdb is started."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import socket
import subprocess
from pathlib import Path
from threading import Thread

from coreloom.design.keys import Platform
from coreloom.errors import UserError
from coreloom.paths import ROOT
from coreloom.simulation.gdb.harness import Gone, Harness
from coreloom.simulation.gdb.server import Killed, Session, Settings
from coreloom.simulation.gdb.threads import Far, Program
from coreloom.toolchain import zig

_OTHERS = [f"{folder}/{stars}" for folder in ("runtime", "libc") for stars in ("*/*", "*/*/*", "*/*/*/*")]
_HOST = "127.0.0.1"
GDB = "CORELOOM_GDB"
USUAL = "gdb-multiarch"
_GDBS = (USUAL, "riscv32-unknown-elf-gdb", "riscv64-unknown-elf-gdb", "riscv64-elf-gdb", "gdb")


class Debugger:
    """Waits for one gdb on a port of this machine and serves it while the program is simulated."""

    def __init__(self, port: int, platform: Platform, elf: Path, loader: Path | None = None) -> None:
        """loader: of processor 1 behind a Back-Door (ELF), if the program has one for it."""
        self._listening = listen(port)
        self.port: int = self._listening.getsockname()[1]
        self._harness = Harness()
        program = Program(elf, self._harness.read)
        program.prepare()
        self._settings = Settings(
            program, platform.core, platform.cpus, platform.local_bytes, Far(loader) if loader else None
        )
        self.descriptors = self._harness.theirs
        self.options = ["--debug", ",".join(map(str, self.descriptors))]
        self._thread: Thread | None = None
        self.killed = False
        self.failure: BaseException | None = None

    def started(self) -> None:
        """The harness runs."""
        self._harness.started()
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def abandon(self) -> None:
        """No gdb will come any more: ends the run if none has."""
        with contextlib.suppress(OSError), socket.create_connection((_HOST, self.port)):
            pass

    def finish(self) -> None:
        """The harness has ended."""
        if self._thread is not None:
            self._thread.join()
        self._listening.close()
        if self.failure is not None:
            raise self.failure

    def _serve(self) -> None:
        connection = None
        try:
            self._harness.stop()
            select.select([self._listening.fileno(), self._harness.fileno()], [], [])
            self._listening.setblocking(False)
            connection = self._listening.accept()[0]
            connection.setblocking(True)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._listening.close()
            Session(self._harness, self._settings, connection).run()
        except Killed:
            self.killed = True
        except (Gone, BlockingIOError):
            pass
        except BaseException as error:
            self.failure = error
        finally:
            if self.killed or self.failure is not None:
                with contextlib.suppress(Gone):
                    self._harness.send("kill")
            if connection is not None:
                connection.close()


def listen(port: int, option: str = "--gdb") -> socket.socket:
    """A socket for one gdb; 0: on any port. UserError if the port cannot be used."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((_HOST, port))
    except OSError as error:
        made.close()
        raise UserError(
            f"port {port} cannot be used: {error.strerror}; choose another by {option} PORT"
        ) from None
    made.listen(1)
    return made


def script(elf: Path, port: int, far: tuple[Path, Path] | None = None, *, target: str = "remote") -> str:
    """Commands for gdb with which it debugs the program; far: that of processor 1, and its loader."""
    # step goes over what is not the user's; a * is no /.
    skips = (f"pipe skip -gfi {zig.PLACE}/{folder} | cat > /dev/null" for folder in _OTHERS)
    lines = (
        "set remotetimeout 60",
        f'file "{elf}"',
        f'set substitute-path {zig.PLACE}/libc "{zig.LIBC}"',
        f'set substitute-path {zig.PLACE} "{ROOT}"',
        f"directory {Path.cwd()}",
        f"directory {zig.LIBC.parent}",
        *skips,
        *(_second(*far) if far else ()),
        f"target {target} {_HOST}:{port}",
    )
    return "".join(f"{line}\n" for line in lines)


def _second(program: Path, loader: Path) -> tuple[str, ...]:
    """Commands for a second program; both run while one is stepped."""
    quiet = "| cat > /dev/null"
    return (
        f"pipe add-inferior -exec {program} {quiet}",
        f"pipe inferior 2 {quiet}",
        f"pipe add-symbol-file {loader} {quiet}",
        f"pipe inferior 1 {quiet}",
        "set schedule-multiple on",
    )


def find() -> str:
    """A gdb for RISC-V: of $CORELOOM_GDB, or the first that there is. UserError if there is none."""
    asked = os.environ.get(GDB)
    for name in (asked,) if asked else _GDBS:
        path = shutil.which(name)
        if path is None:
            continue
        said = subprocess.run(
            [path, "-nx", "-batch", "-ex", "set architecture riscv:rv32"],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if "riscv:rv32" in said.stdout and "Undefined" not in said.stderr:
            return path
    if asked:
        raise UserError(f"the gdb in ${GDB} is missing or does not know RISC-V: {asked}")
    raise UserError(
        f"there is no gdb for RISC-V here: install the package gdb-multiarch, or set {GDB} to one"
    )
