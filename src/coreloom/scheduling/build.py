# SPDX-License-Identifier: Apache-2.0
"""The simulator's executable: simulator/*.c with every policy that lies in policies/."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from coreloom.errors import UserError, suggest
from coreloom.paths import POLICIES
from coreloom.toolchain import cache, firmware, zig

SOURCES = Path(__file__).with_name("simulator")
_FLAGS = ("-std=c11", "-O3", "-Wall", "-Wextra", "-Wconversion")
_DEFINES = re.compile(r"^const struct cl_policy (cl_\w+) =", re.MULTILINE)


def find_compiler() -> list[str]:
    """Command of the C compiler: $CC, gcc, clang, cc, else the one of ziglang. UserError if none."""
    if asked := os.environ.get("CC"):
        command = shlex.split(asked)
        if not command or shutil.which(command[0]) is None:
            raise UserError(f"the C compiler in $CC was not found: {asked}")
        return command
    if found := shutil.which("gcc") or shutil.which("clang") or shutil.which("cc"):
        return [found]
    return zig.cc()


def build(flags: tuple[str, ...] = (), own: Path | None = None) -> Path:
    """The executable, made once for its content; own: the file of one more policy, with what lies next to it.

    Raises UserError when it does not compile.
    """
    sources = [*sorted(SOURCES.glob("*.c")), *sorted(POLICIES.glob("*.c"))]
    headers = [*sorted(SOURCES.glob("*.h")), *sorted(POLICIES.glob("*.h"))]
    if own is not None:
        sources.append(own)
        headers += sorted(own.parent.glob("*.h"))
    names = [name for path in sources for name in _DEFINES.findall(path.read_text())]
    known = " ".join(f"POLICY({name})" for name in names)
    command = [*find_compiler(), *_FLAGS, *flags, f"-DPOLICIES={known}"]
    digest = hashlib.sha256("\0".join(command).encode())
    for path in (*sources, *headers):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")

    def make(work: Path) -> None:
        flagged = [*command, f"-I{SOURCES}", f"-I{POLICIES}", *map(str, sources)]
        what = "the model" if own is None else f"the model with policy file {own}"
        _compile(what, [*flagged, "-o", str(work / "simulate")])

    return cache.made(cache.place("scheduling") / f"simulate-{digest.hexdigest()[:16]}", make) / "simulate"


def program(source: Path, target: Path) -> None:
    """A small program of its own around policies."""
    _compile(target.name, [*find_compiler(), *_FLAGS, f"-I{POLICIES}", str(source), "-o", str(target)])


def _compile(what: str, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, env=zig.environment(), check=False)
    if done.returncode:
        raise UserError(f"{what} does not compile:\n{(done.stderr or done.stdout).strip()}")


@functools.cache
def _listed(executable: Path) -> dict[str, str]:
    listed = subprocess.run([str(executable)], capture_output=True, text=True, check=True).stdout
    return dict(line.split("\t") for line in listed.splitlines())


def policies() -> dict[str, str]:
    """The policies there are, each with a line of text."""
    return _listed(build())


BASE_MARK = "exclusive:"


def find(policy: str) -> tuple[Path, str]:
    """The executable that has a policy, and the policy's full name there.

    policy: a name, or a path that ends in .c. UserError if there is none.
    """
    name = check_policy(policy)
    if not policy.endswith(".c"):
        return build(), name
    made = build(own=Path(policy))
    if name not in _listed(made):
        raise UserError(f'policy file {policy}: make its .name "{name}", as the file')
    return made, name


def check_policy(name: str) -> str:
    """The policy's full name (exclusive alone stands on cfs); a UserError if there is no such policy."""
    if name.endswith(".c"):
        return firmware.own_policy(name).stem
    known = policies()
    full = f"{BASE_MARK}cfs" if name == "exclusive" else name
    base = full.removeprefix(BASE_MARK)
    if base in known and base != "exclusive" and ("exclusive" in known or base == full):
        return full
    choices = [f"{BASE_MARK}BASE" if policy == "exclusive" else policy for policy in known]
    raise UserError(f"unknown policy '{name}': {suggest(name, choices, ', or give a path that ends in .c')}")
