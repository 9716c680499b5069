# SPDX-License-Identifier: Apache-2.0
"""Static programs: what they are, that a change makes another one, and what a mistake says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

from coreloom.errors import UserError
from coreloom.programs import bpf, exclusive
from coreloom.toolchain import native

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
        assert not any(segment["p_type"] == "PT_INTERP" for segment in elf.iter_segments())
        # The program relocates itself, as it may be loaded anywhere.
        (dynamic,) = (segment for segment in elf.iter_segments() if isinstance(segment, DynamicSegment))
        assert not any(tag.entry.d_tag == "DT_NEEDED" for tag in dynamic.iter_tags())


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


# Reads the guard that lies before a return address, at fs:0x28: the programs without it have none of these.
_GUARD = bytes.fromhex("64488b042528000000")


@pytest.mark.parametrize("name", ["exclusive", "scx_dwrr", "lagmeter"])
def test_what_runs_as_root_is_hardened(name: str) -> None:
    program = exclusive.program() if name == "exclusive" else bpf.program(name)
    with program.open("rb") as file:
        elf = ELFFile(file)
        segments = {segment["p_type"]: segment for segment in elf.iter_segments()}
        assert elf["e_type"] == "ET_DYN"
        assert "PT_GNU_RELRO" in segments
        assert segments["PT_GNU_STACK"]["p_flags"] & 1 == 0, "the stack can be executed"
        assert not any(segment["p_flags"] & 3 == 3 for segment in elf.iter_segments("PT_LOAD")), (
            "something is both writable and executable"
        )
        dynamic = segments["PT_DYNAMIC"]
        assert isinstance(dynamic, DynamicSegment)
        tags = {tag["d_tag"]: tag["d_val"] for tag in dynamic.iter_tags()}
        assert tags["DT_FLAGS"] & 8, "BIND_NOW"
        assert tags["DT_FLAGS_1"] & 0x08000001 == 0x08000001, "NOW, PIE"
        imports = {symbol.name for symbol in dynamic.iter_symbols()}
        if name == "exclusive":  # static: it needs no library, so nothing is imported
            assert "PT_INTERP" not in segments
            assert "DT_NEEDED" not in tags
            assert _GUARD in program.read_bytes()
        else:
            assert {"__stack_chk_fail", "__snprintf_chk"} <= imports
