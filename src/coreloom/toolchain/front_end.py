# SPDX-License-Identifier: Apache-2.0
"""Programs written for another API than POSIX: which they are, and what each ground adds to them.

A program for FreeRTOS's API is linked on our kernels with runtime/api/freertos, which is compiled with the
program's flags and FreeRTOSConfig.h, as FreeRTOS is; on FreeRTOS it gets a configuration that adds to its own
what the SoC decides.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from coreloom.errors import UserError, suggest
from coreloom.paths import RUNTIME
from coreloom.toolchain import cache, firmware, layers
from coreloom.toolchain.application import Application

POSIX, FREERTOS = "posix", "freertos"
APIS = (POSIX, FREERTOS, *layers.LAYERS)
FOLDER = RUNTIME / "api" / FREERTOS
CONFIG = "FreeRTOSConfig.h"
_FREERTOS_H = re.compile(r'^\s*#\s*include\s*[<"]FreeRTOS\.h[>"]', re.MULTILINE)
_OTHER = re.compile(r'^\s*#\s*include\s*[<"](?:pthread|threads)\.h[>"]', re.MULTILINE)
# Files of FreeRTOS's kernel, of which a project may be made: ours, or nothing, takes their place.
_OWN = {path.name: path for path in FOLDER.glob("*.c")}
_KERNEL = re.compile(r"^[\s/*]*FreeRTOS Kernel\b", re.MULTILINE)
_NAMES = re.compile(
    r"(?:tasks|queue|timers|event_groups|stream_buffer|list|croutine|port|heap_\d)\.c|portASM\.[sS]"
)


# In FreeRTOS a preempted task comes after its equals; without it in front of them, as POSIX wants it.
MACROS = {"CL_PREEMPTED_LAST": 1}
_DEFINES = b"cl_frt_depths"  # of tasks.c, to which only files of the layer refer


@dataclass(frozen=True)
class FreeRTOSProgram(Application):
    """A program of the user's for FreeRTOS's API."""


def of(app: Application, api: str | None) -> Application:
    """The program with its API: the given one, or, if that is None, the one that its sources include."""
    if api not in (None, *APIS):
        raise UserError(f"unknown API '{api}': {suggest(str(api), APIS)}")
    if found := layers.of(app, api):
        return found
    if api == POSIX or (api is None and not is_freertos(app)):
        return app
    fields = {field.name: getattr(app, field.name) for field in dataclasses.fields(Application)}
    fields["files"] = tuple(file for file in app.files if not replaces(file))
    return FreeRTOSProgram(**fields)


def is_chosen(api: str | None, ground: str) -> bool:
    """Whether sources are compiled for FreeRTOS's API on our kernels."""
    if api not in (None, *APIS):
        raise UserError(f"unknown API '{api}' for --api: {suggest(str(api), APIS)}")
    if api == FREERTOS and ground == firmware.LINUX:
        raise UserError(
            "--api freertos is not for ground linux, which has no such API: choose hw, sw or freertos"
        )
    return api == FREERTOS and ground in firmware.OURS


def is_freertos(app: Application) -> bool:
    """Whether a program is for FreeRTOS's API, and for no other."""
    return app.mentions(_FREERTOS_H) and not app.mentions(_OTHER)


def replaces(file: Path) -> bool:
    """Whether a source is of FreeRTOS's kernel."""
    if not _NAMES.fullmatch(file.name) or not file.is_file():
        return False
    return bool(_KERNEL.search(file.read_text("utf-8", "replace")[:400]))


def replacement(file: Path) -> Path:
    """The source of ours in the place of one of FreeRTOS's kernel."""
    name = "heap.c" if file.name.startswith("heap_") else file.name
    return _OWN.get(name, FOLDER / "none" / "none.c")


def is_defined(inputs: Iterable[str]) -> bool:
    """Whether the linker's inputs have the scheduler already: the project has compiled tasks.c."""
    return any(_DEFINES in path.read_bytes() for path in map(Path, inputs) if path.is_file())


def layer() -> list[Path]:
    return sorted(_OWN.values())


def flags(user: Sequence[str], beside: Iterable[Path] = ()) -> list[str]:
    """The flags for all sources of a program for FreeRTOS's API on our kernels: ours before the user's."""
    folders = dict.fromkeys(f"-I{folder}" for folder in beside)
    return [f"-I{FOLDER / 'include'}", *user, *folders, f"-idirafter{FOLDER / 'default'}"]


def on(app: str | Application, ground: str) -> str | Application:
    """The program as it is built for a ground."""
    if isinstance(app, layers.LayerProgram):
        return app.on(ground, firmware.OURS)
    if not isinstance(app, FreeRTOSProgram):
        return app
    beside = [file.absolute().parent for file in app.files]
    if ground in firmware.OURS:
        return dataclasses.replace(
            app,
            files=(*app.files, *layer()),
            flags=tuple(flags(app.flags, beside)),
            defines=(*app.defines, *MACROS.items()),
        )
    if ground == firmware.LINUX:
        raise UserError(
            f"{app.name} is for FreeRTOS's API, which Linux does not have: choose hw, sw or freertos"
        )
    config = _config(app, beside)
    return app if config is None else dataclasses.replace(app, files=(_completed(config), *app.files))


def _config(app: Application, beside: Sequence[Path]) -> Path | None:
    """The program's FreeRTOSConfig.h; None if it has none, or one that adds to ours."""
    named = (Path(flag[2:]) for flag in app.flags if flag.startswith("-I") and len(flag) > 2)
    for folder in (*beside, *named):
        if (found := folder.absolute() / CONFIG).is_file():
            return None if "include_next" in found.read_text("utf-8", "replace") else found
    return None


_COMPLETED = """\
/* Made by Coreloom: a program's FreeRTOSConfig.h with what the SoC decides. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmacro-redefined"
#include "{ours}"
#undef FREERTOS_CONFIG_H /* the program's has the same guard */
#undef configNUMBER_OF_CORES
#undef configSUPPORT_STATIC_ALLOCATION
#undef configKERNEL_PROVIDED_STATIC_MEMORY
#undef configUSE_IDLE_HOOK
#undef configUSE_PASSIVE_IDLE_HOOK
#undef configUSE_TIMERS
#include "{config}"
#ifndef configUSE_TIMERS
#define configUSE_TIMERS 0
#endif
#ifndef configNUMBER_OF_CORES
#define configNUMBER_OF_CORES 1
#endif
#if configNUMBER_OF_CORES != CL_CPUS
#error "configNUMBER_OF_CORES is not the platform's number of CPUs: choose as many by --cpus"
#endif
#if configUSE_IDLE_HOOK
#define CL_FREERTOS_OWN_IDLE_HOOK 1
#else
#undef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 1
#endif
#if CL_CPUS > 1
#if configUSE_PASSIVE_IDLE_HOOK
#define CL_FREERTOS_OWN_PASSIVE_IDLE_HOOK 1
#else
#undef configUSE_PASSIVE_IDLE_HOOK
#define configUSE_PASSIVE_IDLE_HOOK 1
#endif
#endif
#undef configAPPLICATION_ALLOCATED_HEAP
#define configAPPLICATION_ALLOCATED_HEAP 1
#undef configMTIME_BASE_ADDRESS
#define configMTIME_BASE_ADDRESS (CL_LOCAL + CL_MTIME_LO)
#undef configMTIMECMP_BASE_ADDRESS
#define configMTIMECMP_BASE_ADDRESS (CL_LOCAL + CL_MTIMECMP_LO)
#undef configISR_STACK_SIZE_WORDS
#define configISR_STACK_SIZE_WORDS 512
#pragma clang diagnostic pop
"""


def _completed(config: Path) -> Path:
    """A source next to a FreeRTOSConfig.h that completes the program's, and so is found before it."""
    text = _COMPLETED.format(ours=RUNTIME / "freertos" / CONFIG, config=config)

    def make(work: Path) -> None:
        (work / CONFIG).write_text(text, encoding="utf-8")
        (work / "config.c").write_text("/* Made by Coreloom: its folder has the configuration. */\n")

    key = hashlib.sha256(text.encode()).hexdigest()[:16]  # which has both places, as the file does
    return cache.made(cache.place("freertos") / f"config-{key}", make) / "config.c"
