# SPDX-License-Identifier: Apache-2.0
"""Inputs of `coreloom bench linux`, made once: a film and a database."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path

from coreloom.benches.film import yuv4mpeg
from coreloom.errors import UserError
from coreloom.toolchain import debian
from coreloom.vm import vm

_ENCODER = "svt-av1"
_WIDTH, _HEIGHT = 480, 272
_PICTURES, _ROUNDS = 20, 12  # the film goes to and fro
FRAMES = _PICTURES * _ROUNDS
_ENCODE = ("--preset", "10", "--lp", "1", "--crf", "40", "--tile-columns", "1")


def _encode(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, film = Path(folder) / "film.y4m", Path(folder) / "film.ivf"
        source.write_bytes(yuv4mpeg(_WIDTH, _HEIGHT, _PICTURES, _ROUNDS))
        encoder = debian.program("usr/bin/SvtAv1EncApp", debian.tree([_ENCODER]))
        command = [*encoder, "-i", str(source), "-b", str(film), *_ENCODE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not film.exists():
            said = vm.last_line(done.stderr or done.stdout)
            raise UserError(f"{_ENCODER} cannot encode the film: {said}; {debian.again()}")
        target.write_bytes(film.read_bytes())


def film() -> dict[str, Path | bytes]:
    how = f"{_WIDTH} {_HEIGHT} {_PICTURES} {_ROUNDS} {_ENCODE}"
    return {"/job/film.ivf": debian.made("film.ivf", [_ENCODER], how, _encode)}


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
INNODB, MYISAM = "innodb", "myisam"


def oltp(kind: str, engine: str) -> str:
    """The command of a sysbench test on a table of 10 000 rows."""
    return (
        f"sysbench oltp_{kind} --db-driver=mysql --mysql-socket=/run/db --mysql-user=root "
        f"--mysql-storage-engine={engine} --tables=1 --table-size=10000 --rand-type=uniform --rand-seed=1"
    )


def _how(engine: str) -> str:
    return (
        f"mkdir -p /job/db/sbtest\n{SERVER}{oltp('read_write', engine)} prepare || exit 1\n"
        "kill $server; wait $server; mv /job/db /out/db\n"
    )


def database(engine: str) -> dict[str, Path | bytes]:
    """With that table."""
    how = _how(engine)

    def make(target: Path) -> None:
        outcome = vm.run(vm.Guest(programs=DATABASE), how, deterministic=True, timeout=600)
        if outcome.status:
            said = vm.last_line(outcome.stdout)
            raise UserError(f"the database cannot be made in the guest: {said}; {debian.again()}")
        with tarfile.open(target, "w") as archive:
            for name, content in sorted(outcome.files.items()):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))

    return {"/job/db.tar": debian.made("db.tar", list(DATABASE), how, make)}
