# SPDX-License-Identifier: Apache-2.0
"""BPF programs with their loaders: linux/NAME/*.bpf.c and linux/NAME/*.c become one executable.

zig compiles both. The object with the BPF programs lies inside the executable, which loads it by libbpf;
libbpf and what it needs are Debian's static libraries, so it needs nothing but glibc 2.36 or newer.
"""

from __future__ import annotations

from pathlib import Path

from coreloom.paths import LINUX, POLICIES, ROOT
from coreloom.programs import registry
from coreloom.toolchain import debian, native

COMMON = LINUX / "bpf"  # headers for the kernel's side, and what all loaders share
_BPF = (
    "-target",
    "bpfel-freestanding",
    "-mcpu=v3",
    "-std=gnu11",
    "-O2",
    "-g",
    "-fno-asynchronous-unwind-tables",
    f"-ffile-prefix-map={ROOT}=.",  # what is made does not say where
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Werror",
)
_HOST = ("-target", "x86_64-linux-gnu.2.36", "-s", "-D_GNU_SOURCE=", *native.HARD, "-D_FORTIFY_SOURCE=2")
# The suite of the oldest glibc that its libraries may need, as they are linked into the executable.
_LIBRARIES = {
    "bpf": ("libbpf-dev", "bookworm-backports"),
    "elf": ("libelf-dev", "bookworm"),
    "z": ("zlib1g-dev", "bookworm"),
}


def program(name: str) -> Path:
    """The executable of linux/NAME, made once for its content. UserError with the compiler's text."""
    if (made := registry.made(name)) is not None:
        return made
    folder = LINUX / name
    folders = {library: _folder(*source) for library, source in _LIBRARIES.items()}
    include = folders["bpf"] / "usr/include"
    kernel_side = [
        _object(path, [*_BPF, f"-I{COMMON}", f"-I{POLICIES}", f"-isystem{include}"])
        for path in sorted(folder.glob("*.bpf.c"))
    ]
    own = [
        path
        for path in registry.sources(name)
        if path.suffix == ".c" and path.parent != POLICIES and not path.name.endswith(".bpf.c")
    ]
    archives = [
        str(next(path.glob(f"usr/lib/x86_64-linux-gnu/lib{library}.a"))) for library, path in folders.items()
    ]
    flags = [f"-isystem{include}", *(f'-DOBJECT="{path}"' for path in kernel_side), *archives]
    made = native.executable(name, own, _HOST, flags)
    registry.remember(name, made)
    return made


def prepare() -> None:
    """Fetch the libraries that the programs are linked with; what is here already takes no time."""
    for source in _LIBRARIES.values():
        _folder(*source)


def _folder(package: str, suite: str) -> Path:
    (folder,) = debian.packages([package], suite, closure=False)
    return folder


def _object(source: Path, flags: list[str]) -> Path:
    """The object with BPF programs and their types (BTF) of one file."""
    name = source.name.removesuffix(".c") + ".o"
    headers = sorted({*source.parent.glob("*.h"), *COMMON.glob("*.h"), *POLICIES.glob("*.h")})
    return native.compiled(name, [*flags, "-c"], [source], headers, source.name)
