# SPDX-License-Identifier: Apache-2.0
"""`coreloom list`, and a platform of the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.apps import APPS
from coreloom.design import hardware_threads, platform
from coreloom.paths import PLATFORMS
from coreloom.scheduling import build

from .command import run


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("platforms", platform.names()),
        ("units", list(hardware_threads.load())),
        ("policies", [*build.policies(), "edf"]),
        ("apps", list(APPS)),
    ],
)
def test_everything_of_a_kind_is_listed(
    capsys: pytest.CaptureFixture[str], kind: str, names: list[str]
) -> None:
    code, out, _ = run(capsys, "list", kind)
    assert code == 0
    firsts = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert [name for name in names if name not in firsts] == []


def test_an_unknown_kind(capsys: pytest.CaptureFixture[str]) -> None:
    line = "coreloom: error: unknown kind 'platform': did you mean platforms?\n"
    assert run(capsys, "list", "platform") == (1, "", line)


def test_a_platform_file_of_ones_own(tmp_path: Path) -> None:
    text = (PLATFORMS / "smp-economy.toml").read_text()
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("threads = 64", "threads = 32"))
    mine = platform.load(str(path), cpus=4)
    assert (mine.name, mine.cpus, mine.kernel.threads) == ("mine", 4, 32)
