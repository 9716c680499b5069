# SPDX-License-Identifier: Apache-2.0
"""What is kept is found again from everywhere, and only where nothing that matters has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom import packages
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.paths import ROOT
from coreloom.toolchain import application, cache, elf, firmware, yosys, yowasp, zig

_DESIGN = """
`include "inner.svh"
module top (input logic clk_i, output logic q_o);
  initial $readmemh("words.hex", memory);
endmodule
"""


@pytest.fixture
def design(tmp_path: Path) -> Path:
    folder = tmp_path / "design"
    (folder / "more").mkdir(parents=True)
    (folder / "top.sv").write_text(_DESIGN)
    (folder / "inner.svh").write_text("`define A 1\n")
    (folder / "words.hex").write_text("01\n")
    (folder / "more" / "unit.sv").write_text("module unit; endmodule\n")
    return folder


def key(folder: Path, script: str = "read_slang --top top -GA=1 -I{0}/more {0}/top.sv\nproc\n") -> str | None:
    return yosys.result_key(script.format(folder), "1.0")


def test_place_does_not_count_for_yosys(design: Path, tmp_path: Path) -> None:
    there = tmp_path / "there" / "design"
    shutil.copytree(design, there)
    assert key(design) == key(there) is not None


@pytest.mark.parametrize("name", ["top.sv", "inner.svh", "words.hex", "more/unit.sv"])
def test_each_file_counts_for_yosys(design: Path, name: str) -> None:
    """Given, included, read by the design, in a folder that is searched."""
    first = key(design)
    with (design / name).open("a") as file:
        file.write("\n")
    assert key(design) != first


def test_each_word_and_the_version_count_for_yosys(design: Path) -> None:
    script = "read_slang --top top -GA=1 -I{0}/more {0}/top.sv\nproc\n"
    keys = {key(design, script)}
    changes = (("A=1", "A=2"), ("A=1", "A 1"), ("proc", ""))
    keys |= {key(design, script.replace(*change)) for change in changes}
    keys.add(yosys.result_key(script.format(design), "1.1"))
    assert len(keys) == 5


@pytest.mark.parametrize("effect", ["write_json x", "tee -o x stat", "sat -dump_vcd x", "abc", "stat -o x"])
def test_a_script_with_effects_is_not_kept(design: Path, effect: str) -> None:
    assert key(design, f"read_slang {{0}}/top.sv\n{effect}\n") is None


@pytest.mark.parametrize("shown", ["sat -show a", "sat -show-inputs"])
def test_what_a_script_prints_is_kept(design: Path, shown: str) -> None:
    assert key(design, f"read_slang {{0}}/top.sv\n{shown}\n")


def test_a_result_is_kept_unless_yosys_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))
    monkeypatch.setattr(yowasp, "find", lambda tool, setup: Path(tool))
    monkeypatch.setattr(yowasp, "version", lambda tool, setup: "1.0")
    runs: list[str] = []

    def run(script: str, setup: str) -> yosys.YosysResult:
        runs.append(script)
        return {
            "good": yosys.YosysResult(0, "fine"),
            "refuted": yosys.YosysResult(1, "SAT proof did fail"),
            "broken": yosys.YosysResult(1, "out of memory"),
        }[script]

    monkeypatch.setattr(yosys, "_run", run)
    for script, times in (("good", 1), ("refuted", 1), ("broken", 2)):
        results = [yosys.run(script), yosys.run(script)]
        assert results[0] == results[1]
        assert runs.count(script) == times


@pytest.mark.parametrize(
    ("log", "error"),
    [
        ("Build succeeded: 0 errors, 0 warnings\n5. Executing ABC9.\n", "it ended with status 1"),
        ("Build succeeded: 0 errors\n\nERROR: no such module\n", "ERROR: no such module"),
        (
            "a.sv:1:2: error: unknown 'x'\nBuild failed: 1 error\nERROR: stop\n",
            "a.sv:1:2: error: unknown 'x'",
        ),
    ],
)
def test_what_yosys_says_of_a_failure(
    log: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yosys, "run", lambda script, extra: yosys.YosysResult(1, log))
    with pytest.raises(UserError) as refused:
        yosys.build("", "synth", "cl_x", tmp_path)
    place = tmp_path / "failed-cl_x.log"
    assert str(refused.value) == f"Yosys cannot build cl_x: {error} (all of it in {place})"
    assert place.read_text() == log


def test_place_does_not_count_for_firmware(tmp_path: Path) -> None:
    file = tmp_path / "main.c"
    file.write_text("int main(void) { return 0; }\n")
    assert zig.digest([f"-I{ROOT}/rtl"], [file]) == zig.digest(["-IROOT/rtl"], [file])
    assert zig.digest([f"-I{ROOT}2/rtl"], [file]) != zig.digest(["-IROOT2/rtl"], [file])
    first = zig.digest(["-O2"], [file])
    assert zig.digest(["-O1"], [file]) != first
    file.write_text("int main(void) { return 1; }\n")
    assert zig.digest(["-O2"], [file]) != first


def test_another_checkout_finds_the_firmware(tmp_path: Path) -> None:
    """The whole of it, as a copy of this checkout would ask for it."""
    data = ("rtl/ipc", "rtl/kernel/data", "rtl/hwt/data", "rtl/soc/data")
    for folder in ("src", "runtime", "policies", *data):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / "copy" / folder, ignore=ignored)
    code = (
        "from coreloom.paths import RUNTIME\n"
        "from coreloom.toolchain import application, cache, libc, link\n"
        "cache.made = lambda entry, make: entry\n"
        "print(libc.libc())\n"
        "print(link.Link('loader', application.Application('loader', (), ()), [RUNTIME / 'sw'],\n"
        "      RUNTIME / 'arch' / 'link.ld', {'A': 1}, too_large={}).elf())\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(root / "src"), cache.FOLDER: str(tmp_path / "cache")},
        ).stdout
        for root in (ROOT, tmp_path / "copy")
    }
    assert len(said) == 1


def test_place_of_the_cache_does_not_count_for_freertos(tmp_path: Path) -> None:
    """Its sources are there."""
    code = (
        "from coreloom.toolchain import application, cache, firmware\n"
        "from coreloom.design import platform\n"
        "cache.made = lambda entry, make: entry\n"
        "soc = platform.load('smp-standard', 2)\n"
        "print(firmware.build('image', soc, 'freertos').parent.name)\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), cache.FOLDER: str(tmp_path / name)},
        ).stdout
        for name in ("here", "there")
    }
    assert len(said) == 1


def test_compiler_counts_for_firmware(monkeypatch: pytest.MonkeyPatch) -> None:
    first = zig.digest([], [])
    version = packages.version
    monkeypatch.setattr(packages, "version", lambda name: "0.0" if name == "ziglang" else version(name))
    assert zig.digest([], []) != first


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("#include <stdio.h>\n # include <sys/stat.h>\nint main(void) {}\n", True),
        ('#include "a.h"\n', False),
        ("#inc\\\nlude <a.h>\n#include MACRO\n", False),
        ("%:include <a.h>\n", False),
        ("#/**/include <a.h>\n", False),
        ("#if __has_include(<a.h>)\n#endif\n", False),
        ("#import <a.h>\n", False),
        ("char a[] = {\n#embed <a.h>\n};\n", False),
        ("/*\n#include <a.h>\n*/\n", True),
    ],
)
def test_a_program_that_may_include_others_headers_is_compiled_to_find_them(text: str, alone: bool) -> None:
    assert application._only_ours(text) == alone


def test_a_changed_header_of_a_user_makes_another_program(tmp_path: Path) -> None:
    """Also where a folder of his has a header with the name of one of ours."""
    program = tmp_path / "plain.c"
    program.write_text("#include <unistd.h>\nint main(void) { return VALUE; }\n")
    chosen = platform.load("smp-standard", 1)

    def built(value: int) -> Path:
        (tmp_path / "unistd.h").write_text(f"#define VALUE {value}\n")
        return firmware.build(application.of_user([program], [f"-I{tmp_path}"]), chosen, "hw")

    assert built(1) != built(2)


def test_a_changed_header_of_ours_compiles_a_program_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, header = tmp_path / "plain.c", tmp_path / "runtime" / "include" / "ours.h"
    header.parent.mkdir(parents=True)
    program.write_text("#include <ours.h>\nint main(void) { return VALUE; }\n")
    monkeypatch.setattr(application, "RUNTIME", tmp_path / "runtime")

    def compiled(value: int) -> Path:
        header.write_text(f"#define VALUE {value}\n")
        app = application.of_user([program], [])
        flags = ["-target", "riscv32-freestanding-none", f"-I{header.parent}"]
        return application.objects(app, flags, {program: []}, (), [])[0]

    assert compiled(1) != compiled(2)


def test_macros_of_an_application_are_not_those_of_the_runtime(tmp_path: Path) -> None:
    """Otherwise the source would be compiled again for each of them; with this one it could not be."""
    program = tmp_path / "plain.c"
    program.write_text("int main(void) { return VALUE; }\n")
    chosen = platform.load("smp-standard", 1)
    assert firmware.build(str(program), chosen, "hw", {"VALUE": 3, "static": "none"}).is_file()
    with pytest.raises(UserError, match="none"):
        firmware.build(str(program), chosen, "hw", {"VALUE": 3, "CL_THREADS": "none"})


def test_flat_image_is_that_of_objcopy(tmp_path: Path) -> None:
    """With a gap, and an empty section at its end up to which the image is padded."""
    (tmp_path / "code.S").write_text(
        ".globl _start\n.text\n_start: .word 0x12345678, 0x12345678\n.data\n.byte 7\n.bss\n.space 40\n"
        '.section .last, "aw", @progbits\n'
    )
    (tmp_path / "link.ld").write_text(
        "SECTIONS {\n .text 0x40000000 : { *(.text) }\n .data 0x40000100 : { *(.data) }\n"
        " .last 0x40000110 : { *(.last) . = .; }\n .bss 0x40000200 (NOLOAD) : { *(.bss) }\n}\n"
    )
    command = [*zig.cc(), "-target", "riscv32-freestanding-none", "-nostdlib", "-Wl,-T,link.ld"]
    zig.run([*command, "code.S", "-o", "code.elf"], "code", tmp_path)
    image = elf.flat(tmp_path / "code.elf")
    assert image[4:8] == bytes.fromhex("78563412")
    assert image[8:256] == bytes(248)
    assert image[256] == 7
    assert len(image) in (257, 272)
