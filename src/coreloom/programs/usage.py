# SPDX-License-Identifier: Apache-2.0
"""--help and the man page of the programs of linux/, made from linux/NAME/options.toml.

Texts are plain, with `this` for what is typed. {NAME} is a number that a header of the folder defines.
"""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom import __version__, licence
from coreloom.paths import LINUX
from coreloom.programs import registry

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Of linux/NAME: what the program is called where it is installed.
PROGRAMS = {name: "coreloom-exclusive" if name == "exclusive" else name for name in registry.PROGRAMS}
SECTION = 8
_HELP_COLUMNS = 110
_NOTE = "Generated from linux/{name}/options.toml; do not edit."


@dataclass(frozen=True)
class Option:
    names: tuple[str, ...]  # as --help shows them
    text: str
    details: str = ""  # only in the man page
    value: str = ""  # what stands for its value, if it takes one
    optional: bool = False  # the value may be left out, and comes behind = only
    of: tuple[str, ...] = ()  # commands it belongs to; "" = without a command; () = the program has none
    choices: tuple[str, ...] = ()  # what its value may be
    complete: str = ""  # else what it is: file, user, pid, cgroup


@dataclass(frozen=True)
class Group:
    options: tuple[Option, ...]
    title: str = ""


@dataclass(frozen=True)
class Command:
    name: str
    text: str
    complete: str = ""  # what its words are: command, pid
    before: tuple[
        str, ...
    ] = ()  # commands that may follow it, whose options it takes; the first if none does


@dataclass(frozen=True)
class Pair:
    """A line of a list: a name and its description."""

    name: str
    text: str = ""
    details: str = ""  # only in the man page


@dataclass(frozen=True)
class Program:
    folder: str  # of linux/
    name: str
    called: str  # in --help
    license: str
    date: str  # of the man page
    title: str
    usage: tuple[str, ...]
    description: str
    details: tuple[str, ...]  # only in the man page
    complete: str  # what its words are, if it has no commands
    commands: tuple[Command, ...]
    groups: tuple[Group, ...]
    examples: tuple[str, ...]
    exits: tuple[Pair, ...]
    environment: tuple[Pair, ...]
    files: tuple[Pair, ...]
    see: tuple[str, ...]

    @property
    def options(self) -> tuple[Option, ...]:
        return tuple(option for group in self.groups for option in group.options)

    @property
    def note(self) -> str:
        return _NOTE.format(name=self.folder)

    def modes(self) -> dict[str, tuple[Option, ...]]:
        """The options after each command, "plan attach" included; of "" those instead of a command."""
        if not self.commands:
            return {"": self.options}
        found = {"": self._options_of("")}
        for command in self.commands:
            found[command.name] = self._options_of(command.name, *command.before[:1])
            found |= {f"{command.name} {one}": self._options_of(command.name, one) for one in command.before}
        return found

    def words_of(self, mode: str) -> str:
        """The kind of the words of a mode: command, pid, or nothing that can be completed."""
        if not self.commands:
            return self.complete
        by_name = {command.name: command for command in self.commands}
        names = mode.split()
        if names and (before := by_name[names[-1]].before):
            names = [before[0]]
        return by_name[names[-1]].complete if names else ""

    def _options_of(self, *commands: str) -> tuple[Option, ...]:
        return tuple(option for option in self.options if set(option.of) & set(commands))


def load(folder: str) -> Program:
    """The content of linux/FOLDER/options.toml."""
    source = LINUX / folder / "options.toml"
    text = _with_numbers(source.read_text(), source.parent)
    data: dict[str, Any] = tomllib.loads(text)
    groups = tuple(
        Group(tuple(_option(one) for one in group["option"]), group.get("title", ""))
        for group in data["group"]
    )
    commands = tuple(
        Command(one["name"], one["text"], one.get("complete", ""), tuple(one.get("before", ())))
        for one in data.get("command", ())
    )
    return Program(
        folder,
        PROGRAMS[folder],
        data.get("called", PROGRAMS[folder]),
        data["license"],
        data["date"],
        data["title"],
        tuple(data["usage"]),
        data["description"],
        tuple(data.get("details", ())),
        data.get("complete", ""),
        commands,
        groups,
        tuple(one["line"] for one in data.get("example", ())),
        tuple(_pair(one, "status") for one in data["exit"]),
        tuple(_pair(one, "name") for one in data.get("environment", ())),
        tuple(_pair(one, "name") for one in data.get("file", ())),
        tuple(one["page"] for one in data.get("see", ())),
    )


def _option(data: dict[str, Any]) -> Option:
    return Option(
        tuple(data["names"]),
        data["text"],
        data.get("details", ""),
        data.get("value", ""),
        data.get("optional", False),
        tuple(data.get("for", ())),
        tuple(data.get("choices", ())),
        data.get("complete", ""),
    )


def _pair(data: dict[str, Any], name: str) -> Pair:
    return Pair(data[name], data.get("text", ""), data.get("details", ""))


def _with_numbers(text: str, folder: Path) -> str:
    headers = "".join(path.read_text() for path in sorted(folder.glob("*.h")) if path.name != "help.h")
    numbers = dict(re.findall(r"^#define (\w+) (\d+)\b", headers, re.MULTILINE))
    return re.sub(r"\{([A-Z]\w+)\}", lambda found: numbers.get(found[1], found[0]), text)


# --- --help ----------------------------------------------------------------------------------


def header(program: Program) -> str:
    """The C header with VERSION and help, the text of --help."""
    lines = [f"/* {licence.tag(program.license)}", " *", f" * {program.note} */"]
    lines += [f"#define VERSION {_c(__version__)}", "", "static const char help[] ="]
    lines += [f"    {_c(line)}" for line in help_text(program).splitlines(keepends=True)]
    return "\n".join(lines) + ";\n"


def _c(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def help_text(program: Program) -> str:
    """The text of --help."""
    starts = ["usage:", *["      "] * len(program.usage)]
    blocks = [
        [f"{start} {program.called} {line}" for start, line in zip(starts, program.usage, strict=False)],
        textwrap.wrap(_plain(program.description), _HELP_COLUMNS),
    ]
    if program.commands:
        width = max(len(command.name) for command in program.commands)
        blocks.append([f"  {one.name:<{width}}  {_plain(one.text)}" for one in program.commands])
    column = max(len(_shown(program, option)) for option in program.options) + 2
    for group in program.groups:
        lines = [f"{group.title}:"] if group.title else []
        for option in group.options:
            start = f"{_shown(program, option):<{column}}"
            lines += _hang(start, option.text, column)
        blocks.append(lines)
    if program.examples:
        blocks.append(["Examples:", *(f"  {line}" for line in program.examples)])
    ends = "; ".join(f"{one.name} {one.text}".strip() for one in program.exits)
    blocks.append(textwrap.wrap(_plain(f"Exit status: {ends}."), _HELP_COLUMNS))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _hang(start: str, text: str, column: int) -> list[str]:
    return textwrap.wrap(
        _plain(text),
        _HELP_COLUMNS,
        initial_indent=start,
        subsequent_indent=" " * column,
        break_on_hyphens=False,
    )


def _shown(program: Program, option: Option) -> str:
    """An option as --help lists it; long names stand below each other."""
    short = any(_is_short(one.names[0]) for one in program.options)
    indent = "      " if short and not _is_short(option.names[0]) else "  "
    value = f"[={option.value}]" if option.optional else f" {option.value}" if option.value else ""
    return f"{indent}{', '.join(option.names)}{value}"


def _is_short(name: str) -> bool:
    return not name.startswith("--")


def _plain(text: str) -> str:
    return text.replace("`", "")


# --- man page --------------------------------------------------------------------------------


def page_name(program: str) -> str:
    return f"{program}.{SECTION}"


def page(program: Program) -> str:
    """The man page, by the macros of man(7)."""
    name = _roff(program.name)
    lines = [
        f'.\\" {program.note}',
        f'.\\" {licence.tag(program.license)}',
        f'.TH {name.upper()} {SECTION} {program.date} "coreloom {__version__}" "Coreloom on Linux"',
        *_section("NAME", [f"{name} \\- {_roff(program.title)}"]),
        *_section("SYNOPSIS", _synopsis(program)),
    ]
    paragraphs = [_prose(text) for text in (program.description, *program.details)]
    lines += _section("DESCRIPTION", "\n.PP\n".join(paragraphs).splitlines())
    if program.commands:
        commands = [_tag(_bold(one.name), _prose(_sentence(one.text))) for one in program.commands]
        lines += _section("COMMANDS", [line for entry_lines in commands for line in entry_lines])
    lines.append(".SH OPTIONS")
    for group in program.groups:
        lines += [f".SS {_roff(group.title)}"] if group.title else []
        for option in group.options:
            lines += _tag(_declared(option), _prose(_said(program, option)))
    for title, pairs in (
        ("EXIT STATUS", program.exits),
        ("ENVIRONMENT", program.environment),
        ("FILES", program.files),
    ):
        if pairs:
            lines.append(f".SH {title}")
            for pair in pairs:
                text = " ".join(_sentence(part) for part in (pair.text, pair.details) if part)
                lines += _tag(_bold(pair.name), _prose(text) if text else "")
    if program.examples:
        examples = [_roff(line.replace(program.called, program.name)) for line in program.examples]
        lines += _section("EXAMPLES", [".nf", *examples, ".fi"])
    pages = [re.sub(r"^(.*)\((\d)\)$", r".BR \1 (\2)", _roff(one)) for one in program.see]
    lines += _section("SEE ALSO", [f"{one} ," for one in pages[:-1]] + pages[-1:])
    return "\n".join(lines) + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return [f".SH {title}", *lines]


def _synopsis(program: Program) -> list[str]:
    shown = [f"{_bold(program.name)} {_roff(line)}" for line in program.usage]
    return [".nf", *shown, ".fi"]


def _declared(option: Option) -> str:
    value = f"\\fI{_roff(option.value)}\\fR"
    value = f"[={value}]" if option.optional else f" {value}" if option.value else ""
    return ", ".join(_bold(name) for name in option.names) + value


def _said(program: Program, option: Option) -> str:
    parts = [option.text, option.details]
    commands = [name for name in option.of if name]
    if 0 < len(commands) < len(program.commands):
        parts.append(f"For {_listed([f'`{name}`' for name in commands])}")
    return " ".join(_sentence(part) for part in parts if part)


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _sentence(text: str) -> str:
    """Capitalise the first word, unless it is typed text, and end with a full stop."""
    start = text if re.match(r"\S*[-_:(`]", text) else text[:1].upper() + text[1:]
    return start if start.endswith(".") else f"{start}."


def _tag(head: str, text: str) -> list[str]:
    return [".TP", head, *(text.splitlines() if text else ["\\&"])]


def _prose(text: str) -> str:
    """A paragraph, each sentence on lines of its own."""
    sentences = re.split(r"(?<=\.) (?=[A-Z`])", text)
    lines = [line for one in sentences for line in textwrap.wrap(one, 72, break_on_hyphens=False)]
    escaped = "\n".join(_roff(line) for line in lines)
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", escaped)


def _bold(text: str) -> str:
    return f"\\fB{_roff(text)}\\fR"


def _roff(text: str) -> str:
    """Text that troff prints as is; hyphens become those that are typed."""
    for character, name in (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(character, name)
    return f"\\&{text}" if text.startswith(".") else text
