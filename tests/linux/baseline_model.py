# SPDX-License-Identifier: Apache-2.0
"""The baseline and its layers (decision 18) on a model of the kernel, all interleavings explored.

A small machine: CPUs 0 to N + 1, of which reservation I holds CPU I + 1, so that two are never held. It has
the values that `exclusive` writes (the default mask of interrupts, one interrupt, the work queues, two
top-level groups, of which one lists CPUs, the controller) and tasks: one that may use all, a pinned one in a
group, a thread of the kernel, a program for each reservation, and one that is born meanwhile.

`Machine` is what the kernel does (before 6.2, since; cgroup v1 or v2); `Tool` is linux/exclusive, function by
function, as generators that stop behind every write; `Explorer` runs every operation from every state that
can be reached, kills its tool at every write, and lets others change one value or make a task at any moment.

Not in it: threads of one process, systemd's scopes, irqbalance, CPUs that go offline, groups in groups.
A set of CPUs is a mask.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache, partial
from operator import attrgetter
from typing import Any, TypeVar

MECHANISMS_V2 = ("isolated", "root", "cpuset", "affinity")
MECHANISMS_V1 = ("cpuset-v1", "affinity")

DEFAULT, IRQ, QUEUES, OPEN, LISTED, CONTROLLER = range(6)  # keys of the baseline; behind them the tasks
_SETS = CONTROLLER
FULL, PINNED, THREAD, KID = range(4)  # tasks; behind them the programs
_MEMBER, _ROOT, _ISOLATED = range(3)
ANY = -1  # before 6.2 the kernel forgets what a task has asked for since, or its parent: nobody can know
FAULTS = (
    "base read while a layer lives",
    "dead layers count as living",
    "record written after the write",
    "work queues read without isolated CPUs",
    "program not written down",
    "what others changed is overwritten",
    "baseline removed first",
    "layers forgotten before the writes",
    "newborn tasks are left out",
    "groups lose what affinity holds",
    "a cpuset without a task's CPUs is a failure",
    "a kernel thread is not told again",
    "what the kernel forgot is taken for a wish",
    "only the last line counts",
    "a child with the rest is taken for free",
    "a program's pin is forgotten",
    "one made on its parent's way stays there",
    "what is held is told last",
    "one that the kernel freed was not on its way",
    "a list that is set late goes with the controller",
    "a wish after the kernel forgot is forgotten",
    "one made on its way to held CPUs stays there",
    "a child with the kernel's rest is taken for free",
    "what a child had is lost",
)


class Refused(Exception):
    """The kernel says no."""


class Wrong(Exception):
    """An invariant does not hold."""


@dataclass(frozen=True, slots=True)
class Ground:
    version: int = 703  # of the kernel: 601 is 6.1
    v1: bool = False
    on: bool = False  # the controller, from the begin: only then a group of v2 can list CPUs
    reservations: int = 2

    @property
    def all(self) -> int:
        return (1 << (self.reservations + 2)) - 1

    @property
    def foreign(self) -> int:
        """What somebody else asks for: the last CPU, which nobody holds."""
        return 1 << (self.reservations + 1)

    @property
    def forgets(self) -> bool:
        return self.version < 602

    @property
    def mechanisms(self) -> tuple[str, ...]:
        return MECHANISMS_V1 if self.v1 else MECHANISMS_V2


@dataclass(frozen=True, slots=True)
class Task:
    asked: int  # 0: for nothing
    mask: int  # 0: it is not there
    group: str  # "" (the root), "open", "listed", "rest", or a reservation's number
    young: bool = False  # born after the baseline was taken
    parent: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    base: int
    written: int
    how: str = "was"  # was, ours, theirs, program
    layer: int = -1
    older: frozenset[int] = (
        frozenset()
    )  # written before, or meant to be: in earlier lines, with the same base

    def wrote(self, now: int, may: int) -> bool:
        return any(now == one & may for one in (self.written, *self.older))


@dataclass(frozen=True, slots=True)
class Baseline:
    held: int
    known: tuple[Known | None, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    mechanism: str = ""
    alive: bool = True
    came_from: str | None = None
    via: int = 0


@dataclass(frozen=True, slots=True)
class State:
    sets: tuple[int, ...]  # default, irq, queues (as asked for), open, listed; 0: an empty list
    controller: bool
    rest: int | None
    own: tuple[tuple[int, int] | None, ...]  # of each reservation its group: CPUs, kind of partition
    tasks: tuple[Task, ...]
    base: Baseline | None
    layers: tuple[Layer | None, ...]
    begun: int = 0  # reservations
    wanted: tuple[int, ...] = ()  # what somebody else has asked for last, of each key; for the invariants
    acts: int = 0  # left to others


_T = TypeVar("_T")


def _put(items: tuple[_T, ...], at: int, item: _T) -> tuple[_T, ...]:
    return (*items[:at], item, *items[at + 1 :])


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


@cache
def _values(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*_names(kind))


def replace(item: _T, **changes: Any) -> _T:
    """As that of dataclasses, five times as fast."""
    kind: Any = type(item)
    made: _T = kind(**(dict(zip(_names(kind), _values(kind)(item), strict=True)) | changes))
    return made


def _cpus(layers: Iterable[int]) -> int:
    return sum(1 << (at + 1) for at in layers)


def first_state(ground: Ground, acts: int) -> State:
    everything = ground.all
    listed = 0b110 if ground.v1 or ground.on else 0
    tasks = [
        Task(0, everything, ""),
        Task(0b10, 0b10, "listed"),
        Task(0b111, 0b111, ""),
        Task(0, 0, ""),
        *(Task(0, everything, "open") for _ in range(ground.reservations)),
    ]
    sets = (everything, 0b110, everything, everything if ground.v1 else 0, listed)
    none = (None,) * ground.reservations
    keys = CONTROLLER + 1 + len(tasks)
    return State(sets, ground.on, None, none, tuple(tasks), None, none, 0, (0,) * keys, acts)


class Machine:
    """What the kernel does with a write: each takes a state and answers the next."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground

    def is_partition(self, s: State, layer: int) -> bool:
        """The kernel says so: the group has asked for it, and no other lists its CPUs."""
        group = s.own[layer]
        if group is None or group[1] == _MEMBER or not s.controller:
            return False
        others = [s.sets[OPEN], s.sets[LISTED], s.rest or 0]
        others += [own[0] for at, own in enumerate(s.own) if own and at != layer]
        return not any(other & group[0] for other in others)

    def taken(self, s: State, isolated: bool = False) -> int:
        cpus = 0
        for at, own in enumerate(s.own):
            if own and own[1] != _MEMBER and self.is_partition(s, at):
                cpus |= own[0] if not isolated or own[1] == _ISOLATED else 0
        return cpus

    def granted(self, s: State, group: str) -> int:
        everything = self.ground.all
        if self.ground.v1:
            return everything if group == "" else self._list(s, group) or everything
        if not s.controller:
            return everything
        root = everything & ~self.taken(s)
        if group == "":
            return root
        if group.isdigit() and self.is_partition(s, int(group)):
            return self._list(s, group)
        return self._list(s, group) & root or root

    def _list(self, s: State, group: str) -> int:
        if group.isdigit():
            own = s.own[int(group)]
            return own[0] if own else 0
        return {"open": s.sets[OPEN], "listed": s.sets[LISTED], "rest": s.rest or 0}[group]

    def _after(self, old: State, new: State, attached: Callable[[Task], bool] | None = None) -> State:
        """Tasks whose cpuset has changed, or that have come into another."""
        tasks, wanted = list(new.tasks), list(new.wanted)
        for at, task in enumerate(tasks):
            if task.mask == 0 or at == THREAD:
                continue
            may = self.granted(new, task.group)
            same = may == self.granted(old, old.tasks[at].group)
            if same and task.group == old.tasks[at].group and not (attached and attached(task)):
                continue
            if self.ground.forgets:
                tasks[at] = replace(task, asked=0, mask=may)
                if wanted[CONTROLLER + 1 + at] or (at == KID and task.parent == PINNED):
                    wanted[CONTROLLER + 1 + at] = ANY
            else:
                tasks[at] = replace(task, mask=task.asked & may or may)
        older = self.ground.forgets
        if not self.ground.v1 and self.taken(old, not older) != self.taken(new, not older):
            free = self.ground.all & ~self.taken(new, not older)
            tasks[THREAD] = replace(tasks[THREAD], asked=0, mask=free)
        return replace(new, tasks=tuple(tasks), wanted=tuple(wanted))

    def allow(self, s: State, at: int, cpus: int) -> State:
        task = s.tasks[at]
        mask = cpus & self.granted(s, task.group)
        if mask == 0 or task.mask == 0:
            raise Refused
        return replace(s, tasks=_put(s.tasks, at, replace(task, asked=cpus, mask=mask)))

    def write_set(self, s: State, key: int, cpus: int) -> State:
        new = replace(s, sets=_put(s.sets, key, cpus))
        if key not in (OPEN, LISTED):
            return new
        group = "open" if key == OPEN else "listed"
        if cpus == 0 and (self.ground.v1 or (self.ground.version < 700 and self._has(s, group))):
            raise Refused
        if (self.ground.v1 or self.ground.version < 607) and any(
            own and own[0] & cpus and (self.ground.v1 or self.is_partition(s, at))
            for at, own in enumerate(s.own)
        ):
            raise Refused  # what is exclusive is so
        return self._after(s, new)

    def _has(self, s: State, group: str) -> bool:
        return any(task.mask and task.group == group for task in s.tasks)

    def has_file(self, s: State, key: int) -> bool:
        return key not in (OPEN, LISTED) or self.ground.v1 or s.controller

    def switch(self, s: State, on: bool) -> State:
        """The lists go with the controller."""
        sets = s.sets if on else (*s.sets[:OPEN], 0, 0)
        new = replace(s, controller=on, sets=sets)
        if on:  # a list that the group had set before cannot be: it comes without one
            new = replace(new, sets=(*s.sets[:OPEN], 0, 0))
        return self._after(s, new, lambda task: task.group != "")

    def write_own(self, s: State, layer: int, cpus: int, kind: int) -> State:
        return self._after(s, replace(s, own=_put(s.own, layer, (cpus, kind))))

    def remove_own(self, s: State, layer: int) -> State:
        if self._has(s, str(layer)):
            raise Refused
        return self._after(s, replace(s, own=_put(s.own, layer, None)))

    def write_rest(self, s: State, cpus: int | None) -> State:
        if cpus is None and self._has(s, "rest"):
            raise Refused
        return self._after(s, replace(s, rest=cpus))

    def move(self, s: State, at: int, group: str) -> State:
        if self.ground.v1 and group not in ("", "open", "listed") and self._list(s, group) == 0:
            raise Refused
        return self._after(s, replace(s, tasks=_put(s.tasks, at, replace(s.tasks[at], group=group))))


Steps = Generator[bool, None, None]


class Tool:
    """The algorithm. Every `yield` is behind a write.

    What it yields: whether others may act here, as nothing is read or written down that is yet to be done.
    """

    def __init__(self, ground: Ground, state: State, faults: frozenset[str] = frozenset()) -> None:
        self.g, self.s, self.faults = ground, state, faults
        self.machine = Machine(ground)
        self.failed = 0
        self.before = self.after = self.ended = self.narrowed = self.queues = 0
        self.cpusets = self.needs = False
        self.ends: set[int] = set()

    # baseline.c

    def known(self, key: int) -> Known | None:
        return self.s.base.known[key] if self.s.base else None

    def put(self, key: int, known: Known) -> Steps:
        base = self.s.base
        if base is None:
            return
        old = base.known[key]
        if old:
            if (old.base, old.written, old.how, old.layer) == (
                known.base,
                known.written,
                known.how,
                known.layer,
            ):
                return
            chain = old.base == known.base and "only the last line counts" not in self.faults
            older = (old.older | {old.written}) - {known.written} if chain else frozenset[int]()
            known = Known(known.base, known.written, known.how, known.layer, older)
        self.s = replace(self.s, base=replace(base, known=_put(base.known, key, known)))
        yield False

    def now(self, key: int) -> int:
        now = self.s.sets[key]
        if (
            key == QUEUES
            and "work queues read without isolated CPUs" in self.faults
            and self.g.version >= 609
        ):
            return now & ~self.machine.taken(self.s, isolated=True)
        return now

    def take(self) -> Steps:
        s = self.s
        if s.base is not None:
            return
        known: list[Known | None] = [None] * (CONTROLLER + 1 + len(s.tasks))
        for key in range(_SETS):
            if self.machine.has_file(s, key):
                known[key] = Known(self.now(key), self.now(key))
        known[CONTROLLER] = Known(int(s.controller), int(s.controller))
        for at, task in enumerate(s.tasks):
            if task.mask and self.g.all & ~task.mask:
                known[CONTROLLER + 1 + at] = Known(task.mask, task.mask)
        tasks = tuple(replace(task, young=False) for task in s.tasks)
        self.s = replace(s, base=Baseline(0, tuple(known)), tasks=tasks)
        yield True

    def hold(self, cpus: int) -> Steps:
        base = self.s.base
        if base and base.held != cpus:
            self.s = replace(self.s, base=replace(base, held=cpus))
            yield True

    def alike(self, held: int, one: int, other: int) -> bool:
        return one & ~held == other & ~held

    def wish(self, at: int, held: int) -> int:
        task, known = self.s.tasks[at], self.known(CONTROLLER + 1 + at)
        if known:
            return known.base
        above = self.known(CONTROLLER + 1 + task.parent) if task.young else None
        first = "a child with the rest is taken for free" not in self.faults
        if above and first and above.wrote(task.mask, self.g.all):
            return above.base
        if self.alike(held, task.mask, self.g.all):
            free = not first or "a child with the kernel's rest is taken for free" in self.faults
            return above.base if above and above.base & ~held == 0 and not free else self.g.all
        same = above and (task.mask == above.written or self.alike(held, task.mask, above.base))
        return above.base if above and same else task.mask

    @property
    def held(self) -> int:
        return self.s.base.held if self.s.base else 0

    # change.c

    def change_set(self, key: int, cpus: int) -> Steps:
        old = self.now(key)
        if old == cpus:
            return
        known = self.known(key) or Known(old, old)
        first = known.how == "was"
        theirs = old != known.written and not self.alike(
            self.held, old or self.g.all, known.base or self.g.all
        )
        if theirs:
            new = Known(old, cpus, "ours" if first else "theirs")
        else:
            new = Known(known.base, cpus, "theirs" if known.how == "theirs" else "ours")
        try:
            yield from self.both(key, new, lambda: self.machine.write_set(self.s, key, cpus))
        except Refused:
            if first:
                yield from self.put(key, Known(old, old))
            raise

    def both(self, key: int, known: Known, deed: Callable[[], State]) -> Steps:
        """Written down, then done."""
        if "record written after the write" in self.faults:
            self.s = deed()
            yield False
            yield from self.put(key, known)
            return
        yield from self.put(key, known)
        self.s = deed()
        yield True

    def note_task(self, at: int, new: int) -> Known:
        task, held = self.s.tasks[at], self.held
        wish, known = self.wish(at, held), self.known(CONTROLLER + 1 + at)
        if known is None:  # what it has of its parent is ours, too
            has = wish not in (task.mask, self.g.all) and "what a child had is lost" not in self.faults
            return Known(wish, new, "ours", older=frozenset({task.mask} if has else ()))
        if known.how == "program":
            return Known(wish, new, "program", known.layer)
        same = self.alike(held, task.mask, wish) or known.wrote(task.mask, self.g.all)
        same |= wish & ~held == 0 and self.alike(held, task.mask, self.g.all)
        forgot = at == THREAD or self.g.forgets
        if "what the kernel forgot is taken for a wish" in self.faults:
            same |= known.how == "was" and forgot
        else:
            may = self.machine.granted(self.s, task.group)
            same |= forgot and (known.how == "was" or self.alike(held, task.mask, may))
        if same:
            return Known(wish, new, "theirs" if known.how == "theirs" else "ours")
        return Known(task.mask, new, "ours" if known.how == "was" else "theirs")

    def change_task(self, at: int, cpus: int, via: int = 0) -> Steps:
        if self.s.tasks[at].mask == cpus:
            return
        known = self.note_task(at, cpus)
        if via:
            yield from self.put(CONTROLLER + 1 + at, known)
            self.s = self.machine.allow(self.s, at, via)
            yield False
        yield from self.both(CONTROLLER + 1 + at, known, lambda: self.machine.allow(self.s, at, cpus))

    def change_program(self, at: int, use: int | None, layer: int) -> Steps:
        if "program not written down" in self.faults:
            return
        known = self.known(CONTROLLER + 1 + at)
        written = use if use is not None else known.written if known else self.s.tasks[at].mask
        yield from self.put(CONTROLLER + 1 + at, Known(self.wish(at, self.held), written, "program", layer))

    # mechanisms.c

    def programs(self) -> dict[int, int]:
        """Task and layer."""
        return {KID + 1 + at: at for at, layer in enumerate(self.s.layers) if layer}

    def thread_away(self, cpus: int, before: int) -> Steps:
        if not before & cpus:
            return
        now = self.s.tasks[THREAD].mask
        if now & cpus and now & ~cpus:
            yield from self.change_task(THREAD, now & ~cpus)

    def pins_again(self) -> Steps:
        for at, task in enumerate(self.s.tasks):
            known = self.known(CONTROLLER + 1 + at)
            forgot = (
                self.g.forgets if at != THREAD else "a kernel thread is not told again" not in self.faults
            )
            if not forgot or known is None or not task.mask:
                continue
            left = known.base & ~self.held
            if known.how == "program":
                left = 0 if "a program's pin is forgotten" in self.faults else known.written
                if not self.s.layers[known.layer]:
                    continue
            elif at != THREAD and not self.is_freed(at):
                continue  # told since
            if left and self.s.tasks[at].mask != left:
                yield from self.try_allow(at, left)

    def is_freed(self, at: int) -> bool:
        """It has what its group has, as after the kernel forgot its wish."""
        if "a wish after the kernel forgot is forgotten" in self.faults:
            return True
        task = self.s.tasks[at]
        return task.mask == self.machine.granted(self.s, task.group)

    def try_allow(self, at: int, cpus: int) -> Steps:
        try:
            self.s = self.machine.allow(self.s, at, cpus)
        except Refused:
            return
        yield True

    def queues_away(self, cpus: int) -> Steps:
        left = self.now(QUEUES) & ~cpus
        if left:
            yield from self.change_set(QUEUES, left)

    def switch_on(self) -> Steps:
        if self.s.controller:
            return
        known = self.known(CONTROLLER)
        yield from self.put(CONTROLLER, Known(known.base if known else 0, 1, "ours"))
        self.s = self.machine.switch(self.s, True)
        yield True

    def group_rest(self, layer: int) -> int:
        """What groups may have: CPUs held by affinity, too, as the program of those is in one of them."""
        if "groups lose what affinity holds" in self.faults:
            return self.g.all & ~self.held
        others = (
            at for at, one in enumerate(self.s.layers) if one and at != layer and one.mechanism != "affinity"
        )
        return self.g.all & ~_cpus(others) & ~(1 << (layer + 1))

    def narrow(self, cpus: int, rest: int, everyone: bool) -> Steps:
        for key in (OPEN, LISTED):
            now = self.s.sets[key]
            if now == 0 and not everyone:
                continue
            left = now & ~cpus or rest
            if left != now:
                yield from self.change_set(key, left)

    def enter_group(self, layer: int) -> Steps:
        at, cpus = KID + 1 + layer, 1 << (layer + 1)
        known = self.known(CONTROLLER + 1 + at)
        if (known and known.how != "was") or self.g.forgets:
            yield from self.change_program(at, None, layer)
        old = self.s.tasks[at].group
        self.note_layer(layer, came_from=old)
        yield False
        self.s = self.machine.move(self.s, at, str(layer))
        yield True
        if self.s.tasks[at].mask != cpus:
            yield from self.change_program(at, cpus, layer)
            self.s = self.machine.allow(self.s, at, cpus)
            yield True

    def note_layer(self, layer: int, mechanism: str = "", came_from: str | None = None, via: int = 0) -> None:
        is_now = self.s.layers[layer] or Layer()
        new = replace(
            is_now,
            mechanism=mechanism or is_now.mechanism,
            came_from=is_now.came_from if came_from is None else came_from,
            via=via or is_now.via,
        )
        self.s = replace(self.s, layers=_put(self.s.layers, layer, new))

    # partition.c, cpuset.c, affinity.c

    def partition(self, layer: int, kind: int, rest: int) -> Steps:
        cpus = 1 << (layer + 1)
        rest = self.group_rest(layer)
        before = self.s.tasks[THREAD].mask
        if kind == _ROOT:
            yield from self.thread_away(cpus, before)
        yield from self.switch_on()
        yield from self.narrow(cpus, rest, everyone=False)
        for cpus_now, kind_now in ((0, _MEMBER), (cpus, _MEMBER), (cpus, kind)):
            self.s = self.machine.write_own(self.s, layer, cpus_now, kind_now)
            yield True
        if not self.machine.is_partition(self.s, layer):
            raise Refused
        yield from self.pins_again()
        if kind == _ISOLATED:
            yield from self.thread_away(cpus, before)
        if kind != _ISOLATED or self.g.version < 609:
            yield from self.queues_away(cpus)
        yield from self.enter_group(layer)

    def cpuset(self, layer: int, rest: int) -> Steps:
        cpus = 1 << (layer + 1)
        rest = self.group_rest(layer)
        if not self.g.v1 and self.g.version < 700 and self.s.controller:
            raise Refused
        yield from self.thread_away(cpus, self.s.tasks[THREAD].mask)
        if self.s.rest is None or self.g.v1:
            self.s = self.machine.write_rest(self.s, rest if self.g.v1 else 0)
            yield True
        yield from self.empty_root(later=False)
        if not self.g.v1:
            yield from self.switch_on()
            self.s = self.machine.write_rest(self.s, rest)
            yield True
        yield from self.narrow(cpus, rest, everyone=True)
        self.s = self.machine.write_own(self.s, layer, cpus, _MEMBER)
        yield True
        yield from self.pins_again()
        yield from self.queues_away(cpus)
        yield from self.enter_group(layer)

    def empty_root(self, later: bool) -> Steps:
        for at, task in enumerate(self.s.tasks):
            if at == THREAD or not task.mask or self.s.tasks[at].group != "":
                continue
            if later and self.g.forgets and self.known(CONTROLLER + 1 + at) is None:
                wish = self.wish(at, self.held)
                if wish != self.g.all:
                    yield from self.put(CONTROLLER + 1 + at, Known(wish, wish))
            self.s = self.machine.move(self.s, at, "rest")
            yield True
            if later:
                yield from self.pins_again()

    def affinity(self, layer: int, rest: int) -> Steps:
        self.note_layer(layer, via=1)
        yield True
        yield from self.tell_all(layer, rest)
        yield from self.queues_away(1 << (layer + 1))
        at, cpus = KID + 1 + layer, 1 << (layer + 1)
        yield from self.change_program(at, cpus, layer)
        yield from self.change_task(at, cpus)

    def tell_all(self, layer: int, rest: int) -> Steps:
        cpus = 1 << (layer + 1)
        for at in range(len(self.s.tasks)):
            task = self.s.tasks[at]
            if not task.mask & cpus or at == KID + 1 + layer:
                continue
            left = task.mask & ~cpus
            if left == 0:
                left = rest & self.machine.granted(self.s, task.group)
            if left == 0 or (at == THREAD and not task.mask & ~cpus):
                continue
            try:
                yield from self.change_task(at, left, via=left & 1)
            except Refused:
                continue

    def irqs(self, layer: int, rest: int) -> Steps:
        cpus = 1 << (layer + 1)
        for key in (DEFAULT, IRQ):
            now = self.s.sets[key]
            left = now & ~cpus
            if now & cpus and (left or key == IRQ):
                yield from self.change_set(key, left or rest)

    # run.c

    def begin(self, layer: int, mechanism: str) -> Steps:
        yield from self.settle(frozenset())
        if self.failed:
            return
        if "base read while a layer lives" in self.faults and self.s.base:
            self.s = replace(self.s, base=None)
        yield from self.take()
        self.s = replace(self.s, layers=_put(self.s.layers, layer, Layer()), begun=self.s.begun | 1 << layer)
        yield True
        cpus = 1 << (layer + 1)
        yield from self.hold(self.held | cpus)
        rest = self.g.all & ~self.held
        self.note_layer(layer, mechanism=mechanism)
        yield True
        try:
            if mechanism in ("isolated", "root"):
                yield from self.partition(layer, _ISOLATED if mechanism == "isolated" else _ROOT, rest)
            elif mechanism == "affinity":
                yield from self.affinity(layer, rest)
            else:
                yield from self.cpuset(layer, rest)
        except Refused:
            yield from self.settle(frozenset({layer}))
            return
        yield from self.irqs(layer, rest)

    def end(self, layer: int) -> Steps:
        yield from self.settle(frozenset({layer}))

    def sweep(self, layer: int) -> Steps:
        one = self.s.layers[layer]
        rest = self.g.all & ~self.held
        if one is None or self.s.base is None:
            return
        try:
            if one.mechanism in ("cpuset", "cpuset-v1"):
                yield from self.narrow(1 << (layer + 1), self.group_rest(layer), everyone=True)
                yield from self.empty_root(later=True)
            elif one.mechanism == "affinity":
                yield from self.tell_all(layer, rest)
        except Refused:
            return

    # settle.c

    def settle(self, ending: frozenset[int], look: bool = False) -> Steps:
        s = self.s
        there = {at: layer for at, layer in enumerate(s.layers) if layer}
        dead_live = "dead layers count as living" in self.faults
        ends = {at for at, layer in there.items() if at in ending or not (layer.alive or dead_live)}
        if not ends and not (not there and s.base) and not look:
            return
        stay = {at: layer for at, layer in there.items() if at not in ends}
        before, after = _cpus(there), _cpus(stay)
        self.before, self.after, self.ended = before | self.held, after, _cpus(ends) & ~after
        self.ends = ends
        self.narrowed = _cpus(at for at, layer in stay.items() if layer.mechanism not in ("affinity", ""))
        self.queues = _cpus(
            at for at, layer in stay.items() if layer.mechanism != "isolated" or self.g.version < 609
        )
        self.cpusets = any(layer.mechanism in ("cpuset", "cpuset-v1") for layer in stay.values())
        self.needs = any(layer.mechanism in ("isolated", "root", "cpuset") for layer in stay.values())
        if "layers forgotten before the writes" in self.faults:
            yield from self.forget(ends, bool(stay), base=False)
        if "baseline removed first" in self.faults and not stay:
            base, self.s = self.s.base, replace(self.s, base=None)
            yield True
            self.s = replace(self.s, base=base)
        for at in sorted(ends):
            yield from self.end_layer(at)
        for key in (LISTED, OPEN):
            yield from self.settle_set(key)
        yield from self.settle_controller()
        yield from self.settle_rest()
        for key in (DEFAULT, IRQ, QUEUES):
            yield from self.settle_set(key)
        yield from self.newborn(1)
        for at in range(len(self.s.tasks)):
            yield from self.settle_task(at)
        yield from self.newborn(10)
        if not self.failed and not look:
            yield from self.forget(ends, bool(stay))

    def forget(self, ends: set[int], any_left: bool, base: bool = True) -> Steps:
        last = "what is held is told last" in self.faults
        if base and any_left and not last:
            yield from self.hold(self.after)
        for at in sorted(ends):
            if self.s.layers[at]:
                self.s = replace(self.s, layers=_put(self.s.layers, at, None))
                yield True
        if not base:
            return
        if any_left:
            yield from self.hold(self.after)
        elif self.s.base:
            self.s = replace(self.s, base=None)
            yield True

    def end_layer(self, at: int) -> Steps:
        own, layer = self.s.own[at], self.s.layers[at]
        if own and own[1] != _MEMBER:
            self.s = self.machine.write_own(self.s, at, own[0], _MEMBER)
            yield True
        for task in range(len(self.s.tasks)):
            if self.s.tasks[task].mask and self.s.tasks[task].group == str(at):
                self.s = self.machine.move(self.s, task, (layer.came_from if layer else None) or "")
                yield True
        if self.s.own[at]:
            self.s = self.machine.remove_own(self.s, at)
            yield True

    def target(self, key: int, known: Known, base: int) -> int:
        rest = self.g.all & ~self.after
        if key in (OPEN, LISTED):
            groups = self.g.all & ~(
                self.after if "groups lose what affinity holds" in self.faults else self.narrowed
            )
            if known.base == 0:
                return groups if self.cpusets else base
            return base & ~self.narrowed or groups
        if key == QUEUES:
            return base & ~self.queues or base
        left = base & ~self.after
        return left or (rest if key == IRQ else base)

    def is_rest(self, base: int, now: int, may: int) -> bool:
        return self.alike(self.before, base, 0) and self.alike(self.before, now, may)

    def is_our_set(self, raw: int, known: Known) -> bool:
        everything = self.g.all
        now, base, written = raw or everything, known.base or everything, known.written or everything
        return (
            known.wrote(raw, everything)
            or now == written
            or self.alike(self.before, now, base)
            or self.is_rest(base, now, everything)
        )

    def settle_set(self, key: int) -> Steps:
        known = self.known(key)
        if known is None or known.how == "was" or not self.machine.has_file(self.s, key):
            return
        everything = self.g.all
        raw = self.now(key)
        base = known.base or everything
        to = self.target(key, known, base)
        if raw == 0 if known.base == 0 and to == base else raw == to:
            return
        if not self.is_our_set(raw, known) and "what others changed is overwritten" not in self.faults:
            yield from self.put(key, Known(raw, raw, "theirs"))
            return
        text = known.base if to == base else to
        yield from self.put(key, Known(known.base, text, "theirs" if known.how == "theirs" else "ours"))
        try:
            self.s = self.machine.write_set(self.s, key, text)
        except Refused:
            open_now = everything & ~self.narrowed
            try:
                self.s = self.machine.write_set(self.s, key, text or open_now)
            except Refused:
                self.failed += 1
                return
        yield True

    def settle_controller(self) -> Steps:
        known = self.known(CONTROLLER)
        if known is None or known.how == "was" or known.base or not self.s.controller or self.needs:
            return
        for key in (OPEN, LISTED):
            one, now = self.known(key), self.s.sets[key]
            looks = "a list that is set late goes with the controller" not in self.faults
            ours = one and one.base == 0 and (not looks or self.is_our_set(now, one))
            if now and not ours:
                return  # somebody uses it by now
        self.s = self.machine.switch(self.s, False)
        yield True

    def settle_rest(self) -> Steps:
        if self.s.rest is None:
            return
        if self.cpusets:
            left = self.g.all & ~(
                self.after if "groups lose what affinity holds" in self.faults else self.narrowed
            )
            if self.s.rest != left and (self.s.controller or self.g.v1):
                self.s = self.machine.write_rest(self.s, left)
                yield True
            return
        for at, task in enumerate(self.s.tasks):
            if task.mask and self.s.tasks[at].group == "rest":
                self.s = self.machine.move(self.s, at, "")
                yield True
        self.s = self.machine.write_rest(self.s, None)
        yield True

    def on_the_way(self, at: int, known: Known) -> bool:
        now, base = self.s.tasks[at].mask, known.base
        forgot = at == THREAD or self.g.forgets
        if "one that the kernel freed was not on its way" in self.faults:
            forgot = False
        meant = now & ~base == 0 or base & ~self.before == 0
        meant |= forgot and any(now & ~written == 0 for written in (known.written, *known.older))
        return meant and any(
            layer and one in self.ends and layer.via and now & ~layer.via == 0
            for one, layer in enumerate(self.s.layers)
        )

    def is_ours(self, at: int, known: Known) -> bool:
        task, base, held, everything = self.s.tasks[at], known.base, self.before, self.g.all
        now = task.mask
        if self.alike(held, now, base) or self.on_the_way(at, known):
            return True
        if known.how == "program":
            its = 1 << (known.layer + 1) if self.s.layers[known.layer] else self.ended
            if now & ~its == 0:
                return True
        forgot = at == THREAD or self.g.forgets
        if forgot and self.alike(held, now, everything):
            return True
        may = self.machine.granted(self.s, task.group)
        if self.is_rest(base, now, everything) or self.is_rest(base, now, may):
            return True
        if known.wrote(now, may) or self.alike(held, now, base & may):
            return True
        return self.g.forgets and self.alike(held, now, may)

    def settle_task(self, at: int) -> Steps:
        known, task = self.known(CONTROLLER + 1 + at), self.s.tasks[at]
        if known is None or not task.mask or (known.how == "was" and at != THREAD and not self.g.forgets):
            return
        if known.how == "program" and self.s.layers[known.layer] and known.layer not in self.ends:
            if (
                self.g.forgets
                and "a program's pin is forgotten" not in self.faults
                and task.mask != (known.written & self.machine.granted(self.s, task.group))
            ):
                yield from self.try_allow(at, known.written)
            return
        to, may = known.base & ~self.after, self.machine.granted(self.s, task.group)
        if to == 0:
            to = self.g.all & ~self.after & may
            if at == THREAD or to == 0:
                return
        if to == task.mask:
            return
        if not self.is_ours(at, known) and "what others changed is overwritten" not in self.faults:
            yield from self.put(CONTROLLER + 1 + at, Known(task.mask, task.mask, "theirs"))
            return
        if to & ~task.mask == 0 and to & may == task.mask:
            return
        key, how = CONTROLLER + 1 + at, "ours" if known.how == "was" else known.how
        yield from self.put(key, replace(known, written=to, how=how))
        try:
            self.s = self.machine.allow(self.s, at, to)
        except Refused:
            # its group has none of them any more
            self.failed += bool(to & may) or "a cpuset without a task's CPUs is a failure" in self.faults
            return
        yield True
        if how == "program":
            yield from self.put(key, Known(known.base, to, "ours"))

    def newborn_wish(self) -> int:
        """Made while its parent was on its way it has what that had."""
        task = self.s.tasks[KID]
        above = self.known(CONTROLLER + 1 + task.parent)
        vias = [one.via for at, one in enumerate(self.s.layers) if one and at in self.ends and one.via]
        if above and task.mask in vias and "one made on its parent's way stays there" not in self.faults:
            return above.base
        return self.wish(KID, self.before)

    def newborn(self, rounds: int) -> Steps:
        base = self.s.base
        if base is None or "newborn tasks are left out" in self.faults:
            return
        if not any(known and known.how != "was" for known in base.known[CONTROLLER + 1 :]):
            return
        task = self.s.tasks[KID]
        should = self.g.all & ~self.after
        for _ in range(rounds):
            if not task.young or not task.mask or self.known(CONTROLLER + 1 + KID):
                return
            if not should & ~task.mask and not self.g.forgets:
                return
            if task.mask & ~self.after == 0:
                return
            to = self.newborn_wish() & ~self.after
            if to == 0 and "one made on its way to held CPUs stays there" not in self.faults:
                to = should & self.machine.granted(self.s, task.group)
            if to in (0, task.mask) or (not should & ~task.mask and not should & ~to):
                return
            yield from self.try_allow(KID, to)
            if self.s.tasks[KID] == task:
                return
            task = self.s.tasks[KID]


# What others do


def _acts(machine: Machine, s: State) -> Iterator[tuple[str, State]]:
    if s.acts == 0:
        return
    foreign = machine.ground.foreign
    less = replace(s, acts=s.acts - 1)
    for key, name in ((DEFAULT, "default mask"), (IRQ, "interrupt"), (LISTED, "list of a group")):
        if s.sets[key] not in (0, foreign) and machine.has_file(s, key):
            try:
                changed = machine.write_set(less, key, foreign)
            except Refused:
                continue
            yield f"somebody sets the {name}", replace(changed, wanted=_put(s.wanted, key, foreign))
    changed = machine.allow(less, FULL, foreign)
    wanted = _put(s.wanted, CONTROLLER + 1 + FULL, foreign)
    yield "a task asks for a CPU", replace(changed, wanted=wanted)
    if s.tasks[KID].mask == 0:
        for parent in (FULL, PINNED):
            above = s.tasks[parent]
            kid = replace(above, young=s.base is not None, parent=parent)
            # The kernel has forgotten the pin, and the tool has not told the parent again yet.
            forgotten = machine.ground.forgets and parent == PINNED and above.asked == 0
            its = ANY if forgotten else s.wanted[CONTROLLER + 1 + parent]
            wanted = _put(s.wanted, CONTROLLER + 1 + KID, its)
            yield f"task {parent} makes one", replace(less, tasks=_put(s.tasks, KID, kid), wanted=wanted)


# What has to hold


class Judge:
    def __init__(self, ground: Ground, faults: frozenset[str]) -> None:
        self.ground, self.faults = ground, faults
        self.machine = Machine(ground)
        self.first = first_state(ground, 0)

    def base(self, s: State, key: int) -> int:
        if s.wanted[key]:
            return s.wanted[key]
        if key <= _SETS:
            return self.first.sets[key]
        at = key - CONTROLLER - 1
        if at == KID:
            at = s.tasks[KID].parent
        return self.first.tasks[at].mask

    def check(self, s: State) -> None:
        """Of a state in which nobody has the lock: nothing where something is pending."""
        living = {at: layer.mechanism for at, layer in enumerate(s.layers) if layer and layer.alive}
        if any(layer and not layer.alive for layer in s.layers) or (s.base and not living):
            return
        s = self._swept(s, living)
        everything, held = self.ground.all, _cpus(living)
        rest = everything & ~held
        cpusets = any(one in ("cpuset", "cpuset-v1") for one in living.values())
        narrowed = _cpus(at for at, one in living.items() if one != "affinity")
        rest_of_groups = everything & ~narrowed
        queues = _cpus(at for at, one in living.items() if one != "isolated" or self.ground.version < 609)
        self._is("default mask", s.sets[DEFAULT], self.base(s, DEFAULT) & ~held)
        self._is("interrupt", s.sets[IRQ], self.base(s, IRQ) & ~held or rest)
        self._is("work queues", s.sets[QUEUES], self.base(s, QUEUES) & ~queues)
        on = self.ground.on or any(one in ("isolated", "root", "cpuset") for one in living.values())
        used = bool(s.wanted[LISTED])
        if not used:
            self._is("controller", s.controller, on)
        if self.machine.has_file(s, LISTED):
            self._is("list of a group", s.sets[LISTED], self._listed(s, narrowed, rest_of_groups))
            self._open(s, rest_of_groups, narrowed, cpusets)
        for at, own in enumerate(s.own):
            self._is(f"group of {at}", own is not None, living.get(at, "affinity") != "affinity")
            if living.get(at) in ("isolated", "root"):
                self._is(f"partition of {at}", self.machine.is_partition(s, at), True)
        self._is("group of the rest", s.rest is not None, cpusets)
        for at, task in enumerate(s.tasks):
            if task.mask:
                self._task(s, at, living, held)
        if not living and s.base is None:
            self._is(
                "groups", [self._home(s, at) for at in range(len(s.tasks))], [task.group for task in s.tasks]
            )
        self._twice(s)

    def _swept(self, s: State, living: Iterable[int]) -> State:
        """A moment later: the tools that live have looked for who came."""
        tool = Tool(self.ground, s, self.faults)
        for _ in range(3):
            was = tool.s
            for at in living:
                for _ in tool.sweep(at):
                    pass
            if tool.s == was:
                return was
        raise Wrong("sweeping does not come to an end")

    def _is(self, what: str, now: object, should: object) -> None:
        if now != should:
            raise Wrong(f"{what} is {now}, and should be {should}")

    def _home(self, s: State, at: int) -> str:
        return self.first.tasks[s.tasks[KID].parent if at == KID and s.tasks[KID].mask else at].group

    def _listed(self, s: State, narrowed: int, rest: int) -> int:
        base = self.base(s, LISTED)
        return base & ~narrowed or rest if base else rest if self._cpusets(s) else 0

    def _cpusets(self, s: State) -> bool:
        return any(layer and layer.mechanism in ("cpuset", "cpuset-v1") for layer in s.layers)

    def _open(self, s: State, rest: int, narrowed: int, cpusets: bool) -> None:
        base = self.first.sets[OPEN]
        if base:
            self._is("another group", s.sets[OPEN], base & ~narrowed)
        elif cpusets:
            self._is("another group", s.sets[OPEN], rest)
        elif s.sets[OPEN] != self.ground.all & ~narrowed or self.ground.version >= 700:
            self._is("another group", s.sets[OPEN], 0)  # before 7.0 it cannot be empty again

    def _task(self, s: State, at: int, living: dict[int, str], held: int) -> None:
        task, may = s.tasks[at], self.machine.granted(s, s.tasks[at].group)
        layer = at - KID - 1
        if layer in living:
            self._is(f"program of {layer}", task.mask, 1 << (layer + 1))
            return
        base = self.base(s, CONTROLLER + 1 + at)
        if base == ANY:
            return
        should = base & ~held or self.ground.all & ~held
        if at == THREAD:
            may = self.ground.all
        if should & may:
            self._is(f"task {at}", task.mask, should & may)
        else:  # its group has no other CPUs: it stays
            self._is(f"task {at} in its group", task.mask & ~may, 0)

    def _twice(self, s: State) -> None:
        tool = Tool(self.ground, s, self.faults)
        for _ in tool.settle(frozenset(), look=True):
            pass
        if tool.failed or replace(tool.s, base=s.base) != s:
            raise Wrong("settled again, it writes")


# All of it


@dataclass(frozen=True, slots=True)
class Explored:
    states: int
    runs: int  # of operations, each killed at every write


class Explorer:
    """Breadth first; a state that was seen is not looked at again.

    `midway`: others act between two writes, too;
    `sweeps`: a sweep may be killed, too (judged is what is there after one);
    `mechanisms`: of each reservation, instead of all.
    """

    def __init__(
        self,
        ground: Ground,
        acts: int = 0,
        midway: bool = False,
        sweeps: bool = False,
        faults: frozenset[str] = frozenset(),
        mechanisms: tuple[str, ...] = (),
    ) -> None:
        self.ground, self.midway, self.sweeps, self.faults = ground, midway, sweeps, faults
        self.mechanisms = mechanisms
        self.machine = Machine(ground)
        self.judge = Judge(ground, faults)
        self.seen: dict[State, tuple[State, str] | None] = {first_state(ground, acts): None}
        self.queue = deque(self.seen)
        self.runs = 0

    def explore(self) -> Explored:
        while self.queue:
            state = self.queue.popleft()
            try:
                self.judge.check(state)
                for name, dead, steps in self._operations(state):
                    self._run(state, name, dead, steps)
            except Wrong as wrong:
                raise Wrong(f"{wrong}\n{self._trace(state)}") from None
            for name, changed in _acts(self.machine, state):
                self._found(state, name, changed)
        return Explored(len(self.seen), self.runs)

    def _operations(self, s: State) -> Iterator[tuple[str, int | None, Callable[[Tool], Steps]]]:
        for at, layer in enumerate(s.layers):
            if layer and layer.alive:
                yield f"{at} ends", at, partial(Tool.end, layer=at)
                if self.sweeps:
                    yield f"{at} sweeps", at, partial(Tool.sweep, layer=at)
        if any(layer and not layer.alive for layer in s.layers) or (s.base and not any(s.layers)):
            yield "restore", None, partial(Tool.settle, ending=frozenset())
        at = s.begun.bit_length()
        if at < self.ground.reservations:
            for mechanism in (self.mechanisms[at],) if self.mechanisms else self.ground.mechanisms:
                yield f"{at} begins by {mechanism}", at, partial(Tool.begin, layer=at, mechanism=mechanism)

    def _run(self, start: State, name: str, dead: int | None, steps: Callable[[Tool], Steps]) -> None:
        """The operation, killed at every write, and once to its end; others act at each moment they may."""
        tool = Tool(self.ground, start, self.faults)
        self.runs += 1
        self._found(start, f"{name}, killed before its first write", self._killed(start, dead))
        moments: list[tuple[int, State]] = []
        for number, safe in enumerate(steps(tool), 1):
            self._found(start, f"{name}, killed behind write {number}", self._killed(tool.s, dead))
            if safe and self.midway and tool.s.acts:
                moments.append((number, tool.s))
        self._completed(name, tool)
        self._found(start, name, tool.s)
        for number, state in moments:
            for act, changed in _acts(self.machine, state):
                self._run_from(start, number, changed, f"{name}, behind write {number} {act}", dead, steps)

    def _run_from(
        self,
        start: State,
        number: int,
        changed: State,
        name: str,
        dead: int | None,
        steps: Callable[[Tool], Steps],
    ) -> None:
        tool = Tool(self.ground, start, self.faults)
        self.runs += 1
        for at, _ in enumerate(steps(tool), 1):
            if at == number:
                tool.s = changed
            if at >= number:
                self._found(start, f"{name}, killed behind write {at}", self._killed(tool.s, dead))
        self._completed(name, tool)
        self._found(start, name, tool.s)

    def _completed(self, name: str, tool: Tool) -> None:
        """Whoever ends, begins or restores ends all that is dead."""
        if tool.failed:
            raise Wrong(f"{name}: something cannot be taken back")
        layers = [layer for layer in tool.s.layers if layer]
        if "sweeps" not in name and (
            any(not layer.alive for layer in layers) or (tool.s.base is not None and not layers)
        ):
            raise Wrong(f"{name}: something is left that is dead")

    def _killed(self, s: State, dead: int | None) -> State:
        layer = s.layers[dead] if dead is not None else None
        if dead is None or layer is None:
            return s
        return replace(s, layers=_put(s.layers, dead, replace(layer, alive=False)))

    def _found(self, start: State, name: str, state: State) -> None:
        if state not in self.seen:
            self.seen[state] = (start, name)
            self.queue.append(state)

    def _trace(self, state: State) -> str:
        names: list[str] = []
        while (step := self.seen[state]) is not None:
            state, name = step
            names.append(name)
        return "\n".join(f"  {name}" for name in reversed(names))
