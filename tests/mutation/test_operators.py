# SPDX-License-Identifier: Apache-2.0
"""What faults a text has, in each language; what is no behaviour has none."""

from __future__ import annotations

import pytest

from coreloom.mutation.operators import mutants

CHANGES = {
    "a.c": {
        "  if (a < b && c) return;": ["(a <= b && c)", "(a < b || c)", "(!(a < b && c))"],
        "  if (!done) return;": ["(done)"],
        "  while (p->next) {": ["(!(p->next))"],
        "  x = y + 1;": [";", "x = y - 1;", "x = y + 0;"],
        "  *p = 0x7f;": [";", "*p = 0x80;"],
        "  flags |= a & ~B;": ["flags &= a & ~B;", "flags |= a | ~B;", "flags |= a & B;", ";"],
        "  wake(cpu, -1);": [";", "wake(cpu, -0);"],
        "  if (!e) continue;": ["if (e) continue;", "if (!e) break;"],
        "  x->y[2] += n;": [";", "x->y[3] += n;", "x->y[2] -= n;"],
        # What is checked by the compiler, or is no code.
        "  uint32_t a, b;": [],
        "#if A && B": [],
        "  /* a && b */ // 1 < 2": [],
        '  puts("a && b < 1");': [";"],
        "  static_assert(sizeof(a) == 4);": [],
        "  if (a != b) __builtin_unreachable();": [],
        "  f(a,": [],
        "  return f(&x, p->q);": [],
    },
    "a.sv": {
        "    if (a <= b) q <= d;": ["(a < b)", "(!(a <= b))"],
        "      q <= 1'b0;": [";", "1'b1"],
        "      q <= '0;": [";", "'1"],
        "  assign y = req_i & ~we_i;": ["req_i | ~we_i", "req_i & we_i"],
        "  assign n = a + 4'd15;": ["a - 4'd15", "a + 4'd0"],
        "    assert (a == b);": [],
        "  logic [31:0] a, b;": [],
        "  parameter int N = 4,": [],
        "`ifdef FORMAL\n  assign a = b & c;\n`endif": [],
        "`ifndef SYNTHESIS\n  assign a = b & c;\n`endif": [],
        "`ifdef FORMAL\n`else\n  assign a = b & c;\n`endif": ["b | c"],
        "  assign y = x[3:0];": [],
        "  assign y = 32'(x);": [],
    },
    "a.py": {
        "    if a and b:": ["if a or b:", "if not (a and b):"],
        "    if not a:": ["if a:"],
        "    x = f(y)": ["pass"],
        "    self.done.append(3)": ["pass", "self.done.append(4)"],
        "    return x if a == 1 else 0": ["a != 1", "a == 0", "else 1"],
        '    x[y] = c': ["pass"],
        "        continue": ["break"],
        "import a  # 1 < 2": [],
        '    """a and b"""': [],
        "    x = f(": [],
    },
}  # fmt: skip


@pytest.mark.parametrize(("path", "text"), [(path, text) for path in CHANGES for text in CHANGES[path]])
def test_changes(path: str, text: str) -> None:
    found = [mutant.applied(text) for mutant in mutants(path, text)]
    wanted = CHANGES[path][text]
    assert len(found) == len(wanted), found
    for each in wanted:
        assert any(each in text for text in found), (each, found)
    assert text not in found


def test_a_fault_is_known_by_its_line_not_by_its_place() -> None:
    line = "  x = y + 1;\n"
    alone = {mutant.ident for mutant in mutants("a.c", line)}
    assert len(alone) == 3
    assert {mutant.ident for mutant in mutants("a.c", f"int z;\n\n{line}")} == alone
    assert len({mutant.ident for mutant in mutants("a.c", line * 2)}) == 6
    assert not alone & {mutant.ident for mutant in mutants("b.c", line)}


def test_where_a_fault_is_and_how_it_is_shown() -> None:
    text = "int a;\n  if (x &&\n      y) f();\n"
    (turned, both) = mutants("a.c", text)
    assert (both.line, both.operator, both.before, both.after) == (2, "and-or", "if (x &&", "if (x ||")
    assert turned.applied(text) == "int a;\n  if (!(x &&\n      y)) f();\n"
    assert turned.after.endswith(" ...")
