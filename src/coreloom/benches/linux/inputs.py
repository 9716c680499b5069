# SPDX-License-Identifier: Apache-2.0
"""Inputs of `coreloom bench linux`, made once: a film and a database."""

from __future__ import annotations

import hashlib
import io
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from coreloom.errors import UserError
from coreloom.locks import file_lock
from coreloom.toolchain import debian
from coreloom.vm import vm


def _made(name: str, packages: list[str], how: str, make: Callable[[Path], None]) -> Path:
    """A file below build/, made once for its packages and the text that says how."""
    versions = " ".join(folder.name for folder in debian.packages(packages))
    key = hashlib.sha256(f"{how}\0{versions}".encode()).hexdigest()[:16]
    target = debian.folder() / "inputs" / f"{name}-{key}" / name
    with file_lock(target.parent.with_suffix(".lock")):
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_suffix(".partial")
            make(partial)
            partial.replace(target)
    return target


_ENCODER = "svt-av1"
_WIDTH, _HEIGHT = 480, 272
_PICTURES, _ROUNDS = 20, 12  # the film goes to and fro
FRAMES = _PICTURES * _ROUNDS
_ENCODE = ("--preset", "10", "--lp", "1", "--crf", "40", "--tile-columns", "1")


def pictures() -> bytes:
    """A film in YUV4MPEG2: a slanted pattern that moves, with a square that goes another way."""
    made = []
    for t in range(_PICTURES):
        out = bytearray()
        for y in range(_HEIGHT):
            row = bytearray((2 * x + 3 * y + 5 * t + (x * y + 7 * t >> 6)) & 255 for x in range(_WIDTH))
            if 0 <= y - 3 * t < 64:
                row[4 * t : 4 * t + 64] = bytes((40 + 2 * (y - 3 * t) + n) & 255 for n in range(64))
            out += row
        for plane in (0, 1):
            for y in range(_HEIGHT // 2):
                out += bytes((96 + (x if plane else y) // 2 + t) & 255 for x in range(_WIDTH // 2))
        made.append(b"FRAME\n" + out)
    film = [picture for n in range(_ROUNDS) for picture in (made if n % 2 == 0 else reversed(made))]
    return f"YUV4MPEG2 W{_WIDTH} H{_HEIGHT} F25:1 Ip C420jpeg\n".encode() + b"".join(film)


def _encode(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, film = Path(folder) / "film.y4m", Path(folder) / "film.ivf"
        source.write_bytes(pictures())
        encoder = debian.program("usr/bin/SvtAv1EncApp", debian.tree([_ENCODER]))
        command = [*encoder, "-i", str(source), "-b", str(film), *_ENCODE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not film.exists():
            said = vm.last_line(done.stderr or done.stdout)
            raise UserError(f"{_ENCODER} cannot encode the film: {said}; {debian.again()}")
        target.write_bytes(film.read_bytes())


def film() -> dict[str, Path | bytes]:
    how = f"{_WIDTH} {_HEIGHT} {_PICTURES} {_ROUNDS} {_ENCODE}"
    return {"/job/film.ivf": _made("film.ivf", [_ENCODER], how, _encode)}


DATABASE = ("mariadb-server-core", "sysbench")
SERVER = (
    "mariadbd --no-defaults --user=root --datadir=/job/db --socket=/run/db --pid-file=/run/db.pid "
    "--skip-grant-tables --skip-networking --skip-ssl --innodb-undo-tablespaces=0 "
    "--innodb-autoextend-increment=1 --innodb-data-file-path=ibdata1:8M:autoextend "
    "--innodb-temp-data-file-path=ibtmp1:4M:autoextend "
    "--innodb-log-file-size=4M --innodb-buffer-pool-size=32M >/run/db.log 2>&1 &\n"
    "server=$!\n"
    "until grep -q 'ready for connections' /run/db.log; do\n"
    "    kill -0 $server || { cat /run/db.log >&2; exit 1; }\n"
    "    sleep 0.1\n"
    "done\n"
)
SYSBENCH = (
    "sysbench oltp_read_write --db-driver=mysql --mysql-socket=/run/db --mysql-user=root "
    "--tables=1 --table-size=10000 --rand-type=uniform --rand-seed=1"
)
_MAKE_DATABASE = (
    f"mkdir -p /job/db/sbtest\n{SERVER}{SYSBENCH} prepare || exit 1\n"
    "kill $server; wait $server; mv /job/db /out/db\n"
)


def _make_database(target: Path) -> None:
    guest = vm.Guest(programs=DATABASE)
    outcome = vm.run(guest, _MAKE_DATABASE, deterministic=True, timeout=600)
    if outcome.status:
        said = vm.last_line(outcome.stdout)
        raise UserError(f"the database cannot be made in the guest: {said}; {debian.again()}")
    with tarfile.open(target, "w") as archive:
        for name, content in sorted(outcome.files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def database() -> dict[str, Path | bytes]:
    return {"/job/db.tar": _made("db.tar", list(DATABASE), _MAKE_DATABASE, _make_database)}
