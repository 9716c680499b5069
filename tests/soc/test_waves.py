# SPDX-License-Identifier: Apache-2.0
"""Waveforms, read back by another's library: exact times, texts, what is written when, and its ends."""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import pywellen

from cli.command import run as command
from coreloom.design import platform, spec
from coreloom.errors import UserError
from coreloom.simulation import fst, simulate, waves
from coreloom.simulation.waves import Plan, Waves
from coreloom.toolchain import verilate
from soc.asm import assemble

COMMAND = [sys.executable, "-c", "import sys; from coreloom.entry import main; sys.exit(main())"]
CYCLE = 1000  # of a cycle in a file: picoseconds
PROGRAM = """\
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *name) {
  pthread_setname_np(pthread_self(), name);
  for (int round = 0; round < 3; ++round) {
    pthread_mutex_lock(&mutex);
    usleep(100);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setname_np(&attr, "early");
  pthread_create(&threads[0], &attr, work, "one");
  pthread_create(&threads[1], NULL, work, "two");
  for (int n = 0; n < 2; ++n) pthread_join(threads[n], NULL);
  usleep(5000);
  puts("done");
  return 0;
}
"""


def changes(path: Path) -> dict[str, list[tuple[int, Any]]]:
    """The changes of each signal of a file."""
    return {str(var.full_name): list(var.tv) for var in pywellen.Waveform(str(path), False).all_vars()}


def texts(values: list[tuple[int, Any]]) -> list[tuple[int, str]]:
    return [(time, int(value).to_bytes(40, "big").lstrip(b"\0").decode()) for time, value in values]


@pytest.fixture(scope="module")
def model() -> Path:
    return verilate.build_model(platform.load("backdoor-economy"), trace=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("waves")
    (made / "mine.c").write_text(PROGRAM)
    return made


def run(
    capsys: pytest.CaptureFixture[str], folder: Path, *options: str, status: int = 0
) -> tuple[dict[str, Any], Path]:
    """What is told of a run that writes waves, and the file."""
    file = folder / "run.fst"
    words = ("run", str(folder / "mine.c"), "--platform", "smp-economy", "--cpus", "2", "--json")
    code, out, err = command(capsys, *words, "--waves", str(file), *options)
    assert (code, out) == (status, "done\n"), err
    facts = [line for line in err.splitlines() if line.startswith("{")]
    return (json.loads(facts[-1]) if facts else {"error": err}), file


def test_of_a_run_and_of_a_fault(model: Path, tmp_path: Path) -> None:
    program, file = assemble("sw zero, EXIT(s1)\n", "economy"), tmp_path / "run.fst"
    result = simulate.run(model, program, simulate.Options(max_cycles=1000, waves=Waves(file)))
    assert result.exit_status == 0
    found = changes(file)
    last = result.cycles * CYCLE
    assert found["TOP.cl_soc.cycle_q"] == [(CYCLE * n, n) for n in range(result.cycles + 1)]
    assert (
        found["TOP.clk_i"]
        == [(CYCLE * n // 2, 1 - n % 2) for n in range(2 * last // CYCLE + 2)][: len(found["TOP.clk_i"])]
    )
    names = fst.hierarchy(model.parent / verilate.HIERARCHY)
    ours = {re.sub(r"\[\d+:\d+\]$", "", each.name) for signals in names.scopes.values() for each in signals}
    assert {re.sub(r"\.(\w+)\.\1(\[\d+\])$", r".\1.\2", name) for name in ours} == set(found)
    fault = assemble("lw t0, 0(zero)\n", "economy")
    before = file.read_bytes()
    with pytest.raises(simulate.Halted, match="bus error"):
        simulate.run(model, fault, simulate.Options(max_cycles=1000, waves=Waves(file)))
    assert file.read_bytes() != before  # that of the failed run, which is when one looks at it
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.fst", "run.gtkw", "run.sucl"]


def test_needs_a_model_built_for_it(tmp_path: Path) -> None:
    plain = verilate.build_model(platform.load("smp-economy", 1))
    with pytest.raises(UserError, match="this model was built without waveforms"):
        simulate.run(
            plain,
            assemble("j .\n", "economy"),
            simulate.Options(max_cycles=10, waves=Waves(tmp_path / "x.fst")),
        )
    assert list(tmp_path.iterdir()) == []


def test_both_clocks(model: Path, tmp_path: Path) -> None:
    """In femtoseconds: each clock has its own edges, the first at one time."""
    program, file = assemble("1: j 1b\n", "economy"), tmp_path / "run.fst"
    simulate.run(
        model, program, simulate.Options(max_cycles=100, waves=Waves(file), far_period=1370, far_stop=20)
    )
    found = changes(file)
    half = 500_000
    assert [time for time, _ in found["TOP.clk_i"]][:40] == [half * n for n in range(40)]
    far = [time for time, _ in found["TOP.far_clk_i"]]
    assert far == [0, half, *range(2 * half, 40 * half, 1370 * half // 1000)]


@pytest.mark.parametrize(("kernel", "end"), [("hw", 12000), ("sw", 72000)])
def test_from_a_thread_to_a_cycle(
    capsys: pytest.CaptureFixture[str], folder: Path, kernel: str, end: int
) -> None:
    whole, _ = run(capsys, folder, "--kernel", kernel)
    facts, file = run(capsys, folder, "--kernel", kernel, "--waves-from", "early", "--waves-to", str(end))
    assert facts["cycles"] == whole["cycles"]  # whatever is skipped
    assert (whole["skipped"], facts["skipped"] > 0) == (0, True)
    first, last = facts["waves"]["from"], facts["waves"]["to"]
    assert 0 < first < last == end
    found = changes(file)
    clock = found["TOP.clk_i"]
    assert clock == [(CYCLE * n // 2, 1 - n % 2) for n in range(2 * first, 2 * last + 1)]
    assert found["TOP.cl_soc.cycle_q"] == [(CYCLE * n, n) for n in range(first, last + 1)]
    runs = {cpu: texts(found[f"coreloom.cpu{cpu}_thread"]) for cpu in (0, 1)}
    assert any((CYCLE * first, "early") in values for values in runs.values())
    seen = {text for values in runs.values() for _, text in values}
    assert {"main", "one", "two", "idle"} <= seen
    threads = [{text for _, text in texts(found[f"coreloom.thread{number}"])} for number in range(4)]
    assert any(text.startswith("two: runs on CPU ") for text in threads[2])
    assert threads[3] == {""}
    operations = {text for cpu in (0, 1) for _, text in texts(found[f"coreloom.cpu{cpu}_operation"])} - {""}
    if kernel == "hw":
        assert "two: blocked in mutex_lock 0" in threads[2]
        assert {text.split()[0] for text in operations} <= spec.kernel().ops.keys()
        assert "mutex_lock 0" in operations
    else:
        assert "two: blocked" in threads[2]
        assert operations == set()


def test_views_name_what_is_in_the_file(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    _, file = run(capsys, folder, "--waves-scope", "kernel", "--waves-to", "9000")
    names = set(changes(file))
    assert {name.partition(".")[0] for name in names} == {"TOP", "coreloom"}
    assert all(name.startswith(("TOP.cl_soc.u_kernel.", "coreloom.")) for name in names)
    gtkwave, surfer = (file.with_suffix(end).read_text() for end in (waves.GTKWAVE, waves.SURFER))
    shown = [
        line.split()[-1] for line in gtkwave.splitlines() if re.match(r"(\+\{.*\} )?(TOP|coreloom)\.", line)
    ]
    added = re.findall(r"(?m)^variable_add (.*)$", surfer)
    assert [re.sub(r"\[\d+:\d+\]$", "", name) for name in shown] == added
    assert set(added) <= names
    groups = ["cpu0", "cpu1", "threads"]
    assert (
        re.findall(r"(?m)^@800200\n-(.*)$", gtkwave)
        == re.findall(r"(?m)^divider_add (.*)$", surfer)
        == groups
    )
    assert "+{2 two} coreloom.thread2[319:0]\n" in gtkwave
    assert "TOP.cl_soc.u_kernel.g_client[1].u_port.request_i" in added
    # Surfer counts rows from a, in base 16 of letters.
    rows = re.findall(r"(?m)^(?:variable_add|divider_add) (.*)$", surfer)
    focused = re.findall(r"(?m)^variable_add (.*)\nitem_focus ([a-p]+)_\nitem_set_format ASCII$", surfer)
    places = [int("".join(f"{ord(letter) - ord('a'):x}" for letter in letters), 16) for _, letters in focused]
    assert [rows[place] for place in places] == [name for name, _ in focused]
    assert all(name.startswith("coreloom.") for name, _ in focused)


@pytest.mark.parametrize("scope", ["", "kernel", "cpu1", "bus", "cl_soc.g_tile[0]", "u_kernel.u_engine"])
def test_size_said_before(capsys: pytest.CaptureFixture[str], folder: Path, scope: str) -> None:
    options = ("--waves-scope", scope) if scope else ()
    facts, file = run(capsys, folder, "--waves-to", "30000", *options)
    said = facts["waves_bytes_a_cycle"] * 30000
    assert facts["waves"]["bytes"] == file.stat().st_size
    assert said / 12 < file.stat().st_size < said * 4  # it is about busy processors, and these often wait
    assert facts["waves_signals"] == len(changes(file))


def test_bound(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    facts, file = run(capsys, folder, "--waves-max", "1")
    last = facts["waves"]["to"]
    assert 0 < last < facts["cycles"]
    assert 300_000 < file.stat().st_size < 1_500_000  # it is looked at every 8192 cycles
    assert changes(file)["TOP.clk_i"][-1] == (CYCLE * last, 1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            ("--waves-scope", "kernl"),
            "no scope 'kernl' in this platform: choose a path, or a unit such as kernel",
        ),
        (
            ("--waves-from", "9", "--waves-to", "8"),
            "--waves-from 9 is after --waves-to 8: give an earlier cycle",
        ),
        (("--waves", "w.vcd"), "--waves writes an FST file: name it w.fst"),
    ],
)
def test_mistakes_before_the_run(
    capsys: pytest.CaptureFixture[str], folder: Path, options: tuple[str, ...], text: str
) -> None:
    words = ("run", str(folder / "mine.c"), "--platform", "smp-economy", "--cpus", "2", "-q", "--waves")
    code, out, err = command(capsys, *words, str(folder / "none.fst"), *options)
    assert (code, out, err) == (125, "", f"coreloom: error: {text}\n")
    assert not (folder / "none.fst").exists()


def test_limit_without_waves(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    expected = (125, "", "coreloom: error: --waves-to needs --waves\n")
    assert command(capsys, "run", str(folder / "mine.c"), "--waves-to", "5") == expected


@pytest.mark.parametrize(
    ("options", "text", "written"),
    [
        (("--waves-from", "nobody"), "no thread named 'nobody' has run, but main, one, two", False),
        (("--waves-to", "nobody"), "no thread named 'nobody' has run, but main, one, two", True),
        (("--waves-from", "99999999"), "no waveform: the run has ended in cycle ", False),
        (("--waves-from", "two", "--waves-to", "9"), "thread 'two' first ran behind --waves-to 9", True),
    ],
)
def test_what_never_comes(
    capsys: pytest.CaptureFixture[str], folder: Path, options: tuple[str, ...], text: str, written: bool
) -> None:
    (folder / "run.fst").unlink(missing_ok=True)
    facts, file = run(capsys, folder, "--waves-scope", "bus", *options, status=125)
    assert f"coreloom: error: {text}" in facts["error"]
    assert file.exists() == written


def test_full_disk(folder: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    file = folder / "full.fst"
    words = ["run", str(folder / "mine.c"), "--platform", "smp-economy", "--cpus", "2", "-q"]
    ran = subprocess.run(
        [*COMMAND, *words, "--waves", str(file)], capture_output=True, text=True, preexec_fn=little_room
    )
    said = (
        "coreloom: error: the simulation of mine failed: the waveform cannot be written: the disk is full\n"
    )
    assert (ran.returncode, ran.stderr) == (125, said)
    assert not file.exists()


def test_whole_after_control_c(folder: Path) -> None:
    (folder / "ever.c").write_text('#include <stdio.h>\nint main(void) { puts("begins"); for (;;); }\n')
    file = folder / "ever.fst"
    words = ["run", str(folder / "ever.c"), "--platform", "smp-economy", "--cpus", "2", "--waves", str(file)]
    with subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as ran:
        assert ran.stdout is not None
        assert ran.stdout.readline() == b"begins\n"
        ran.send_signal(signal.SIGINT)
        said = ran.communicate()[1].decode()
    assert "interrupted: ever was stopped in cycle " in said
    assert f"waveform: {file}" in said
    last = int(re.findall(r"was stopped in cycle (\d+)", said)[0])
    assert changes(file)["TOP.cl_soc.cycle_q"][-1] == (CYCLE * last, last)
    assert file.with_suffix(waves.GTKWAVE).exists()


def test_scopes(model: Path, tmp_path: Path) -> None:
    def paths(scope: str) -> list[str]:
        return Plan(Waves(tmp_path / "x.fst", scopes=(scope,)), model).scopes

    assert paths("kernel") == paths("u_kernel") == paths("cl_soc.u_kernel") == ["TOP.cl_soc.u_kernel"]
    assert paths("cpu0") == ["TOP.cl_soc.g_tile[0].u_tile"]
    assert paths("coreloom") == ["coreloom"]
