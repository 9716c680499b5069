# SPDX-License-Identifier: Apache-2.0
"""What `coreloom exclusive restore` makes of a baseline and its layers, on trees of files."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from coreloom.programs import exclusive
from linux import system
from linux.tree import BOOT, Machine, Task

_V2 = "/sys/fs/cgroup"
_RUN = "/run/coreloom-exclusive"
_IRQ = "/proc/irq/9/smp_affinity_list"
_DEFAULT = "/proc/irq/default_smp_affinity"
_DOG = "/proc/sys/kernel/watchdog_cpumask"
_QUEUES = "/sys/devices/virtual/workqueue/cpumask"
_TOOLS = tuple(Task(tool, "coreloom-exclus", 0, "0-3") for tool in (100, 101, 102))
_ORDERS = list(itertools.permutations((100, 101, 102)))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path, tasks=_TOOLS)
    machine.make()
    machine.write("/sys/devices/system/cpu/possible", "0-3\n")
    machine.write("/proc/self/mounts", f"cgroup2 {_V2} cgroup2 rw 0 0\n")
    return machine


def restore(machine: Machine, *words: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [exclusive.program(), "--root", machine.root, "restore", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert all(line.startswith("coreloom exclusive: ") for line in lines)
    return done.returncode, [line.removeprefix("coreloom exclusive: ") for line in lines]


def taken_back(layers: int, changes: int, same: int) -> str:
    plural = "" if layers == 1 else "s"
    return f"{layers} reservation{plural} undone: {changes} changes, {same} already as before"


def text(machine: Machine, path: str) -> str:
    return (machine.root / path.lstrip("/")).read_text().rstrip("\n")


def allowed(machine: Machine, tid: int) -> str:
    (line,) = [x for x in text(machine, f"/proc/{tid}/status").splitlines() if "allowed_list" in x]
    return line.partition("\t")[2]


def state(machine: Machine) -> list[str]:
    """The files of coreloom."""
    return sorted(path.name for path in (machine.root / _RUN[1:]).iterdir() if path.name != "lock")


def known(machine: Machine) -> dict[tuple[str, str], tuple[str, str, str]]:
    """What the baseline says now: of each value its base, what was written last, and how."""
    lines = [line.split("\t") for line in text(machine, f"{_RUN}/baseline").splitlines()[1:]]
    return {(line[0], line[1]): (line[2], line[3], line[4]) for line in lines if len(line) == 5}


def members(text: str) -> set[int]:
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


# What is written down, and what it comes to


def test_nothing_to_take_back(machine: Machine) -> None:
    (machine.root / "run").mkdir()
    assert restore(machine) == (0, ["nothing to undo"])
    assert restore(machine, "12") == (1, ["error: there is no reservation 12: `status` lists them"])


def test_a_value_gets_its_base_back(machine: Machine) -> None:
    for path, now in ((_DEFAULT, "7"), (_DOG, "0-2"), (_IRQ, "0-2")):
        machine.write(path, f"{now}\n")
    machine.baseline(
        "3", f"mask\t{_DEFAULT}\tf\t7\tours", f"cpus\t{_DOG}\t0-3\t0-2\tours", f"cpus\t{_IRQ}\t1,3\t1\twas"
    )
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (0, [taken_back(1, 2, 0)])
    assert (text(machine, _DEFAULT), text(machine, _DOG)) == ("f", "0-3")
    assert text(machine, _IRQ) == "0-2"  # found so and never written by us: not ours to write
    assert state(machine) == []
    assert restore(machine) == (0, ["nothing to undo"])


def test_a_baseline_of_another_boot_is_taken_away(machine: Machine) -> None:
    """Even where there is no reservation, and nothing to undo."""
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.write("/proc/sys/kernel/random/boot_id", "89abcdef-0123-4567-89ab-cdef01234567\n")
    assert restore(machine) == (0, ["nothing to undo"])
    assert (text(machine, _DOG), state(machine)) == ("0-2", [])


def test_another_pid_namespace_is_not_touched(machine: Machine) -> None:
    """Its tasks have other numbers here. `-`: it is not known which it is, as of old."""
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False)
    (machine.root / "proc/self/ns").mkdir()
    (machine.root / "proc/self/ns/pid").symlink_to("pid:[4026531836]")
    path = machine.root / _RUN[1:] / "baseline"
    here, unknown = path.read_text().replace("400\t-", "400\t4026531836"), path.read_text()
    path.write_text(unknown.replace("400\t-", "400\t4026531837"))
    before = path.read_text()
    code, lines = restore(machine)
    assert (code, len(lines)) == (1, 1)
    assert "they are of another PID namespace, where tasks have other numbers" in lines[0]
    assert (text(machine, _DOG), path.read_text(), state(machine)) == (
        "0-2",
        before,
        ["100.layer", "baseline"],
    )
    for known in (here, unknown):
        machine.write(_DOG, "0-2\n")
        machine.layer(100, "3", "x", alive=False)
        path.write_text(known)
        assert restore(machine) == (0, [taken_back(1, 1, 0)])
        assert text(machine, _DOG) == "0-3"


def test_to_look_writes_nothing(machine: Machine) -> None:
    """Not even that a CPU is offline, which each that changes something notes first."""
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x")
    machine.write("/sys/devices/system/cpu/online", "0-2\n")
    files = {path: path.read_bytes() for path in (machine.root / _RUN[1:]).iterdir()}
    for command in ("verify", "status"):
        subprocess.run(
            [exclusive.program(), "--root", machine.root, command],
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert {path: path.read_bytes() for path in (machine.root / _RUN[1:]).iterdir()} == files


def test_what_is_as_before_or_gone_is_no_work(machine: Machine) -> None:
    machine.write(_DOG, "0-3\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours", f"cpus\t{_IRQ}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (0, [taken_back(1, 0, 2)])


def test_what_somebody_else_has_changed_is_kept(machine: Machine) -> None:
    machine.write(_DEFAULT, "2\n")
    machine.write(_IRQ, "1\n")
    machine.baseline("3", f"mask\t{_DEFAULT}\tf\t7\tours", f"cpus\t{_IRQ}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (
        0,
        [
            f'warning: {_IRQ} is "1", but "0-2" was written: changed by others, kept',
            f'warning: {_DEFAULT} is "2", but "7" was written: changed by others, kept',
            taken_back(1, 0, 0),
            "2 values kept: others have changed them",
        ],
    )
    assert (text(machine, _DEFAULT), text(machine, _IRQ)) == ("2", "1")
    assert state(machine) == []


def _json(machine: Machine, *words: str) -> tuple[int, object]:
    done = subprocess.run(
        [exclusive.program(), "--root", machine.root, *words, "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


def test_programs_can_read_what_is_said(machine: Machine) -> None:
    machine.write(_DOG, "0-2\n")
    machine.write(_IRQ, "1\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours", f"cpus\t{_IRQ}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False)
    gone = "its tool is gone but its changes remain: run coreloom-exclusive restore"
    changed = f'{_IRQ} is "1", but "0-2" was written: changed by others, kept'
    assert _json(machine, "verify") == (
        1,
        {
            "findings": [f"reservation 100: {gone}", changed, f'{_DOG} is "0-2", but should be "0-3"'],
            "reservations": 1,
            "faults": 2,
        },
    )
    counts = {"reservations": 1, "written": 1, "as_before": 0, "foreign": 1, "failed": 0, "owed": 0}
    assert _json(machine, "restore") == (0, {**counts, "damaged": 0})
    assert _json(machine, "restore") == (0, dict.fromkeys([*counts, "damaged"], 0))
    assert _json(machine, "verify") == (0, {"findings": [], "reservations": 0, "faults": 0})


def test_what_somebody_else_has_changed_is_the_base_from_then_on(machine: Machine) -> None:
    """The change is reported once; the user's value comes back when all reservations are gone."""
    machine.write(_IRQ, "1-2\n")
    machine.baseline("2-3", f"cpus\t{_IRQ}\t0-3\t0-1\tours")
    machine.layer(100, "3", "x", alive=False)
    machine.layer(101, "2", "y")
    code, lines = restore(machine)
    assert (code, lines[1:]) == (0, [taken_back(1, 0, 0), "1 value kept: others have changed it"])
    assert known(machine)["cpus", _IRQ] == ("1-2", "1-2", "theirs")
    assert restore(machine, "101") == (0, [taken_back(1, 0, 1)])
    assert text(machine, _IRQ) == "1-2"


def test_a_value_that_differs_in_held_cpus_only_is_ours(machine: Machine) -> None:
    """The kernel gives and takes those by itself; so it is written, not kept."""
    machine.write(_IRQ, "1\n")
    machine.baseline("2-3", f"cpus\t{_IRQ}\t1-3\t1-2\tours")
    machine.layer(100, "2", "x", alive=False)
    machine.layer(101, "3", "y", alive=False)
    assert restore(machine) == (0, [taken_back(2, 1, 0)])
    assert text(machine, _IRQ) == "1-3"


def test_what_the_kernel_refuses_keeps_the_files(machine: Machine) -> None:
    (machine.root / _DOG[1:]).mkdir(parents=True)
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False)
    for layers in range(2):  # repeated, it says the same
        assert restore(machine) == (
            1,
            [
                f"warning: cannot restore {_DOG}: Is a directory",
                taken_back(0, 0, 0),
                f"warning: 1 change could not be undone: the records in {_RUN} are kept, run `restore` again",
            ],
        ), layers
        assert state(machine) == ["100.layer", "baseline"]
    (machine.root / _DOG[1:]).rmdir()
    machine.write(_DOG, "0-2\n")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert (text(machine, _DOG), state(machine)) == ("0-3", [])


def test_a_baseline_that_outlived_its_layers_is_worked_off(machine: Machine) -> None:
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    assert restore(machine) == (0, [taken_back(0, 1, 0)])
    assert (text(machine, _DOG), state(machine)) == ("0-3", [])


# Files that are not as they should be


def test_damaged_lines_are_said_and_the_others_taken_back(machine: Machine) -> None:
    irqs = {number: f"/proc/irq/{number}/smp_affinity_list" for number in range(1, 8)}
    for path in irqs.values():
        machine.write(path, "0-2\n")
    machine.baseline(
        "3",
        f"cpus\t{irqs[1]}\t0-3\t0-2\tours",
        f"cpus\t{irqs[2]}\t0-3\t0-2",
        f"cpus\t{irqs[3][1:]}\t0-3\t0-2\tours",
        "task\t12\t0-3\t0-2\tours",
        f"cpus\t{irqs[4]}\t3-0\t0-2\tours",
        "cpus\t/proc/irq/../irq/5/smp_affinity_list\t0-3\t0-2\tours",
        f"cpus\t{irqs[6]}\t0-3\t0-2\tmine",
        "nonsense",
        f"cpus\t{irqs[7]}\t0-3\t0-2\tours",
    )
    machine.layer(100, "3", "x", "group\t12\tx\t/a\t/b", "note\tuse", "note\tuse\t3", alive=False)
    assert restore(machine) == (
        1,
        [
            f"warning: line 3 of {_RUN}/100.layer cannot be read: skipped",
            f"warning: line 4 of {_RUN}/100.layer cannot be read: skipped",
            f"warning: 7 lines of {_RUN}/baseline cannot be read: skipped",
            taken_back(1, 2, 0),
        ],
    )
    assert [text(machine, irqs[number]) for number in irqs] == ["0-3", *["0-2"] * 5, "0-3"]
    assert state(machine) == ["100.layer.damaged"]


def test_a_last_line_without_its_end_is_damaged(machine: Machine) -> None:
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", "note\tuse\t3", alive=False)
    for name in ("baseline", "100.layer"):
        path = machine.root / _RUN[1:] / name
        path.write_text(path.read_text()[:-1])
    assert restore(machine) == (
        1,
        [
            f"warning: line 3 of {_RUN}/100.layer cannot be read: skipped",
            f"warning: 1 line of {_RUN}/baseline cannot be read: skipped",
            taken_back(1, 0, 0),
        ],
    )
    assert text(machine, _DOG) == "0-2"


def test_an_empty_layer_was_never_begun(machine: Machine) -> None:
    machine.write(f"{_RUN}/100.layer", "")
    assert restore(machine) == (0, [taken_back(1, 0, 0)])
    assert state(machine) == []


def test_a_layer_whose_first_line_is_damaged_frees_its_group_all_the_same(machine: Machine) -> None:
    machine.write(f"{_V2}/cgroup.procs", "")
    machine.write(f"{_V2}/coreloom-100/cgroup.procs", "")
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False)
    path = machine.root / _RUN[1:] / "100.layer"
    path.write_text(path.read_text().replace("coreloom-exclusive", "coreloom"))
    assert restore(machine) == (
        1,
        [f"warning: line 1 of {_RUN}/100.layer cannot be read: skipped", taken_back(1, 2, 1)],
    )
    assert text(machine, _DOG) == "0-3"
    assert not (machine.root / f"{_V2}/coreloom-100"[1:]).exists()


def test_without_a_baseline_only_our_groups_go_and_it_is_said(machine: Machine) -> None:
    machine.write(f"{_V2}/cgroup.procs", "")
    machine.write(f"{_V2}/coreloom-100/cgroup.procs", "")
    machine.write(_DOG, "0-2\n")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (
        1,
        [
            f"warning: {_RUN}/baseline is missing, so the state before is unknown: "
            "only cgroups of this tool are removed",
            taken_back(1, 1, 1),
        ],
    )
    assert text(machine, _DOG) == "0-2"
    assert not (machine.root / f"{_V2}/coreloom-100"[1:]).exists()


def test_the_files_of_another_boot_are_void(machine: Machine) -> None:
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x")
    machine.write("/proc/sys/kernel/random/boot_id", "another\n")
    assert restore(machine) == (0, [taken_back(1, 0, 0)])
    assert (text(machine, _DOG), state(machine)) == ("0-2", [])


def test_a_layer_of_another_boot_does_not_void_this_ones_baseline(machine: Machine) -> None:
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x")
    machine.layer(101, "2", "y", alive=False)
    path = machine.root / _RUN[1:] / "101.layer"
    path.write_text(path.read_text().replace(BOOT, "another"))
    assert restore(machine)[0] == 0
    assert (text(machine, _DOG), state(machine)) == ("0-2", ["100.layer", "baseline"])
    assert restore(machine, "100")[0] == 0
    assert (text(machine, _DOG), state(machine)) == ("0-3", [])


def test_fields_may_hold_tabs_and_newlines(machine: Machine) -> None:
    """A group may have any name."""
    odd = f"{_V2}/a\tb\\\nc"
    machine.write(f"{odd}/cgroup.procs", "")
    machine.write(f"{odd}/cpuset.cpus", "0-2\n")
    machine.baseline("3", f"cpus\t{_V2}/a\\tb\\\\\\nc/cpuset.cpus\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert text(machine, f"{odd}/cpuset.cpus") == "0-3"


def test_the_file_is_written_anew_when_much_of_it_is_out_of_date(machine: Machine) -> None:
    """The file is bounded, however often somebody changes a task's CPUs."""
    machine.write(_DOG, "0-1\n")
    machine.task(Task(5, "task", 0, "0-1", born=10))
    many = [f"task\t5 10\t0-3\t{left}\tours" for left in ("0", "0-1")] * 200
    ended = [f"task\t{tid} 10\t0-3\t0-1\tours" for tid in range(1000, 1040)]
    machine.baseline("2-3", f"cpus\t{_DOG}\t0-3\t0-1\tours", *many, *ended)
    machine.layer(100, "3", "x")
    machine.layer(101, "2", "y", alive=False)
    assert restore(machine)[0] == 0
    assert len(text(machine, f"{_RUN}/baseline").splitlines()) == 6
    assert known(machine) == {
        ("cpus", _DOG): ("0-3", "0-2", "ours"),
        ("task", "5 10"): ("0-3", "0-2", "ours"),
    }


# The reservation that ends


def test_a_pin_to_a_cpu_on_its_way_offline_is_not_forgotten(machine: Machine) -> None:
    """Its tasks are sent away some time before it counts as offline."""
    machine.task(Task(5, "pinned", 0, "0-2", born=10))
    for cpu, reached in enumerate((238, 238, 238, 150)):
        machine.write(f"/sys/devices/system/cpu/cpu{cpu}/hotplug/state", f"{reached}\n")
    machine.baseline("1", "task\t5 10\t3\t3\twas")
    machine.layer(100, "1", "x", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert allowed(machine, 5) == "3"


def test_a_pin_to_a_held_cpu_that_went_offline_is_not_forgotten(machine: Machine) -> None:
    """The kernel lends what is left, and keeps no record of the pin."""
    machine.task(Task(5, "pinned", 0, "0", born=10))
    machine.task(Task(6, "chosen", 0, "1", born=10))
    machine.baseline("1-3", "offline\t3", "task\t5 10\t3\t3\twas", "task\t6 10\t3\t3\twas")
    machine.layer(100, "1-3", "x", alive=False, mechanism="root")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert (allowed(machine, 5), allowed(machine, 6)) == ("3", "1")


def test_who_is_made_while_several_are_held_gets_what_its_maker_had(machine: Machine) -> None:
    tasks = (
        Task(50, "first", 3, "3", born=300),
        Task(60, "second", 3, "3", born=310),
        Task(51, "of.first", 3, "3", born=600, parent=50),
        Task(61, "of.second", 3, "3", born=610, parent=60),
        Task(60, "thread", 3, "3", tid=62, born=620),
        Task(70, "orphan", 3, "3", born=630),
    )
    for task in tasks:
        machine.task(task)
    machine.baseline("3", "task\t50 300\t0-3\t3\t100", "task\t60 310\t1-2\t3\t100")
    machine.layer(100, "3", "x", "note\twish\t0-3", "note\talso\t60 310", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 6, 0)])
    assert {task.name: allowed(machine, task.tid or task.pid) for task in tasks} == {
        "first": "0-3",
        "second": "1-2",
        "of.first": "0-3",
        "of.second": "1-2",
        "thread": "1-2",
        "orphan": "0-3",
    }


def test_a_living_tool_keeps_its_own_unless_told(machine: Machine) -> None:
    machine.write(_DOG, "0-2\n")
    machine.baseline("3", f"cpus\t{_DOG}\t0-3\t0-2\tours")
    machine.layer(100, "3", "x")
    assert restore(machine) == (0, ["nothing to undo"])
    assert (text(machine, _DOG), state(machine)) == ("0-2", ["100.layer", "baseline"])
    held = (machine.root / _RUN[1:] / "100.layer").open()
    assert restore(machine, "100") == (0, [taken_back(1, 1, 0)])
    assert (text(machine, _DOG), state(machine)) == ("0-3", [])
    # whoever keeps it open is told that this was no accident
    with held:
        assert held.read().splitlines()[-1] == "note\tended\ttaken back"


def test_the_dead_end_together(machine: Machine) -> None:
    """Their order is no question, and none of them counts as living."""
    machine.write(_IRQ, "0\n")
    machine.baseline("1-3", f"cpus\t{_IRQ}\t0-3\t0\tours")
    for tool, cpu in ((100, "1"), (101, "2"), (102, "3")):
        machine.layer(tool, cpu, "x", alive=False)
    assert restore(machine) == (0, [taken_back(3, 1, 0)])
    assert (text(machine, _IRQ), state(machine)) == ("0-3", [])


# Groups


def test_a_group_gives_its_tasks_back_and_goes(machine: Machine) -> None:
    group = f"{_V2}/coreloom-100"
    for task in (Task(50, "program", 3, "3", group="/coreloom-100"), Task(51, "dead", 3, "3", born=7)):
        machine.task(task)
    machine.write(f"{_V2}/cgroup.procs", "")
    machine.write(f"{_V2}/shell/cgroup.procs", "")
    machine.write(f"{_V2}/cgroup.subtree_control", "memory cpuset\n")
    machine.write(f"{group}/cgroup.procs", "60\n0\n")
    machine.write(f"{group}/cpuset.cpus", "3\n")
    machine.write(f"{group}-idle/cgroup.procs", "")
    machine.baseline("3", f"controller\t{_V2}/cgroup.subtree_control\toff\ton\tours")
    entries = [f"group\t{tid}\t500\t{_V2}/shell\t{group}" for tid in (51, 50)]
    machine.layer(100, "3", "x", *entries, alive=False)
    # 50, both groups and the controller; 51 has ended, and neither group was a partition
    assert restore(machine) == (0, [taken_back(1, 4, 3)])
    # 60 was born in the group, of the program: it goes where the program came from; 0 is of another container
    assert text(machine, f"{_V2}/shell/cgroup.procs") == "60"
    assert text(machine, f"{_V2}/cgroup.procs") == ""
    assert not (machine.root / group[1:]).exists()
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "-cpuset"


def test_a_task_that_was_moved_since_is_kept_where_it_is(machine: Machine) -> None:
    machine.task(Task(50, "program", 3, "3", group="/elsewhere"))
    machine.baseline("3")
    machine.layer(100, "3", "x", f"group\t50\t500\t{_V2}\t{_V2}/coreloom-100", alive=False)
    assert restore(machine) == (
        0,
        [
            f"warning: task 50 is in {_V2}/elsewhere, but was put into {_V2}/coreloom-100: "
            "moved by others, left there",
            taken_back(1, 0, 0),
            "1 value kept: others have changed it",
        ],
    )


@pytest.mark.parametrize("parts", [3, 30])
def test_a_task_that_went_to_a_deep_group_is_kept_there(machine: Machine, parts: int) -> None:
    """The kernel tells no path of 4096 bytes or more: in a tree, it does not fit."""
    deep = "/" + "/".join(["x" * 200] * parts)
    machine.task(Task(50, "program", 3, "3", group=deep))
    machine.baseline("3")
    machine.layer(100, "3", "x", f"group\t50\t500\t{_V2}\t{_V2}/coreloom-100", alive=False)
    where = f"{_V2}{deep}" if parts == 3 else "a cgroup nested too deeply to name"
    assert restore(machine) == (
        0,
        [
            f"warning: task 50 is in {where}, but was put into {_V2}/coreloom-100: "
            "moved by others, left there",
            taken_back(1, 0, 0),
            "1 value kept: others have changed it",
        ],
    )


def test_a_mount_with_a_blank_in_its_path(machine: Machine) -> None:
    mount = "/sys/fs/my cgroup"
    machine.write("/proc/self/mounts", "cgroup2 /sys/fs/my\\040cgroup cgroup2 rw 0 0\n")
    machine.write(f"{mount}/cgroup.procs", "1\n")
    machine.write(f"{mount}/coreloom-100/cgroup.procs", "")
    machine.task(Task(50, "program", 3, "3", group="/coreloom-100"))
    machine.baseline("3")
    machine.layer(100, "3", "x", f"group\t50\t500\t{mount}\t{mount}/coreloom-100", alive=False)
    assert restore(machine) == (0, [taken_back(1, 2, 1)])
    assert text(machine, f"{mount}/cgroup.procs") == "50"
    assert not (machine.root / f"{mount[1:]}/coreloom-100").exists()


def test_a_partition_that_lost_its_cpus_ends_all_the_same(machine: Machine) -> None:
    """The partition of systemd's slice, which is systemd's to remove."""
    path = f"{_V2}/coreloom_100.slice/cpuset.cpus.partition"
    machine.write(path, "isolated invalid (no CPUs)\n")
    machine.baseline("3")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert text(machine, path) == "member"


@pytest.mark.parametrize(
    ("used", "value"),
    [("cpuset.cpus", "1"), ("cgroup.subtree_control", "cpuset"), ("cpuset.cpus.partition", "root")],
)
def test_a_controller_that_others_use_by_now_stays_on(machine: Machine, used: str, value: str) -> None:
    machine.write(f"{_V2}/cgroup.subtree_control", "cpuset\n")
    machine.write(f"{_V2}/user/cgroup.subtree_control", "\n")
    machine.write(f"{_V2}/user/cpuset.cpus.partition", "member\n")
    machine.write(f"{_V2}/user/{used}", f"{value}\n")
    machine.baseline("3", f"controller\t{_V2}/cgroup.subtree_control\toff\ton\tours")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (
        0,
        [
            f"warning: the cpuset controller stays enabled in {_V2}: {_V2}/user uses it",
            taken_back(1, 0, 0),
            "1 value kept: others have changed it",
        ],
    )
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "cpuset"


def test_a_controller_stays_for_a_reservation_that_lives(machine: Machine) -> None:
    machine.write(f"{_V2}/cgroup.subtree_control", "cpuset\n")
    machine.baseline("2-3", f"controller\t{_V2}/cgroup.subtree_control\toff\ton\tours")
    machine.layer(100, "3", "x", alive=False)
    machine.layer(101, "2", "y")
    assert restore(machine) == (0, [taken_back(1, 0, 1)])
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "cpuset"
    assert restore(machine, "101") == (0, [taken_back(1, 1, 0)])
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "-cpuset"


def test_a_controller_goes_when_only_one_by_affinity_lives(machine: Machine) -> None:
    machine.write(f"{_V2}/cgroup.subtree_control", "cpuset\n")
    machine.baseline("2-3", f"controller\t{_V2}/cgroup.subtree_control\toff\ton\tours")
    machine.layer(100, "3", "x", alive=False)
    machine.layer(101, "2", "y", mechanism="affinity")
    assert restore(machine)[0] == 0
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "-cpuset"


def test_a_group_without_a_list_gets_none_when_only_a_partition_lives(machine: Machine) -> None:
    """A partition takes its CPUs from those by itself."""
    group, other = f"{_V2}/user/cpuset.cpus", f"{_V2}/db/cpuset.cpus"
    machine.write(group, "0-1\n")
    machine.write(other, "1\n")
    machine.baseline("2-3", f"cpus\t{group}\t\t0-1\tours", f"cpus\t{other}\t1-3\t1\tours")
    machine.layer(100, "3", "x", alive=False)
    machine.layer(101, "2", "y", mechanism="root")
    assert restore(machine) == (0, [taken_back(1, 2, 0)])
    assert (text(machine, group), text(machine, other)) == ("", "1,3")


def test_a_list_with_no_cpu_left_gets_the_rest(machine: Machine) -> None:
    group = f"{_V2}/db/cpuset.cpus"
    machine.write(group, "0\n")
    machine.baseline("1-3", f"cpus\t{group}\t2-3\t0\tours")
    machine.layer(100, "1", "x", alive=False)
    machine.layer(101, "2", "y")
    machine.layer(102, "3", "z")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert text(machine, group) == "0-1"
    assert restore(machine, "102") == (0, [taken_back(1, 1, 0)])
    assert text(machine, group) == "3"


# Tasks


def test_tasks_get_their_cpus_back_and_so_do_their_children(machine: Machine) -> None:
    tasks = (
        Task(5, "early", 0, "0-2", born=10),
        Task(6, "late", 0, "0-2", born=600, parent=5),  # born while it was held
        Task(7, "chosen", 0, "1", born=600),
        Task(8, "foreign", 0, "1", born=10),
        Task(9, "reborn", 0, "0-1", born=10),
        Task(10, "zombie", 0, "0-2", born=10),
        Task(50, "program", 3, "3", born=600),
        Task(51, "child", 3, "3", born=700, parent=50),
    )
    for task in tasks:
        machine.task(task)
    for folder in ("/proc/10", "/proc/10/task/10"):
        machine.write(f"{folder}/stat", text(machine, f"{folder}/stat").replace(") S ", ") Z "))
    machine.baseline(
        "3",
        *(f"task\t{tid} 10\t0-3\t0-2\tours" for tid in (5, 8, 10)),
        "task\t9 9\t0-3\t0-2\tours",
        "task\t50 600\t0-3\t3\t100",
    )
    machine.layer(100, "3", "x", "note\twish\t0-3", alive=False, mechanism="affinity")
    assert restore(machine) == (
        0,
        [
            "warning: task 8 (foreign) is allowed on CPUs 1, but was left on 0-3: changed by others, kept",
            # 5, 6, 50, 51; the ones that have ended are no work
            taken_back(1, 4, 2),
            "1 value kept: others have changed it",
        ],
    )
    assert {task.name: allowed(machine, task.pid) for task in tasks} == {
        "early": "0-3",
        "late": "0-3",
        "chosen": "1",
        "foreign": "1",
        "reborn": "0-1",
        "zombie": "0-2",
        "program": "0-3",
        "child": "0-3",
    }


def test_many_tasks_that_others_have_changed_are_counted(machine: Machine) -> None:
    for tid in range(200, 212):
        machine.task(Task(tid, "busy", 0, "1", born=10))
    machine.baseline("3", *(f"task\t{tid} 10\t0-3\t0-2\tours" for tid in range(200, 212)))
    machine.layer(100, "3", "x", alive=False, mechanism="affinity")
    code, lines = restore(machine)
    assert (code, len(lines)) == (0, 11)
    assert lines[8:] == [
        "warning: 4 more tasks have requested other CPUs since: they keep them",
        taken_back(1, 0, 0),
        "12 values kept: others have changed them",
    ]


def test_a_task_of_the_cpu_itself_goes_back_to_it(machine: Machine) -> None:
    machine.task(Task(5, "pinned", 0, "0-2", born=10))
    machine.baseline("3", "task\t5 10\t3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert allowed(machine, 5) == "3"


def test_a_task_of_one_layers_program_stays_when_another_ends(machine: Machine) -> None:
    machine.task(Task(50, "program", 2, "2", born=600))
    machine.task(Task(5, "other", 0, "0-1", born=10))
    machine.baseline("2-3", "task\t50 600\t0-3\t2\t101", "task\t5 10\t0-3\t0-1\tours")
    machine.layer(100, "3", "x", alive=False, mechanism="affinity")
    machine.layer(101, "2", "y", mechanism="affinity")
    assert restore(machine)[0] == 0
    assert (allowed(machine, 50), allowed(machine, 5)) == ("2", "0-1,3")
    assert restore(machine, "101")[0] == 0
    assert (allowed(machine, 50), allowed(machine, 5)) == ("0-3", "0-3")


def test_a_task_gets_no_more_than_its_group_has(machine: Machine) -> None:
    """The part of its base that its group grants is right, and counts as nobody's change."""
    machine.task(Task(5, "small", 0, "0", born=10, group="/db"))
    machine.write(f"{_V2}/db/cpuset.cpus.effective", "0,3\n")
    machine.baseline("3", "task\t5 10\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])


def test_a_task_that_was_on_its_way_is_ours(machine: Machine) -> None:
    """The tool was killed between sending it to the lightest CPU and letting it have all it may."""
    machine.task(Task(5, "task", 0, "1", born=10))
    machine.baseline("3", "task\t5 10\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", "note\tvia\t0-1", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert allowed(machine, 5) == "0-3"


@pytest.mark.parametrize(("release", "given"), [("6.1.0", "2"), ("6.18.0", "1")])
def test_a_pin_that_the_kernel_forgot_before_its_way_is_given_again(
    machine: Machine, release: str, given: str
) -> None:
    """Freed by a partition, it was sent to the lightest CPU as if it might use every one."""
    machine.write("/proc/sys/kernel/osrelease", f"{release}\n")
    machine.task(Task(5, "pinned", 0, "1", born=10))
    machine.task(Task(6, "other", 0, "1", born=10))  # not on a way that we had meant for it
    machine.task(Task(7, "again", 0, "1", born=10))  # an earlier end was killed before it told it
    machine.baseline(
        "3",
        "task\t5 10\t2\t0-2\tours",
        "task\t6 10\t2\t2\tours",
        "task\t7 10\t2\t0-2\tours",
        "task\t7 10\t2\t2\tours",
    )
    machine.layer(100, "3", "x", "note\tvia\t1", alive=False, mechanism="affinity")
    assert restore(machine)[0] == 0
    assert [allowed(machine, tid) for tid in (5, 6, 7)] == [given, "1", given]


@pytest.mark.parametrize(("release", "given"), [("6.1.0", "1"), ("6.18.0", "0-3")])
def test_a_pin_that_the_kernel_forgot_is_given_again(machine: Machine, release: str, given: str) -> None:
    """Before 6.2 it forgets what a task has asked for with every change of its cpuset."""
    machine.write("/proc/sys/kernel/osrelease", f"{release}\n")
    machine.task(Task(5, "pinned", 0, "0-3", born=10))
    machine.baseline("3", "task\t5 10\t1\t1\twas")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine)[0] == 0
    assert allowed(machine, 5) == given


def test_a_kernel_thread_that_the_kernel_freed_gets_its_own_again(machine: Machine) -> None:
    machine.task(Task(5, "kswapd", 0, "0-3", born=10, kernel=True, parent=2))
    machine.baseline("3", "task\t5 10\t0-1\t0-1\twas")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert allowed(machine, 5) == "0-1"


def test_one_made_while_its_parent_was_on_its_way_gets_what_that_had(machine: Machine) -> None:
    """Its parent went on long ago; it may use the lightest CPUs for ever."""
    machine.task(Task(5, "server", 0, "0-2", born=10))
    machine.task(Task(6, "worker", 0, "1", born=600, parent=5))
    machine.task(Task(7, "chosen", 0, "2", born=600, parent=5))
    machine.baseline("3", "task\t5 10\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", "note\tvia\t1", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 2, 0)])
    assert [allowed(machine, tid) for tid in (5, 6, 7)] == ["0-3", "0-3", "2"]


def test_the_child_of_one_that_had_the_rest_is_bound_as_it_was(machine: Machine) -> None:
    """The child's CPUs look like all that are not held."""
    machine.task(Task(5, "pinned", 0, "0-2", born=10))
    machine.task(Task(6, "child", 0, "0-2", born=600, parent=5))
    machine.baseline("3", "task\t5 10\t3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 2, 0)])
    assert [allowed(machine, tid) for tid in (5, 6)] == ["3", "3"]


def test_one_made_on_the_way_whose_cpus_are_still_held_gets_the_rest(machine: Machine) -> None:
    """The child is bound like its parent, to a CPU of the layer that stays."""
    machine.task(Task(5, "pinned", 0, "0-1", born=10))
    machine.task(Task(6, "child", 0, "0", born=600, parent=5))
    machine.baseline("2-3", "task\t5 10\t2\t0-1,3\tours", "task\t5 10\t2\t0-1\tours")
    machine.layer(100, "3", "x", "note\tvia\t0", alive=False, mechanism="affinity")
    machine.layer(101, "2", "y", mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 2, 0)])
    assert [allowed(machine, tid) for tid in (5, 6)] == ["0-1,3", "0-1,3"]


def test_the_child_of_one_whom_the_kernel_gave_the_rest_is_bound_as_it_was(machine: Machine) -> None:
    """By a partition of its only CPU: nothing was written to the parent then."""
    machine.task(Task(5, "pinned", 0, "0-1", born=10))
    machine.task(Task(6, "child", 0, "0-2", born=600, parent=5))
    machine.baseline("2-3", "task\t5 10\t3\t3\twas", "task\t5 10\t3\t0-1\tours")
    machine.layer(100, "2", "x", alive=False, mechanism="affinity")
    machine.layer(101, "3", "y", alive=False, mechanism="isolated")
    assert restore(machine) == (0, [taken_back(2, 2, 0)])
    assert [allowed(machine, tid) for tid in (5, 6)] == ["3", "3"]


def test_what_was_written_before_the_last_line_is_ours_too(machine: Machine) -> None:
    """The last one's tool was killed before it wrote: what stands is what the line before says."""
    machine.write(f"{_V2}/db/cpuset.cpus.effective", "1-2\n")
    machine.task(Task(5, "pinned", 0, "2", born=10, group="/db"))
    machine.write(_IRQ, "0\n")
    machine.baseline(
        "2",
        "task\t5 10\t1\t2\tours",
        "task\t5 10\t1\t1\tours",
        f"cpus\t{_IRQ}\t1\t0\tours",
        f"cpus\t{_IRQ}\t1\t1\tours",
    )
    machine.layer(100, "2", "x", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 2, 0)])
    assert (allowed(machine, 5), text(machine, _IRQ)) == ("1", "1")


def test_a_program_that_the_kernel_let_out_is_bound_again(machine: Machine) -> None:
    """Before 6.2, by the end of another's partition."""
    machine.write("/proc/sys/kernel/osrelease", "6.1.0\n")
    machine.write(f"{_V2}/cpuset.cpus.effective", "0-3\n")
    machine.task(Task(50, "program", 2, "0-3", born=10))
    machine.task(Task(51, "thread", 2, "0-1", born=10))
    machine.baseline("2-3", *(f"task\t{tid} 10\t0-3\t2\t101" for tid in (50, 51)))
    machine.layer(100, "3", "x", alive=False)
    machine.layer(101, "2", "y", mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert (allowed(machine, 50), allowed(machine, 51)) == ("2", "0-1")  # the other has asked for that


def test_groups_keep_what_is_held_by_affinity(machine: Machine) -> None:
    """The program that holds it is in one of them."""
    group = f"{_V2}/user/cpuset.cpus"
    machine.write(f"{_V2}/user/cgroup.procs", "50\n")
    machine.write(group, "0,2\n")
    machine.task(Task(50, "program", 2, "2", born=10, group="/user"))
    machine.baseline("1-3", f"cpus\t{group}\t0-3\t0,2\tours", "task\t50 10\t0-3\t2\t101")
    machine.layer(100, "3", "x", alive=False)
    machine.layer(101, "2", "y", mechanism="affinity")
    machine.layer(102, "1", "z")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert text(machine, group) == "0,2-3"


# Hotplug


def test_an_interrupt_whose_cpus_have_gone_comes_back(machine: Machine) -> None:
    """Its last CPU but the held one went offline, so the kernel gave it all that there were."""
    machine.write("/sys/devices/system/cpu/online", "0-1,3\n")
    machine.write(_IRQ, "0-1,3\n")
    machine.baseline("3", f"cpus\t{_IRQ}\t2-3\t2\tours")
    machine.layer(100, "3", "x", alive=False)
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert text(machine, _IRQ) == "2-3"


def test_a_task_that_may_use_all_gets_those_that_come_later_too(machine: Machine) -> None:
    machine.write("/sys/devices/system/cpu/online", "0-1,3\n")
    machine.task(Task(5, "task", 0, "0-1", born=10))
    machine.baseline("3", "task\t5 10\t0-3\t0-2\tours")
    machine.layer(100, "3", "x", alive=False, mechanism="affinity")
    assert restore(machine) == (0, [taken_back(1, 1, 0)])
    assert allowed(machine, 5) == "0-3"


@pytest.mark.parametrize(("highest", "left"), [(1, "1-2"), (1 << 62, "0-3")])
def test_a_cpu_that_was_away_unseen(machine: Machine, highest: int, left: str) -> None:
    """Its folder has a number that is higher than all were: the kernel took from the task what it had."""
    machine.write("/sys/devices/system/cpu/cpu1/topology/core_id", "1\n")
    machine.task(Task(5, "task", 0, "0-3", born=10))
    machine.baseline("2", f"topology\t{highest}", "task\t5 10\t1-2\t1\tours")
    machine.layer(100, "2", "x", alive=False, mechanism="affinity")
    assert restore(machine)[0] == 0
    assert allowed(machine, 5) == left


def test_a_task_whose_cpus_are_offline_waits_for_them(machine: Machine) -> None:
    """The task has what the kernel gave it; what it is owed stays written down until it can be given."""
    machine.write("/sys/devices/system/cpu/possible", "0-3\n")
    machine.write("/sys/devices/system/cpu/online", "0-1,3\n")
    machine.task(Task(5, "task", 0, "0-1,3", born=10))
    machine.baseline("3", "task\t5 10\t2\t2\twas")
    machine.layer(100, "3", "x", alive=False, mechanism="affinity")
    waits = "warning: 1 task waits for CPUs that are offline: run `restore` again when they are back"
    assert restore(machine) == (0, [taken_back(1, 0, 1), waits])
    assert restore(machine) == (0, ["nothing to undo", waits])
    assert allowed(machine, 5) == "0-1,3"
    machine.write("/sys/devices/system/cpu/online", "0-3\n")
    assert restore(machine) == (0, [taken_back(0, 1, 0)])
    assert allowed(machine, 5) == "2"
    assert not (machine.root / _RUN[1:] / "baseline").exists()


# Several, in any order


@pytest.mark.parametrize("order", _ORDERS)
def test_reservations_may_end_in_any_order(machine: Machine, order: tuple[int, ...]) -> None:
    """Each took a CPU in turn: 3, 2, 1. At every end exactly the CPUs of the ended ones are back."""
    group = f"{_V2}/a/cpuset.cpus"
    for path, now in ((group, "0"), (_IRQ, "0"), (_DEFAULT, "1"), (_QUEUES, "1")):
        machine.write(path, f"{now}\n")
    machine.write(f"{_V2}/a/cgroup.procs", "")
    machine.task(Task(5, "task", 0, "0", born=10))
    machine.baseline(
        "1-3",
        f"cpus\t{group}\t0-3\t0\tours",
        f"cpus\t{_IRQ}\t0-3\t0\tours",
        f"mask\t{_DEFAULT}\tf\t1\tours",
        f"mask\t{_QUEUES}\tf\t1\tours",
        "task\t5 10\t0-3\t0\tours",
    )
    cpu = {100: 3, 101: 2, 102: 1}
    for tool in cpu:
        machine.layer(tool, str(cpu[tool]), "x", mechanism="root")
    back = {0}
    for tool in order:
        assert restore(machine, str(tool))[0] == 0
        back.add(cpu[tool])
        assert members(allowed(machine, 5)) == members(text(machine, _IRQ)) == back
        assert (
            int(text(machine, _DEFAULT), 16) == int(text(machine, _QUEUES), 16) == sum(1 << x for x in back)
        )
        assert members(text(machine, group)) == back
    assert state(machine) == []


@pytest.mark.parametrize("order", _ORDERS)
def test_a_list_that_all_have_replaced_comes_back(machine: Machine, order: tuple[int, ...]) -> None:
    """An interrupt that may go to CPUs 1-3 only: the last to come has left it none of them."""
    machine.write(_IRQ, "0\n")
    machine.write(_DEFAULT, "1\n")
    machine.baseline("1-3", f"cpus\t{_IRQ}\t1-3\t0\tours", f"mask\t{_DEFAULT}\te\t1\tours")
    for tool, cpu in ((100, "1"), (101, "2"), (102, "3")):
        machine.layer(tool, cpu, "x")
    said = [restore(machine, str(tool)) for tool in order]
    assert [(status, len(lines)) for status, lines in said] == [(0, 1)] * 3
    assert (text(machine, _IRQ), text(machine, _DEFAULT)) == ("1-3", "e")
    assert state(machine) == []


# Every mix of mechanisms

_MECHANISMS = ("isolated", "root", "affinity")
_CPU = {100: 3, 101: 2, 102: 1}
_GROUP = f"{_V2}/db/cpuset.cpus"
_LISTS = {_DOG: "0-3", _IRQ: "0-3", "/proc/irq/10/smp_affinity_list": "2-3", _GROUP: "0,2-3"}
_MASKS = {_DEFAULT: {0, 1, 2, 3}, _QUEUES: {0, 1, 2, 3}}
_TASKS = {5: "0-3", 6: "2-3", 7: "1", 8: "0,3"}


def _list(cpus: set[int]) -> str:
    return ",".join(str(cpu) for cpu in sorted(cpus))


def _should(living: dict[int, str]) -> dict[str, set[int] | bool]:
    """What decision 18 says, computed here once more: each value's base but for CPUs that are held."""
    held = {_CPU[tool] for tool in living}
    rest = {0, 1, 2, 3} - held  # the CPUs that nobody holds
    without = {_CPU[tool] for tool in living if living[tool] != "affinity"}
    groups = {0, 1, 2, 3} - without  # which those have that no group is to lose
    now: dict[str, set[int] | bool] = {}
    for path, base in _LISTS.items():
        gone, left = (without, groups) if path == _GROUP else (held, rest)
        now[path] = members(base) - gone or left
    if not now[_DOG]:
        now[_DOG] = members(_LISTS[_DOG])
    now[_DEFAULT] = _MASKS[_DEFAULT] - held
    now[_QUEUES] = _MASKS[_QUEUES] - held
    for tid, base in _TASKS.items():
        now[f"task {tid}"] = members(base) - held or rest
    now["controller"] = any(one != "affinity" for one in living.values())
    return now


def _held(machine: Machine, living: dict[int, str]) -> None:
    """The machine with these layers, as they have made it."""
    should = _should(living)
    cpus = {key: _list(value) for key, value in should.items() if isinstance(value, set)}
    mask = {path: f"{sum(1 << cpu for cpu in members(cpus[path])):x}" for path in _MASKS}
    shutil.rmtree(machine.root / "sys/fs/cgroup", ignore_errors=True)
    machine.write("/proc/self/mounts", f"cgroup2 {_V2} cgroup2 rw 0 0\n")
    for path in _LISTS:
        machine.write(path, f"{cpus[path]}\n")
        if path.startswith(_V2):
            machine.write(f"{path.rpartition('/')[0]}/cgroup.procs", "")
    for path, value in mask.items():
        machine.write(path, f"{value}\n")
    for tid in _TASKS:
        machine.task(Task(tid, "task", 0, cpus[f"task {tid}"], born=10))
    machine.write(f"{_V2}/cgroup.procs", "")
    machine.write(f"{_V2}/cgroup.subtree_control", "cpuset\n" if should["controller"] else "\n")
    for tool, mechanism in living.items():
        if mechanism == "affinity":
            continue
        group = f"{_V2}/coreloom-{tool}"
        machine.write(f"{group}/cgroup.procs", "")
        machine.write(f"{group}/cpuset.cpus", f"{_CPU[tool]}\n")
        machine.write(f"{group}/cpuset.cpus.partition", f"{mechanism}\n")
    machine.baseline(
        "1-3",
        *(f"cpus\t{path}\t{base}\t{cpus[path]}\tours" for path, base in _LISTS.items()),
        *(f"mask\t{path}\tf\t{value}\tours" for path, value in mask.items()),
        *(f"task\t{tid} 10\t{base}\t{cpus[f'task {tid}']}\tours" for tid, base in _TASKS.items()),
        f"controller\t{_V2}/cgroup.subtree_control\toff\t{'on' if should['controller'] else 'off'}\tours",
    )
    for tool, mechanism in living.items():
        machine.layer(tool, str(_CPU[tool]), "x", mechanism=mechanism)


def _values(machine: Machine) -> dict[str, set[int] | bool]:
    now: dict[str, set[int] | bool] = {path: members(text(machine, path)) for path in _LISTS}
    for path in _MASKS:
        now[path] = {cpu for cpu in range(4) if int(text(machine, path), 16) >> cpu & 1}
    for tid in _TASKS:
        now[f"task {tid}"] = members(allowed(machine, tid))
    now["controller"] = text(machine, f"{_V2}/cgroup.subtree_control") == "cpuset"
    return now


def _ours(machine: Machine) -> list[str]:
    return sorted(path.name for path in machine.root.glob("sys/fs/cgroup/**/coreloom-[0-9]*"))


@pytest.mark.parametrize("order", _ORDERS)
@pytest.mark.parametrize(
    "mixes",
    [
        list(itertools.combinations_with_replacement(_MECHANISMS, 3)),
        pytest.param(list(itertools.product(_MECHANISMS, repeat=3)), marks=pytest.mark.nightly),
    ],
    ids=["mixes", "assignments"],
)
def test_any_mix_of_mechanisms_may_end_in_any_order(
    machine: Machine, mixes: list[tuple[str, ...]], order: tuple[int, ...]
) -> None:
    """All values are a function of the layers that live, whatever ended before."""
    for mix in mixes:
        living = dict(zip(_CPU, mix, strict=True))
        _held(machine, living)
        for tool in order:
            assert restore(machine, str(tool))[0] == 0
            del living[tool]
            assert _values(machine) == _should(living), (mix, tool)
            groups = [x for x, mechanism in living.items() if mechanism != "affinity"]
            assert _ours(machine) == [f"coreloom-{x}" for x in groups], (mix, tool)
        assert state(machine) == [], mix


# Killed at any write


@pytest.fixture(scope="module")
def killed() -> Path:
    return system.driver("settle")


def _files(machine: Machine) -> dict[str, str]:
    return {
        str(path.relative_to(machine.root)): path.read_text() if path.is_file() else "folder"
        for path in sorted(machine.root.rglob("*"))
        if path.name != "lock"
    }


def _killed_held(machine: Machine, mechanisms: dict[int, str], dead: Sequence[int]) -> None:
    """The same with programs, their children and a task born since; some tools are dead."""
    shutil.rmtree(machine.root / _RUN[1:], ignore_errors=True)
    _held(machine, mechanisms)
    left = _list(_should(mechanisms)["task 5"])  # type: ignore[arg-type]
    machine.task(Task(60, "late", 0, left, born=600, parent=5))
    for tool, mechanism in mechanisms.items():
        group, tid = f"/coreloom-{tool}" if mechanism != "affinity" else "/", tool - 50
        program = Task(tid, "program", _CPU[tool], str(_CPU[tool]), born=550, group=group)
        machine.task(program)
        machine.write(f"/proc/{tid}/cgroup", f"0::{group}\n")
        machine.task(Task(tid + 20, "child", 0, str(_CPU[tool]), born=650, parent=tid))
        with (machine.root / _RUN[1:] / "baseline").open("a") as file:
            file.write(f"task\t{tid} 550\t0-3\t{_CPU[tool]}\t{tool}\n")
        entries = ["note\twish\t0-3"]
        if group != "/":
            entries.append(f"group\t{tid}\t550\t{_V2}/db\t{_V2}{group}")
            machine.write(f"{_V2}{group}/cgroup.procs", f"{tid}\n")
            machine.write(f"{_V2}/db/cgroup.procs", "")
        machine.layer(tool, str(_CPU[tool]), "x", *entries, alive=tool not in dead, mechanism=mechanism)


def _held_now(machine: Machine) -> str:
    lines = text(machine, f"{_RUN}/baseline").splitlines()
    return [line.partition("\t")[2] for line in lines if line.startswith("held\t")][-1]


_KILLED = [
    (("isolated", "affinity", "root"), (100,)),
    (("root", "isolated", "isolated"), (100, 101, 102)),
    (("affinity", "affinity", "root"), (101, 102)),
]


@pytest.mark.parametrize(
    ("mechanisms", "dead"),
    [
        *_KILLED[:1],
        *(pytest.param(*each, marks=pytest.mark.linux) for each in _KILLED[1:]),
        *(
            pytest.param(mechanisms, dead, marks=pytest.mark.nightly)
            for mechanisms, _ in _KILLED
            for dead in ((100,), (101, 102), (100, 101, 102))
            if (mechanisms, dead) not in _KILLED
        ),
    ],
)
def test_restore_killed_at_any_write_is_finished_by_the_next(
    machine: Machine, killed: Path, mechanisms: tuple[str, ...], dead: tuple[int, ...]
) -> None:
    layers = dict(zip(_CPU, mechanisms, strict=True))
    _killed_held(machine, layers, dead)
    assert restore(machine)[0] == 0
    wanted = _files(machine)
    living = {tool: mechanism for tool, mechanism in layers.items() if tool not in dead}
    assert _values(machine) == _should(living)
    for number in itertools.count(1):
        _killed_held(machine, layers, dead)
        done = subprocess.run(
            [killed, machine.root, str(number)], capture_output=True, timeout=60, check=False
        )
        if done.returncode != 99:
            break
        assert restore(machine)[0] == 0, number
        now = _files(machine)
        changed = {path for path in now.keys() | wanted.keys() if now.get(path) != wanted.get(path)}
        assert changed <= {f"{_RUN[1:]}/baseline"}, number
        assert _values(machine) == _should(living), number
        assert state(machine) == [*(f"{tool}.layer" for tool in sorted(living)), *["baseline"] * bool(living)]
        if living:  # the next one leaves to its tasks all that is not held
            assert members(_held_now(machine)) == {_CPU[tool] for tool in living}, number
    assert done.returncode == 0
    assert number > 20
