# SPDX-License-Identifier: Apache-2.0
"""The guest's first file system: the archive byte by byte, and what goes into it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.toolchain import zig
from coreloom.vm import image


def _head(number: int, mode: int, links: int, size: int, name: str) -> bytes:
    fields = (number, mode, 0, 0, links, 0, size, 0, 0, 0, 0, len(name) + 1, 0)
    return ("070701" + "".join(f"{field:08X}" for field in fields) + name).encode() + b"\0"


def test_an_archive_byte_by_byte(tmp_path: Path) -> None:
    target = tmp_path / "archive"
    image.write(target, {"a/say": image.file(b"#!x\n!", executable=True), "b": image.link("a")})
    assert target.read_bytes() == (
        _head(1, 0o040755, 2, 0, "a")
        + _head(2, 0o100755, 1, 5, "a/say")
        + b"#!x\n!\0\0\0"
        + _head(3, 0o120777, 1, 1, "b")
        + b"a\0\0\0"
        + _head(0, 0, 1, 0, "TRAILER!!!")
        + b"\0\0\0"
    )


def test_order_and_time_of_files_do_not_matter(tmp_path: Path) -> None:
    archives = []
    for turn in (1, -1):
        entries = dict([("b", image.file(b"1")), ("a", image.file(b"2"))][::turn])
        image.write(tmp_path / "archive", entries)
        archives.append((tmp_path / "archive").read_bytes())
    assert archives[0] == archives[1]


def test_files_of_packages_that_are_left_out(tmp_path: Path) -> None:
    for place in ("bin/tool", "usr/share/doc/tool/text", "usr/share/tool/data", "etc/tool"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("")
    assert list(image.of_packages([tmp_path])) == ["etc/tool", "usr/bin/tool", "usr/share/tool/data"]
    assert list(image.of_packages([tmp_path], without=["usr/share/*"])) == ["etc/tool", "usr/bin/tool"]


def test_files_of_the_host(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "text").write_text("t")
    (tmp_path / "folder" / "link").symlink_to("text")
    program = tmp_path / "program"
    program.write_text("p")
    program.chmod(0o700)
    entries = image.of_host(
        {"/bin/program": program, "/data": tmp_path / "folder", "/x": b"#!/bin/sh\n", "/y": b"y"}
    )
    assert {name: (entry.mode, entry.read()) for name, entry in entries.items()} == {
        "usr/bin/program": (stat.S_IFREG | 0o755, b"p"),
        "data/link": (stat.S_IFLNK | 0o777, b"text"),
        "data/text": (stat.S_IFREG | 0o644, b"t"),
        "x": (stat.S_IFREG | 0o755, b"#!/bin/sh\n"),
        "y": (stat.S_IFREG | 0o644, b"y"),
    }


@pytest.mark.parametrize("place", ["data", "/", "/a/../b"])
def test_a_wrong_place(place: str) -> None:
    with pytest.raises(UserError) as caught:
        image.of_host({place: b""})
    assert str(caught.value) == f"'{place}' is not a path in the guest: give an absolute path"


def test_a_missing_file() -> None:
    with pytest.raises(UserError) as caught:
        image.of_host({"/data": Path("no/such")})
    assert str(caught.value) == "no/such, meant for /data in the guest, does not exist"


def test_texts_of_packages_stay_behind(tmp_path: Path) -> None:
    for name in ("bin/tool", "lib/x86_64-linux-gnu/libx.so", "usr/share/doc/tool/copyright", "etc/tool.conf"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert sorted(image.of_packages([tmp_path])) == [
        "etc/tool.conf",
        "usr/bin/tool",
        "usr/lib/x86_64-linux-gnu/libx.so",
    ]


def _compiled(folder: Path, place: str, *flags: str) -> Path:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    zig.run([*zig.cc(), "-target", "x86_64-linux-gnu", *flags, "-o", str(path)], place)
    return path


def test_libraries_that_a_program_loads(tmp_path: Path) -> None:
    source = tmp_path / "one.c"
    source.write_text("int one(void); int one(void) { return 1; }\n")
    main = tmp_path / "main.c"
    main.write_text("int one(void); int main(void) { return one(); }\n")
    tool, libone, more = (tmp_path / name for name in ("tool", "libone", "more"))
    library = _compiled(
        libone, "lib/x86_64-linux-gnu/one/libone.so.1.2", "-shared", "-Wl,-soname,libone.so.1", str(source)
    )
    library.with_name("libone.so.1").symlink_to("libone.so.1.2")
    (libone / "etc").mkdir()
    (libone / "etc/one.conf").write_text("")
    _compiled(more, "lib/x86_64-linux-gnu/libmore.so", "-shared", str(source))
    _compiled(tool, "bin/tool", str(main), str(library))
    entries = image.of_packages([tool], [tool, libone, more])
    place = "usr/lib/x86_64-linux-gnu"
    assert sorted(entries) == [
        "usr/bin/tool",
        f"{place}/libone.so.1",
        f"{place}/one/libone.so.1",
        f"{place}/one/libone.so.1.2",
    ]
    assert entries[f"{place}/libone.so.1"].read() == f"/{place}/one/libone.so.1".encode()
