# SPDX-License-Identifier: Apache-2.0
"""gcc's command line, as `coreloom cc` reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.toolchain import driver


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.c", "b.c", "s.S", "o.o", "x.a", "c.cpp", "words"):
        Path(name).touch()
    Path("folder").mkdir()
    Path("words").write_text("-DX='a b' @more\n")
    Path("more").write_text("b.c\n")
    Path("circle").write_text("@circle")


def parse(line: str, **environment: str) -> driver.Request:
    return driver.parse(line.split(), environment)


@pytest.mark.parametrize(
    ("line", "mode", "flags", "inputs", "output"),
    [
        ("-c a.c", "-c", "", "a.c", None),
        ("-Wall -O0 -c a.c -o out/a.o", "-c", "-Wall -O0", "a.c", "out/a.o"),
        ("-E -DX=1 -D Y -Iinc -I more -isystem s -include a.h a.c", "-E",
         "-DX=1 -D Y -Iinc -I more -isystem s -include a.h", "a.c", None),
        ("a.c o.o x.a -lfoo -L. -lm", "link", "", "a.c o.o x.a -lfoo -L. -lm", None),
        ("a.c -oprog -pthread -lpthread -lrt -lc -static -pipe -s -fPIC -flto", "link", "",
         "a.c -lpthread -lrt -lc", "prog"),
        ("o.o -Wl,--gc-sections,-Map,x.map -Wl,--wrap=malloc -Xlinker -rpath", "link", "",
         "o.o -Wl,--gc-sections,-Map,x.map -Wl,--wrap=malloc", None),
        ("-MMD -MP -MF a.d -MT a.o -c a.c", "-c", "-MMD -MP -MF a.d -MT a.o", "a.c", None),
        ("-MM a.c", "-M", "-MM", "a.c", None),
        ("-S -std=c23 a.c", "-S", "-std=c23", "a.c", None),
    ],
)  # fmt: skip
def test_a_command_line(line: str, mode: str, flags: str, inputs: str, output: str | None) -> None:
    asked = parse(line)
    assert (asked.mode, asked.flags, asked.inputs, asked.output) == (
        mode,
        flags.split(),
        inputs.split(),
        output,
    )


def test_a_library_is_the_archive_in_a_folder_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """util is a library of each program, but not where the user has one of this name."""
    monkeypatch.chdir(tmp_path)
    for folder, name in (("a", "libutil.a"), ("b", "libutil.a"), ("b", "libx.a")):
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / name).touch()
    for given, linked in (
        ("o.o -lutil -La -lpthread -Lb", "o.o a/libutil.a -La -Lb"),
        ("o.o -lx -l:libx.a -ly -L. -Lb", "o.o b/libx.a b/libx.a -ly -L. -Lb"),
        ("o.o -lutil -lm", "o.o -lm"),
        ("o.o -Wl,-Map,x.map,--wrap=f", "o.o -Wl,--wrap=f"),
    ):
        assert list(driver.linked(given.split())) == linked.split()


def test_of_the_sanitizers_those_are_kept_that_need_no_library() -> None:
    asked = parse("-fsanitize=address,undefined -c a.c -fsanitize=thread")
    assert asked.flags == ["-fsanitize=undefined", "-fsanitize-trap=undefined"]
    assert asked.notes == [
        "-fsanitize=undefined ends the program at what it finds, by an illegal instruction",
        "-fsanitize=address is ignored: `coreloom run --check` finds misuse of the heap",
        "-fsanitize=thread is ignored: `coreloom run --check` finds misuse of the heap",
    ]


def test_languages_are_by_name_or_by_x() -> None:
    assert parse("-c a.c s.S").languages == {0: "c", 1: "assembler-with-cpp"}
    assert parse("-E -x c words -x none b.c o.o").languages == {0: "c", 1: "c"}
    assert parse("-E -").languages == {0: "c"}


def test_words_in_a_file_stand_for_it() -> None:
    asked = parse("-c @words a.c")
    assert (asked.flags, asked.inputs) == (["-DX=a b"], ["b.c", "a.c"])


def test_platform_and_kernel_are_options_or_variables() -> None:
    assert parse("--platform smp-fast --cpus=3 --kernel sw --policy dwrr -c a.c").settings == {
        **{"--platform": "smp-fast", "--cpus": "3", "--on": "sw", "--policy": "dwrr"}
    }
    environment = {"CORELOOM_PLATFORM": "amp-economy", "CORELOOM_ON": "linux", "CORELOOM_CPUS": ""}
    assert parse("--on hw a.c", **environment).settings == {"--platform": "amp-economy", "--on": "hw"}


def test_the_machine_is_what_it_is() -> None:
    asked = parse("-march=native -m32 -c a.c")
    assert asked.flags == []
    assert asked.notes == [
        "-march=native is ignored: every core of Coreloom has the same instructions (rv32im)",
        "-m32 is ignored: every core of Coreloom has the same instructions (rv32im)",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("none.c", "there is no file none.c: check the path"),
        ("folder", "folder is a folder: give the files in it"),
        ("@none", "there is no file none for @none: check the path"),
        ("@circle", "@circle includes itself: remove it from circle"),
        ("a.c -o", "-o needs a value after it"),
        ("c.cpp", "c.cpp is C++, which Coreloom does not compile: write it in C"),
        ("-x c++ a.c", "Coreloom does not compile C++: write it in C"),
        ("-x ada a.c", "-x ada: unknown language, choose one of assembler, assembler-with-cpp, c, c-header, "
         "cpp-output, none"),
        ("-shared a.c", "-shared makes a shared library, and a program here is linked as a whole: build an "
         "archive with `coreloom ar`"),
        ("-T x.ld a.c", "-T x.ld is a linker script, and the platform has its own: leave it out"),
        ("-c a.c b.c -o x.o", "-c -o x.o has 2 sources: give one, or leave -o out"),
        ("-c - ", "- stands for stdin: give its language by -x"),
        ("-c a.c -MF a.d", "-MF comes with -M, -MM, -MD or -MMD: add one of them"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(line: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        parse(line)
    assert str(error.value) == said
