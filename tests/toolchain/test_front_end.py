# SPDX-License-Identifier: Apache-2.0
"""Programs for FreeRTOS's API: the configuration that FreeRTOS itself is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.toolchain import cache, front_end
from coreloom.toolchain.application import Application


def test_equal_configurations_at_two_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What completes one includes it by its place, so it is not the other's, and no other checkout's."""

    def completed(folder: Path) -> str:
        folder.mkdir(exist_ok=True)
        (folder / "FreeRTOSConfig.h").write_text("#define configUSE_TIMERS 1\n")
        program = front_end.on(Application("main", (folder / "main.c",), api="freertos"), "freertos")
        assert not isinstance(program, str)
        return (program.files[0].parent / "FreeRTOSConfig.h").read_text()

    for name in ("one", "two"):
        assert f'#include "{tmp_path / name}/FreeRTOSConfig.h"' in completed(tmp_path / name)
    for checkout in (tmp_path / "first", tmp_path / "second"):
        monkeypatch.setattr(cache, "ROOT", checkout)
        monkeypatch.setattr(front_end, "RUNTIME", checkout / "runtime")
        assert f'#include "{checkout}/runtime/freertos/FreeRTOSConfig.h"' in completed(tmp_path / "one")
