# SPDX-License-Identifier: Apache-2.0
"""Where lagmeter writes, and where it does not as another user has laid something there."""

from __future__ import annotations

import os
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from coreloom.paths import LINUX
from coreloom.toolchain import native

_OTHER = 12345  # a user
Create = Callable[..., tuple[int, str]]

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="lays files of another user: needs root")


@pytest.fixture(scope="module")
def create() -> Create:
    sources = [LINUX / "lagmeter" / "create.c", Path(__file__).parent / "create_driver.c"]
    program = native.static("create_driver", sources, ["-D_GNU_SOURCE", f"-I{LINUX / 'lagmeter'}"])

    def run(path: str | Path, cwd: Path | None = None) -> tuple[int, str]:
        done = subprocess.run(
            [program, path], capture_output=True, text=True, timeout=60, check=False, cwd=cwd
        )
        return done.returncode, done.stdout

    return run


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder as /tmp."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def test_a_new_file_and_one_that_is_there(create: Create, tmp_path: Path) -> None:
    path = tmp_path / "new"
    assert create(path) == (0, "")
    assert path.read_text() == "new\n"
    path.write_text("a longer text\n")
    assert create("new", tmp_path) == (0, "")
    assert path.read_text() == "new\n"
    path.chmod(0o600)
    assert create("../" + tmp_path.name + "/new", tmp_path) == (0, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_links_of_ones_own_are_followed(create: Create, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name, to in (("relative", "sub/a"), ("absolute", str(tmp_path / "b")), ("chain", "relative")):
        link = tmp_path / name
        link.symlink_to(to)
        assert create(link) == (0, "")
        assert link.is_symlink()
        assert link.read_text() == "new\n"


def test_devices_and_pipes_are_written_in_place(create: Create, tmp_path: Path) -> None:
    assert create("/dev/null") == (0, "")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert create("/dev/stdout") == (0, "new\n")
    assert create("/proc/self/fd/1") == (0, "new\n")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert create(pipe) == (0, "")
    reader.join()
    assert read == ["new\n"]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("missing/a", "No such file or directory"),
        ("folder", "Is a directory"),
        ("folder/", "Is a directory"),
        ("file/a", "Not a directory"),
        ("loop", "Too many levels of symbolic links"),
        ("x" * 256, "Filename too long"),
        ("y/" * 3000, "Filename too long"),
        ("", "Is a directory"),
    ],
)
def test_what_cannot_be_written(create: Create, tmp_path: Path, path: str, why: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    (tmp_path / "loop").symlink_to("loop")
    status, said = create(path, tmp_path)
    assert status == 1
    assert said.strip() in {why, why.replace("Too many levels of symbolic links", "Symbolic link loop")}
    assert (tmp_path / "file").read_text() == "kept"


@needs_root
def test_another_users_link_is_not_followed(create: Create, shared: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("kept")
    for name, to in (("link", target), ("to-nothing", tmp_path / "made")):
        link = shared / name
        link.symlink_to(to)
        os.lchown(link, _OTHER, _OTHER)
        assert create(link) == (1, "it is a symbolic link of another user\n")
    own = shared / "own"
    own.symlink_to("link")  # which is the other's
    assert create(own) == (1, "it is a symbolic link of another user\n")
    assert target.read_text() == "kept"
    assert not (tmp_path / "made").exists()


@needs_root
def test_another_users_file_is_not_taken(create: Create, shared: Path, tmp_path: Path) -> None:
    laid = shared / "laid"
    laid.write_text("theirs")
    os.chown(laid, _OTHER, _OTHER)
    assert create(laid) == (1, "the file belongs to another user\n")
    assert laid.read_text() == "theirs"
    # In a folder of theirs, where nobody else writes, it is what was asked for.
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, _OTHER, _OTHER)
    (home / "theirs").write_text("")
    os.chown(home / "theirs", _OTHER, _OTHER)
    assert create(home / "theirs") == (0, "")


def test_a_file_with_another_name_is_not_taken(create: Create, shared: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    os.link(precious, shared / "hard")
    assert create(shared / "hard") == (1, "the file has a second hard link\n")
    assert precious.read_text() == "kept"
