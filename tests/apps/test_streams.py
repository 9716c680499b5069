# SPDX-License-Identifier: Apache-2.0
"""Several independent streams of an application side by side."""

from __future__ import annotations

import pytest

from coreloom.apps import capture, image
from coreloom.apps.image import ImageFilter
from coreloom.apps.packets import PacketProcessing

from .conftest import Build


@pytest.mark.parametrize("placement", [0, 1])
def test_the_output_is_that_of_one(host: Build, placement: int) -> None:
    """The output is that of one stream, the units of work are those of all."""
    macros = f"-DAPP_STREAMS=2 -DCL_PLACEMENT={placement}"
    picture = image.encode(image.draw((37, 20)))
    status, output, done = host("image", macros).run(picture)
    assert (status, done) == (0, 2 * 37 * 20)
    ImageFilter().check(output, picture)
    frames = capture.make()
    status, output, done = host("packets", macros).run(frames)
    assert (status, done) == (0, 2 * host("packets").run(frames)[2])
    PacketProcessing().check(output, frames)
