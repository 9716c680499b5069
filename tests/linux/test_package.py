# SPDX-License-Identifier: Apache-2.0
"""Installing the programs for Linux, taking them away, and the Debian package of them."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from coreloom import __version__
from coreloom.cli import main
from coreloom.errors import UserError
from coreloom.paths import LINUX, ROOT
from coreloom.programs import package, usage
from coreloom.toolchain import native
from coreloom.vm import systemd_image, vm

_NAMES = list(usage.PROGRAMS.values())
_LISTED = "/share/coreloom-linux/installed"


@pytest.fixture
def made(tmp_path: Path) -> dict[str, Path]:
    """Stand-ins for the programs, which need Debian's libraries."""
    folder = tmp_path / "made"
    folder.mkdir()
    for name in _NAMES:
        (folder / name).write_bytes(b"\x7fELF " + name.encode())
    return {name: folder / name for name in _NAMES}


@pytest.fixture
def private() -> Iterator[None]:
    """A umask that would make everything unreadable for others."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def _places(prefix: str, zsh: str = "site-functions") -> dict[str, int]:
    """Every file that is installed, and its mode."""
    places = [f"{prefix}/lib/systemd/system/{name}.service" for name in ("coreloom-exclusive@", "scx_dwrr")]
    places += [
        f"{prefix}/share/doc/coreloom-linux/{name}.md" for name in ("exclusive", "lagmeter", "scx_dwrr")
    ]
    places += [f"{prefix}/share/doc/coreloom-linux/copyright", "/etc/default/scx_dwrr"]
    for name in ("coreloom-exclusive", "lagmeter", "scx_dwrr"):
        places += [
            f"{prefix}/share/bash-completion/completions/{name}",
            f"{prefix}/share/fish/vendor_completions.d/{name}.fish",
            f"{prefix}/share/man/man8/{name}.8",
            f"{prefix}/share/zsh/{zsh}/_{name}",
        ]
    modes = dict.fromkeys(places, 0o644)
    return modes | {f"{prefix}/bin/{name}": 0o755 for name in _NAMES}


def _tree(root: Path) -> dict[str, int]:
    """Modes of all files below a folder; folders must be those of the system."""
    found = {}
    for path in sorted(root.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_dir():
            assert mode == 0o755, path
        else:
            found[f"/{path.relative_to(root).as_posix()}"] = mode
    return found


# --- install ---------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["/usr/local", "/opt/coreloom-1.0+x"])
def test_install_twice_and_uninstall(
    made: Mapping[str, Path], tmp_path: Path, private: None, prefix: str
) -> None:
    root = tmp_path / "not" / "there"
    wanted = _places(prefix) | {f"{prefix}{_LISTED}": 0o644}
    states = []
    for _ in range(2):
        assert package.install(prefix, str(root), made) == []
        assert _tree(root) == wanted
        states.append({place: (root / place[1:]).read_bytes() for place in wanted})
    assert states[0] == states[1]
    for name in _NAMES:
        assert states[0][f"{prefix}/bin/{name}"] == made[name].read_bytes()
    for unit in ("coreloom-exclusive@", "scx_dwrr"):
        text = states[0][f"{prefix}/lib/systemd/system/{unit}.service"].decode()
        commands = re.findall(r"^Exec\w+=(\S+)", text, re.MULTILINE)
        assert "@PREFIX@" not in text
        assert set(commands) == {f"{prefix}/bin/{unit.rstrip('@')}"}
    assert package.uninstall(prefix, str(root)) == []
    assert list(root.iterdir()) == []


def test_the_command_says_where(
    made: Mapping[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(package, "programs", lambda: made)
    where = ["--prefix", "/usr", "--destdir", f"{tmp_path}/root"]
    assert (main(["package", "install", *where]), main(["package", "uninstall", *where])) == (0, 0)
    assert capsys.readouterr().out == (
        f"installed in {tmp_path}/root/usr: {', '.join(_NAMES)}, with units, man pages and completion\n"
        f"uninstalled from {tmp_path}/root/usr\n"
    )


def test_what_was_there_before_stays(made: Mapping[str, Path], tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "usr/local/share/man").mkdir(parents=True)
    (root / "etc").mkdir()
    (root / "usr/local/share/man/mine").touch()
    before = _tree_of_all(root)
    package.install("/usr/local", str(root), made)
    (root / "usr/local/bin/mine").touch()
    package.uninstall("/usr/local", str(root))
    assert _tree_of_all(root) == before | {"usr/local/bin", "usr/local/bin/mine"}


def _tree_of_all(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


def test_changed_options_of_the_service_stay(made: Mapping[str, Path], tmp_path: Path) -> None:
    root = tmp_path / "root"
    options = root / "etc/default/scx_dwrr"
    kept, left = (
        "kept /etc/default/scx_dwrr: it was changed",
        "left /etc/default/scx_dwrr in place: it was changed",
    )
    package.install("/usr", str(root), made)
    options.write_text("SCX_DWRR_FLAGS=--stats 1\n")
    assert package.install("/usr", str(root), made) == [kept]
    assert options.read_text() == "SCX_DWRR_FLAGS=--stats 1\n"
    assert package.uninstall("/usr", str(root)) == [left]
    assert _tree(root) == {"/etc/default/scx_dwrr": 0o644}
    # Of somebody else: neither replaced nor taken away.
    assert package.install("/usr", str(root), made) == [kept]
    assert package.uninstall("/usr", str(root)) == []
    assert options.read_text() == "SCX_DWRR_FLAGS=--stats 1\n"


def test_options_that_nobody_changed_are_renewed(
    made: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    package.install("/usr", str(root), made)
    older = package.items("/usr", made)
    newer = [
        package.Item(item.place, item.content + b"# new\n", item.mode, item.kept) if item.kept else item
        for item in older
    ]
    monkeypatch.setattr(package, "items", lambda prefix, made: newer)
    assert package.install("/usr", str(root), made) == []
    assert (root / "etc/default/scx_dwrr").read_bytes().endswith(b"# new\n")
    assert package.uninstall("/usr", str(root)) == []
    assert list(root.iterdir()) == []


def test_a_later_installation_removes_what_it_no_longer_has(
    made: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    now = package.items("/usr", made)
    old = package.Item("/usr/share/old/page", b"old\n")
    monkeypatch.setattr(package, "items", lambda prefix, made: [*now, old])
    package.install("/usr", str(root), made)
    assert (root / "usr/share/old/page").is_file()
    monkeypatch.setattr(package, "items", lambda prefix, made: now)
    assert package.install("/usr", str(root), made) == []
    assert not (root / "usr/share/old/page").exists()
    assert package.uninstall("/usr", str(root)) == []
    assert list(root.iterdir()) == []


def test_what_others_have_put_there_is_left(made: Mapping[str, Path], tmp_path: Path) -> None:
    root = tmp_path / "root"
    package.install("/usr", str(root), made)
    program = root / "usr/bin/scx_dwrr"
    program.unlink()
    program.symlink_to("/bin/true")
    (root / "usr/bin/lagmeter").write_text("of another package\n")
    assert package.uninstall("/usr", str(root)) == [
        "left /usr/bin/lagmeter in place: it was changed",
        "left /usr/bin/scx_dwrr in place: it was changed",
    ]
    assert set(_tree(root)) == {"/usr/bin/lagmeter", "/usr/bin/scx_dwrr"}


def test_half_an_installation_can_be_taken_away(
    made: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    write = package._write
    written: list[Path] = []

    def full(path: Path, content: bytes, mode: int) -> None:
        if len(written) == 9:
            raise OSError(28, "No space left on device", str(path))
        written.append(path)
        write(path, content, mode)

    monkeypatch.setattr(package, "_write", full)
    with pytest.raises(UserError, match=r"^cannot install: \S+: No space left on device; "):
        package.install("/usr", str(root), made)
    assert len(_tree(root)) == 9
    assert package.uninstall("/usr", str(root)) == []
    assert list(root.iterdir()) == []


def test_a_program_that_runs_can_be_replaced(made: dict[str, Path], tmp_path: Path) -> None:
    root = tmp_path / "root"
    sleep = Path(shutil.which("sleep") or "")
    made["scx_dwrr"] = sleep
    package.install("/usr", str(root), made)
    running = subprocess.Popen([root / "usr/bin/scx_dwrr", "60"])
    try:
        assert package.install("/usr", str(root), made) == []
    finally:
        running.terminate()
        running.wait()
    assert package.uninstall("/usr", str(root)) == []


@pytest.mark.parametrize(
    "prefix", ["usr", "", "/", "/usr local", "/usr/", "/a/../b", "/100%", "/a\n/b", "/a|b"]
)
def test_a_prefix_that_cannot_stand_in_a_unit(made: Mapping[str, Path], tmp_path: Path, prefix: str) -> None:
    wrong = f"^PREFIX={re.escape(prefix)} cannot be used: give an absolute path of letters"
    with pytest.raises(UserError, match=wrong):
        package.install(prefix, str(tmp_path / "x"), made)
    with pytest.raises(UserError, match=wrong):
        package.uninstall(prefix, "")
    assert not (tmp_path / "x").exists()


def test_uninstall_where_nothing_is(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        package.uninstall("/usr", str(tmp_path))
    listed = f"{tmp_path}/usr{_LISTED}"
    assert (
        str(error.value) == f"{listed} does not exist, so nothing is installed: give its PREFIX and DESTDIR"
    )


@pytest.mark.parametrize(
    "line",
    ["file 12 /usr/bin/x", f"file {'0' * 64} /usr/../../etc/passwd", "folder usr", f"file {'0' * 64} "],
)
def test_a_damaged_list_removes_nothing(made: Mapping[str, Path], tmp_path: Path, line: str) -> None:
    package.install("/usr", str(tmp_path / "root"), made)
    listed = tmp_path / "root" / f"usr{_LISTED}"
    listed.write_text(f"{listed.read_text()}{line}\n")
    before = _tree(tmp_path / "root")
    wrong = r"installed cannot be read: remove the installed files by hand"
    with pytest.raises(UserError, match=wrong):
        package.uninstall("/usr", str(tmp_path / "root"))
    with pytest.raises(UserError, match=wrong):
        package.install("/usr", str(tmp_path / "root"), made)
    assert _tree(tmp_path / "root") == before


def test_where_nobody_may_write(made: Mapping[str, Path]) -> None:
    with pytest.raises(UserError, match=r"^cannot install: /proc/coreloom: .*; run as root, or "):
        package.install("/usr", "/proc/coreloom", made)


def test_it_needs_no_root(made: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = package.items("/usr", made)  # read as the user of the sources
    monkeypatch.setattr(package, "items", lambda prefix, made: whole)
    with tempfile.TemporaryDirectory(prefix="cl-") as name:
        root = Path(name)
        child = os.fork()
        if child == 0:
            try:
                if os.geteuid() == 0:
                    os.chown(root, 65534, 65534)
                    os.setgroups([])
                    os.setresgid(65534, 65534, 65534)
                    os.setresuid(65534, 65534, 65534)
                package.install("/usr", name, made)
                owners = {path.stat().st_uid for path in root.rglob("*")}
                whole_tree = set(_tree(root)) == {*_places("/usr"), f"/usr{_LISTED}"}
                package.uninstall("/usr", name)
                os._exit(0 if whole_tree and owners == {os.geteuid()} and not list(root.iterdir()) else 1)
            except BaseException as error:
                os.write(2, f"{error!r}\n".encode())
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0


def test_pages_lead_to_what_is_installed(made: Mapping[str, Path]) -> None:
    pages = {
        item.place: item.content.decode()
        for item in package.items("/usr", made)
        if item.place.endswith(".md")
    }
    names = {Path(place).name for place in pages}
    links = {
        found
        for text in pages.values()
        for found in re.findall(r"\]\(([^)]+)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    }
    assert "lagmeter.md" in links
    assert [
        found for found in links if not found.startswith(("https:", "#")) and found.split("#")[0] not in names
    ] == []


# --- Debian package --------------------------------------------------------------------------


def _members(deb: Path, part: str) -> dict[str, tuple[tarfile.TarInfo, bytes]]:
    """Files and folders of the control or data part of a package."""
    raw = subprocess.run(["dpkg-deb", f"--{part}", deb], capture_output=True, timeout=60, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        return {
            member.name[1:]: (member, content.read() if (content := archive.extractfile(member)) else b"")
            for member in archive
        }


@pytest.fixture
def deb(made: Mapping[str, Path], tmp_path: Path) -> Path:
    return package.deb(tmp_path / "deb", made, 1_800_000_000)


def test_the_package_has_everything(deb: Path, made: Mapping[str, Path]) -> None:
    assert deb.name == f"coreloom-linux_{__version__}-1_amd64.deb"
    found = _members(deb, "fsys-tarfile")
    files = {place: member.mode for place, (member, _) in found.items() if member.isfile()}
    wanted = {
        f"{place}.gz" if "/man/" in place else place: mode
        for place, mode in _places("/usr", "vendor-completions").items()
    }
    documents = "/usr/share/doc/coreloom-linux"
    extra = [f"{documents}/changelog.gz", f"{documents}/changelog.Debian.gz"]
    extra.append("/usr/share/lintian/overrides/coreloom-linux")
    assert files == wanted | dict.fromkeys(extra, 0o644)
    for member, _ in found.values():
        assert (member.uid, member.gid, member.mtime) == (0, 0, 1_800_000_000), member.name
        assert member.isfile() or (member.isdir() and member.mode == 0o755), member.name
    for name in _NAMES:
        assert found[f"/usr/bin/{name}"][1] == made[name].read_bytes()
        page = gzip.decompress(found[f"/usr/share/man/man8/{name}.8.gz"][1])
        assert page.startswith(b'.\\" Generated')
    changelog = gzip.decompress(found[f"{documents}/changelog.Debian.gz"][1]).decode()
    assert changelog.startswith(f"coreloom-linux ({__version__}-1) unstable; ")
    assert changelog.endswith("  Fri, 15 Jan 2027 08:00:00 -0000\n")
    assert found[f"{documents}/copyright"][1] == (LINUX / "package" / "copyright").read_bytes()


def test_every_licence_of_what_is_linked_is_there(deb: Path) -> None:
    """A paragraph of each library, and the text of each licence, or where Debian has it."""
    text = (LINUX / "package" / "copyright").read_text()
    parts = [dict(re.findall(r"^([\w-]+): (.*)$", part, re.MULTILINE)) for part in text.split("\n\n")]
    files = {name: part["License"] for part in parts if "Files" in part for name in part["Files"].split()}
    assert {"libbpf", "libelf", "zlib", "glibc", "musl", "zig"} == {
        name for name in files if name != "*" and "/" not in name
    }
    texts = {part["License"] for part in parts if "License" in part and "Files" not in part}
    assert texts >= set(files.values()) | {"BSD-2-Clause"}
    for path in re.findall(r"/usr/share/common-licenses/([\w.-]+\w)", text):
        assert path in {"Apache-2.0", "GPL-2", "LGPL-2.1", "LGPL-3"}
    for kind in ("fsys-tarfile", "ctrl-tarfile"):
        for place, (_, content) in _members(deb, kind).items():
            if not place.startswith("/usr/bin/"):
                whole = gzip.decompress(content) if place.endswith(".gz") else content
                assert not re.search(rb"\.invalid\b|\byyyy\b|TODO|FIXME|@PREFIX@", whole), place


def test_the_packages_changelog_can_be_read(deb: Path, tmp_path: Path) -> None:
    if shutil.which("dpkg-parsechangelog") is None:
        pytest.skip("dpkg-parsechangelog is not here: install dpkg-dev")
    packed = _members(deb, "fsys-tarfile")["/usr/share/doc/coreloom-linux/changelog.Debian.gz"][1]
    (tmp_path / "changelog").write_bytes(gzip.decompress(packed))
    command = ["dpkg-parsechangelog", "-l", str(tmp_path / "changelog")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    assert "\nMaintainer: Coreloom maintainers <>\n" in done.stdout


def test_what_the_package_says_of_itself(deb: Path) -> None:
    found = {
        place: (member.mode, content) for place, (member, content) in _members(deb, "ctrl-tarfile").items()
    }
    scripts = {"/postinst", "/prerm", "/postrm"}
    assert set(found) - {"/", ""} == scripts | {"/control", "/md5sums", "/conffiles"}
    for name in scripts:
        assert found[name][0] == 0o755
        subprocess.run(["sh", "-n"], input=found[name][1], timeout=60, check=True)
    fields = dict(re.findall(r"^([\w-]+): (.*)$", found["/control"][1].decode(), re.MULTILINE))
    assert int(fields.pop("Installed-Size")) >= 25
    description = fields.pop("Description")
    assert description and len(description) < 80 and not description.endswith(".")
    assert fields == {
        "Package": "coreloom-linux",
        "Version": f"{__version__}-1",
        "Architecture": "amd64",
        "Maintainer": "Coreloom maintainers",
        "Depends": "libc6 (>= 2.36)",
        "Recommends": "systemd",
        "Suggests": "bash-completion",
        "Section": "admin",
        "Priority": "optional",
    }
    assert found["/conffiles"][1] == b"/etc/default/scx_dwrr\n"
    data = {
        place: content
        for place, (member, content) in _members(deb, "fsys-tarfile").items()
        if member.isfile()
    }
    del data["/etc/default/scx_dwrr"]
    lines = [line.split("  ") for line in found["/md5sums"][1].decode().splitlines()]
    sums = {place: digest for digest, place in lines}
    assert sums == {place[1:]: hashlib.md5(content).hexdigest() for place, content in data.items()}


def test_the_same_package_each_time(made: Mapping[str, Path], tmp_path: Path, deb: Path) -> None:
    before = os.umask(0o027)
    try:
        again = package.deb(tmp_path / "elsewhere", made, 1_800_000_000)
    finally:
        os.umask(before)
    assert again.read_bytes() == deb.read_bytes()
    assert sorted(path.name for path in again.parent.iterdir()) == [deb.name]
    assert package.deb(tmp_path / "later", made, 1_800_000_001).read_bytes() != deb.read_bytes()


def test_its_time_is_that_of_the_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    said = subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True
    )
    assert package._epoch() == int(said.stdout)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "7")
    assert package._epoch() == 7
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "now")
    with pytest.raises(UserError, match=r"^SOURCE_DATE_EPOCH=now is not a time: give seconds since 1970$"):
        package._epoch()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    monkeypatch.setattr(package, "ROOT", tmp_path)
    with pytest.raises(UserError, match=r"^these sources are not a git checkout"):
        package._epoch()


def test_without_dpkg(made: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError) as error:
        package.deb(tmp_path / "deb", made)
    assert str(error.value) == "a Debian package needs dpkg-deb: install dpkg"


def test_removing_is_left_alone_where_no_systemd_is(tmp_path: Path) -> None:
    """In a container or a chroot the scripts do nothing and say nothing."""
    for name, words in (("postinst", ["configure"]), ("prerm", ["upgrade"]), ("postrm", ["purge"])):
        script = (LINUX / "package" / name).read_text().replace("/run/", f"{tmp_path}/")
        done = subprocess.run(
            ["sh", "-c", script, name, *words], capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- the programs themselves -----------------------------------------------------------------


@pytest.mark.linux
@pytest.mark.nightly
def test_make_installs_what_was_made_before(tmp_path: Path) -> None:
    """Each is run twice, as the second time goes another way."""
    command = tmp_path / "bin" / "coreloom"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m coreloom.entry "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}

    def make(*words: str) -> str:
        done = subprocess.run(
            ["make", "-s", "-o", "setup", f"BIN={command.parent}", *words],
            cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert make("exclusive") == make("exclusive") != ""
    root = tmp_path / "root"
    for _ in range(2):
        assert make("install-linux", f"DESTDIR={root}", "PREFIX=/usr") == (
            f"installed in {root}/usr: coreloom-exclusive, scx_dwrr, lagmeter, "
            "with units, man pages and completion\n"
        )
        assert set(_tree(root)) == {*_places("/usr"), f"/usr{_LISTED}"}
    said = subprocess.run(
        [root / "usr/bin/lagmeter", "-V"], capture_output=True, text=True, check=True
    ).stdout
    assert said == f"lagmeter {__version__}\n"
    assert make("uninstall-linux", f"DESTDIR={root}", "PREFIX=/usr") == f"uninstalled from {root}/usr\n"
    assert list(root.iterdir()) == []
    made = Path(make("deb").strip())
    assert made.name == package.deb_name()
    first = made.read_bytes()
    assert (make("deb").strip(), made.read_bytes()) == (str(made), first)
    for place, (member, content) in _members(made, "fsys-tarfile").items():
        assert str(ROOT).encode() not in content, place  # nor is it said where it was made
        assert member.isdir() or content


_STATUS = """\
Package: libc6
Status: install ok installed
Maintainer: nobody
Architecture: amd64
Version: 2.41-12
Description: stands for that of the guest
"""
_KILLED = """
systemctl start coreloom-exclusive@3
until alone; do sleep 0.1; done
first=$(pid_of 'sleep 1001')
systemctl kill --kill-whom=WHOM -s KILL coreloom-exclusive@3
until again=$(pid_of 'sleep 1001') && [ "$again" ] && [ "$again" != $first ]; do sleep 0.2; done
until alone; do sleep 0.1; done
pid_of 'sleep 1001' | wc -l
coreloom-exclusive verify
systemctl show -P NRestarts coreloom-exclusive@3
systemctl stop coreloom-exclusive@3
same
"""
_AGAIN = "1\n1 reservation: no problems found\n1\nsame\n"
# Each check with what it prints.
_CHECKS = {
    "before": (
        "files >before; wc -l <before | grep -q '^[1-9][0-9][0-9]' && echo many files",
        "many files\n",
    ),
    "installed, and nothing started": (
        """
        /usr/bin/dpkg -i /package.deb >said 2>&1 || cat said
        /usr/bin/dpkg --verify coreloom-linux
        /usr/bin/dpkg-query -W -f '${Status}\\n' coreloom-linux
        systemctl is-active scx_dwrr; systemctl is-enabled scx_dwrr
        systemctl --failed --no-legend
        """,
        "install ok installed\ninactive\ndisabled\n",
    ),
    "the programs run": (
        """
        coreloom-exclusive run --quiet --report /dev/null -- true; echo $?
        coreloom-exclusive --version; lagmeter --version; scx_dwrr --version
        """,
        f"0\ncoreloom exclusive {__version__}\nlagmeter {__version__}\nscx_dwrr {__version__}\n",
    ),
    "systemd knows the units": (
        """
        systemctl cat scx_dwrr | grep -e '^# /' -e ^ExecStart
        systemctl show -P LoadState scx_dwrr coreloom-exclusive@3
        systemctl show -P ExecStart coreloom-exclusive@3 | grep -o 'argv.*COMMAND'
        """,
        "# /usr/lib/systemd/system/scx_dwrr.service\nExecStart=/usr/bin/scx_dwrr $SCX_DWRR_FLAGS\n"
        "loaded\n\nloaded\n"
        "argv[]=/usr/bin/coreloom-exclusive run --cpus 3 $OPTIONS -- $COMMAND\n",
    ),
    "a reservation stays until it is stopped": (
        """
        state >unreserved
        echo 'COMMAND=/bin/sleep 1001' >/etc/default/coreloom-exclusive-3
        echo 'OPTIONS=--as nobody --report /root/report' >>/etc/default/coreloom-exclusive-3
        systemctl start coreloom-exclusive@3
        until alone; do sleep 0.1; done
        coreloom-exclusive verify
        grep -e ^Uid -e Cpus_allowed_list /proc/$(pid_of 'sleep 1001')/status
        systemctl stop coreloom-exclusive@3
        systemctl is-failed coreloom-exclusive@3
        same
        """,
        "1 reservation: no problems found\nUid:\t65534\t65534\t65534\t65534\nCpus_allowed_list:\t3\n"
        "inactive\nsame\n",
    ),
    **{
        f"it is there again, once, when {who} was killed": (_KILLED.replace("WHOM", whom), _AGAIN)
        for who, whom in (("its tool", "main"), ("its tool with its watcher", "all"))
    },
    "without its file it does not start": (
        """
        rm /etc/default/coreloom-exclusive-3
        systemctl start coreloom-exclusive@3 2>/dev/null; echo $?
        systemctl reset-failed
        """,
        "1\n",
    ),
    "removed while it is enabled and a reservation is held": (
        """
        systemctl enable scx_dwrr coreloom-exclusive@2 2>/dev/null
        echo 'COMMAND=/bin/sleep 1001' >/etc/default/coreloom-exclusive-2
        systemctl start coreloom-exclusive@2
        until alone; do sleep 0.1; done
        echo '#mine' >>/etc/default/scx_dwrr
        /usr/bin/dpkg -r coreloom-linux >said 2>&1 || cat said
        same
        rm /etc/default/coreloom-exclusive-2
        files >now; diff before now | grep '^[-+][^-+]'
        systemctl show -P LoadState scx_dwrr
        """,
        "same\n+/etc/default/scx_dwrr\nnot-found\n",
    ),
    "purged: as before": (
        """
        /usr/bin/dpkg --purge coreloom-linux >said 2>&1 || cat said
        files >now; diff before now && echo same files
        systemctl --failed --no-legend
        """,
        "same files\n",
    ),
}
# busybox has a dpkg of its own. Left out: what dpkg keeps for itself, what runs, what the checks write.
_LIBRARY = r"""
files() { find / -xdev -path /run -prune -o -path /out -prune -o -path /root -prune -o -path /tmp -prune \
  -o -path /var/lib/dpkg -prune -o -path /var/log -prune -o -path /sys -prune -o -path /proc -prune \
  -o -path /dev -prune -o -print | sort; }
# The slice of a unit's instances is systemd's, and stays.
state() { /usr/lib/state kworker/ rcu_gp mm_percpu_wq psimon sh timeout >all
  grep -v 'system-coreloom.x2dexclusive' all; }
same() { state >later; diff unreserved later >changes && echo same || grep '^[-+]' changes | head -n 9; }
pid_of() { ps -o pid,args | grep "[0-9] /bin/$1\$" | awk '{ print $1 }'; }
alone() { grep -qs coreloom /proc/$(pid_of 'sleep 1001')/cgroup &&
  grep -qs isolated /sys/fs/cgroup/coreloom*/cpuset.cpus.partition; }
cd /root
"""


@pytest.mark.linux
@pytest.mark.nightly
def test_the_package_in_a_guest(tmp_path: Path) -> None:
    deb = package.deb(tmp_path, package.programs())
    state = native.static("state", [LINUX / "vm" / "programs" / "state.c"])
    files: dict[str, Path | bytes] = {
        "/package.deb": deb,
        "/usr/lib/state": state,
        "/var/lib/dpkg/status": _STATUS.encode(),
        "/var/lib/dpkg/info/format": b"1\n",
        "/var/lib/dpkg/updates/.keep": b"",
    }
    guest = systemd_image.guest(files, ["dpkg", "libc-bin"])
    checks = {name: _LIBRARY + text for name, (text, _) in _CHECKS.items()}
    done = vm.run_checks(guest, checks, cgroup="none", seconds=60, timeout=400)
    assert {name: out for name, (_, out) in done.items()} == {
        name: said for name, (_, said) in _CHECKS.items()
    }
