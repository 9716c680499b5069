"""The programs for two processors: what they compute, on the host and on both grounds of the target."""

from __future__ import annotations

import cmath
import json
import os
import shlex
import struct
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from coreloom import platform
from coreloom.apps import PAIR, WrongOutput
from coreloom.apps.pair import FIGURES, Fft, PairProgram, Wavelet, figures
from coreloom.errors import UserError
from coreloom.experiment import Experiment
from coreloom.firmware import zig
from coreloom.paths import APPS, ROOT, RUNTIME

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HOST = ROOT / "tests" / "apps" / "host"
_COMPILER = os.environ.get("CORELOOM_HOST_CC")  # see conftest.py
HEADER = 4 * len(FIGURES)
NOTHING = b""

Native = Callable[[str, int, int], bytes]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    """native(app, size, backdoor): the OUTPUT of a program that was compiled for the host.

    backdoor 0: far is a thread; 1: a process.
    """
    folder = tmp_path_factory.mktemp("pair")
    compiler = shlex.split(_COMPILER) if _COMPILER else [*zig(), "cc", "-fsanitize=undefined"]

    def compile_(name: str, files: list[Path], app: str, *flags: str) -> str:
        # The real headers come last: of coreloom.h and pthread.h the host has its own.
        include = [f"-I{path}" for path in (HOST, APPS / app, APPS / "pair")]
        include += ["-idirafter", str(RUNTIME / "include")]
        command = [*compiler, "-std=gnu11", "-O1", "-g", *include, *flags, *map(str, files), "-pthread"]
        subprocess.run([*command, "-o", str(folder / name)], check=True, timeout=120)
        return str(folder / name)

    def run(app: str, size: int, backdoor: int) -> bytes:
        name = f"{app}-{size}-{backdoor}"
        more = tomllib.loads((APPS / app / "build.toml").read_text())
        objects = []
        for number, wheel in enumerate(more.get("wheel", [])):
            spec = find_spec(wheel["package"].replace("-", "_"))
            assert spec is not None and spec.origin is not None
            for source in wheel["sources"]:
                file = Path(spec.origin).parent / wheel["folder"] / source
                made = f"{app}-{number}-{source}.o"
                if not (folder / made).exists():
                    compile_(made, [file], app, "-c", "-w", "-fno-sanitize=undefined", *wheel["flags"])
                objects.append(folder / made)
        sources = [*(APPS / app).glob("*.c"), *(APPS / "pair").glob("*.c"), *HOST.glob("*.c")]
        defines = [f"-DPAIR_SIZE={size}", f"-DCL_BACKDOOR={backdoor}"]
        warn = ["-Wall", "-Wextra", "-Werror"]
        program = compile_(name, [*sources, *objects], app, *defines, *warn)
        empty, output = folder / "empty", folder / f"{name}.out"
        empty.write_bytes(b"")
        ended = subprocess.run([program, empty, output], capture_output=True, text=True, timeout=120)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert "speed-up" in ended.stdout
        return output.read_bytes()

    return run


def words_crossing(app: str, size: int) -> tuple[int, int]:
    """(down, up) as the programs' READMEs say."""
    borders = sum(size >> level for level in range(Wavelet.levels)) // 2
    return {
        "sort": (size - size // 2, size - size // 2),
        "dhrystone": (1, 49),
        "fft": (size // 2, size // 2),
        "wavelet": (size * size // 8 + borders, size * size // 4 + borders),
    }[app]


CASES = [(app.name, size) for app in PAIR.values() for size in app.sizes]


@pytest.mark.parametrize("backdoor", (0, 1))
@pytest.mark.parametrize(("app", "size"), CASES)
def test_every_size_on_the_host(native: Native, app: str, size: int, backdoor: int) -> None:
    output = native(app, size, backdoor)
    PAIR[app].check(output, NOTHING)
    found = figures(output)
    assert found["size"] == size
    crossing = words_crossing(app, size) if backdoor else (0, 0)
    assert (found["words_down"], found["words_up"]) == crossing


@pytest.mark.parametrize("core", ("standard", "economy"))
@pytest.mark.parametrize("ground", ("smp", "backdoor"))
@pytest.mark.parametrize(("app", "size"), (("sort", 101), ("dhrystone", 21), ("fft", 256), ("wavelet", 32)))
def test_small_sizes_on_the_target(app: str, size: int, ground: str, core: str) -> None:
    soc = platform.load(f"{ground}-{core}")
    outcome = Experiment(app, soc, defines={"PAIR_SIZE": size}).run(NOTHING, max_cycles=20_000_000)
    outcome.check_finished()
    PAIR[app].check(outcome.result.output, NOTHING)
    found = figures(outcome.result.output)
    crossing = (0, 0) if ground == "smp" else words_crossing(app, size)
    assert (found["words_down"], found["words_up"]) == crossing
    assert 0 < found["cycles_2"] < found["cycles_1"]
    assert (found["serial_cycles"] > 0) == (app == "sort")
    assert found["wait_cycles"] + found["transfer_cycles"] < found["cycles_2"]


def test_one_cpu_is_not_enough() -> None:
    outcome = Experiment("sort", platform.load("smp-standard", 1)).run(NOTHING, max_cycles=1_000_000)
    with pytest.raises(UserError, match="ended with status 1: this program is for two processors"):
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
    good = native(app.name, app.sizes[0], 0)
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
    with pytest.raises(WrongOutput, match="not even its header"):
        app.check(good[: HEADER - 1], NOTHING)
