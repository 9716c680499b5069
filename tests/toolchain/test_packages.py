# SPDX-License-Identifier: Apache-2.0
"""Installed packages."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from coreloom import packages
from coreloom.errors import UserError


@pytest.mark.parametrize("name", ["ziglang", "pythondata-software-picolibc", "Rich", "coreloom"])
def test_a_version_is_that_of_the_package(name: str) -> None:
    assert packages.version(name) == metadata.version(name)


def test_what_is_not_installed_has_no_version_and_no_folder() -> None:
    assert packages.version("not-there") is None
    with pytest.raises(UserError, match=r"^the Python package not-there is missing: run `make setup`$"):
        packages.folder("not-there")


@pytest.mark.parametrize("folder", ["PyYAML-6.0.1.dist-info", "pyyaml-6.0.1.dist-info"])
def test_a_name_is_found_as_an_installer_has_written_it(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    packages.version.cache_clear()
    assert packages.version("pyyaml") == "6.0.1"
    packages.version.cache_clear()
