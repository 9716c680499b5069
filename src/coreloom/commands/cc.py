# SPDX-License-Identifier: Apache-2.0
"""`coreloom cc`, `ar` and `ranlib`: a compiler driver with gcc's command line, and the tools for archives.

They run once for each file of a project, so they import little, and take their words without argparse.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from coreloom import __version__, packages, verbs
from coreloom.design import platform
from coreloom.design.platform import Platform
from coreloom.errors import UserError, suggest
from coreloom.toolchain import bitcode, driver, firmware, front_end, zig
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain.application import Application
from coreloom.toolchain.driver import ASSEMBLE, CHECK, COMPILE, DEPEND, LINK, PREPROCESS, Request
from coreloom.toolchain.front_end import Layer

TOOLCHAIN = Path(__file__).with_name("coreloom.cmake")
_TRIPLE = {True: "x86_64-linux-gnu", False: "riscv32-unknown-elf"}  # by whether it is for Linux
# Clang lacks some of gcc's options, and has some warnings by another name.
_CALM = (
    "-Wno-unknown-warning-option",
    "-Wno-unused-command-line-argument",
    "-Wno-ignored-optimization-argument",
)
_UNKNOWN = re.compile(
    r'^error: (?:unknown clang option|unsupported linker arg)?: "?([^"\n]+)"?$', re.MULTILINE
)

_HELP = """\
usage: coreloom cc [options of gcc] FILE...

Compiles and links for Coreloom as gcc does for a machine: make CC="coreloom cc" AR="coreloom ar".

  --platform NAME   the platform (CORELOOM_PLATFORM; default smp-standard), or the path of a TOML file
  --cpus N          its number of processors (CORELOOM_CPUS; default: the platform's)
  --on KERNEL       hw, sw, freertos, or linux: this machine (CORELOOM_ON; default hw)
  --policy NAME     scheduling policy of the software kernel (CORELOOM_POLICY; default priority)
  --api API         posix, freertos, cmsis_rtos2, itron: what the program is for (CORELOOM_API; default posix)
  --cmake-toolchain print the path of a toolchain file for CMake

gcc's options: -c -S -E -o -x -D -U -I -isystem -include -std= -O -g -W... -w -f... -l -L -Wl,... @FILE
  -M -MM -MD -MMD -MP -MF -MT -MQ -v --version -dumpmachine -print-...
-O2 unless given, -g always. -m... is ignored, -shared refused.
`coreloom run a.out -- ARGUMENT...` runs the program.
"""


def main(words: Sequence[str]) -> int:
    """Entry point of cc, ar and ranlib, the first word; the exit status is as gcc's."""
    name, *given = words
    try:
        return _TOOLS[name](given)
    except UserError as error:
        sys.stderr.write(f"coreloom {name}: error: {error}\n")
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        sys.stderr.write(f"coreloom {name}: error: {where}{error.strerror or error}\n")
    return 1


def _archiver(name: str) -> Callable[[Sequence[str]], int]:
    def run(words: Sequence[str]) -> int:
        if words in (["--help"], ["-h"]):
            print(end=verbs.examples(verbs.VERBS[name].examples), flush=True)
        return subprocess.run([*zig.command(), name, *words], env=zig.environment(), check=False).returncode

    return run


def _cc(words: Sequence[str]) -> int:
    asked = driver.parse(words)
    for note in dict.fromkeys(asked.notes):
        sys.stderr.write(f"coreloom cc: warning: {note}\n")
    if asked.query and not (asked.verbose and asked.inputs):
        return _answer(asked.query, asked)
    if not asked.inputs:
        raise UserError("there is no input file: give sources or objects (see coreloom cc --help)")
    if asked.verbose:
        _answer("-v", asked)
        asked.flags.append("-v")
    if asked.output and not Path(asked.output).parent.is_dir():
        raise UserError(f"there is no folder {Path(asked.output).parent} for {asked.output}: make it")
    ground = asked.settings.get("--on", "hw")
    if ground not in driver.grounds():
        raise UserError(f"unknown kernel '{ground}' for --on: {suggest(ground, driver.grounds())}")
    soc = platform.load(asked.settings.get("--platform", "smp-standard"), _cpus(asked))
    policy = asked.settings.get("--policy", firmware.PRIORITY)
    user = [*_CALM, *asked.flags]
    if layer := front_end.chosen(asked.settings.get("--api"), ground):
        sources = [Path(source) for _, source in asked.sources]
        user = layer.flags(user, (file.parent for file in sources if not layer.replacement(file)))
    flags = firmware.compile_flags(soc, ground, policy, user)
    if asked.mode != LINK:
        return _compile_each(asked, flags, layer)
    return _link(asked, soc, ground, policy, flags, layer)


def _cpus(asked: Request) -> int | None:
    given = asked.settings.get("--cpus")
    if given is None:
        return None
    if not given.isdecimal() or int(given) == 0:
        raise UserError(f"--cpus must be a whole number from 1, not '{given}'")
    return int(given)


def _answer(query: str, asked: Request) -> int:
    linux = asked.settings.get("--on") == firmware.LINUX
    if query == "--help":
        sys.stdout.write(verbs.examples(verbs.VERBS["cc"].examples) + _HELP)
    elif query == "-v":
        sys.stderr.write(f"Target: {_TRIPLE[linux]}\nThread model: posix\n{_version()}\n")
    elif query == "--version":
        sys.stdout.write(f"{_version()}\n")
    elif query == "-###":
        sys.stderr.write(f"{_version()}\n")
    elif query in ("-dumpversion", "-dumpfullversion"):
        sys.stdout.write(f"{__version__}\n")
    elif query in ("-dumpmachine", "-print-multiarch"):
        sys.stdout.write(f"{_TRIPLE[linux]}\n")
    elif query == "--cmake-toolchain":
        sys.stdout.write(f"{TOOLCHAIN}\n")
    elif query.startswith(("-print-file-name=", "-print-prog-name=")):
        sys.stdout.write(f"{query.partition('=')[2]}\n")  # as gcc answers for a file that it does not have
    elif query == "-print-multi-lib":
        sys.stdout.write(".;\n")
    elif query == "-print-search-dirs":
        sys.stdout.write(f"install: {zig.home()}\nprograms: ={zig.home()}\nlibraries: =\n")
    elif query == "-print-multi-directory":
        sys.stdout.write(".\n")
    else:
        sys.stdout.write("\n")
    return 0


def _version() -> str:
    return f"coreloom cc {__version__} (clang of zig {packages.version('ziglang')})"


def _compile_each(asked: Request, flags: Sequence[str], layer: Layer | None) -> int:
    for word in asked.inputs:
        if word.startswith("-") and word != "-":
            continue  # of the linker, as gcc leaves it then
        if asked.inputs.index(word) not in asked.languages:
            sys.stderr.write(f"coreloom cc: warning: {word}: not used, as nothing is linked\n")
    ending = {COMPILE: ".o", ASSEMBLE: ".s"}
    for number, source in asked.sources:
        output = asked.output
        if output is None and asked.mode in ending:
            output = f"{Path(source).stem}{ending[asked.mode]}"
        _replace(asked, number, layer)
        if status := _compile(asked, flags, number, output):
            return status
    return 0


def _replace(asked: Request, number: int, layer: Layer | None) -> None:
    """Use our source instead of one of FreeRTOS's kernel."""
    if layer and (own := layer.replacement(Path(asked.inputs[number]))):
        asked.inputs[number] = str(own)
        asked.languages[number] = "c"


def _compile(asked: Request, flags: Sequence[str], number: int, output: str | None) -> int:
    """Do with one source, or stdin if it is `-`, what is asked; the compiler's exit status."""
    mode, source = asked.mode, asked.inputs[number]
    used = [flag for flag in flags if flag != "-flto" or mode in (COMPILE, LINK)]
    if mode == COMPILE and "-flto" in used and "-fno-lto" not in asked.flags:
        used.append(bitcode.FAT)
    action = {LINK: ["-c"], CHECK: ["-c"], DEPEND: []}.get(mode, [mode])
    with tempfile.TemporaryDirectory(prefix="coreloom-") as folder:
        environment = zig.environment()
        if asked.verbose:  # what zig has made already it makes, and says, no more
            environment["ZIG_LOCAL_CACHE_DIR"] = folder
        if source == "-":
            source = _stdin(Path(folder))
            used += ["-iquote", "."]
        made = Path(folder) / "made" if mode == CHECK or _is_copied(mode, output) else None
        command = [*zig.cc(), *used, *action, "-x", asked.languages[number], source]
        if mode not in _TO_STDOUT and (to := made or output):
            command += ["-o", str(to)]
        if (made or mode == LINK) and {"-MD", "-MMD"} & set(asked.flags) and "-MF" not in asked.flags:
            name = Path(asked.inputs[number]).stem
            command += ["-MF", f"{name}.d", "-MT", f"{name}.o"]
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        said = done.stderr.decode("utf-8", "replace")
        if unknown := _UNKNOWN.search(said):
            raise UserError(f"the compiler (clang) has no option {unknown[1]}: leave it out")
        sys.stderr.write(said)
        if made and mode != CHECK and not done.returncode:
            content = done.stdout if mode in _TO_STDOUT else made.read_bytes()
            if asked.inputs[number] == "-":
                content = content.replace(source.encode(), b"<stdin>")
            _write(content, output)
    return 1 if done.returncode else 0


_TO_STDOUT = (PREPROCESS, DEPEND)


def _is_copied(mode: str, output: str | None) -> bool:
    """Whether what is made is text on stdout, or for a device, which zig does not write to."""
    if mode in _TO_STDOUT or (mode == ASSEMBLE and output == "-"):
        return True
    return output is not None and Path(output).exists() and not Path(output).is_file()


def _write(content: bytes, output: str | None) -> None:
    if output in (None, "-"):
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    else:
        Path(output).write_bytes(content)


def _stdin(folder: Path) -> str:
    """A file with what comes from stdin, which errors and debuggers know by that name."""
    path = folder / "stdin"
    with path.open("wb") as file:
        file.write(b'# 1 "<stdin>"\n')
        shutil.copyfileobj(sys.stdin.buffer, file)
    return str(path)


def _link(
    asked: Request, soc: Platform, ground: str, policy: str, flags: Sequence[str], layer: Layer | None
) -> int:
    output = Path(asked.output or "a.out")
    inputs = list(asked.inputs)
    with tempfile.TemporaryDirectory(prefix="coreloom-") as folder:
        for number, source in asked.sources:
            _replace(asked, number, layer)
            inputs[number] = str(Path(folder) / f"{number}-{Path(source).stem}.o")
            if status := _compile(asked, flags, number, inputs[number]):
                return status
        for number, word in enumerate(inputs):
            if not word.startswith("-") and Path(word).suffix not in _LINKED.values():
                inputs[number] = _linkable(Path(word), Path(folder) / str(number))
        there = front_end.linked(inputs)
        if layer and layer is not there:
            inputs.append(_archive(flags, Path(folder), layer.files))
        seen = tuple(Path(source) for _, source in asked.sources if source != "-")
        app = Application(output.name, (), theirs=True, inputs=tuple(driver.linked(inputs)), seen=seen)
        defines = {"CL_PLACEMENT": 0}  # as `coreloom run` has it, for which the runtime is compiled already
        for each in filter(None, (layer, there)):
            defines |= each.macros
        if ground == firmware.LINUX:
            firmware.build_linux(app, soc, defines, to=output)
        else:
            firmware.build(app, soc, ground, defines, policy, to=output)
    return 0


def _archive(flags: Sequence[str], folder: Path, files: Iterable[Path]) -> str:
    """An archive of an API on our kernels, by the flags that the program is linked with."""
    archive, objects = str(folder / "api.a"), []
    for file in files:
        objects.append(str(folder / f"api-{file.stem}.o"))
        zig.run([*zig.cc(), *flags, "-c", str(file), "-o", objects[-1]], file.name)
    zig.run([*zig.command(), "ar", "rcs", archive, *objects], "api.a")
    return archive


# What the linker takes, by the first bytes; zig goes by the suffix, gcc does not.
_LINKED = {elf_file.MAGIC: ".o", bitcode.ARCHIVE: ".a"}


def _linkable(given: Path, name: Path) -> str:
    """A file of any suffix as one whose suffix says what it is."""
    with given.open("rb") as file:
        start = file.read(max(map(len, _LINKED)))
    for magic, suffix in _LINKED.items():
        if start.startswith(magic):
            made = name.with_suffix(suffix)
            made.symlink_to(given.absolute())
            return str(made)
    raise UserError(f"{given} is no source, object or archive: check its name")


_TOOLS = {"cc": _cc, "ar": _archiver("ar"), "ranlib": _archiver("ranlib")}
