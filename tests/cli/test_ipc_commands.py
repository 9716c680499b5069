# SPDX-License-Identifier: Apache-2.0
"""`coreloom advise ipc`, `coreloom doctor --platform` and `coreloom bench ipc`: what they print."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest

from coreloom import paths
from coreloom.benches import ipc as ipc_bench
from coreloom.benches.ipc import advise
from coreloom.benches.ipc import bench as ipc
from coreloom.benches.ipc import transfer as ipc_transfer
from coreloom.benches.ipc.transfer import Row
from coreloom.commands import console
from coreloom.commands import examine as doctor
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.local import Local
from coreloom.report import results
from coreloom.simulation import experiment

from .command import run


def cells(out: str) -> list[list[str]]:
    """The rows of the printed table."""
    lines = out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("mechanism ")) + 1
    return [re.split(r" {2,}", line.strip()) for line in lines[first:]]


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table is in parts."""
    monkeypatch.setattr(console, "_PIPED", 400)


# --- advise ----------------------------------------------------------------------------------


def block(name: str, words: int, cycles: int, kernel: str | None = None) -> Row:
    return _row("transfer", name, None, words, cycles, kernel)


def single(part: str, name: str, operation: str, cycles: int, kernel: str | None = None) -> Row:
    return _row(part, name, operation, 1, cycles, kernel)


def _row(part: str, name: str, operation: str | None, words: int, cycles: int, kernel: str | None) -> Row:
    return Row(
        part=part,
        mechanism=name,
        operation=operation,
        kernel=kernel,
        platform="amp",
        core="standard",
        cpus=2,
        words=words,
        cycles=cycles,
        bound_cycles=3,
        ratio=round(cycles / 3, 2),
        least=cycles,
        most=cycles,
        rounds=4,
    )


ROWS = [
    *(block("mailbox", *point) for point in ((8, 90), (128, 330), (1024, 2122))),
    *(block("doorbell", *point) for point in ((8, 80), (128, 600), (1024, 4184))),
    *(block("polling_wires", *point) for point in ((8, 100), (128, 620), (1024, 4204))),
    *(block("mutex", *point) for point in ((8, 99), (128, 610), (1024, 4194))),
    *(block("semaphore", *point, "hw") for point in ((0, 92), (8, 130), (128, 650), (1024, 4500))),
    *(block("interrupt", *point) for point in ((8, 460), (128, 980), (1024, 4800))),
    *(block("one_to_many", *point) for point in ((8, 10), (128, 11), (1024, 12))),
    single("signal", "doorbell_raw", "signal", 3),
    single("signal", "doorbell_api", "signal", 6),
    single("signal", "interrupt_wire", "signal", 86),
    single("signal", "semaphore_signal", "signal", 20, "hw"),
    single("lock", "cpu_mutex_api", "acquire", 4),
    single("lock", "cpu_mutex_api", "release", 5),
    single("handover", "handover_cpu_mutex_api", "hand-over", 3),
    single("lock", "pthread_mutex", "acquire", 25, "hw"),
    single("lock", "pthread_mutex", "release", 15, "hw"),
]


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    results.save(ipc.Result(name="ipc", rows=ROWS))


@pytest.mark.parametrize(
    ("words", "cycles"),
    [(1, 90), (8, 90), (9, 92), (68, 210), (128, 330), (576, 1226), (1024, 2122), (2048, 4170)],
)
def test_cycles_between_sizes_are_on_the_line(words: int, cycles: int) -> None:
    assert advise.between([(8, 90), (128, 330), (1024, 2122)], words) == cycles


@pytest.mark.usefixtures("measured")
def test_advice_for_a_long_block(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "advise", "ipc", "--words", "128", "--cores", "2", "--core", "standard")
    assert (code, err) == (0, "")
    assert out.splitlines()[:5] == [
        "Use: mailbox stream, about 330 cycles (lower bound 130).",
        "Why: the words go through private ports, so the bus is free, and both ends copy at the same time.",
        "Needs: a thread pinned to its processor; its processor does nothing else while it waits.",
        "If the processor has other work while it waits: semaphore, hardware kernel, 320 cycles more.",
        "",
    ]
    assert "128 words from one CPU to another, standard core, amp, 2 CPUs" in out
    assert [(row[0], row[2]) for row in cells(out)] == [
        ("mailbox stream", "330"),
        ("doorbell and copy", "600"),
        ("copy under a mutex of the communication port", "610"),
        ("polling, wires", "620"),
        ("semaphore, hardware kernel", "650"),  # the first that leaves the processor to others
    ]


@pytest.mark.usefixtures("measured")
def test_advice_for_a_short_block_a_signal_and_a_lock(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "advise", "ipc", "--words", "1")
    assert out.startswith("Use: doorbell and copy, about 80 cycles (lower bound 20).\n")
    _, out, _ = run(capsys, "advise", "ipc", "--signal")
    assert out.splitlines()[0] == "Use: doorbell, about 6 cycles (lower bound 3)."
    assert [row[0] for row in cells(out)] == [
        "doorbell", "semaphore, hardware kernel", "interrupt by a wire, to the handler",
    ]  # fmt: skip
    _, out, _ = run(capsys, "advise", "ipc", "--lock")
    assert out.splitlines()[:2] == [
        "Use: mutex of the communication port, about 9 cycles (lower bound 6).",
        "Why: taken and released without contention; handed over to a waiter in 3.",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (
            ["--words", "8", "--core", "economy"],
            1,
            "coreloom: error: nothing was measured on amp-economy with 2 CPUs: run `coreloom bench ipc`",
        ),
        (
            ["--words", "0"],
            2,
            "coreloom advise ipc: error: argument --words: must be a whole number from 1, not '0' "
            "(see coreloom advise ipc --help)",
        ),
        (
            ["--words=-1"],
            2,
            "coreloom advise ipc: error: argument --words: must be a whole number from 1, not '-1' "
            "(see coreloom advise ipc --help)",
        ),
        (
            ["--words", "67108865"],
            2,
            "coreloom advise ipc: error: argument --words: no memory holds more than 67108864 words "
            "(see coreloom advise ipc --help)",
        ),
        (
            [],
            2,
            "coreloom advise ipc: error: one of the arguments --words --signal --lock is required "
            "(see coreloom advise ipc --help)",
        ),
        (
            ["--words", "8", "--lock"],
            2,
            "coreloom advise ipc: error: argument --lock: not allowed with argument --words "
            "(see coreloom advise ipc --help)",
        ),
    ],
)
@pytest.mark.usefixtures("measured")
def test_wrong_question_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, line: str
) -> None:
    assert run(capsys, "advise", "ipc", *arguments) == (code, "", line + "\n")


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    ("option", "what"),
    [
        (["--cores", "3"], "unknown cores '3': choose one of 2, 4, 8"),
        (["--core", "fast"], "unknown core 'fast': choose one of standard, economy"),
        (["--platform", "hthreads"], "unknown platform 'hthreads': choose one of amp, smp"),
    ],
)
def test_what_is_not_measured_cannot_be_chosen(
    capsys: pytest.CaptureFixture[str], option: list[str], what: str
) -> None:
    line = f"coreloom advise ipc: error: {what} (see coreloom advise ipc --help)\n"
    assert run(capsys, "advise", "ipc", "--signal", *option) == (2, "", line)


def test_advice_without_results_says_what_makes_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    line = "coreloom: error: no results yet: run `coreloom bench ipc` first\n"
    assert run(capsys, "advise", "ipc", "--signal") == (1, "", line)


def test_a_fresh_checkout_has_the_published_results(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    code, out, err = run(capsys, "advise", "ipc", "--signal")
    assert (code, err) == (0, "")
    assert out.startswith("Use: doorbell, about ")


# --- doctor ------------------------------------------------------------------------------------


def output(common: tuple[int, ...], *cpus: tuple[int, ...]) -> bytes:
    return struct.pack(f"<{4 + 13 * len(cpus)}I", *common, *(word for cpu in cpus for word in cpu))


COMMON = (400, 400, 213, 16)
CPU = (0, 2, 0x2000_0010, 7, 111, 0x2000_2000, 9, 1, 0x4008_0000, 3, 3, 0, 2)
OTHER = (1, *CPU[1:])


def test_a_platform_that_has_what_it_needs() -> None:
    findings = doctor.judge(output(COMMON, CPU, OTHER), platform.load("amp-standard", 2))
    assert [(finding.ok, f"{finding.what}: {finding.found}") for finding in findings] == [
        (
            True,
            "(a) program and fixed data at the same address: 2 of 2 processors have the same words at "
            "0x20000010 and 0x20002000 and run them, each in a local memory of its own",
        ),
        (
            True,
            "(b) global memory at the same address: 4 of 4 words read at 0x40080000 are what the processors "
            "wrote there",
        ),
        (True, "(c) interrupt from each processor to each: 4 of 4 came, once each"),
        (
            True,
            "(d) mutual exclusion: 400 of 400 increments counted under the memory lock, 213 without",
        ),
        (
            True,
            "(e) more than one lock at a time: 2 of 2 processors held a lock of their own while all the "
            "others did; 16 mutexes of the communication port by one",
        ),
        (True, "(f) a number of its own for each processor: they say 0, 1 of 2"),
    ]


@pytest.mark.parametrize(
    ("letter", "common", "changes"),
    [
        ("a", {}, {3: 8}),  # other words of the program
        ("a", {}, {6: 8}),  # other constants
        ("a", {}, {4: 110}),  # it does not compute what it should
        ("a", {}, {7: 0}),  # what it had in its local memory is somebody else's now
        ("b", {}, {9: 1}),  # it does not see what it wrote itself
        ("b", {}, {8: 0x4008_0004}),  # at another address
        ("c", {}, {10: 2}),  # none from CPU 0
        ("c", {}, {11: 1}),  # two from CPU 0
        ("d", {1: 399}, {}),
        ("e", {}, {12: 1}),
        ("e", {3: 15}, {}),
        ("f", {}, {0: 0}),  # both say 0
        ("f", {}, {1: 4}),
    ],
)
def test_each_thing_that_does_not_hold_is_found(
    letter: str, common: dict[int, int], changes: dict[int, int]
) -> None:
    def changed(words: tuple[int, ...], by: dict[int, int]) -> tuple[int, ...]:
        return tuple(by.get(n, word) for n, word in enumerate(words))

    written = output(changed(COMMON, common), CPU, changed(OTHER, changes))
    findings = doctor.judge(written, platform.load("amp-standard", 2))
    assert [finding.what[1] for finding in findings if not finding.ok] == [letter]


def test_what_the_probe_did_not_come_to_does_not_hold() -> None:
    findings = doctor.judge(b"", platform.load("smp-standard", 2))
    assert not any(finding.ok for finding in findings)


@pytest.mark.parametrize("name", ["amp-standard", "smp-standard"])
@pytest.mark.runtime
def test_our_platforms_hold(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, out, err = run(capsys, "doctor", "--platform", name)
    assert (code, err) == (0, "")
    assert [line[:12] for line in out.splitlines()] == [f"holds    ({letter})" for letter in "abcdef"]


def test_a_platform_that_fails_is_a_status(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = [doctor.Finding("(a) this", True, "2 of 2"), doctor.Finding("(b) that", False, "1 of 2")]
    monkeypatch.setattr(doctor, "probe", lambda soc, kernel: findings)
    assert run(capsys, "doctor", "--platform", "amp-standard") == (
        1, "holds    (a) this: 2 of 2\nFAILS    (b) that: 1 of 2\n", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--cpus", "2"], "--cpus only applies together with --platform"),
        (["--on", "sw"], "--on only applies together with --platform"),
        (["--platform", "amp-standard", "--on", "fw"], "unknown kernel 'fw': choose one of hw, sw"),
    ],
)
def test_wrong_doctor_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], line: str
) -> None:
    assert run(capsys, "doctor", *arguments) == (1, "", f"coreloom: error: {line}\n")


# --- bench ---------------------------------------------------------------------------------------


def test_quick_measurement_makes_no_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[str], list[str]]] = []

    def measured(self: Local, first: Any, wanted: Any, on_start: Any, on_done: Any) -> list[Any]:
        asked.append(([job.text for job in first], [job.text for job in wanted]))
        return []

    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    monkeypatch.setattr(Local, "run", measured)
    monkeypatch.setattr(ipc_bench, "figures", lambda rows, starts: [])
    code, out, _ = run(capsys, "bench", "ipc", "--quick")
    assert code == 0
    assert out.splitlines()[-1].endswith("ipc-some.json")
    assert [path.name for path in tmp_path.iterdir()] == ["ipc-some.json"]
    ((where, texts),) = asked
    models = ("amp-standard", "amp-sdram-standard")
    assert where == [f"build the model of {model}, 2 CPUs" for model in models]
    mechanisms = ipc_transfer.MECHANISMS.values()
    busy = sum(len(m.kernels) for m in mechanisms if m.shape == "pairs" and not m.api)
    assert sum(text.endswith(", busy receiver") for text in texts) == busy
    assert len(texts) == sum(len(m.kernels) for m in mechanisms) + busy + 11


@pytest.mark.runtime
def test_unfinished_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(self: experiment.Outcome) -> None:
        raise UserError("ipc_transfer did not finish")

    monkeypatch.setattr(experiment.Outcome, "check_finished", stuck)
    with pytest.raises(UserError) as error:
        ipc_transfer.measure("amp", "standard", 2, "hw", ipc_transfer.MECHANISMS["doorbell"], (8,))
    assert str(error.value) == "doorbell and copy on amp-standard with 2 CPUs: ipc_transfer did not finish"
