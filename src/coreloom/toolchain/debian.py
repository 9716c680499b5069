# SPDX-License-Identifier: Apache-2.0
"""Debian packages in the cache, by the machine's own apt: no root, nothing of the machine's apt is touched.

apt gets a folder of its own for each release, with its own sources, lists and an empty list of what is
installed; so a closure holds every library that it needs. apt checks the signatures.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from coreloom.errors import UserError
from coreloom.files import file_lock, whole_folder
from coreloom.toolchain import cache

MIRROR = "CORELOOM_DEBIAN_MIRROR"
_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_INDEX_SECONDS = 24 * 3600  # an index may be so old before it is fetched again
# Suites of which apt's sources may speak that lie on a mirror with all the others.
_SUITES = {"bookworm", "trixie", "forky", "sid", "oldstable", "stable", "testing", "unstable"}
_URI = re.compile(r"^'([^']+)' (\S+\.deb) \d+", re.MULTILINE)
_SOURCES = "trixie-sources"  # an index of its own: who needs packages only does not fetch it
_ORIGINAL = re.compile(r"^'[^']+' (\S+\.orig\.tar\.\w+) \d+ SHA256:(\w+)$", re.MULTILINE)


def folder() -> Path:
    """Where all of it is kept, for all checkouts, until somebody removes it."""
    return cache.place("debian")


def again() -> str:
    """Advice for when something in it is damaged."""
    return f"remove {folder()} and try again"


def store() -> Path:
    """Its folder of unpacked packages, NAME_VERSION each."""
    return folder() / "packages"


def needed_programs() -> None:
    """UserError unless apt and dpkg and Debian's keys are here."""
    for program in ("apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            raise UserError(f"Debian's packages need {program}, which is not installed: install apt and dpkg")
    if not _KEYS.exists():
        raise UserError(f"Debian's keys are not in {_KEYS}: install debian-archive-keyring")


def mirror() -> str:
    """Where packages come from: as the user says, else where the machine's own come from."""
    if given := os.environ.get(MIRROR):
        return given.rstrip("/")
    listed = _apt(None, "apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)")
    return mirror_in(listed)


def mirror_in(listed: str) -> str:
    """The mirror among lines of address, suite and component."""
    for line in listed.splitlines():
        match line.split():
            case [uri, suite, "main"] if suite in _SUITES:
                return uri.rstrip("/")
    raise UserError(
        f"apt's sources name no Debian mirror: set {MIRROR} to one, for example http://NAME/debian"
    )


def packages(names: Sequence[str], suite: str = "trixie", *, closure: bool = True) -> list[Path]:
    """The folders of packages' files, with all that they depend on; fetched once.

    suite: trixie or bookworm, or one of the two with -backports.
    """
    kind = "closure" if closure else "alone"
    key = hashlib.sha256(" ".join(sorted(names)).encode()).hexdigest()[:8]
    chosen = folder() / "chosen" / f"{suite}-{kind}-{names[0]}-{key}"
    with file_lock(folder() / "debian.lock"):
        if (kept := _kept(chosen)) is not None:
            return kept
        for again in (False, True):
            _update(suite, again)
            try:
                wanted = _resolve(names, suite, closure)
                folders = _fetch(wanted, suite)
                break
            except UserError:
                if again:  # a package may have left the mirror since the index was fetched
                    raise
        chosen.parent.mkdir(parents=True, exist_ok=True)
        partial = chosen.with_suffix(".partial")
        partial.write_text("".join(f"{folder.name}\n" for folder in folders))
        partial.replace(chosen)
    return folders


def source(file: str, sha256: str) -> Path:
    """The archive of a source package as its authors made it, NAME_VERSION.orig.tar.SUFFIX; fetched once."""
    kept = folder() / "sources" / f"{sha256}-{file}"
    name = file.split("_")[0]
    with file_lock(folder() / "sources.lock"):
        if not kept.exists():
            _update(_SOURCES, False)
            fetch = ["apt-get", "source", "--only-source", "--download-only", name]
            served = dict(_ORIGINAL.findall(_apt(_SOURCES, *fetch, "--print-uris")))
            if served.get(file) != sha256:
                raise UserError(f"Debian serves {', '.join(served) or f'no {name}'}, not {file} as pinned")
            kept.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".", dir=kept.parent) as work:
                _apt(_SOURCES, *fetch, "--tar-only", cwd=Path(work))
                (Path(work) / file).replace(kept)
    return kept


def name(folder: Path) -> str:
    """The name of the package in a folder."""
    return folder.name.split("_")[0]


def known_names(prefix: str, suite: str) -> list[str]:
    """Names of the suite's packages that begin so."""
    with file_lock(folder() / "debian.lock"):
        _update(suite, False)
        return sorted(_apt(suite, "apt-cache", "pkgnames", prefix).split())


def tree(names: Sequence[str], suite: str = "trixie") -> Path:
    """One folder with the files of a closure, as links, laid out as on a machine: programs run from it."""
    folders = packages(names, suite)
    key = hashlib.sha256("\0".join(folder.name for folder in folders).encode()).hexdigest()[:8]
    target = folder() / "trees" / f"{names[0]}-{key}"
    with file_lock(folder() / "trees.lock"):
        if not target.exists():
            with whole_folder(target) as work:
                for source, path in merged(folders):
                    _link(source, work / path)
    return target


def made(name: str, names: Sequence[str], how: str, make: Callable[[Path], None]) -> Path:
    """A file that packages' programs make, once for their versions and the text that says how."""
    versions = " ".join(folder.name for folder in packages(names))
    key = hashlib.sha256(f"{how}\0{versions}".encode()).hexdigest()[:16]
    target = folder() / "inputs" / f"{name}-{key}" / name
    with file_lock(target.parent.with_suffix(".lock")):
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_suffix(".partial")
            make(partial)
            partial.replace(target)
    return target


def program(name: str, root: Path) -> list[str]:
    """The command that starts a program of a tree, with the tree's libraries only."""
    libraries = root / "usr/lib/x86_64-linux-gnu"
    return [str(libraries / "ld-linux-x86-64.so.2"), "--library-path", str(libraries), str(root / name)]


def merged(folders: Iterable[Path]) -> list[tuple[Path, str]]:
    """Files and links of package folders and where they belong, with /bin, /lib and so on below /usr."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or not path.is_dir():
                place = path.relative_to(folder).as_posix()
                if place.split("/")[0] in ("bin", "sbin", "lib", "lib64"):
                    place = f"usr/{place}"
                found[place] = path
    return [(path, place) for place, path in sorted(found.items())]


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(source.readlink())
    else:
        target.hardlink_to(source)


def _kept(chosen: Path) -> list[Path] | None:
    if not chosen.exists():
        return None
    folders = [store() / name for name in chosen.read_text().split()]
    return folders if all(folder.is_dir() for folder in folders) else None


def _resolve(names: Sequence[str], suite: str, closure: bool) -> list[str]:
    """File names of the packages, as name_version_architecture.deb."""
    if closure:
        listed = _apt(suite, "apt-get", "install", "--yes", "--print-uris", "-t", suite, *names)
    else:
        listed = _apt(suite, "apt-get", "download", "--print-uris", "-t", suite, *names)
    return sorted(file_names(listed))


def file_names(listed: str) -> list[str]:
    """File names of packages in what `apt-get --print-uris` prints."""
    return [name for _, name in _URI.findall(listed)]


def _fetch(files: Sequence[str], suite: str) -> list[Path]:
    """The folders of packages given by file name; those that are not here are fetched."""
    folders = {name: store() / name.rpartition("_")[0] for name in files}
    missing = [name for name, folder in folders.items() if not folder.is_dir()]
    if missing:
        store().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=store()) as work:
            wanted = [_with_version(name) for name in missing]
            _apt(suite, "apt-get", "download", *wanted, cwd=Path(work))
            for name in missing:
                made = Path(work) / "files"
                _run(["dpkg-deb", "-x", str(Path(work) / name), str(made)])
                made.replace(folders[name])
    return list(folders.values())


def _with_version(file: str) -> str:
    """name=version of a package's file name."""
    name, version, _ = file.split("_")
    return f"{name}={version.replace('%3a', ':')}"


def _root(suite: str) -> Path:
    """apt's own folder for a release and its backports."""
    return folder() / "apt" / suite.removesuffix("-backports")


def _update(suite: str, again: bool) -> None:
    """Have an index of the suite that is not old."""
    root = _root(suite)
    mark = root / "updated"
    if mark.exists() and not again and time.time() - mark.stat().st_mtime < _INDEX_SECONDS:
        return
    needed_programs()
    release = root.name
    for folder in ("etc/apt", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "status").touch()
    # How the machine reaches its mirrors holds for us, too.
    kept = [line for line in _apt(None, "apt-config", "dump").splitlines() if _REACH.match(line)]
    lines = [
        f'Dir "{root}/";',
        f'Dir::State::status "{root}/status";',
        'APT::Architecture "amd64";',
        'APT::Architectures { "amd64"; };',
        'APT::Install-Recommends "false";',
        'APT::Sandbox::User "root";',
        'Acquire::Languages "none";',
        *kept,
    ]
    (root / "apt.conf").write_text("".join(f"{line}\n" for line in lines))
    (root / "etc/apt/sources.list").write_text(_sources(release))
    _apt(suite, "apt-get", "update", "--error-on=any")
    mark.touch()


def _sources(release: str) -> str:
    place = mirror()
    if release == _SOURCES:
        return f"deb-src [signed-by={_KEYS}] {place} {release.removesuffix('-sources')} main\n"
    suites = (release, f"{release}-backports")
    return "".join(f"deb [signed-by={_KEYS}] {place} {suite} main\n" for suite in suites)


_REACH = re.compile(r"Acquire::(http|https|Retries|Check-|ForceIPv)", re.IGNORECASE)


def _apt(suite: str | None, *command: str, cwd: Path | None = None) -> str:
    """The output of a command of apt: of our apt for a suite, or the machine's."""
    needed_programs()
    env = {**os.environ, "LC_ALL": "C"}
    if suite is not None:
        env["APT_CONFIG"] = str(_root(suite) / "apt.conf")
    return _run(list(command), env, cwd)


def _run(command: list[str], env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith(("E:", "dpkg"))]
        reason = said[0].removeprefix("E: ") if said else f"{command[0]} failed"
        if found := re.fullmatch(r"Unable to locate package (\S+)", reason):
            raise UserError(f"Debian has no package {found.group(1)}: check the name")
        raise UserError(
            f"Debian's packages cannot be fetched: {reason}; check the network, "
            f"or set {MIRROR} to another mirror"
        )
    return done.stdout
