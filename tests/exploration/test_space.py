# SPDX-License-Identifier: Apache-2.0
"""Which configurations are tried, and the platform of each."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.exploration import space
from coreloom.exploration.space import Config


def names(threads: int, services: tuple[str, ...] = (), memories: tuple[str, ...] = ("sram",)) -> list[str]:
    return [config.name for config in space.configs(threads, services, memories, ("fast",))]


def test_one_thread_needs_no_kernel_and_no_second_cpu() -> None:
    assert names(1) == ["fast-1-sw"]


def test_no_more_cpus_than_threads() -> None:
    assert names(2) == [f"fast-{n}-{kernel}" for n in (1, 2) for kernel in ("sw", "small", "fast")]
    counts = {
        threads: max(config.cpus for config in space.configs(threads, (), ["sram"]))
        for threads in (3, 5, 9, 40)
    }
    assert counts == {3: 4, 5: 8, 9: 16, 40: 16}
    assert {config.cpus for config in space.configs(9, (), ["sram"], most_cpus=4)} == {1, 2, 4}


def test_services_only_where_the_program_uses_them() -> None:
    assert names(2, ("timeouts",))[:5] == [
        "fast-1-sw",
        "fast-1-small",
        "fast-1-fast",
        "fast-1-full",
        "fast-1-small-timeouts",
    ]


def test_with_sdram_a_data_cache_is_a_choice_but_of_the_fast_core() -> None:
    found = space.configs(1, (), ("sdram", "cached"))
    assert [config.name for config in found] == [
        *("economy-1-sw-sdram", "standard-1-sw-sdram", "fast-1-sw-sdram"),
        *("economy-1-sw-cached", "standard-1-sw-cached"),
    ]


@pytest.mark.parametrize(
    "config",
    [
        *space.configs(40, ("timeouts", "events"), ("sram",)),
        *space.configs(40, ("timeouts", "events"), ("sdram", "cached")),
    ],
    ids=lambda config: config.name,
)
def test_each_is_a_platform_whose_file_gives_the_same_one(config: Config, tmp_path: Path) -> None:
    soc = config.soc("smp-standard", False)
    assert (soc.core, soc.cpus, soc.name) == (config.core, config.cpus, config.platform)
    file = tmp_path / f"{soc.name}.toml"
    file.write_text(platform.text(soc, "a test"), encoding="utf-8")
    assert dataclasses.replace(platform.load(str(file)), home=None) == soc


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("amp-standard", "amp-standard is an amp platform: explore varies those with smp-bus"),
        ("hthreads", "hthreads has hardware threads, of which explore knows no area: leave them out"),
    ],
)
def test_platforms_that_cannot_be_varied(name: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        space.check(platform.load(name))
    assert str(error.value) == message
