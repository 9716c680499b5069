# SPDX-License-Identifier: Apache-2.0
"""The exceptions that a user is meant to see, and what a command that runs a program exits with.

That is the program's own status where it ends by itself. Any other end has one of these, as with
`timeout`, `env` and a shell.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

UNFINISHED = 124  # --max-cycles has come, or a deadlock
FAILED = 125  # the program could not be run: a wrong option, an error of the compiler, a failure of the tools
SIGNALLED = 128  # + the number that Linux has for the signal of such an end


class UserError(Exception):
    """A mistake of the user or the machine: one line that says what is wrong and what to do.

    The command line prints the line and exits with 1; any other exception is a defect of Coreloom.
    """


class Ended(UserError):
    """A program's end that is not the one it should have; a command that runs it exits with `status`."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class WrongOutput(Exception):
    """The target's result differs from the host's: a defect of Coreloom."""


def meant(word: str, known: Iterable[str]) -> str:
    """The name that a mistyped word is nearest to, as a question; "" if it is near none."""
    near = difflib.get_close_matches(word, list(known), 1, 0.74)
    return f"did you mean {near[0]}?" if near else ""


def suggest(word: str, known: Iterable[str], more: str = "") -> str:
    """Advice on an unknown name: the nearest known one, else all of them. more: what else it may be."""
    names = list(known)
    return meant(word, names) or f"choose one of {', '.join(names) or '(none)'}{more}"
