# SPDX-License-Identifier: Apache-2.0
"""What each mechanism of `exclusive` would write, and why it cannot be used, on trees of files."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from linux import system
from linux.tree import Machine, Task

_V2 = "/sys/fs/cgroup"
_QUEUES = "/sys/devices/virtual/workqueue/cpumask"
_TASKS = (
    Task(1, "init", 0, "0-3", parent=0),
    Task(2, "kthreadd", 0, "0-3", kernel=True, parent=0),
    Task(10, "kswapd0", 3, "0-3", kernel=True, parent=2),
    Task(11, "ksoftirqd/3", 3, "3", kernel=True, fixed=True, parent=2),
    Task(12, "irq/9-acpi", 1, "1", kernel=True, parent=2),
    Task(20, "server", 3, "0-3"),
    Task(20, "server", 1, "0-3", tid=21),
    Task(30, "pinned", 3, "3"),
    Task(31, "half", 0, "1,3", group="/other"),
)
Plan = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def driver() -> Path:
    return system.driver("mechanism")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path, tasks=_TASKS)
    machine.make()
    machine.write("/proc/2/task/2/children", "10 11 12 ")
    machine.write(_QUEUES, "f\n")
    release(machine, "7.3.4-test")
    return machine


@pytest.fixture
def plan(driver: Path, machine: Machine) -> Plan:
    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [driver, machine.root, *arguments], capture_output=True, text=True, timeout=60, check=False
        )
        return done.returncode, done.stderr + done.stdout

    return run


def release(machine: Machine, text: str) -> None:
    machine.write("/proc/sys/kernel/osrelease", f"{text}\n")


def mount_v2(machine: Machine, groups: Sequence[tuple[str, str]] = (("other", ""),), on: str = "") -> None:
    """Groups with their lists of CPUs; on: controllers that are on at the root."""
    machine.write("/proc/self/mounts", f"cgroup2 {_V2} cgroup2 rw,relatime 0 0\n")
    machine.write(f"{_V2}/cgroup.controllers", "cpuset cpu io\n")
    machine.write(f"{_V2}/cgroup.subtree_control", f"{on}\n")
    machine.write(f"{_V2}/cgroup.procs", "1\n2\n10\n11\n12\n20\n30\n")
    machine.write(f"{_V2}/cpuset.cpus.effective", "0-3\n")
    for name, cpus in groups:
        machine.write(f"{_V2}/{name}/cgroup.procs", "31\n")
        if "cpuset" in on:
            machine.write(f"{_V2}/{name}/cpuset.cpus", f"{cpus}\n")


_KERNEL_AWAY = (
    "set affinity of task 2 (kthreadd) to 0-2 (was 0-3)\nset affinity of task 10 (kswapd0) to 0-2 (was 0-3)\n"
)


def _write(path: str, new: str, old: str = "") -> str:
    return f'write {path} "{new}" (was "{old}")\n'


@pytest.mark.parametrize("kernel", ["7.3.4-test", "6.1.0-50-cloud-amd64"])
def test_an_isolated_partition(kernel: str, machine: Machine, plan: Plan) -> None:
    """The work queues are moved, too: kernels that do it by themselves forget it with any later write."""
    mount_v2(machine)
    release(machine, kernel)
    assert plan("isolated", "cpus=3") == (
        0,
        _write(f"{_V2}/cgroup.subtree_control", "+cpuset")
        + f"create {_V2}/coreloom-100\n"
        + _write(f"{_V2}/coreloom-100/cpuset.cpus", "3")
        + _write(f"{_V2}/coreloom-100/cpuset.cpus.partition", "isolated")
        + _write(_QUEUES, "7", "f")
        + f"start work in {_V2}/coreloom-100\n"
        + "6 changes, 0 tasks, 2 of the kernel, 1 stay\n",
    )


def test_a_partition_with_load_balancing(machine: Machine, plan: Plan) -> None:
    """The kernel's own threads are moved one by one, and the work queues."""
    mount_v2(machine, on="cpuset cpu")
    assert plan("root", "cpus=2-3") == (
        0,
        _KERNEL_AWAY.replace("0-2", "0-1")
        + f"create {_V2}/coreloom-100\n"
        + _write(f"{_V2}/coreloom-100/cpuset.cpus", "2-3")
        + _write(f"{_V2}/coreloom-100/cpuset.cpus.partition", "root")
        + _write(_QUEUES, "3", "f")
        + f"start work in {_V2}/coreloom-100\n"
        + "7 changes, 0 tasks, 2 of the kernel, 1 stay\n",
    )


def test_siblings_stay_idle_in_a_partition_without_tasks(machine: Machine, plan: Plan) -> None:
    mount_v2(machine, on="cpuset")
    assert plan("isolated", "cpus=2-3", "use=2") == (
        0,
        f"create {_V2}/coreloom-100\n"
        + _write(f"{_V2}/coreloom-100/cpuset.cpus", "2")
        + _write(f"{_V2}/coreloom-100/cpuset.cpus.partition", "isolated")
        + f"create {_V2}/coreloom-100-idle\n"
        + _write(f"{_V2}/coreloom-100-idle/cpuset.cpus", "3")
        + _write(f"{_V2}/coreloom-100-idle/cpuset.cpus.partition", "isolated")
        + _write(_QUEUES, "3", "f")
        + f"start work in {_V2}/coreloom-100\n"
        + "8 changes, 0 tasks, 2 of the kernel, 1 stay\n",
    )


def test_groups_that_list_the_cpu_are_narrowed_for_a_partition(machine: Machine, plan: Plan) -> None:
    mount_v2(machine, [("all", ""), ("some", "2-3")], on="cpuset")
    status, text = plan("isolated", "cpus=3")
    assert status == 0
    assert text.splitlines()[0:2] == [
        _write(f"{_V2}/some/cpuset.cpus", "2", "2-3").rstrip(),
        f"create {_V2}/coreloom-100",
    ]


def test_a_process_that_runs_is_moved(machine: Machine, plan: Plan) -> None:
    mount_v2(machine, on="cpuset")
    status, text = plan("isolated", "cpus=3", "pid=31")
    assert status == 0
    assert text.splitlines()[-2:] == [
        f"move process 31 (half) to {_V2}/coreloom-100 (was in {_V2}/other)",
        "5 changes, 0 tasks, 2 of the kernel, 1 stay",
    ]


def test_a_slice_of_systemds_is_the_partition(machine: Machine, plan: Plan) -> None:
    """systemd writes the CPUs of the slice and of the scope by itself."""
    mount_v2(machine)
    machine.write("/run/systemd/system/present", "")
    assert plan("isolated", "cpus=2-3", "use=2") == (
        0,
        "ask systemd for coreloom_100.scope in coreloom_100.slice with AllowedCPUs=2\n"
        + _write(f"{_V2}/coreloom_100.slice/cpuset.cpus.partition", "isolated")
        + _write(_QUEUES, "3", "f")
        + f"start work in {_V2}/coreloom_100.slice/coreloom_100.scope\n"
        + "4 changes, 0 tasks, 2 of the kernel, 1 stay\n",
    )


def test_groups_of_systemds_are_not_narrowed(machine: Machine, plan: Plan) -> None:
    """One that lists the CPU is left alone: the kernel then says why there is no partition."""
    mount_v2(machine, [("system.slice", "2-3"), ("user.slice", "3")], on="cpuset")
    machine.write("/run/systemd/system/present", "")
    status, text = plan("isolated", "cpus=3")
    assert status == 0
    assert f"{_V2}/coreloom_100.slice/cpuset.cpus.partition" in text
    assert "system.slice" not in text and "user.slice" not in text


def test_a_process_stays_in_its_unit(machine: Machine, plan: Plan) -> None:
    mount_v2(machine)
    machine.write("/run/systemd/system/present", "")
    machine.write("/proc/31/cgroup", "0::/system.slice/nginx.service\n")
    text = "it would take the process out of nginx.service: add --move to allow it\n"
    assert plan("isolated", "cpus=3", "pid=31") == (1, text)
    assert plan("isolated", "cpus=3", "pid=31", "move")[0] == 0


def test_a_group_without_another_cpu_gets_the_rest(machine: Machine, plan: Plan) -> None:
    mount_v2(machine, [("only", "3"), ("none", "0-1")], on="cpuset")
    status, text = plan("isolated", "cpus=3")
    assert status == 0
    assert _write(f"{_V2}/only/cpuset.cpus", "0-2", "3") in text
    assert f"{_V2}/none" not in text


def test_one_task_after_the_other(machine: Machine, plan: Plan) -> None:
    """A task that may use nothing else gets the rest meanwhile."""
    assert plan("affinity", "cpus=3", "lightest=2") == (
        0,
        "set affinity of task 1 (init) to 0-2 (was 0-3)\n"
        "set affinity of task 2 (kthreadd) to 0-2 (was 0-3)\n"
        "set affinity of task 10 (kswapd0) to 0-2 (was 0-3)\n"
        "set affinity of task 20 (server) to 0-2 (was 0-3)\n"
        "set affinity of task 21 (server) to 0-2 (was 0-3)\n"
        "set affinity of task 30 (pinned) to 0-2 (was 3)\n"
        "set affinity of task 31 (half) to 1 (was 1,3)\n"
        + _write(_QUEUES, "7", "f")
        + "start work on CPUs 3\n"
        "9 changes, 5 tasks, 2 of the kernel, 1 stay\n",
    )


def test_one_thread_of_several(machine: Machine, plan: Plan) -> None:
    status, text = plan("affinity", "cpus=3", "pid=20", "tid=21")
    assert status == 0
    assert "set affinity of task 20 (server) to 0-2 (was 0-3)\n" in text
    assert text.splitlines()[-2] == "set affinity of task 21 (server) to 3 (was 0-3)"


def test_a_container_hides_others(driver: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path, tasks=[Task(1, "init", 0, "0-3", parent=0), Task(2, "server", 3, "0-3")])
    machine.make()
    machine.write("/proc/2/task/2/children", "")
    command = [str(driver), str(machine.root), "affinity", "cpus=3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == (
        "coreloom exclusive: warning: running in a container: programs outside it are not seen "
        "and may still use the CPUs\n"
    )


@pytest.mark.parametrize("mechanism", ["isolated", "root"])
def test_without_cgroup_v2(mechanism: str, machine: Machine, plan: Plan) -> None:
    machine.write("/proc/self/mounts", f"cgroup {_V2}/cpuset cgroup rw,cpuset 0 0\n")
    assert plan(mechanism, "cpus=3") == (1, "cgroup v2 is not mounted\n")


@pytest.mark.parametrize(
    ("mechanism", "options", "text"),
    [
        ("isolated", ["cpus=2-3"], "the kernel does not balance threads across isolated CPUs"),
        ("root", ["pid=20", "tid=21"], "in cgroup v2 a thread cannot leave the cgroup of its process"),
    ],
)
def test_what_cannot_be(mechanism: str, options: list[str], text: str, machine: Machine, plan: Plan) -> None:
    mount_v2(machine)
    assert plan(mechanism, "cpus=3", *options) == (1, f"{text}\n")


def test_several_isolated_cpus_by_name(machine: Machine, plan: Plan) -> None:
    mount_v2(machine)
    assert plan("isolated", "cpus=2-3", "choose")[0] == 0


def test_cpusets_that_v1_has(machine: Machine, plan: Plan) -> None:
    mount_v2(machine)
    machine.write(f"{_V2}/cgroup.controllers", "cpu io\n")
    text = "cgroup v2 has no cpuset controller: the kernel lacks it, or cgroup v1 uses it\n"
    assert plan("isolated", "cpus=3") == (1, text)
