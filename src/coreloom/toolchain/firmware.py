# SPDX-License-Identifier: Apache-2.0
"""Programs for the SoC, by `zig cc`: application + POSIX layer + one of the two kernels, or + FreeRTOS."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from platform import machine

from coreloom.design import keys
from coreloom.design.address_map import PROGRAM_ROOM
from coreloom.design.keys import Platform
from coreloom.errors import UserError, suggest
from coreloom.paths import POLICIES, RUNTIME
from coreloom.toolchain import cache, far, freertos, note, zig
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain.application import Application, Foreign, application, included, user_defaults
from coreloom.toolchain.application import objects as objects_of
from coreloom.toolchain.link import MAKERS, NO_ROOM, POLICY_ROOM, Link, kept, user_flags, uses_no_threads
from coreloom.toolchain.zig import OPTIMISE, PLACELESS, WARN

KERNELS = {"hw": "hardware", "sw": "software"}  # what the POSIX layer stands on
FINE = {"fine": "software, fine-grained locks"}  # a rival to measure by, not a ground of its own
OURS = {**KERNELS, **FINE}
FREERTOS = {"freertos": "FreeRTOS", "freertos-tuned": "FreeRTOS, our port"}  # for programs of its own API
GROUNDS = {**OURS, **FREERTOS}  # simulated
LINUX = "linux"  # this machine, with its C library's threads
FREERTOS_PLACE = "/freertos"  # of its sources in debug information
PRIORITY = "priority"  # what the software kernel has of its own; its other policies are files of policies/
_EXCLUSIVE = "exclusive"  # stands on another one
_EXCLUSIVE_BASE = "cfs"


def policies() -> list[str]:
    """The scheduling policies of the software kernel."""
    return [PRIORITY, *sorted(path.stem for path in POLICIES.glob("*.c"))]


def own_policy(policy: str) -> Path:
    """The file of a policy given by its path. UserError if it is none."""
    path = Path(policy)
    if not path.is_file():
        raise UserError(f"there is no policy file {policy}: check the path")
    if path.stem in policies() and path.absolute().parent != POLICIES:
        raise UserError(f"policy file {policy} has the name of a policy of Coreloom's: rename it")
    if not re.search(
        rf"^const struct cl_policy cl_{re.escape(path.stem)} =", path.read_text("utf-8", "replace"), re.M
    ):
        raise UserError(
            f"policy file {policy} does not define `const struct cl_policy cl_{path.stem}`: "
            "its policy has the file's name"
        )
    return path


def policy_files(policy: str, home: Path | None = None) -> list[Path]:
    """The files of which the software kernel's policy `policy` is made, the base last.

    A name of policies(), or of policies/ in `home` (Platform's), or a path that ends in .c. None for fixed
    priorities; exclusive:BASE has two. UserError for one that there is not.
    """
    if policy.endswith(".c"):
        return [own_policy(policy)]
    name, colon, base = policy.partition(":")
    beside = {path.stem: path for path in sorted((home / "policies").glob("*.c"))} if home else {}
    known = [*policies(), *(each for each in beside if each not in policies())]
    if name not in known:
        raise UserError(
            f"unknown policy '{policy}' of the software kernel: "
            f"{suggest(policy, known, ', or give a path that ends in .c')}"
        )
    if name != _EXCLUSIVE:
        if colon:
            raise UserError(f"policy '{name}' has no base policy: leave out ':{base}'")
        if name not in policies():
            return [own_policy(str(beside[name]))]
        return [] if name == PRIORITY else [POLICIES / f"{name}.c"]
    bases = [each for each in policies() if each not in (PRIORITY, _EXCLUSIVE)]
    if not colon:
        base = _EXCLUSIVE_BASE
    if base not in bases:
        raise UserError(f"policy {_EXCLUSIVE} cannot be based on '{base}': {suggest(base, bases)}")
    return [POLICIES / f"{name}.c", POLICIES / f"{base}.c"]


# The macro of a program whose use of the heap is checked.
CHECK = "CL_CHECK"
# Bytes of the command line of a program whose main takes one (simulate.run writes it into the image).
ARGUMENTS_ROOM = 4096


def build(
    app: str | Application,
    platform: Platform,
    kernel: str,
    defines: Mapping[str, str | int] | None = None,
    policy: str = PRIORITY,
    *,
    warnings: list[str] | None = None,
    to: Path | None = None,
) -> Path:
    """The ELF file of an application; a flat image from the start of the memory lies next to it (.bin).

    app is a folder below apps/, the path of one C file, or a user's program; kernel is one of GROUNDS;
    defines are macros for the application, and those that begin with CL_ for the runtime, too; policy is the
    software kernel's (policies()). On a platform with a Back-Door an application that defines far_main gets
    its image for processor 1 linked in (far.build). A program built before from the same content comes from
    the cache. warnings, to: as for Link. Raises UserError with the compiler's text, freertos.Missing.
    """
    what = application(app)
    ground = _ground(platform, kernel, policy)
    macros = {
        **ground.macros,
        **_stacks(what, platform),
        **({"CL_ARGUMENTS": ARGUMENTS_ROOM} if what.takes_arguments and kernel in OURS else {}),
        **dict(what.defines),
        **(defines or {}),
    }
    image = None
    if kernel in OURS and platform.backdoor and what.has_far_program:
        image = far.build(app, platform, defines)
    too_large = {"program|data": _program_too_large(what, platform), NO_ROOM: _no_room(what, platform)}
    if kernel in OURS:
        too_large["local"] = _local_too_large(what, platform)

    def uses(elf: Path) -> Mapping[str, str | int]:
        return _uses(elf, what, platform) if kernel in OURS else uses_no_threads(elf, what, "FreeRTOS")

    return Link(
        "-".join([what.name, platform.core, str(platform.cpus), kernel, *(p.stem for p in ground.policies)]),
        what,
        ground.folders,
        RUNTIME / "arch" / "link.ld",
        macros,
        include=ground.include,
        files=ground.files,
        policies=ground.policies,
        foreign=ground.foreign,
        library=RUNTIME / "heap" if kernel in OURS else None,
        before=[RUNTIME / "check" / "heap.c"] if CHECK in macros else [],
        image=image,
        uses=uses,
        too_large=too_large,
        about=note.of(platform, kernel, policy if kernel == "sw" else ""),
        warnings=warnings,
        to=to,
    ).elf()


@dataclass(frozen=True)
class _Ground:
    """The files that a program is linked with on a simulated ground."""

    macros: Mapping[str, str | int]
    folders: Sequence[Path]  # of sources of ours
    include: Sequence[Path] = ()
    files: Sequence[Path] = ()
    policies: Sequence[Path] = ()
    foreign: Sequence[Foreign] = ()


def _ground(platform: Platform, kernel: str, policy: str) -> _Ground:
    if kernel not in GROUNDS:
        raise UserError(f"unknown kernel '{kernel}': {suggest(kernel, GROUNDS)}")
    macros = {
        **keys.macros(platform),
        f"CL_KERNEL_{'FREERTOS' if kernel in FREERTOS else kernel.upper()}": 1,
    }
    if kernel in FREERTOS:
        return _freertos(platform, kernel, macros)
    if kernel in FINE:
        return _fine(platform, policy, macros)
    files = policy_files(policy, platform.home) if kernel == "sw" else []
    macros |= dict(zip(("CL_POLICY", "CL_POLICY_BASE"), (path.stem for path in files), strict=False))
    if files:
        macros |= {"CL_CPUS_MAX": platform.cpus, "CL_POLICY_ROOM": POLICY_ROOM}
    names = ("posix", "backdoor", "memory", "kernel", kernel, "arch", f"arch/{platform.core}")
    return _Ground(macros, [RUNTIME / name for name in names], policies=files)


def _fine(platform: Platform, policy: str, macros: Mapping[str, str | int]) -> _Ground:
    """The software kernel's sources, with other locks."""
    if policy != PRIORITY:
        raise UserError(f"kernel fine has fixed priorities only, not policy '{policy}': choose --on sw")
    names = ("posix", "backdoor", "memory", "kernel", "fine", "arch", f"arch/{platform.core}")
    return _Ground(macros, [RUNTIME / name for name in names], include=[RUNTIME / "sw"])


def compile_flags(platform: Platform, ground: str, policy: str, user: Sequence[str]) -> list[str]:
    """The flags for a user's source on a ground; user: the user's own flags."""
    if ground == LINUX:
        return _linux_flags(_linux_macros(platform), user=user)
    found = _ground(platform, ground, policy)
    return user_flags(
        [f"-D{key}={value}" for key, value in found.macros.items()],
        [*found.folders, *found.include],
        found.foreign,
        user=user,
    )


# That of Debian 12; zig has its headers, and the program takes the machine's library.
_HOST = (
    *("-target", f"{machine()}-linux-gnu.2.36", "-std=gnu11", "-D_GNU_SOURCE", "-fno-sanitize=undefined"),
    # Else clang takes it that they leave errno as it is.
    *(f"-fno-builtin-{name}" for name in ("malloc", "calloc", "realloc")),
)
_ON_ANY = ("events.c", "ipc.c", "message.c")


def _linux_macros(platform: Platform) -> dict[str, str | int]:
    return {
        **{name: value for name, value in keys.macros(platform).items() if not name.startswith("CL_CORE_")},
        **{"CL_HW_THREADS": 0, "CL_HW_NAMES": "", "CL_BACKDOOR": 0, "CL_AMP": 0},
        "CL_KERNEL_LINUX": 1,
    }


def _linux_flags(
    macros: Mapping[str, str | int], folders: Sequence[Path] = (), user: Sequence[str] | None = None
) -> list[str]:
    """The flags for sources on this machine: ours, or a user's with the user's own flags."""
    ground = RUNTIME / "linux"
    return [
        *_HOST, *OPTIMISE, "-g",
        # The machine's headers do more with _GNU_SOURCE than declare, so a program has it only if it says so.
        *([*PLACELESS, *WARN] if user is None else [PLACELESS[0], "-U_GNU_SOURCE", *user_defaults(user)]),
        *(f"-D{key}={value}" for key, value in macros.items()),
        *(user or ()),
        *(f"-I{folder}" for folder in folders),
        f"-I{ground}",
        f"-idirafter{RUNTIME / 'include'}",  # behind the C library's, which has pthread.h
    ]  # fmt: skip


def build_linux(
    app: str | Application,
    platform: Platform,
    defines: Mapping[str, str | int] | None = None,
    *,
    warnings: list[str] | None = None,
    to: Path | None = None,
) -> Path:
    """The executable of an application for this machine: it, runtime/linux and the C library's threads.

    app, defines, warnings and to are as in build; the platform gives its numbers of objects, and has nothing
    else here. Raises UserError with the compiler's text.
    """
    what = application(app)
    if platform.backdoor and what.has_far_program:
        raise UserError(
            f"{what.name} needs a processor behind a Back-Door, which Linux does not have: choose hw or sw"
        )
    macros = {**_linux_macros(platform), **dict(what.defines), **(defines or {})}
    ground = RUNTIME / "linux"
    # Files that need only operations, ports and POSIX are shared with the kernels.
    ours = [*sorted(ground.glob("*.c")), *(RUNTIME / "posix" / file for file in _ON_ANY)]
    flags = _linux_flags(macros, what.folders)
    theirs = _linux_flags(macros, user=what.flags)
    included_by = included(what, theirs, ()) if what.theirs else {}
    headers = sorted({path for paths in included_by.values() for path in paths})
    headers += [
        path for folder in (*what.folders, ground, RUNTIME / "include") for path in sorted(folder.glob("*.h"))
    ]
    foreign = [text for each in what.foreign for text in (each.package, *each.files, *each.flags)]
    about = note.of(platform, LINUX)
    user = [*theirs, *map(str, what.files), *what.inputs] if what.theirs else []
    inputs = [path for path in map(Path, what.inputs) if path.is_file()]
    key = zig.digest(
        [*flags, *foreign, *user, about.text()], [*what.files, *ours, *inputs, *headers, *MAKERS]
    )

    def make(work: Path) -> None:
        said: list[str] = []
        objects: list[Path | str] = []
        as_it_is = zig.as_it_is(flags)
        try:
            if what.theirs:
                objects += objects_of(what, theirs, included_by, (), said)
                objects += [flag for flag in what.inputs if flag != "-lm"]
            for each in what.foreign:
                for file in each.paths:
                    objects.append(work / f"{len(objects)}-{file.stem}.o")
                    zig.start([*zig.cc(), *as_it_is, *each.flags, "-c", str(file), "-o", str(objects[-1])])
            linked = [*objects, *([] if what.theirs else what.files), *ours, about.source(work), "-lm"]
            zig.start([*zig.cc(), *flags, *map(str, linked), "-o", str(work / what.name)])
        except zig.Refused as refused:
            if warnings is not None:
                warnings.extend(said)
            text = str(what.explain(refused))
            if "undefined symbol" in str(refused):
                text += "; runtime/linux/README.md says what ground linux has not"
            raise UserError(text) from None
        (work / "warnings").write_text("\n".join(said), encoding="utf-8")

    return kept(make, cache.place("firmware") / f"{what.name}-linux-{key}", what.name, warnings, to)


def _local_too_large(app: Application, platform: Platform) -> Callable[[int], str]:
    what, size = "text, constants", platform.local_kib
    change = f"make memory.local_kib larger (up to {keys.entry('memory.local_kib').key.most})"
    if platform.low_jitter:
        what, size = "the code of traps, CL_LOCAL_CODE", platform.context_kib
        change = "put less there"
    return lambda over: (
        f"{app.name} does not fit into the local memory of {platform.name}: {what} and CL_LOCAL_DATA have "
        f"{over} bytes more than its {size} KiB; {change}"
    )


def _program_too_large(what: Application, platform: Platform) -> Callable[[int], str]:
    return lambda over: (
        f"{what.name} does not fit into the memory of {platform.name}: its code and data are "
        f"{platform.ram_bytes + over} bytes, {over} more than there are; make its arrays smaller, or "
        "memory.ram_mib larger"
    )


def _no_room(what: Application, platform: Platform) -> Callable[[int], str]:
    return lambda _: (
        f"{what.name} does not fit into the memory of {platform.name}: code, data, heap and stacks have "
        f"{platform.ram_mib} MiB, or {PROGRAM_ROOM >> 20} MiB in a program with cl_input or cl_output; make "
        "its arrays smaller, or choose less by --stack, --thread-stack and --heap"
    )


_ROOMS = re.compile(r"\bcl_(?:input|output)\b")
_THREAD_STACK = 64 << 10


def _stacks(what: Application, platform: Platform) -> dict[str, str | int]:
    """The stack of a thread in a program that has the whole memory, where the platform says nothing."""
    if platform.thread_stack_kib or not what.theirs or what.mentions(_ROOMS):
        return {}
    each = platform.ram_bytes // 8 // platform.kernel.threads
    return {"CL_THREAD_STACK_BYTES": min(_THREAD_STACK, each) & -16}


# A thread's control block, which its _Thread_local variables follow (runtime/include/cl_kernel.h).
_CONTROL_BYTES = 16
_MAX_ALIGNMENT = 64


# Macros that a function of the POSIX layer needs everywhere in the runtime.
_COSTLY = {
    "pthread_cancel": "CL_CANCEL",
    "cl_signals_used": "CL_SIGNALS",
    "cl_cpu_time": "CL_CPU_TIME",
    "cl_receives_messages": "CL_RECEIVES_MESSAGES",
}


def _uses(elf: Path, what: Application, platform: Platform) -> dict[str, str | int]:
    """The macros of the POSIX layer for what a program that was linked without them turns out to use."""
    macros: dict[str, str | int] = {}
    size, alignment = elf_file.thread_local(elf)
    if size:
        if alignment > _MAX_ALIGNMENT:
            raise UserError(
                f"{what.name} has _Thread_local variables aligned to {alignment} bytes: "
                f"align them to {_MAX_ALIGNMENT} at most"
            )
        stride = -(-_CONTROL_BYTES // alignment) * alignment + size
        shift = (stride - 1).bit_length()
        if (all_ := platform.kernel.threads << shift) > platform.ram_bytes:
            raise UserError(
                f"{what.name} does not fit into the memory of {platform.name}: "
                f"the _Thread_local variables of {platform.kernel.threads} threads, {size} bytes each, "
                f"take {all_} bytes of its {platform.ram_mib} MiB; make them smaller, or "
                "allocate them with malloc"
            )
        macros["CL_THREAD_SHIFT"] = shift
    functions = {name for name, _ in elf_file.symbols(elf)}
    macros |= {macro: 1 for function, macro in _COSTLY.items() if function in functions}
    return macros


# Of FreeRTOS's kernel; its port and its heap besides.
_FREERTOS_SOURCES = ("tasks.c", "queue.c", "list.c", "timers.c", "event_groups.c", "stream_buffer.c")


def _freertos(platform: Platform, kernel: str, macros: Mapping[str, str | int]) -> _Ground:
    """Application + runtime/freertos + FreeRTOS, on one CPU with the port that it comes with unless tuned."""
    if platform.core != "standard" or platform.interconnect != "smp-bus":
        raise UserError(
            f"FreeRTOS does not run on {platform.name}: choose smp-standard, or a platform of your own with "
            'core = "standard" and interconnect = "smp-bus"'
        )
    if platform.cpus > 1 and (platform.ipc is None or platform.ipc.mutexes < 2):
        raise UserError(
            "FreeRTOS on several CPUs needs two mutexes of the communication port, and "
            f"{platform.name} has fewer: set mutexes in [ipc] of its file"
        )
    own = RUNTIME / "freertos"
    folders = [own]
    sources = [*_FREERTOS_SOURCES, str(freertos.HEAP)]
    include = ["include"]
    if platform.cpus == 1 and kernel == "freertos":
        sources += [str(freertos.PORT / file) for file in ("port.c", "portASM.S")]
        include.append(str(freertos.PORT))
    else:
        folders.insert(0, own / "port")
        macros = {**macros, "CL_FREERTOS_OWN_PORT": 1}
    foreign = Foreign(
        f"FreeRTOS {freertos.label()}",
        freertos.kernel(),
        tuple(sources),
        flags=("-include", str(own / "copy.h")),
        include=tuple(include),
        place=FREERTOS_PLACE,
    )
    return _Ground(
        macros,
        folders,
        include=[RUNTIME / "arch", RUNTIME / "arch" / platform.core],
        files=[RUNTIME / "posix" / file for file in ("console.c", "end.c", "host.c", "machine.c")],
        foreign=[foreign],
    )
