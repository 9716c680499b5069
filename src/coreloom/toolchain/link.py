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
from dataclasses import dataclass
from functools import cached_property
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
        "-Wno-atomic-alignment",  # which says at each atomic operation that no core has instructions for it
        *user_defaults(user),
        *given,
        *user,
        *(f"-isystem{folder}" for folder in (*HEADERS, *(LIBC / name for name in LIBC_HEADERS))),
        *(f"-isystem{each.folder / name}" for each in foreign for name in each.include),
        *(f"-ffile-prefix-map={each.folder}={each.place}" for each in foreign if each.place),
        *(f"-idirafter{folder}" for folder in internals),
    ]  # fmt: skip


@dataclass(frozen=True)
class Link:
    """What an application's ELF file is made of: its own, and C and assembly files of `folders`.

    It is in the cache, firmware/`label`-KEY. script is a linker script for the C preprocessor. too_large: the
    error when a region of the script is that many bytes too small.
    """

    label: str
    app: Application
    folders: Sequence[Path]
    script: Path
    macros: Mapping[str, str | int]
    too_large: Mapping[str, Callable[[int], str]]
    include: Sequence[Path] = ()  # folders of which only headers are used
    files: Sequence[Path] = ()  # more files of ours
    policies: Sequence[Path] = ()
    foreign: Sequence[Foreign] = ()  # sources besides the application's
    library: Path | None = None  # a folder of files of which those are linked that the program refers to
    before: Sequence[Path] = ()  # files before the C library, replacing what they define of it
    link_flags: Sequence[str] = ()
    image: Path | None = None  # for processor 1, becomes remote_image
    beside: Callable[[Path], None] | None = None  # makes more files next to the ELF file
    # More macros by what the linked program uses, with which it is then built again.
    uses: Callable[[Path], Mapping[str, str | int]] = lambda _: {}
    about: Note | None = None  # what the ELF file says of itself
    warnings: list[str] | None = None  # the compiler's about a user's program are added
    to: Path | None = None  # the ELF file is made there, and no image, instead of in the cache

    def elf(self) -> Path:
        """The ELF file; a flat image lies by it."""
        name = self.app.name
        others = [text for each in self._foreign for text in (each.package, *each.files, *each.flags)]
        placeless = [*self._theirs, *map(str, self.app.files)] if self.app.theirs else list(self._flags)
        for each in self._foreign:
            placeless = [flag.replace(str(each.folder), each.package) for flag in placeless]
        text = [archive.parent.name for archive in self._archives]
        text += [*placeless, *self.link_flags, *others, *self.app.inputs]
        content = [
            *self.app.files,
            *self._sources,
            *self._apart,
            *self.before,
            *self._headers,
            self.script,
            *MAKERS,
        ]
        if plan() == SOURCES:
            note(f"program {zig.digest(text, content, bare)}")
            return cache.place("firmware") / self.label / f"{name}.elf"
        content += [path for path in map(Path, self.app.inputs) if path.is_file()]
        content += [self.image] if self.image else []
        key = zig.digest([*text, self.about.text() if self.about else ""], content)
        entry = cache.place("firmware") / f"{self.label}-{key}"
        elf = kept(self._make, entry, f"{name}.elf", self.warnings, self.to)
        if noting():  # of the loaded image: what debug information says of lines runs nowhere
            note(f"image {hashlib.sha256(elf.with_suffix('.bin').read_bytes()).hexdigest()[:16]}")
        return elf

    @cached_property
    def _sources(self) -> list[Path]:
        found = (sorted([*folder.glob("*.c"), *folder.glob("*.S")]) for folder in self.folders)
        return [*(path for paths in found for path in paths), *self.files, *self.policies]

    @cached_property
    def _apart(self) -> list[Path]:
        return sorted(self.library.glob("*.c")) if self.library else []

    @cached_property
    def _foreign(self) -> list[Foreign]:
        return [*self.app.foreign, *self.foreign]

    @cached_property
    def _include(self) -> list[Path]:
        return [*self.include, *([POLICIES] if self.policies else [])]

    @cached_property
    def _given(self) -> list[str]:
        return _macros(self.macros)

    @cached_property
    def _ours(self) -> list[str]:
        """The macros that are not the application's alone."""
        return [flag for flag in self._given if flag.startswith("-DCL_")]

    @cached_property
    def _beside(self) -> list[Path]:
        """Folders next to the program: FreeRTOS is configured by a header there."""
        wanted = self.foreign and self.app.theirs
        return list(dict.fromkeys(file.absolute().parent for file in self.app.files)) if wanted else []

    @cached_property
    def _near(self) -> set[Path]:
        """Folders of policies of the user's."""
        return {path.absolute().parent for path in self.policies} - {POLICIES}

    def _all_flags(self, given: Iterable[str], own: Sequence[Path]) -> list[str]:
        return [
            *TARGET, *OPTIMISE, "-g", "-flto", *PLACELESS, *WARN,
            *given,
            *(f"-I{folder}" for folder in (*own, *self.folders, *self._include)),
            *INCLUDE,
            *(f"-isystem{each.folder / name}" for each in self._foreign for name in each.include),
            *(f"-ffile-prefix-map={each.folder}={each.place}" for each in self._foreign if each.place),
        ]  # fmt: skip

    @cached_property
    def _flags(self) -> list[str]:
        return self._all_flags(self._given, [*self.app.folders, *self._beside])

    @cached_property
    def _common(self) -> list[str]:
        """Without what is the application's alone, so that zig compiles the runtime once for all of them.

        But FreeRTOS is configured by macros and headers of the application.
        """
        common = self._flags if self.foreign else self._all_flags(self._ours, ())
        return [*common, *(f"-ffile-prefix-map={folder}=/policies" for folder in self._near)]

    @cached_property
    def _theirs(self) -> list[str]:
        """The flags of a user's sources."""
        user = [*self.app.flags, *(f"-I{folder}" for folder in self._beside)]
        return user_flags(self._given, [*self.folders, *self._include], self._foreign, self.app.files, user)

    @cached_property
    def _included(self) -> Mapping[Path, Sequence[Path]]:
        return included(self.app, self._theirs, self._foreign) if self.app.theirs else {}

    @cached_property
    def _headers(self) -> list[Path]:
        own = [*self.app.folders, *self._beside]
        folders = (*own, *self.folders, *self._include, *self._near, RUNTIME / "include")
        return [
            *sorted({path for paths in self._included.values() for path in paths}),
            *(path for folder in folders for path in sorted(folder.glob("*.h"))),
        ]

    @cached_property
    def _archives(self) -> list[Path]:
        """The C library, with that of mathematics for a program that asks for it."""
        texts = (path.read_text("utf-8", "replace") for path in [*self.app.files, *self._headers])
        return [*([libm()] if "-lm" in self.app.inputs or any(map(_MATH.search, texts)) else []), libc()]

    def _make(self, work: Path) -> None:
        elf = work / f"{self.app.name}.elf"
        said = self._build(work, ())
        if more := _macros(self.uses(elf)):
            said = self._build(work, more)
        (work / "warnings").write_text("\n".join(said), encoding="utf-8")
        elf.with_suffix(".bin").write_bytes(elf_file.flat(elf))
        if self.beside:
            self.beside(elf)

    def _build(self, work: Path, more: Sequence[str]) -> list[str]:
        """Compiles and links; the compiler's warnings about a user's program. more: macros."""
        said: list[str] = []
        layout = work / self.script.name
        preprocess = [
            *zig.cc(),
            "-E",
            "-P",
            "-x",
            "c",
            *self._ours,
            *more,
            str(self.script),
            "-o",
            str(layout),
        ]
        zig.run(preprocess, self.script.name)
        everything = self._objects(work, more, said)
        command = [*zig.cc(), *self._common, *more, *map(str, everything), "-Wl,--gc-sections"]
        command += [*self.link_flags, f"-Wl,-T,{layout}", "-o", str(work / f"{self.app.name}.elf")]
        try:
            zig.start(command)
        except zig.Refused as refused:
            if self.warnings is not None:
                self.warnings.extend(said)
            raise self._explained(refused, work) from None
        return said

    def _objects(self, work: Path, more: Sequence[str], said: list[str]) -> list[Path | str]:
        """What is linked, in its order; sources of ours are compiled there."""
        as_it_is = zig.as_it_is(self._flags)
        # Warnings are errors in what is ours only.
        foreign = [(file, (*as_it_is, *each.flags)) for each in self._foreign for file in each.paths]
        objects = self._compiled(work, foreign, "foreign", more)
        if self.app.theirs:
            mine = made_of(self.app, [*self._theirs, *more], self._included, self._foreign, said)
        else:
            mine = self._compiled(work, [(file, self._flags) for file in self.app.files], "own", more)
        if self._apart:
            objects.append(self._library(work, more))
        objects += self._archives
        inputs = [each for each in self.app.inputs if each != "-lm"]
        mine_first: list[Path | str] = [*mine, *bitcode.preferred(inputs, work)]
        everything = [*mine_first, *objects] if self.app.theirs else [*objects, *mine_first]
        everything += self._sources
        before = self._compiled(work, [(file, self._common) for file in self.before], "before", more)
        everything = [*before, *everything]
        if self.about:
            everything.append(self.about.source(work))
        if self.image:
            (work / "remote_image.S").write_text(_REMOTE_IMAGE.format(path=self.image))
            everything.append(work / "remote_image.S")
        return everything

    def _compiled(
        self, work: Path, files: Iterable[tuple[Path, Sequence[str]]], where: str, more: Sequence[str]
    ) -> list[Path]:
        objects: list[Path] = []
        for file, used in files:
            objects.append(work / f"{where}-{len(objects)}-{file.stem}.o")
            try:
                zig.start([*zig.cc(), *used, *more, "-c", str(file), "-o", str(objects[-1])])
            except zig.Refused as refused:
                raise self.app.explain(refused, self._foreign) from None
        return objects

    def _library(self, work: Path, more: Sequence[str]) -> Path:
        """An archive of the files of which only those are linked that the program refers to."""
        library, made = work / "library.a", [work / f"{file.stem}.o" for file in self._apart]

        def compile_one(file: Path, to: Path) -> None:
            zig.run([*zig.cc(), *self._common, *more, "-c", str(file), "-o", str(to)], self.app.name)

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(compile_one, self._apart, made))
        zig.run([*zig.command(), "ar", "rcs", str(library), *map(str, made)], self.app.name)
        return library

    def _explained(self, refused: zig.Refused, work: Path) -> UserError:
        """What the linker's refusal means."""
        text = str(refused)
        for region, say in self.too_large.items():
            if over := re.findall(rf"in region '(?:{region})': overflowed by (\d+) bytes", text):
                return UserError(say(max(map(int, over))))
        if "cl_program_has_no_room" in text:
            return UserError(self.too_large[NO_ROOM](0))
        if "cl_policy_has_no_room" in text:
            return UserError(_policy_too_large(self.policies, self._common, work))
        return self.app.explain(refused, self._foreign)


def _macros(values: Mapping[str, str | int]) -> list[str]:
    return [f"-D{name}={value}" for name, value in values.items()]


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
    """For `uses` of Link; UserError for a program that has _Thread_local variables."""
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
