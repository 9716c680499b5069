# SPDX-License-Identifier: Apache-2.0
"""`coreloom compare`: its table, its page, and programs that cannot be compared."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from coreloom.comparison import compare
from coreloom.comparison.compare import Answer, Run
from coreloom.paths import ROOT

from .command import run

PINGPONG = f"{ROOT}/examples/pingpong.c"
RACE = """
#include <coreloom.h>
#include <stdio.h>
int main(void) { printf("first\\n%s\\n", coreloom_features()->kernel); return 0; }
"""
STATUS = "int main(void) { return 3; }\n"
FAULT = "int main(void) { return *(volatile int *)0x10; }\n"


@pytest.mark.runtime
def test_both_kernels_on_one_and_two_cpus_and_linux(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    code, out, err = run(capsys, "compare", PINGPONG, "--on", "hw,sw,linux", "--html", str(page))
    assert (code, err) == (0, f"page: {page}\n")
    count = r" +[\d ]+\d"
    table = [line for line in out.splitlines() if line]
    assert table[0] == "pingpong on smp-standard: cycles (* the fewest)"
    assert table[1].split() == ["1", "CPU", "2", "CPUs"]
    assert re.fullmatch(rf"hardware kernel{count} \*{count} \*", table[2])
    assert re.fullmatch(rf"software kernel{count}{count} *", table[3])
    assert table[4].split() == ["Linux,", "this", "machine", "-", "-"]
    shares = r"program \d+ %, kernel \d+ %, library \d+ %, waiting \d+ %; bus busy \d+ %"
    for line, name in zip(table[5:9], ("hardware", "hardware", "software", "software"), strict=True):
        assert re.fullmatch(rf"{name} kernel, [12] CPUs?: {shares}", line)
    times = r"[\d.]+ times"
    said = rf"The hardware kernel is {times} as fast as the software kernel with 1 CPU, {times} with 2 CPUs"
    assert re.fullmatch(said, table[9])
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) < 2_000_000
    assert text.count('<svg class="time"') == 4
    assert "sem_wait(&amp;ping)" in text and "1000 round trips" in text
    assert not re.findall(r"""(?:src|href)=|https?://""", text)


def test_all_figures_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "compare", PINGPONG, "--json", "--cpus", "2")
    found = json.loads(out)
    assert (code, found["printed"], found["difference"]) == (0, "1000 round trips\n", None)
    assert [(each["on"], each["cpus"]) for each in found["runs"]] == [("hw", 2), ("sw", 2)]
    for each in found["runs"]:
        # Only what the pipeline of a CPU does while it starts and stops is nobody's.
        assert 0.95 < sum(each["where"].values()) / (2 * each["cycles"]) <= 1
        assert 0 < each["bus"] < 1


@pytest.mark.parametrize(
    ("source", "arguments", "message"),
    [
        (
            RACE,
            (),
            "race does not answer the same everywhere: line 2 is 'hw' on hardware kernel, 2 CPUs, "
            "'sw' on software kernel, 2 CPUs",
        ),
        (STATUS, (), "status ended with status 3 on every kernel"),
        (
            STATUS,
            ("--on", "hw,os2"),
            "unknown kernel 'os2': choose one of hw, sw, fine, freertos, freertos-tuned, linux",
        ),
        (STATUS, ("--cpus", "99"), "platform smp-standard: cpus must be a whole number from 1 to 16, not 99"),
        (STATUS, ("--on", "sw,freertos", "--freertos", "/no/such"), "/no/such is not a FreeRTOS kernel"),
        (
            STATUS,
            ("--freertos", "/no/such"),
            "--freertos is for freertos and freertos-tuned only: name one by --on",
        ),
    ],
    ids=("differs", "status", "kernel", "cpus", "no-freertos", "needless-freertos"),
)
def test_what_cannot_be_compared(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    source: str,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    name = "race" if source is RACE else "status"
    program = tmp_path / f"{name}.c"
    program.write_text(source, encoding="utf-8")
    code, _, err = run(capsys, "compare", str(program), "--cpus", "2", *arguments)
    assert code == 1
    assert message in err.splitlines()[-1]


def test_a_fault_says_where_it_was(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = tmp_path / "fault.c"
    program.write_text(FAULT, encoding="utf-8")
    code, _, err = run(capsys, "compare", str(program), "--cpus", "2")
    assert code == 1
    assert "fault.c:1" in err


def test_wrong_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "compare", PINGPONG, "--cpus", "1,2,4,8,16")
    assert code == 2
    assert "must be at most 4 numbers, not '1,2,4,8,16'" in err


def _run(on: str, printed: str, status: int = 0) -> Run:
    return Run(on, 1, Answer(status, printed, b""))


def test_the_fastest_stands_beside_its_best_rival() -> None:
    answer = Answer(0, "", b"")
    runs = [
        Run(on, n, answer, cycles) for n in (1, 2) for on, cycles in (("freertos", 9), ("hw", 3), ("sw", 6))
    ]
    runs += [Run("sw", 4, answer, 2), Run("hw", 4, answer, 3), Run("linux", 2, answer)]
    assert compare.sentence(runs) == (
        "The hardware kernel is 2 times as fast as the software kernel with 1 CPU, 2 times with 2 CPUs; "
        "the software kernel is 1.5 times as fast as the hardware kernel with 4 CPUs"
    )
    assert compare.sentence(runs[:1]) == ""


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (_run("sw", "a\nb\n"), None),
        (
            _run("sw", "a\n"),
            "line 2 is 'b' on hardware kernel, 1 CPU, no such line on software kernel, 1 CPU",
        ),
        (_run("sw", "a\nb"), "other ends of lines on hardware kernel, 1 CPU than on software kernel, 1 CPU"),
        (_run("sw", "a\nb\n", 1), "status 0 on hardware kernel, 1 CPU, 1 on software kernel, 1 CPU"),
        (
            Run("sw", 1, Answer(0, "a\nb\n", b"x")),
            "another output (cl_output) on hardware kernel, 1 CPU than on software kernel, 1 CPU",
        ),
    ],
)
def test_a_difference_is_shown(other: Run, text: str | None) -> None:
    assert compare.difference([_run("hw", "a\nb\n"), other]) == text
