# SPDX-License-Identifier: Apache-2.0
"""Faults planted in a small tree of their own: what is noticed, what is not, what cannot be told."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.command import run as coreloom
from coreloom import paths
from coreloom.mutation import page, run, sample
from coreloom.mutation.operators import Mutant

AREAS = """
[small]
what = "a small thing"
mutants = 2
files = ["src/*.py"]
tests = [["*", "near"]]
"""
CODE = "def three(late):\n    if late:\n        return 4 - late\n    return 3\n"
CONFTEST = """
def pytest_addoption(parser):
    parser.addoption("--tier")
def pytest_configure(config):
    for name in ("golden", "planted", "far"):
        config.addinivalue_line("markers", name)
def pytest_collection_modifyitems(config, items):
    far = config.getoption("tier") != "test"
    items[:] = [item for item in items if bool(item.get_closest_marker("far")) == far]
"""
TESTS = {
    "behaviour": "from three import three\ndef test_it():\n    assert (three(0), three(1)) == (3, 3)\n",
    "far": "import pytest\nfrom three import three\n@pytest.mark.far\ndef test_it():\n"
    "    assert (three(0), three(1)) == (3, 3)\n",
    "golden": "import pytest\nfrom three import three\n@pytest.mark.golden\ndef test_it():\n"
    "    assert (three(0), three(1)) == (3, 3)\n",
    "nothing": "def test_it():\n    pass\n",
    "slow": "import time\nfrom three import three\ndef test_it():\n"
    "    (three(0), three(1)) == (3, 3) or time.sleep(60)\n",
    "failing": "def test_it():\n    assert False\n",
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout with one file, whose place is that of Coreloom's."""
    root = tmp_path / "root"
    for name, text in {
        "src/three.py": CODE,
        "tests/conftest.py": CONFTEST,
        "pytest.ini": "[pytest]\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (tmp_path / "areas.toml").write_text(AREAS)
    subprocess.run(["git", "init", "-q", root], check=True)
    monkeypatch.setattr(paths, "ROOT", root)
    monkeypatch.setattr(run, "_FOLDER", tmp_path / "mutation")
    monkeypatch.setattr(sample, "_DATA", tmp_path / "areas.toml")
    monkeypatch.setattr(page, "NOTES", tmp_path / "notes.toml")
    monkeypatch.setattr(page, "PATH", tmp_path / "page.md")
    monkeypatch.setattr(page, "DATA", tmp_path / "mutants.tsv")
    monkeypatch.setattr(page, "OTHER", tmp_path / "other.tsv")
    monkeypatch.setenv("CORELOOM_CACHE", str(tmp_path / "cache"))
    forget()
    if subprocess.run([*run._apart(), "true"], capture_output=True, check=False).returncode:
        pytest.skip("unshare may not make namespaces here")
    yield root
    forget()


def forget() -> None:
    for each in (run._tracked, run._contents):
        each.cache_clear()


def near(tree: Path, which: str) -> None:
    (tree / "tests" / "near").mkdir(exist_ok=True)
    (tree / "tests" / "near" / "test_near.py").write_text(TESTS[which])
    forget()


def found(data: str = "DATA") -> dict[str, str]:
    """By fault: its verdict and tier, as the file of the tree says."""
    lines = [line.split("\t") for line in getattr(page, data).read_text().splitlines()[1:]]
    return {words[0]: " ".join(filter(None, words[3:5])) for words in lines}


@pytest.mark.parametrize(
    ("which", "verdict"),
    [
        ("behaviour", "killed test"),
        ("far", "killed test-all"),
        ("golden", "survived test-all"),
        ("nothing", "survived test-all"),
        ("slow", "late test"),
    ],
)
def test_verdict(tree: Path, capsys: pytest.CaptureFixture[str], which: str, verdict: str) -> None:
    """A fault that only a cycle count tells is missed; one that makes tests slow is neither."""
    near(tree, which)
    code, out, err = coreloom(capsys, "mutate", "--limit", "5" if which == "slow" else "60")
    assert (code, err) == (0, "")
    assert set(found().values()) == {verdict} and len(found()) == 2
    assert (tree / "src" / "three.py").read_text() == CODE
    assert out.count(f"{verdict.split()[0]}: ") == (0 if "killed" in verdict else 2)


def test_a_run_goes_on_where_it_was(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found stands until its tests change, or more of them are asked."""
    near(tree, "far")
    planted: list[str] = []
    plant = run.Trial.planted

    def noted(self: run.Trial, area: str, mutant: Mutant, *rest: object) -> run.Found:
        planted.append(mutant.ident)
        if len(planted) == 2:
            raise KeyboardInterrupt
        return plant(self, area, mutant, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(run.Trial, "planted", noted)
    assert coreloom(capsys, "mutate", "--tier", "test")[0] == 130
    assert list(found().values()) == ["survived test"]
    assert list((page.DATA.parent / "mutation").glob("tree-*")) == []
    assert coreloom(capsys, "mutate", "--kept")[0] == 0
    assert list(found().values()) == ["survived test"]
    for words, more in ((["--tier", "test"], 1), (["--tier", "test"], 0), ([], 2), ([], 0)):
        before = len(planted)
        assert coreloom(capsys, "mutate", *words)[0] == 0
        assert len(planted) - before == more
    assert set(found().values()) == {"killed test-all"}
    near(tree, "behaviour")
    assert coreloom(capsys, "mutate")[0] == 0
    assert set(found().values()) == {"killed test"}


def test_page(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every fault that survives has its line, and says why; what was noted of others is left out."""
    near(tree, "nothing")
    assert coreloom(capsys, "mutate")[0] == 0
    first, second = found()
    page.NOTES.write_text(
        f'[{first}]\nfault = "so"\nequivalent = "it is the same"\n[abc]\nfault = "gone"\nopen = "no"\n'
    )
    code, out, _ = coreloom(capsys, "mutate", "--page")
    assert code == 0 and out.startswith("wrote ")
    text = page.PATH.read_text()
    assert "| a small thing | 2 | 0 | 0 | 1 | 0 | 0 % | 0 % |" in text
    (line,) = (line for line in text.splitlines() if first in line)
    assert "[three.py:" in line and line.endswith(" | equivalent: it is the same |")
    assert f"{second}: " in text and "survives: not looked at" in text and "abc" not in text


def test_the_tree_keeps_the_usual_sample(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another sample is nobody else's; faults that have left the sample leave the file."""
    near(tree, "far")
    assert coreloom(capsys, "mutate", "--seed", "2")[0] == 0
    assert (page.DATA.exists(), len(found("OTHER"))) == (False, 2)
    assert coreloom(capsys, "mutate", "--tier", "test")[0] == 0
    lines = page.DATA.read_text().splitlines()
    ident, place, change = lines[1].split("\t")[0], "src/three.py:", lines[1].split("\t")[7:]
    assert lines[0].startswith("# Written by `coreloom mutate`: ")
    assert lines[1].startswith(f"{ident}\tsmall\t{place}") and len(change) == 2 and change[0] != change[1]
    page.DATA.write_text(
        "".join(f"{line}\n" for line in [*lines, "\t".join(["gone", *lines[1].split("\t")[1:]])])
    )
    assert coreloom(capsys, "mutate", "--kept")[0] == 0
    assert "gone" in found()
    (tree / "src" / "three.py").write_text(CODE.replace("late", "later"))
    forget()
    assert coreloom(capsys, "mutate")[0] == 0
    assert len(found()) == 2 and "gone" not in found() and set(found().values()) == {"killed test-all"}
    assert all(len(line.split("\t")) == 7 for line in page.DATA.read_text().splitlines()[1:])
    page.DATA.write_text("half a li")
    error = "coreloom: error: mutants.tsv: no fault in line 'half a li': take the file from git\n"
    assert coreloom(capsys, "mutate", "--page") == (1, "", error)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["smal"], "unknown unit 'smal': did you mean small?"),
        (["none"], "unknown unit 'none': choose a file or one of small"),
        (["--sample", "0"], "--sample 0 is empty: ask for at least 1"),
        (["--sample", "-3"], "--sample -3 is empty: ask for at least 1"),
        (["--sample", "9"], "--sample: small has only 3 faults to plant: ask for fewer"),
        (["--page"], "no results yet: run `coreloom mutate` first"),
    ],
)
def test_bad_input_is_one_line(
    tree: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    near(tree, "behaviour")
    assert coreloom(capsys, "mutate", *words) == (1, "", f"coreloom: error: {said}\n")


def test_what_is_missing_is_one_line(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests that fail alone tell nothing of a fault, nor do faults that may end other processes."""
    near(tree, "failing")
    code, _, err = coreloom(capsys, "mutate")
    assert (code, err) == (
        1,
        "coreloom: error: tests/near/test_near.py::test_it fails without any fault: mend it first\n",
    )
    page.NOTES.write_text('[abc]\nfault = "x"\n')
    assert coreloom(capsys, "mutate", "--kept")[2] == (
        "coreloom: error: notes.toml: abc needs one of killed, equivalent and open\n"
    )
    (tree / ".git").rename(tree / "none")
    forget()
    assert coreloom(capsys, "mutate")[2] == (
        "coreloom: error: git cannot list the files of this tree: a clone is needed, not an archive\n"
    )
    monkeypatch.setenv("PATH", "")
    assert coreloom(capsys, "mutate")[2] == (
        "coreloom: error: unshare is missing, which keeps faulty programs apart: install util-linux\n"
    )


REFUSED = (
    "/tmp/x/runtime/posix/mutex.c:12:3: error: unused variable 'a'\n",
    "%Error: ../rtl/soc/rtl/mutex.c:3:4: syntax\n",
    "%Warning-WIDTH: rtl/soc/rtl/mutex.c:3:4: bits\n",
)


def test_what_cannot_be_built_is_no_fault() -> None:
    assert all(run.unbuilt("runtime/posix/mutex.c", text) for text in REFUSED)
    assert not any(run.unbuilt("runtime/posix/spin.c", text) for text in REFUSED)
    assert not run.unbuilt("runtime/posix/mutex.c", "mutex.c:12: assertion a == b\n")


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("FAILED tests/a/test_b.py::test_c[1-(2, 3)] - assert 0\n", "tests/a/test_b.py::test_c[1-(2, 3)]"),
        ("x\nERROR tests/a/test_b.py - SyntaxError\nFAILED tests/c.py::d\n", "tests/a/test_b.py"),
        ("1 passed\n", ""),
    ],
)
def test_the_first_failed_test(text: str, test: str) -> None:
    assert run.noticed(text) == test
