# SPDX-License-Identifier: Apache-2.0
"""The JTAG port of a simulated SoC: a socket to a debugger by OpenOCD's protocol remote_bitbang."""

from __future__ import annotations

import socket
from pathlib import Path

from coreloom.paths import RTL
from coreloom.simulation.gdb import debugger

_CONFIGURATION = RTL / "debug" / "coreloom.cfg"  # of the harts, for any adapter
_THREADS = Path(__file__).parent / "gdb" / "kernel_threads.py"
_GDB_PORT = 3333  # OpenOCD's


class Port:
    """Waits for one debugger on a TCP port of this machine; the model moves the wires as it says."""

    def __init__(self, listening: socket.socket, harts: int) -> None:
        """listening: of gdb.debugger.listen."""
        self._listening = listening
        self.number: int = listening.getsockname()[1]
        self._harts = harts
        self._connection: socket.socket | None = None

    def configuration(self) -> str:
        """What OpenOCD reads to come here."""
        return (
            "# Made by `coreloom run --jtag`.\n"
            "adapter driver remote_bitbang\n"
            f"remote_bitbang host localhost\nremote_bitbang port {self.number}\n"
            f"set HARTS {self._harts}\nsource {{{_CONFIGURATION}}}\n"
        )

    def script(self, elf: Path) -> str:
        """What gdb reads to debug the program behind that OpenOCD."""
        return f"{debugger.script(elf, _GDB_PORT, target='extended-remote')}source {_THREADS}\n"

    def wait(self) -> None:
        """Until the debugger is there."""
        self._connection, _ = self._listening.accept()
        self._listening.close()

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Those that the model has, too."""
        return () if self._connection is None else (self._connection.fileno(),)

    @property
    def options(self) -> list[str]:
        """The model's."""
        # A debugger reads where nothing answers, and what it does can happen in any cycle.
        words = ["--takes-faults", "1", "--every-cycle", "1"]
        for each in self.descriptors:
            words += ["--jtag", str(each)]
        return words
