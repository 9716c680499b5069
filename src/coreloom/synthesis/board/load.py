# SPDX-License-Identifier: Apache-2.0
"""Loads a bitstream into a board."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from coreloom.errors import UserError
from coreloom.synthesis.board.boards import Board


def tool(board: Board) -> str:
    """The program that loads it. UserError if it is missing."""
    tool = shutil.which(board.loader[0])
    if tool is None:
        raise UserError(
            f"{board.loader[0]} is not installed: install it, or load the bitstream of "
            f"`coreloom board {board.name} build` by another tool, then `run --loaded`"
        )
    return tool


def load(board: Board, bitstream: Path) -> None:
    """Until the board is switched off. UserError if the tool is missing, or finds no board."""
    done = subprocess.run([tool(board), *board.loader[1:], str(bitstream)], capture_output=True, text=True)
    if done.returncode:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise UserError(
            f"{board.loader[0]} cannot load the board: {lines[-1] if lines else 'it says nothing'}"
        )
