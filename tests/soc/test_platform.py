"""Platform files: what is in them arrives, and what is wrong in them is said in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coreloom import platform
from coreloom.errors import UserError
from coreloom.paths import PLATFORMS


@pytest.mark.parametrize("core", ["economy", "standard"])
def test_load(core: str) -> None:
    loaded = platform.load(f"smp-{core}")
    assert (loaded.name, loaded.core, loaded.cpus, loaded.interconnect) == (f"smp-{core}", core, 2, "smp-bus")
    assert loaded.kernel == platform.KernelSize(64, 32, 32, 8, 32, 32)
    assert (loaded.ram_mib, loaded.ram_bytes, loaded.tick_cycles) == (32, 1 << 25, 1000)
    assert platform.load(f"smp-{core}", 4).cpus == 4


def test_unknown_name() -> None:
    with pytest.raises(UserError, match=r"^unknown platform 'smp': choose one of smp-economy, smp-standard"):
        platform.load("smp")


@pytest.mark.parametrize("cpus", [0, 5, -1])
def test_wrong_number_of_processors(cpus: int) -> None:
    with pytest.raises(UserError, match=f"cpus must be a whole number from 1 to 4, not {cpus}"):
        platform.load("smp-standard", cpus)


WRONG = {
    ('core = "standard"', 'core = "fast"'): "core is 'fast', choose one of economy, standard",
    ('core = "standard"', "core = 1"): "core must be a text, not 1",
    ('core = "standard"', ""): "'core' is missing",
    ("cpus = 2", "cpus = 5"): "cpus must be a whole number from 1 to 4, not 5",
    ("cpus = 2", "cpus = 1.5"): "cpus must be a whole number from 1 to 4, not 1.5",
    ("cpus = 2", "cpus = true"): "cpus must be a whole number from 1 to 4, not True",
    ("cpus = 2", 'cpus = "2"'): "cpus must be a whole number from 1 to 4, not '2'",
    ("cpus = 2", "cpus = 2\ncpu = 3"): "unknown setting 'cpu', remove it",
    ("threads = 64", "threads = 65"): "kernel.threads must be a power of two, not 65",
    ("threads = 64", "thread = 64"): "unknown setting 'kernel.thread', remove it",
    ("ports = 32", "ports = 257"): "kernel.ports must be a whole number from 1 to 256, not 257",
    ("ram_mib = 32", "ram_mib = 16"): "memory.ram_mib must be a whole number from 32 to 256, not 16",
    ("[memory]\nram_mib = 32", ""): "'memory.ram_mib' is missing",
    ('"smp-bus"', '"ring"'): "interconnect is 'ring', choose one of smp-bus",
    ('name = "smp-standard"', 'name = "other"'): "name is 'other', make it 'smp-standard'",
    ("cpus = 2", "cpus = ="): "cannot be read",
}


@pytest.mark.parametrize("change", WRONG, ids=lambda change: change[1] or change[0])
def test_wrong_file(tmp_path: Path, change: tuple[str, str]) -> None:
    text = (PLATFORMS / "smp-standard.toml").read_text()
    assert change[0] in text
    (tmp_path / "smp-standard.toml").write_text(text.replace(*change, 1))
    with pytest.raises(UserError, match=re.escape(WRONG[change])) as error:
        platform.load("smp-standard", folder=tmp_path)
    assert "smp-standard.toml" in str(error.value)
    assert "\n" not in str(error.value)
