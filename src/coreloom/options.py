# SPDX-License-Identifier: Apache-2.0
"""Readers of words of the command line, for argparse: each refuses with one line that says what it wants."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not '{text}'")
    return int(text)


def names(text: str) -> list[str]:
    names = text.split(",")
    if not all(names):
        raise argparse.ArgumentTypeError(f"must be names with commas between them, not '{text}'")
    return names


def number_from(low: str) -> Callable[[str], float]:
    """A finite number from 0, or above it."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1
        if not 0 <= value < math.inf or (low == "above 0" and value == 0):
            raise argparse.ArgumentTypeError(f"must be a number from {low}, not '{text}'")
        return value

    return parse


def seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 1 << 64:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 2^64 - 1, not '{text}'")
    return int(text)


def add_on(parser: argparse.ArgumentParser, dest: str, *earlier: str, **how: Any) -> None:
    """The option --on, and not shown, the names that it had before."""
    parser.add_argument("--on", dest=dest, **how)
    hidden = {"default": argparse.SUPPRESS, "help": argparse.SUPPRESS}
    parser.add_argument(*earlier, dest=dest, **{**how, **hidden})


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option --json of every verb that prints facts (docs/reference/json.md)."""
    parser.add_argument("--json", action="store_true", help="print it as JSON (docs/reference/json.md)")


def add_freertos(parser: argparse.ArgumentParser) -> None:
    """The option --freertos, of every command that builds for FreeRTOS."""
    parser.add_argument(
        "--freertos",
        type=Path,
        metavar="FOLDER",
        help="the kernel of FreeRTOS, unmodified (default: what cargo fetches)",
    )
