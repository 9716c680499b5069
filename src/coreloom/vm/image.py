# SPDX-License-Identifier: Apache-2.0
"""The guest's initramfs: a cpio archive that is the same whenever its content is."""

from __future__ import annotations

import posixpath
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import InterpSegment

from coreloom.errors import UserError
from coreloom.toolchain import debian

_FOLDERS = ("dev", "out", "proc", "run", "sys", "tmp", "usr/bin", "usr/sbin", "usr/lib", "usr/lib64")
_LINKS = {name: f"usr/{name}" for name in ("bin", "sbin", "lib", "lib64")}
# Of packages a guest needs no texts for people.
_UNREAD = ("usr/share/doc/", "usr/share/man/", "usr/share/locale/", "usr/share/lintian/", "usr/share/info/")


@dataclass(frozen=True)
class Entry:
    """A file, a link or a folder of the archive."""

    mode: int
    content: Path | bytes = b""

    def read(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()


def folder() -> Entry:
    return Entry(stat.S_IFDIR | 0o755)


def link(target: str) -> Entry:
    return Entry(stat.S_IFLNK | 0o777, target.encode())


def file(content: Path | bytes, executable: bool = False) -> Entry:
    return Entry(stat.S_IFREG | (0o755 if executable else 0o644), content)


def write(target: Path, entries: Mapping[str, Entry]) -> None:
    """The archive (cpio's newc) of entries by path and the folders in which they are; of root, time 0."""
    whole = dict(entries)
    for name in entries:
        for above in PurePosixPath(name).parents:
            if str(above) != ".":
                whole.setdefault(str(above), folder())
    with target.open("wb") as out:
        # Sorted, so a folder comes before what is in it.
        for number, name in enumerate(sorted(whole), 1):
            entry = whole[name]
            out.write(_record(number, name, entry.mode, entry.read()))
        out.write(_record(0, "TRAILER!!!", 0, b""))


def _record(number: int, name: str, mode: int, content: bytes) -> bytes:
    """One member: magic and 13 numbers as text, then name and content, each padded to whole words."""
    links = 2 if stat.S_ISDIR(mode) else 1
    path = name.encode() + b"\0"
    fields = (number, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(path), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + path
    return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)


def base() -> dict[str, Entry]:
    """The common files of every guest: folders, and one busybox for all the usual commands."""
    entries = {name: folder() for name in _FOLDERS}
    entries |= {name: link(target) for name, target in _LINKS.items()}
    (package,) = debian.packages(["busybox-static"])
    busybox = next(path for path in (package / "usr/bin/busybox", package / "bin/busybox") if path.exists())
    return {**entries, "usr/bin/busybox": file(busybox, executable=True)}


_LIBRARIES = PurePosixPath("usr/lib/x86_64-linux-gnu")


def of_packages(
    whole: Iterable[Path], others: Iterable[Path] = (), without: Sequence[str] = ()
) -> dict[str, Entry]:
    """The files of Debian packages, and of others only the libraries that these need to start.

    Files that match a pattern of `without` are left out. A library in a folder of its own (one of several
    alternatives) gets a link where it is looked for, as the packages' scripts would have made.
    """
    entries, rest = _files(whole, without), _files(others, without)
    known = {place: place for place in rest | entries}
    # By its name alone a library is found, too; of the same name, the one nearest to the root.
    known |= {PurePosixPath(place).name: place for place in sorted(known, key=len, reverse=True)}
    todo = list(entries)
    while todo:
        for name in _needed(at := todo.pop(), entries[at]):
            if (found := known.get(name)) is None:
                continue
            if found not in entries:
                entries[found] = rest[found]
                todo.append(found)
            if "/" not in name and PurePosixPath(found).parent.parent == _LIBRARIES:
                entries.setdefault(str(_LIBRARIES / name), link(f"/{found}"))
    return entries


def _files(folders: Iterable[Path], without: Sequence[str]) -> dict[str, Entry]:
    return {
        place: _entry(path)
        for path, place in debian.merged(folders)
        if not place.startswith(_UNREAD) and not any(fnmatch(place, pattern) for pattern in without)
    }


def _needed(place: str, entry: Entry) -> list[str]:
    """The target of a link; or the names of what a program or library loads."""
    if stat.S_ISLNK(entry.mode):
        target = posixpath.join("/", posixpath.dirname(place), entry.read().decode())
        return [_below_usr(posixpath.normpath(target).lstrip("/"))]
    if not isinstance(entry.content, Path) or not entry.content.is_file():
        return []
    with entry.content.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return []
        names = []
        for segment in ELFFile(file).iter_segments():
            if isinstance(segment, InterpSegment):
                names.append(_below_usr(segment.get_interp_name().lstrip("/")))
            elif isinstance(segment, DynamicSegment):
                # pyelftools gives a tag this attribute at run time.
                names += [str(vars(tag)["needed"]) for tag in segment.iter_tags("DT_NEEDED")]
        return names


def of_host(files: Mapping[str, Path | bytes]) -> dict[str, Entry]:
    """Files and folders of the host, or bytes, by their absolute path in the guest."""
    entries = {}
    for place, source in files.items():
        if not place.startswith("/") or ".." in place.split("/") or not place.strip("/"):
            raise UserError(f"'{place}' is not a path in the guest: give an absolute path")
        name = _below_usr(place.strip("/"))
        if isinstance(source, bytes):
            entries[name] = file(source, executable=source.startswith((b"#!", b"\x7fELF")))
        elif source.is_dir():
            for path in sorted(source.rglob("*")):
                entries[f"{name}/{path.relative_to(source).as_posix()}"] = _entry(path)
        elif source.is_file():
            entries[name] = _entry(source.resolve())
        else:
            raise UserError(f"{source}, meant for {place} in the guest, does not exist")
    return entries


def _below_usr(name: str) -> str:
    return f"usr/{name}" if name.split("/")[0] in _LINKS else name


def _entry(path: Path) -> Entry:
    if path.is_symlink():
        return link(str(path.readlink()))
    if path.is_dir():
        return folder()
    return file(path, executable=bool(path.stat().st_mode & 0o100))
