# SPDX-License-Identifier: Apache-2.0
"""`make dist`: source archive, wheel and RTL archive of this version in build/dist, each tried on its own.

The wheel is built from the source archive, installed in an empty environment, and runs a program outside the
checkout; Verilator reads the units of the RTL archive from its file lists.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "build" / "dist"
# Units of the RTL archive: the files of their sources and the folders, that of the packages first.
SOC = ("rtl/soc/rtl/cl_soc_map_pkg.sv", "rtl/soc/rtl/cl_soc_pkg.sv")
IPC = ("port", "mailbox", "doorbell", "channel", "mutex", "barrier")
UNITS = {
    "cl_kernel": ("rtl/kernel/rtl",),
    "cl_ipc": (*(f"rtl/ipc/{unit}/rtl" for unit in IPC), "rtl/kernel/rtl/cl_round_robin.sv"),
    "cl_backdoor": (*SOC, "rtl/ipc/backdoor/rtl"),
}
HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'


def run(command: Sequence[str | Path], place: Path, **environment: str) -> str:
    """What it prints; the end, with what it said, if it fails."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "CORELOOM"))}
    done = subprocess.run(
        command, cwd=place, env={**plain, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        sys.exit(f"make dist: {' '.join(map(str, command))} failed:\n{said}")
    return done.stdout


def expect(found: str, wanted: str) -> None:
    if not found.startswith(wanted):
        sys.exit(f"make dist: expected {wanted!r}, not {found!r}")


def only(pattern: str) -> Path:
    (path,) = DIST.glob(pattern)
    return path


def unpacked(archive: Path, place: Path) -> Path:
    with tarfile.open(archive) as tar:
        tar.extractall(place, filter="data")
    (folder,) = place.iterdir()
    return folder


def make_rtl(version: str) -> Path:
    """rtl/ as git has it, with its licence and a file list for each unit."""
    name = f"coreloom-rtl-{version}"
    listed = run(["git", "ls-files", "rtl", "LICENSE", "LICENSES"], ROOT).split()
    with tempfile.TemporaryDirectory() as work:
        for file in listed:
            target = Path(work) / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, target)
        for unit, places in UNITS.items():
            files = [file for place in places for file in listed if place in (file, str(Path(file).parent))]
            files.sort(key=lambda file: not file.endswith("_pkg.sv"))
            lines = (f"{file}\n" for file in files if file.endswith(".sv"))
            (Path(work) / f"{unit}.f").write_text("".join(lines), encoding="utf-8")
        archive = DIST / f"{name}.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(work, arcname=name)
    return archive


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    build: list[str | Path] = [sys.executable, "-m", "hatchling", "build", "-d", DIST, "-t"]
    run([*build, "sdist"], ROOT)
    source = only("coreloom-*.tar.gz")
    version = source.name.removeprefix("coreloom-").removesuffix(".tar.gz")
    rtl = make_rtl(version)
    with tempfile.TemporaryDirectory() as work:
        places = [Path(work) / name for name in ("source", "rtl", "env", "run")]
        for place in places:
            place.mkdir()
        sources, hardware, env, here = places
        run([*build, "wheel"], unpacked(source, sources))
        print(f"installing {only('*.whl').name} in an empty environment (about 600 MB)")
        venv.create(env, with_pip=True)
        python = env / "bin" / "python"
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", only("*.whl")], here)
        coreloom, made = env / "bin" / "coreloom", {"CORELOOM_BUILD_DIR": str(here / "build")}
        expect(run([coreloom, "--version"], here, **made), f"coreloom {version}\n")
        (here / "hello.c").write_text(HELLO, encoding="utf-8")
        expect(run([coreloom, "run", "hello.c"], here, **made), "hello\n")
        (verilator,) = env.glob("lib/python*/site-packages/verilator")
        folder = unpacked(rtl, hardware)
        for unit in UNITS:
            lint = ["--lint-only", "-f", f"{unit}.f", "--top-module", unit]
            run([verilator / "bin" / "verilator_bin", *lint], folder, VERILATOR_ROOT=str(verilator))
    for path in sorted(DIST.iterdir()):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main()
