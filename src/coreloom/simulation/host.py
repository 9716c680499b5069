# SPDX-License-Identifier: Apache-2.0
"""A program of the Linux ground (firmware.build_linux), run on this machine."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coreloom.design.address_map import OUTPUT_ROOM
from coreloom.errors import SIGNALLED, UNFINISHED, Ended

_REPORT = struct.Struct("<QQQII")  # struct report of runtime/linux/machine.c


@dataclass(frozen=True)
class HostResult:
    """What a run left behind."""

    exit_status: int
    printed: str  # empty unless it was to be caught
    output: bytes
    done: int  # cl_done
    seconds: float  # from cl_ready to the last cl_done


class Died(Ended):
    """A signal or our patience has ended the program; `printed` is what it had printed."""

    def __init__(self, text: str, printed: str, number: int | None = None) -> None:
        super().__init__(text, UNFINISHED if number is None else SIGNALLED + number)
        self.printed, self.late = printed, number is None


def cpus() -> int:
    """Processors that a program may use here."""
    return len(os.sched_getaffinity(0))


def run(
    program: Path,
    inputs: bytes = b"",
    arguments: Sequence[str] = (),
    *,
    catch: bool = False,
    seconds: float | None = None,
) -> HostResult:
    """Runs it to its end; arguments: its command line, its name first.

    Prints to our stdout unless that is caught. Died if a signal ends it.
    """
    with tempfile.TemporaryDirectory(prefix="coreloom-") as folder:
        source, target = Path(folder) / "input", Path(folder) / "output"
        source.write_bytes(inputs)
        with target.open("wb") as file:
            file.truncate(_REPORT.size + OUTPUT_ROOM)
        environment = {**os.environ, "CL_INPUT_FILE": str(source), "CL_OUTPUT_FILE": str(target)}
        caught = subprocess.PIPE if catch else None
        try:
            ended = subprocess.run(
                list(arguments) or [str(program)],
                executable=program,
                stdout=caught,
                text=True,
                errors="replace",
                env=environment,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            text = late.stdout or b""
            raise Died(
                f"{program.name} did not end in {seconds:g} s",
                text if isinstance(text, str) else text.decode("utf-8", "replace"),
            ) from None
        with target.open("rb") as file:
            done, ready, last, _, length = _REPORT.unpack(file.read(_REPORT.size))
            output = file.read(length)
    if ended.returncode < 0:
        name = signal.Signals(-ended.returncode).name
        raise Died(f"{program.name} was ended by {name}", ended.stdout or "", -ended.returncode)
    return HostResult(ended.returncode, ended.stdout or "", output, done, (last - ready) / 1e9)
