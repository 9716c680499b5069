# SPDX-License-Identifier: Apache-2.0
"""cl_kernel from garbage: what no reset sets makes no difference to any answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.reference.kernel import Config
from coreloom.reference.stream import Generator
from coreloom.simulation.harness.kernel_port import play, referee
from garbage import from_garbage

from .harness import SEED
from .test_referee import CONFIGS, KEPT


def model(config: Config) -> Path:
    with from_garbage():
        return referee.__wrapped__(config)  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.nightly(but=("pipeline-all", "large-2+3", "events-2+1"))
def test_random_stream(name: str, tmp_path: Path) -> None:
    config, count = CONFIGS[name]
    for seed in (SEED, SEED + 1, SEED + 2):
        report, _ = play(config, Generator(config, seed).steps(count // 5), seed, tmp_path, model(config))
        assert report["steps"] == count // 5


def test_it_is_another_model() -> None:
    """Without the flags, or with others before them, nothing would be random."""
    config, _ = CONFIGS["pipeline-all"]
    assert model(config) != referee(config)
