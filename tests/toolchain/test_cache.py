# SPDX-License-Identifier: Apache-2.0
"""The cache of what is built: where it is, that an entry is whole, how large it grows."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from coreloom.errors import UserError
from coreloom.paths import BUILD
from coreloom.toolchain import cache

DAY = 24 * 3600


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))
    return cache.folder()


def filled(kind: str, name: str, size: int = 1, days: float = 0) -> Path:
    """An entry of so many bytes that was last used so many days ago."""

    def make(work: Path) -> None:
        (work / "file").write_bytes(bytes(size))

    entry = cache.made(cache.place(kind) / name, make)
    then = time.time() - days * DAY
    os.utime(entry, (then, then))
    return entry


def test_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (cache.FOLDER, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.folder() == tmp_path / "home" / ".cache" / "coreloom"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert cache.folder() == tmp_path / "caches" / "coreloom"
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "given"))
    assert cache.folder() == tmp_path / "given"
    assert (tmp_path / "given").is_dir()


def test_what_is_not_ones_own_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in its place, a folder that anybody may write to, no home at all."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    (tmp_path / "file").touch()
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    for name in ("file", "open"):
        monkeypatch.setenv(cache.FOLDER, str(tmp_path / name))
        assert (cache.folder(), cache.shared()) == (tmp_path / "caches" / "coreloom", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "in"))
    assert cache.folder() == BUILD / "cache"
    for name in (cache.FOLDER, "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache.folder() == BUILD / "cache"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_root_runs_nothing_from_a_cache_of_another(top: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
        os.chown(top, 65534, 65534)
        cache._folder.cache_clear()
        assert (cache.folder(), cache.shared()) == (tmp_path / "caches" / "coreloom", None)


def test_an_entry_is_whole_or_not_there(top: Path) -> None:
    entry = cache.place("kind") / "name"

    def fails(work: Path) -> None:
        (work / "half").touch()
        raise UserError("no more")

    with pytest.raises(UserError, match="no more"):
        cache.made(entry, fails)
    assert [path.name for path in entry.parent.iterdir()] == ["name.lock"]
    assert filled("kind", "name") == entry

    def again(work: Path) -> None:
        raise AssertionError("it is there")

    assert cache.made(entry, again) == entry


def test_processes_make_it_once(top: Path, tmp_path: Path) -> None:
    code = f"""
import time
from coreloom.toolchain import cache
def make(work):
    with open({str(tmp_path / "log")!r}, "a") as log:
        log.write("made\\n")
    time.sleep(0.2)
    (work / "file").write_text("whole")
print((cache.made(cache.place("kind") / "name", make) / "file").read_text())
"""
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    assert [process.communicate()[0] for process in running] == ["whole\n"] * 4
    assert (tmp_path / "log").read_text() == "made\n"


def test_what_was_unused_for_longest_goes(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.LIMIT, "1")
    size = 300 << 10
    oldest, used, third, new = (
        filled("one", "oldest", size, 9),
        filled("two", "used", size, 8),
        filled("one", "third", size, 7),
        filled("two", "new", size),
    )
    unfinished = cache.place("one") / ".half"
    unfinished.mkdir()
    os.utime(unfinished, (0, 0))
    assert cache.found(used) == used
    (top / "trimmed").unlink()
    cache.trim()
    assert not oldest.exists() and not unfinished.exists()
    assert used.exists() and third.exists() and new.exists()  # 900 KiB are within the limit
    filled("two", "more", size)
    cache.trim()
    assert third.exists()  # it has looked within the hour
    cache.trim(time.time() + 3700)
    assert not third.exists()
    # However small the limit, what was used within a day stays.
    monkeypatch.setenv(cache.LIMIT, "0")
    cache.trim(time.time() + 7400)
    assert used.exists() and new.exists()


def test_limit_must_be_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.LIMIT, "much")
    with pytest.raises(UserError, match=r"^CORELOOM_CACHE_MIB is 'much': set it to a number of MiB$"):
        cache.limit_bytes()


def test_a_full_disk_is_said(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool then says anything, or nothing."""

    def make(work: Path) -> None:
        raise UserError("the C library does not compile:")

    with pytest.raises(UserError, match="does not compile"):
        cache.made(cache.place("kind") / "name", make)
    monkeypatch.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=1000))
    with pytest.raises(UserError, match=rf"^{top} cannot be written: No space left on device; make room"):
        cache.made(cache.place("kind") / "name", make)
