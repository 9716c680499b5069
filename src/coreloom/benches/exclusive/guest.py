# SPDX-License-Identifier: Apache-2.0
"""The guest of `coreloom bench exclusive`: its programs and inputs, and the scripts that run there."""

from __future__ import annotations

import array
import io
import math
import subprocess
import wave
from collections.abc import Sequence
from pathlib import Path

from coreloom.benches.exclusive.cases import MACHINES, MPEG1, MPEG4, SOUNDS, TRIES, Cell, Load
from coreloom.benches.film import yuv4mpeg
from coreloom.errors import UserError
from coreloom.paths import LINUX
from coreloom.programs import exclusive as tool
from coreloom.toolchain import debian, native
from coreloom.vm import kernel, qemu, vm

PROGRAMS = LINUX / "vm" / "programs"
SHELL = LINUX / "vm" / "exclusive"
_SETTLE_S = 5  # the kernel tests its ciphers after the boot
_BREAK_S = 0.3  # between two runs: the others spread over all CPUs again
_BASE_S = 2  # for what the others get without the job
_GROUP = "/sys/fs/cgroup/others"
_LIBRARIES = {"libxvidcore-dev": "libxvidcore.a", "libmpeg2-4-dev": "libmpeg2.a"}
_ENCODER = "mjpegtools"
_WIDTH, _HEIGHT, _PICTURES = 352, 288, 25
_ENCODE = ("-f", "0", "-F", "3", "-b", "1150", "-I", "0", "-M", "0", "-v", "0")  # MPEG-1, progressive


def programs(*names: str) -> dict[str, Path | bytes]:
    """Programs of linux/vm/programs by their paths in the guest."""
    return {f"/usr/bin/{name}": native.static(name, [PROGRAMS / f"{name}.c"]) for name in names}


def sweep_wav(seconds: float) -> bytes:
    """A tone that rises from 100 Hz to 8 kHz, a little different in the two channels."""
    rate, count = 44_100, int(44_100 * seconds)
    samples = array.array("h")
    for n in range(count):
        t = n / rate
        phase = 2 * math.pi * (100 * t + (8_000 - 100) / (2 * seconds) * t * t)
        samples.append(round(12_000 * math.sin(phase)))
        samples.append(round(9_000 * math.sin(1.01 * phase)))
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return out.getvalue()


def _encode(target: Path) -> None:
    """An MPEG-1 clip."""
    command = [*debian.program("usr/bin/mpeg2enc", debian.tree([_ENCODER])), *_ENCODE, "-o", str(target)]
    film = yuv4mpeg(_WIDTH, _HEIGHT, _PICTURES)
    done = subprocess.run(command, input=film, capture_output=True, check=False)
    if done.returncode or not target.exists():
        said = vm.last_line(done.stderr.decode(errors="replace"))
        raise UserError(f"mpeg2enc cannot encode the clip: {said}; {debian.again()}")


def _clip() -> Path:
    how = f"{_WIDTH} {_HEIGHT} {_PICTURES} {_ENCODE}"
    return debian.made("clip.m1v", [_ENCODER], how, _encode)


def _library(name: str) -> Path:
    (folder,) = debian.packages([name], closure=False)
    return folder


def mpeg4_program() -> Path:
    """The encoder and player around Debian's Xvid and libmpeg2, static."""
    flags = []
    for package, library in _LIBRARIES.items():
        folder = _library(package)
        flags += [f"-I{folder / 'usr/include'}", str(folder / "usr/lib/x86_64-linux-gnu" / library)]
    return native.static("mpeg4", [PROGRAMS / "mpeg4.c", PROGRAMS / "fortified.c"], [*flags, "-lm"])


def guest() -> vm.Guest:
    """All programs and inputs."""
    files = programs("hog", "burn", "probe", "threads", "measure", "start")
    files |= {"/usr/bin/mpeg4": mpeg4_program(), f"/usr/bin/{tool.NAME}": tool.program()}
    files |= {MPEG1: _clip(), **{path: sweep_wav(seconds) for path, seconds in SOUNDS.items()}}
    return vm.Guest(files, programs=("lame",))


def versions() -> dict[str, str]:
    """Versions of everything else that affects the figures."""
    lame = next(path for path in debian.packages(["lame"]) if debian.name(path) == "lame")
    folders = {"lame": lame, **{name: _library(name) for name in _LIBRARIES}}
    packages = {name: folder.name.split("_")[1].replace("%3a", ":") for name, folder in folders.items()}
    return {"linux": kernel.get().release, "qemu": qemu.get().version, **packages}


def _others(load: Load) -> list[str]:
    """Starts the load in a cgroup without controllers: its CPU time is counted, its share is unchanged."""
    lines = [f"mkdir {_GROUP}"]
    commands = list(load.commands)
    if MPEG4 in load.players:
        lines.append(f"mpeg4 -i {MPEG1} -o {MPEG4} {2 * _PICTURES} >/tmp/clip.log")
    commands += [f"mpeg4 -p {clip} -c /tmp/player{n}" for n, clip in enumerate(load.players)]
    for command in commands:
        lines.append(f"(echo 0 >{_GROUP}/cgroup.procs; exec {command}) >/tmp/others.log 2>&1 &")
    return lines


def script(load: Load, wanted: Sequence[Cell]) -> str:
    """Start the load, measure what it gets alone, then each cell in turn; rows in /out/rows."""
    players = "".join(f" -p /tmp/player{n}" for n in range(len(load.players)))
    measure = f"measure -o /out/rows -g {_GROUP}{players}"
    lines = [f"sleep {_SETTLE_S}", *_others(load), "sleep 1", f"{measure} -l base -t {_BASE_S}"]
    for n, cell in enumerate(wanted):
        lines.append(f"sleep {_BREAK_S}")
        command = f"{cell.command()} {measure} -l {n} -- {cell.job.command}".strip()
        lines.append(f"{command} >/out/{n}.out 2>/out/{n}.err")
    lines.append(f"echo 1 >{_GROUP}/cgroup.kill")
    return "\n".join(lines) + "\n"


def start_script() -> str:
    """Runs `true` alone and under the tool, on a machine that gets fuller."""
    lines = [f"sleep {_SETTLE_S}"]
    for n, fill in enumerate(MACHINES.values()):
        lines += [fill, "sleep 1"]
        for attempt in range(TRIES):
            ours = f"{tool.NAME} run --quiet --json --report /out/{n}.{attempt}.json --"
            for what, way in (("alone", ""), ("ours", f"{ours} ")):
                run = f"measure -o /out/rows -l {n}.{attempt}.{what} -- {way}true"
                lines += [f"sleep {_BREAK_S}", f"{run} 2>>/out/errors"]
    return "\n".join(lines) + "\n"
