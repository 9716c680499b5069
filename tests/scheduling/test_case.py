# SPDX-License-Identifier: Apache-2.0
"""Workload files: what they become, and one exact line for each mistake."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.scheduling.builtin import CASES
from coreloom.scheduling.case import load
from coreloom.scheduling.workload import (
    Compute,
    Costs,
    Exit,
    Lock,
    Machine,
    Receive,
    Send,
    Sleep,
    Thread,
    Unlock,
    Workload,
    Yield,
)

WHOLE = """
name = "all of it"
text = "what there is"
seconds = 2.5

[machine]
cpus = 3
tick_us = 1000
slice_us = 5e3
latency_us = 6000
granularity_us = 750
balance_us = 2000
stay_us = 100
realtime_cpus = 2

[costs]
switch_us = 1.5
migrate_us = 2
warm_us = 10

[[thread]]
name = "hog"
count = 2
nice = 5

[[thread]]
name = "user"
weight = 300
priority = 50
cpu = 1
realtime = true
start_us = 10
gap_us = 5
times = 7
steps = [
  { compute = 100, spread = 0.5 },
  { sleep = 50, dist = "exponential" },
  { lock = "l" }, "yield", { unlock = "l" },
  { send = "p", count = 2 },
  { receive = "p" },
  "exit",
]

[[reserve]]
cpu = 1
thread = "user"
"""


def test_everything_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text(WHOLE.replace("count = 2\nnice", "count = 1\nnice"))
    found = load(path)
    user = Thread(
        "user",
        weight=300,
        priority=50,
        cpu=1,
        realtime=True,
        start_us=10,
        gap_us=5,
        times=7,
        steps=(
            *(Compute(100, 0.5), Sleep(50, dist="exponential"), Lock("l"), Yield(), Unlock("l")),
            *(Send("p", 2), Receive("p"), Exit()),
        ),
    )
    hog = Thread("hog", weight=335, priority=125)
    assert found.workload == Workload("all of it", (hog, user), ((1, "user"),))
    assert found.machine == Machine(3, 1000, 5e3, 6000, 750, 2000, 100, 2)
    assert (found.seconds, found.text, found.costs) == (2.5, "what there is", Costs(1.5, 2, 10))


def test_little_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('[[thread]]\nname = "t"\nsteps = [{ compute = inf }]\n')
    found = load(path)
    assert found.workload == Workload("small", (Thread("t", steps=(Compute(math.inf),)),))
    assert (found.machine, found.seconds, found.costs) == (Machine(), 10.0, None)


STEPS = (
    "{ compute = ... }, { sleep = ... }, { lock = ... }, { unlock = ... }, { send = ... }, "
    '{ receive = ... }, "yield", "exit"'
)


def thread(more: str) -> str:
    return f'[[thread]]\nname = "t"\n{more}\n'


WRONG = [
    ("", "workload 'w': there are no threads"),
    (
        "threads = 4",
        "unknown key 'threads': did you mean thread?",
    ),
    ("name = 4", "name must be a string, not 4"),
    ('seconds = "long"', "seconds must be a number, not 'long'"),
    ("thread = 4", "thread must be tables: write [[thread]]"),
    ("machine = 4", "machine must be a table: write [machine]"),
    (
        "[machine]\ncores = 4",
        "machine: unknown key 'cores': choose one of cpus, tick_us, slice_us, latency_us, granularity_us, "
        "balance_us, stay_us, realtime_cpus, latency_threads",
    ),
    ("[machine]\ncpus = 5000", "machine: cpus must be a whole number from 1 to 4096, not 5000"),
    ("[costs]\nswitch = 1", "costs: unknown key 'switch': did you mean switch_us?"),
    ("[costs]\nwarm_us = -1", "costs: warm_us must be a time from 0 to 1e+12 us, not -1"),
    ("[[thread]]\ncount = 2", "thread 1: 'name' is missing"),
    ("[[thread]]\nname = 3", "thread: name must be a printable text, not 3"),
    (
        thread("wieght = 5"),
        "thread 't': unknown key 'wieght': did you mean weight?",
    ),
    (thread("weight = 0"), "thread 't': weight must be a whole number from 1 to 1048576, not 0"),
    (thread("weight = -5"), "thread 't': weight must be a whole number from 1 to 1048576, not -5"),
    (thread("weight = 1e3"), "thread 't': weight must be a whole number from 1 to 1048576, not 1000.0"),
    (thread("nice = 20"), "thread 't': nice must be a whole number from -20 to 19, not 20"),
    (thread("nice = 1\nweight = 3"), "thread 't': both weight and nice are given: remove one"),
    (thread("realtime = 1"), "thread 't': realtime must be true or false, not 1"),
    (thread("steps = 4"), "thread 't': steps must be a list, not 4"),
    (thread('steps = ["sleep"]'), f"thread 't': step 1: must be one of {STEPS}, not 'sleep'"),
    (
        thread('steps = ["yield", { compute = 1, sleep = 2 }]'),
        f"thread 't': step 2: must be one of {STEPS}, not {{'compute': 1, 'sleep': 2}}",
    ),
    (
        thread("steps = [{ compute = 1, dist = 3 }]"),
        "thread 't': step 1: unknown key 'dist': choose one of compute, spread",
    ),
    (
        thread("steps = [{ compute = -1 }]"),
        "thread 't': step 1: compute must be a time from 0 to 1e+12 us, not -1",
    ),
    (thread('steps = [{ unlock = "l" }]'), "thread 't': unlock of 'l' without its lock"),
    (
        thread('steps = [{ receive = "p" }, { compute = 1 }]'),
        "workload 'w': thread 't': unknown port 'p', no thread sends to it",
    ),
    (thread("[[reserve]]\ncpu = 1"), "reserve 1: 'thread' is missing"),
    (thread("[[reserve]]\ncpus = 1"), "reserve 1: unknown key 'cpus': did you mean cpu?"),
    (
        thread('[[reserve]]\ncpu = 1\nthread = "u"'),
        "workload 'w': reserve: unknown thread 'u': choose one of t",
    ),
    (
        thread('[[reserve]]\ncpu = "one"\nthread = "t"'),
        "workload 'w': reserve: cpu must be a whole number from 0 to 4095, not 'one'",
    ),
]


@pytest.mark.parametrize(("text", "line"), WRONG, ids=[line for _, line in WRONG])
def test_mistake_is_one_line(tmp_path: Path, text: str, line: str) -> None:
    path = tmp_path / "w.toml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        load(path)
    begins = {"reserve 1:": ", line 3", "thread 1:": ", line 1", "thread 't':": ", line 1"}
    where = next((begin for named, begin in begins.items() if named in line), "")
    assert str(error.value) == f"workload file {path}{where}: {line}"


def test_mistake_names_the_line_of_its_thread(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text(
        '# two threads\n[[thread]]\nname = "a"\ncpu = 1\n\n[[ thread ]]\nname = "b"\n'
        '\n[[reserve]]\ncpu = 1\nthread = "b"\n'
    )
    with pytest.raises(UserError) as error:
        load(path)
    assert str(error.value) == (
        f"workload file {path}, line 2: "
        "workload 'w': thread 'a' is placed on CPU 1, which is reserved for 'b'"
    )
    path.write_text('thread = [{ name = "a", weight = 0 }]\n')
    with pytest.raises(UserError) as error:
        load(path)
    assert str(error.value) == (
        f"workload file {path}: thread 'a': weight must be a whole number from 1 to 1048576, not 0"
    )


def test_file_that_is_not_toml(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text("name = ")
    with pytest.raises(UserError) as error:
        load(path)
    assert str(error.value).startswith(f"workload file {path} cannot be read: Invalid value (at ")
    with pytest.raises(UserError) as error:
        load(tmp_path / "none.toml")
    assert str(error.value) == f"workload file {tmp_path / 'none.toml'} does not exist"


def test_built_in_cases_fit_their_machines() -> None:
    for name, case in CASES.items():
        assert case.workload.name == name
        assert case.text
        for cpus in re.findall(r"on (\d+) CPUs", case.text):
            assert case.machine.cpus == int(cpus)
        case.workload.check(case.machine)
