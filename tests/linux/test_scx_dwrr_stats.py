# SPDX-License-Identifier: Apache-2.0
"""The statistics of scx_dwrr on their socket, with made-up counters: scx_stats' protocol, and the tables."""

from __future__ import annotations

import errno
import json
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coreloom.paths import LINUX, ROOT
from coreloom.toolchain import native

FOLDER = LINUX / "scx_dwrr"
_DRIVER = ROOT / "tests" / "linux" / "stats_driver.c"
_COUNTERS = re.findall(
    r"  u64 (\w+);", (FOLDER / "scx_dwrr.h").read_text().split("struct dwrr_stats {")[1].split("};")[0]
)
# What the driver adds with each sample.
_EACH = {name: number for number, name in enumerate(_COUNTERS, 1)} | {
    "interval_ns": 10**9,
    "cpus": 4,
    "rounds": 40,
    "threads": 5,
    "weight": 5120,
    "cgroups": 3,
    "active": 2,
}


def _driver() -> str:
    return str(native.static("stats_driver", [_DRIVER, FOLDER / "stats.c"], ["-D_GNU_SOURCE"]))


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    """The server's socket; a dead one is there before, as after kill -9."""
    path = str(tmp_path / "scx" / "root" / "stats")
    Path(path).parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path)
    with subprocess.Popen(
        [_driver(), "serve", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "serves\n"
        yield path
        server.communicate(timeout=60)
    assert server.returncode == 0
    assert not Path(path).exists()


class _Client:
    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rw", newline="\n")

    def send(self, text: str) -> None:
        self.lines.write(text)
        self.lines.flush()

    def answer(self) -> Any:
        return json.loads(self.lines.readline())

    def ask(self, request: str, **args: str) -> Any:
        self.send(json.dumps({"req": request, "args": args}) + "\n")
        answer = self.answer()
        assert list(answer) == ["errno", "args"]
        assert list(answer["args"]) == ["resp"]
        return answer["errno"], answer["args"]["resp"]

    def greeted(self) -> _Client:
        assert self.ask("stats_meta")[0] == 0
        return self


def _since(steps: int, now: int) -> dict[str, int]:
    """The answer at step `now`, `steps` after the one before."""
    constant = ("cpus", "threads", "weight", "cgroups", "active")
    row = {name: value if name in constant else value * steps for name, value in _EACH.items()}
    return row | {"lowest": (0xFFFFFFE0 + 40 * now) % 2**32}


def test_each_client_gets_what_came_since_its_last_question(path: str) -> None:
    one = _Client(path).greeted()
    other = _Client(path).greeted()
    assert one.ask("stats") == (0, _since(2, 3))
    assert other.ask("stats", target="top") == (0, _since(2, 4))
    assert other.ask("stats") == (0, _since(1, 5))
    assert one.ask("stats") == (0, _since(3, 6))


def test_the_meaning_of_the_counters_is_told(path: str) -> None:
    error, found = _Client(path).ask("stats_meta")
    assert (error, list(found)) == (0, ["scx_dwrr"])
    meta = found["scx_dwrr"]
    fields = meta.pop("fields")
    assert meta == {
        "name": "scx_dwrr",
        "top": "true",
        "desc": "distributed weighted round-robin",
        "user": {"_om_prefix": "dwrr_"},
    }
    assert sorted(fields) == sorted(_since(1, 1))
    assert {tuple(field) for field in fields.values()} == {("datum", "desc")}
    assert {field["datum"] for field in fields.values()} == {"u64"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"req":"stats","args":{"target":"cpu"}}', "unknown stat target"),
        ('{"req":"stat","args":{}}', "unknown command"),
        ('{"req":7}', "unknown command"),
        ('{"req"', "unknown command"),
        ("", "unknown command"),
        ("\0\0", "unknown command"),
    ],
)
def test_what_is_no_request_is_refused(path: str, line: str, said: str) -> None:
    client = _Client(path)
    client.send(f"{line}\n")
    assert client.answer() == {"errno": errno.EINVAL, "args": {"resp": said}}
    assert client.ask("stats")[0] == 0


def test_requests_come_in_pieces_and_in_one(path: str) -> None:
    client = _Client(path)
    client.send('{"req":"st')
    client.send('ats_meta"}\n{"req":"stats"}\n{"req" : "stats", "args": {}}\n')
    assert client.answer()["args"]["resp"]["scx_dwrr"]["top"] == "true"
    assert client.answer()["args"]["resp"] == _since(1, 2)
    assert client.answer()["args"]["resp"] == _since(1, 3)


def test_who_sends_no_end_or_is_one_too_many_is_sent_away(path: str) -> None:
    client = _Client(path)
    client.send("x" * 1023)
    assert client.lines.readline() == ""
    clients = [_Client(path).greeted() for _ in range(16)]
    assert _Client(path).lines.readline() == ""
    assert clients[0].ask("stats")[0] == 0


def test_monitor_prints_a_table_until_the_server_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "stats")
    command = [_driver(), "monitor", path]
    assert subprocess.run(command, timeout=60, check=False).returncode == errno.ENOENT
    with subprocess.Popen(
        [_driver(), "serve", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        server.stdout.readline()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as monitor:
            assert monitor.stdout is not None
            lines = [monitor.stdout.readline() for _ in range(22)]
            server.communicate(timeout=60)
            monitor.communicate(timeout=60)
        assert monitor.returncode == 0
    words = ["seconds", "picked", "kept", "balanced", "direct", "woken", "pinned"]
    words += ["held%", "borrowed", "closed", "rounds/s", "L", "threads", "cgroups"]
    assert lines[0].split() == lines[21].split() == words
    values = "1.0 1 2 3 4 6 7 0.00 11 13 40.00 {} 5 2"
    assert lines[1].split() == values.format(48).split()
    assert lines[2].split() == values.format(88).split()
    assert {len(line) for line in lines} == {len(lines[0])}


def test_another_schedulers_answer_is_no_row(tmp_path: Path) -> None:
    path = str(tmp_path / "stats")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(path)
        other.listen()
        with subprocess.Popen([_driver(), "monitor", path], stdout=subprocess.PIPE) as monitor:
            connection, _ = other.accept()
            assert connection.recv(100) == b'{"req":"stats","args":{}}\n'
            connection.sendall(b'{"errno":0,"args":{"resp":{"nr_local_dispatch":3}}}\n')
            assert monitor.communicate(timeout=60)[0] == b""
            connection.close()
        assert monitor.returncode == errno.EPROTO
