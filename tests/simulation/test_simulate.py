# SPDX-License-Identifier: Apache-2.0
"""How a run is asked for and what is made of its end, with a script in place of the simulator."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import pytest

from coreloom import uses
from coreloom.design.address_map import INPUT_ROOM
from coreloom.errors import Ended, UserError
from coreloom.simulation import experiment, simulate
from coreloom.simulation.simulate import Options, Pulses, Sample
from coreloom.simulation.waves import Plan, Waves

# It does as a file next to it says, and keeps its command line there.
_MODEL = """#!{python}
import json, sys
from pathlib import Path
here = Path(__file__).parent
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
(here / "asked").write_text(json.dumps(sys.argv[1:]))
(here / "given").write_bytes(Path(words["--input"]).read_bytes())
does = json.loads((here / "does").read_text())
sys.stderr.write(does["says"])
sys.stdout.write(does["prints"])
for name in ("events", "names", "output", "profile"):
    if "--" + name in words:
        Path(words["--" + name]).write_bytes(bytes.fromhex(does[name]))
Path(words["--result"]).write_text(json.dumps(does["result"]))
sys.exit(does["status"])
"""
_RESULT = {
    "exit_status": 0,
    "cycles": 100,
    "seconds": 0.5,
    "reason": "exit",
    "skipped": 7,
    "transfers": 5,
    "stores": 2,
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return _model(tmp_path)


def _model(folder: Path) -> Path:
    """The folder, with a model and a program."""
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "sim"
    model.write_text(_MODEL.format(python=sys.executable), "utf-8")
    model.chmod(0o755)
    (folder / "program.bin").write_bytes(b"")
    return folder


def run(place: Path, options: Options = simulate.TO_THE_END, **does: object) -> simulate.SimResult:
    empty = dict.fromkeys(("says", "prints", "events", "names", "output", "profile"), "")
    (place / "does").write_text(json.dumps({"status": 0, "result": _RESULT, **empty, **does}), "utf-8")
    return simulate.run(place / "sim", place / "program.bin", options)


def test_what_a_run_leaves(place: Path) -> None:
    event = struct.pack("<QIBBH", 12, 34, 1, 5, 0)
    names = b"main\0worker\0"
    ran = run(place, Options(inputs=b"data"), prints="hello\n", says="progress 50\n", events=event.hex(),
              names=names.hex(), output="0102")  # fmt: skip
    assert (ran.exit_status, ran.cycles, ran.seconds, ran.reason, ran.skipped) == (0, 100, 0.5, "exit", 7)
    assert (ran.uart, ran.output, ran.names, ran.why) == ("hello\n", b"\1\2", ["main", "worker"], "")
    assert (ran.transfers, ran.stores, ran.profile, ran.waves) == (5, 2, [], None)
    assert ran.events == [simulate.Event(cycle=12, cpu=1, kind=5, value=34)]
    assert (place / "given").read_bytes() == b"data"


def test_a_measurement_finds_its_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By content: of the model, which its folder's name has, of image and input, and by the options."""
    monkeypatch.setenv("CORELOOM_CACHE", str(tmp_path / "cache"))
    place = _model(tmp_path / "verilator" / "smp-0123456789abcdef")

    def measured(options: Options = simulate.TO_THE_END, **does: object) -> tuple[str, bytes, bool]:
        (place / "asked").unlink(missing_ok=True)
        with uses.recorded():
            ran = run(place, options, **does)
        return ran.uart, ran.output, (place / "asked").exists()

    assert measured(prints="one\n", output="0102") == ("one\n", b"\1\2", True)
    assert measured(prints="two\n", output="03") == ("one\n", b"\1\2", False)
    assert run(place, prints="two\n").uart == "two\n"  # not a measurement
    for options in (
        Options(window=5),
        Options(inputs=b"data"),
        Options(pulses=[Pulses(1, 2, 3, 4, 5, 6)]),
        Options(profile=True),
        Options(watch=[12]),
    ):
        assert measured(options, prints="two\n") == ("two\n", b"", True)
        assert measured(options, prints="three\n") == ("two\n", b"", False)
    (place / "program.bin").write_bytes(b"another")
    assert measured(prints="four\n") == ("four\n", b"", True)


def test_a_run_that_fails_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORELOOM_CACHE", str(tmp_path / "cache"))
    place = _model(tmp_path / "verilator" / "smp-0123456789abcdef")
    with uses.recorded():
        with pytest.raises(UserError, match=r"^the simulation of program failed: no memory$"):
            run(place, status=1, says="error: no memory\n")
        assert run(place, prints="one\n").uart == "one\n"


def test_a_profile_is_read_if_asked_for(place: Path) -> None:
    sample = Sample(*range(1, len(Sample._fields) + 1))
    packed = simulate._SAMPLE.pack(*sample)
    assert run(place, Options(profile=True), profile=packed.hex()).profile == [sample]
    assert run(place, profile=packed.hex()).profile == []


def test_each_option_is_a_word_of_the_command(place: Path) -> None:
    asked = Options(
        max_cycles=1, max_simulated=2, window=3, loader=Path("loader"), far_period=4, far_stop=5,
        modules=True, every_cycle=True, endless=True, watch=(6, 7), pulses=(Pulses(1, 2, 3, 4, 5, 6),),
    )  # fmt: skip
    assert asked.words() == [
        *("--max-cycles", "1", "--max-simulated", "2", "--window", "3", "--loader", "loader"),
        *("--far-period", "4", "--far-stop", "5", "--modules", "1", "--every-cycle", "1", "--endless", "1"),
        *("--watch", "6", "--watch", "7", "--line", "1,2,3,4,5,6"),
    ]
    assert Options().words() == []
    run(place, asked)
    words = json.loads((place / "asked").read_text("utf-8"))
    assert words[: 2 + len(asked.words())] == ["--program", str(place / "program.bin"), *asked.words()]
    assert sorted(words[2 + len(asked.words()) :: 2]) == [
        "--events",
        "--input",
        "--names",
        "--output",
        "--result",
        "--temporary",
    ]


def test_a_line_is_shown_when_it_is_whole(place: Path) -> None:
    shown: list[bytes] = []
    passed: list[int] = []
    ran = run(place, Options(uart=shown.append, progress=passed.append), prints="a\nb", says="progress 9\n")
    assert (b"".join(shown), ran.uart, passed) == (b"a\nb", "a\nb", [9])


def test_ends_that_are_errors(place: Path) -> None:
    with pytest.raises(UserError, match=r"^the simulation of program failed: no memory$"):
        run(place, status=2, says="progress 1\nerror: no memory\n")
    with pytest.raises(UserError, match=r"^the simulation of program failed: status 2$"):
        run(place, status=2)
    with pytest.raises(simulate.Halted, match=r"^program: bus error at 0x1$"):
        run(place, status=3, says="error: bus error at 0x1\n")
    with pytest.raises(Ended, match=r"^program was stopped in cycle 100$"):
        run(place, result={**_RESULT, "reason": "stopped"})


def test_what_is_missing_is_one_line(place: Path) -> None:
    with pytest.raises(UserError, match=r"^the simulator \S+/none is missing: build it again$"):
        simulate.run(place / "none", place / "program.bin")
    with pytest.raises(UserError, match=r"^the program \S+/none\.bin is missing: build it again$"):
        simulate.run(place / "sim", place / "none.elf")
    with pytest.raises(UserError, match=r"^the input has \d+ bytes, at most \d+ fit: choose a smaller one$"):
        run(place, Options(inputs=bytes(INPUT_ROOM + 1)))
    run(place, Options(inputs=bytes(INPUT_ROOM)))


@pytest.mark.parametrize(
    ("begin", "end", "cycles"),
    [
        (None, "99", 100),
        ("10", "19", 10),
        ("10", "10", 1),
        ("10", None, None),
        ("main", "19", None),
        ("1", "a", None),
    ],
)
def test_cycles_of_a_waveform(begin: str | None, end: str | None, cycles: int | None) -> None:
    assert Plan(Waves(Path("a.fst"), begin, end), Path("sim")).cycles == cycles


def test_ports_of_an_application() -> None:
    assert experiment.ports("image", "hw", "buffered") == {"IMAGE_PORTS": "PORT_BUFFERED"}
    assert experiment.ports("packets", "freertos", "direct") == {"PACKETS_PORTS": "PORT_DIRECT"}
    no_buffer = "FreeRTOS's queues are not double-buffered: leave out --ports, or choose direct"
    no_choice = "--ports is not an option of packet: only image and packets have a choice"
    for app, kernel, kind, wrong in (
        ("image", "freertos", "buffered", no_buffer),
        ("image", "hw", "bufered", "unknown ports 'bufered': did you mean buffered?"),
        ("packet", "hw", "direct", no_choice),
    ):
        with pytest.raises(UserError) as error:
            experiment.ports(app, kernel, kind)
        assert str(error.value) == wrong


def test_applications_and_placements_that_there_are_not() -> None:
    experiment.check("image", "static")
    experiment.check("my.c", "dynamic")
    with pytest.raises(UserError, match=r"^unknown application 'imag': did you mean image"):
        experiment.check("imag", "static")
    with pytest.raises(UserError, match=r"^unknown placement 'statc': did you mean static"):
        experiment.check("image", "statc")
