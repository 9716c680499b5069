# SPDX-License-Identifier: Apache-2.0
"""Sources without their comments and blank lines: what of a file can change what is made of it.

Where it is not certain that something is a comment, it stays.
"""

from __future__ import annotations

import ast
import functools
import io
import json
import os
import re
import sys
import tokenize
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Comments that tools read.
_PRAGMA = re.compile(r"/[/*]\s*(verilator|synthesis|synopsys|pragma|clang-format|fall ?through)\b")
_INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_CONDITION = re.compile(r"\s*#\s*(?:(if(?:n?def)?)\b\s*(.*)|(elif|else|endif)\b)")
_STRING = r'"(?:\\.|[^"\\\n])*"'
_COMMENT = r"//[^\n]*|/\*.*?\*/"
_C = re.compile(rf"{_STRING}|'(?:\\[^'\n]+|[^'\\\n])'|{_COMMENT}", re.DOTALL)
# An apostrophe begins no character there but a number or a pattern.
_VERILOG = re.compile(rf"{_STRING}|{_COMMENT}", re.DOTALL)
_SCRIPT = re.compile(rb"#!\S*/(ba|da)?sh\b")
_HERE = re.compile(r"<<-?\s*[\"']?(\w+)")


def bare(path: Path) -> bytes:
    """The content of a file without comments and blank lines; a file of another kind as it is."""
    content = _read(path)
    script = not path.suffix and _SCRIPT.match(content)
    return _bare(".sh" if script else path.suffix, content)


def compiled(path: Path, off: Collection[str]) -> bytes:
    """bare() of a C file without what stands behind `#if NAME` for the macros of that value 0."""
    kept: list[str] = []
    groups: list[tuple[bool, bool]] = []  # that are open: whether it is of such a macro, and is left out here
    for line in bare(path).decode().splitlines(keepends=True):
        begin, condition, other = found.groups() if (found := _CONDITION.match(line)) else ("", "", "")
        mine = False
        if begin:
            mine = begin == "if" and condition.strip() in off
            groups.append((mine, mine))
        elif other and groups:
            mine = groups.pop()[0]
            if other != "endif":
                groups.append((mine, False))
                mine &= other == "else"
        if not mine and not any(out for _, out in groups):
            kept.append(line)
    return "".join(kept).encode()


def included(file: Path, off: Collection[str] = ()) -> set[Path]:
    """The files of its folder that a C file includes, and what they include, under all conditions but `off`.

    off: macros of the value 0, as in compiled().
    """
    found: set[Path] = set()
    left = {file}
    while left:
        path = left.pop()
        found.add(path)
        text = compiled(path, off) if off else _read(path)
        names = (name.decode() for name in _INCLUDE.findall(text))
        near = {Path(os.path.normpath(path.parent / name)) for name in names}
        left |= {each for each in near if each.is_file()} - found
    return found - {file}


def _read(path: Path) -> bytes:
    return path.read_bytes()


@functools.lru_cache(maxsize=4096)
def _bare(suffix: str, content: bytes) -> bytes:
    strip = _KINDS.get(suffix)
    try:
        return content if strip is None else strip(content.decode()).encode()
    except (ValueError, SyntaxError, tokenize.TokenError):  # not what its name says, or wrong
        return content


def _without_blanks(text: str) -> str:
    return "".join(f"{line}\n" for each in text.splitlines() if (line := each.rstrip()))


def _braced(tokens: re.Pattern[str]) -> Callable[[str], str]:
    def kept(found: re.Match[str]) -> str:
        text = found.group()
        return " " if text[0] == "/" and not _PRAGMA.match(text) else text

    return lambda text: _without_blanks(tokens.sub(kept, text))


def python(text: str) -> str:
    """Python without comments, documentation strings and blank lines outside of strings."""
    lines = [line.encode() for line in io.StringIO(text, newline="")]
    cuts: list[tuple[tuple[int, int], tuple[int, int]]] = []  # from, to: line, byte
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            at = len(token.line[: token.start[1]].encode())
            cuts.append(((token.start[0], at), (token.end[0], at + len(token.string.encode()))))
    texts: set[int] = set()  # lines that end within a string, where a blank one matters
    gone: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno is not None:
            texts.update(range(node.lineno, node.end_lineno))
        if documented := _documentation(node):
            assert documented.end_lineno is not None and documented.end_col_offset is not None
            begin = (documented.lineno, documented.col_offset)
            cuts.append((begin, (documented.end_lineno, documented.end_col_offset)))
            gone.update(range(documented.lineno, documented.end_lineno))
    for (first, left), (last, right) in sorted(cuts, reverse=True):
        lines[first - 1 : last] = [
            lines[first - 1][:left] + lines[last - 1][right:],
            *[b""] * (last - first),  # so that those behind keep their numbers
        ]
    texts -= gone
    kept = (line.decode() for line in lines)
    return "".join(
        line if number in texts else f"{line.rstrip()}\n"
        for number, line in enumerate(kept, 1)
        if number in texts or line.strip()
    )


def _documentation(node: ast.AST) -> ast.Expr | None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    first = node.body[0] if node.body else None
    text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first if isinstance(first, ast.Expr) and text and ast.get_docstring(node) is not None else None


def _toml(text: str) -> str:
    return json.dumps(tomllib.loads(text), default=str)


def _shell(text: str) -> str:
    return "".join(f"{line}\n" for line in _commands(iter(text.splitlines())))


def _commands(lines: Iterator[str]) -> Iterator[str]:
    """All but blank lines and comments; behind a line that begins a document, that document as it is."""
    quotes = 0
    for line in lines:
        comment = line.lstrip().startswith("#") and not line.startswith("#!")
        if not quotes % 2 and (comment or not line.strip()):
            continue
        yield line
        quotes += line.replace("\\'", "").count("'")  # within a text of several lines nothing is left out
        for document in _HERE.findall(line):
            for inside in lines:
                yield inside
                if inside.strip() == document:
                    break


_KINDS: dict[str, Callable[[str], str]] = {
    **dict.fromkeys((".c", ".h", ".cpp", ".S", ".ld", ".js"), _braced(_C)),
    **dict.fromkeys((".sv", ".svh", ".v", ".vh", ".vlt"), _braced(_VERILOG)),
    ".py": python,
    ".toml": _toml,
    ".sh": _shell,
}
