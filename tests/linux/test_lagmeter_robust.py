# SPDX-License-Identifier: Apache-2.0
"""lagmeter as root among other users: what they call their threads, lay in /tmp, and start in masses."""

from __future__ import annotations

import json

import pytest

from coreloom.programs import bpf
from coreloom.vm import vm

pytestmark = pytest.mark.linux
_SCRIPT = r"""
echo 'eve:x:1000:1000::/home/eve:/bin/sh' >>/etc/passwd
printf 'eve:x:1000:\nfriends:x:1001:eve\n' >>/etc/group
chmod 1777 /tmp
echo 0 >/proc/sys/fs/protected_symlinks
echo 0 >/proc/sys/fs/protected_regular
as_eve() { su eve -s /bin/sh -c "$1"; }
say() { local name=$1; shift; "$@" >/out/$name 2>&1; echo "status $?" >>/out/$name; }

export SECRET=s LANG=C.UTF-8 LC_TIME=C TERM=dumb TZ=UTC LD_LIBRARY_PATH=/tmp LCX=1 LANGUAGE=de
lagmeter --as eve -- env 2>/dev/null | sort >/out/env
lagmeter --as eve -- id >/out/id 2>/dev/null
lagmeter -- env 2>/dev/null | grep SECRET >/out/env_root
say as_missing lagmeter --as eve -- no-such-command
as_eve 'lagmeter --as eve -- id' >/out/not_root 2>&1
unset LD_LIBRARY_PATH

as_eve 'ln -s /etc/passwd /tmp/link; echo theirs >/tmp/laid; ln -s /root/made /tmp/to-nothing'
cp /etc/passwd /root/passwd
for name in link laid to-nothing; do
    say json-$name lagmeter --json /tmp/$name -- touch /out/ran
    say perfetto-$name lagmeter --perfetto /tmp/$name -- touch /out/ran
done
cmp /etc/passwd /root/passwd && cat /tmp/laid >/out/kept
ls /root/made >>/out/kept 2>&1
ln -s /proc/self/fd/1 /dev/stdout
lagmeter --json /dev/stdout -- true 2>/dev/null >/out/stdout.json
ls -l /dev/null /dev/stdout >/out/devices

as_eve 'printf "\033[2J\233m\nx" >/proc/$$/comm; while :; do :; done' &
sleep 0.5
say names lagmeter -t 0.5 -a --json /out/names.json --perfetto /out/names.trace
say names_sampled lagmeter -t 0.5 -a --sample 20 --json /out/names_sampled.json
for pid in $(pidof sh); do [ "$(awk '/^Uid/ { print $2 }' /proc/$pid/status)" = 1000 ] && kill $pid; done

cat >/root/storm <<'END'
i=0
while [ $i -lt 1600 ]; do : & i=$((i + 1)); [ $((i % 50)) = 0 ] && wait; done
wait
sleep 0.5
grep RssAnon /proc/$PPID/status
END
lagmeter --json /out/storm.json -- sh /root/storm >/out/rss 2>/out/table
"""


@pytest.fixture(scope="module")
def left() -> dict[str, bytes]:
    guest = vm.Guest({"/usr/bin/lagmeter": bpf.program("lagmeter")}, packages=["libc6"])
    return vm.run(guest, _SCRIPT, timeout=400).files


def _lines(left: dict[str, bytes], name: str) -> list[str]:
    return left[name].decode().splitlines()


def test_a_command_of_another_user_has_an_environment_of_its_own(left: dict[str, bytes]) -> None:
    assert _lines(left, "env") == [
        "HOME=/home/eve",
        "LANG=C.UTF-8",
        "LC_TIME=C",
        "LOGNAME=eve",
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "SHELL=/bin/sh",
        "TERM=dumb",
        "TZ=UTC",
        "USER=eve",
    ]
    assert _lines(left, "env_root") == ["SECRET=s"]
    assert _lines(left, "id") == ["uid=1000(eve) gid=1000(eve) groups=1000(eve),1001(friends)"]
    missing = _lines(left, "as_missing")
    assert missing[0] == "lagmeter: error: cannot run no-such-command: No such file or directory"
    assert missing[-1] == "status 127"
    assert _lines(left, "not_root") == ["lagmeter: error: --as needs root: run it with sudo"]


@pytest.mark.parametrize("option", ["json", "perfetto"])
def test_what_others_have_laid_is_not_written(left: dict[str, bytes], option: str) -> None:
    link, laid = "it is a symbolic link of another user", "the file belongs to another user"
    for name, why in (("link", link), ("to-nothing", link), ("laid", laid)):
        assert _lines(left, f"{option}-{name}") == [
            f"lagmeter: error: cannot write /tmp/{name}: {why}",
            "status 1",
        ]
    assert _lines(left, "kept") == ["theirs", "ls: /root/made: No such file or directory"]
    assert "ran" not in left


def test_devices_stay_devices(left: dict[str, bytes]) -> None:
    assert json.loads(left["stdout.json"])["lagmeter"] == 1
    assert [line[0] for line in _lines(left, "devices")] == ["c", "l"]


@pytest.mark.parametrize("name", ["names", "names_sampled"])
def test_names_are_escaped(left: dict[str, bytes], name: str) -> None:
    table = left[name]
    assert b"\\x1b[2J\\x9bm\\x0ax" in table
    assert not set(table) & (set(range(32)) - {10} | set(range(0x7F, 0x100)))
    assert "\x1b[2J\ufffdm\nx" in {row["command"] for row in json.loads(left[f"{name}.json"])["threads"]}


def test_the_timeline_has_names_escaped(left: dict[str, bytes]) -> None:
    assert 0x1B not in left["names.trace"]
    records = json.loads(left["names.trace"])["traceEvents"]
    assert any(r["name"].startswith("\x1b[2J\ufffdm\nx ") for r in records)


def test_a_fork_storm_leaves_sums(left: dict[str, bytes]) -> None:
    found = json.loads(left["storm.json"])
    assert found["lost_events"] == 0
    threads = found["threads_counted"] + found["threads_pinned"] + found["threads_realtime"]
    assert 1600 < threads < 1700
    assert threads - found["threads_unlisted"] == len(found["threads"]) == 200
    assert {row["command"] for row in found["ended"]} <= {"sh", "sleep", "grep"}
    assert threads - 1100 < sum(row["threads"] for row in found["ended"]) < threads - 500
    assert "have ended, summed (xN: sum of N threads):" in left["table"].decode()
    # Less than 1026 records of 2.8 KB and all else (2 MB if the kernel gives it a huge page).
    assert int(left["rss"].split()[1]) < 6500
