# SPDX-License-Identifier: Apache-2.0
"""Which tier a test has, which subjects a change asks for, what a run says when something is in its way."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import check
import overview
import run
import tiers
from coreloom.paths import ROOT, RTL
from tiers import Mark, kinds

FILE, CASE = "soc/test_bus.py", "standard-2"


@pytest.mark.parametrize(
    ("path", "marks", "tier"),
    [
        (FILE, [], "rtl"),
        ("soc/test_formal.py", [], "formal"),
        ("model/test_kernel.py", [], "test"),
        (FILE, [Mark("test")], "test"),
        (FILE, [Mark("test", cases=(CASE,))], "test"),
        (FILE, [Mark("test", cases=("standard-1",))], "rtl"),
        (FILE, [Mark("nightly")], "nightly"),
        (FILE, [Mark("nightly", but=(CASE,))], "rtl"),
        (FILE, [Mark("nightly", but=("standard-1",))], "nightly"),
        (FILE, [Mark("nightly"), Mark("test", cases=(CASE,))], "test"),
        (FILE, [Mark("linux"), Mark("nightly")], "nightly"),
        (FILE, [Mark("runtime"), Mark("test")], "runtime"),
    ],
)
def test_tier(path: str, marks: list[Mark], tier: str) -> None:
    assert tiers.tier(path, CASE, marks) == tier


@pytest.mark.parametrize(
    ("paths", "subjects"),
    [
        ([], []),
        (["README.md", "rtl/kernel/README.md"], ["rtl", "runtime", "formal", "synth", "docs"]),
        (["CHANGELOG.md", "tests/linux/test_vm.py"], ["linux"]),
        (["docs/guide.md"], ["docs"]),
        (["tests/soc/test_uart.py", "src/coreloom/vm/vm.py"], ["rtl", "formal", "linux"]),
        (["pyproject.toml"], list(tiers.SUBJECTS)),
        (["src/coreloom/toolchain/cache.py"], list(tiers.SUBJECTS)),
    ],
)
def test_subjects_of_changes(paths: list[str], subjects: list[str]) -> None:
    assert tiers.asked_for(paths) == subjects


def test_each_prefix_of_the_table_is_there() -> None:
    assert [prefix for prefix, _ in tiers.CHANGES if not (ROOT / prefix).is_dir()] == []


def test_make_has_the_subjects() -> None:
    (listed,) = re.findall(r"^SUBJECTS := (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert tuple(listed.split()) == tiers.SUBJECTS


def test_each_requirement_is_named_where_it_is_checked() -> None:
    checks = [*(ROOT / "tests").rglob("*.py"), *RTL.rglob("*.sv")]
    assert overview.stated() - {name for path in checks for name in overview.named(path.read_text())} == set()


def test_numbers_of_requirements() -> None:
    assert overview.named("REQ-bus-1, 3 to 5 and 7; REQ-lock-2") == {
        *("REQ-bus-1", "REQ-bus-3", "REQ-bus-4", "REQ-bus-5", "REQ-bus-7", "REQ-lock-2"),
    }


TESTS = """
import pytest


@pytest.mark.parametrize("core", ["economy", "standard", "fast"])
@pytest.mark.docs("fast")
@pytest.mark.nightly(but=("standard", "fast"))
def test_cores(core): ...


@pytest.mark.nightly
def test_long(): ...
"""


def collect(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    """pytest's answer to `--collect-only` in a folder with our settings."""
    (folder / "tests").mkdir()
    for name in ("conftest.py", "overview.py", "proofs.py", "tiers.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "tests" / "test_them.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, "CORELOOM_BUILD_DIR": str(folder / "build")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("tier", "cases"),
    [("test", ["cores[standard]"]), ("docs", ["cores[fast]"]), ("nightly", ["cores[economy]", "long"])],
)
def test_a_tier_is_a_fixed_list(tmp_path: Path, tier: str, cases: list[str]) -> None:
    said = collect(tmp_path, TESTS, f"--tier={tier}").stdout
    assert re.findall(r"::test_(\S+)", said) == cases
    assert (tmp_path / "build" / "tests" / "values.txt").read_text() == (
        "core 'economy': nightly 1\ncore 'fast': docs 1\ncore 'standard': test 1\n"
    )


KINDS = """
import pytest


def test_cycles_of_a_yield(): ...


def test_it_notices(): ...


def test_a_planted_fault_is_found(): ...


@pytest.mark.golden
def test_output(): ...


def test_noticed(): ...
"""


@pytest.mark.parametrize(
    ("asked", "tests"),
    [
        ("golden", ["cycles_of_a_yield", "output"]),
        ("planted", ["it_notices", "a_planted_fault_is_found"]),
        ("not golden and not planted", ["noticed"]),
    ],
)
def test_what_a_test_compares_besides_behaviour(tmp_path: Path, asked: str, tests: list[str]) -> None:
    assert re.findall(r"::test_(\S+)", collect(tmp_path, KINDS, "-m", asked).stdout) == tests


def test_files_of_cycle_counts_are_golden() -> None:
    golden = {path.name for path in (ROOT / "tests").rglob("test_*.py") if kinds(path.name, "")}
    assert golden == {"test_cycles.py", "test_sessions.py"}


def test_a_case_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    done = collect(tmp_path, TESTS.replace('docs("fast")', 'docs("faster")'))
    assert done.returncode == 4
    assert "tests/test_them.py::test_cores has no case 'faster', which a marker names" in done.stderr


def test_a_tier_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    done = collect(tmp_path, TESTS, "--tier=slow")
    assert (done.returncode, "there is no 'slow': one of test, rtl," in done.stderr) == (4, True)


# --- tests/run.py in a checkout whose Python and make are scripts -------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("run.py", "tiers.py"):
        (tmp_path / "tests").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    script(tmp_path / "make", 'echo "$2"')
    script(tmp_path / ".venv" / "bin" / "python", "echo tests run")
    return tmp_path


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def start(checkout: Path, target: str = "test") -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "MAKE": str(checkout / "make"),
        "CORELOOM_BUILD_DIR": str(checkout / "build"),
    }
    command = [sys.executable, str(checkout / "tests" / "run.py"), target]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def until(path: Path) -> None:
    """Wait for a file."""
    last = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < last
        time.sleep(0.01)


def test_it_sets_up_then_tests(checkout: Path) -> None:
    assert ended(start(checkout)) == (0, "setup-test\nsetup-report\ntests run\n", "")
    assert ended(start(checkout, "test-synth")) == (
        0,
        "setup-test\nsetup-synth\nsetup-export\nsetup-litex\ntests run\n",
        "",
    )


def test_a_failed_test_is_its_status(checkout: Path) -> None:
    script(checkout / ".venv" / "bin" / "python", "exit 1")
    assert ended(start(checkout)) == (1, "setup-test\nsetup-report\n", "")


def test_no_network_is_one_line(checkout: Path) -> None:
    script(checkout / "make", 'echo "ERROR: No matching distribution found for pytest" >&2; exit 2')
    log = checkout / "build" / "setup.log"
    said = f"make test: `make setup-test` failed: no network? all of it is in {log}\n"
    assert ended(start(checkout)) == (1, "", said)
    script(checkout / "make", 'echo "$2"')
    assert ended(start(checkout)) == (0, "setup-test\nsetup-report\ntests run\n", "")


def test_a_missing_tool_is_one_line(checkout: Path) -> None:
    python = checkout / ".venv" / "bin" / "python"
    python.unlink()
    assert ended(start(checkout)) == (
        1,
        "setup-test\nsetup-report\n",
        f"make test: {python}: No such file or directory\n",
    )


def test_a_second_one_waits(checkout: Path) -> None:
    begun, go = checkout / "begun", checkout / "go"
    script(checkout / ".venv" / "bin" / "python", f"touch {begun}; until [ -e {go} ]; do sleep 0.05; done")
    first = start(checkout)
    until(begun)
    second = start(checkout)
    assert second.stderr is not None
    said = f"make test: waits for make test, process {first.pid} in this checkout (Ctrl-C ends the wait)\n"
    assert second.stderr.readline() == said
    go.touch()
    assert [ended(first)[0], ended(second)[0]] == [0, 0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_one_line_and_leaves_nothing(checkout: Path, number: int) -> None:
    begun = checkout / "begun"
    script(
        checkout / ".venv" / "bin" / "python",
        f"trap 'echo many lines; exit 2' INT; touch {begun}; while :; do sleep 0.05; done",
    )
    process = start(checkout)
    until(begun)
    process.send_signal(number)
    said = "make test: stopped; the next run goes on with what was built\n"
    assert ended(process) == (130, "setup-test\nsetup-report\n", said)
    script(checkout / ".venv" / "bin" / "python", "echo tests run")
    assert ended(start(checkout)) == (0, "setup-test\nsetup-report\ntests run\n", "")


def test_no_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=12 << 20))
    with pytest.raises(run.Wrong, match=r"is on a disk with 12 MiB free: make room for 1500 MiB$"):
        run.room(run.NEEDED_MIB)


def test_what_changed_since_it_passed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All subjects where that is unknown, then those of what changed."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(checkout)]

    def commit(*names: str) -> None:
        for name in names:
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_text("text")
        subprocess.run([*git, "add", *names], check=True)
        subprocess.run([*git, "commit", "-qm", "a change"], check=True)

    def said() -> str:
        return ended(start(checkout, "test-changed"))[1].splitlines()[0].partition(": ")[2]

    subprocess.run([*git, "init", "-q"], check=True)
    commit("a.py")
    monkeypatch.setenv("CORELOOM_CACHE", str(checkout / "cache"))
    assert said() == "rtl, runtime, formal, synth, linux, docs"
    assert said() == "none"
    commit("docs/page.md", "linux/tool.c")
    assert said() == "linux, docs"
    script(checkout / ".venv" / "bin" / "python", "exit 1")
    commit("docs/page2.md")
    assert [said(), said()] == ["docs", "docs"]


# --- tests/check.py with tools that are scripts -------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "tools"),
    [
        ("README.md", ["reuse lint-file README.md"]),
        ("apps/image/main.c", ["clang-format --dry-run --Werror {}", "reuse lint-file {}"]),
        (
            "rtl/soc/rtl/cl_bus.sv",
            ["python -c", "reuse lint-file {}", "verible-verilog-lint --rules_config .rules.verible_lint {}"],
        ),
        (
            "src/coreloom/errors.py",
            [
                *("lint-imports --no-logo", "mypy {}", "python -c", "reuse lint-file {}"),
                *("ruff check --quiet {}", "ruff format --check --quiet {}"),
            ],
        ),
    ],
)
def test_a_commit_is_checked_by_what_its_files_need(
    file: str, tools: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tool in {found.command[0] for found in check.CHECKS}:
        script(tmp_path / tool, f'echo {tool} "$@" | head -n 1 >> {tmp_path}/called.$$')
    monkeypatch.setattr(check, "BIN", tmp_path)
    assert check.main([file]) == 0
    called = sorted(path.read_text().strip() for path in tmp_path.glob("called.*"))
    assert called == [tool.format(file) for tool in tools]


def test_what_is_wrong_is_said_and_by_whom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tmp_path / "reuse", "echo no licence; exit 1")
    monkeypatch.setattr(check, "BIN", tmp_path)
    assert check.main(["README.md"]) == 1
    assert capsys.readouterr().out.startswith("no licence\ncheck: licences to fix, ")


def test_a_missing_checker_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "BIN", tmp_path)
    assert check.main(["README.md"]) == 1
    said = f"check: {tmp_path / 'reuse'} is missing: remove .venv, then run it again\n"
    assert capsys.readouterr() == ("", said)


def test_what_make_test_soc_runs_is_there() -> None:
    assert [each for each in tiers.SOC if not (ROOT / "tests" / each).exists()] == []
