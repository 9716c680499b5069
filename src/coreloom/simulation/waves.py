# SPDX-License-Identifier: Apache-2.0
"""Waveforms of a run: what is written, how large that is, and what a viewer shows first.

The simulator writes an FST file (rtl/soc/sim/waves.h), with texts next to the signals of the design. A view
of it is saved next to the file, for GTKWave and for Surfer: per processor its thread, its port of the kernel
in words and in signals, and its pc; then the threads.
"""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from coreloom.design import spec
from coreloom.errors import UserError
from coreloom.files import write_atomically
from coreloom.simulation import fst, stuck
from coreloom.simulation.places import Code
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain.verilate import HIERARCHY

SUFFIX = ".fst"
GTKWAVE, SURFER = ".gtkw", ".sucl"  # saved views
MOST = 1_000_000_000  # bytes of a file, unless another number is given
TEXTS = "coreloom"  # the scope of the simulator's texts
_TOP = "TOP.cl_soc"
_KEPT_FREE = 0.9  # of what is free on the disk, so much is used
# Bytes of the file in a hundred cycles of busy processors: at least, and for each bit of a signal.
_LEAST, _A_BIT = 800, 1
_PORT = ("request_i", "answer_o")


@dataclass(frozen=True)
class Waves:
    """A waveform request: begin, end are a cycle or a thread's name, scopes paths or units (none: all)."""

    path: Path
    begin: str | None = None
    end: str | None = None
    scopes: tuple[str, ...] = ()
    most: int = MOST
    units: tuple[str, ...] = ()  # names of the platform's hardware threads

    def __post_init__(self) -> None:
        first, last = (int(text) if text and text.isdecimal() else None for text in (self.begin, self.end))
        if first is not None and last is not None and first > last:
            raise UserError(f"--waves-from {first} is after --waves-to {last}: give an earlier cycle")


@dataclass(frozen=True)
class Plan:
    """The model's options for that."""

    waves: Waves
    model: Path

    @cached_property
    def _names(self) -> fst.Hierarchy:
        file = self.model.parent / HIERARCHY
        return fst.hierarchy(file) if file.is_file() else fst.Hierarchy({})

    @cached_property
    def scopes(self) -> list[str]:
        """The paths of the scopes. UserError if one is unknown."""
        return [path for scope in self.waves.scopes for path in self._found(scope)]

    def _found(self, scope: str) -> list[str]:
        """A scope by its path or the last names of it, without `u_`, as near to the top as there is one."""
        names = self._names.scopes
        short = {name: _short(name) for name in names}
        wanted = f".{_short(f'.{scope}').lstrip('.')}"
        found = [name for name in names if name == scope or f".{short[name]}".endswith(wanted)]
        depth = min((name.count(".") for name in found), default=0)
        if found:
            return [name for name in found if name.count(".") == depth]
        units = sorted(
            {each.rpartition(".")[2] for name, each in short.items() if name.startswith(f"{_TOP}.")}
        )
        near = difflib.get_close_matches(scope, units, 3)
        tops = [
            short[name].rpartition(".")[2] for name in names if name.startswith(f"{_TOP}.") and ".u_" in name
        ]
        hint = near or [each for each in dict.fromkeys(tops) if "[" not in each][:12]
        raise UserError(
            f"no scope '{scope}' in this platform: choose a path, or a unit such as {', '.join(hint)}"
        )

    @cached_property
    def signals(self) -> list[fst.Signal]:
        """Those that are in the file."""
        return self._names.within([*(self.scopes or ["TOP"]), TEXTS])

    @property
    def bytes_a_cycle(self) -> float:
        """An estimate."""
        texts = f"{TEXTS}."
        bits = {
            each.handle: each.bits
            for each in self.signals
            if not each.constant and not each.name.startswith(texts)
        }
        return (_LEAST + _A_BIT * sum(bits.values())) / 100

    @property
    def cycles(self) -> int | None:
        """How many are written, if both limits are cycles."""
        first, last = self.waves.begin or "0", self.waves.end or ""
        return int(last) - int(first) + 1 if first.isdecimal() and last.isdecimal() else None

    @cached_property
    def most(self) -> int:
        """Bytes at which the file ends."""
        folder = next(parent for parent in self.waves.path.absolute().parents if parent.is_dir())
        return min(self.waves.most, int(shutil.disk_usage(folder).free * _KEPT_FREE))

    def options(self, file: Path, elf: Path) -> list[str]:
        """Options of the model."""
        kernel = spec.kernel()
        words = {f"op.{op.code}": name for name, op in kernel.ops.items()}
        words |= {
            f"{kind}.{code.code}": name
            for kind in ("state", "status")
            for name, code in kernel.enums[kind].items()
        }
        words |= {f"unit.{number}": name for number, name in enumerate(self.waves.units)}
        given: list[tuple[str, object]] = [
            ("", file),
            ("-most", self.most),
            ("-words", ",".join(f"{key}={word}" for key, word in words.items())),
            *(("-scope", scope) for scope in self.scopes),
        ]
        given += [
            (f"-{name}", text) for name, text in (("from", self.waves.begin), ("to", self.waves.end)) if text
        ]
        given += [(f"-{name}", ",".join(map(str, table))) for name, table in _tables(elf).items()]
        return [str(word) for option, value in given for word in (f"--waves{option}", value)]

    def save_views(self, threads: Mapping[str, str]) -> None:
        """Those of GTKWave and Surfer; threads: their numbers and names."""
        rows = list(self._rows(threads))
        for suffix, text in ((GTKWAVE, _gtkwave(self.waves.path, rows)), (SURFER, _surfer(rows))):
            write_atomically(self.waves.path.with_suffix(suffix), text.encode())

    def _rows(self, threads: Mapping[str, str]) -> Iterator[_Row | str]:
        """The rows of a view; a word: the name of the group that begins."""
        by_path = {_path(signal.name): signal for signal in self.signals}
        clients = [
            path[len(TEXTS) + 1 : -len("_thread")]
            for path in by_path
            if path.endswith("_thread") and path.startswith(TEXTS)
        ]
        for number, client in enumerate(clients):
            paths = [(f"{TEXTS}.{client}_{what}", what) for what in ("thread", "operation", "answer")]
            paths += [(f"{_TOP}.u_kernel.g_client[{number}].u_port.{name}", "") for name in _PORT]
            paths += [(f"{_TOP}.g_tile[{number}].u_tile.pc_o", "")] if client.startswith("cpu") else []
            yield client
            yield from (_Row(by_path[path], name) for path, name in paths if path in by_path)
        yield "threads"
        for number_text, name in threads.items():
            if signal := by_path.get(f"{TEXTS}.thread{number_text}"):
                yield _Row(signal, f"{number_text} {name}".strip())


@dataclass(frozen=True)
class _Row:
    signal: fst.Signal
    name: str  # empty: the signal's own

    @property
    def is_text(self) -> bool:
        return self.signal.name.startswith(f"{TEXTS}.")


def told(report: Mapping[str, Any], waves: Waves, cycles: int) -> str:
    """The defect of a finished waveform; empty: none. report: the model's own."""
    ran = ", ".join(dict.fromkeys(name for name in report["threads"].values() if name))
    for limit, came in ((waves.begin, report["from"] is not None), (waves.end, report["ends"])):
        if limit and not limit.isdecimal() and not came:
            return f"no thread named '{limit}' has run, but {ran}"
    if report["from"] is not None and waves.end and waves.end.isdecimal() and report["from"] > int(waves.end):
        return f"thread '{waves.begin}' first ran behind --waves-to {waves.end}, in cycle {report['from']}"
    if report["from"] is None:
        return f"no waveform: the run has ended in cycle {cycles}, before --waves-from {waves.begin}"
    return ""


def _short(path: str) -> str:
    """A path as people call it: without `u_`, and a tile is a CPU."""
    names = [name.removeprefix("u_") for name in path.split(".")]
    return (
        ".".join(names).replace("g_tile[", "cpu").replace("].tile", "")
        if "g_tile[" in path
        else ".".join(names)
    )


def _path(name: str) -> str:
    """A signal's name without its range."""
    return name[: name.rindex("[")] if name.endswith("]") and ":" in name[name.rindex("[") :] else name


def _tables(elf: Path) -> dict[str, tuple[int, int, int]]:
    """Where the threads' names and states are: address, bytes of a row, rows; no states: the RTL has them."""
    symbols = elf_file.extents(elf) if elf.is_file() else {}
    found = {}
    if "cl_names" in symbols:
        at, size = symbols["cl_names"]
        found["names"] = (at, stuck.NAME_BYTES, size // stuck.NAME_BYTES)
    if "k_threads" in symbols:
        at, size = symbols["k_threads"]
        layout = stuck.layouts(Code(elf).dwarf)["k_threads"]
        found["states"] = (at + layout.members["state"], layout.size, size // layout.size)
    return found


_TEXT, _HEX, _BIT, _BEGIN, _END = "820", "22", "28", "800200", "1000200"  # flags of GTKWave


def _gtkwave(file: Path, rows: Sequence[_Row | str]) -> str:
    lines = [f'[dumpfile] "{file.absolute()}"', "[timestart] 0", "[sst_width] 200", "[signals_width] 260"]
    group = ""
    for row in (*rows, ""):
        if isinstance(row, str):
            lines += [f"@{_END}", f"-{group}"] if group else []
            lines += [f"@{_BEGIN}", f"-{row}"] if row else []
            group = row
        else:
            lines.append(f"@{_TEXT if row.is_text else _BIT if row.signal.bits == 1 else _HEX}")
            lines.append(f"+{{{row.name}}} {row.signal.name}" if row.name else row.signal.name)
    return "\n".join(lines) + "\n"


def _surfer(rows: Sequence[_Row | str]) -> str:
    lines = []
    for number, row in enumerate(rows):
        if isinstance(row, str):
            lines.append(f"divider_add {row}")
            continue
        lines.append(f"variable_add {_path(row.signal.name)}")
        if row.is_text:
            letters = "".join(chr(ord("a") + int(digit, 16)) for digit in f"{number:x}")
            plain = "".join(c for c in row.name if c not in "#;")
            lines += [
                f"item_focus {letters}_",
                "item_set_format ASCII",
                f"item_rename {plain}",
                "item_unfocus",
            ]
    return "\n".join([*lines, "zoom_fit"]) + "\n"
