# SPDX-License-Identifier: Apache-2.0
"""A program that `coreloom exclusive run --as` or `lagmeter --as` starts cannot type into root's terminal.

On kernel 6.1, which still lets any program push characters into its terminal (TIOCSTI).
linux/vm/programs/push.c tries all that it has and all that it can open; terminal.c is the shell whose next
command that would be.
"""

from __future__ import annotations

import pytest

from coreloom.benches.exclusive.guest import programs
from coreloom.programs import bpf, exclusive
from coreloom.vm import vm
from linux.exclusive_guest import USERS

pytestmark = pytest.mark.linux

_SCRIPT = r"""
chown nobody /dev/pts/* 2>/dev/null # as the terminal of one who has become root by sudo is the user's
say() { local name=$1; shift; "$@" >/out/$name 2>&1; echo "status $?" >>/out/$name; }
exclusive="coreloom-exclusive run --quiet --cpu 3 --as nobody --"
lagmeter="lagmeter --sample 50 --as nobody --"
read_twice='echo ready; read x; echo got $x; read y'
say plain terminal -- push keep push
say exclusive_number terminal -- coreloom-exclusive run --quiet --cpu 3 --as 1234:5678 -- push
for tool in exclusive lagmeter; do
    eval "command=\$$tool"
    say $tool terminal -- push keep $command push
    for fd in 0 1 2; do say ${tool}_$fd terminal -- sh -c "$command push $fd>/dev/null"; done
    say ${tool}_none terminal -- sh -c "$command push </dev/null 2>/dev/null | cat"
    say ${tool}_keys terminal ready ^Z "stopped 20" x "got x" ^C -- $command sh -c "$read_twice"
    say ${tool}_status terminal -- $command sh -c 'tty; kill -9 $$'
done
say exclusive_user terminal -- coreloom-exclusive run --quiet --as no-such-user -- push
say lagmeter_user terminal -- lagmeter --as no-such-user -- push
say exclusive_proof terminal -- coreloom-exclusive run --cpu 3 --as nobody -- sh -c 'echo program'
say exclusive_verify coreloom-exclusive verify
say left sh -c 'pidof coreloom-exclusive lagmeter push'
"""


@pytest.fixture(scope="module")
def left() -> dict[str, list[str]]:
    files = programs("push", "terminal")
    files["/usr/bin/coreloom-exclusive"] = exclusive.program()
    files["/usr/bin/lagmeter"] = bpf.program("lagmeter")
    files["/etc/passwd"] = USERS
    done = vm.run(vm.Guest(files, packages=["libc6"]), _SCRIPT, kernel="6.1", timeout=120)
    return {name: text.decode().replace("\r", "").splitlines() for name, text in done.files.items()}


def test_as_user_the_kernel_would_let_it(left: dict[str, list[str]]) -> None:
    """Otherwise the tests below could not fail."""
    assert left["plain"][-5:] == ["key found", "taken 18", "mode as before", "typed 18", "status 0"]


@pytest.mark.parametrize("tool", ["exclusive", "exclusive_number", "lagmeter"])
def test_as_user_nothing_is_typed_into_roots_terminal(left: dict[str, list[str]], tool: str) -> None:
    said = left[tool]
    assert said[-3:] == ["mode as before", "typed 0", "status 0"]
    assert "taken 10" in said  # into the terminal of its own
    assert "key not found" in said


@pytest.mark.parametrize("redirected", ["0", "1", "2", "none"])
@pytest.mark.parametrize("tool", ["exclusive", "lagmeter"])
@pytest.mark.nightly(but=("exclusive-0", "exclusive-2", "lagmeter-1", "lagmeter-none"))
def test_as_user_nothing_is_typed_beside_a_pipe(
    left: dict[str, list[str]], tool: str, redirected: str
) -> None:
    assert left[f"{tool}_{redirected}"][-2:] == ["typed 0", "status 0"]


@pytest.mark.parametrize("tool", ["exclusive", "lagmeter"])
def test_as_user_ctrl_z_and_ctrl_c_reach_tool_and_program(left: dict[str, list[str]], tool: str) -> None:
    said = left[f"{tool}_keys"]
    assert [line for line in said if line in ("^Zstopped 20", "got x")] == ["^Zstopped 20", "got x"]
    assert [line.removeprefix("^C") for line in said[-3:]] == ["mode as before", "typed 0", "status 130"]


@pytest.mark.parametrize("tool", ["exclusive", "lagmeter"])
def test_as_user_that_does_not_exist(left: dict[str, list[str]], tool: str) -> None:
    name, status, where = {
        "exclusive": ("coreloom exclusive", 1, " in /etc/passwd, and LDAP and SSSD are not asked"),
        "lagmeter": ("lagmeter", 2, ""),
    }[tool]
    assert left[f"{tool}_user"] == [
        f"{name}: error: --as no-such-user: there is no such user{where}: check the name, or give UID:GID, "
        "as `id` prints them",
        "mode as before",
        "typed 0",
        f"status {status}",
    ]


@pytest.mark.parametrize("tool", ["exclusive", "lagmeter"])
def test_as_user_a_signals_status_passes_through(left: dict[str, list[str]], tool: str) -> None:
    said = left[f"{tool}_status"]
    assert any(line.startswith("/dev/pts/") for line in said)
    assert said[-3:] == ["mode as before", "typed 0", "status 137"]


def test_as_user_all_is_printed_in_order_and_nothing_is_left(left: dict[str, list[str]]) -> None:
    said = left["exclusive_proof"]
    begun = next(i for i, line in enumerate(said) if "state 4" in line)
    assert said[begun + 1] == "program"
    assert said[begun + 2].startswith("coreloom exclusive: state 0: CPU 3 released")
    assert said[-2:] == ["typed 0", "status 0"]
    assert left["exclusive_verify"] == ["nothing is held, nothing is left over", "status 0"]
    assert left["left"] == ["status 1"]
