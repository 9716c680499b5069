# SPDX-License-Identifier: Apache-2.0
"""Packages: from an index of our own, without network; and what is said when there is none."""

from __future__ import annotations

import hashlib
import shutil
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.toolchain import debian
from coreloom.vm import kernel

needs_apt = pytest.mark.skipif(
    shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None, reason="no apt and dpkg here"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Packages go to a folder of the test."""
    monkeypatch.setattr(debian, "folder", lambda: tmp_path / "debian")
    return tmp_path / "debian"


def _package(archive: Path, name: str, fields: Mapping[str, str], file: str) -> str:
    """A package of one file in the archive, and what the index says of it."""
    work = archive / "work" / name
    (work / "DEBIAN").mkdir(parents=True)
    (work / file).parent.mkdir(parents=True)
    (work / file).write_text(name)
    about = {"Package": name, "Architecture": "amd64", "Maintainer": "t <t@t>", "Description": "t", **fields}
    text = "".join(f"{key}: {value}\n" for key, value in about.items())
    (work / "DEBIAN" / "control").write_text(text)
    made = archive / f"{name}.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-b", str(work), str(made)], check=True, capture_output=True
    )
    content = made.read_bytes()
    return (
        f"{text}Filename: ./{name}.deb\nSize: {len(content)}\nSHA256: {hashlib.sha256(content).hexdigest()}\n"
    )


@pytest.fixture
def archive(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index: tool needs libone, which needs libtwo; other needs nothing."""
    folder = tmp_path / "archive"
    index = "\n".join(
        [
            _package(folder, "tool", {"Version": "1:2.0-1", "Depends": "libone (>= 1)"}, "usr/bin/tool"),
            _package(folder, "libone", {"Version": "1.5", "Depends": "libtwo"}, "usr/lib/libone"),
            _package(folder, "libtwo", {"Version": "3~rc1"}, "lib/libtwo"),
            _package(folder, "other", {"Version": "1", "Recommends": "tool"}, "usr/bin/other"),
        ]
    )
    (folder / "Packages").write_text(index)
    digest = hashlib.sha256(index.encode()).hexdigest()
    release = f"Origin: test\nSuite: trixie\nCodename: trixie\nSHA256:\n {digest} {len(index)} Packages\n"
    (folder / "Release").write_text(release)
    monkeypatch.setattr(debian, "_sources", lambda release: f"deb [trusted=yes] file:{folder} ./\n")
    monkeypatch.setattr(debian, "_KEYS", tmp_path)
    return folder


@needs_apt
def test_a_closure_holds_every_library(archive: Path, place: Path) -> None:
    folders = debian.packages(["tool"])
    assert [folder.name for folder in folders] == ["libone_1.5", "libtwo_3~rc1", "tool_1%3a2.0-1"]
    assert debian.merged(folders) == [
        (place / "packages/tool_1%3a2.0-1/usr/bin/tool", "usr/bin/tool"),
        (place / "packages/libone_1.5/usr/lib/libone", "usr/lib/libone"),
        (place / "packages/libtwo_3~rc1/lib/libtwo", "usr/lib/libtwo"),
    ]
    tree = debian.tree(["tool"])
    assert (tree / "usr/lib/libtwo").read_text() == "libtwo"


@needs_apt
def test_what_is_here_is_not_fetched_again(archive: Path) -> None:
    (before,) = debian.packages(["other"])
    (alone,) = debian.packages(["tool"], closure=False)
    assert (before.name, alone.name) == ("other_1", "tool_1%3a2.0-1")
    assert debian.known_names("lib", "trixie") == ["libone", "libtwo"]
    shutil.rmtree(archive)
    assert debian.packages(["other"]) == [before]


@needs_apt
def test_an_unknown_package(archive: Path) -> None:
    with pytest.raises(UserError) as caught:
        debian.packages(["tol"])
    assert str(caught.value) == "Debian has no package tol: check the name"


@needs_apt
def test_a_mirror_that_is_not_there(archive: Path) -> None:
    (archive / "Release").unlink()
    with pytest.raises(
        UserError, match=r"^Debian's packages cannot be fetched: .*; check the network, or set "
    ) as caught:
        debian.packages(["tool"])
    assert str(caught.value).endswith("check the network, or set CORELOOM_DEBIAN_MIRROR to another mirror")


def test_no_apt(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError) as caught:
        debian.packages(["tool"])
    assert str(caught.value) == "Debian's packages need apt-get, which is not installed: install apt and dpkg"


def test_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(debian, "_KEYS", tmp_path / "keys")
    with pytest.raises(UserError) as caught:
        debian.needed_programs()
    assert (
        str(caught.value) == f"Debian's keys are not in {tmp_path / 'keys'}: install debian-archive-keyring"
    )


def test_the_mirror_is_that_of_apt(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = (
        "http://mirror/other/ noble main\n"
        "http://mirror/security/ bookworm-security main\n"
        "http://mirror/debian/ bookworm non-free\n"
        "http://mirror/debian/ bookworm main\n"
    )
    assert debian.mirror_in(listed) == "http://mirror/debian"
    monkeypatch.setenv("CORELOOM_DEBIAN_MIRROR", "http://own/debian/")
    assert debian.mirror() == "http://own/debian"


def test_no_mirror() -> None:
    with pytest.raises(UserError) as caught:
        debian.mirror_in("http://mirror/ubuntu/ noble main\n")
    assert str(caught.value) == (
        "apt's sources name no Debian mirror: set CORELOOM_DEBIAN_MIRROR to one, for example http://NAME/debian"
    )


def _mirror(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(
        debian, "known_names", lambda prefix, suite: [name for name in names if name.startswith(prefix)]
    )


@pytest.mark.parametrize(
    ("choice", "names", "newest"),
    [
        (
            "7",
            ["linux-binary-7.9.1+deb13-cloud-amd64", "linux-binary-7.10.2+deb13-cloud-amd64"],
            "linux-binary-7.10.2+deb13-cloud-amd64",
        ),
        (
            "7",
            ["linux-binary-7.11+deb13-amd64", "linux-image-6.18.9+deb13-cloud-amd64"],
            "linux-image-6.18.9+deb13-cloud-amd64",
        ),
        (
            "6.18",
            ["linux-image-6.18.15+deb13-cloud-amd64", "linux-image-6.18.9+deb13-cloud-amd64"],
            "linux-image-6.18.15+deb13-cloud-amd64",
        ),
    ],
)
def test_the_newest_kernel(
    monkeypatch: pytest.MonkeyPatch, choice: str, names: list[str], newest: str
) -> None:
    _mirror(monkeypatch, *names)
    source, release = kernel.newest(kernel.CHOICES[choice])
    assert source.prefix + release == newest


def test_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    _mirror(monkeypatch, "linux-image-6.1.0-50-amd64")
    with pytest.raises(UserError) as caught:
        kernel.newest(kernel.CHOICES["6.1"])
    assert str(caught.value) == (
        r"the mirror has no package linux-image-6\.1\.0-\d+-cloud-amd64: "
        "set CORELOOM_DEBIAN_MIRROR to another mirror"
    )


def test_an_unknown_kernel() -> None:
    with pytest.raises(UserError) as caught:
        kernel.get("5")
    assert str(caught.value) == "unknown guest kernel '5': choose one of 7, 6.18, 6.1"


def _elf(code: bytes) -> bytes:
    """A program of one segment at address 0x1000."""
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 120, 0x1000, 0x1000, len(code), len(code), 1)
    return header + segment + code


def test_an_idle_loop_without_pause() -> None:
    code = b"\xf3\x90\xc3" + b"\x55\xf3\x90\xeb\xfc" + b"\xf3\x90"
    patched = b"\xf3\x90\xc3" + b"\x55\x90\x90\xeb\xfc" + b"\xf3\x90"
    assert kernel.without_pause(_elf(code), "1003\n1008\n") == _elf(patched)


@pytest.mark.parametrize("found", ["", "1003\n", "1000\n1008\n", "1000\n1001\n", "2000\n2010\n"])
def test_no_idle_loop(found: str) -> None:
    with pytest.raises(UserError) as caught:
        kernel.without_pause(_elf(b"\xf3\x90\xc3\x55\xf3\x90\xeb\xfc"), found)
    assert str(caught.value) == (
        "a constant rate needs a kernel with one PAUSE in cpu_idle_poll: choose another kernel"
    )


def test_an_image_that_is_none() -> None:
    with pytest.raises(UserError) as caught:
        kernel.extract(bytes(4096))
    assert str(caught.value) == (
        f"the kernel's image cannot be unpacked: remove {debian.folder()} and try again"
    )
