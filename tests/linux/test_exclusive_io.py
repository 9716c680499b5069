# SPDX-License-Identifier: Apache-2.0
"""What `coreloom exclusive` reads whole, where it writes to, and that no name reaches a terminal raw."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from linux import system
from linux.reading import read
from linux.system import machine_of
from linux.tree import Machine, Task

_NOBODY = 65534
_AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")


@pytest.fixture(scope="module")
def driver() -> Path:
    return system.driver("io")


def _call(driver: Path, *words: str | bytes | Path, root: Path | str = "") -> tuple[int, bytes, bytes]:
    done = subprocess.run([driver, root, *words], capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


# --- whole files ---------------------------------------------------------------------------------


def test_a_file_is_read_whole_or_not_at_all(driver: Path, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("1234567\n")
    assert _call(driver, "read", "9", path) == (0, b"1234567\n", b"")
    assert _call(driver, "read", "8", path) == (1, b'"" File too large\n', b"")
    assert _call(driver, "start", "8", path) == (0, b"1234567\n", b"")
    assert _call(driver, "start", "4", path) == (0, b"123\n", b"")
    path.write_text("1234567\n" * 9000)
    assert _call(driver, "all", path)[1] == b"1234567\n" * 9000


def test_a_path_that_does_not_fit_is_no_other_file(driver: Path, tmp_path: Path) -> None:
    folder = tmp_path
    while len(str(folder)) < 800:
        folder = folder / ("d" * 100)
    folder.mkdir(parents=True)
    (folder / "12").write_text("text\n")
    assert _call(driver, "read", "99", folder / "12") == (0, b"text\n", b"")
    again = "/." * 2500  # cut, it would be that file all the same
    assert _call(driver, "read", "99", f"{folder}/12{again}") == (1, b'"" Filename too long\n', b"")


def test_all_processes_of_a_group_leave_it(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tasks=[Task(1, "init", 0, "0-3")])
    machine.make()
    group = "/sys/fs/cgroup/coreloom-100"
    machine.layer(100, "3", "a", alive=False)
    machine.write("/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n")
    machine.write("/sys/fs/cgroup/cgroup.procs", "")
    pids = [str(1000001 + number) for number in range(9000)]  # 8 bytes each: 65 535 end within one
    machine.write(f"{group}/cgroup.procs", "".join(f"{pid}\n" for pid in pids))
    subprocess.run(
        [system.driver("system"), tmp_path, "restore"], capture_output=True, timeout=120, check=False
    )
    # In a tree each write is the file's new text: this was the last one moved.
    assert (tmp_path / "sys/fs/cgroup/cgroup.procs").read_text() == pids[-1]


def test_the_group_is_found_behind_long_ones(driver: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path, tasks=[Task(1, "init", 0, "0-3")])
    machine.make()
    long = [f"{number}:name{number}:/{'g' * 4000}\n" for number in range(12, 1, -1)]
    # What 8192 bytes would hold ends within this path.
    lines = [*long, "1:cpuset:/of/the/user\n", f"0::/system.slice/web.service/{'/'.join(['x' * 200] * 18)}\n"]
    machine.write("/proc/1/cgroup", "".join(lines))
    assert _call(driver, "group", "1", root=tmp_path) == (1, b"Filename too long\n", b"")
    machine.write(
        "/proc/1/cgroup", "".join([*long, "1:cpuset:/of/the/user\n", "0::/system.slice/web.service\n"])
    )
    assert _call(driver, "group", "1", root=tmp_path) == (0, b"/system.slice/web.service\n", b"")


def test_the_unit_of_a_deep_group() -> None:
    with machine_of([Task(200, "web", 0, "0-3")]) as machine:
        (machine.root / "run/systemd/system").mkdir(parents=True)
        deep = "/".join(["x" * 200] * 18)
        machine.write("/proc/200/cgroup", f"0::/system.slice/web.service/{deep}\n")
        done = subprocess.run(
            [system.driver("system"), machine.root, "unit", "200"], capture_output=True, check=False
        )
        assert done.stdout == b"web.service\n"


def test_a_mount_of_a_user_is_not_taken_for_another(driver: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.make()
    own = "/home/user/".ljust(255, "a")
    machine.write(
        "/proc/self/mounts",
        f"mine {own}cgroup2 fuse rw,cpuset 0 0\n {own} fuse.x cgroup2 0 0\n"
        "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
    )
    assert _call(driver, "mount", root=tmp_path) == (0, b"/sys/fs/cgroup\n", b"")


def test_signs_that_the_kernel_encodes_in_a_mount(driver: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path, tasks=[Task(200, "web", 0, "0-3", group="/a b\\\\040")])
    machine.make()
    machine.write("/proc/self/mounts", "cgroup2 /mnt/my\\040own\\011\\012\\134040 cgroup2 rw 0 0\n")
    folder = "/mnt/my own\t\n\\040"
    assert _call(driver, "mount", root=tmp_path) == (0, f"{folder}\n".encode(), b"")
    # The path of a group is told as it is.
    machine.write(f"{folder}/a b\\\\040/cpuset.cpus.effective", "1-2\n")
    assert _call(driver, "granted", "200", root=tmp_path) == (0, b"1-2\n", b"")
    machine.write("/proc/self/mounts", "cgroup2 /mnt/no\\04octal\\489\\477 cgroup2 rw 0 0\n")
    assert _call(driver, "mount", root=tmp_path) == (0, b"/mnt/no\\04octal\\489\\477\n", b"")


def test_a_mount_too_long_for_what_we_make_in_it(driver: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.make()
    machine.write("/proc/self/mounts", f"cgroup2 /{'m' * 255} cgroup2 rw 0 0\n")
    assert _call(driver, "mount", root=tmp_path) == (1, b"Filename too long\n", b"")


def test_what_a_deep_group_grants(driver: Path, tmp_path: Path) -> None:
    deep = "/" + "/".join(["x" * 200] * 17)
    machine = Machine(tmp_path, tasks=[Task(200, "web", 0, "0-3", group=deep)])
    machine.make()
    machine.write("/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
    machine.write("/sys/fs/cgroup/cpuset.cpus.effective", "0-3\n")
    assert _call(driver, "granted", "200", root=tmp_path) == (0, b"0-3\n", b"")
    machine.write(f"/sys/fs/cgroup{deep}/cpuset.cpus.effective", "2\n")
    assert _call(driver, "granted", "200", root=tmp_path) == (0, b"2\n", b"")
    # This group is too deep to be opened, and those above it may grant more.
    machine.task(Task(200, "web", 0, "0-3", group="/" + "/".join(["x" * 200] * 20)))
    assert _call(driver, "granted", "200", root=tmp_path) == (1, b"Filename too long\n", b"")


def test_a_program_in_very_many_groups(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tasks=[Task(200, "web", 0, "0-3", voluntary=7, involuntary=3)])
    machine.make()
    for path in ("/proc/200/status", "/proc/200/task/200/status"):
        text = (tmp_path / path[1:]).read_text()
        groups = " ".join(str(number) for number in range(100000, 103000))
        machine.write(path, text.replace("\nvoluntary", f"\nGroups:\t{groups}\nvoluntary"))
    assert read(tmp_path, "program", "200", "0")[1] == "0.000 7 3\n"


# --- names of others -----------------------------------------------------------------------------

_SHOWN = {
    "plain": b"plain",
    "Grüße, 世界 🙂 \\x1b": "Grüße, 世界 🙂 \\x1b".encode(),
    "\x1b]0;title\x07": rb"\x1b]0;title\x07",
    "a\nb\tc\rd\x7f": rb"a\x0ab\x09c\x0dd\x7f",
    "\x9b31m\x85": rb"\u009b31m\u0085",
    "\u202egnp.exe\u2066\u2069\u2028\u200f": rb"\u202egnp.exe\u2066\u2069\u2028\u200f",
}
_BYTES = {
    b"\x9b31m": rb"\x9b31m",  # a control character of ISO 8859
    b"\xc3": rb"\xc3",  # a character that was cut
    b"\xc0\x9b\xed\xa0\x80\xf4\x90\x80\x80": rb"\xc0\x9b\xed\xa0\x80\xf4\x90\x80\x80",
    b"\xe0\x80\x9b": rb"\xe0\x80\x9b",  # longer than it has to be
    b"\xf0\x9f\x99": rb"\xf0\x9f\x99",
}


def test_what_a_terminal_would_obey_is_shown(driver: Path) -> None:
    texts = {**{text.encode(): shown for text, shown in _SHOWN.items()}, **_BYTES}
    assert _call(driver, "plain", *texts)[1].splitlines() == list(texts.values())
    for text, shown in texts.items():
        assert _call(driver, "say", text)[2] == b"coreloom exclusive: warning: it is " + shown + b"\n"
        assert _call(driver, "planned", text)[1] == b"it is " + shown + b"\n"


def test_a_long_line_is_cut_between_characters(driver: Path) -> None:
    for text in ("\x1b" * 3000, "a" + "世" * 3000):
        said = _call(driver, "say", text)[2]
        assert said.count(b"\n") == 1 and len(said) <= 4096
        assert "\ufffd" not in said.decode(errors="replace")


def test_json_keeps_every_name(driver: Path) -> None:
    assert _call(driver, "quote", "\x9b\u202e\x1b\té")[1] == b'"\\u009b\\u202e\\u001b\\u0009\xc3\xa9"'


def test_a_name_in_verify_and_status(tmp_path: Path) -> None:
    tasks = [Task(100, "tool", 0, "0-3"), Task(300, "\x1b[2Jx", 3, "0-3", used=1)]
    machine = Machine(tmp_path, tasks=tasks)
    machine.make()
    machine.write("/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
    machine.layer(100, "3", "\x1b[31mred", "note\tprogram\t100 500")
    (tmp_path / "sys/fs/cgroup/coreloom-7\x1b[2J").mkdir(parents=True)
    _, out, _ = read(tmp_path, "verify")
    assert "\x1b" not in out and "coreloom-7\\x1b[2J is left" in out
    _, out, _ = read(tmp_path, "status")
    assert "\x1b" not in out and "\\x1b[31mred" in out


# --- a report, a log -----------------------------------------------------------------------------


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may write to, as /tmp; other users can come to it."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o1777)
        yield path


def test_a_new_report(driver: Path, folder: Path) -> None:
    before = os.umask(0o027)
    try:
        assert _call(driver, "report", folder / "new", "text\n") == (0, b"", b"")
    finally:
        os.umask(before)
    assert (folder / "new").read_text() == "text\n"
    assert stat.S_IMODE((folder / "new").stat().st_mode) == 0o640
    assert _call(driver, "report", folder / "new", "other\n") == (0, b"", b"")
    assert (folder / "new").read_text() == "other\n"
    assert [path.name for path in folder.iterdir()] == ["new"]


def test_a_report_is_a_new_file(driver: Path, folder: Path) -> None:
    """So neither a hard link to another file nor a process that has it open reaches the other."""
    (folder / "precious").write_text("as it was\n")
    os.link(folder / "precious", folder / "report")
    assert _call(driver, "report", folder / "report", "text\n")[0] == 0
    assert (folder / "precious").read_text() == "as it was\n"
    assert (folder / "report").read_text() == "text\n"


def test_a_report_through_links(driver: Path, folder: Path) -> None:
    (folder / "place").mkdir()
    (folder / "there").symlink_to("place")
    (folder / "link").symlink_to(folder / "there/../there/second")
    (folder / "place/second").symlink_to("third")
    assert _call(driver, "report", folder / "link", "text\n") == (0, b"", b"")
    assert (folder / "place/third").read_text() == "text\n"
    assert (folder / "link").is_symlink() and (folder / "place/second").is_symlink()
    done = subprocess.run([driver, "", "report", "here", "text\n"], cwd=folder, timeout=60, check=False)
    assert done.returncode == 0 and (folder / "here").read_text() == "text\n"


_OTHERS = b"a symbolic link in the path belongs to another user, or there are too many\n"


@_AS_ROOT
@pytest.mark.parametrize("where", ["report", "way/report"])
def test_a_link_of_another_user_is_not_followed(driver: Path, folder: Path, where: str) -> None:
    (folder / "etc").mkdir()
    (folder / "etc/report").write_text("as it was\n")
    link = folder / where.partition("/")[0]
    link.symlink_to(folder / ("etc/report" if where == "report" else "etc"))
    os.lchown(link, _NOBODY, _NOBODY)
    assert _call(driver, "report", folder / where, "text\n") == (1, b"", _OTHERS)
    assert _call(driver, "log", folder / where, "text") == (1, _OTHERS, b"")
    assert (folder / "etc/report").read_text() == "as it was\n"


def test_links_without_an_end(driver: Path, folder: Path) -> None:
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    assert _call(driver, "report", folder / "a", "text\n") == (1, b"", _OTHERS)


def test_a_link_that_comes_later_is_replaced(driver: Path, folder: Path) -> None:
    (folder / "precious").write_text("as it was\n")
    words = ("report", folder / "report", "text\n", folder / "precious", folder / "report")
    assert _call(driver, *words) == (0, b"", b"")
    assert (folder / "precious").read_text() == "as it was\n"
    assert not (folder / "report").is_symlink() and (folder / "report").read_text() == "text\n"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "No such file or directory"),
        ("no/report", "No such file or directory"),
        (".", "Is a directory"),
        ("folder", "Is a directory"),
        ("folder/", "Is a directory"),
        ("file/report", "Not a directory"),
        ("n" * 300, "Filename too long"),
        ("n/" * 3000, "Filename too long"),
        ("/proc/self/fd/77", "No such file or directory"),
        ("/dev/fd/77", "No such file or directory"),
        ("/dev/fd/0", "Bad file descriptor"),  # it is open to be read
    ],
)
def test_where_no_report_can_be(driver: Path, folder: Path, path: str, why: str) -> None:
    (folder / "folder").mkdir()
    (folder / "file").touch()
    command: list[str | Path] = [driver, "", "report", path, "text\n"]
    with Path("/dev/null").open("rb") as to_read:
        done = subprocess.run(
            command, stdin=to_read, capture_output=True, text=True, cwd=folder, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (1, f"{why}\n")


@_AS_ROOT
def test_devices_stay(driver: Path, folder: Path) -> None:
    null = folder / "null"
    os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    try:
        with null.open("wb"):
            pass
    except PermissionError:
        pytest.skip("no device can be opened in that folder")
    assert _call(driver, "report", null, "text\n") == (0, b"", b"")
    assert null.is_char_device()


def test_dev_null_and_the_like_stay(driver: Path) -> None:
    before = {name: os.lstat(name) for name in ("/dev/null", "/dev/stdout", "/dev/stderr")}
    assert _call(driver, "report", "/dev/null", "text\n") == (0, b"", b"")
    assert _call(driver, "report", "/dev/stdout", "text\n") == (0, b"text\n", b"")
    assert _call(driver, "report", "/dev/stderr", "text\n") == (0, b"", b"text\n")
    assert _call(driver, "log", "/dev/stdout", "text")[1].endswith(b"Z text\n")
    for name, was in before.items():
        assert (os.lstat(name).st_ino, os.lstat(name).st_mode) == (was.st_ino, was.st_mode)


def test_the_output_in_a_file_is_gone_on_with(driver: Path, folder: Path) -> None:
    with (folder / "out").open("wb") as out:
        out.write(b"before\n")
        out.flush()
        subprocess.run([driver, "", "report", "/dev/stdout", "text\n"], stdout=out, timeout=60, check=True)
        out.write(b"after\n")
    assert (folder / "out").read_text() == "before\ntext\nafter\n"


def test_a_socket_and_a_pipe_as_the_output(driver: Path, folder: Path) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command: list[str | Path] = [driver, "", "report", f"/dev/fd/{theirs.fileno()}", "text\n"]
        subprocess.run(command, pass_fds=[theirs.fileno()], timeout=60, check=True)
        assert ours.recv(100) == b"text\n"
    os.mkfifo(folder / "pipe")
    assert _call(driver, "report", folder / "pipe", "text\n") == (1, b"", b"No such device or address\n")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert _call(driver, "report", folder / "pipe", "text\n") == (0, b"", b"")
    assert os.read(reader, 100) == b"text\n"
    os.close(reader)
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


def test_a_pipe_takes_a_long_report(driver: Path) -> None:
    text = "0123456789" * 12000  # more than a pipe holds, and a word may be 128 KiB long
    assert _call(driver, "report", "/dev/stdout", text) == (0, text.encode(), b"")


def test_a_log_is_appended_to(driver: Path, folder: Path) -> None:
    for text in ("one", "two"):
        assert _call(driver, "log", folder / "log", text)[0] == 0
    assert [line[25:] for line in (folder / "log").read_text().splitlines()] == ["one", "two"]
    os.link(folder / "log", folder / "second")
    assert _call(driver, "log", folder / "second", "three") == (
        1,
        b"the file has a second hard link, which another user may have made\n",
        b"",
    )
