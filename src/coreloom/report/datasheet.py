# SPDX-License-Identifier: Apache-2.0
"""Data sheets of `cl_kernel` and `cl_soc` with their drawings.

All of it is read from what the hardware is made of: ports and blocks from the RTL, parameters, addresses and
words from the data files, cycles from the table of rtl/kernel/README.md, which a test measures.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from coreloom.design import generate, record, spec
from coreloom.paths import ROOT, RTL
from coreloom.report import drawings
from coreloom.report.drawings import Bits, Block, Wave, Window

_KERNEL = RTL / "kernel" / "rtl" / "cl_kernel.sv"
_SOC = RTL / "soc" / "rtl" / "cl_soc.sv"
_FOLDER = ROOT / "docs" / "reference"


class Port(NamedTuple):
    """A port of a module."""

    name: str
    direction: str
    type: str
    text: str


@dataclass(frozen=True)
class Module:
    """The source of a module: its head and its instances."""

    source: str

    @staticmethod
    def read(path: Path) -> Module:
        return Module(path.read_text(encoding="utf-8"))

    def ports(self) -> list[Port]:
        """A comment above ports is the text of the first."""
        start = self.source.index("\n) (")
        rows, above = [], ""
        for line in self.source[start : self.source.index("\n);", start)].splitlines():
            if found := re.match(r"  (input|output) +(\w+) *((?:\[[^]]+\])*) *(\w+),?(?: *// (.*))?$", line):
                way, kind, size, name, text = found.groups()
                rows.append(Port(name, way, f"{kind} {size}".strip(), text or above))
                above = ""
            elif comment := re.match(r" +// (.*)", line):
                above = comment[1]
        return rows

    def blocks(self) -> tuple[list[Block], dict[tuple[str, str], str]]:
        """The instances, and for each two of them the signals that one drives and the other reads."""
        made: list[Block] = []
        drives: dict[str, set[str]] = defaultdict(set)
        reads: dict[str, set[str]] = defaultdict(set)
        for at in _INSTANCE.finditer(self.source):
            indent, module, ports = at.groups()
            made.append(Block(module, self._when(at.start(), len(indent))))
            for port, signal in re.findall(r"\.(\w+) *\((.*)\)", ports):
                for name in _names(signal):
                    (drives if port.endswith("o") else reads)[name].add(module)
        # A signal that is only joined from others stands for these.
        joined = {
            name: _names(value)
            for name, value in re.findall(r"assign (\w+)(?:\[\w+\])? *= ([^;]*);", self.source)
        }
        order = [block.name for block in made]
        links: dict[tuple[str, str], set[str]] = defaultdict(set)
        for name, readers in reads.items():
            for source in {name} | joined.get(name, set()):
                for driver in drives[source]:
                    for reader in readers - {driver}:
                        low, high = sorted((driver, reader), key=order.index)
                        links[low, high].add(source)
        ordered = sorted(links, key=lambda pair: (order.index(pair[0]), order.index(pair[1])))
        return made, {pair: _group(links[pair]) for pair in ordered}

    def _when(self, at: int, indent: int) -> str:
        """For which clients an instance is there, or with which parameter; "" if always, once."""
        said = ""
        lines = self.source[:at].splitlines()
        for number in range(len(lines) - 1, 0, -1):
            line = lines[number]
            before = len(line) - len(line.lstrip())
            if not line.strip() or before >= indent or " begin" not in line:
                continue
            indent = before
            if loop := re.search(r"for \(genvar .*< (\w+);", line):
                return f"one for each of {loop[1]}"
            if " else " in line:  # of a test that says when it is not there
                line = next(up for up in reversed(lines[:number]) if re.match(rf" {{{before}}}if ", up))
            if test := re.search(r"if \(!?(?:Cfg\.)?(\w+)( == 0)?\)", line):
                said = f"with {test[1]}"
        return said


_INSTANCE = re.compile(
    r"^( +)(cl_\w+)(?: #\((?:[^;]*?\n)?[^;\n]*?\))? u_\w+ \(\n(.*?)^ +\);", re.MULTILINE | re.DOTALL
)


def _names(expression: str) -> set[str]:
    """The signals of an expression; a name before a colon or behind a dot is a field."""
    return set(re.findall(r"(?<![.\w'])[a-z]\w+\b(?!:)", expression))


def _group(names: Iterable[str]) -> str:
    """Signals by their first word, at most two: kernel_req and kernel_gnt are kernel_*."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        groups[name.split("_")[0]].append(name)
    said = [f"{first}_*" if len(of) > 1 else of[0] for first, of in groups.items()]
    return ", ".join(said[:2]) + (" ..." if len(said) > 2 else "")


def _rows(made: list[Block], links: Mapping[tuple[str, str], str]) -> list[list[Block]]:
    """Each block as far down as it is from the first one; in a row near those above that it is joined to."""
    near = defaultdict(set)
    for a, b in links:
        near[a].add(b)
        near[b].add(a)
    by_name = {block.name: block for block in made}
    rows = [[made[0].name]]
    seen = {made[0].name}
    while True:
        found = [name for name in by_name if name not in seen and any(name in near[up] for up in rows[-1])]
        if not found:
            break
        above = rows[-1]
        at = {name: [above.index(up) for up in near[name] if up in above] for name in found}
        rows.append(sorted(found, key=lambda name: sum(at[name]) / len(at[name])))
        seen.update(found)
    return [[by_name[name] for name in row] for row in rows]


def _blocks(title: str, path: Path) -> str:
    made, links = Module.read(path).blocks()
    rows = _rows(made, links)
    drawn = {block.name for row in rows for block in row}
    return drawings.blocks(
        title, rows, {pair: text for pair, text in links.items() if drawn.issuperset(pair)}
    )


def _bits(fields: Mapping[str, spec.Field]) -> list[Bits]:
    return [Bits(name, field.lsb, field.width) for name, field in fields.items()]


def _words(title: str, names: Mapping[str, str]) -> str:
    layouts = spec.kernel().layouts
    return drawings.words(title, {text: _bits(layouts[name]) for name, text in names.items()})


def _kernel_encoding() -> str:
    return _words(
        "Address and answer of an operation", {"address": "Address (offset in the port)", "word": "Answer"}
    )


def _kernel_words() -> str:
    names = [name for name in spec.kernel().layouts if name not in ("address", "word")]
    return _words("Other words", {name: name.replace("_", " ").capitalize() for name in names})


def _ipc_encoding() -> str:
    layouts = {name.replace("_", " ").capitalize(): _bits(of) for name, of in spec.ipc().layouts.items()}
    return drawings.words("Address of a communication operation, and its words", layouts)


def cycles() -> dict[str, tuple[int | None, ...]]:
    """By operation: cycles to the answer, another client's answer, quiet, and irq_o, as measured."""
    text = (RTL / "kernel" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \|" + r" (\d*) ?\|" * 4 + "$", text, re.MULTILINE)
    return {name: tuple(int(value) if value else None for value in values) for name, *values in rows}


def _at(cycle: int, length: int, letter: str = "1", nothing: str = "0") -> str:
    """In one cycle a letter, in all others nothing."""
    return nothing * cycle + letter + nothing * (length - cycle - 1)


def _client(
    length: int, asks: Mapping[int, tuple[str, int]], answer: str, writes: bool = False
) -> list[Wave]:
    """A client's port; asks: by cycle of the request its address, and the cycles to its answer."""
    requests = "".join("1" if n in asks else "0" for n in range(length))
    letters = {cycle: chr(97 + n) for n, cycle in enumerate(asks)}
    addresses = "".join(letters.get(n, ".") for n in range(length))
    done = {cycle + wait for cycle, (_, wait) in asks.items()}
    last = max(done)
    signals = [
        Wave("req_i", requests),
        Wave("gnt_o", requests),
        Wave("addr_i", addresses, {letters[cycle]: text for cycle, (text, _) in asks.items()}),
        Wave("rvalid_o", "".join("1" if n in done else "0" for n in range(length))),
        Wave("rdata_o", _at(last, length, "a", "."), {"a": answer}),
    ]
    if writes:
        first = min(asks)
        signals[2:2] = [
            Wave("we_i", _at(first, length)),
            Wave("wdata_i", _at(first, length, "a", "."), {"a": "argument"}),
        ]
    return signals


def _lock() -> str:
    answer = cycles()["mutex_lock, free"][0]
    assert answer
    return drawings.waves(
        "mutex_lock: the mutex is free", _client(answer + 2, {0: ("lock, id", answer)}, "status 0")
    )


def _create() -> str:
    stored, answer = cycles()["word0 (load)"][0], cycles()["thread_create"][0]
    assert stored and answer
    second = stored + 1
    asks = {0: ("word0", stored), second: ("create", answer)}
    return drawings.waves(
        "thread_create: the argument first", _client(second + answer + 2, asks, "thread", writes=True)
    )


def _wake() -> str:
    answer, other, *_ = cycles()["mutex_unlock, the waiter's CPU is idle"]
    assert answer and other
    length = max(answer, other) + 2
    signals = [
        *_client(length, {0: ("unlock, id", answer)}, "status 0"),
        Wave("rvalid_o[1]", _at(other, length)),
        Wave("rdata_o[1]", _at(other, length, "a", "."), {"a": "resumed"}),
    ]
    return drawings.waves("mutex_unlock: the waiter's CPU is idle", signals)


def _preempt() -> str:
    answer, _, _, irq = cycles()["port_send, immediate, the receiver waits"]
    assert answer and irq
    length = irq + 2
    signals = [*_client(length, {0: ("send, port", answer)}, "status 0"), Wave("irq_o", "0" * irq + "11")]
    return drawings.waves("port_send: the receiver is more urgent", signals)


def _windows() -> list[Window]:
    found: list[Window] = []
    for name, region in sorted(spec.soc().regions.items(), key=lambda item: (item[1].base, -item[1].bytes)):
        depth = sum(w.base <= region.base < w.base + w.bytes for w in found)
        found.append(Window(name, region.base, region.bytes, depth))
    return found


def _map() -> str:
    return drawings.address_map("Address map of the SoC", _windows())


def _kernel_page() -> str:
    module = Module.read(_KERNEL)
    return generate.render(
        "datasheet-kernel.md",
        ports=module.ports(),
        fields=record.kernel(),
        spec=spec.kernel(),
        cycles=cycles(),
        typical=cycles()["self"][0],
    )


def _soc_page() -> str:
    module = Module.read(_SOC)
    return generate.render(
        "datasheet-soc.md",
        ports=module.ports(),
        fields=record.soc(),
        windows=[(w, drawings.size(w.bytes), spec.soc().regions[w.name].text) for w in _windows()],
        spec=spec.soc(),
    )


_MAKERS: dict[str, Callable[[], str]] = {
    "datasheet-kernel.md": _kernel_page,
    "datasheet-kernel-blocks.svg": partial(_blocks, "Blocks of cl_kernel", _KERNEL),
    "datasheet-kernel-encoding.svg": _kernel_encoding,
    "datasheet-kernel-words.svg": _kernel_words,
    "datasheet-kernel-lock.svg": _lock,
    "datasheet-kernel-create.svg": _create,
    "datasheet-kernel-wake.svg": _wake,
    "datasheet-kernel-preempt.svg": _preempt,
    "datasheet-soc.md": _soc_page,
    "datasheet-soc-blocks.svg": partial(_blocks, "Blocks of cl_soc", _SOC),
    "datasheet-soc-map.svg": _map,
    "datasheet-soc-ipc.svg": _ipc_encoding,
}
FILES: dict[Path, Callable[[], str]] = {_FOLDER / name: make for name, make in _MAKERS.items()}
