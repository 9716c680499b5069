# SPDX-License-Identifier: Apache-2.0
"""Every text that a user may see, to be read once by a person who would stumble over bad English.

`python -m tests.docs.strings` lists those that nobody has read yet, with their places. After reading and
mending them, `--read` marks all as read. What was read is in strings-read.txt, one digest per line.
"""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
READ = Path(__file__).with_name("strings-read.txt")
_PYTHON = ("src/coreloom/*.py",)
_C = ("linux/*.c", "linux/*.h", "runtime/*.c", "rtl/*.cpp", "policies/*.c", "apps/*.c")
_OPTIONS = ("linux/*/options.toml",)
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_ADJACENT = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"\s*(?:PRI\w+\s*)?)+')
_WORD = re.compile(r"[A-Za-z]{2,}")


def listed() -> dict[str, str]:
    """Text -> the place where it stands (file:line), of all that have three words."""
    found: dict[str, str] = {}
    for patterns, texts in ((_PYTHON, _of_python), (_C, _of_c), (_OPTIONS, _of_c)):
        for name in _files(patterns):
            for line, text in texts((ROOT / name).read_text()):
                if " " in text and len(_WORD.findall(text)) >= 3:
                    found.setdefault(text, f"{name}:{line}")
    return found


def unread() -> dict[str, str]:
    """Those of them that nobody has read."""
    read = set(READ.read_text().split())
    return {text: place for text, place in listed().items() if _digest(text) not in read}


def _files(patterns: tuple[str, ...]) -> list[str]:
    return subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", *patterns], capture_output=True, text=True, check=True
    ).stdout.split()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _of_python(source: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    documentation, parts = set(), set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            documentation.add(body[0].value)
        if isinstance(node, ast.JoinedStr):
            parts |= set(ast.walk(node)) - {node}
    for node in ast.walk(tree):
        if node in documentation or node in parts:
            continue
        if isinstance(node, ast.JoinedStr):
            pieces = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
            yield node.lineno, "".join(map(str, pieces))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _of_c(source: str) -> Iterator[tuple[int, str]]:
    for found in _ADJACENT.finditer(re.sub(r"#include[^\n]*|/\*.*?\*/", _blank, source, flags=re.DOTALL)):
        text = "".join(piece[1:-1] for piece in _LITERAL.findall(found.group()))
        yield source.count("\n", 0, found.start()) + 1, text


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def main(arguments: list[str]) -> int:
    if arguments == ["--read"]:
        READ.write_text("".join(f"{digest}\n" for digest in sorted(map(_digest, listed()))))
        return 0
    sys.stdout.writelines(f"{place}: {text!r}\n" for text, place in unread().items())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
