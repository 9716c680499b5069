# SPDX-License-Identifier: Apache-2.0
"""APIs whose functions are sources of ours, which are linked with a program: CMSIS-RTOS2 and uITRON."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from coreloom.errors import UserError
from coreloom.paths import RUNTIME
from coreloom.toolchain.application import Application

_FOLDER = RUNTIME / "api"


@dataclass(frozen=True)
class Layer:
    """An API. header: what its programs include; folders: of runtime/api, the first has the headers."""

    title: str
    header: str
    folders: tuple[str, ...]


LAYERS = {
    "cmsis_rtos2": Layer("CMSIS-RTOS2", "cmsis_os2.h", ("cmsis_rtos2", "common")),
    "itron": Layer("uITRON", "itron.h", ("itron", "common")),
}


@dataclass(frozen=True)
class LayerProgram(Application):
    """A program of the user's for one of LAYERS."""

    api: str = ""

    def on(self, kernel: str, kernels: Iterable[str]) -> Application:
        """The program as it is built for a kernel. UserError if that is not one of ours, `kernels`."""
        check(self.api, kernel, kernels, self.name)
        return dataclasses.replace(
            self, files=(*self.files, *files(self.api)), flags=tuple(flags(self.api, self.flags))
        )


def of(app: Application, api: str | None) -> Application | None:
    """The program with its API, the given one or that of a header it includes; None: another API."""
    found = api if api in LAYERS else included(app) if api is None else None
    if not found:
        return None
    fields = {field.name: getattr(app, field.name) for field in dataclasses.fields(Application)}
    return LayerProgram(**fields, api=found)


def included(app: Application) -> str | None:
    """The API whose header the program includes."""
    for name, layer in LAYERS.items():
        if app.mentions(re.compile(rf'^\s*#\s*include\s*[<"]{re.escape(layer.header)}[>"]', re.MULTILINE)):
            return name
    return None


def flags(api: str | None, user: Sequence[str]) -> list[str]:
    """The compiler's flags for a program: ours before the user's."""
    return [*([f"-I{_FOLDER / LAYERS[api].folders[0]}"] if api in LAYERS else []), *user]


def files(api: str | None) -> list[Path]:
    """The sources of ours that are linked with a program."""
    folders = LAYERS[api].folders if api in LAYERS else ()
    return [path for name in folders for path in sorted((_FOLDER / name).glob("*.c"))]


def check(api: str | None, kernel: str, kernels: Iterable[str], name: str) -> None:
    """UserError if a program of that name cannot be for the API on the kernel; `kernels`: ours."""
    if api in LAYERS and kernel not in kernels:
        raise UserError(f"{name} is for {LAYERS[api].title}'s API: choose {' or '.join(kernels)} by --on")
