# SPDX-License-Identifier: Apache-2.0
"""--help, man page, completion and the options that a program takes are the same everywhere."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import pytest

from coreloom import __version__
from coreloom.paths import LINUX
from coreloom.programs import bpf, completion, exclusive, usage
from coreloom.toolchain import debian

_PROGRAMS = list(usage.PROGRAMS.items())
_MAKE: dict[str, Callable[[], Path]] = {
    "exclusive": exclusive.program,
    "scx_dwrr": partial(bpf.program, "scx_dwrr"),
    "lagmeter": partial(bpf.program, "lagmeter"),
}
# Programs with BPF are linked with libraries of Debian.
_MADE = [
    pytest.param(folder, marks=() if folder == "exclusive" else pytest.mark.linux)
    for folder in usage.PROGRAMS
]
_COMMANDS = {"", "run", "attach", "plan", "plan run", "plan attach", "status", "restore", "verify"}


def _options_of_help(text: str) -> dict[str, str]:
    """Names of options in a help text, and what stands for their values."""
    found = {}
    for line in text.splitlines():
        if declared := re.match(r"  +(-\S+(?:, -\S+)*(?: \S+)?)(?:  |$)", line):
            names, _, value = declared[1].partition("[=")
            if not value:
                names, _, value = re.sub(r", ", ",", declared[1]).partition(" ")
            for name in re.split(", ?", names):
                found[name] = value.rstrip("]")
    return found


def _options_of_page(text: str) -> dict[str, str]:
    section = text.split(".SH OPTIONS\n")[1].split("\n.SH ")[0]
    found = {}
    for head in re.findall(r"^\.TP\n(.+)$", section, re.MULTILINE):
        value = re.search(r"\\fI(.+)\\fR", head)
        for name in re.findall(r"\\fB(.+?)\\fR", head):
            found[name.replace("\\-", "-")] = value[1].replace("\\-", "-") if value else ""
    return found


def _options_of_source(folder: str) -> set[str]:
    """The options that the C code knows: in its table, or as words that stand instead of a command."""
    source = "".join(path.read_text() for path in sorted((LINUX / folder).glob("*.c")))
    table = re.findall(r'\{"([a-z-]+)", (?:no|required|optional)_argument, NULL, (?:\'(\w)\'|\w+)\}', source)
    names = {f"--{long}" for long, _ in table} | {f"-{short}" for _, short in table if short}
    names |= set(re.findall(r'\{"(--[a-z-]+)", [A-Z| ]+, \.', source))
    return names | set(re.findall(r'strcmp\((?:command|\*word), "(--?[a-zA-Z]+)"\)', source))


@cache
def _made(folder: str) -> Path:
    """A folder with the man page and the completion of a program, as they are installed."""
    said, place = usage.load(folder), Path(tempfile.mkdtemp())
    for name, text in {
        f"{said.name}.8": usage.page(said),
        f"{said.name}.bash": completion.bash(said),
        f"_{said.name}": completion.zsh(said),
        f"{said.name}.fish": completion.fish(said),
    }.items():
        (place / name).write_text(text)
    return place


@pytest.mark.parametrize("folder", _MADE)
def test_the_program_says_what_the_header_says(folder: str) -> None:
    program, said = _MAKE[folder](), usage.load(folder)
    for word, text in (("--help", usage.help_text(said)), ("--version", f"{said.called} {__version__}\n")):
        done = subprocess.run([program, word], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, text, "")


@pytest.mark.parametrize("folder", usage.PROGRAMS)
def test_the_source_takes_the_options_of_the_help(folder: str) -> None:
    hidden = {"--root"} if folder == "exclusive" else set()  # for tests
    assert _options_of_source(folder) - hidden == set(_options_of_help(usage.help_text(usage.load(folder))))


@pytest.mark.parametrize(("folder", "name"), _PROGRAMS)
def test_the_man_page_has_the_options_of_the_help(folder: str, name: str) -> None:
    wanted = _options_of_help(usage.help_text(usage.load(folder)))
    assert wanted["--version"] == "" and any(wanted.values())
    assert _options_of_page((_made(folder) / f"{name}.8").read_text()) == wanted


@pytest.mark.parametrize(("folder", "name"), _PROGRAMS)
def test_the_man_page_is_plain_roff(folder: str, name: str) -> None:
    lines = (_made(folder) / f"{name}.8").read_text().splitlines()
    macros = {line.split()[0] for line in lines if line.startswith(".")}
    assert macros <= {'.\\"', ".TH", ".SH", ".SS", ".PP", ".TP", ".BR", ".nf", ".fi"}
    assert [
        line for line in lines if line.startswith("'") or not line.isascii() or line != line.rstrip()
    ] == []
    escapes = {found for line in lines for found in re.findall(r"\\(?:\(..|f.|.)", line) if line[:2] != ".\\"}
    assert escapes <= {"\\-", "\\fB", "\\fI", "\\fR", "\\e", "\\&", "\\(aq", "\\(ha", "\\(ti"}
    sections = [line[4:] for line in lines if line.startswith(".SH ")]
    assert sections[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"] and sections[-1] == "SEE ALSO"


def test_each_command_takes_the_options_that_are_said_to_be_its() -> None:
    said = usage.load("exclusive")
    assert set(said.modes()) == _COMMANDS
    wrong = []
    for mode, options in said.modes().items():
        for option in (one for one in said.options if mode and "" not in one.of):
            # The last one does not exist, so nothing is done.
            value = {"--smt": ["idle"]}.get(
                option.names[0], ["1"] * bool(option.value and not option.optional)
            )
            words = [*mode.split(), option.names[0], *value, "--no-such-option"]
            done = subprocess.run(
                [exclusive.program(), *words], capture_output=True, text=True, timeout=60, check=False
            )
            taken = "unknown option --no-such-option" in done.stderr
            assert taken or f"{option.names[0]} is not an option of" in done.stderr, done.stderr
            if taken != (option in options):
                wrong.append((mode, option.names[0], done.stderr))
    assert wrong == []


# --- completion ------------------------------------------------------------------------------

# A line, and what completes its last word: all, or "..." and these among others.
_LINES: dict[str, list[tuple[str, set[str]]]] = {
    "exclusive": [
        ("coreloom-exclusive re", {"restore"}),
        ("coreloom-exclusive run --m", {"--mechanism", "--max"}),
        ("coreloom-exclusive attach --mo", {"--move"}),
        ("coreloom-exclusive run --mo", set()),
        ("coreloom-exclusive plan attach --mo", {"--move"}),
        ("coreloom-exclusive plan att", {"attach"}),
        ("coreloom-exclusive plan --cpu 1 --a", {"--as"}),
        ("coreloom-exclusive run --smt ", {"idle", "share"}),
        ("coreloom-exclusive run --mechanism a", {"affinity"}),
        ("coreloom-exclusive status --p", {"--prometheus"}),
        ("coreloom-exclusive verify --j", {"--json"}),
        ("coreloom-exclusive verify --w", set()),
        ("coreloom-exclusive run --report FOLDER/on", {"FOLDER/one.txt"}),
        ("coreloom-exclusive run -- my-own-comm", {"my-own-command"}),
        ("coreloom-exclusive run --cpu 1 my-own-comm", {"my-own-command"}),
        ("coreloom-exclusive run my-own-command --m", set()),
        ("coreloom-exclusive attach 1", {"...", "1"}),
    ],
    "scx_dwrr": [
        ("scx_dwrr --s", {"--slice-us", "--sleepers-wait", "--stats"}),
        ("scx_dwrr --stats 1 --mo", {"--monitor"}),
    ],
    "lagmeter": [
        ("lagmeter --p", {"--pid", "--perfetto"}),
        ("lagmeter -t 5 --json FOLDER/on", {"FOLDER/one.txt"}),
        ("lagmeter -- my-own-comm", {"my-own-command"}),
        ("lagmeter -t 5 my-own-comm", {"my-own-command"}),
        ("lagmeter -p 1", {"...", "1"}),
    ],
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a file, and one with a command."""
    (tmp_path / "one.txt").touch()
    command = tmp_path / "bin" / "my-own-command"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    return tmp_path


def _path(place: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "TERM": "dumb", "HOME": str(place)}


def _check(offered: set[str], wanted: set[str]) -> bool:
    return wanted - {"..."} <= offered if "..." in wanted else offered == wanted


def _wrong(folder: str, place: Path, offer: Callable[[str], set[str]]) -> list[tuple[str, set[str]]]:
    wrong = []
    for line, wanted in _LINES[folder]:
        offered = offer(line.replace("FOLDER", str(place)))
        if not _check(offered, {word.replace("FOLDER", str(place)) for word in wanted}):
            wrong.append((line, offered))
    return wrong


def _bash(folder: str, name: str, place: Path, line: str) -> set[str]:
    """The words that bash would offer; = is a word of its own to it."""
    words = [word for one in line.split(" ") for word in re.split("(=)", one) if word or not one]
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        f"set -u; . {(_made(folder) / f'{name}.bash')}; COMP_WORDS=({quoted})\n"
        f"COMP_CWORD={len(words) - 1}; _{name.replace('-', '_')}; printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=_path(place),
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize(("folder", "name"), _PROGRAMS)
def test_bash_completes(folder: str, name: str, place: Path) -> None:
    assert _wrong(folder, place, partial(_bash, folder, name, place)) == []


@pytest.mark.parametrize(("folder", "name"), _PROGRAMS)
def test_bash_offers_each_option_where_it_is_taken(folder: str, name: str, place: Path) -> None:
    said = usage.load(folder)
    for mode, options in said.modes().items():
        line = " ".join([name, *mode.split(), "-"])
        assert _bash(folder, name, place, line) == {one for option in options for one in option.names}, mode
    values = {"--smt=i": {"idle"}, "--smt=": {"idle", "share"}, "--watch=1 --qu": {"--quiet"}}
    for begun, wanted in values.items() if folder == "exclusive" else ():
        assert _bash(folder, name, place, f"{name} run {begun}") == wanted


@pytest.mark.parametrize(("folder", "name"), _PROGRAMS)
def test_zsh_and_fish_have_the_options_of_the_help(folder: str, name: str) -> None:
    wanted = _options_of_help(usage.help_text(usage.load(folder)))
    of_zsh = (_made(folder) / f"_{name}").read_text()
    assert of_zsh.startswith(f"#compdef {name}\n")
    found = re.findall(r"^ +'(?:\([^)]*\))?(-[-\w]*\w)(=-|[=+]?)\[", of_zsh, re.MULTILINE)
    assert {(option, bool(value)) for option, value in found} == {
        (option, bool(value)) for option, value in wanted.items()
    }
    of_fish = (_made(folder) / f"{name}.fish").read_text()
    declared = [line.split('" ', 1)[1] for line in of_fish.splitlines() if '" -l ' in line or '" -s ' in line]
    names = {
        f"--{found}" if kind == "l" else f"-{found}"
        for line in declared
        for kind, found in re.findall(r"-([ls]) ([-\w]+)", line.split(" -d ")[0])
    }
    assert names == set(wanted)


@pytest.fixture(scope="module")
def fish() -> list[str]:
    root = debian.tree(["fish"])
    return debian.program("usr/bin/fish", root)


@pytest.mark.linux
@pytest.mark.parametrize(("folder", "name"), _PROGRAMS)
def test_fish_completes(folder: str, name: str, place: Path, fish: list[str]) -> None:
    file = _made(folder) / f"{name}.fish"
    share = debian.tree(["fish"]) / "usr/share/fish"

    def offer(line: str) -> set[str]:
        script = (
            f"set fish_function_path {share}/functions; set fish_complete_path {share}/completions\n"
            f"source {file}; complete -C '{line}'\n"
        )
        done = subprocess.run(
            [*fish, "--no-config", "-c", script],
            capture_output=True, text=True, timeout=60, check=True, env=_path(place),
        )  # fmt: skip
        assert done.stderr == ""
        found = {one.split("\t")[0] for one in done.stdout.splitlines()}
        # Behind what begins so, it lists what only contains it.
        return {one for one in found if one.startswith(line.split(" ")[-1])}

    assert _wrong(folder, place, offer) == []


# Matches are put down as they are shown; what only looks whether there are some is let through.
_ZSH_SETUP = r"""
setopt zle
autoload -Uz compinit
compinit -D -u
compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a found
    builtin compadd -A found "$@"
    print -rl -- $found >>ANSWER.part
  fi
  builtin compadd "$@"
}
offer() {
  : >ANSWER.part
  BUFFER=$line CURSOR=$#line
  zle complete-word
  mv ANSWER.part ANSWER
  BUFFER=
}
zle -N offer
bindkey '^X^O' offer
zstyle ':completion:*:processes' command 'ps -A'
setopt no_beep no_list_beep
"""


class _Zsh:
    """An interactive zsh; what it completes a line to is read from its buffer."""

    def __init__(self, place: Path, functions: Path) -> None:
        self.answer = place / "answer"
        root = debian.tree(["zsh"])
        (modules,) = (root / "usr/lib/x86_64-linux-gnu/zsh").iterdir()
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            command = [*debian.program("usr/bin/zsh", root), "-f", "-i", "+Z"]
            os.execve(command[0], command, _path(place))
        shared = root / "usr/share/zsh/functions"
        setup = place / "setup"
        setup.write_text(
            f"module_path=({modules}) fpath=({functions} {shared} {shared}/**/*(/))\n"
            f"{_ZSH_SETUP.replace('ANSWER', str(self.answer))}"
        )
        self._type(f"PS1= PS2=; source {setup}\n")

    def _type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def offer(self, line: str) -> set[str]:
        self.answer.unlink(missing_ok=True)
        self._type(f"line='{line}'\n\x18\x0f")
        deadline = time.monotonic() + 60
        said = b""
        while not self.answer.exists():
            if select.select([self.terminal], [], [], 0.05)[0]:
                said += os.read(self.terminal, 65536)
            assert time.monotonic() < deadline, said.decode(errors="replace")
        found = set(self.answer.read_text().split("\n")) - {""}
        folder = line.split(" ")[-1].rpartition("/")  # not said of a file
        return {f"{folder[0]}{folder[1]}{one}" for one in found}

    def close(self) -> None:
        os.close(self.terminal)
        os.waitpid(self.child, 0)


@pytest.fixture
def zsh(place: Path, request: pytest.FixtureRequest) -> Iterator[_Zsh]:
    functions = place / "functions"
    functions.mkdir()
    for folder, name in _PROGRAMS:
        (functions / f"_{name}").symlink_to(_made(folder) / f"_{name}")
    shell = _Zsh(place, functions)
    yield shell
    shell.close()


@pytest.mark.linux
@pytest.mark.parametrize("folder", usage.PROGRAMS)
def test_zsh_completes(folder: str, place: Path, zsh: _Zsh) -> None:
    assert _wrong(folder, place, zsh.offer) == []


@pytest.mark.linux
@pytest.mark.parametrize(("folder", "name"), _PROGRAMS)
def test_mandoc_has_nothing_to_say(folder: str, name: str) -> None:
    mandoc = debian.program("usr/bin/mandoc", debian.tree(["mandoc"]))
    page = _made(folder) / f"{name}.8"
    done = subprocess.run(
        [*mandoc, "-T", "lint", page], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    shown = subprocess.run(
        [*mandoc, "-T", "utf8", page], capture_output=True, text=True, timeout=60, check=True
    )
    plain = re.sub(".\b", "", shown.stdout)
    assert f"{name} - " in re.sub(r"\s+", " ", plain)
