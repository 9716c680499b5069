# SPDX-License-Identifier: Apache-2.0
"""Sources without comments: what looks like one in a string stays, and a statement is never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom import sources
from coreloom.paths import ROOT


def _bare(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return sources.bare(path).decode()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.sv", "// x\nassign a = 8'h2f;  // y\n\n/* b\n c */ assign c = '0; // '\n", None),
        ("a.sv", '$error("no // comment /* here */");\n', '$error("no // comment /* here */");\n'),
        ("a.sv", "a = b; /* verilator lint_off X */\n", "a = b; /* verilator lint_off X */\n"),
        ("a.c", 'char q = \'"\'; // "\nint x; /* " */ int y;\n', "char q = '\"';\nint x;   int y;\n"),
        ("a.c", 'char *s = "a\\"// b"; // c\n', 'char *s = "a\\"// b";\n'),
        ("a.c", "int a = '\\'' /* ' */ + '/';\n", "int a = '\\''   + '/';\n"),
        ("a.cpp", "n = 1'000'000; // thousands\nm = 2;\n", "n = 1'000'000;\nm = 2;\n"),
        ("a.h", "#define A(x) x /* one */ \\\n  + 1\n", "#define A(x) x   \\\n  + 1\n"),
        ("a.toml", 'a = "# no comment" # one\n\n[b]\nc = 1\n', '{"a": "# no comment", "b": {"c": 1}}'),
        ("a.sh", "#!/bin/sh\n# one\nx=${y#z} # stays\n", "#!/bin/sh\nx=${y#z} # stays\n"),
        ("a.sh", "cat <<E\n# text\n\nE\n\n  # one\n", "cat <<E\n# text\n\nE\n"),
        ("a.sh", "echo 'a\n# text\nb'\n# one\n", "echo 'a\n# text\nb'\n"),
        ("a.txt", "# text\n\n", "# text\n\n"),
    ],
)
def test_comments_go_and_all_else_stays(tmp_path: Path, name: str, text: str, expected: str | None) -> None:
    if expected is None:
        expected = "assign a = 8'h2f;\n  assign c = '0;\n"
    assert _bare(tmp_path, name, text) == expected


PYTHON = '''\
# one
"""About this."""

A = "# no comment"  # é: two


class B:
    """About B.

    More.
    """

    c: int = 1  # three

    def d(self) -> str:
        """About d."""
        return """four  # five

six"""


def e() -> None:
    """Only this."""
'''


def test_python_loses_comments_and_documentation(tmp_path: Path) -> None:
    expected = 'A = "# no comment"\nclass B:\n    c: int = 1\n    def d(self) -> str:\n'
    expected += '        return """four  # five\n\nsix"""\ndef e() -> None:\n'
    assert _bare(tmp_path, "a.py", PYTHON) == expected


def test_what_is_wrong_stays_as_it_is(tmp_path: Path) -> None:
    assert _bare(tmp_path, "a.py", "def (: # one\n") == "def (: # one\n"
    assert _bare(tmp_path, "a.toml", "a = # one\n") == "a = # one\n"


@pytest.mark.parametrize("suffix", ["sv", "c", "h", "S", "cpp", "py", "toml"])
def test_every_source_of_the_tree_is_read(suffix: str) -> None:
    """Nothing of ours is taken as it is, for lack of understanding it."""
    files = [path for top in ("rtl", "runtime", "src", "apps") for path in (ROOT / top).rglob(f"*.{suffix}")]
    assert not files or all(sources.bare(path) != path.read_bytes() for path in files if path.stat().st_size)


CONDITIONS = """#include "a.h"
#if DEBUG // when it is on
#include "debug.h"
#if OTHER
int a;
#endif
#else
int b;
#if OTHER
int c;
#elif DEBUG
int d;
#endif
#endif
#if !DEBUG
int e;
#endif
#if DEBUG
int f;
#elif OTHER
int g;
#endif
"""
WITHOUT = """#include "a.h"
int b;
#if OTHER
int c;
#elif DEBUG
int d;
#endif
#if !DEBUG
int e;
#endif
#elif OTHER
int g;
"""


def test_what_is_not_compiled_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.cpp"
    path.write_text(CONDITIONS)
    for name in ("a.h", "debug.h"):
        (tmp_path / name).touch()
    assert sources.compiled(path, {"DEBUG"}).decode() == WITHOUT
    assert sources.compiled(path, ()) == sources.bare(path)
    assert sources.included(path, {"DEBUG"}) == {tmp_path / "a.h"}
    assert sources.included(path) == {tmp_path / "a.h", tmp_path / "debug.h"}
