# SPDX-License-Identifier: Apache-2.0
"""Static programs for x86_64 Linux by `zig cc`: they run here, and in a guest that has no libraries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coreloom.toolchain import cache, zig

# For what runs as root at its users' places: loaded anywhere, nothing writable that is decided at the
# start, no executable stack, and an end where an array on the stack was written past. _FORTIFY_SOURCE is
# known to glibc's headers alone: musl has nothing of the kind, so with it it would only look as if.
HARD = (
    *("-fPIE", "-pie", "-fstack-protector-strong"),
    *("-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack"),
)
# All alike, so that zig builds its C library once.
_STATIC = ("-target", "x86_64-linux-musl", "-static", "-s", *HARD)
_C = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror")


def static(name: str, sources: Sequence[Path], flags: Sequence[str] = ()) -> Path:
    """The executable `name` of C11 sources that needs no library."""
    return executable(name, sources, _STATIC, flags)


def executable(
    name: str, sources: Sequence[Path], target_flags: Sequence[str], flags: Sequence[str] = ()
) -> Path:
    """The executable `name` of C11 sources, made once for its content; flags come behind ours.

    Headers are looked for next to the sources, too. UserError with the compiler's text.
    """
    folders = sorted({path.parent for path in sources})
    seen = [*folders, *(Path(flag[2:]) for flag in flags if flag.startswith("-I"))]
    headers = sorted({path for folder in seen for path in folder.glob("*.h")})
    own = [*target_flags, *_C, *(f"-I{folder}" for folder in folders), *flags]
    return compiled(name, own, sources, headers, name)


def compiled(
    name: str, flags: Sequence[str], sources: Sequence[Path], headers: Sequence[Path], what: str
) -> Path:
    """The file `name` that zig makes of sources, once for the content; `what` is named in its errors."""
    entry = cache.place("native") / f"{name}-{zig.digest(flags, [*sources, *headers])}"
    command = [*zig.cc(), *flags, *map(str, sources), "-o"]
    return cache.made(entry, lambda work: zig.run([*command, str(work / name)], what)) / name
