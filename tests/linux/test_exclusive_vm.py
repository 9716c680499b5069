# SPDX-License-Identifier: Apache-2.0
"""`coreloom exclusive` on a real kernel: what a user does with it and what may happen, by each mechanism.

Each test is one boot with many checks (guest/checks.sh): a real program under load has the CPU alone, its
status and output are passed on, and afterwards the machine is byte for byte as before (programs/state.c).
"""

from __future__ import annotations

import json
import re

import pytest

from coreloom.programs import exclusive
from coreloom.vm import vm
from linux.exclusive_guest import failed, guest, texts

pytestmark = pytest.mark.linux

# A line of what Prometheus reads.
_METRIC = re.compile(r'# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9.e+-]+')

_SECONDS = 90  # of the guest for a check; its clock goes on while a busy host gives it no CPU

# Whatever keeps the others off.
HOLDS = (
    "alone_under_hogs",
    "alone_on_two_cpus",
    "a_fork_bomb_stays_inside",
    "what_asks_for_the_cpu_does_not_get_it",
    "children_that_stay_are_put_back",
    "status_output_and_input_are_the_programs",
    "the_program_is_as_urgent_as_it_was",
    "a_process_is_held_and_let_go",
    "a_process_that_ends_ends_attach",
    "several_are_held_and_let_go",
    "several_are_let_go_when_the_tool_is_killed",
    "a_cgroup_is_held_and_let_go",
    "two_at_once_the_first_ends_first",
    "two_at_once_the_last_ends_first",
    "two_that_had_an_interrupt",
    "a_kernel_thread_keeps_its_pin",
    "two_that_choose_get_two",
    "ends_by_term",
    "ends_by_hup",
    "the_program_is_killed",
    "the_tool_is_killed",
    "tool_and_watcher_are_killed",
    "the_next_start_restores",
    "ctrl_c_on_a_terminal",
    "as_a_user_on_a_terminal",
    "a_cpu_goes_and_comes_while_it_is_held",
    "another_cpu_goes_while_one_is_held",
    "the_limit_gives_the_cpu_back",
    "a_program_that_ignores_signals",
    "cpu_0_by_force",
    "one_inside_another",
    "the_same_cpu_twice",
    "a_plan_writes_nothing",
    "a_plan_is_what_is_done",
    "nothing_can_be_written_down",
    "what_is_kept_cannot_grow",
    "a_damaged_layer",
    "words_with_tabs_and_newlines",
    "groups_of_others",
    "a_group_that_has_only_the_cpu",
    "a_name_is_no_watcher",
    "what_is_kept_is_removed",
    "a_stopped_tool_gives_back_in_time",
    "a_signal_ends_what_waits",
    "a_signal_ends_it_in_every_state",
    "waits_for_a_held_cpu",
    "what_others_have_changed_is_repaired_if_asked",
)
# With affinity a task that asks for the CPU has it until the next sweep, one whose group has no other stays:
# docs/exclusive.md says so.
_NOT_BY_AFFINITY = ("what_asks_for_the_cpu_does_not_get_it", "a_group_that_has_only_the_cpu")
BY_AFFINITY = tuple(name for name in HOLDS if name not in _NOT_BY_AFFINITY)
ONCE = (
    "two_mechanisms_end_in_any_order",
    "two_of_whom_all_is_removed",
    "a_removed_reservation_counts",
    "a_partition_hid_what_was_asked",
    "two_killed_with_their_watchers",
    "threads_of_a_process_keep_what_they_had",
    "who_asks_again_and_again",
    "one_thread_is_held",
    "refusals",
    "refuses_without_root",
    "status_and_proof",
    "the_program_is_as_urgent_as_it_is_told",
    "as_a_user",
    "signals_are_as_they_were",
    "reports_go_where_they_may",
    "cpus_by_their_count",
    "a_log_is_kept",
    "what_is_held_is_taken_back_by_all",
    "who_ran_there_by_a_trace",
    "shown_live",
)


QUICK = (
    "alone_under_hogs",
    "status_output_and_input_are_the_programs",
    "the_program_is_as_urgent_as_it_was",
    "a_process_is_held_and_let_go",
    "several_are_held_and_let_go",
    "a_cgroup_is_held_and_let_go",
    "two_at_once_the_first_ends_first",
    "the_tool_is_killed",
    "tool_and_watcher_are_killed",
    "ctrl_c_on_a_terminal",
    "as_a_user_on_a_terminal",
    "a_signal_ends_it_in_every_state",
    "one_inside_another",
    "a_plan_writes_nothing",
    "a_plan_is_what_is_done",
    *ONCE,
)


def test_the_best_mechanism() -> None:
    done = vm.run_checks(guest(exclusive.program()), texts(QUICK), seconds=_SECONDS, timeout=900)
    assert failed(done) == {}
    status, prometheus, proof = done["status_and_proof"][1].split("---\n")
    held = json.loads(status)["reservations"][0]
    assert (held["state"], held["cpus"], held["used"], held["mechanism"]) == ("held", "3", "3", "isolated")
    assert [line for line in prometheus.splitlines() if not _METRIC.fullmatch(line)] == []
    assert json.loads(proof)["cpus"] == "3"


@pytest.mark.nightly
def test_all_with_the_best_mechanism() -> None:
    names = [name for name in HOLDS if name not in QUICK]
    assert (
        failed(vm.run_checks(guest(exclusive.program()), texts(names), seconds=_SECONDS, timeout=1500)) == {}
    )


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("mechanism", "kernel", "cgroup"),
    [
        ("root", "7", "v2"),
        ("affinity", "7", "v2"),
        ("affinity", "7", "none"),
        ("isolated", "6.1", "v2"),
        ("root", "6.1", "v2"),
        ("affinity", "6.1", "v1"),
        ("affinity", "6.1", "none"),
    ],
)
def test_every_mechanism(mechanism: str, kernel: str, cgroup: str) -> None:
    names = BY_AFFINITY if mechanism == "affinity" else HOLDS
    if kernel == "6.1":  # before 6.2 a task is given no CPU that is offline at that moment
        names = tuple(name for name in names if name != "another_cpu_goes_while_one_is_held")
    checks = texts(names, f"--mechanism {mechanism}")
    done = vm.run_checks(
        guest(exclusive.program()), checks, kernel=kernel, cgroup=cgroup, seconds=_SECONDS, timeout=1500
    )
    assert failed(done) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", ["isolated", "root", "affinity"])
def test_two_threads_a_core(mechanism: str) -> None:
    names = ("a_sibling_stays_idle", "a_sibling_is_shared", "a_sibling_that_is_cpu_0")
    checks = texts(names, f"--mechanism {mechanism}")
    assert failed(vm.run_checks(guest(exclusive.program()), checks, smt=True, seconds=_SECONDS)) == {}


@pytest.mark.nightly
def test_one_cpu() -> None:
    done = vm.run_checks(guest(exclusive.program()), texts(["one_cpu_is_not_given_away"]), cpus=1)
    assert failed(done) == {}
