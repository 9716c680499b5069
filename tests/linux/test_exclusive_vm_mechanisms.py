# SPDX-License-Identifier: Apache-2.0
"""Each mechanism of `exclusive` on real kernels: who may use a held CPU, and that all is as before."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from coreloom.paths import LINUX
from coreloom.programs import exclusive
from coreloom.toolchain import native
from coreloom.vm import vm
from linux import system

pytestmark = pytest.mark.linux

_CROWD = """
count() { [ "$(pidof hog | wc -w)" = $1 ]; }
hogs() { hog -p 2 >/dev/null & becomes count 3; }
newcomers() { spawn 2 >/dev/null & }
hogs=hogs newcomers=newcomers
"""
# A group that was there before and uses the CPU, a task pinned to it, hogs, newcomers; the state before.
_BEGIN = """
groups=/sys/fs/cgroup; [ -d $groups/cpuset ] && groups=$groups/cpuset
mkdir -p $groups/others
if [ $groups != /sys/fs/cgroup ]; then
    for file in cpus mems; do cat $groups/cpuset.$file >$groups/others/cpuset.$file; done
fi
sh -c "echo 0 >$groups/others/cgroup.procs; exec sleep 1000" &
grouped=$!
taskset 8 sleep 1001 &
pinned=$!
taskset a sleep 1002 &
half=$!
export groups pinned half
# Work queues' own threads are where the kernel has needed them last: before 6.6 their names do not tell them.
queues=$(cat /proc/[0-9]*/stat 2>/dev/null |
    awk '$4 == 2 && $19 == -20 { print substr($2, 2, length($2) - 2) }')
look() { state kworker/ spawn timeout $queues; }
becomes() { until "$@" 2>/dev/null; do sleep 0.02; done; }
cpus_of() { sed -n 's/^Cpus_allowed_list:\\t//p' /proc/$1/status; }
runs_on() { [ "$(cpus_of $1)" = "$2" ]; }
becomes runs_on $pinned 3
becomes runs_on $half 1,3
for task in $grouped $pinned $half; do becomes grep -q sleep /proc/$task/comm; done
$hogs
look >/tmp/before
$newcomers
"""
# Run as the program: what it may use, and which others than kernel threads may use the CPU.
_INSIDE = """
cpus_of() { sed -n 's/^Cpus_allowed_list:\\t//p' /proc/$1/status; }
echo "program: $(cpus_of self)"
sh -c 'sh -c "sleep 0.1; sed -n s/^Cpus_allowed_list/child/p /proc/self/status" & wait'
taskset -p 1 $$ >/dev/null 2>&1; echo "asks for CPU 0: $(cpus_of self)"
taskset -p 8 $$ >/dev/null 2>&1
sh -c 'while :; do :; done' & own=$!
cat /proc/[0-9]*/status 2>/dev/null | awk -v own=" $$ $own " '
    /^Name:/ { name = $2 } /^Pid:/ { pid = $2 } /^VmSize:/ { user = pid }
    /^Cpus_allowed_list:/ && user == pid && $2 ~ /3/ && !index(own, " " pid " ") && name !~ /^(awk|cat)$/ {
        others = others " " name "(" $2 ")"
    }
    END { print "others:" others }'
kill $own
echo "half: $(cpus_of $half)"
taskset -p 8 $half >/dev/null 2>&1 || echo "half cannot have CPU 3"
i=0; while [ "$(cpus_of $half)" = 3 ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
echo "half: $(cpus_of $half)"
"""
_END = """
killall -q -9 spawn
look >/tmp/after
for try in $(seq 50); do
    cmp -s /tmp/before /tmp/after && break
    sleep 0.1
    look >/tmp/after
done
diff -U0 /tmp/before /tmp/after
killall -q -9 hog sleep
rm -f /tmp/first* /tmp/second*
"""
_RUN = "coreloom-exclusive run --quiet --report /tmp/report --mechanism {} --cpu 3 -- sh /inside 2>/tmp/log\n"
# The task half keeps the CPUs that it asked for last, so these are set back before the comparison.
_RESET = "taskset -p a $half >/dev/null 2>&1\n"
_BY_GROUPS = """\
program: 3
child:\t3
asks for CPU 0: 3
others:
half: 1
half cannot have CPU 3
half: 1
"""
_BY_AFFINITY = """\
program: 3
child:\t3
asks for CPU 0: 0
others:
half: 1
half: 0-2
"""
_ONE = {"isolated": _BY_GROUPS, "root": _BY_GROUPS, "affinity": _BY_AFFINITY}
# Which of two reservations, of CPU 3 and then of CPU 2, ends first, and what init may use then
_ORDERS: dict[tuple[str, ...], str] = {("first", "second"): "0-1,3", ("second", "first"): "0-2"}
_TWO = """
{begin}
hold() {{ # CPU FIFO
    mkfifo $2
    coreloom-exclusive run --quiet --report /tmp/report --mechanism {mechanism} --cpu $1 -- sh -c "
        sed -n s/^Cpus_allowed_list:.//p /proc/self/status >$2.cpus; exec cat $2" 2>/tmp/log &
    becomes [ -s $2.cpus ]
}}
hold 3 /tmp/first; first=$!
hold 2 /tmp/second; second=$!
echo $(cat /tmp/first.cpus) $(cat /tmp/second.cpus) $(cpus_of 1) $(cpus_of $half)
: >/tmp/{order[0]}; wait ${order[0]}
becomes runs_on 1 {between}
echo $(cpus_of 1)
: >/tmp/{order[1]}; wait ${order[1]}
echo $(cpus_of 1) $(cpus_of $half)
{end}
"""
# The driver, as a guest's CPUs are no siblings: CPU 3 is held to be idle.
_IDLE = f"""
{_BEGIN}
cat >/idle <<'END'
cd /sys/fs/cgroup
for file in coreloom*/cpuset.cpus coreloom*/cpuset.cpus.partition; do
    echo "$file $(cat $file)" | sed "s/coreloom-[0-9]*/group/"
done
sed -n s/^Cpus_allowed_list:.//p /proc/self/status
taskset -p 8 $$ >/dev/null 2>&1 || echo CPU 3 stays idle
END
mechanism "" isolated cpus=2-3 use=2 -- sh /idle 2>/tmp/log | grep -vE '^(clear|restore)'
{_END}
"""


# Without a word on how, and why not by what is better.
_CHOSEN = f"""
{_BEGIN}
list='s/^Cpus_allowed_list:.//p'
coreloom-exclusive run --report /tmp/report --cpu 3 -- sed -n $list /proc/self/status 2>/tmp/log
sed -n 's/.*state 3: not/not/p; s/.* by \\(affinity\\) .*/\\1/p' /tmp/log
{_END}
"""
# The root of a container's cgroups is no partition, and holds no tasks while its groups have controllers.
_CONTAINER = f"""
cat >/container <<'END'
umount /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
{_CHOSEN}
END
mkdir /sys/fs/cgroup/container
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
echo 0 >/sys/fs/cgroup/container/cgroup.procs
/usr/bin/unshare -C -m sh /container
echo 0 >/sys/fs/cgroup/cgroup.procs
"""


@pytest.fixture(scope="module")
def guest() -> vm.Guest:
    programs = LINUX / "vm" / "programs"
    files: dict[str, Path | bytes] = {
        f"/usr/bin/{name}": native.static(name, [programs / f"{name}.c"])
        for name in ("hog", "spawn", "state")
    }
    files["/usr/bin/mechanism"] = system.driver("mechanism")
    files["/usr/bin/coreloom-exclusive"] = exclusive.program()
    files["/inside"] = _INSIDE.encode()
    return vm.Guest(files)


def _one(mechanism: str) -> str:
    return _CROWD + _BEGIN + _RUN.format(mechanism) + _RESET + _END


def _two(mechanism: str, *order: str) -> str:
    """Of two reservations `order` says which ends first."""
    return _TWO.format(begin=_BEGIN, mechanism=mechanism, between=_ORDERS[order], order=order, end=_END)


def _compare(done: Mapping[str, tuple[int, str]], expected: Mapping[str, str]) -> None:
    assert {name: output for name, (_, output) in done.items()} == expected


@pytest.mark.nightly
def test_nobody_else_may_use_the_cpu(guest: vm.Guest) -> None:
    """Hogs, newcomers, a task that asks for the CPU; then every file and task is as before."""
    checks = {name: _one(name) for name in _ONE}
    expected = {name: _ONE[name] for name in checks}
    for mechanism, (order, between) in product(_ONE, _ORDERS.items()):
        name = f"{mechanism}: {' before '.join(order)}"
        checks[name] = _two(mechanism, *order)
        expected[name] = f"3 2 0-1 1\n{between}\n0-3 1,3\n"
    checks["idle"] = _IDLE
    expected["idle"] = (
        "group-idle/cpuset.cpus 3\ngroup/cpuset.cpus 2\n"
        "group-idle/cpuset.cpus.partition isolated\ngroup/cpuset.cpus.partition isolated\n"
        "2\nCPU 3 stays idle\nswept 0, exit 0\n"
    )
    _compare(vm.run_checks(guest, checks, seconds=60, timeout=600), expected)


@pytest.mark.nightly
def test_before_linux_6_2(guest: vm.Guest) -> None:
    """The kernel forgets what tasks had asked for."""
    done = vm.run_checks(guest, {name: _one(name) for name in _ONE}, seconds=60, timeout=600, kernel="6.1")
    _compare(done, _ONE)


@pytest.mark.nightly
def test_cgroup_v1(guest: vm.Guest) -> None:
    """Its cpusets are nothing to the tool: a task in one has what it had, and only affinity holds CPUs."""
    refused = {
        name: f"coreloom exclusive: error: the mechanism {name} cannot be used: cgroup v2 is not mounted\n"
        for name in ("isolated", "root")
    }
    run = "coreloom-exclusive run --quiet --report /tmp/report"
    checks = {
        **{name: f"{run} --mechanism {name} --cpu 3 -- true\n" for name in refused},
        "chosen": _CHOSEN,
        "affinity": _one("affinity"),
        "two": _two("affinity", "first", "second"),
    }
    expected = {
        **refused,
        "chosen": "3\nnot isolated: cgroup v2 is not mounted\nnot root: cgroup v2 is not mounted\naffinity\n",
        "affinity": _ONE["affinity"],
        "two": "3 2 0-1 1\n0-1,3\n0-3 1,3\n",
    }
    done = vm.run_checks(guest, checks, seconds=60, timeout=600, kernel="6.1", cgroup="v1")
    _compare(done, expected)


@pytest.mark.nightly
def test_a_container(guest: vm.Guest) -> None:
    inside = vm.Guest(guest.files, ("util-linux",))
    done = vm.run_checks(inside, {"container": _CONTAINER}, seconds=60)
    busy = "cannot enable the cpuset controller in /sys/fs/cgroup: Resource busy"
    assert done["container"][1] == f"3\nnot isolated: {busy}\nnot root: {busy}\naffinity\n"
