# SPDX-License-Identifier: Apache-2.0
"""A program's ELF file for the SoC: compiled and linked once for each content, then taken from the cache."""

from __future__ import annotations

import hashlib
import os
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from coreloom.design import keys, spec
from coreloom.errors import UserError
from coreloom.paths import POLICIES, ROOT, RTL, RUNTIME
from coreloom.sources import bare
from coreloom.toolchain import cache, zig
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain.application import Application, Foreign, included
from coreloom.toolchain.libc import libc, libm
from coreloom.toolchain.zig import INCLUDE, OPTIMISE, PLACELESS, TARGET, WARN
from coreloom.uses import SOURCES, note, noting, plan

POLICY_ROOM = 4096  # bytes that a policy's state may have for each CPU, and as many for all

# They decide what a program is made of, and what lies beside it.
MAKERS = (
    *(Path(file) for file in (__file__, elf_file.__file__, keys.__file__, spec.__file__)),
    *(Path(__file__).with_name(f"{name}.py") for name in ("application", "far", "firmware", "zig")),
    *(RTL / data for data in ("ipc/backdoor/data/backdoor.toml", "soc/data/soc.toml")),
)

_MATH = re.compile(r"^\s*#\s*include\s*<(math|tgmath|complex)\.h>", re.MULTILINE)


def link(
    label: str,
    app: Application,
    folders: Sequence[Path],
    script: Path,
    macros: Mapping[str, str | int],
    *,
    too_large: Mapping[str, Callable[[int], str]],
    include: Sequence[Path] = (),
    files: Sequence[Path] = (),
    policies: Sequence[Path] = (),
    foreign: Sequence[Foreign] = (),
    library: Path | None = None,
    link_flags: Sequence[str] = (),
    image: Path | None = None,
    beside: Callable[[Path], None] | None = None,
    uses: Callable[[Path], Mapping[str, str | int]] = lambda _: {},
) -> Path:
    """The ELF file of an application with the C and assembly files of `folders`; a flat image lies beside it.

    In the cache, firmware/`label`-KEY. script is a linker script for the C preprocessor. too_large: what to
    say when a region of the script is too small by so many bytes; include: folders of which only headers are
    used; files: more files of ours; policies: files of policies; foreign: sources besides the application's;
    library: a folder of files of which those are linked that the program refers to;
    image: for processor 1, becomes remote_image; beside: makes more files beside the ELF file; uses: more
    macros by what the linked program uses, with which it is then built again.
    """
    name = app.name
    sources = [path for folder in folders for path in sorted([*folder.glob("*.c"), *folder.glob("*.S")])]
    sources += [*files, *policies]
    apart = sorted(library.glob("*.c")) if library else []
    configured = bool(foreign)  # by macros and headers of the application, as FreeRTOS is
    foreign = [*app.foreign, *foreign]
    if policies:
        include = [*include, POLICIES]
    near = {path.absolute().parent for path in policies} - {POLICIES}
    given = [f"-D{key}={value}" for key, value in macros.items()]

    def all_flags(given: Iterable[str], own: Sequence[Path]) -> list[str]:
        return [
            *TARGET, *OPTIMISE, "-g", "-flto", *PLACELESS, *WARN,
            *given,
            *(f"-I{folder}" for folder in (*own, *folders, *include)),
            *INCLUDE,
            *(f"-isystem{each.folder / name}" for each in foreign for name in each.include),
            *(f"-ffile-prefix-map={each.folder}={each.place}" for each in foreign if each.place),
        ]  # fmt: skip

    flags = all_flags(given, app.folders)
    # Without what is the application's alone, so that zig compiles the runtime once for all applications.
    common = flags if configured else all_flags((flag for flag in given if flag.startswith("-DCL_")), ())
    headers = included(app, flags, foreign) if app.alone else []
    headers += [
        path
        for folder in (*(() if app.alone else app.folders), *folders, *include, *near, RUNTIME / "include")
        for path in sorted(folder.glob("*.h"))
    ]
    mathematics = any(_MATH.search(path.read_text("utf-8", "replace")) for path in [*app.files, *headers])
    archives = [*([libm()] if mathematics else []), libc()]
    others = [text for each in foreign for text in (each.package, *each.files, *each.flags)]
    # A user's file has no place either: what it includes is among the headers.
    home = app.folders[0].absolute() if app.alone else ROOT
    if not home.is_relative_to(ROOT):
        placeless = [flag.replace(f"-I{home}", "-IPROGRAM") for flag in flags]
        flags.append(f"-ffile-prefix-map={home}=/program")
    else:
        placeless = list(flags)
    for each in foreign:
        placeless = [flag.replace(str(each.folder), each.package) for flag in placeless]
    common = [*common, *(f"-ffile-prefix-map={folder}=/policies" for folder in near)]
    made_of = [*(archive.parent.name for archive in archives), *placeless, *link_flags, *others]
    files_of = [*app.files, *sources, *apart, *headers, script, *MAKERS]
    if plan() == SOURCES:
        note(f"program {zig.digest(made_of, files_of, bare)}")
        return cache.place("firmware") / label / f"{name}.elf"
    key = zig.digest(made_of, [*files_of, *([image] if image else [])])

    def make(work: Path) -> None:
        build(work, ())
        if more := [f"-D{key}={value}" for key, value in uses(work / f"{name}.elf").items()]:
            build(work, more)
        (work / f"{name}.bin").write_bytes(elf_file.flat(work / f"{name}.elf"))
        if beside:
            beside(work / f"{name}.elf")

    def build(work: Path, more: Sequence[str]) -> None:
        layout = work / script.name
        zig.run(
            [*zig.cc(), "-E", "-P", "-x", "c", *given, *more, str(script), "-o", str(layout)],
            script.name,
        )
        as_it_is = zig.as_it_is(flags)
        # Warnings are errors in what is ours only.
        theirs = [(file, (*as_it_is, *each.flags)) for each in foreign for file in each.paths]
        own = [(file, as_it_is if app.alone else flags) for file in app.files]

        def compiled(files: Iterable[tuple[Path, Sequence[str]]], where: str) -> list[Path]:
            objects: list[Path] = []
            for file, used in files:
                objects.append(work / f"{where}-{len(objects)}-{file.stem}.o")
                try:
                    zig.start([*zig.cc(), *used, *more, "-c", str(file), "-o", str(objects[-1])])
                except zig.Refused as refused:
                    raise app.explain(refused, foreign) from None
            return objects

        mine = compiled(own, "own")
        objects = compiled(theirs, "foreign")
        if apart:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                made = [work / f"{file.stem}.o" for file in apart]
                commands = [
                    [*zig.cc(), *common, *more, "-c", str(file), "-o", str(to)]
                    for file, to in zip(apart, made, strict=True)
                ]
                list(pool.map(lambda command: zig.run(command, name), commands))
            objects.append(work / "library.a")
            zig.run([*zig.command(), "ar", "rcs", str(objects[-1]), *map(str, made)], name)
        objects += archives
        objects = [*mine, *objects] if app.alone else [*objects, *mine]
        objects += sources
        if image:
            (work / "remote_image.S").write_text(_REMOTE_IMAGE.format(path=image))
            objects.append(work / "remote_image.S")
        try:
            zig.start(
                [
                    *zig.cc(), *common, *more, *map(str, objects),
                    "-Wl,--gc-sections", *link_flags, f"-Wl,-T,{layout}", "-o", str(work / f"{name}.elf"),
                ]
            )  # fmt: skip
        except zig.Refused as refused:
            for region, say in too_large.items():
                over = re.findall(rf"in region '(?:{region})': overflowed by (\d+) bytes", str(refused))
                if over:
                    raise UserError(say(max(map(int, over)))) from None
            if "cl_policy_has_no_room" in str(refused):
                raise UserError(_policy_too_large(policies, common, work)) from None
            raise app.explain(refused, foreign) from None

    elf = cache.made(cache.place("firmware") / f"{label}-{key}", make) / f"{name}.elf"
    if noting():  # of the loaded image: what debug information says of lines runs nowhere
        note(f"image {hashlib.sha256(elf.with_suffix('.bin').read_bytes()).hexdigest()[:16]}")
    return elf


def uses_no_threads(elf: Path, what: Application, where: str) -> dict[str, str | int]:
    """For `uses` of link; UserError for a program that has _Thread_local variables."""
    if elf_file.thread_local(elf)[0]:
        raise UserError(f"{what.name} has _Thread_local variables, which {where} has not: use static ones")
    return {}


def _policy_too_large(policies: Sequence[Path], flags: Sequence[str], work: Path) -> str:
    """The error text for policies whose state the software kernel has no room for; the base comes last."""
    each, all_ = 0, 0
    for policy in policies:
        made = work / f"{policy.stem}.o"
        zig.run([*zig.cc(), *flags, "-fno-lto", "-c", str(policy), "-o", str(made)], policy.stem)
        # struct cl_policy begins with two pointers.
        sizes = struct.unpack_from("<II", elf_file.content(made, f"cl_{policy.stem}"), 8)
        each, all_ = each + sizes[0], all_ + sizes[1]
    name = ":".join(policy.stem for policy in policies)
    return (
        f"policy {name} is too large for the software kernel: it keeps {each} bytes for each "
        f"CPU and {all_} for all of them, at most {POLICY_ROOM} of either fit; make cpu_size or shared_size "
        f"smaller in {policies[-1].parent.name}/{policies[-1].name}"
    )


# const uint32_t remote_image[]; const size_t remote_image_bytes;
_REMOTE_IMAGE = """\
  .section .rodata.remote_image, "a", @progbits
  .balign 4
  .globl remote_image
remote_image:
  .incbin "{path}"
1:
  .section .rodata.remote_image_bytes, "a", @progbits
  .balign 4
  .globl remote_image_bytes
remote_image_bytes:
  .word 1b - remote_image
"""
