# SPDX-License-Identifier: Apache-2.0
"""The applications compiled for the host, on tests/apps/host instead of the runtime."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from coreloom.paths import APPS, ROOT
from coreloom.toolchain import cache, zig

HOST = ROOT / "tests" / "apps" / "host"
# E.g. CORELOOM_HOST_CC="gcc -fsanitize=address,undefined" or "gcc -fsanitize=thread".
_COMPILER = os.environ.get("CORELOOM_HOST_CC")


class Program:
    """One application as a host program."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path, self._folder = path, folder

    def run(self, data: bytes, **settings: int) -> tuple[int, bytes, int]:
        """(exit status, output, units done) for this INPUT; settings are environment variables of host/."""
        source, target = self._folder / "input", self._folder / "output"
        source.write_bytes(data)
        environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
        ended = subprocess.run(
            [self._path, source, target], capture_output=True, text=True, timeout=60, env=environment
        )
        assert not ended.stderr, ended.stderr
        done = int(ended.stdout.split()[1]) if ended.stdout else 0
        return ended.returncode, target.read_bytes(), done


Build = Callable[..., Program]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Compiles an application with macros, once each; with zig's compiler once for all processes."""
    folder = tmp_path_factory.mktemp("programs")
    built: dict[tuple[str, str], Path] = {}

    def build(app: str, macros: str) -> Path:
        if (app, macros) not in built:
            compiler = shlex.split(_COMPILER) if _COMPILER else [*zig.cc(), "-fsanitize=undefined"]
            flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]
            folders = [f"-I{HOST}", f"-I{APPS / 'include'}"]
            files = [*sorted((APPS / app).glob("*.c")), HOST / "coreloom.c"]
            command = [*compiler, *flags, *folders, *macros.split(), *map(str, files)]

            def make(work: Path) -> None:
                made = [*command, "-o", str(work / app)]
                subprocess.run(made, check=True, timeout=600, env=zig.environment())

            if _COMPILER:
                place = folder / f"{app}-{len(built)}"
            else:
                headers = [*HOST.glob("*.h"), *(APPS / "include").glob("*.h"), *(APPS / app).glob("*.h")]
                # What a sanitizer says names the file, so the place counts here.
                key = zig.digest(
                    [str(ROOT), *flags, *macros.split()], [*files, *sorted(headers), Path(__file__)]
                )
                place = cache.place("host") / f"{app}-{key}"
            built[app, macros] = cache.made(place, make) / app
        return built[app, macros]

    return build


@pytest.fixture
def host(programs: Callable[[str, str], Path], tmp_path: Path) -> Build:
    """host(app, macros): the application as a Program."""

    def build(app: str, macros: str = "") -> Program:
        return Program(programs(app, macros), tmp_path)

    return build
