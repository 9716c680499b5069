# SPDX-License-Identifier: Apache-2.0
"""The command line, called as a function."""

from __future__ import annotations

import re

import pytest

from coreloom.cli import main
from coreloom.commands import console


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of `coreloom ARGUMENTS`.

    How far long work is stays untold, and so does where the ELF file of a program is.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(console, "FIRST_LINE_S", 3600)
        try:
            code = main(arguments)
        except SystemExit as exit:
            assert isinstance(exit.code, int)
            code = exit.code
    out, err = capsys.readouterr()
    return code, out, re.sub(r"^program: .*\n", "", err, flags=re.MULTILINE)
