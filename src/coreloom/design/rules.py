# SPDX-License-Identifier: Apache-2.0
"""Rules between the keys of a platform file, as data: each kind has one sentence, in Python and in the RTL.

A rule stands at its key (Key.rules). Another key is named by a term: `scheduler`, which is not false, 0 or
empty; `core=economy|standard`, which has one of these values; `[ipc]`, a section that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

Values = Mapping[str, Any]  # of the keys; of a section whether it is there


@dataclass(frozen=True)
class Term:
    """A key that is on, or that has one of some values."""

    key: str
    values: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Term:
        key, _, values = text.partition("=")
        return cls(key, tuple(values.split("|")) if values else ())

    def holds(self, values: Values) -> bool:
        own = values.get(self.key)
        if not self.values:
            return bool(own)
        return any(str(each) in self.values for each in (own if isinstance(own, tuple) else (own,)))

    def __str__(self) -> str:
        return " = ".join([self.key, *([" or ".join(map(_shown, self.values))] if self.values else [])])

    def undo(self) -> str:
        return f"{'change' if self.values else 'remove'} {self.key}"


def _shown(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) and not value.isdigit() else str(value)


def _number(values: Values, key: str) -> int:
    value = values.get(key) or 0
    return value if isinstance(value, int) else len(value)


Holds = Callable[[Term], str]  # when a term holds, in SystemVerilog


@dataclass(frozen=True)
class Needs:
    """The own key, with `value` or ("") any but off, is for platforms where the other term holds."""

    other: str
    value: str = ""
    why: str = ""
    wanted: ClassVar[bool] = True

    def own(self, key: str) -> Term:
        return Term(key, (self.value,) if self.value else ())

    def keys(self, key: str) -> tuple[str, ...]:
        """The keys that it is about, the own one first."""
        return key, Term.of(self.other).key

    def broken(self, key: str, values: Values) -> bool:
        return self.own(key).holds(values) and Term.of(self.other).holds(values) != self.wanted

    def sentence(self, key: str, values: Values) -> str:
        """What is wrong, and what to choose."""
        other, own = Term.of(self.other), self.own(key)
        found = f", not {_shown(values[other.key])}" if other.values and other.key in values else ""
        why = f" ({self.why})" if self.why else ""
        return f"{own} needs {other}{found}{why}: set that, or {own.undo()}"

    def brief(self) -> str:
        """For the key's line in a table."""
        return f"{_shown(self.value) + ' ' if self.value else ''}needs {Term.of(self.other)}"

    def sv(self, key: str, names: Mapping[str, str], holds: Holds) -> str:
        """When it is broken, in SystemVerilog. names: the parameters of keys."""
        return f"({holds(self.own(key))}) && {'!' if self.wanted else ''}({holds(Term.of(self.other))})"


@dataclass(frozen=True)
class Excludes(Needs):
    """The own key is for platforms where the other term does not hold."""

    wanted: ClassVar[bool] = False

    def sentence(self, key: str, values: Values) -> str:
        return f"{self.own(key)} and {Term.of(self.other)} exclude each other: remove one of them"

    def brief(self) -> str:
        return f"{_shown(self.value) + ' ' if self.value else ''}excludes {Term.of(self.other)}"


@dataclass(frozen=True)
class AtMost:
    """The own key, and the key `plus`, are together at most the other: a number or a key. when: a term."""

    other: str
    when: str = ""
    plus: str = ""

    def keys(self, key: str) -> tuple[str, ...]:
        others = (self.plus, "" if self.other.isdigit() else self.other, Term.of(self.when).key)
        return key, *filter(None, others)

    def _sum(self, key: str, values: Values) -> int:
        return _number(values, key) + _number(values, self.plus)

    def _most(self, values: Values) -> int:
        return int(self.other) if self.other.isdigit() else _number(values, self.other)

    def broken(self, key: str, values: Values) -> bool:
        applies = not self.when or Term.of(self.when).holds(values)
        return applies and self._sum(key, values) > self._most(values)

    def sentence(self, key: str, values: Values) -> str:
        both, when = [each for each in (key, self.plus) if each], Term.of(self.when)
        found = f" = {self._sum(key, values)}" if key in values else ""
        change = [f"lower {' or '.join(both)}"]
        change += [] if self.other.isdigit() else [f"raise {self.other}"]
        change += [when.undo()] if self.when else []
        most = f" = {self._most(values)}" if self.other in values else ""
        return f"{' + '.join(both)}{found} must be {self._limit(most)}: {', or '.join(change)}"

    def brief(self) -> str:
        return self._limit() + (f" together with {self.plus}" if self.plus else "")

    def _limit(self, most: str = "") -> str:
        when = f" with {Term.of(self.when)}" if self.when else ""
        return f"at most {self.other}{most}{when}"

    def sv(self, key: str, names: Mapping[str, str], holds: Holds) -> str:
        together = " + ".join(names[each] for each in (key, self.plus) if each)
        broken = f"{together} > {names.get(self.other, self.other)}"
        return f"({holds(Term.of(self.when))}) && ({broken})" if self.when else broken


Rule = Needs | AtMost
