# SPDX-License-Identifier: Apache-2.0
"""The sample is the same whenever, wherever and by whomever it is made; each area has its share of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from coreloom.mutation import sample
from coreloom.paths import ROOT

AREAS = sample.areas()


def test_the_sample_has_200_faults() -> None:
    assert sum(area.mutants for area in AREAS.values()) == 200


@pytest.mark.parametrize("name", AREAS)
def test_an_area_has_its_share(name: str) -> None:
    """More than that, as not every fault can be built; each of its files has tests near it."""
    area, paths = AREAS[name], area_paths(name)
    assert len(sample.ranked(paths, ROOT, sample.SEED)) > 3 * area.mutants
    for path in paths:
        assert area.nearest(path)
    for pattern in area.files:
        assert any(Path(path).match(pattern.replace("**/", "")) for path in paths), pattern
    for each in {word for _, *words in area.tests for word in words if "/" in word}:
        assert (ROOT / "tests" / each).exists(), each


def area_paths(name: str) -> list[str]:
    return sample.chosen([name], ROOT)[name]


def test_units() -> None:
    assert list(sample.chosen([], ROOT)) == list(AREAS)
    assert sample.chosen(["cl_local"], ROOT) == {"soc": ["rtl/soc/rtl/cl_local.sv"]}
    assert sample.chosen(["attr.c", "runtime/posix/once.c"], ROOT) == {
        "posix": ["runtime/posix/attr.c", "runtime/posix/once.c"]
    }
    assert sample.chosen(["sw", "cl_sw.c"], ROOT) == {"sw": AREAS["sw"].paths(ROOT)}
    assert list(sample.chosen(["libc"], ROOT)) == ["libc"]  # not runtime/posix/libc.c, too


def tree(folder: Path, text: str) -> list[str]:
    (folder / "a.c").write_text(text)
    return [mutant.ident for mutant in sample.ranked(["a.c"], folder, 1)]


LINES = [f"  if (x{i} < y && z{i}) f(g + {i});\n" for i in range(40)]


def test_the_order_depends_on_content_and_seed(tmp_path: Path) -> None:
    first = tree(tmp_path, "".join(LINES))
    assert tree(tmp_path, "".join(LINES)) == first
    assert len(first) == len(LINES)  # one a line
    assert [mutant.ident for mutant in sample.ranked(["a.c"], tmp_path, 2)] != first
    moved = tree(tmp_path, "int before;\n" + "".join(LINES))
    assert moved == first
    fewer = tree(tmp_path, "".join(LINES[1:]))
    assert len(set(fewer[:20]) & set(first[:20])) >= 15


def test_operators_take_turns(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("".join(LINES))
    operators = Counter(mutant.operator for mutant in sample.ranked(["a.c"], tmp_path, 1)[:20])
    assert len(operators) == 5 and max(operators.values()) <= 6


def test_shares() -> None:
    assert sample.shares({"a": 30, "b": 20}, 7) == {"a": 4, "b": 3}
    assert sample.shares({"a": 30, "b": 20}, 50) == {"a": 30, "b": 20}
    assert sum(sample.shares({name: area.mutants for name, area in AREAS.items()}, 37).values()) == 37
