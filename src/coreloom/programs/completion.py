# SPDX-License-Identifier: Apache-2.0
"""Shell completion for bash, zsh and fish, made from what coreloom.programs.usage knows.

All three walk the words before the cursor to find the command they belong to, the option that needs a value,
and whether the user's own command has begun, which is then completed as one.
"""

from __future__ import annotations

import re

from coreloom import licence
from coreloom.programs.usage import Option, Program

# Completions of a value, by its kind: bash, zsh, fish.
_BASH = {
    "file": "_{id}_files",
    "user": 'mapfile -t COMPREPLY < <(compgen -u -- "$word")',
    "pid": 'mapfile -t COMPREPLY < <(cd /proc && compgen -W "$(echo [0-9]*)" -- "$word")',
    "cgroup": 'mapfile -t COMPREPLY < <(cd /sys/fs/cgroup && compgen -d -- "$word")',
}
_ZSH = {"file": "_files", "user": "_users", "pid": "_pids", "cgroup": "_files -W /sys/fs/cgroup -/", "": " "}
_FISH = {
    "file": "-F",
    "user": "-a '(__fish_complete_users)'",
    "pid": "-a '(__fish_complete_pids)'",
    "cgroup": "-a '(path basename /sys/fs/cgroup/*/)'",
    "": "",
}


def _head(program: Program) -> list[str]:
    return [f"# {program.note}", f"# {licence.tag(program.license)}"]


def _id(program: Program) -> str:
    return program.name.replace("-", "_")


def _text(option: Option) -> str:
    return option.text.replace("`", "")


def _single(text: str) -> str:
    """Quoted for a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _names(options: tuple[Option, ...]) -> list[str]:
    return [name for option in options for name in option.names]


def _needing(program: Program) -> list[str]:
    return _names(tuple(option for option in program.options if option.value and not option.optional))


def _with_values(program: Program) -> list[Option]:
    return [option for option in program.options if option.choices or option.complete]


def _seconds(program: Program) -> list[tuple[str, str]]:
    """Pairs of a command and one that may follow it."""
    return [(command.name, one) for command in program.commands for one in command.before]


def _same(said: dict[str, list[str]], separator: str) -> list[tuple[str, list[str]]]:
    """Patterns for a shell's case with their action; modes with the same action share a pattern."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for mode, lines in said.items():
        if lines:
            kinds.setdefault(tuple(lines), []).append(_single(mode))
    return [(separator.join(modes), list(lines)) for lines, modes in kinds.items()]


# --- bash ------------------------------------------------------------------------------------


def bash(program: Program) -> str:
    """A file for share/bash-completion/completions."""
    name, modes = _id(program), program.modes()
    running = [mode for mode in modes if program.words_of(mode) == "command"]
    lines = [
        *_head(program),
        "",
        f"_{name}_files() {{",
        "  compopt -o filenames 2>/dev/null",
        '  mapfile -t COMPREPLY < <(compgen -f -- "$word")',
        "}",
        "",
        "# The command that begins at word $1.",
        f"_{name}_command() {{",
        "  if declare -F _comp_command_offset >/dev/null; then _comp_command_offset $1",
        "  elif declare -F _command_offset >/dev/null; then _command_offset $1",
        '  elif (($1 == COMP_CWORD)); then mapfile -t COMPREPLY < <(compgen -c -- "$word")',
        f"  else _{name}_files; fi",
        "}",
        "",
        f"_{name}() {{",
        "  local word=${COMP_WORDS[COMP_CWORD]} of= due= at options= words=",
        "  COMPREPLY=()",
        "  for ((at = 1; at < COMP_CWORD; at++)); do",
        "    # bash takes = for a word of its own.",
        "    if [[ ${COMP_WORDS[at]} == = ]]; then due=${COMP_WORDS[at - 1]}; continue; fi",
        "    if [[ $due ]]; then due=; continue; fi",
        "    case $at:$of:${COMP_WORDS[at]} in",
    ]
    if program.commands:
        first = " | ".join(f"1::{command.name}" for command in program.commands)
        lines.append(f"      {first}) of=${{COMP_WORDS[at]}} ;;")
    lines += [f"      2:{one}:{two}) of='{one} {two}' ;;" for one, two in _seconds(program)]
    lines.append(
        f"      {' | '.join(f'*:{option}' for option in _needing(program))}) due=${{COMP_WORDS[at]}} ;;"
    )
    of_commands = [f"*:{_single(mode)}" for mode in running]
    if running:
        begun = " | ".join(f"{one}:--" for one in of_commands)
        lines.append(f"      {begun}) _{name}_command $((at + 1)); return ;;")
    lines.append("      *:-*) ;;")
    if running:
        begun = " | ".join(f"{one}:*" for one in of_commands)
        lines.append(f"      {begun}) _{name}_command $at; return ;;")
    lines += [
        "    esac",
        "  done",
        "  if [[ $word == = ]]; then due=${COMP_WORDS[COMP_CWORD - 1]} word=; fi",
        "  case $due in",
        "    '') ;;",
    ]
    for option in _with_values(program):
        words = " ".join(option.choices)
        how = (
            f'mapfile -t COMPREPLY < <(compgen -W {_single(words)} -- "$word")'
            if option.choices
            else _BASH[option.complete].replace("{id}", name)
        )
        lines.append(f"    {' | '.join(option.names)}) {how} ;;")
    lines += ["  esac", "  [[ $due ]] && return", "  case $of in"]
    known = {mode: [_bash_known(program, mode, options)] for mode, options in modes.items()}
    lines += [f"    {pattern}) {how} ;;" for pattern, (how,) in _same(known, " | ")]
    lines += [
        "  esac",
        '  if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word"); return; fi',
        "  case $of in",
    ]
    kinds = {mode: program.words_of(mode) for mode in modes}
    of_words = {mode: [_bash_words(name, kind)] if kind else [] for mode, kind in kinds.items()}
    lines += [f"    {pattern}) {how} ;;" for pattern, (how,) in _same(of_words, " | ")]
    lines += [
        "  esac",
        "  [[ $words ]] || return",
        '  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$word")',
        "}",
        f"complete -F _{name} {program.name}",
    ]
    return "\n".join(lines) + "\n"


def _bash_known(program: Program, mode: str, options: tuple[Option, ...]) -> str:
    words = [two for one, two in _seconds(program) if one == mode]
    if not mode:
        words = [command.name for command in program.commands]
    set_words = f" words={_single(' '.join(words))}" if words else ""
    return f"options={_single(' '.join(_names(options)))}{set_words}"


def _bash_words(name: str, kind: str) -> str:
    return f"_{name}_command $COMP_CWORD" if kind == "command" else _BASH[kind]


# --- zsh -------------------------------------------------------------------------------------


def zsh(program: Program) -> str:
    """A file for share/zsh/site-functions."""
    name, modes = _id(program), program.modes()
    lines = [f"#compdef {program.name}", *_head(program), "", f"_{name}() {{"]
    if not program.commands:
        specs = [spec for option in program.options for spec in _zsh_specs(option)]
        lines += [*_arguments([*specs, *_zsh_words(program, "")], "  "), "}", "", f'_{name} "$@"']
        return "\n".join(lines) + "\n"
    commands = " ".join(_single(f"{one.name}:{one.text}") for one in program.commands)
    top = [spec for option in modes[""] for spec in _zsh_specs(option)]
    lines += [
        "  local curcontext=$curcontext state state_descr line of ret=1",
        "  typeset -A opt_args",
        f"  local -a verbs=({commands})",
        *_arguments([*top, "'1:command:->command'", "'*:: :->words'"], "  ", "-C"),
        "  ret=$?",
        "  case $state in",
        "    command) _describe -t commands command verbs && ret=0; return ret ;;",
        "    words) ;;",
        "    *) return ret ;;",
        "  esac",
        "  of=$words[1]",
    ]
    for command in program.commands:
        if command.before:
            pattern = "|".join(command.before)
            lines += [
                f"  if [[ $of == {command.name} ]]; then",
                f"    if ((CURRENT == 2)); then compadd {' '.join(command.before)} && ret=0; fi",
                f"    if ((CURRENT > 2)) && [[ $words[2] == ({pattern}) ]]; then",
                '      of+=" $words[2]"',
                "      shift words",
                "      ((CURRENT--))",
                "    fi",
                "  fi",
            ]
    lines.append("  case $of in")
    said = {
        mode: [*(spec for option in options for spec in _zsh_specs(option)), *_zsh_words(program, mode)]
        for mode, options in modes.items()
        if mode
    }
    for pattern, words in _same(said, " | "):
        lines += [f"    {pattern})", *_arguments(words, "      "), "      ;;"]
    lines += ["  esac && ret=0", "  return ret", "}", "", f'_{name} "$@"']
    return "\n".join(lines) + "\n"


def _arguments(specs: list[str], indent: str, flags: str = "-s -S") -> list[str]:
    lines = [f"{indent}_arguments {flags}", *(f"{indent}  {spec}" for spec in specs)]
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def _zsh_words(program: Program, mode: str) -> list[str]:
    kind = program.words_of(mode)
    if kind == "command":
        return ["'(-):command: _command_names -e'", "'*::argument: _normal'"]
    return [f"'*: :{_ZSH[kind]}'"] if kind else []


def _zsh_specs(option: Option) -> list[str]:
    """A specification for each name; the names exclude each other."""
    text = re.sub(r"([\[\]:\\])", r"\\\1", _text(option))
    action = f"({' '.join(option.choices)})" if option.choices else _ZSH[option.complete]
    value = f":{option.value.replace(':', ' ')}:{action}" if option.value else ""
    others = f"({' '.join(option.names)})" if option.names[1:] else ""
    specs = []
    for name in option.names:
        how = "" if not option.value else "+" if len(name) == 2 else "=-" if option.optional else "="
        optional = ":" if option.optional else ""
        specs.append(_single(f"{others}{name}{how}[{text}]{optional}{value}"))
    return specs


# --- fish ------------------------------------------------------------------------------------


def fish(program: Program) -> str:
    """A file for share/fish/vendor_completions.d."""
    name, modes = _id(program), program.modes()
    running = [mode for mode in modes if program.words_of(mode) == "command"]
    call = f"complete -c {program.name}"
    lines = [
        *_head(program),
        "",
        "# By the words before the cursor: `of COMMAND`, or `at N` if the user's command is word N.",
        f"function __{name}_state",
        "    set -l words (commandline -opc)",
        "    set -l of ''",
        "    set -l due 0",
        "    for at in (seq 2 (count $words))",
        "        set -l word $words[$at]",
        "        if test $due = 1",
        "            set due 0",
        "            continue",
        "        end",
        '        switch "$at:$of:$word"',
    ]
    if program.commands:
        lines += [
            f"            case {' '.join(f'2::{command.name}' for command in program.commands)}",
            "                set of $word",
        ]
    for one, two in _seconds(program):
        lines += [f"            case '3:{one}:{two}'", f"                set of '{one} {two}'"]
    needing = " ".join(_single(f"*:{option}") for option in _needing(program))
    lines += [f"            case {needing}", "                set due 1"]
    if running:
        lines += [
            f"            case {' '.join(_single(f'*:{mode}:--') for mode in running)}",
            "                echo at (math $at + 1)",
            "                return",
        ]
    lines += ["            case '*:-*'"]
    if running:
        lines += [
            f"            case {' '.join(_single(f'*:{mode}:*') for mode in running)}",
            "                echo at $at",
            "                return",
        ]
    lines += ["        end", "    end", '    echo "of $of"', "end", ""]
    lines += [
        f"function __{name}_is",
        f"    contains -- (__{name}_state) $argv",
        "end",
        "",
    ]
    if running:
        lines += [
            "# As if the user's command alone were there.",
            f"function __{name}_command",
            f"    set -l state (string split ' ' -- (__{name}_state))",
            "    set -l words (commandline -opc)",
            "    set -l begin",
            "    if test $state[1] = at",
            "        set begin (string escape -- $words[$state[2]..-1])",
            "    end",
            "    set -l line (string join ' ' -- $begin (commandline -ct))",
            "    string match -q -- '-*' $line; or complete \"-C$line\"",
            "end",
            "",
        ]
    lines.append(f"{call} -f")
    for command in program.commands:
        places = [_single("of ")]
        lines.append(f"{call} -n {_condition(name, places)} -a {command.name} -d {_fish(command.text)}")
        if command.before:
            text = " ".join(command.before)
            lines.append(f"{call} -n {_condition(name, [_single(f'of {command.name}')])} -a {_fish(text)}")
    for option in program.options:
        if not program.commands:
            places = ["'of '"]
        else:
            places = [_single(f"of {mode}") for mode, options in modes.items() if option in options]
        words = [f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in option.names]
        how = f"{' '.join(words)}{_fish_value(option)} -d {_fish(_text(option))}"
        lines.append(f"{call} -n {_condition(name, places)} {how}")
    kinds = {kind for mode in modes if (kind := program.words_of(mode)) and kind != "command"}
    for kind in sorted(kinds):
        places = [_single(f"of {mode}") for mode in modes if program.words_of(mode) == kind]
        lines.append(f"{call} -n {_condition(name, places)} {_FISH[kind]}")
    if running:
        before = " ".join(_single(f"of {mode}") for mode in running)
        test = f"string match -q 'at *' (__{name}_state); or __{name}_is {before}"
        lines.append(f'{call} -n "{test}" -a "(__{name}_command)"')
    return "\n".join(lines) + "\n"


def _condition(name: str, places: list[str]) -> str:
    return f'"__{name}_is {" ".join(places)}"'


def _fish_value(option: Option) -> str:
    if not option.value or option.optional:
        return ""
    if option.choices:
        return f" -x -a {_fish(' '.join(option.choices))}"
    need = "-r" if option.complete == "file" else "-x"
    return f" {need} {_FISH[option.complete]}".rstrip()


def _fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
