"""What `coreloom exclusive restore` takes back, on trees of files."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from coreloom.linux import exclusive
from linux.tree import Machine, Task

_V2 = "/sys/fs/cgroup"
_RUN = "run/coreloom-exclusive"
_TOOL = Task(100, "coreloom-exclus", 0, "0-3")
_OTHER = Task(101, "coreloom-exclus", 0, "0-3")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path, tasks=(_TOOL, _OTHER))
    machine.make()
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


def text(machine: Machine, path: str) -> str:
    return (machine.root / path.lstrip("/")).read_text().rstrip("\n")


def allowed(machine: Machine, tid: int) -> str:
    (line,) = [x for x in text(machine, f"/proc/{tid}/status").splitlines() if "allowed_list" in x]
    return line.partition("\t")[2]


def journals(machine: Machine) -> list[str]:
    return sorted(path.name for path in (machine.root / _RUN).iterdir() if path.name != "lock")


def test_nothing_to_take_back(machine: Machine) -> None:
    (machine.root / "run").mkdir()
    assert restore(machine) == (0, ["nothing to take back"])
    assert restore(machine, "12") == (1, ["error: there is no reservation 12: `status` lists them"])


def test_a_file_gets_its_text_back(machine: Machine) -> None:
    machine.write("/proc/sys/a", "new\n")
    machine.journal(100, "3", "x", "file\t/proc/sys/a\told\tnew", alive=False)
    assert restore(machine) == (0, ["reservation 100: 1 changes taken back, 0 were as before"])
    assert (text(machine, "/proc/sys/a"), journals(machine)) == ("old", [])
    assert restore(machine) == (0, ["nothing to take back"])


def test_what_is_as_before_or_gone_is_no_work(machine: Machine) -> None:
    machine.write("/proc/sys/a", "old\n")
    entries = ["file\t/proc/sys/a\told\tnew", "cpus\t/proc/irq/9/smp_affinity_list\t0-3\t0-2"]
    machine.journal(100, "3", "x", *entries, alive=False)
    assert restore(machine) == (0, ["reservation 100: 0 changes taken back, 2 were as before"])


def test_what_somebody_else_has_changed_is_left(machine: Machine) -> None:
    machine.write("/proc/sys/a", "other\n")
    machine.write("/proc/irq/9/smp_affinity_list", "1\n")
    entries = ["file\t/proc/sys/a\told\tnew", "cpus\t/proc/irq/9/smp_affinity_list\t0-3\t0-2"]
    machine.journal(100, "3", "x", *entries, alive=False)
    assert restore(machine) == (
        0,
        [
            'warning: /proc/irq/9/smp_affinity_list is "1", but "0-2" was written: '
            "somebody has changed it, it is left",
            'warning: /proc/sys/a is "other", but "new" was written: somebody has changed it, it is left',
            "reservation 100: 0 changes taken back, 0 were as before",
            "reservation 100: 2 left, as others have changed them",
        ],
    )
    assert text(machine, "/proc/sys/a") == "other"
    assert journals(machine) == []


def test_a_partition_that_lost_its_cpus_is_ours_all_the_same(machine: Machine) -> None:
    machine.write(f"{_V2}/a/cpuset.cpus.partition", "isolated invalid (no CPUs)\n")
    entry = f"file\t{_V2}/a/cpuset.cpus.partition\tmember\tisolated"
    machine.journal(100, "3", "x", entry, alive=False)
    assert restore(machine)[0] == 0
    assert text(machine, f"{_V2}/a/cpuset.cpus.partition") == "member"


def test_what_the_kernel_refuses_keeps_the_journal(machine: Machine) -> None:
    (machine.root / "proc/sys/a").mkdir(parents=True)
    machine.journal(100, "3", "x", "file\t/proc/sys/a\told\tnew", alive=False)
    assert restore(machine) == (
        1,
        [
            "warning: cannot take back /proc/sys/a: Is a directory",
            "reservation 100: 0 changes taken back, 0 were as before",
            "warning: reservation 100: 1 changes could not be taken back: its journal stays, "
            "repeat `restore 100`",
        ],
    )
    assert journals(machine) == ["100.journal"]


def test_damaged_lines_are_said_and_the_others_taken_back(machine: Machine) -> None:
    for name in "abc":
        machine.write(f"/proc/sys/{name}", "new\n")
    entries = [
        "file\t/proc/sys/a\told\tnew",
        "file\t/proc/sys/b\told",
        "file\tproc/sys/b\told\tnew",
        "affinity\t12\tx\t0-3\t0-2",
        "cpus\t/proc/sys/b\t0-3\t3-0",
        "nonsense",
        "file\t/proc/sys/c\told\tnew",
    ]
    machine.journal(100, "3", "x", *entries, alive=False)
    path = "/run/coreloom-exclusive/100.journal"
    assert restore(machine) == (
        1,
        [
            *(
                f"warning: line {number} of {path} cannot be read: nothing of it was taken back"
                for number in range(3, 8)
            ),
            "reservation 100: 2 changes taken back, 0 were as before",
        ],
    )
    assert [text(machine, f"/proc/sys/{name}") for name in "abc"] == ["old", "new", "old"]
    assert journals(machine) == ["100.journal.damaged"]


def test_a_last_line_without_its_end_is_damaged(machine: Machine) -> None:
    machine.write("/proc/sys/a", "new\n")
    machine.journal(100, "3", "x", "file\t/proc/sys/a\told\tnew", alive=False)
    path = machine.root / _RUN / "100.journal"
    path.write_text(path.read_text()[:-1])
    assert restore(machine)[1][0] == (
        "warning: line 2 of /run/coreloom-exclusive/100.journal cannot be read: nothing of it was taken back"
    )
    assert text(machine, "/proc/sys/a") == "new"


def test_an_empty_journal_was_never_begun(machine: Machine) -> None:
    machine.write(f"/{_RUN}/100.journal", "")
    assert restore(machine) == (0, ["reservation 100: 0 changes taken back, 0 were as before"])
    assert journals(machine) == []


def test_the_journal_of_another_boot_is_void(machine: Machine) -> None:
    machine.write("/proc/sys/a", "new\n")
    machine.journal(100, "3", "x", "file\t/proc/sys/a\told\tnew")
    machine.write("/proc/sys/kernel/random/boot_id", "another\n")
    assert restore(machine) == (0, ["reservation 100: 0 changes taken back, 0 were as before"])
    assert (text(machine, "/proc/sys/a"), journals(machine)) == ("new", [])


def test_a_living_tool_keeps_its_own_unless_told(machine: Machine) -> None:
    machine.write("/proc/sys/a", "new\n")
    machine.journal(100, "3", "x", "file\t/proc/sys/a\told\tnew")
    assert restore(machine) == (0, ["nothing to take back"])
    assert text(machine, "/proc/sys/a") == "new"
    assert restore(machine, "100") == (0, ["reservation 100: 1 changes taken back, 0 were as before"])
    assert text(machine, "/proc/sys/a") == "old"


def test_the_last_change_is_taken_back_first(machine: Machine) -> None:
    machine.write("/proc/sys/a", "3\n")
    machine.journal(100, "3", "x", "file\t/proc/sys/a\t1\t2", "file\t/proc/sys/a\t2\t3", alive=False)
    assert restore(machine)[0] == 0
    assert text(machine, "/proc/sys/a") == "1"


def test_fields_may_hold_tabs_and_newlines(machine: Machine) -> None:
    machine.write("/proc/sys/a", "one\\\n\ttwo\n")
    machine.journal(100, "3", "x", "file\t/proc/sys/a\tone\\n\\ttwo\tone\\\\\\n\\ttwo", alive=False)
    assert restore(machine)[0] == 0
    assert text(machine, "/proc/sys/a") == "one\n\ttwo"


def test_a_group_gives_its_tasks_back_and_goes(machine: Machine) -> None:
    group = f"{_V2}/coreloom-100"
    for task in (Task(50, "program", 3, "3", group="/coreloom-100"), Task(51, "dead", 3, "3", born=7)):
        machine.task(task)
    machine.write(f"{_V2}/cgroup.procs", "")
    machine.write(f"{_V2}/shell/cgroup.procs", "")
    machine.write(f"{_V2}/cgroup.subtree_control", "memory cpuset\n")
    machine.write(f"{group}/cgroup.procs", "60\n0\n")
    machine.write(f"{group}/cpuset.cpus", "3\n")
    entries = [
        f"controller\t{_V2}/cgroup.subtree_control\tcpuset",
        f"folder\t{group}",
        f"cpus\t{group}/cpuset.cpus\t\t3",
        f"group\t51\t500\t\t{_V2}/shell\t{group}",
        f"group\t50\t500\t\t{_V2}/shell\t{group}",
    ]
    machine.journal(100, "3", "x", *entries, alive=False)
    assert restore(machine) == (0, ["reservation 100: 3 changes taken back, 2 were as before"])
    # 60 was born in the group, of the program: it goes where the program came from; 0 is of another container
    assert text(machine, f"{_V2}/shell/cgroup.procs") == "60"
    assert text(machine, f"{_V2}/cgroup.procs") == ""
    assert not (machine.root / group[1:]).exists()
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "-cpuset"


def test_a_task_that_was_moved_since_is_left(machine: Machine) -> None:
    machine.task(Task(50, "program", 3, "3", group="/elsewhere"))
    entry = f"group\t50\t500\t\t{_V2}\t{_V2}/coreloom-100"
    machine.journal(100, "3", "x", entry, alive=False)
    assert restore(machine)[1] == [
        f"warning: task 50 is in {_V2}/elsewhere, but was put into {_V2}/coreloom-100: "
        "somebody has moved it, it is left",
        "reservation 100: 0 changes taken back, 0 were as before",
        "reservation 100: 1 left, as others have changed them",
    ]


def test_a_controller_that_others_use_by_now_stays_on(machine: Machine) -> None:
    machine.write(f"{_V2}/cgroup.subtree_control", "cpuset\n")
    machine.write(f"{_V2}/user/cgroup.subtree_control", "\n")
    machine.write(f"{_V2}/user/cpuset.cpus", "1\n")
    machine.journal(100, "3", "x", f"controller\t{_V2}/cgroup.subtree_control\tcpuset", alive=False)
    assert restore(machine)[1][0] == (
        f"warning: controller cpuset stays on in {_V2}, as {_V2}/user uses it by now"
    )
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "cpuset"


def test_a_controller_goes_to_a_reservation_that_lives(machine: Machine) -> None:
    machine.write(f"{_V2}/cgroup.subtree_control", "cpuset\n")
    machine.journal(100, "3", "x", f"controller\t{_V2}/cgroup.subtree_control\tcpuset", alive=False)
    machine.journal(101, "2", "y")
    assert restore(machine)[0] == 0
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "cpuset"
    assert restore(machine, "101")[0] == 0
    assert text(machine, f"{_V2}/cgroup.subtree_control") == "-cpuset"


def test_tasks_get_their_cpus_back_and_so_do_their_children(machine: Machine) -> None:
    tasks = (
        Task(5, "early", 0, "0-2", born=10),
        Task(6, "late", 0, "0-2", born=600),  # born while it was held
        Task(7, "chosen", 0, "1", born=600),
        Task(8, "foreign", 0, "1", born=10),
        Task(9, "reborn", 0, "0-2", born=10),
        Task(50, "program", 3, "3", born=600),
        Task(51, "child", 3, "3", born=700),
    )
    for task in tasks:
        machine.task(task)
    entries = [f"affinity\t{tid}\t10\t0-3\t0-2" for tid in (5, 8)]
    machine.journal(
        100, "3", "x", *entries, "affinity\t9\t9\t0-3\t0-2", "affinity\t50\t600\t0-3\t3", alive=False
    )
    assert restore(machine) == (
        0,
        [
            "warning: task 8 (foreign) may use CPUs 1, but was given 0-2: "
            "somebody has changed it, it is left",
            "reservation 100: 4 changes taken back, 1 were as before",
            "reservation 100: 1 left, as others have changed them",
        ],
    )
    assert [allowed(machine, task.tid or task.pid) for task in tasks] == [
        *("0-3", "0-3", "1", "1", "0-2", "0-3", "0-3"),
    ]


@pytest.mark.parametrize("order", list(itertools.permutations((100, 101, 102))))
def test_reservations_may_end_in_any_order(machine: Machine, order: tuple[int, ...]) -> None:
    """Each took a CPU in turn: 3, 2, 1. At every end exactly the CPUs of the ended ones are back."""
    machine.task(Task(102, "coreloom-exclus", 0, "0-3"))
    group, irq, mask = (
        f"{_V2}/a/cpuset.cpus",
        "/proc/irq/9/smp_affinity_list",
        "/proc/irq/default_smp_affinity",
    )
    machine.write(group, "0\n")
    machine.write(irq, "0\n")
    machine.write(mask, "1\n")
    machine.task(Task(5, "task", 0, "0", born=10))
    steps = [(100, "3", "0-3", "0-2"), (101, "2", "0-2", "0-1"), (102, "1", "0-1", "0")]
    masks = {"0-3": "f", "0-2": "7", "0-1": "3", "0": "1"}
    for tool, cpu, old, new in steps:
        entries = [
            f"cpus\t{group}\t{'' if tool == 100 else old}\t{new}",
            f"cpus\t{irq}\t{old}\t{new}",
            f"mask\t{mask}\t{masks[old]}\t{masks[new]}",
            f"affinity\t5\t10\t{old}\t{new}",
        ]
        machine.journal(tool, cpu, "x", *entries)
    back = {0}
    for tool in order:
        assert restore(machine, str(tool))[0] == 0
        back.add({100: 3, 101: 2, 102: 1}[tool])
        whole = len(back) == 4
        sets = {allowed(machine, 5), text(machine, irq), "0-3" if whole else text(machine, group)}
        assert {frozenset(_members(one)) for one in sets} == {frozenset(back)}
        assert int(text(machine, mask), 16) == sum(1 << cpu for cpu in back)
    assert text(machine, group) == ""
    assert journals(machine) == []


@pytest.mark.parametrize("order", list(itertools.permutations((100, 101, 102))))
def test_a_list_that_all_have_replaced_comes_back(machine: Machine, order: tuple[int, ...]) -> None:
    """An interrupt that may go to CPUs 1-3 only: the last to come has left it none of them."""
    machine.task(Task(102, "coreloom-exclus", 0, "0-3"))
    irq, mask = "/proc/irq/9/smp_affinity_list", "/proc/irq/default_smp_affinity"
    machine.write(irq, "0\n")
    machine.write(mask, "1\n")
    steps = [
        (100, "1", "1-3", "2-3", "e", "c"),
        (101, "2", "2-3", "3", "c", "8"),
        (102, "3", "3", "0", "8", "1"),
    ]
    for tool, cpu, old, new, old_mask, new_mask in steps:
        entries = f"cpus\t{irq}\t{old}\t{new}", f"mask\t{mask}\t{old_mask}\t{new_mask}"
        machine.journal(tool, cpu, "x", *entries)
    said = [restore(machine, str(tool)) for tool in order]
    assert [(status, len(lines)) for status, lines in said] == [(0, 1)] * 3
    assert (text(machine, irq), text(machine, mask)) == ("1-3", "e")
    assert journals(machine) == []


def test_an_interrupt_whose_cpus_have_gone_comes_back(machine: Machine) -> None:
    """Its last CPU but the held one went offline, so the kernel gave it all that there were."""
    irq = "/proc/irq/9/smp_affinity_list"
    machine.write("/sys/devices/system/cpu/online", "0-1,3\n")
    machine.write(irq, "0-1,3\n")
    machine.journal(100, "3", "x", f"cpus\t{irq}\t2-3\t2", alive=False)
    assert restore(machine) == (0, ["reservation 100: 1 changes taken back, 0 were as before"])
    assert text(machine, irq) == "2-3"


def _members(text: str) -> list[int]:
    members: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        members += range(int(first), int(last or first) + 1)
    return members


def test_a_task_of_the_cpu_itself_goes_back_to_it(machine: Machine) -> None:
    machine.task(Task(5, "pinned", 0, "0-2", born=10))
    machine.journal(100, "3", "x", "affinity\t5\t10\t3\t0-2", alive=False)
    assert restore(machine)[0] == 0
    assert allowed(machine, 5) == "3"
