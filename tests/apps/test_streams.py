# SPDX-License-Identifier: Apache-2.0
"""Several independent streams of an application side by side."""

from __future__ import annotations

import pytest

from coreloom.apps import APPS, capture, image
from coreloom.apps.image import ImageFilter
from coreloom.apps.packets import PacketProcessing
from coreloom.benches.smp.bench import Case

from .conftest import Build

WINDOW = 200_000


@pytest.mark.parametrize("placement", [0, 1])
def test_the_output_is_that_of_one(host: Build, placement: int) -> None:
    """And the work that of all."""
    macros = f"-DAPP_STREAMS=2 -DCL_PLACEMENT={placement}"
    picture = image.encode(image.draw((37, 20)))
    status, output, done = host("image", macros).run(picture)
    assert (status, done) == (0, 2 * 37 * 20)
    ImageFilter().check(output, picture)
    frames = capture.make()
    status, output, done = host("packets", macros).run(frames)
    assert (status, done) == (0, 2 * host("packets").run(frames)[2])
    PacketProcessing().check(output, frames)


@pytest.mark.parametrize(
    ("app", "kernel", "one", "four"),
    [("image", "hw", 0, 0), ("image", "sw", 0, 0), ("packets", "hw", 0, 0), ("packets", "sw", 0, 0)],
)
def test_streams_keep_more_cpus_busy(app: str, kernel: str, one: int, four: int) -> None:
    """Work of 4 CPUs."""
    done = []
    for streams in (1, 4):
        case = Case(app, "standard", kernel, 4, "dynamic", ports="buffered", streams=streams)
        done.append(case.experiment().run(APPS[app].prepare(None), window=WINDOW).figures.done)
    assert done == [one, four]
