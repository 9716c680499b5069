# SPDX-License-Identifier: Apache-2.0
"""Programs written for another API than POSIX: which they are, and what each ground adds to them.

On our kernels, sources of runtime/api are linked with them. FreeRTOS's are compiled with the program's flags
and FreeRTOSConfig.h, as FreeRTOS is; on FreeRTOS a program gets a configuration that adds to its own what the
SoC decides.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coreloom.errors import UserError, suggest
from coreloom.paths import RUNTIME
from coreloom.toolchain import cache, firmware
from coreloom.toolchain.application import Application

POSIX, FREERTOS = "posix", "freertos"
CONFIG = "FreeRTOSConfig.h"
_FOLDER = RUNTIME / "api"


@dataclass(frozen=True)
class Grounds:
    """Where programs for an API run. error: on any other ground; {} is the program's name."""

    names: Collection[str]
    error: str

    def check(self, ground: str, name: str = "the program") -> None:
        if ground not in self.names:
            raise UserError(self.error.format(name))


@dataclass(frozen=True)
class Layer:
    """An API whose functions are sources of ours."""

    header: str  # what its programs include
    folders: tuple[str, ...]  # of runtime/api, with the sources
    include: str  # folder with the headers
    grounds: Grounds
    without: tuple[str, ...] = ()  # headers, of which its programs include none
    default: str | None = None  # folder with a header that the program's own comes before
    macros: Mapping[str, int] = field(default_factory=dict)
    # A project may have files of the real kernel. Ours of the same name, or else `none`, are used instead.
    replaced: re.Pattern[str] | None = None  # their names
    begins: re.Pattern[str] | None = None  # in their first 400 characters
    none: str = ""
    symbol: bytes | None = None  # of its scheduler; only sources of the layer refer to it

    @property
    def files(self) -> list[Path]:
        """Its sources."""
        return [path for name in self.folders for path in sorted((_FOLDER / name).glob("*.c"))]

    def flags(self, user: Sequence[str], beside: Iterable[Path] = ()) -> list[str]:
        """The flags for all sources of a program on our kernels, which are in `beside`: ours first."""
        found = [f"-I{_FOLDER / self.include}", *user]
        if self.default:
            found += dict.fromkeys(f"-I{folder}" for folder in beside)
            found.append(f"-idirafter{_FOLDER / self.default}")
        return found

    def is_of(self, app: Application) -> bool:
        """Whether the program includes the header, and none of another API."""
        return app.mentions(_include(self.header)) and not (
            self.without and app.mentions(_include(*self.without))
        )

    def replacement(self, file: Path) -> Path | None:
        """The source of ours to use instead of a file of the real kernel; None for any other file."""
        if not (self.replaced and self.begins and self.replaced.fullmatch(file.name) and file.is_file()):
            return None
        if not self.begins.search(file.read_text("utf-8", "replace")[:400]):
            return None
        name = re.sub(r"^heap_\d", "heap", file.name)
        return next((own for own in self.files if own.name == name), _FOLDER / self.none)


def _include(*headers: str) -> re.Pattern[str]:
    names = "|".join(map(re.escape, headers))
    return re.compile(rf'^\s*#\s*include\s*[<"](?:{names})[>"]', re.MULTILINE)


def _on_ours(title: str) -> Grounds:
    return Grounds(
        firmware.OURS, f"{{}} is for {title}'s API: choose {' or '.join(firmware.KERNELS)} by --on"
    )


LAYERS = {
    FREERTOS: Layer(
        "FreeRTOS.h",
        ("freertos",),
        "freertos/include",
        Grounds(
            firmware.GROUNDS,
            "{} is for FreeRTOS's API, which Linux does not have: choose hw, sw or freertos by --on",
        ),
        without=("pthread.h", "threads.h", "cmsis_os2.h", "itron.h"),
        default="freertos/default",
        # In FreeRTOS a preempted task comes after its equals; without it before them, as POSIX wants it.
        macros={"CL_PREEMPTED_LAST": 1},
        replaced=re.compile(
            r"(?:tasks|queue|timers|event_groups|stream_buffer|list|croutine|port|heap_\d)\.c|portASM\.[sS]"
        ),
        begins=re.compile(r"^[\s/*]*FreeRTOS Kernel\b", re.MULTILINE),
        none="freertos/none/none.c",
        symbol=b"cl_frt_depths",
    ),
    "cmsis_rtos2": Layer("cmsis_os2.h", ("cmsis_rtos2", "common"), "cmsis_rtos2", _on_ours("CMSIS-RTOS2")),
    "itron": Layer("itron.h", ("itron", "common"), "itron", _on_ours("uITRON")),
}
APIS = (POSIX, *LAYERS)


def of(app: Application, api: str | None) -> Application:
    """The program with its API: the given one, or, if that is None, the one that its sources include."""
    if api not in (None, *APIS):
        raise UserError(f"unknown API '{api}': {suggest(str(api), APIS)}")
    name = api or next((name for name, layer in LAYERS.items() if layer.is_of(app)), POSIX)
    if name == POSIX:
        return app
    files = tuple(file for file in app.files if LAYERS[name].replacement(file) is None)
    return dataclasses.replace(app, api=name, files=files)


def chosen(api: str | None, ground: str) -> Layer | None:
    """What `coreloom cc --api API` adds to a program on a ground; None: nothing."""
    if api not in (None, *APIS):
        raise UserError(f"unknown API '{api}' for --api: {suggest(str(api), APIS)}")
    layer = LAYERS.get(api or POSIX)
    if layer:
        layer.grounds.check(ground)
    return layer if ground in firmware.OURS else None


def linked(inputs: Iterable[str]) -> Layer | None:
    """The layer that is among the linker's inputs, as the project has compiled its sources."""
    content = [path.read_bytes() for path in map(Path, inputs) if path.is_file()]
    for layer in LAYERS.values():
        if layer.symbol and any(layer.symbol in each for each in content):
            return layer
    return None


def on(app: str | Application, ground: str) -> str | Application:
    """The program as it is built for a ground. UserError if its API is not there."""
    if isinstance(app, str) or not app.api:
        return app
    layer = LAYERS[app.api]
    layer.grounds.check(ground, app.name)
    beside = [file.absolute().parent for file in app.files]
    if ground in firmware.OURS:
        return dataclasses.replace(
            app,
            files=(*app.files, *layer.files),
            flags=tuple(layer.flags(app.flags, beside)),
            defines=(*app.defines, *layer.macros.items()),
        )
    config = _config(app, beside)
    if config is None:
        return app
    completed = _completed(config)
    return dataclasses.replace(
        app, files=(completed, *app.files), flags=(f"-I{completed.parent}", *app.flags)
    )


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
#undef configTICK_TYPE_WIDTH_IN_BITS /* and the next: FreeRTOS refuses an old name with the new one */
#undef INCLUDE_xTaskDelayUntil
#undef configKERNEL_PROVIDED_STATIC_MEMORY
#undef configUSE_IDLE_HOOK
#undef configUSE_PASSIVE_IDLE_HOOK
#undef configUSE_TIMERS
#include "{config}"
#ifndef configUSE_TIMERS
#define configUSE_TIMERS 0
#endif
#if !defined(configUSE_16_BIT_TICKS) && !defined(configTICK_TYPE_WIDTH_IN_BITS)
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#endif
#if !defined(INCLUDE_vTaskDelayUntil) && !defined(INCLUDE_xTaskDelayUntil)
#define INCLUDE_xTaskDelayUntil 1
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
