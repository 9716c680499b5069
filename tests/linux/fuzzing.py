# SPDX-License-Identifier: Apache-2.0
"""Makes and starts the fuzzer of tests/linux/fuzz: every parser that root runs, with sanitizers.

The compiler is $CC, else gcc or clang with AddressSanitizer and UndefinedBehaviorSanitizer, else `zig cc`,
which has no AddressSanitizer: there, the heap and the input end at pages that cannot be touched (alloc.c).
"""

from __future__ import annotations

import functools
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.errors import UserError
from coreloom.files import file_lock
from coreloom.paths import BUILD, LINUX
from coreloom.programs import registry
from coreloom.toolchain import zig

FOLDER = Path(__file__).parent / "fuzz"
CORPUS = FOLDER / "corpus"
_MORE = {"proc": "trace", "tasks": "trace"}  # targets that read a machine of another one's samples, too


def folders(target: str) -> list[Path]:
    """The folders of the target's samples."""
    found = [CORPUS / name for name in (target, _MORE.get(target, target))]
    return [folder for folder in dict.fromkeys(found) if folder.is_dir()]


FAILURES = BUILD / "linux" / "fuzz"  # where inputs that fail are kept

_INCLUDE = tuple(
    f"-I{path}"
    for path in (FOLDER, *(LINUX / name for name in ("exclusive", "lagmeter", "scx_dwrr", "user")))
)
_C = ("-std=gnu11", "-D_GNU_SOURCE=", "-O1", "-g", "-fno-omit-frame-pointer", *_INCLUDE)
_COVERAGE = "-fsanitize-coverage=trace-pc"
_ENGINE = ("engine.c", "place.c", "alloc.c")  # the compiler's calls lead there, before anything else begins
_IN_TARGETS = ("main.c", "source_bpf.c", "source_proc.c", "create.c")  # of lagmeter: included by targets
_PROBE = """
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {}
int main(int count, char **word) { return count > 5 ? word[1][0] : 0; }
"""


@dataclass(frozen=True)
class Mode:
    name: str
    compiler: tuple[str, ...]
    sanitizers: tuple[str, ...]

    @property
    def address(self) -> bool:
        return "-DFUZZ_ASAN" in self.sanitizers

    def flags(self) -> list[str]:
        return [*_C, *self.sanitizers]


_ASAN = ("-DFUZZ_ASAN", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_GUARD = (
    *("-fsanitize=undefined", "-fno-sanitize-trap=undefined", "-fno-sanitize-recover=all"),
    *("-fstack-protector-all", "-fno-builtin-malloc", "-fno-builtin-free"),
)


def _works(mode: Mode) -> bool:
    with tempfile.TemporaryDirectory() as work:
        source, made = Path(work) / "probe.c", Path(work) / "probe"
        source.write_text(_PROBE)
        command = [*mode.compiler, *mode.flags(), str(source), "-o", str(made)]
        measured = [*mode.compiler, *mode.flags(), _COVERAGE, "-c", str(source), "-o", f"{made}.o"]
        try:
            return all(
                subprocess.run(c, capture_output=True).returncode == 0 for c in (command, measured, [made])
            )
        except OSError:
            return False


@functools.cache
def mode() -> Mode:
    """The strongest that this machine has; $CC decides alone where it is set: UserError if it cannot."""
    asked = os.environ.get("CC")
    names = [asked] if asked else [name for name in ("gcc", "clang") if shutil.which(name)]
    for name in names:
        compiler = tuple(shlex.split(name))
        for text, flags in (("ASan and UBSan", _ASAN), ("UBSan and guard pages", _GUARD)):
            found = Mode(f"{name} with {text}", compiler, flags)
            if _works(found):
                return found
    guard = Mode("zig cc with UBSan and guard pages", tuple(zig.cc()), _GUARD)
    if not asked and _works(guard):
        return guard
    raise UserError(f"CC={asked} makes no program with -fsanitize=undefined: unset CC, or give gcc or clang")


def _sources() -> list[tuple[Path, tuple[str, ...]]]:
    """Each with flags of its own."""
    found: list[tuple[Path, tuple[str, ...]]] = []
    for path in registry.sources("exclusive"):
        if path.suffix == ".c" and path.name != "socket.c":  # place.c is in its place
            found.append((path, ("-Dmain=exclusive_main",) if path.name == "main.c" else ()))
    for path in sorted((LINUX / "lagmeter").glob("*.c")):
        if not path.name.endswith(".bpf.c") and path.name not in _IN_TARGETS:
            found.append((path, ()))
    for path in sorted(FOLDER.glob("*.c")):
        if path.name != "alloc.c" or not mode().address:
            found.append((path, ()))
    return found


@functools.cache
def program(chosen: Mode | None = None) -> Path:
    """The fuzzer with all targets, made once for its content. UserError with the compiler's text."""
    how = chosen or mode()
    headers = sorted(
        path
        for folder in (FOLDER, *(LINUX / name for name in ("exclusive", "lagmeter", "scx_dwrr", "user")))
        for path in folder.glob("*.h")
    )
    included = [LINUX / "exclusive" / name for name in ("irq.c", "socket.c")]
    included += sorted((LINUX / "lagmeter").glob("*.c")) + sorted((LINUX / "scx_dwrr").glob("*.c"))
    base = zig.digest([*how.compiler, *how.flags()], [*headers, *included])
    objects = BUILD / "linux" / "fuzz" / "objects"

    def compiled(source: Path, own: Sequence[str]) -> Path:
        defined = [flag for flag in how.sanitizers if flag.startswith("-D")]
        engine = source.parent == FOLDER and source.name in _ENGINE
        flags = [*_C, *(defined if engine else [*how.sanitizers, _COVERAGE]), *own]
        made = objects / f"{source.stem}-{zig.digest([base, *flags], [source])}.o"
        if not made.exists():
            with tempfile.TemporaryDirectory(dir=objects, prefix=".") as work:
                part = Path(work) / made.name
                _run([*how.compiler, *flags, "-c", str(source), "-o", str(part)], source.name)
                part.replace(made)
        return made

    with file_lock(objects.with_suffix(".lock")):
        objects.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(lambda one: compiled(*one), _sources()))
        made = objects.parent / f"fuzz-{zig.digest([base, *(part.name for part in parts)], [])}"
        if not made.exists():
            part = made.with_suffix(".part")
            _run([*how.compiler, *how.flags(), *map(str, parts), "-lm", "-o", str(part)], "fuzz")
            part.replace(made)
    return made


def _run(command: Sequence[str], what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise UserError(f"{what} does not compile:\n{done.stderr}")


@functools.cache
def targets() -> list[str]:
    """Read from the sources: nothing is compiled to know them."""
    names = []
    for path in sorted(FOLDER.glob("target_*.c")):
        lines = (line for line in path.read_text().splitlines() if line.startswith("FUZZ_TARGET("))
        names += [line.split("(")[1].split(",")[0] for line in lines]
    return names


@dataclass(frozen=True)
class Result:
    target: str
    inputs: int
    kept: int
    edges: int
    failures: int
    seconds: float
    text: str  # of what failed

    def row(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("target", "inputs", "kept", "edges", "failures")}


def fuzz(
    target: str, *, seed: int, seconds: float, inputs: int | None = None, corpus: Sequence[Path] = ()
) -> Result:
    """Samples are those of tests/linux/fuzz/corpus and of the given folders."""
    FAILURES.mkdir(parents=True, exist_ok=True)
    command = [str(program()), target, "--seed", str(seed), "--seconds", str(seconds), "--out", str(FAILURES)]
    if inputs is not None:
        command += ["--inputs", str(inputs)]
    for folder in (*folders(target), *corpus):
        command += ["--corpus", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 1):
        raise UserError(f"the fuzzer ended with {done.returncode}: {done.stderr}")
    got = json.loads(done.stdout)
    return Result(
        *(target, got["inputs"], got["kept"], got["edges"], got["failures"], got["seconds"]), done.stderr
    )


def attempt(target: str, *files: Path) -> str:
    """What is wrong with these inputs; "" if nothing."""
    done = subprocess.run(
        [program(), target, "--try", *files], capture_output=True, text=True, errors="replace"
    )
    return done.stderr if done.returncode else ""
