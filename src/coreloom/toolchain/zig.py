# SPDX-License-Identifier: Apache-2.0
"""The compiler: zig cc, how it is started, and what all programs for the SoC are compiled with."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pythondata_software_picolibc

from coreloom import packages
from coreloom.errors import UserError
from coreloom.paths import BUILD, ROOT, RUNTIME
from coreloom.toolchain import cache

_LIBC_WHEEL = "pythondata-software-picolibc"


LIBC = Path(pythondata_software_picolibc.data_location) / "newlib" / "libc"

# No core needs more than this of the compiler; everything must be the same for all objects of a program.
TARGET = [
    *("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-std=gnu11"),
    # Programs have a whole C library: zig would have taken them as freestanding, where main must return
    # and the library's <stdint.h> is not used. Calls of the library stay as they are written; all that the
    # headers have is declared, as on ground linux.
    *("-fhosted", "-fno-builtin", "-D_GNU_SOURCE"),
    *("-ffunction-sections", "-fdata-sections", "-fno-sanitize=undefined", "-fno-stack-protector"),
    *("-fomit-frame-pointer", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-fno-pic"),
]
OPTIMISE = ["-O2"]
UNOPTIMISED = ("-O0", "-fno-lto")  # each variable is in memory, each line has its instructions
# The same program wherever the checkout is: debug information and __FILE__ name its files below PLACE.
PLACE = Path("/coreloom")
PLACELESS = [f"-ffile-prefix-map={ROOT}={PLACE}", f"-fdebug-compilation-dir={PLACE}"]

WARN = ["-Wall", "-Wextra", "-Werror"]


def as_it_is(flags: Iterable[str]) -> list[str]:
    """The flags for what is not ours: its warnings neither stop nor show."""
    return [*(flag for flag in flags if flag not in WARN), "-w"]


LIBC_HEADERS = ("include", "tinystdio")
HEADERS = [RUNTIME / "include", RUNTIME / "libc"]
INCLUDE = [
    *(f"-I{folder}" for folder in HEADERS),
    *(word for folder in LIBC_HEADERS for word in ("-isystem", str(LIBC / folder))),
]


def placed(path: str) -> str:
    """How debug information names a path."""
    return str(PLACE / Path(path).relative_to(ROOT)) if Path(path).is_relative_to(ROOT) else path


def home() -> Path:
    """The folder of zig, with its own headers."""
    return packages.folder("ziglang")


def command() -> list[str]:
    """The command that starts zig: itself, as Python's start takes as long as compiling a short file."""
    return [str(home() / "zig")]


def cc() -> list[str]:
    """The command that compiles C; zig alone defines NDEBUG when it optimises, which is undone."""
    return [*command(), "cc", "-UNDEBUG"]


def environment() -> dict[str, str]:
    """Environment with zig's caches unless the user has set them: libraries are shared, objects are not."""
    env = dict(os.environ)
    env.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache.place("zig")))
    env.setdefault("ZIG_LOCAL_CACHE_DIR", str(BUILD / "cache" / "zig-local"))
    return env


def run(command: list[str], what: str, cwd: Path | None = None) -> str:
    """The output of zig; a UserError with its text, about `what`, if it fails."""
    try:
        return start(command, cwd)
    except Refused as refused:
        raise UserError(f"{what} does not compile:\n{refused}") from None


class Refused(Exception):
    """The message with which zig failed."""


def start(command: list[str], cwd: Path | None = None, warnings: list[str] | None = None) -> str:
    """The output of zig; its warnings are added to `warnings`. Refused if it fails."""
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", env=environment(), cwd=cwd, check=False
    )
    if done.returncode:
        raise Refused((done.stderr or done.stdout).strip())
    if warnings is not None and (said := _COUNT.sub("", done.stderr).strip()):
        warnings.append(said)
    return done.stdout


_COUNT = re.compile(r"^\d+ warnings? generated\.\n?", re.MULTILINE)


def digest(
    flags: Iterable[str], files: Iterable[Path], read: Callable[[Path], bytes] = Path.read_bytes
) -> str:
    """A key of flags and contents and of the compiler; the path of the checkout is not part of it."""
    made = hashlib.sha256(f"zig {packages.version('ziglang')} -UNDEBUG\0".encode())
    for flag in flags:
        made.update(placeless(flag).encode() + b"\0")
    for file in files:
        made.update(file.name.encode() + b"\0" + read(file) + b"\0")
    return made.hexdigest()[:16]


def placeless(flag: str) -> str:
    """A flag without the places of the checkout and of the C library, whose version is in every key."""
    return cache.placeless(flag.replace(str(LIBC.parent), f"LIBC-{packages.version(_LIBC_WHEEL)}"))
