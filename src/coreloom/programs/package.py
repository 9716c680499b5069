# SPDX-License-Identifier: Apache-2.0
"""Installs the programs of linux/ below a prefix, removes them, or makes a Debian package.

The list of installed files (PREFIX/share/coreloom-linux/installed) is written before the first file, so that
a partial installation can be removed, and a later one removes files it no longer has.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path, PurePosixPath

from coreloom import __version__
from coreloom.errors import UserError
from coreloom.paths import BUILD, LINUX, ROOT
from coreloom.programs import bpf, completion, exclusive, usage

NAME = "coreloom-linux"
_SOURCE = LINUX / "package"
_PAGES = ("exclusive", "scx_dwrr", "lagmeter")  # of docs/
_UNITS = ("exclusive/coreloom-exclusive@.service", "scx_dwrr/scx_dwrr.service")
_DEFAULTS = ("scx_dwrr",)  # of linux/: /etc/default/NAME
_FORM = f"{NAME} installed 1"
_LINE = re.compile(r"(file|kept) ([0-9a-f]{64}) (/\S+)|folder (/\S+)")


@dataclass(frozen=True)
class Item:
    """A file of the installation."""

    place: str  # absolute
    content: bytes
    mode: int = 0o644
    kept: bool = False  # a user's changes to it are kept

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def programs() -> dict[str, Path]:
    """The executables by name, made if need be."""
    made: dict[str, Callable[[], Path]] = {"exclusive": exclusive.program}
    return {
        name: made[folder]() if folder in made else bpf.program(folder)
        for folder, name in usage.PROGRAMS.items()
    }


def items(prefix: str, made: Mapping[str, Path], zsh: str = "site-functions") -> list[Item]:
    """All files, by place."""
    found = [Item(f"{prefix}/bin/{name}", path.read_bytes(), 0o755) for name, path in made.items()]
    for folder, name in usage.PROGRAMS.items():
        said = usage.load(folder)
        shared = {
            f"man/man{usage.SECTION}/{usage.page_name(name)}": usage.page(said),
            f"bash-completion/completions/{name}": completion.bash(said),
            f"zsh/{zsh}/_{name}": completion.zsh(said),
            f"fish/vendor_completions.d/{name}.fish": completion.fish(said),
        }
        found += [Item(f"{prefix}/share/{place}", text.encode()) for place, text in shared.items()]
    for unit in _UNITS:
        text = (LINUX / unit).read_text().replace("@PREFIX@", prefix)
        found.append(Item(f"{prefix}/lib/systemd/system/{Path(unit).name}", text.encode()))
    for name in _DEFAULTS:
        content = (LINUX / name / f"{name}.default").read_bytes()
        found.append(Item(f"/etc/default/{name}", content, kept=True))
    documents = f"{prefix}/share/doc/{NAME}"
    found += [Item(f"{documents}/{name}.md", _document(name).encode()) for name in _PAGES]
    found.append(Item(f"{documents}/copyright", (_SOURCE / "copyright").read_bytes()))
    return sorted(found, key=lambda item: item.place)


def _document(name: str) -> str:
    """A page of docs/ without the links to what is not installed."""

    def link(found: re.Match[str]) -> str:
        text, target = found.groups()
        here = target.startswith(("#", "https:")) or target.split("#")[0] in {f"{one}.md" for one in _PAGES}
        return found[0] if here else text

    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", link, (ROOT / "docs" / f"{name}.md").read_text())


# --- install and uninstall -------------------------------------------------------------------


@dataclass
class _Installed:
    """The installed files and their places: digests of files, and the folders created."""

    files: dict[str, str] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)  # files that stay if they were changed
    folders: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, path: Path) -> _Installed:
        found = cls()
        first, *lines = path.read_text(errors="replace").splitlines() or [""]
        for line in lines if first == _FORM else [first]:
            match = _LINE.fullmatch(line)
            if match is None or ".." in line.split("/"):
                raise UserError(f"{path} cannot be read: remove the installed files by hand, then this file")
            kind, digest, place, folder = match.groups()
            if folder:
                found.folders.add(folder)
            else:
                found.files[place] = digest
                found.kept |= {place} if kind == "kept" else set()
        return found

    def text(self) -> str:
        lines = [_FORM]
        lines += [f"folder {place}" for place in sorted(self.folders)]
        for place, digest in sorted(self.files.items()):
            lines.append(f"{'kept' if place in self.kept else 'file'} {digest} {place}")
        return "".join(f"{line}\n" for line in lines)


def install(prefix: str, destdir: str, made: Mapping[str, Path]) -> list[str]:
    """Put everything below DESTDIR/PREFIX, and /etc below DESTDIR; returns messages, one per line."""
    root = _root(prefix, destdir)
    listed = _listed(prefix)
    with _plainly("install"):
        before = _Installed.read(_at(root, listed)) if _at(root, listed).is_file() else _Installed()
        wanted, said = [], []
        for item in items(prefix, made):
            there = _digest(_at(root, item.place))
            if item.kept and there not in (None, item.digest, before.files.get(item.place)):
                said.append(f"kept {item.place}: it was changed")
            else:
                wanted.append(item)
        after = _Installed(
            {item.place: item.digest for item in wanted},
            {item.place for item in wanted if item.kept},
            before.folders | _missing(root, [listed, *(item.place for item in wanted)]),
        )
        stays = {place: digest for place, digest in before.files.items() if place in before.kept}
        whole = _Installed({**stays, **after.files}, before.kept | after.kept, after.folders)
        both = dataclasses.replace(whole, files={**before.files, **whole.files})
        for place in sorted(after.folders):
            _make(_at(root, place))
        _write(_at(root, listed), both.text().encode(), 0o644)
        for item in wanted:
            _write(_at(root, item.place), item.content, item.mode)
        for place in sorted(before.files.keys() - whole.files.keys()):
            said += _remove(root, place, before)
        _write(_at(root, listed), whole.text().encode(), 0o644)
    return said


def uninstall(prefix: str, destdir: str) -> list[str]:
    """Remove what install has put there unless it was changed; returns what stays, one per line."""
    root = _root(prefix, destdir)
    listed = _at(root, _listed(prefix))
    if not listed.is_file():
        raise UserError(f"{listed} does not exist, so nothing is installed: give its PREFIX and DESTDIR")
    with _plainly("uninstall"):
        before = _Installed.read(listed)
        said = [line for place in sorted(before.files) for line in _remove(root, place, before)]
        listed.unlink()
        for place in sorted(before.folders, reverse=True):
            folder = _at(root, place)
            if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
                folder.rmdir()
    return said


def _listed(prefix: str) -> str:
    return f"{prefix}/share/{NAME}/installed"


def _root(prefix: str, destdir: str) -> Path:
    """DESTDIR as an absolute path. UserError if the prefix cannot be used in a unit."""
    if not re.fullmatch(r"(/[\w.+-]+)+", prefix, re.ASCII) or ".." in prefix.split("/"):
        raise UserError(
            f"PREFIX={prefix} cannot be used: give an absolute path of letters, digits, ., _, + and -"
        )
    return Path(destdir or "/").absolute()


def _at(root: Path, place: str) -> Path:
    return root / place.lstrip("/")


@contextmanager
def _plainly(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"cannot {what}: {error.filename}: {error.strerror}; run as root, "
            "or give a DESTDIR that you can write to"
        ) from error


def _digest(path: Path) -> str | None:
    """The digest of a regular file; None if there is none."""
    if not os.path.lexists(path):
        return None
    plain = path.is_file() and not path.is_symlink()
    return hashlib.sha256(path.read_bytes()).hexdigest() if plain else "no file"


def _missing(root: Path, places: Sequence[str]) -> set[str]:
    """The folders that have to be created for these files."""
    above = {str(one) for place in places for one in PurePosixPath(place).parents if str(one) != "/"}
    return {place for place in above if not _at(root, place).is_dir()}


def _make(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)  # DESTDIR
    if not folder.is_dir():
        folder.mkdir()
        folder.chmod(0o755)


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write the file completely or not at all; a running program keeps its old file."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        part = Path(file.name)
        try:
            file.write(content)
            file.flush()
            part.chmod(mode)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _remove(root: Path, place: str, installed: _Installed) -> list[str]:
    path = _at(root, place)
    there = _digest(path)
    if there not in (None, installed.files[place]):
        return [f"left {place} in place: it was changed"]
    path.unlink(missing_ok=True)
    return []


# --- Debian package --------------------------------------------------------------------------

_MAINTAINER = "Coreloom maintainers"  # there is no address that anybody reads
_CONTROL = """\
Package: {name}
Version: {version}
Architecture: amd64
Maintainer: {maintainer}
Installed-Size: {size}
Depends: libc6 (>= 2.36)
Recommends: systemd
Suggests: bash-completion
Section: admin
Priority: optional
Description: {description}"""
_CHANGELOG = """\
{name} ({version}) unstable; urgency=medium

  * Programs of Coreloom {upstream}; changelog.gz says what is new.

 -- {maintainer} <>  {date}
"""


def version() -> str:
    """The version of the Debian package."""
    return f"{__version__}-1"


def deb_name() -> str:
    return f"{NAME}_{version()}_amd64.deb"


def deb(folder: Path, made: Mapping[str, Path], epoch: int | None = None) -> Path:
    """The Debian package, in a folder; the same bytes for the same sources, programs and epoch.

    epoch: the time of all files, else the commit's, or SOURCE_DATE_EPOCH.
    """
    if shutil.which("dpkg-deb") is None:
        raise UserError("a Debian package needs dpkg-deb: install dpkg")
    at = _epoch() if epoch is None else epoch
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=folder) as work:
        tree, part = Path(work) / "tree", Path(work) / "deb"
        _stage(tree, made, at)
        done = subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(part)],
            capture_output=True,
            text=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(at), "LC_ALL": "C"},
            check=False,
        )
        if done.returncode:
            raise UserError(f"dpkg-deb failed: {done.stderr.strip()}")
        return part.replace(folder / deb_name())


def _epoch() -> int:
    """When the sources were last changed, as their commit says."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        if not given.isdigit():
            raise UserError(f"SOURCE_DATE_EPOCH={given} is not a time: give seconds since 1970")
        return int(given)
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True
        )
        return int(done.stdout)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise UserError(
            "these sources are not a git checkout, so their date is unknown: "
            "set SOURCE_DATE_EPOCH to seconds since 1970"
        ) from error


def _stage(tree: Path, made: Mapping[str, Path], at: int) -> None:
    """The package's files as dpkg-deb wants them, all with the same time."""
    files = _debian_items(made, at)
    for item in [*files, *_control(files)]:
        path = _at(tree, item.place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(item.content)
        path.chmod(item.mode)
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (at, at))


def _debian_items(made: Mapping[str, Path], at: int) -> list[Item]:
    """Below /usr, with man pages and changelogs packed as Debian has them."""
    documents = f"/usr/share/doc/{NAME}"
    changelog = _CHANGELOG.format(
        name=NAME, version=version(), upstream=__version__, maintainer=_MAINTAINER, date=formatdate(at)
    )
    found = [
        dataclasses.replace(item, place=f"{item.place}.gz", content=_packed(item.content))
        if item.place.startswith("/usr/share/man/")
        else item
        for item in items("/usr", made, "vendor-completions")
    ]
    return [
        *found,
        Item(f"{documents}/changelog.gz", _packed((ROOT / "CHANGELOG.md").read_bytes())),
        Item(f"{documents}/changelog.Debian.gz", _packed(changelog.encode())),
        Item(f"/usr/share/lintian/overrides/{NAME}", (_SOURCE / "lintian-overrides").read_bytes()),
    ]


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def _control(files: Sequence[Item]) -> list[Item]:
    """The files of the folder DEBIAN."""
    size = sum(-(-len(item.content) // 1024) for item in files)
    control = _CONTROL.format(
        name=NAME,
        version=version(),
        maintainer=_MAINTAINER,
        size=size,
        description=(_SOURCE / "description").read_text(),
    )
    sums = "".join(
        f"{hashlib.md5(item.content, usedforsecurity=False).hexdigest()}  {item.place[1:]}\n"
        for item in sorted(files, key=lambda item: item.place)
        if not item.kept
    )
    kept = "".join(f"{item.place}\n" for item in files if item.kept)
    scripts = [
        Item(f"/DEBIAN/{name}", (_SOURCE / name).read_bytes(), 0o755)
        for name in ("postinst", "prerm", "postrm")
    ]
    return [
        Item("/DEBIAN/control", control.encode()),
        Item("/DEBIAN/md5sums", sums.encode()),
        Item("/DEBIAN/conffiles", kept.encode()),
        *scripts,
    ]


FOLDER = BUILD / "linux"  # where `make deb` leaves it
