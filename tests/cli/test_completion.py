# SPDX-License-Identifier: Apache-2.0
"""`coreloom completion`: what the shells offer."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from coreloom import cli
from coreloom.apps import APPS
from coreloom.benches import registry
from coreloom.commands import completion, lists
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.toolchain import debian, firmware

from .command import run

FILES = {"mine.c", "mine.toml", "sub/"}
PLATFORMS = set(platform.names())
# Words before the cursor, the last of them begun, and what is offered in a folder that has FILES.
OFFERED: dict[str, set[str]] = {
    "": {command.name for command in cli.commands()},
    "ben": {"bench"},
    "bench ": {"all", "stale", *(name for name in registry.benches() if name != "synth")},
    "bench smp --": {"--help", "--quick", "--dask", "--against", "--window", "--freertos", "--wide"},
    "run ": {*APPS, "mine.c", "sub/"},
    "run mi": {"mine.c"},
    "run image --pl": {"--platform", "--placement"},
    "run image --ports ": {"buffered", "direct"},
    "run mine.c --platform ": {*PLATFORMS, "mine.toml", "sub/"},
    "run mine.c --on sw --platform smp": {name for name in PLATFORMS if name.startswith("smp")},
    "run mine.c --on ": {*firmware.GROUNDS, "linux"},
    "run mine.c --policy d": {"dwrr", "dynamic"},
    "doctor --platform ": PLATFORMS,
    "list p": {"platforms", "policies"},
    "list ": set(lists.KINDS),
    "model --policy r": {"ring"},
    "synth cl_lock": {"cl_lock_unit"},
    "completion ": {"bash", "zsh", "fish"},
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.c").touch()
    (tmp_path / "mine.toml").touch()
    (tmp_path / "sub").mkdir()
    return tmp_path


def written(capsys: pytest.CaptureFixture[str], shell: str, path: Path) -> Path:
    code, text, said = run(capsys, "completion", shell)
    assert (code, said) == (0, "")
    path.write_text(text)
    return path


def wrong(offer: Callable[[str], set[str]]) -> dict[str, set[str]]:
    found = {line: offer(line) for line in OFFERED}
    return {line: words for line, words in found.items() if words != OFFERED[line]}


def test_bash_completes(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    file = written(capsys, "bash", place / "sub" / "coreloom")

    def offer(line: str) -> set[str]:
        words = ["coreloom", *line.split(" ")]
        quoted = " ".join(f"'{word}'" for word in words)
        script = (
            f". {file}\nCOMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}\n"
            "$(complete -p coreloom | sed 's/.*-F \\([^ ]*\\).*/\\1/')\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
        )
        done = subprocess.run(
            ["bash", "--norc", "-c", script], capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stderr == ""
        return set(done.stdout.split())

    assert wrong(offer) == {}


def installed(shell: str) -> Path:
    """The folder with a shell of Debian's, which need not be installed here."""
    try:
        return debian.tree([shell])
    except UserError as error:
        pytest.skip(f"no {shell}: {error}")


@pytest.mark.linux
def test_fish_completes(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    root = installed("fish")
    file, share = written(capsys, "fish", place / "sub" / "coreloom.fish"), root / "usr/share/fish"

    def offer(line: str) -> set[str]:
        script = (
            f"set fish_function_path {share}/functions; set fish_complete_path {share}/completions\n"
            f"source {file}; complete -C 'coreloom {line}'\n"
        )
        done = subprocess.run(
            [*debian.program("usr/bin/fish", root), "--no-config", "-c", script],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        found = {one.split("\t")[0] for one in done.stdout.splitlines()}
        # Of files it also offers those that end otherwise, last.
        return {one for one in found if one.startswith(line.split(" ")[-1])} - FILES | FILES & OFFERED[line]

    assert wrong(offer) == {}


@pytest.mark.linux
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_script_is_well_formed(capsys: pytest.CaptureFixture[str], tmp_path: Path, shell: str) -> None:
    command = debian.program(f"usr/bin/{shell}", installed(shell))
    file = written(capsys, shell, tmp_path / "script")
    done = subprocess.run([*command, "-n", str(file)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_zsh_and_fish_have_every_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for shell in ("zsh", "fish"):
        text = written(capsys, shell, tmp_path / shell).read_text()
        missing = [
            name
            for name in (*PLATFORMS, *APPS, *firmware.policies(), *registry.benches(), *lists.KINDS)
            if name not in text
        ]
        assert missing == []


def test_every_word_is_completed_that_is_a_name() -> None:
    """What is left is free text, or numbers."""
    root = cli.parser()
    completion.script(root, "bash")
    free = {
        f"{verb} {action.dest}"
        for verb, action in completion.arguments(root)
        if action.nargs != 0
        and not action.choices
        and not hasattr(action, "complete")
        and action.type is None
        and action.dest not in ("dask", "against")  # an address, a revision
    }
    assert free == {
        *(
            f"{program} words"
            for program in ("cc", "ar", "ranlib", "exclusive", "scx_dwrr", "lagmeter", "vm")
        ),
        *("vm package", "vm program"),
        # Cycles, threads' names and paths in a design.
        *(f"{verb} waves_{what}" for verb in ("run", "debug") for what in ("from", "to", "scope")),
    }


def test_without_shtab_it_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    line = "coreloom: error: shtab is not installed: run `make setup`\n"
    assert run(capsys, "completion", "bash") == (1, "", line)
