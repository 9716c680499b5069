# SPDX-License-Identifier: Apache-2.0
"""A program's ELF file for the SoC: compiled and linked once for each content, then taken from the cache."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from coreloom.design import key, keys, spec
from coreloom.errors import UserError
from coreloom.paths import POLICIES, ROOT, RTL, RUNTIME
from coreloom.sources import bare
from coreloom.toolchain import bitcode, cache, zig
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain.application import Application, Foreign, included, user_defaults
from coreloom.toolchain.application import objects as made_of
from coreloom.toolchain.libc import libc, libm
from coreloom.toolchain.note import Note
from coreloom.toolchain.zig import HEADERS, INCLUDE, LIBC, LIBC_HEADERS, OPTIMISE, PLACELESS, TARGET, WARN
from coreloom.uses import SOURCES, note, noting, plan

NO_ROOM = "no room"  # of too_large: what is the linker script's to say
POLICY_ROOM = 4096  # bytes that a policy's state may have for each CPU, and as many for all

# They decide what a program is made of, and what lies next to it.
MAKERS = (
    *(Path(file) for file in (__file__, elf_file.__file__, key.__file__, keys.__file__, spec.__file__)),
    *(
        Path(__file__).with_name(f"{name}.py")
        for name in ("application", "bitcode", "far", "firmware", "note", "zig")
    ),
    *(RTL / data for data in ("ipc/backdoor/data/backdoor.toml", "soc/data/soc.toml")),
)

_MATH = re.compile(r"^\s*#\s*include\s*<(math|tgmath|complex)\.h>", re.MULTILINE)


def user_flags(
    given: Iterable[str],
    internals: Sequence[Path],
    foreign: Sequence[Foreign] = (),
    files: Sequence[Path] = (),
    user: Sequence[str] = (),
) -> list[str]:
    """The flags for a user's sources; given: macros, user: the user's own flags.

    Headers of ours stand behind all that the user names, and what is internal behind the C library's. Debug
    information has the places of the files, except this checkout's.
    """
    ours = bool(files) and all(file.absolute().is_relative_to(ROOT) for file in files)
    return [
        *TARGET, *OPTIMISE, "-g", "-flto",
        # Threads, files and headers are as there: many programs look for them by these macros only.
        "-D__unix__=1", "-D__linux__=1",
        *(PLACELESS if ours else [flag for flag in PLACELESS if "prefix-map" in flag]),
        *user_defaults(user),
        *given,
        *user,
        *(f"-isystem{folder}" for folder in (*HEADERS, *(LIBC / name for name in LIBC_HEADERS))),
        *(f"-isystem{each.folder / name}" for each in foreign for name in each.include),
        *(f"-ffile-prefix-map={each.folder}={each.place}" for each in foreign if each.place),
        *(f"-idirafter{folder}" for folder in internals),
    ]  # fmt: skip


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
    before: Sequence[Path] = (),
    link_flags: Sequence[str] = (),
    image: Path | None = None,
    beside: Callable[[Path], None] | None = None,
    uses: Callable[[Path], Mapping[str, str | int]] = lambda _: {},
    about: Note | None = None,
    warnings: list[str] | None = None,
    to: Path | None = None,
) -> Path:
    """The ELF file of an application with the C and assembly files of `folders`; a flat image lies by it.

    In the cache, firmware/`label`-KEY. script is a linker script for the C preprocessor. too_large: the
    error when a region of the script is that many bytes too small; include: folders of which only headers are
    used; files: more files of ours; policies: files of policies; foreign: sources besides the application's;
    library: a folder of files of which those are linked that the program refers to; before: files that
    stand before the C library, replacing what they define of it;
    image: for processor 1, becomes remote_image; beside: makes more files next to the ELF file; uses: more
    macros by what the linked program uses, with which it is then built again; about: what the ELF file says
    of itself; warnings: the compiler's about a user's program are added; to: the ELF file is made there, and
    no image, instead of in the cache.
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

    # FreeRTOS is configured by a header next to the program.
    beside_it = {file.absolute().parent: None for file in app.files} if configured and app.theirs else {}
    own = [*app.folders, *beside_it]
    flags = all_flags(given, own)
    ours = [flag for flag in given if flag.startswith("-DCL_")]
    # Without what is the application's alone, so that zig compiles the runtime once for all applications.
    common = flags if configured else all_flags(ours, ())
    user = [*app.flags, *(f"-I{folder}" for folder in beside_it)]
    theirs = user_flags(given, [*folders, *include], foreign, app.files, user)
    included_by = included(app, theirs, foreign) if app.theirs else {}
    headers = sorted({path for paths in included_by.values() for path in paths})
    headers += [
        path
        for folder in (*own, *folders, *include, *near, RUNTIME / "include")
        for path in sorted(folder.glob("*.h"))
    ]
    own_texts = (path.read_text("utf-8", "replace") for path in [*app.files, *headers])
    mathematics = "-lm" in app.inputs or any(map(_MATH.search, own_texts))
    archives = [*([libm()] if mathematics else []), libc()]
    others = [text for each in foreign for text in (each.package, *each.files, *each.flags)]
    placeless = [*theirs, *map(str, app.files)] if app.theirs else list(flags)
    for each in foreign:
        placeless = [flag.replace(str(each.folder), each.package) for flag in placeless]
    common = [*common, *(f"-ffile-prefix-map={folder}=/policies" for folder in near)]
    text = [*(archive.parent.name for archive in archives), *placeless, *link_flags, *others, *app.inputs]
    content = [*app.files, *sources, *apart, *before, *headers, script, *MAKERS]
    if plan() == SOURCES:
        note(f"program {zig.digest(text, content, bare)}")
        return cache.place("firmware") / label / f"{name}.elf"
    inputs = [path for path in map(Path, app.inputs) if path.is_file()]
    key = zig.digest([*text, about.text() if about else ""], [*content, *inputs, *([image] if image else [])])

    def make(work: Path) -> None:
        said = build(work, ())
        if more := [f"-D{key}={value}" for key, value in uses(work / f"{name}.elf").items()]:
            said = build(work, more)
        (work / "warnings").write_text("\n".join(said), encoding="utf-8")
        (work / f"{name}.bin").write_bytes(elf_file.flat(work / f"{name}.elf"))
        if beside:
            beside(work / f"{name}.elf")

    def build(work: Path, more: Sequence[str]) -> list[str]:
        said: list[str] = []
        layout = work / script.name
        zig.run(
            [*zig.cc(), "-E", "-P", "-x", "c", *ours, *more, str(script), "-o", str(layout)],
            script.name,
        )
        as_it_is = zig.as_it_is(flags)

        def compiled(files: Iterable[tuple[Path, Sequence[str]]], where: str) -> list[Path]:
            objects: list[Path] = []
            for file, used in files:
                objects.append(work / f"{where}-{len(objects)}-{file.stem}.o")
                try:
                    zig.start([*zig.cc(), *used, *more, "-c", str(file), "-o", str(objects[-1])])
                except zig.Refused as refused:
                    raise app.explain(refused, foreign) from None
            return objects

        # Warnings are errors in what is ours only.
        objects = compiled(
            [(file, (*as_it_is, *each.flags)) for each in foreign for file in each.paths], "foreign"
        )
        if app.theirs:
            mine = made_of(app, [*theirs, *more], included_by, foreign, said)
        else:
            mine = compiled([(file, flags) for file in app.files], "own")
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
        mine_first: list[Path | str] = [
            *mine,
            *bitcode.preferred([each for each in app.inputs if each != "-lm"], work),
        ]
        everything = [*mine_first, *objects] if app.theirs else [*objects, *mine_first]
        everything += sources
        everything = [*compiled([(file, common) for file in before], "before"), *everything]
        if about:
            everything.append(about.source(work))
        if image:
            (work / "remote_image.S").write_text(_REMOTE_IMAGE.format(path=image))
            everything.append(work / "remote_image.S")
        try:
            zig.start(
                [
                    *zig.cc(), *common, *more, *map(str, everything),
                    "-Wl,--gc-sections", *link_flags, f"-Wl,-T,{layout}", "-o", str(work / f"{name}.elf"),
                ]
            )  # fmt: skip
        except zig.Refused as refused:
            if warnings is not None:
                warnings.extend(said)
            for region, say in too_large.items():
                over = re.findall(rf"in region '(?:{region})': overflowed by (\d+) bytes", str(refused))
                if over:
                    raise UserError(say(max(map(int, over)))) from None
            if "cl_program_has_no_room" in str(refused):
                raise UserError(too_large[NO_ROOM](0)) from None
            if "cl_policy_has_no_room" in str(refused):
                raise UserError(_policy_too_large(policies, common, work)) from None
            raise app.explain(refused, foreign) from None
        return said

    elf = kept(make, cache.place("firmware") / f"{label}-{key}", f"{name}.elf", warnings, to)
    if noting():  # of the loaded image: what debug information says of lines runs nowhere
        note(f"image {hashlib.sha256(elf.with_suffix('.bin').read_bytes()).hexdigest()[:16]}")
    return elf


def kept(
    make: Callable[[Path], object], entry: Path, name: str, warnings: list[str] | None, to: Path | None
) -> Path:
    """The file `name` of what `make` makes: in the cache as `entry`, or alone as `to`."""
    if to:
        with tempfile.TemporaryDirectory(prefix="coreloom-") as folder:
            make(Path(folder))
            shutil.copy(Path(folder) / name, to)
        return to
    made = cache.made(entry, make)
    if warnings is not None and (said := (made / "warnings").read_text(encoding="utf-8")):
        warnings.append(said)
    return made / name


def uses_no_threads(elf: Path, what: Application, where: str) -> dict[str, str | int]:
    """For `uses` of link; UserError for a program that has _Thread_local variables."""
    if elf_file.thread_local(elf)[0]:
        raise UserError(f"{what.name} has _Thread_local variables, which {where} lacks: use static ones")
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
