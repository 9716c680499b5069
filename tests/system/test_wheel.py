# SPDX-License-Identifier: Apache-2.0
"""The wheel has all that its commands need: it is unpacked and used where there is no checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.paths import ROOT


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files, as `pip install` puts them; the packages that it needs are this Python's.

    The wheel is made from the source distribution, which is made from the checkout.
    """
    made = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(made), "-t"]
    subprocess.run([*build, "sdist"], cwd=ROOT, check=True, capture_output=True)
    (sdist,) = made.glob("*.tar.gz")
    shutil.unpack_archive(sdist, made / "source")
    (source,) = (made / "source").iterdir()
    subprocess.run([*build, "wheel"], cwd=source, check=True, capture_output=True)
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(made / "site")
    return made


def coreloom(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(place / "site"), "CORELOOM_BUILD_DIR": str(place / "made")}
    return subprocess.run(
        [sys.executable, "-m", "coreloom.entry", *arguments],
        cwd=place, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_it_says_what_there_is(place: Path) -> None:
    done = coreloom(place, "list", "platforms")
    assert (done.returncode, done.stderr) == (0, "")
    names = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    assert [name for name in platform.names() if name not in names] == []
    assert coreloom(place, "--help").returncode == 0


def test_it_runs_a_program_of_ones_own(place: Path) -> None:
    (place / "hello.c").write_text('#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n')
    done = coreloom(place, "run", "hello.c", "--platform", "smp-economy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("hello\n")


def test_it_makes_a_project_and_runs_it(place: Path) -> None:
    """Of the name that other tests give theirs: the same model."""
    assert coreloom(place, "new", "mysoc").returncode == 0
    done = coreloom(place, "run", "mysoc/main.c", "--platform", "./mysoc/mysoc.toml")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4096 words, total 8386560, half of it by a hardware thread\n")


def test_a_missing_package_is_one_line(place: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-m", "coreloom.entry", "list"],
        cwd=place, env={"PATH": os.environ["PATH"], "PYTHONPATH": str(place / "site")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = "the Python package of the module msgspec is missing: run `pip install --force-reinstall coreloom`"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"coreloom: error: {said}\n")


def test_it_has_the_published_results_and_the_policies(place: Path) -> None:
    advice = coreloom(place, "advise", "ipc", "--signal")
    assert (advice.returncode, advice.stderr) == (0, "")
    assert advice.stdout.startswith("Use: doorbell")
    model = coreloom(place, "model", "five-on-four", "--policy", "dwrr", "--seconds", "1")
    assert model.returncode == 0, model.stderr


def test_what_needs_a_checkout_says_so(place: Path) -> None:
    said = "this needs a checkout of Coreloom, not an installed package: clone it, then `make setup`"
    line = f"coreloom: error: {said}\n"
    for verb in ("report", "generate"):
        done = coreloom(place, verb)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", line)
    assert not (place / "site" / "coreloom" / "data" / "docs" / "reference").exists()
