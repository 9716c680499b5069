# SPDX-License-Identifier: Apache-2.0
"""Small changes to a source text: SystemVerilog, C and Python alike, by their tokens.

An operator says what may be written instead of a token, a condition or a statement of one line. What decides
nothing at run time is left alone: comments, texts, directives, declarations, properties.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

LANGUAGES = {".sv": "sv", ".c": "c", ".h": "c", ".py": "py"}

_SWAPS = {
    "relation": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "and-or": {"&&": "||", "||": "&&", "and": "or", "or": "and"},
    "sign": {"+": "-", "-": "+", "+=": "-=", "-=": "+="},
    "bits": {"&": "|", "|": "&", "&=": "|=", "|=": "&="},
}
_WORDS = {"and", "or", "not"}  # operators of Python, names elsewhere
_TOKEN = {
    "c": r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.)*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'",
    "sv": r"//[^\n]*|/\*.*?\*/|`[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|\(\*(?!\)).*?\*\)",
    "py": r"#[^\n]*|[rbfRBF]{0,2}(?:\"\"\".*?\"\"\"|'''.*?'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')",
}
_REST = (
    r"|(?P<number>\b\d+'s?[bdh][0-9a-fA-F_]+|'[01]\b|\b0x[0-9a-fA-F_]+[uUlL]*|\b\d[\d_]*(?:\.\d+)?[uUlL]*\b)"
    r"|(?P<word>[A-Za-z_$][\w$]*)"
    r"|(?P<sign><<<|>>>|<<=|>>=|->>|\*\*|//|->|\+\+|--|<<|>>|&&|\|\||[-+*/%&|^~!=<>]=|:=|[^\s\w])"
)
# Lines that are no behaviour, or are checked by the compiler alone.
_NO_BEHAVIOUR = {
    "c": r"\s*(?:(?:_S|s)tatic_assert|if .*__builtin_unreachable|typedef|extern|enum|struct\s+\w+ *\{|case )",
    "sv": r"\s*(?:parameter|localparam|import|input|output|(?:\w+:\s*)?(?:assert|assume|cover)|initial"
    r"|typedef|genvar|(?:var\s+)?(?:logic|bit|wire|int)\b[^=]*;|\$error|\$fatal|.*: g_refuse)",
    "py": r"\s*(?:from|import|class|def|@|assert|raise|\w+: )",
}
_CONDITION = {"c": ("if", "while"), "sv": ("if",), "py": ()}
_STATEMENT = {
    "c": r"[ \t]+(?P<all>\*?[A-Za-z_][\w.\[\]>-]*(?: *(?:=|[-+|&]=)[^=]|\().*;)[ \t]*$",
    "sv": r"[ \t]+(?:\w+: +)?(?P<all>[A-Za-z_]\w*(?:\[[^\]]*\]|\.\w+)* *<?=[^=].*;)[ \t]*$",
    "py": r"[ \t]+(?P<all>[A-Za-z_][\w.\[\]]*(?: *[-+|&]?=[^=]|\().*[^,(\[{:\\])$",
}
_NOTHING = {"c": ";", "sv": ";", "py": "pass"}
_KEYWORDS = {"return", "if", "for", "while", "switch", "else", "assign", "yield", "with", "sizeof", "print"}
_BEFORE_VALUE = {"return", "case", "else", "in", "and", "or", "not", "if", "elif", "while", "yield"}


class Mutant(NamedTuple):
    """A fault: `start` to `end` of a file's text become `new`."""

    path: str
    operator: str
    start: int
    end: int
    new: str
    line: int
    before: str  # the line, without the blanks around it
    after: str
    ident: str  # of path, line's text and change: other lines may change and move

    def applied(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


class _Token(NamedTuple):
    kind: str  # number, word, sign
    text: str
    start: int


def mutants(path: str, text: str) -> Iterator[Mutant]:
    """All mutants of a file, by their places."""
    language = LANGUAGES["." + path.rpartition(".")[2]]
    tokens = list(_tokens(language, text))
    dead = _dead(language, text)
    changes = [*_of_tokens(language, tokens), *_of_conditions(language, tokens, text)]
    changes += _of_statements(language, text, tokens)
    lines = text.splitlines()
    starts = [0]
    for each in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(each))
    seen: Counter[str] = Counter()
    for start, end, operator, new in sorted(changes):
        line = _line_of(starts, start)
        if line in dead or re.match(_NO_BEHAVIOUR[language], lines[line]):
            continue
        before = lines[line]
        after = text[starts[line] : start] + new + text[end : _end_of_line(text, end)]
        if "\n" in text[start:end]:
            after = f"{after.strip()} ..."
        what = "\0".join((path, before.strip(), operator, str(start - starts[line]), new))
        seen[what] += 1  # equal lines are told apart by their order
        ident = hashlib.sha256(f"{what}\0{seen[what]}".encode()).hexdigest()[:12]
        yield Mutant(path, operator, start, end, new, line + 1, before.strip(), after.strip(), ident)


def _line_of(starts: list[int], place: int) -> int:
    low, high = 0, len(starts) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if starts[middle] <= place else (low, middle)
    return low


def _end_of_line(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _tokens(language: str, text: str) -> Iterator[_Token]:
    pattern = re.compile(_TOKEN[language] + _REST, re.DOTALL | re.MULTILINE)
    for match in pattern.finditer(text):
        if match.lastgroup:
            yield _Token(match.lastgroup, match.group(), match.start())


def _dead(language: str, text: str) -> set[int]:
    """Lines of SystemVerilog that only a proof, a lint or a check of parameters reads."""
    dead: set[int] = set()
    if language != "sv":
        return dead
    open_: list[bool] = []
    for number, line in enumerate(text.splitlines()):
        word = re.match(r"\s*`(ifdef|ifndef|else|endif)\s*(\w*)", line)
        if word and word[1] in ("ifdef", "ifndef"):
            open_.append((word[1], word[2]) in (("ifdef", "FORMAL"), ("ifndef", "SYNTHESIS")))
        elif word and word[1] == "else":
            open_[-1] = not open_[-1]
        elif word:
            open_.pop()
        elif any(open_):
            dead.add(number)
    return dead


def _of_tokens(language: str, tokens: list[_Token]) -> Iterator[tuple[int, int, str, str]]:
    depth = inside = 0  # of brackets, since the statement began; of square ones
    for index, (kind, text, start) in enumerate(tokens):
        before = tokens[index - 1] if index else _Token("sign", ";", 0)
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        end = start + len(text)
        if text in "([{" and not (text == "{" and language == "c"):
            depth += 1
        elif text in ")]}" and depth:
            depth -= 1
        elif text in (";", "begin", "end"):
            depth = 0 if language == "sv" or not depth else depth
        inside += (text == "[") - (text == "]")
        if inside and language == "sv" and kind != "word" and text not in ("!", "~", "&&", "||"):
            continue  # a width, which the compiler checks
        if kind == "number":
            if after != "'" and (new := _other_number(text)):  # no cast to a width
                yield start, end, "constant", new
        elif text in _WORDS and language != "py":
            continue
        elif text in ("!", "~", "not"):
            if not (text == "~" and after in "&|^"):
                yield start, end + (text == "not"), "negation", ""
        elif text in ("break", "continue") and language != "sv":
            yield start, end, "jump", {"break": "continue", "continue": "break"}[text]
        else:
            for operator, swaps in _SWAPS.items():
                if text not in swaps or not _between_values(before):
                    continue
                if text == "<=" and language == "sv" and depth == 0:
                    continue  # an assignment
                yield start, end, operator, swaps[text]


def _between_values(before: _Token) -> bool:
    """Whether an operator behind this token has two operands."""
    if before.kind == "word":
        return before.text not in _BEFORE_VALUE
    return before.kind == "number" or before.text in ")]}"


def _other_number(text: str) -> str:
    """One more; of a bit the other one; "" for what is no whole number."""
    if text in ("'0", "'1"):
        return "'1" if text == "'0" else "'0"
    if match := re.fullmatch(r"(\d+)'(s?)([bdh])([0-9a-fA-F_]+)", text):
        width, sign, base, digits = match.groups()
        radix = {"b": 2, "d": 10, "h": 16}[base]
        value = (int(digits.replace("_", ""), radix) + 1) % (1 << int(width))
        shown = f"{value:b}" if base == "b" else f"{value:x}" if base == "h" else str(value)
        return f"{width}'{sign}{base}{shown}"
    match = re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)([uUlL]*)", text)
    if not match or (match[1].startswith("0") and match[1].isdecimal() and len(match[1]) > 1):
        return ""
    value = int(match[1], 0)
    more = 0 if value == 1 else value + 1
    return (hex(more) if match[1].startswith("0x") else str(more)) + match[2]


def _of_conditions(language: str, tokens: list[_Token], text: str) -> Iterator[tuple[int, int, str, str]]:
    """if and while with the opposite condition."""
    for index, token in enumerate(tokens[:-1]):
        if token.text in _CONDITION[language] and tokens[index + 1].text == "(":
            depth = 0
            for other in tokens[index + 1 :]:
                depth += (other.text == "(") - (other.text == ")")
                if depth == 0:
                    begin, end = tokens[index + 1].start, other.start + 1
                    if not _turned_otherwise(text[begin + 1 : end - 1]):
                        yield begin, end, "condition", f"(!{text[begin:end]})"
                    break
    if language == "py":
        for match in re.finditer(r"^[ \t]*(?:if|elif|while) ([^\n]+):$", text, re.MULTILINE):
            if not _turned_otherwise(match[1]):
                yield match.start(1), match.end(1), "condition", f"not ({match[1]})"


def _turned_otherwise(condition: str) -> bool:
    """Whether another operator makes its opposite."""
    one = not re.search(r"&&|\|\||\b(?:and|or)\b", condition)
    return one and (condition.startswith(("!", "not ")) or "==" in condition or "!=" in condition)


def _of_statements(language: str, text: str, tokens: list[_Token]) -> Iterator[tuple[int, int, str, str]]:
    """A call or an assignment of one line is left out."""
    begins = {token.start for token in tokens}
    for match in re.finditer("^" + _STATEMENT[language], text, re.MULTILINE):
        statement = match["all"]
        first = re.match(r"\*?(\w+)", statement)
        balanced = all(statement.count(a) == statement.count(b) for a, b in ("()", "[]", "{}"))
        if match.start("all") not in begins or not first or first[1] in _KEYWORDS or not balanced:
            continue  # a text or comment, another kind of statement, a part of one
        yield match.start("all"), match.end("all"), "statement", _NOTHING[language]
