# SPDX-License-Identifier: Apache-2.0
"""The programs for two processors: what they compute, on the host and with both back ends of the target."""

from __future__ import annotations

import cmath
import json
import os
import shlex
import struct
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.apps.pair import FIGURES, PAIR, Fft, PairProgram, Wavelet, figures
from coreloom.design import platform
from coreloom.errors import UserError, WrongOutput
from coreloom.paths import APPS, ROOT, RUNTIME
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Options
from coreloom.toolchain import zig

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HOST = ROOT / "tests" / "apps" / "host"
_COMPILER = os.environ.get("CORELOOM_HOST_CC")  # see conftest.py
HEADER = 4 * len(FIGURES)
NOTHING = b""


class Native:
    """The programs compiled for the host."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._compiler = shlex.split(_COMPILER) if _COMPILER else [*zig.cc(), "-fsanitize=undefined"]
        (folder / "empty").write_bytes(b"")

    def _compile(self, name: str, files: Iterable[Path], folder: Path, *flags: str) -> Path:
        # The real headers come last: of coreloom.h and pthread.h the host has its own.
        include = [f"-I{path}" for path in (HOST, folder, APPS / "pair")]
        include += ["-idirafter", str(RUNTIME / "include")]
        command = [*self._compiler, "-std=gnu11", "-O1", "-g", *include, *flags, *map(str, files)]
        made = self._folder / name
        subprocess.run([*command, "-pthread", "-o", str(made)], check=True, timeout=120)
        return made

    def _wheels(self, app: str) -> list[Path]:
        more = tomllib.loads((APPS / app / "build.toml").read_text())
        objects = []
        for number, wheel in enumerate(more.get("wheel", [])):
            spec = find_spec(wheel["package"].replace("-", "_"))
            assert spec is not None and spec.origin is not None
            flags = ["-c", "-w", "-fno-sanitize=undefined", *wheel["flags"]]
            for source in wheel["sources"]:
                file = Path(spec.origin).parent / wheel["folder"] / source
                objects.append(self._compile(f"{number}-{source}.o", [file], APPS / app, *flags))
        return objects

    def start(self, files: Iterable[Path], size: int, backdoor: int, *flags: str) -> tuple[int, str, bytes]:
        """(exit status, what it printed, OUTPUT) of a program; backdoor 0: far is a thread; 1: a process."""
        name = f"{len(list(self._folder.iterdir()))}"
        files = [*files, *(APPS / "pair").glob("*.c"), *HOST.glob("*.c")]
        defines = [f"-DPAIR_SIZE={size}", f"-DCL_BACKDOOR={backdoor}", "-Wall", "-Wextra", "-Werror"]
        program = self._compile(name, files, files[0].parent, *defines, *flags)
        output = self._folder / f"{name}.out"
        command = [program, self._folder / "empty", output]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert not ended.stderr, ended.stderr
        return ended.returncode, ended.stdout, output.read_bytes() if output.exists() else b""

    def run(self, app: str, size: int, backdoor: int) -> bytes:
        """The OUTPUT of a program that must end well."""
        files = [*sorted((APPS / app).glob("*.c")), *self._wheels(app)]
        status, said, output = self.start(files, size, backdoor)
        assert (status, said.count("speed-up")) == (0, 1), said
        return output


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native(tmp_path_factory.mktemp("pair"))


def words_crossing(app: str, size: int) -> tuple[int, int]:
    """(down, up) as the programs' READMEs say."""
    borders = sum(size >> level for level in range(Wavelet.levels)) // 2
    return {
        "sort": (size - size // 2, size - size // 2),
        "dhrystone": (1, 49),
        "fft": (size // 2, size // 2),
        "wavelet": (size * size // 8 + borders, size * size // 4 + borders),
    }[app]


# Quick: the smallest and the largest of each program.
CASES = nightly_but(
    [(app.name, size, backdoor) for app in PAIR.values() for size in app.sizes for backdoor in (0, 1)],
    [(app.name, *end) for app in PAIR.values() for end in product((min(app.sizes), max(app.sizes)), (0, 1))],
)


@pytest.mark.parametrize(("app", "size", "backdoor"), CASES)
@pytest.mark.nightly(
    but=(
        "sort-50-0",
        "sort-20000-0",
        "dhrystone-10-1",
        "fft-64-0",
        "fft-4096-1",
        "wavelet-32-1",
        "wavelet-256-0",
    )
)
def test_every_size_on_the_host(native: Native, app: str, size: int, backdoor: int) -> None:
    output = native.run(app, size, backdoor)
    PAIR[app].check(output, NOTHING)
    found = figures(output)
    assert found["size"] == size
    crossing = words_crossing(app, size) if backdoor else (0, 0)
    assert (found["words_down"], found["words_up"]) == crossing


@pytest.mark.parametrize(
    ("wrong", "backdoor", "status", "text"),
    (
        (1, 0, 1, "error: the results with one and two processors differ"),
        (1, 1, 1, "error: the results with one and two processors differ"),
        (2, 0, 1, "error: the results with one and two processors differ"),
        (3, 1, 3, "processor 1: state 3, detail 0, pc 0, address 0\nremote_receive: Broken pipe"),
    ),
)
def test_what_goes_wrong_is_said(native: Native, wrong: int, backdoor: int, status: int, text: str) -> None:
    program = ROOT / "tests" / "apps" / "target" / "pair_wrong.c"
    ended, said, _ = native.start([program], 4, backdoor, f"-DWRONG={wrong}")
    assert (ended, text in said) == (status, True), said


SMALL = (("sort", 101), ("dhrystone", 21), ("fft", 256), ("wavelet", 32))


@pytest.mark.parametrize(
    ("app", "size", "backend", "core"),
    nightly_but(
        [(*app, *where) for app in SMALL for where in product(("smp", "backdoor"), ("standard", "economy"))],
        [
            *((*app, "backdoor", "standard") for app in SMALL),
            *((*app, "smp", "standard") for app in SMALL[:2]),
            (*SMALL[0], "backdoor", "economy"),
        ],
    ),
)
def test_small_sizes_on_the_target(app: str, size: int, backend: str, core: str) -> None:
    soc = platform.load(f"{backend}-{core}")
    outcome = Experiment(app, soc, defines={"PAIR_SIZE": size}).run(NOTHING, Options(max_cycles=20_000_000))
    outcome.check_finished()
    PAIR[app].check(outcome.result.output, NOTHING)
    found = figures(outcome.result.output)
    crossing = (0, 0) if backend == "smp" else words_crossing(app, size)
    assert (found["words_down"], found["words_up"]) == crossing
    assert 0 < found["cycles_2"] < found["cycles_1"]
    assert (found["serial_cycles"] > 0) == (app == "sort")
    assert found["wait_cycles"] + found["transfer_cycles"] < found["cycles_2"]


def test_one_cpu_is_not_enough() -> None:
    outcome = Experiment("sort", platform.load("smp-standard", 1)).run(NOTHING, Options(max_cycles=1_000_000))
    with pytest.raises(UserError, match="ended with status 1: this program needs two processors"):
        outcome.check_finished()


def test_the_whole_sorted_by_selection_is_the_same() -> None:
    """The README's figure: a selection sort of the whole takes up to twice the cycles of two halves."""
    found = []
    for whole in (0, 1):
        defines: dict[str, str | int] = {"PAIR_SIZE": 500, "SORT_WHOLE": whole}
        outcome = Experiment("sort", platform.load("smp-standard"), defines=defines).run(NOTHING)
        PAIR["sort"].check(outcome.result.output, NOTHING)
        found.append(figures(outcome.result.output)["cycles_1"])
    assert 1.6 < found[1] / found[0] < 2.0


@pytest.mark.parametrize("size", Fft.sizes)
def test_spectrum_is_the_exact_one_but_for_rounding(size: int) -> None:
    """Each stage rounds down, by half of the last place, and the products to the nearest."""
    app = Fft()
    points = [complex(*point) for point in app.points(size)]
    halves = struct.iter_unpack("<hh", app.result(size))
    bits = size.bit_length() - 1
    wanted = _dft(points)
    for place, (real, imaginary) in enumerate(halves):
        right = wanted[int(f"{place:0{bits}b}"[::-1], 2)] / size
        assert abs(complex(real, imaginary) - right) < 5


def _dft(points: list[complex]) -> list[complex]:
    if len(points) == 1:
        return points
    even, odd = _dft(points[::2]), _dft(points[1::2])
    turned = [cmath.exp(-2j * cmath.pi * k / len(points)) * value for k, value in enumerate(odd)]
    return [a + b for a, b in zip(even, turned, strict=True)] + [
        a - b for a, b in zip(even, turned, strict=True)
    ]


@pytest.mark.parametrize("size", Wavelet.sizes)
def test_wavelet_gives_the_picture_back(size: int) -> None:
    app = Wavelet()
    rows = [list(row) for row in struct.iter_unpack(f"<{size}h", app.result(size))]
    for level in reversed(range(app.levels)):
        step = 1 << level
        for x in range(0, size, step):
            column = _unlift([row[x] for row in rows[::step]])
            for row, value in zip(rows[::step], column, strict=True):
                row[x] = value
        for row in rows[::step]:
            row[::step] = _unlift(row[::step])
    assert rows == app.picture(size)


def _unlift(values: list[int]) -> list[int]:
    """The inverse of 5/3 lifting, sample by sample."""
    last = len(values) - 1
    for i in range(0, last, 2):
        values[i] -= (values[abs(i - 1)] + values[i + 1] + 2) >> 2
    for i in range(1, last + 1, 2):
        values[i] += (values[i - 1] + values[i + 1 if i < last else i - 1]) >> 1
    return values


@pytest.mark.parametrize("app", PAIR.values(), ids=PAIR)
def test_wrong_inputs_and_outputs(app: PairProgram, native: Native, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="takes no input"):
        app.prepare(tmp_path / "any")
    assert app.prepare(None) == NOTHING
    good = native.run(app.name, app.sizes[0], 0)
    assert good[HEADER:] == app.expected(NOTHING)
    app.save(good, tmp_path / "out.json")
    saved = json.loads((tmp_path / "out.json").read_text())
    assert saved["figures"] == figures(good)
    assert saved["result"][-1] == int.from_bytes(good[-4:], "little")
    for at, text in (
        (0, "begins with"),
        (4 * FIGURES.index("crc_1"), "crc_1 is"),
        (4 * FIGURES.index("crc_2"), "crc_2 is"),
        (HEADER, "word 0 of the result"),
        (len(good) - 1, f"word {(len(good) - HEADER) // 4 - 1} of the result"),
    ):
        wrong = bytearray(good)
        wrong[at] ^= 1
        with pytest.raises(WrongOutput, match=text):
            app.check(bytes(wrong), NOTHING)
    with pytest.raises(WrongOutput, match="the result has"):
        app.check(good[:-4], NOTHING)
    with pytest.raises(WrongOutput, match="too few for its header"):
        app.check(good[: HEADER - 1], NOTHING)
