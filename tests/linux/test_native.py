"""Static programs: what they are, that a change makes another one, and what a mistake says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from coreloom.errors import UserError
from coreloom.linux import native

_PROGRAM = '#include <stdio.h>\n#include "word.h"\nint main(void) { return puts(WORD) < 0; }\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "word.h").write_text('#define WORD "one"\n')
    path = tmp_path / "say.c"
    path.write_text(_PROGRAM)
    return path


def _says(program: Path) -> str:
    return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout


def test_a_program_needs_no_library(source: Path) -> None:
    program = native.static("say", [source])
    assert program.name == "say"
    assert _says(program) == "one\n"
    with program.open("rb") as file:
        elf = ELFFile(file)
        assert elf["e_machine"] == "EM_X86_64"
        assert not any(segment["p_type"] in ("PT_INTERP", "PT_DYNAMIC") for segment in elf.iter_segments())


def test_a_changed_header_makes_another_program(source: Path) -> None:
    before = native.static("say", [source])
    assert native.static("say", [source]) == before
    (source.parent / "word.h").write_text('#define WORD "two"\n')
    after = native.static("say", [source])
    assert (_says(before), _says(after)) == ("one\n", "two\n")


def test_a_warning_is_an_error(source: Path) -> None:
    source.write_text("int main(void) { long wide = 1L << 40; int narrow = wide; return narrow; }\n")
    with pytest.raises(UserError, match=r"^say does not compile:\n.*say.c:1:"):
        native.static("say", [source])
