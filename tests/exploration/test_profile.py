# SPDX-License-Identifier: Apache-2.0
"""What a log of events says of a program: its calls by kind, waits, threads, responses."""

from __future__ import annotations

import pytest

from coreloom.exploration import profile, response
from coreloom.exploration.profile import Calls, Profile, Ran, Watched
from coreloom.exploration.response import Deadline
from coreloom.simulation.simulate import Event, Kind

WATCHED = (Watched("semaphore_wait", 0), Watched("semaphore_post", 4), Watched("mutex_lock", 8))


def event(cycle: int, kind: int, value: int = 0, cpu: int = 0) -> Event:
    return Event(cycle, cpu, kind, value)


def called(cycle: int, number: int, cpu: int = 0) -> Event:
    return event(cycle, Kind.WATCH + number, cpu=cpu)


def test_calls_by_kind_and_those_that_waited() -> None:
    events = [
        called(5, 0),  # before the window
        called(10, 1),
        called(20, 0),
        event(25, Kind.RUN, 1),  # it waited
        called(30, 2),
        event(35, Kind.TRAP),  # preempted: it did not wait
        event(40, Kind.RUN, 0),
        called(50, 1, cpu=1),
        event(55, Kind.RUN, 2),  # of another CPU
    ]
    assert profile.calls(events, WATCHED, 10) == [
        Calls(kind="semaphore", calls=3, waits=1),
        Calls(kind="mutex", calls=1, waits=0),
    ]


@pytest.mark.parametrize(
    ("operation", "kind"),
    [("port_send", "port"), ("cond_wait", "condition"), ("yield", "yield"), ("thread_join", "thread"),
     ("slice", "thread"), ("event_flags_set", "event flags")],
)  # fmt: skip
def test_the_kind_of_an_operation(operation: str, kind: str) -> None:
    assert profile.kind(operation) == kind


def test_when_threads_ran() -> None:
    events = [
        event(10, Kind.RUN, 1),
        event(30, Kind.IDLE, 1),
        event(50, Kind.IDLE, 0),  # the same thread goes on
        event(60, Kind.RUN, 0),
        event(20, Kind.RUN, 2, cpu=1),
    ]
    assert sorted(profile.ran(events, 2, 100)) == [
        Ran(0, 0, 0, 10),
        Ran(0, 0, 60, 100),
        Ran(0, 1, 10, 30),
        Ran(0, 1, 50, 60),
        Ran(1, 2, 20, 100),
    ]
    assert profile.threads(events, [], 2, 40, 100) == {"main": 40, "thread 1": 10, "thread 2": 60}


def test_threads_have_their_names_and_two_of_one_name_both_count() -> None:
    events = [event(10, Kind.RUN, 1), event(11, Kind.NAME), event(20, Kind.RUN, 2), event(21, Kind.NAME)]
    assert profile.threads(events, ["work", "work"], 1, 0, 50) == {"main": 10, "work": 10, "work (2)": 30}


def test_services_and_the_communication_port_by_functions() -> None:
    assert profile.services({"main", "cl_timer_start", "event_flags_set"}) == ["timeouts", "events"]
    assert profile.services({"cl_timer_started", "pthread_mutex_lock"}) == []
    assert profile.communicates({"mailbox_send"}) and not profile.communicates({"message_send", "cpu_time"})


def made(own: int, kernel: int, calls: int, threads: dict[str, int]) -> Profile:
    found = [Calls(kind="port", calls=calls, waits=0)] if calls else []
    return Profile(
        core="standard", cycles=own + kernel, own=own, kernel=kernel, idle=0, calls=found, threads=threads,
        interrupts=0, done=0, services=[], communicates=False,
    )  # fmt: skip


def test_the_grain_and_the_longest_thread() -> None:
    found = made(900, 100, 9, {"main": 400, "other": 600})
    assert found.between == 100
    assert found.work == (900, 500)  # all of the kernel's cycles may be the longest thread's
    assert made(900, 100, 0, {"main": 50}).between is None
    assert made(900, 100, 0, {"main": 50}).work == (900, 0)


# --- responses ---------------------------------------------------------------------------------------------


def test_responses_are_from_an_edge_to_the_next_call_of_the_thread() -> None:
    events = [
        event(5, Kind.RUN, 1),
        event(6, Kind.CALL),  # waits
        event(10, Kind.INTERRUPT),
        event(14, Kind.RUN, 2),
        event(20, Kind.CALL),  # of another thread
        event(30, Kind.RUN, 1),
        event(31, Kind.INTERRUPT),  # while the first is served
        event(50, Kind.CALL),
        event(90, Kind.CALL),
        event(95, Kind.INTERRUPT),  # not served
    ]
    names = {1: "service", 2: "other"}
    assert response.responses(events, names, "service", 1) == [40, 59]
    assert response.longest(events, names, "service", 1) == 59
    assert response.longest(events[:2], names, "service", 1) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("service<=200us", Deadline("service", 0.0002, "200 us")),
        ("a b <= 1.5ms", Deadline("a b", 0.0015, "1.5 ms")),
        ("x<=2s", Deadline("x", 2.0, "2 s")),
    ],
)
def test_deadlines(text: str, found: Deadline) -> None:
    assert response.deadline(text) == found


@pytest.mark.parametrize(
    "text", ["service", "service<=200", "<=2us", "service<200us", "service<=0us", "a<=-1us"]
)
def test_wrong_deadlines(text: str) -> None:
    with pytest.raises(ValueError) as error:
        response.deadline(text)
    assert str(error.value) == (f"must be THREAD<=TIME with ns, us, ms or s, as service<=200us, not '{text}'")
