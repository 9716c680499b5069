# SPDX-License-Identifier: Apache-2.0
"""Data sheets show everything that the RTL has; drawings are well-formed and show what was measured."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from coreloom.design import record
from coreloom.paths import ROOT
from coreloom.report import datasheet, drawings
from coreloom.report.drawings import Bits, Wave

DRAWINGS = [path for path in datasheet.FILES if path.suffix == ".svg"]
_TEXT = "{http://www.w3.org/2000/svg}text"


def _texts(path: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(path).iter(_TEXT)]


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: path.stem)
def test_a_drawing_is_well_formed_and_shown_by_its_page(path: Path) -> None:
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
    page = re.sub("-[a-z]+$", "", path.stem)
    assert f"({path.name})" in (path.parent / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["kernel", "soc"])
def test_every_port_parameter_and_block_is_there(name: str) -> None:
    source = (ROOT / f"rtl/{name}/rtl/cl_{name}.sv").read_text(encoding="utf-8")
    page = (ROOT / f"docs/reference/datasheet-{name}.md").read_text(encoding="utf-8")
    head, body = source.split("\n);", 1)
    for found in re.findall(r"^  (?:input|output) .*?(\w+),?(?: *//.*)?$", head, re.MULTILINE):
        assert f"| `{found}` |" in page
    assert head.count("\n  input ") + head.count("\n  output ") >= 10
    for field in {"kernel": record.kernel, "soc": record.soc}[name]():
        assert f"| `{field.name}` | `{field.shown_default()}` |" in page
    drawn = _texts(ROOT / f"docs/reference/datasheet-{name}-blocks.svg")
    instances = re.findall(r"^ +(cl_\w+) (?:#\(|u_)", body, re.MULTILINE)
    assert set(instances) - {f"cl_{name}_rules"} == {text for text in drawn if text.startswith("cl_")}


def test_waveforms_show_the_measured_cycles() -> None:
    measured = datasheet.cycles()
    assert measured["mutex_lock, free"][0] == measured["self"][0] == 3
    made = datasheet._client(5, {0: ("lock, id", 3)}, "status 0")
    assert {wave.name: wave.cycles for wave in made} == {
        "req_i": "10000",
        "gnt_o": "10000",
        "addr_i": "a....",
        "rvalid_o": "00010",
        "rdata_o": "...a.",
    }


def test_a_name_without_room_is_below_its_field() -> None:
    made = drawings.words("t", {"Word": [Bits("wide", 8, 24), Bits("narrow", 0, 1), Bits("top", 31, 1)]})
    places = {e.text: float(e.attrib["y"]) for e in ElementTree.fromstring(made).iter(_TEXT)}
    assert places["narrow"] > places["wide"]


def test_a_wave_has_as_many_cycles_as_it_says() -> None:
    made = drawings.waves("t", [Wave("level", "0110"), Wave("word", ".aa.", {"a": "x < y"})])
    texts = [element.text for element in ElementTree.fromstring(made).iter(_TEXT)]
    assert texts == ["0", "1", "2", "3", "clk_i", "level", "word", "x < y"]
