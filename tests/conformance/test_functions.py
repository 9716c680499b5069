# SPDX-License-Identifier: Apache-2.0
"""The table of POSIX functions against the headers and the conformance tests."""

from __future__ import annotations

import re
from collections import Counter

from coreloom.benches.rtos.measurements import CALLS
from coreloom.conformance import functions, suite
from coreloom.conformance.run import GROUNDS
from coreloom.paths import RUNTIME

OWN = (
    "pthread.h",
    "semaphore.h",
    "sched.h",
    "mqueue.h",
    "coreloom_events.h",
)  # with cl_sync.h, a part; the others are mostly picolibc's
# What is tested besides functions of the table: of C, and of the C library.
BESIDES = {"thread_local", "errno", "malloc", "inttypes", "printf", "scanf", "strtod", "assert"}


def declared() -> set[str]:
    """The functions that these headers of ours declare, or have as macros."""
    text = "".join((RUNTIME / "include" / header).read_text() for header in (*OWN, "cl_sync.h"))
    text = re.sub(r"(?s)/\*.*?\*/", "", text)
    names = set(re.findall(r"\b((?:pthread|sem|sched|mq|event_flags)_[a-z_]+)\(", text))
    not_of_posix = re.compile(r".*_np|sched_[gs]etaffinity|sched_getcpu|pthread_attr_[gs]etstackaddr")
    return {name for name in names if not not_of_posix.fullmatch(name)}


def test_the_table_has_the_functions_of_the_headers() -> None:
    assert declared() == {name for part in functions.load().header if part.name in OWN for name in part.names}


def test_every_function_has_a_test_and_every_test_a_function() -> None:
    tested = {test.function for test in suite.tests()}
    assert tested - BESIDES == set(functions.load().names)


def test_no_name_stands_twice() -> None:
    for names in ([test.name for test in suite.tests()], functions.load().names):
        assert [name for name, count in Counter(names).items() if count > 1] == []


def test_no_test_is_overlooked() -> None:
    """Each TEST, and FRESH ones, in a file is one for suite.tests, too."""
    written = [
        line
        for path in suite.PROGRAMS.glob("*.c")
        for line in path.read_text().splitlines()
        if line.startswith(("TEST(", "FRESH"))
    ]
    assert len(written) == len(suite.tests())


def test_what_differs_is_of_a_function_and_a_ground() -> None:
    known = functions.load()
    assert set(known.differs) - set(known.names) == set()
    assert {ground for by_ground in known.differs.values() for ground in by_ground} <= set(GROUNDS)


def test_the_cycles_are_of_calls_that_are_measured() -> None:
    known = functions.load()
    assert set(known.calls) - set(known.names) == set()
    assert set(known.calls.values()) <= {call.name for call in CALLS}
