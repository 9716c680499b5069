# SPDX-License-Identifier: Apache-2.0
"""`coreloom exclusive` beside a second reservation, other namespaces and runtimes, on real kernels."""

from __future__ import annotations

import pytest

from coreloom.programs import exclusive
from coreloom.vm import vm
from linux.exclusive_guest import SHELL, failed, guest

pytestmark = pytest.mark.linux

_SECOND = (
    *("a_second_by_affinity", "a_second_by_root", "a_second_by_isolated"),
    *("a_second_by_what_no_longer_exists", "a_second_thing_by_that_name", "a_second_version_of_the_tool"),
)
_AGAIN = tuple(
    f"affinity_again_{how}" for how in ("by_isolated", "by_root", "by_affinity", "by_the_program", "with_two")
)
_SPACES = ("namespace_that_restores", "namespace_that_holds", "namespace_that_hides_processes")
_UMASK = ("umask_that_hides_what_is_kept", "umask_of_the_first_that_was_here")


def _checked(names: tuple[str, ...], kernel: str) -> dict[str, str]:
    head = ". /check/lib.sh\n. /check/safe.sh\n"
    texts = {name: f"{head}{name}\n" for name in names}
    return failed(vm.run_checks(guest(exclusive.program()), texts, seconds=90, timeout=900, kernel=kernel))


def test_the_checks_are_all() -> None:
    defined = {line.split("(")[0] for line in (SHELL / "safe.sh").read_text().splitlines() if "() {" in line}
    named = {
        *_SECOND,
        "a_second_hand_at_the_workqueues",
        *_AGAIN,
        "affinity_again_of_ones_own",
        *_SPACES,
        *_UMASK,
    }
    assert named == {
        name for name in defined if name.startswith(("a_second", "affinity_again", "namespace", "umask"))
    } - {
        "a_second_by",
        "affinity_again_by",
    }


@pytest.mark.parametrize("kernel", ["7", "6.1"])
@pytest.mark.nightly("6.1")
def test_a_second_reservation(kernel: str) -> None:
    """Before 6.9 the kernel does not take isolated CPUs out of the workqueues' mask by itself."""
    queues = ("a_second_hand_at_the_workqueues",) if kernel == "7" else ()
    assert _checked((*_SECOND, *queues), kernel) == {}


@pytest.mark.parametrize("kernel", ["7", "6.1"])
@pytest.mark.nightly("6.1")
def test_affinity_again(kernel: str) -> None:
    """Before 6.2 the kernel forgets what a task has asked for when a partition ends."""
    own = ("affinity_again_of_ones_own",) if kernel == "7" else ()
    assert _checked((*_AGAIN, *own), kernel) == {}


def test_namespaces_and_umask() -> None:
    assert _checked((*_SPACES, *_UMASK), "7") == {}
