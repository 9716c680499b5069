# SPDX-License-Identifier: Apache-2.0
"""`coreloom PROGRAM --build`, which make uses: again when the program is made, too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom import entry
from coreloom.programs import registry

_LIBBPF = pytest.mark.linux  # a package of Debian


@pytest.mark.parametrize(
    "name", ["exclusive", pytest.param("scx_dwrr", marks=_LIBBPF), pytest.param("lagmeter", marks=_LIBBPF)]
)
def test_build_prints_the_program_each_time(name: str) -> None:
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-m", "coreloom.entry", name, "--build"],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
        assert registry.made(name) == Path(done.stdout.strip())
    assert said[0] == said[1]
    assert os.access(said[0].strip(), os.X_OK)


def test_an_older_python_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as older:
        older.setattr(sys, "version_info", (3, 9, 18))
        status = entry.main()
    said = "Coreloom needs Python 3.10 or newer, this is 3.9.18: install it with a newer one"
    printed = capsys.readouterr()
    assert (status, printed.out, printed.err) == (1, "", f"coreloom: error: {said}\n")
