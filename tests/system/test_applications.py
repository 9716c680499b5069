# SPDX-License-Identifier: Apache-2.0
"""Both applications on every kernel, core, CPU count and placement: the output is the host's, always."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.apps import APPS
from coreloom.apps.capture import make
from coreloom.apps.image import draw
from coreloom.design import platform
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Options
from garbage import from_garbage


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Small inputs, so that every combination runs to its end."""
    folder = tmp_path_factory.mktemp("inputs")
    picture: Path = folder / "picture.png"
    draw((40, 24)).save(picture)
    capture: Path = folder / "capture.pcap"
    capture.write_bytes(make(frames=60))
    return {"image": APPS["image"].prepare(picture), "packets": APPS["packets"].prepare(capture)}


# Every number of CPUs and placement on one core, every core with one of them.
PLACES = [(1, "dynamic"), (2, "static"), (2, "dynamic"), (4, "dynamic")]
CORES = ("standard", "economy", "fast")


@pytest.mark.parametrize(
    ("core", "cpus", "placement"),
    nightly_but(
        [(core, *place) for core, place in product(CORES, PLACES)],
        [*(("standard", *place) for place in PLACES), *((core, 2, "dynamic") for core in CORES)],
    ),
)
@pytest.mark.parametrize("kernel", ["hw", "sw"])
@pytest.mark.parametrize("app", ["image", "packets"])
@pytest.mark.nightly(
    but=(
        "image-hw-standard-1-dynamic",
        "image-hw-economy-2-dynamic",
        "image-hw-fast-2-dynamic",
        "packets-sw-standard-2-static",
        "packets-sw-standard-4-dynamic",
    )
)
@pytest.mark.test(
    *(f"{app}-{kernel}-standard-2-dynamic" for app in ("image", "packets") for kernel in ("hw", "sw"))
)
def test_output_is_the_hosts(
    inputs: dict[str, bytes], app: str, core: str, kernel: str, cpus: int, placement: str
) -> None:
    check(app, platform.load(f"smp-{core}", cpus), kernel, placement, inputs[app])


@pytest.mark.parametrize(
    ("kernel", "cpus", "placement"),
    nightly_but(
        [
            ("freertos", 1, "dynamic"),
            ("freertos-tuned", 1, "dynamic"),
            ("freertos", 2, "static"),
            ("freertos", 2, "dynamic"),
            ("freertos", 4, "dynamic"),
        ],
        [("freertos", 1, "dynamic"), ("freertos-tuned", 1, "dynamic"), ("freertos", 2, "dynamic")],
    ),
)
@pytest.mark.usefixtures("freertos_sources")
@pytest.mark.parametrize("app", ["image", "packets"])
@pytest.mark.nightly(
    but=("image-freertos-1-dynamic", "image-freertos-2-dynamic", "packets-freertos-tuned-1-dynamic")
)
def test_output_is_the_hosts_on_freertos(
    inputs: dict[str, bytes], app: str, kernel: str, cpus: int, placement: str
) -> None:
    check(app, platform.load("smp-standard", cpus), kernel, placement, inputs[app])


@pytest.mark.parametrize(
    ("core", "kernel"),
    nightly_but(product(("standard", "economy"), ("hw", "sw")), [("standard", "sw"), ("economy", "hw")]),
)
@pytest.mark.parametrize("app", ["image", "packets"])
def test_output_is_the_hosts_on_amp(inputs: dict[str, bytes], app: str, core: str, kernel: str) -> None:
    check(app, platform.load(f"amp-{core}", 2), kernel, "dynamic", inputs[app])


def check(app: str, soc: platform.Platform, kernel: str, placement: str, data: bytes) -> None:
    outcome = Experiment(app, soc, kernel, placement).run(data, Options(max_cycles=20_000_000))
    outcome.check_finished()
    APPS[app].check(outcome.result.output, data)
    done = {"image": 40 * 24, "packets": 60}[app]
    assert outcome.figures.done == done


@pytest.mark.parametrize(
    ("core", "kernel"),
    nightly_but(
        product(CORES, ("hw", "sw")),
        [("standard", "hw"), ("standard", "sw"), ("economy", "hw"), ("fast", "sw")],
    ),
)
def test_output_is_the_hosts_from_garbage(inputs: dict[str, bytes], core: str, kernel: str) -> None:
    """What no reset sets, and memory, is random: nothing may depend on it."""
    soc = platform.load(f"smp-{core}", 2)
    with from_garbage(soc=True):
        check("packets", soc, kernel, "dynamic", inputs["packets"])


@pytest.mark.test
def test_a_run_repeats_to_the_cycle(inputs: dict[str, bytes]) -> None:
    experiment = Experiment("packets", platform.load("smp-standard", 2))
    first, second = (experiment.run(inputs["packets"]).result for _ in range(2))
    assert first.cycles == second.cycles
    assert first.events == second.events
