# SPDX-License-Identifier: Apache-2.0
"""The published form of results: small, read back as it was, and enough for every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from coreloom.benches import pages, registry
from coreloom.benches.bench import Bench
from coreloom.errors import UserError
from coreloom.paths import ROOT
from coreloom.report import compact, results
from coreloom.report.page import Summary
from coreloom.report.table import Table

DATA = ROOT / "docs" / "results" / "data"
ROOM = 400_000  # bytes of all published data

CONTENT: dict[str, Any] = {
    "name": "some",
    "method": "One.\n\nTwo.\n",
    "none": [],
    "rows": [
        {"core": "standard", "cpus": 1, "kernel": None, "done": 278, "why": "", "of": {"min": 1, "max": 3}},
        {"core": "standard", "cpus": 2, "kernel": "hw", "done": 278, "why": "a\tb", "of": {"min": 1}},
        {"core": "standard", "cpus": 2, "kernel": "hw", "done": 1.5, "why": "true", "rest": [1, "x"]},
        {"core": "standard", "cpus": 2, "kernel": "hw", "done": 1e-7, "why": 'two words, with "quotes"\n'},
    ],
    "one": [{"counts": {"3": 1, "10": 2}, "text": "-", "yes": True, "float": 3.0}],
}


def test_a_result_is_read_as_it_was_written() -> None:
    assert compact.decode(compact.encode(CONTENT)) == CONTENT


def test_what_is_as_above_is_left_out() -> None:
    text = compact.encode({"name": "some", "rows": [{"a": "x", "b": n, "c": 0} for n in (1, 1, 2)]})
    assert text.decode() == '{"name": "some"}\n\nrows\t3\t{"a": "x", "c": 0}\nb\n1\n\n2\n'


def test_a_number_has_as_many_digits_as_a_page_needs() -> None:
    rows = [{"a": 1 / 3, "b": 123456789012}, {"a": 2 / 3, "b": 1}]
    found = compact.decode(compact.encode({"rows": rows}))["rows"]
    assert found == [{"a": 0.3333333333, "b": 123456789012}, {"a": 0.6666666667, "b": 1}]


@pytest.mark.parametrize("text", ["[]", '{"name": "smp"}\n\nrows\t1\t{}\na\tb\n1\n', '{"name": "smp"'])
def test_a_file_that_is_damaged(text: str, tmp_path: Path) -> None:
    path = tmp_path / "smp.tsv"
    path.write_text(text)
    with pytest.raises(UserError, match=r"^smp\.tsv is damaged \(.*\): run `coreloom bench smp` again$"):
        results.read(registry.get("smp").result, path, "bench smp")


def test_all_published_data_are_small() -> None:
    assert sum(path.stat().st_size for path in DATA.iterdir()) <= ROOM


@pytest.mark.parametrize(
    "name", [bench.name for bench in registry.benches().values() if bench.published.exists()]
)
def test_what_is_published_is_enough_to_be_published_again(name: str, tmp_path: Path) -> None:
    bench = registry.get(name)
    content = bench.read_published()
    again = tmp_path / bench.published.name
    again.write_bytes(pages.published(bench, content))
    assert results.read(bench.result, again, bench.command) == content


class _Row(msgspec.Struct, frozen=True):
    number: int


class _Result(results.Result, kw_only=True):
    rows: list[_Row]


class _Less(Bench[_Result]):
    """Publishes the first row, and shows all."""

    name, paper, help, title, order, result = "less", "", "", "Less", 1, _Result

    def shown(self, content: _Result) -> _Result:
        return msgspec.structs.replace(content, rows=content.rows[:1])

    def measure(self, *_: object) -> _Result:
        return _Result(name=self.name, rows=[])

    def tables(self, content: _Result) -> list[Table]:
        return [Table("Rows", ("n",), tuple((str(row.number),) for row in content.rows))]

    def summary(self, content: _Result) -> Summary:
        return Summary("Two sentences. No more.", Table("None", ("n",), ()))


def test_a_page_that_needs_more_than_is_published() -> None:
    assert pages.published(_Less(), _Result(name="less", rows=[_Row(1)])).endswith(b"\nnumber\n1\n")
    with pytest.raises(UserError, match="less: its page needs more than is published of it: a bug"):
        pages.published(_Less(), _Result(name="less", rows=[_Row(1), _Row(2)]))
