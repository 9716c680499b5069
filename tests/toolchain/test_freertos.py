# SPDX-License-Identifier: Apache-2.0
"""Where FreeRTOS comes from: its sources are checked, kept once, and asked for in one line if missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from coreloom.commands import examine
from coreloom.errors import UserError
from coreloom.toolchain import cache, freertos


@pytest.fixture
def folder(freertos_sources: Path, tmp_path: Path) -> Path:
    """A kernel of the user's."""
    return shutil.copytree(freertos_sources, tmp_path / "FreeRTOS-Kernel")


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache without FreeRTOS on a machine without cargo; the folder of its programs."""
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    return programs


def refused(folder: Path) -> str:
    with pytest.raises(UserError) as error:
        freertos.kernel(folder)
    return str(error.value)


def test_a_folder_is_enough_and_is_kept(folder: Path, empty: Path) -> None:
    entry = freertos.kernel(folder)
    assert entry == cache.folder() / "freertos" / "V11.2.0-457969aded866d38"
    assert (entry / "tasks.c").read_bytes() == (folder / "tasks.c").read_bytes()
    shutil.rmtree(folder)
    assert freertos.kernel() == entry


def test_line_ends_make_no_difference(folder: Path, empty: Path) -> None:
    content = (folder / "queue.c").read_bytes()
    (folder / "queue.c").write_bytes(content.replace(b"\n", b"\r\n"))
    assert (freertos.kernel(folder) / "queue.c").read_bytes() == content


def test_what_is_not_used_makes_no_difference(folder: Path, empty: Path) -> None:
    (folder / "examples").mkdir()
    (folder / "examples" / "main.c").write_text("int main(void);\n")
    assert not (freertos.kernel(folder) / "examples").exists()


def test_a_folder_that_is_no_kernel(tmp_path: Path) -> None:
    assert refused(tmp_path) == (
        f"{tmp_path} is not a FreeRTOS kernel: give the folder FreeRTOS-Kernel, with include/task.h, "
        "to --freertos"
    )


def test_a_folder_of_another_version(folder: Path) -> None:
    header = folder / "include" / "task.h"
    header.write_text(header.read_text().replace('"V11.2.0"', '"V10.4.3"'))
    assert refused(folder) == (
        f"{folder} is FreeRTOS V10.4.3: give V11.2.0, which the figures are of, to --freertos"
    )


@pytest.mark.parametrize("part", ["portable/GCC/RISC-V", "portable/MemMang/heap_4.c"])
def test_a_folder_without_the_port(folder: Path, part: str) -> None:
    shutil.move(folder / part, folder / "elsewhere")
    assert refused(folder) == (
        f"{folder} has no {part}: give the whole kernel of FreeRTOS V11.2.0 to --freertos"
    )


def test_a_folder_that_somebody_changed(folder: Path) -> None:
    with (folder / "tasks.c").open("a") as file:
        file.write("/* faster */\n")
    assert refused(folder) == (
        f"{folder} is not FreeRTOS V11.2.0 as released: give its unmodified sources to --freertos"
    )


def test_what_doctor_says(folder: Path, empty: Path) -> None:
    absent = examine._freertos()
    assert (absent.ok, absent.required, absent.found) == (False, False, "no sources and no cargo")
    assert absent.remedy == (
        "install cargo, which fetches it, or give its folder to --freertos (a rival to compare with)"
    )
    (empty / "cargo").write_text("")
    (empty / "cargo").chmod(0o755)
    assert examine._freertos().found == "cargo fetches V11.2.0 when it is needed"
    freertos.kernel(folder)
    assert examine._freertos().found == "V11.2.0"


def test_neither_folder_nor_cargo(empty: Path) -> None:
    with pytest.raises(freertos.Missing) as error:
        freertos.kernel()
    assert str(error.value) == (
        "FreeRTOS V11.2.0 is missing: install cargo, which fetches it, or give its folder to --freertos"
    )


def test_a_cargo_that_cannot_fetch(empty: Path) -> None:
    cargo = empty / "cargo"
    cargo.write_text("#!/bin/sh\nprintf 'error: no network\\n\\nStack backtrace:\\n' >&2\nexit 101\n")
    cargo.chmod(0o755)
    with pytest.raises(freertos.Missing) as error:
        freertos.kernel()
    assert str(error.value) == (
        "FreeRTOS V11.2.0 is missing: cargo cannot fetch freertos-next 0.12.0 (error: no network); "
        "give its folder to --freertos"
    )


def test_it_is_never_trimmed_from_the_cache(
    folder: Path, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = freertos.kernel(folder)
    monkeypatch.setenv(cache.LIMIT, "0")
    cache.trim(now=4e9)
    assert entry.exists()
