# SPDX-License-Identifier: Apache-2.0
"""The command line of lagmeter: mistakes and help. Nothing is watched."""

from __future__ import annotations

import os
import subprocess

import pytest

from coreloom import __version__
from linux import system


def call(*words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [system.lagmeter(), *words], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr.removeprefix("lagmeter: error: ")


_NO_NAME = "no user has this UID: give UID:GID, as `id` prints them"
_NO_ID = "give a user's name, a UID or UID:GID, with numbers up to 4294967294"
_GROUP = "there is no such cgroup below /sys/fs/cgroup"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--foo", "unknown option --foo; see lagmeter --help"),
        ("-p", "-p needs a value; see lagmeter --help"),
        ("", "nothing to watch: give -p, -n, -g, -a, or a command after --; see lagmeter --help"),
        ("-p 0", "-p 0: give a process number from 1 to 2147483647"),
        ("-p 2147483648", "-p 2147483648: give a process number from 1 to 2147483647"),
        ("-p -1", "-p -1: give a process number from 1 to 2147483647"),
        ("-a -c 0", "-c 0: give a number of CPUs from 1 to 65536"),
        ("-a -c 65537", "-c 65537: give a number of CPUs from 1 to 65536"),
        (f"-a -c {2**64 + 4}", f"-c {2**64 + 4}: give a number of CPUs from 1 to 65536"),
        ("-a -t 0", "-t 0: give seconds from 0.01 to 1000000"),
        ("-a -t 1e7", "-t 1e7: give seconds from 0.01 to 1000000"),
        ("-a -t nan", "-t nan: give seconds from 0.01 to 1000000"),
        ("-a -t 0x10", "-t 0x10: give seconds from 0.01 to 1000000"),
        ("-a --sample 1e9", "--sample 1e9: give milliseconds from 1 to 10000"),
        ("-a --sample 0.5", "--sample 0.5: give milliseconds from 1 to 10000"),
        ("-a --interval 1s", "--interval 1s: give seconds from 0.1 to 86400"),
        ("-n sixteen-letters-", "-n sixteen-letters-: a thread's name has 1 to 15 characters"),
        ("-g ../../etc", f"-g ../../etc: {_GROUP}"),
        ("-g /sys/fs/cgroup/../../..", f"-g /sys/fs/cgroup/../../..: {_GROUP}"),
        ("-g /sys/fs", f"-g /sys/fs: {_GROUP}"),
        (f"-g {'a/' * 3000}", f"-g {'a/' * 3000}: {_GROUP}"),
        ("-a -n x", "give only one of -p, -n, -g and -a; see lagmeter --help"),
        ("-a -- true", "a command is watched with all its descendants: omit -p, -n, -g and -a"),
        ("--as nobody -a", "--as needs a command: give one after --"),
        (
            "--as no-such-user -- true",
            "--as no-such-user: there is no such user: check the name, or give UID:GID, as `id` prints them",
        ),
        ("--as 987654 -- true", f"--as 987654: {_NO_NAME}"),
        ("--as 4294967295:0 -- true", f"--as 4294967295:0: {_NO_ID}"),
    ],
)
def test_a_mistake_is_one_line(words: str, error: str) -> None:
    assert call(*words.split()) == (2, "", f"{error}\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="is for those who are not root")
def test_only_root_can_start_the_command_of_another() -> None:
    assert call("--as", "root", "--", "true") == (1, "", "--as needs root: run it with sudo\n")


def test_the_help_is_for_a_terminal() -> None:
    status, out, err = call("--help")
    assert (status, err) == (0, "")
    assert max(len(line) for line in out.splitlines()) <= 120
    assert "--as USER" in out
    assert call("--version") == (0, f"lagmeter {__version__}\n", "")
