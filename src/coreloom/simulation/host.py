# SPDX-License-Identifier: Apache-2.0
"""A program of the Linux ground (firmware.build_linux), run on this machine."""

from __future__ import annotations

import os
import resource
import signal
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from coreloom.design.address_map import OUTPUT_ROOM
from coreloom.errors import SIGNALLED, UNFINISHED, Ended
from coreloom.simulation.surroundings import NOTHING, Surroundings

_REPORT = struct.Struct("<QQQII")  # struct report of runtime/linux/machine.c


@dataclass(frozen=True)
class HostResult:
    """The results of a run."""

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


def _limit_stack(size: int) -> None:
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(
        resource.RLIMIT_STACK, (size if most == resource.RLIM_INFINITY else min(size, most), most)
    )


def run(
    program: Path,
    inputs: bytes = b"",
    around: Surroundings = NOTHING,
    *,
    catch: bool = False,
    seconds: float | None = None,
) -> HostResult:
    """Runs it to its end; the folder of `around` is only its current one, as it may read all that we may.

    Prints to our stdout unless that is caught. Died if a signal ends it.
    """
    with tempfile.TemporaryDirectory(prefix="coreloom-") as folder:
        source, target = Path(folder) / "input", Path(folder) / "output"
        source.write_bytes(inputs)
        with target.open("wb") as file:
            file.truncate(_REPORT.size + OUTPUT_ROOM)
        environment = dict(each.split("=", 1) for each in around.environment)
        environment |= {"CL_INPUT_FILE": str(source), "CL_OUTPUT_FILE": str(target)}
        caught = subprocess.PIPE if catch else None
        try:
            ended = subprocess.run(
                list(around.arguments) or [str(program)],
                executable=program.absolute(),
                stdin=subprocess.DEVNULL if around.stdin is None else around.stdin,
                stdout=caught,
                cwd=around.files and around.files / around.current,
                text=True,
                errors="replace",
                env=environment,
                preexec_fn=lambda: _limit_stack(around.stack) if around.stack else None,
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
