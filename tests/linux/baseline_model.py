# SPDX-License-Identifier: Apache-2.0
"""The baseline and its layers (decision 18) on a model of the kernel, all interleavings explored.

A small machine: CPUs 0 to N + 1, of which reservation I holds CPU I + 1, so that two are never held. It has
the values that `exclusive` writes (the default mask of interrupts, one interrupt, the mask of the workqueues,
a top-level group that may list CPUs, the controller) and tasks: one that may use all CPUs, a pinned one in
that group, a thread of the kernel, a program for each reservation, and one that is born meanwhile.

`Machine` is what the kernel does (before 6.2, before 6.9, since); `Tool` is linux/exclusive, function by
function, as generators that stop behind every write, and `reading` and `whose` are whose.c; `Explorer` runs
every operation from every state that can be reached, kills its tool at every write, and lets others change
one value, ask again for the CPUs they are shown, or make a task, at any moment.

Not in it: several threads in a process, children of a program, systemd's scopes, irqbalance, CPUs that go
offline, groups in groups. A set of CPUs is a mask.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache, partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

MECHANISMS = ("isolated", "root", "affinity")

DEFAULT, IRQ, QUEUES, LISTED, CONTROLLER = range(5)  # keys of the baseline; behind them the tasks
FULL, PINNED, THREAD, KID = range(4)  # tasks; behind them the programs
_MEMBER, _ROOT, _ISOLATED = range(3)
ANY = -1  # before 6.2 the kernel forgets what a task has asked for since, or its parent: nobody can know
FAULTS = (
    "base read while a layer lives",
    "dead layers count as living",
    "record written after the write",
    "the queues get isolated CPUs back",
    "program not written down",
    "what others changed is overwritten",
    "baseline removed first",
    "layers forgotten before the writes",
    "unrecorded tasks are left out",
    "one that asked again keeps less",
    "groups lose what affinity holds",
    "a cpuset without a task's CPUs is a failure",
    "a kernel thread is not told again",
    "only the last line counts",
    "a child with the rest is taken for free",
    "a program's pin is forgotten",
    "one made on its parent's way stays there",
    "what is held is told last",
    "a list that is set late goes with the controller",
    "a wish after the kernel forgot is forgotten",
    "one made on its way to held CPUs stays there",
    "a child with the kernel's rest is taken for free",
    *(f"nothing reads as {name}" for name in ("base", "rest", "freed", "sent", "program")),
)


class Refused(Exception):
    """The kernel says no."""


class Wrong(Exception):
    """An invariant does not hold."""


# whose.c

SORTS = ("file", "irq", "task", "thread")
RECORDS = ("was", "written", "program")
TABLE = {  # of each record: what to do with each reading
    "file": ("---....-", "ooo....t", "........"),
    "irq": ("----...-", "oooo...t", "........"),
    "task": ("ooooo-.-", "oooooo.t", "ooooooot"),
    "thread": ("ooooo-.-", "oooooo.t", "........"),
}


class World(NamedTuple):
    online: int
    held: int
    away: int
    forgets: bool


class Value(NamedTuple):
    sort: str
    record: str
    now: int
    base: int
    may: int
    written: tuple[int, ...] = ()  # the last first
    via: int = 0
    program: int = 0


def _alike(w: World, one: int, other: int) -> bool:
    return not (one ^ other) & ~(w.held | w.away)


def _is_base(w: World, v: Value) -> bool:
    if v.record == "was" and v.now & ~v.base:
        return False  # what was never written can only have lost some of its base
    return _alike(w, v.now, v.base) or _alike(w, v.now, v.base & v.may)


def _is_rest(w: World, v: Value) -> bool:
    return _alike(w, v.base, 0) and (_alike(w, v.now, w.online & v.may) or _alike(w, v.now, w.online))


def _is_stranded(w: World, v: Value) -> bool:
    had = v.written[0] if v.sort == "irq" and v.written else v.base
    if v.sort == "file":
        return False
    if v.record == "program" and v.written and not v.written[0] & ~w.away:
        return True  # its own CPUs went away: it is wherever the kernel has put it since
    if not (had & ~w.held or had & w.away):
        return False
    return not v.now or not (had & ~w.held | w.online & ~v.now) & ~(w.held | w.away)


def _is_freed(w: World, v: Value) -> bool:
    if v.sort in ("file", "irq"):
        return False
    everything = (w.forgets or v.sort == "thread") and _alike(w, v.now, w.online)
    return everything or (w.forgets and _alike(w, v.now, v.may))


def _is_sent(w: World, v: Value) -> bool:
    if not v.via or v.now & ~v.via:
        return False
    meant = (v.base, *(v.written if w.forgets or v.sort == "thread" else ()))
    return not v.base & ~w.held or any(not v.now & ~one for one in meant)


_FITS: dict[str, Callable[[World, Value], bool]] = {
    "written": lambda _, v: any(v.now == one & v.may for one in v.written),
    "base": _is_base,
    "rest": _is_rest,
    "stranded": _is_stranded,
    "freed": _is_freed,
    "sent": _is_sent,
    "program": lambda _, v: v.record == "program" and not v.now & ~v.program,
}
READINGS = (*_FITS, "other")


def reading(w: World, v: Value, without: frozenset[str] = frozenset()) -> str:
    return next((name for name, fits in _FITS.items() if name not in without and fits(w, v)), "other")


def whose(sort: str, record: str, read: str) -> str:
    """o: ours to set; t: theirs to keep; -: left alone; ".": cannot be."""
    return TABLE[sort][RECORDS.index(record)][READINGS.index(read)]


# The machine


@dataclass(frozen=True, slots=True)
class Ground:
    version: int = 703  # of the kernel: 601 is 6.1
    on: bool = False  # the controller, from the begin: only then a group can list CPUs
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


@dataclass(frozen=True, slots=True)
class Task:
    asked: int  # 0: for nothing
    mask: int  # 0: it is not there
    group: str  # "" (the root), "open", "listed", or a reservation's number
    young: bool = False  # born after the baseline was taken
    parent: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    base: int
    written: int
    how: str = "was"  # was, ours, theirs, program
    layer: int = -1
    older: frozenset[int] = frozenset()  # written before, or meant to be: in lines with the same base

    @property
    def writes(self) -> tuple[int, ...]:
        return (self.written, *self.older)


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
    sets: tuple[int, ...]  # default, irq, queues (as asked for), listed; 0: an empty list
    queues: int  # the mask of the workqueues in force
    controller: bool
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
    """A copy like that of dataclasses, five times as fast."""
    kind: Any = type(item)
    made: _T = kind(**(dict(zip(_names(kind), _values(kind)(item), strict=True)) | changes))
    return made


def _cpus(layers: Iterable[int]) -> int:
    return sum(1 << (at + 1) for at in layers)


def first_state(ground: Ground, acts: int) -> State:
    everything = ground.all
    listed = 0b110 if ground.on else 0
    tasks = [
        Task(0, everything, ""),
        Task(0b10, 0b10, "listed"),
        Task(0b111, 0b111, ""),
        Task(0, 0, ""),
        Task(0, listed or everything, "listed"),
        *(Task(0, everything, "open") for _ in range(1, ground.reservations)),
    ]
    none = (None,) * ground.reservations
    keys = CONTROLLER + 1 + len(tasks)
    sets = (everything, 0b110, everything, listed)
    return State(sets, everything, ground.on, none, tuple(tasks), None, none, 0, (0,) * keys, acts)


class Machine:
    """What the kernel does with a write: each takes a state and answers the next."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground

    def is_partition(self, s: State, layer: int) -> bool:
        """The kernel says so: the group has asked for it, and no other lists its CPUs."""
        group = s.own[layer]
        if group is None or group[1] == _MEMBER or not s.controller:
            return False
        others = [s.sets[LISTED], *(own[0] for at, own in enumerate(s.own) if own and at != layer)]
        return not any(other & group[0] for other in others)

    def taken(self, s: State, isolated: bool = False) -> int:
        cpus = 0
        for at, own in enumerate(s.own):
            if own and own[1] != _MEMBER and self.is_partition(s, at):
                cpus |= own[0] if not isolated or own[1] == _ISOLATED else 0
        return cpus

    def granted(self, s: State, group: str) -> int:
        if not s.controller:
            return self.ground.all
        root = self.ground.all & ~self.taken(s)
        if group.isdigit():
            own = s.own[int(group)]
            listed = own[0] if own else 0
            return listed if self.is_partition(s, int(group)) else listed & root or root
        return (s.sets[LISTED] if group == "listed" else 0) & root or root

    def _after(self, old: State, new: State, attached: Callable[[Task], bool] | None = None) -> State:
        """Tasks whose cpuset has changed, or that have come into another; the kernel's own work."""
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
        if self.taken(old, not older) != self.taken(new, not older):
            free = self.ground.all & ~self.taken(new, not older)
            tasks[THREAD] = replace(tasks[THREAD], asked=0, mask=free)
        queues, isolated = new.queues, self.taken(new, isolated=True)
        if self.ground.version >= 609 and self.taken(old, isolated=True) != isolated:
            queues = new.sets[QUEUES] & ~isolated
        return replace(new, queues=queues, tasks=tuple(tasks), wanted=tuple(wanted))

    def allow(self, s: State, at: int, cpus: int) -> State:
        task = s.tasks[at]
        mask = cpus & self.granted(s, task.group)
        if mask == 0 or task.mask == 0:
            raise Refused
        return replace(s, tasks=_put(s.tasks, at, replace(task, asked=cpus, mask=mask)))

    def write_set(self, s: State, key: int, cpus: int) -> State:
        new = replace(s, sets=_put(s.sets, key, cpus))
        if key == QUEUES:  # what is written is in force, isolated CPUs too, until partitions change
            return replace(new, queues=cpus)
        if key != LISTED:
            return new
        overlaps = any(own and own[0] & cpus and self.is_partition(s, at) for at, own in enumerate(s.own))
        if self.ground.version < 607 and overlaps:
            raise Refused  # what is exclusive is so
        return self._after(s, new)

    def has_file(self, s: State, key: int) -> bool:
        return key != LISTED or s.controller

    def switch(self, s: State, on: bool) -> State:
        """The list goes with the controller, and comes without CPUs."""
        new = replace(s, controller=on, sets=_put(s.sets, LISTED, 0))
        return self._after(s, new, lambda task: task.group != "")

    def write_own(self, s: State, layer: int, cpus: int, kind: int) -> State:
        return self._after(s, replace(s, own=_put(s.own, layer, (cpus, kind))))

    def remove_own(self, s: State, layer: int) -> State:
        if any(task.mask and task.group == str(layer) for task in s.tasks):
            raise Refused
        return self._after(s, replace(s, own=_put(s.own, layer, None)))

    def move(self, s: State, at: int, group: str) -> State:
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
        self.before = self.after = self.ended = self.narrowed = self.via = 0
        self.ends: set[int] = set()
        self.look = False
        prefix = "nothing reads as "
        self.without = frozenset(one.removeprefix(prefix) for one in faults if one.startswith(prefix))

    # baseline.c

    def known(self, key: int) -> Known | None:
        return self.s.base.known[key] if self.s.base else None

    def put(self, key: int, known: Known) -> Steps:
        base = self.s.base
        if base is None:
            return
        old = base.known[key]
        if old:
            if replace(old, older=known.older) == known:
                return
            chain = old.base == known.base and "only the last line counts" not in self.faults
            older = frozenset(old.writes) - {known.written} if chain else frozenset[int]()
            known = replace(known, older=older)
        self.s = replace(self.s, base=replace(base, known=_put(base.known, key, known)))
        yield False

    def take(self) -> Steps:
        s = self.s
        if s.base is not None:
            return
        known: list[Known | None] = [None] * (CONTROLLER + 1 + len(s.tasks))
        for key in range(CONTROLLER):
            if self.machine.has_file(s, key):
                known[key] = Known(s.sets[key], s.sets[key])
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

    @property
    def held(self) -> int:
        return self.s.base.held if self.s.base else 0

    def granted(self, at: int) -> int:
        return self.machine.granted(self.s, self.s.tasks[at].group)

    def reading(self, key: int, known: Known, base: int, held: int, **more: int) -> str:
        at, record = key - CONTROLLER - 1, known.how if known.how in RECORDS else "written"
        if at < 0:
            value = Value(
                "irq" if key == IRQ else "file", record, self.s.sets[key], base, self.g.all, known.writes
            )
        else:
            sort = "thread" if at == THREAD else "task"
            value = Value(sort, record, self.s.tasks[at].mask, base, self.granted(at), known.writes, **more)
        return reading(World(self.g.all, held, 0, self.g.forgets), value, self.without)

    def above(self, at: int) -> Known | None:
        """What is known of the parent of one that was born since."""
        task = self.s.tasks[at]
        return self.known(CONTROLLER + 1 + task.parent) if task.young else None

    def wish(self, at: int, held: int) -> int:
        now, known, above = self.s.tasks[at].mask, self.known(CONTROLLER + 1 + at), self.above(at)
        if known:
            return known.base
        everything = not (self.g.all ^ now) & ~held
        if above and "a child with the rest is taken for free" not in self.faults:
            if now in above.writes:
                return above.base
            kernels = "a child with the kernel's rest is taken for free" not in self.faults
            if everything and kernels and above.base & ~held == 0:
                return above.base
        if everything:
            return self.g.all
        return above.base if above and not (now ^ above.base) & ~held else now

    # change.c

    def change_set(self, key: int, cpus: int) -> Steps:
        old = self.s.sets[key]
        if old == cpus:
            return
        known = self.known(key) or Known(old, old)
        how = "theirs" if known.how == "theirs" else "ours"
        new = Known(known.base, cpus, how)
        if self.reading(key, known, known.base, self.held) == "other":
            new = Known(old, cpus, "ours" if known.how == "was" else "theirs")
        late = "record written after the write" in self.faults
        if not late:
            yield from self.put(key, new)
        try:
            self.s = self.machine.write_set(self.s, key, cpus)
        except Refused:
            if known.how == "was":
                yield from self.put(key, Known(old, old))
            raise
        yield not late
        if late:
            yield from self.put(key, new)

    def note_task(self, at: int, new: int) -> Steps:
        key, now, wish = CONTROLLER + 1 + at, self.s.tasks[at].mask, self.wish(at, self.held)
        known = self.known(key)
        if known is None:  # what it inherited is ours, too
            if wish not in (now, self.g.all):
                yield from self.put(key, Known(wish, now, "ours"))
            known = Known(wish, new, "ours")
        elif known.how == "program":
            known = Known(wish, new, "program", known.layer)
        elif self.reading(key, known, wish, self.held) != "other":
            known = Known(wish, new, "theirs" if known.how == "theirs" else "ours")
        else:
            known = Known(now, new, "ours" if known.how == "was" else "theirs")
        yield from self.put(key, known)

    def change_task(self, at: int, cpus: int, via: int = 0) -> Steps:
        known = self.known(CONTROLLER + 1 + at)
        if self.s.tasks[at].mask == cpus and not (known and known.how == "program"):
            return
        yield from self.note_task(at, cpus)
        if via:
            self.s = self.machine.allow(self.s, at, via)
            yield False
        self.s = self.machine.allow(self.s, at, cpus)
        yield True

    def change_program(self, at: int, use: int | None, layer: int) -> Steps:
        if "program not written down" in self.faults:
            return
        known = self.known(CONTROLLER + 1 + at)
        written = use if use is not None else known.written if known else self.s.tasks[at].mask
        yield from self.put(CONTROLLER + 1 + at, Known(self.wish(at, self.held), written, "program", layer))

    # mechanisms.c

    def queues_away(self, cpus: int) -> Steps:
        left = self.s.sets[QUEUES] & ~cpus
        if left:
            yield from self.change_set(QUEUES, left)

    def note_layer(self, layer: int, **changes: Any) -> None:
        is_now = self.s.layers[layer] or Layer()
        self.s = replace(self.s, layers=_put(self.s.layers, layer, replace(is_now, **changes)))

    def try_allow(self, at: int, cpus: int) -> Steps:
        try:
            self.s = self.machine.allow(self.s, at, cpus)
        except Refused:
            return
        yield True

    # partition.c

    def kernel_away(self, cpus: int, before: int) -> Steps:
        now = self.s.tasks[THREAD].mask
        if before & cpus and now & cpus and now & ~cpus:
            yield from self.change_task(THREAD, now & ~cpus)

    def pins_again(self) -> Steps:
        for at in range(len(self.s.tasks)):
            task, known = self.s.tasks[at], self.known(CONTROLLER + 1 + at)
            if known is None or not task.mask or not (at == THREAD or self.g.forgets):
                continue
            if at == THREAD and "a kernel thread is not told again" in self.faults:
                continue
            program = known.how == "program"
            if program and "a program's pin is forgotten" in self.faults:
                continue
            left = known.written if program else known.base & ~self.held
            if not left or task.mask == left or ((at == THREAD or program) and left & ~task.mask):
                continue
            since = "a wish after the kernel forgot is forgotten" not in self.faults
            if at != THREAD and not program and since and task.mask != self.granted(at):
                continue  # requested since
            yield from self.try_allow(at, left)

    def switch_on(self) -> Steps:
        if self.s.controller:
            return
        known = self.known(CONTROLLER)
        yield from self.put(CONTROLLER, Known(known.base if known else 0, 1, "ours"))
        self.s = self.machine.switch(self.s, True)
        yield True

    def narrow(self, layer: int) -> Steps:
        """A group's list: CPUs held by affinity stay, as the program of those is in some group."""
        now, cpus = self.s.sets[LISTED], 1 << (layer + 1)
        others = (at for at, one in enumerate(self.s.layers) if one and one.mechanism != "affinity")
        lists = self.g.all & ~_cpus(others) & ~cpus
        if "groups lose what affinity holds" in self.faults:
            cpus, lists = self.held, self.g.all & ~self.held
        if now:
            yield from self.change_set(LISTED, now & ~cpus or lists)

    def partition(self, layer: int, kind: int) -> Steps:
        cpus, before = 1 << (layer + 1), self.s.tasks[THREAD].mask
        if kind != _ISOLATED:
            yield from self.kernel_away(cpus, before)
        yield from self.switch_on()
        yield from self.narrow(layer)
        for cpus_now, kind_now in ((0, _MEMBER), (cpus, _MEMBER), (cpus, kind)):
            self.s = self.machine.write_own(self.s, layer, cpus_now, kind_now)
            yield True
        if not self.machine.is_partition(self.s, layer):
            raise Refused
        yield from self.pins_again()
        if kind == _ISOLATED:
            yield from self.kernel_away(cpus, before)
        if kind != _ISOLATED or "the queues get isolated CPUs back" not in self.faults:
            yield from self.queues_away(cpus)
        yield from self.enter_group(layer)

    def enter_group(self, layer: int) -> Steps:
        at, cpus = KID + 1 + layer, 1 << (layer + 1)
        yield from self.change_program(at, None, layer)
        self.note_layer(layer, came_from=self.s.tasks[at].group)
        yield False
        self.s = self.machine.move(self.s, at, str(layer))
        yield True
        yield from self.change_program(at, cpus, layer)
        self.s = self.machine.allow(self.s, at, cpus)
        yield True

    # affinity.c

    def affinity(self, layer: int) -> Steps:
        self.note_layer(layer, via=1)
        yield True
        yield from self.tell_all(layer)
        yield from self.queues_away(1 << (layer + 1))
        at, cpus = KID + 1 + layer, 1 << (layer + 1)
        yield from self.change_program(at, cpus, layer)
        yield from self.change_task(at, cpus)

    def tell_all(self, layer: int) -> Steps:
        cpus, rest = 1 << (layer + 1), self.g.all & ~self.held
        for at in range(len(self.s.tasks)):
            now = self.s.tasks[at].mask
            if not now & cpus or at == KID + 1 + layer or (at == THREAD and not now & ~cpus):
                continue
            left = now & ~cpus or rest & self.granted(at)
            if left == 0:
                continue
            try:
                yield from self.change_task(at, left, via=left & 1)
            except Refused:
                continue

    # irq.c

    def irqs(self, layer: int) -> Steps:
        cpus = 1 << (layer + 1)
        for key in (DEFAULT, IRQ):
            now = self.s.sets[key]
            left = now & ~cpus
            if now & cpus and (left or key == IRQ):
                yield from self.change_set(key, left or self.g.all & ~self.held)

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
        yield from self.hold(self.held | 1 << (layer + 1))
        self.note_layer(layer, mechanism=mechanism)
        yield True
        try:
            if mechanism == "affinity":
                yield from self.affinity(layer)
            else:
                yield from self.partition(layer, _ISOLATED if mechanism == "isolated" else _ROOT)
        except Refused:
            yield from self.settle(frozenset({layer}))
            return
        yield from self.irqs(layer)

    def end(self, layer: int) -> Steps:
        yield from self.settle(frozenset({layer}))

    def sweep(self, layer: int) -> Steps:
        one = self.s.layers[layer]
        if one and self.s.base and one.mechanism == "affinity":
            yield from self.tell_all(layer)

    # settle.c

    def settle(self, ending: frozenset[int], look: bool = False) -> Steps:
        s = self.s
        self.look = look
        there = {at: layer for at, layer in enumerate(s.layers) if layer}
        dead_live = "dead layers count as living" in self.faults
        self.ends = {at for at, layer in there.items() if at in ending or not (layer.alive or dead_live)}
        if not self.ends and not (not there and s.base) and not look:
            return
        stay = {at: layer for at, layer in there.items() if at not in self.ends}
        self.before, self.after = _cpus(there) | self.held, _cpus(stay)
        self.ended = _cpus(self.ends) & ~self.after
        self.narrowed = _cpus(at for at, layer in stay.items() if layer.mechanism not in ("affinity", ""))
        self.via = int(any(there[at].via for at in self.ends))
        if "layers forgotten before the writes" in self.faults:
            yield from self.forget(bool(stay), base=False)
        if "baseline removed first" in self.faults and not stay:
            base, self.s = self.s.base, replace(self.s, base=None)
            yield True
            self.s = replace(self.s, base=base)
        for at in sorted(self.ends):
            yield from self.end_layer(at)
        yield from self.settle_set(LISTED)
        yield from self.settle_controller()
        for key in (IRQ, DEFAULT, QUEUES):
            yield from self.settle_set(key)
        yield from self.settle_unrecorded(1)
        for at in range(len(self.s.tasks)):
            yield from self.settle_task(at)
        yield from self.settle_unrecorded(10)
        if not self.failed and not look:
            yield from self.forget(bool(stay))

    def forget(self, any_left: bool, base: bool = True) -> Steps:
        last = "what is held is told last" in self.faults
        if base and any_left and not last:
            yield from self.hold(self.after)
        for at in sorted(self.ends):
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

    def target(self, key: int, base: int) -> int:
        rest = self.g.all & ~self.after
        if key == LISTED:
            narrowed = self.after if "groups lose what affinity holds" in self.faults else self.narrowed
            return base & ~narrowed or self.g.all & ~narrowed
        if key == QUEUES and "the queues get isolated CPUs back" in self.faults:
            stay = enumerate(self.s.layers)
            return base & ~_cpus(at for at, one in stay if one and one.mechanism != "isolated")
        return base & ~self.after or (rest if key == IRQ else base)

    def settle_set(self, key: int) -> Steps:
        known = self.known(key)
        if known is None or known.how == "was" or not self.machine.has_file(self.s, key):
            return
        now, to = self.s.sets[key], self.target(key, known.base)
        have = key == QUEUES and self.s.queues & self.after
        if now == to and not have:
            return
        if now != to and self.whose(key, known) != "o":
            yield from self.put(key, Known(now, now, "theirs"))
            return
        yield from self.put(key, Known(known.base, to, "theirs" if known.how == "theirs" else "ours"))
        try:
            self.s = self.machine.write_set(self.s, key, to)
        except Refused:
            self.failed += 1
            return
        yield True

    def whose(self, key: int, known: Known, **more: int) -> str:
        if "what others changed is overwritten" in self.faults:
            return "o"
        at, record = key - CONTROLLER - 1, known.how if known.how in RECORDS else "written"
        sort = "irq" if key == IRQ else "file" if at < 0 else "thread" if at == THREAD else "task"
        answer = whose(sort, record, self.reading(key, known, known.base, self.before, **more))
        if answer == ".":
            raise Wrong(f"{sort}, {record}: the table has no answer")
        return answer

    def settle_controller(self) -> Steps:
        known = self.known(CONTROLLER)
        needed = any(
            layer and at not in self.ends and layer.mechanism not in ("affinity", "")
            for at, layer in enumerate(self.s.layers)
        )
        if known is None or known.how == "was" or known.base or not self.s.controller or needed:
            return
        if self.s.sets[LISTED] and "a list that is set late goes with the controller" not in self.faults:
            return  # somebody uses it by now
        self.s = self.machine.switch(self.s, False)
        yield True

    def settle_task(self, at: int) -> Steps:
        key, task = CONTROLLER + 1 + at, self.s.tasks[at]
        known, may = self.known(key), self.granted(at)
        if known is None or not task.mask:
            return
        program = 0
        if known.how == "program":
            if self.s.layers[known.layer] and known.layer not in self.ends:
                yield from self.pin_again(at, known)
                return
            program = 1 << (known.layer + 1) if self.s.layers[known.layer] else self.ended
        to = known.base & ~self.after or (self.g.all & ~self.after & may if at != THREAD else 0)
        if to in (0, task.mask):
            return
        owner = self.whose(key, known, via=self.via, program=program)
        if owner == "t":
            yield from self.put(key, Known(task.mask, task.mask, "theirs"))
        if owner != "o" or ((self.look or not to & ~task.mask) and to & may == task.mask):
            return
        yield from self.put(key, replace(known, written=to, how="ours" if known.how == "was" else known.how))
        try:
            self.s = self.machine.allow(self.s, at, to)
        except Refused:
            # its group has none of them any more
            self.failed += bool(to & may) or "a cpuset without a task's CPUs is a failure" in self.faults
            return
        yield True
        if known.how == "program":
            yield from self.put(key, Known(known.base, to, "ours"))

    def pin_again(self, at: int, known: Known) -> Steps:
        may = self.granted(at)
        if not self.g.forgets or self.s.tasks[at].mask != may or known.written & may in (0, may):
            return
        if "a program's pin is forgotten" not in self.faults:
            yield from self.try_allow(at, known.written)

    def wish_of(self, at: int) -> int:
        """Made while its parent was on its way it has what that had."""
        now, above = self.s.tasks[at].mask, self.above(at)
        ways = [one & self.via for one in above.writes if self.via] if above else []
        if above and now in ways and "one made on its parent's way stays there" not in self.faults:
            return above.base
        return self.wish(at, self.before)

    def settle_unrecorded(self, rounds: int) -> Steps:
        if self.look or self.s.base is None or "unrecorded tasks are left out" in self.faults:
            return
        should = self.g.all & ~self.after
        for _ in range(rounds):
            changed = False
            for at, task in enumerate(self.s.tasks):
                lacks = self.g.forgets or should & ~task.mask
                if not lacks or not task.mask & ~self.after or self.known(CONTROLLER + 1 + at):
                    continue
                if not task.young and "one that asked again keeps less" in self.faults:
                    continue
                to, may = self.wish_of(at) & ~self.after, self.granted(at)
                if to == 0 and "one made on its way to held CPUs stays there" not in self.faults:
                    to = should & may
                if to in (0, task.mask) or not should & ~(task.mask & to):
                    continue
                if not task.young and to & may == task.mask:
                    continue
                yield from self.try_allow(at, to)
                changed |= self.s.tasks[at] != task
            if not changed:
                return


# What others do


def _acts(machine: Machine, s: State) -> Iterator[tuple[str, State]]:
    if s.acts == 0:
        return
    foreign = machine.ground.foreign
    less = replace(s, acts=s.acts - 1)
    for key, name in ((DEFAULT, "default mask"), (IRQ, "interrupt"), (LISTED, "list of a group")):
        if s.sets[key] != foreign and machine.has_file(s, key):
            try:
                changed = machine.write_set(less, key, foreign)
            except Refused:
                continue
            yield f"somebody sets the {name}", replace(changed, wanted=_put(s.wanted, key, foreign))
    changed = machine.allow(less, FULL, foreign)
    wanted = _put(s.wanted, CONTROLLER + 1 + FULL, foreign)
    yield "a task asks for a CPU", replace(changed, wanted=wanted)
    for at, task in enumerate(s.tasks):
        if task.asked != task.mask and at != THREAD:
            yield f"task {at} asks for what it is shown", machine.allow(less, at, task.mask)
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
        if key < CONTROLLER:
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
        narrowed = _cpus(at for at, one in living.items() if one != "affinity")
        self._is("default mask", s.sets[DEFAULT], self.base(s, DEFAULT) & ~held)
        self._is("interrupt", s.sets[IRQ], self.base(s, IRQ) & ~held or rest)
        self._is("mask of the workqueues in force", s.queues, self.base(s, QUEUES) & ~held)
        if not living:
            self._is("mask of the workqueues", s.sets[QUEUES], self.base(s, QUEUES))
        on = self.ground.on or any(one != "affinity" for one in living.values())
        if not s.wanted[LISTED]:
            self._is("controller", s.controller, on)
        if s.controller:
            base = self.base(s, LISTED)
            listed = base & ~narrowed or everything & ~narrowed
            self._is("list of a group", s.sets[LISTED], listed if base else 0)
        for at, own in enumerate(s.own):
            self._is(f"group of {at}", own is not None, living.get(at, "affinity") != "affinity")
            if living.get(at) in ("isolated", "root"):
                self._is(f"partition of {at}", self.machine.is_partition(s, at), True)
        for at, task in enumerate(s.tasks):
            if task.mask:
                self._task(s, at, living, held)
        if not living and s.base is None:
            self._is(
                "groups", [self._home(s, at) for at in range(len(s.tasks))], [task.group for task in s.tasks]
            )
        self._twice(s)

    def _swept(self, s: State, living: Iterable[int]) -> State:
        """A moment later: the tools that live have noticed the newcomers."""
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

    def _task(self, s: State, at: int, living: dict[int, str], held: int) -> None:
        task, may = s.tasks[at], self.machine.granted(s, s.tasks[at].group)
        layer = at - KID - 1
        if layer in living:
            cpus = 1 << (layer + 1)
            self._is(f"program of {layer}", task.mask, cpus if cpus & may else task.mask & may)
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
    `mechanisms`: of each reservation that begins, instead of all of all.
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
        if at < (len(self.mechanisms) or self.ground.reservations):
            for mechanism in (self.mechanisms[at],) if self.mechanisms else MECHANISMS:
                yield f"{at} begins by {mechanism}", at, partial(Tool.begin, layer=at, mechanism=mechanism)

    def _run(self, start: State, name: str, dead: int | None, steps: Callable[[Tool], Steps]) -> None:
        """The operation, killed at every write, and once to its end; others act at each moment they may."""
        tool = Tool(self.ground, start, self.faults)
        self.runs += 1
        self._found(start, f"{name}, killed before its first write", self._killed(start, dead))
        moments: list[tuple[int, State]] = []
        for number, safe in enumerate(steps(tool), 1):
            self._written(start, f"{name}, behind write {number}", tool.s, dead)
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
                self._written(start, name, tool.s, dead)
                self._found(start, f"{name}, killed behind write {at}", self._killed(tool.s, dead))
        self._completed(name, tool)
        self._found(start, name, tool.s)

    def _written(self, start: State, name: str, s: State, dead: int | None) -> None:
        """Whoever holds CPUs has them all the time, whatever others begin and end."""
        held = _cpus(at for at, layer in enumerate(start.layers) if layer and layer.alive and at != dead)
        if s.queues & held:
            raise Wrong(f"{name}: work of the kernel may run on held CPUs")

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
