# SPDX-License-Identifier: Apache-2.0
"""Entry point of `coreloom`: a command of PROGRAMS becomes its C program before anything else is imported."""

from __future__ import annotations

import os
import sys

from coreloom.programs.registry import PROGRAMS, made


def main() -> int:
    words = sys.argv[1:]
    program = made(words[0]) if words and words[0] in PROGRAMS else None
    if program is not None and words[1:] != ["--build"]:  # which is coreloom's own
        os.execv(program, [str(program), *words[1:]])
    from coreloom import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
