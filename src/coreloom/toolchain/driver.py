# SPDX-License-Identifier: Apache-2.0
"""The command line of gcc, as `coreloom cc` takes it: what is to be done, to which files, and how."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coreloom.errors import UserError
from coreloom.toolchain import firmware

PREPROCESS, CHECK, ASSEMBLE, COMPILE, DEPEND, LINK = "-E", "-fsyntax-only", "-S", "-c", "-M", "link"
_STAGES = (LINK, COMPILE, ASSEMBLE, CHECK, PREPROCESS, DEPEND)  # of several that are asked for, the last

# Options that choose the SoC, and the variables that choose it without the option.
OWN = {
    "--platform": "CORELOOM_PLATFORM",
    "--cpus": "CORELOOM_CPUS",
    "--on": "CORELOOM_ON",
    "--policy": "CORELOOM_POLICY",
    "--api": "CORELOOM_API",
}
_SAME = {"--kernel": "--on", "--ground": "--on"}

# Options with a value of their own word; in the order of the command line they go to the compiler.
_WITH_VALUE = {
    *("-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix"),
    *("-iwithprefix", "-iwithprefixbefore", "-isysroot", "-MF", "-MT", "-MQ", "-Xclang", "-Xpreprocessor"),
    *("--param", "-Xassembler"),
}
_TO_LINKER = {"-L", "-l", "-T", "-u", "-z", "-e", "-Xlinker"}  # with a value, behind it or as the next word
_QUERIES = (
    *("-v", "--version", "-dumpversion", "-dumpmachine", "-dumpfullversion", "-print-search-dirs"),
    *("-print-libgcc-file-name", "-print-multi-lib", "-print-multi-directory", "-print-sysroot", "-###"),
    *("-print-multiarch", "--help", "-print-multi-os-directory", "--cmake-toolchain"),
)
# Nothing is left to do for these here: the libraries of C and threads are always there, objects are relocated
# once, and a program is linked as a whole.
_NEEDLESS = {
    *("-pipe", "-static", "-pthread", "-pthreads", "-s", "-no-pie", "-pie", "-rdynamic", "-static-libgcc"),
    *("-static-pie", "-nostartfiles", "-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-pic", "-fno-pie", "-fno-PIC"),
    *("-fno-PIE", "-no-canonical-prefixes", "-save-temps", "-mt", "-fno-plt", "-fuse-linker-plugin"),
    *("-fno-fat-lto-objects", "-ffat-lto-objects", "-fuse-ld=lld", "-fuse-ld=bfd", "-fuse-ld=gold"),
}
_LIBRARIES = ("c", "pthread", "rt", "dl", "gcc", "gcc_s", "util", "atomic")  # of every program
_REFUSED = {
    "-shared": "makes a shared library, and a program here is linked as a whole: build an archive with "
    "`coreloom ar`",
    "-r": "links objects to an object: build an archive with `coreloom ar`",
    "-nostdlib": "leaves out the C library, which the runtime needs",
    "-nodefaultlibs": "leaves out the C library, which the runtime needs",
    "-fopenmp": "needs OpenMP, which Coreloom does not provide: use pthreads",
    "-m16": "is for x86",
    "-fprofile-arcs": "needs profile files, which Coreloom does not write: leave it out",
    "-ftest-coverage": "needs profile files, which Coreloom does not write: leave it out",
    "--coverage": "needs profile files, which Coreloom does not write: leave it out",
    "-dumpspecs": "is about gcc's own parts, which are not here: leave it out",
    "--target-help": "is about gcc's own parts, which are not here: see coreloom cc --help",
    "-pg": "needs profile files, which Coreloom does not write: see where cycles go with `coreloom compare`",
}
_SOURCES = {".c": "c", ".S": "assembler-with-cpp", ".s": "assembler", ".i": "cpp-output", ".h": "c-header"}
_LANGUAGES = {"c", "assembler", "assembler-with-cpp", "cpp-output", "c-header", "none"}
_CXX = (".cc", ".cpp", ".cxx", ".C", ".c++", ".cp", ".hpp")


@dataclass
class Request:
    """The request of a command line."""

    mode: str = LINK
    output: str | None = None
    query: str | None = None
    verbose: bool = False
    flags: list[str] = field(default_factory=list)  # for the compiler
    # For the linker in their order: sources with their language, objects, archives, options.
    inputs: list[str] = field(default_factory=list)
    languages: dict[int, str] = field(default_factory=dict)  # of the inputs that are sources
    settings: dict[str, str] = field(default_factory=dict)  # of OWN
    notes: list[str] = field(default_factory=list)  # what was ignored that the user may miss

    @property
    def sources(self) -> list[tuple[int, str]]:
        return [(number, self.inputs[number]) for number in sorted(self.languages)]


def parse(words: Sequence[str], environment: Mapping[str, str] = os.environ) -> Request:
    """The request of a command line. UserError, in one line, for what is not supported."""
    asked = Request()
    rest = iter(_expanded(words))
    language = ""
    for word in rest:
        name, equal, value = word.partition("=")
        name = _SAME.get(name, name)
        if name in OWN:
            asked.settings[name] = value if equal else _next(rest, name)
        elif _says_what_to_do(word, asked, rest):
            continue
        elif word == "-x" or (word.startswith("-x") and len(word) > 2):
            language = _language(word[2:] or _next(rest, word))
        elif word in _REFUSED:
            raise UserError(f"{word} {_REFUSED[word]}")
        elif word in _NEEDLESS or word.startswith(("-flto", "-fuse-ld=")):
            continue
        elif word.startswith("-") and word != "-":
            _flag(word, asked, rest)
        else:
            _input(word, language, asked)
    for name, variable in OWN.items():
        if environment.get(variable):
            asked.settings.setdefault(name, environment[variable])
    _check_together(asked)
    return asked


def _says_what_to_do(word: str, asked: Request, rest: Iterator[str]) -> bool:
    """Whether it is a query, a mode or the output; then that is noted."""
    if word in _QUERIES or word.startswith(("-print-prog-name=", "-print-file-name=")):
        asked.query = word
        asked.verbose = asked.verbose or word == "-v"
    elif word in _STAGES or word == "-MM":
        asked.mode = max(asked.mode, DEPEND if word == "-MM" else word, key=_STAGES.index)
        if word in ("-M", "-MM"):
            asked.flags.append(word)
    elif word == "-o":
        asked.output = _next(rest, word)
    elif word.startswith("-o") and not word.startswith("-ob"):
        asked.output = word[2:]
    else:
        return False
    return True


def _flag(word: str, asked: Request, rest: Iterator[str]) -> None:
    if word.startswith("-m"):
        _machine(word, asked, rest)
    elif word in _WITH_VALUE:
        asked.flags += [word, _next(rest, word)]
    elif (word[:2] in _TO_LINKER and not word.startswith(("-u", "-z", "-e", "-T"))) or word in _TO_LINKER:
        _linker(word, asked, rest)
    elif word.startswith("-fsanitize="):
        _sanitizers(word, asked)
    elif word.startswith("-Wl,"):
        asked.inputs.append(word)
    else:
        asked.flags.append(word)


def _check_together(asked: Request) -> None:
    stdin = next((number for number, word in asked.sources if word == "-"), None)
    if stdin is not None and asked.mode == DEPEND:
        raise UserError("- stands for stdin, which has no name that a rule could have: give -M a file")
    if stdin is not None and not asked.languages[stdin]:
        if asked.mode != PREPROCESS:
            raise UserError("- stands for stdin: give its language by -x")
        asked.languages[stdin] = "c"
    if "-MMD" not in asked.flags and "-MD" not in asked.flags and asked.mode not in (DEPEND, PREPROCESS):
        for option in ("-MF", "-MT", "-MQ"):
            if option in asked.flags:
                raise UserError(f"{option} comes with -M, -MM, -MD or -MMD: add one of them")
    if len(asked.sources) > 1 and asked.output and asked.mode not in (LINK, DEPEND):
        raise UserError(
            f"{asked.mode} -o {asked.output} has {len(asked.sources)} sources: give one, or leave -o out"
        )


def _expanded(words: Sequence[str], depth: int = 0) -> Iterator[str]:
    """The words, with each @FILE replaced by its words."""
    for word in words:
        path = Path(word[1:])
        if not word.startswith("@") or len(word) == 1:
            yield word
        elif not path.is_file():
            raise UserError(f"there is no file {path} for @{path}: check the path")
        elif depth > 8:
            raise UserError(f"{word} includes itself: remove it from {path}")
        else:
            yield from _expanded(shlex.split(path.read_text(encoding="utf-8")), depth + 1)


def _next(rest: Iterator[str], name: str) -> str:
    value = next(rest, None)
    if value is None:
        raise UserError(f"{name} needs a value after it")
    return value


def _language(name: str) -> str:
    if name in ("c++", "c++-header", "c++-cpp-output"):
        raise UserError("Coreloom does not compile C++: write it in C")
    if name not in _LANGUAGES:
        raise UserError(f"-x {name}: unknown language, choose one of {', '.join(sorted(_LANGUAGES))}")
    return "" if name == "none" else name


def _machine(word: str, asked: Request, rest: Iterator[str]) -> None:
    """-m...: the cores are as they are."""
    if word in ("-march", "-mtune", "-mcpu", "-mabi"):
        word = f"{word}={_next(rest, word)}"
    if word.startswith("-mllvm"):
        raise UserError("-mllvm is for the compiler's own developers: leave it out")
    asked.notes.append(f"{word} is ignored: every core of Coreloom has the same instructions (rv32im)")


# What needs a library beside the program, which there is for other systems only.
_NO_SANITIZER = {
    *("address", "thread", "memory", "leak", "hwaddress", "kernel-address", "pointer-compare"),
    *("pointer-subtract", "dataflow", "cfi", "safe-stack", "shadow-call-stack", "realtime", "type"),
}


def _sanitizers(word: str, asked: Request) -> None:
    """-fsanitize=undefined, or a part of it, ends the program where it finds something."""
    names = word.partition("=")[2].split(",")
    kept = [name for name in names if name not in _NO_SANITIZER]
    if kept:
        asked.flags += [f"-fsanitize={','.join(kept)}", f"-fsanitize-trap={','.join(kept)}"]
        asked.notes.append(
            f"-fsanitize={','.join(kept)} ends the program at what it finds, by an illegal instruction"
        )
    if gone := [name for name in names if name in _NO_SANITIZER]:
        asked.notes.append(
            f"-fsanitize={','.join(gone)} is ignored: `coreloom run --check` finds misuse of the heap"
        )


def _linker(word: str, asked: Request, rest: Iterator[str]) -> None:
    name, value = word[:2], word[2:]
    if word == "-Xlinker":
        asked.inputs += _linker_words([_next(rest, word)])
        return
    value = value or _next(rest, word)
    if name == "-T":
        raise UserError(f"-T {value} is a linker script, and the platform has its own: leave it out")
    if name in ("-z", "-e", "-u"):
        return  # of the loader, the runtime's start, and what the runtime refers to itself
    asked.inputs.append(f"{name}{value}")


def linked(words: Sequence[str]) -> Iterator[str]:
    """What the linker gets of a command line's inputs, in their order.

    -lNAME is the archive in a folder of -L, wherever that stands, so that what is linked goes by its content;
    else nothing if each program has that library.
    """
    folders = [Path(word[2:]) for word in words if word.startswith("-L")]
    for word in words:
        name = word[2:]
        file = name[1:] if name.startswith(":") else f"lib{name}.a"
        if word.startswith("-Wl,"):
            yield from _linker_words(word[4:].split(","))
        elif not word.startswith("-l"):
            yield word
        elif archive := next((str(folder / file) for folder in folders if (folder / file).is_file()), None):
            yield archive
        elif name not in _LIBRARIES:
            yield word


# Options that zig's linker takes and that mean something here; the rest is for other systems' loaders.
_LINKER_TAKEN = ("--defsym", "--wrap", "--whole-archive", "--no-whole-archive")


def _linker_words(words: Sequence[str]) -> list[str]:
    return [f"-Wl,{word}" for word in words if word.startswith(_LINKER_TAKEN)]


def _input(word: str, language: str, asked: Request) -> None:
    suffix = Path(word).suffix
    if not language and suffix in _CXX:
        raise UserError(f"{word} is C++, which Coreloom does not compile: write it in C")
    if word != "-" and not Path(word).exists():
        raise UserError(f"there is no file {word}: check the path")
    if word != "-" and Path(word).is_dir():
        raise UserError(f"{word} is a folder: give the files in it")
    found = language or _SOURCES.get(suffix, "")
    if found or word == "-":
        asked.languages[len(asked.inputs)] = found
    asked.inputs.append(word)


def grounds() -> list[str]:
    return [*firmware.GROUNDS, firmware.LINUX]
