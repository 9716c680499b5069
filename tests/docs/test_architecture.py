# SPDX-License-Identifier: Apache-2.0
"""The picture of the package is true: all folders are in it, in the order that imports are held to."""

from __future__ import annotations

import graphlib
import itertools
import re
import sys

import pytest

from coreloom.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = ROOT / "src" / "coreloom"


def _layers() -> list[list[str]]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers: list[str] = config["contracts"][0]["layers"]
    return [re.split(r" [|:] ", layer.replace("coreloom.", "")) for layer in layers]


def test_every_module_is_in_a_layer() -> None:
    there = {
        path.stem for path in PACKAGE.iterdir() if path.name != "__init__.py" and path.suffix != ".typed"
    }
    assert there - {"__pycache__"} == {name for layer in _layers() for name in layer}


def test_the_picture_has_the_layers_in_their_order() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    picture = page.split("```")[3]
    places = [[picture.index(f" {name} ") for name in layer] for layer in _layers()[:-1]]
    assert all(max(above) < min(below) for above, below in itertools.pairwise(places))
    assert all(f" {name}" in picture for name in _layers()[-1])


def test_no_module_is_longer_than_a_reader_wants() -> None:
    """The reference model may be: it is the kernel's law, and is read from the first line to the last."""
    long = {path for path in PACKAGE.rglob("*.py") if len(path.read_text("utf-8").splitlines()) > 600}
    assert long == {PACKAGE / "reference" / "kernel.py"}


@pytest.mark.parametrize("files", ["exclusive/*.[ch]", "lagmeter/*.[ch]", "scx_dwrr/*.h"])
def test_files_of_c_do_not_include_each_other_in_a_circle(files: str) -> None:
    includes: dict[str, set[str]] = {}
    for path in (ROOT / "linux").glob(files):
        names = re.findall(r'#include "([\w.]+)\.h"', path.read_text())
        includes.setdefault(path.stem, set()).update(set(names) - {path.stem})
    graphlib.TopologicalSorter(includes).prepare()  # CycleError names them
