# SPDX-License-Identifier: Apache-2.0
"""The scenarios of chaos for `coreloom exclusive`: random reservations, deaths and disturbances.

A scenario is a function of its seed. linux/vm/exclusive/README.md says how to replay one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from coreloom.errors import UserError

SCENARIOS, SAMPLE = 500, 40
CPUS = (1, 2, 3)  # that are held; one CPU at least stays free, and CPU 0 always


@dataclass(frozen=True)
class Ground:
    name: str
    kernel: str
    cgroup: str
    mechanisms: tuple[str, ...]
    of_twenty: int  # scenarios that run there
    systemd: bool = False
    remembers: bool = True  # what a task asked for while it cannot have it: since Linux 6.2


_ALL = ("isolated", "root", "affinity")
GROUNDS = (
    Ground("7", "7", "v2", _ALL, 12),
    Ground("6.18", "6.18", "v2", _ALL, 3),
    Ground("6.1", "6.1", "v2", _ALL, 2, remembers=False),
    Ground("7 systemd", "7", "none", _ALL, 3, systemd=True),
)


@dataclass(frozen=True)
class Reservation:
    mechanism: str
    cpu: int
    attach: bool
    threads: int
    mixed: bool  # each thread of the attached process has CPUs of its own
    in_group: bool  # the attached process is in a group of its own
    most_ms: int  # --max; 0: none
    traced: bool
    ends_by: str  # term, end (of the program), max


@dataclass(frozen=True)
class Kill:
    whom: str  # tool, watcher, both (of one reservation), every
    of: int
    phase: str  # start, hold, stop
    part: int  # of 1000 of the time that starting or stopping takes


@dataclass(frozen=True)
class Hotplug:
    cpu: int
    back: str  # hold, end: before the others end, after


@dataclass(frozen=True)
class Scenario:
    seed: int
    ground: Ground
    reservations: tuple[Reservation, ...]
    at_once: bool  # they begin without waiting for each other
    ends: tuple[int, ...]  # in this order
    ends_at_once: bool
    kill: Kill | None = None
    hotplug: Hotplug | None = None
    hostile: int = 0  # processes of another user that change their own affinity
    hostile_to_the_end: bool = True
    storm: bool = False
    paused: int | None = None  # whose tool is stopped for a while
    restore: str = ""  # by hand, in between: "dead", "--all", an index
    removed: str = ""  # an index: its journal; "all"
    narrow: bool = False  # groups of the machine have CPUs of their own
    restore_first: bool = True  # before the programs of killed tools end
    pauses_us: tuple[int, ...] = field(default=(), repr=False)

    @property
    def ambiguous(self) -> bool:
        """A hostile process may lose its last request: decision 0018 says why the tool cannot know it."""
        kinds = {one.mechanism for one in self.reservations}
        beside_partition = "affinity" in kinds and bool(kinds & {"isolated", "root"})
        return bool(self.hostile) and (self.hotplug is not None or beside_partition)

    def steps(self) -> str:
        """The steps for programs/chaos.c."""
        return "".join(f"{line}\n" for line in _steps(self))

    def classes(self) -> list[str]:
        """The groups in which scenarios are counted."""
        names = "+".join(sorted(one.mechanism for one in self.reservations))
        found = [f"{len(self.reservations)} reservations", names]
        if any(one.attach for one in self.reservations):
            found.append("attach")
        found.append(f"kill {self.kill.whom}" if self.kill else "nobody killed")
        marks = {
            "hotplug": self.hotplug,
            "hostile": self.hostile,
            "storm": self.storm,
            "paused": self.paused is not None,
            "restore by hand": self.restore,
            "journal removed": self.removed,
            "narrow groups": self.narrow,
        }
        return found + [name for name, there in marks.items() if there]

    def text(self) -> str:
        held = ", ".join(
            f"{'attach' if one.attach else 'run'} {one.mechanism} CPU {one.cpu}" for one in self.reservations
        )
        rest = [name for name in self.classes()[2:] if name != "attach"]
        order = f"{'at once' if self.ends_at_once else 'in the order'} {self.ends}"
        return f"{held}; ends {order}; {', '.join(rest)}"


def ground_of(seed: int) -> Ground:
    """Every twenty seeds have the same share of each."""
    place = seed * 7 % 20  # so that few in a row meet more than one
    for ground in GROUNDS:
        place -= ground.of_twenty
        if place < 0:
            return ground
    raise AssertionError("the shares are 20 together")


def seeds(text: str) -> list[int]:
    """The seeds of a list such as 17,20-30; a seed may occur several times."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise UserError(f"{text}: not a list of seeds: give 17, 1-500 or 17,17,20-30")
        found += range(int(first), int(last if dash else first) + 1)
    return found


def scenario(seed: int) -> Scenario:
    draw = random.Random(seed)
    ground = ground_of(seed)
    count = draw.choices((1, 2, 3), (2, 5, 3))[0]
    cpus = draw.sample(CPUS, count)
    held = tuple(_reservation(draw, ground, cpu) for cpu in cpus)
    order = list(range(count))
    draw.shuffle(order)
    kill = _kill(draw, count)
    death = kill.whom if kill else ""
    hotplug = None
    if draw.random() < 0.25:
        hotplug = Hotplug(draw.choice(CPUS), draw.choice(("hold", "end")))
    hostile = draw.choice((1, 4)) if draw.random() < 0.25 else 0
    removed = ""
    if draw.random() < 0.12 and death not in ("both", "every"):  # else nobody knows what was before
        removed = draw.choice((str(draw.randrange(count)), str(draw.randrange(count)), "all"))
    restore = ""
    if draw.random() < 0.2:
        restore = draw.choice(("dead", "dead", "--all", str(draw.randrange(count))))
    if hotplug and not ground.remembers:
        # What is given back while a CPU is away is given without it for good, by the kernel: here none is.
        early = restore or any(one.most_ms for one in held) or (kill and kill.phase != "stop")
        hotplug = None if early else Hotplug(hotplug.cpu, "hold")
    return Scenario(
        seed,
        ground,
        held,
        at_once=draw.random() < 0.4,
        ends=tuple(order),
        ends_at_once=draw.random() < 0.4,
        kill=kill,
        hotplug=hotplug,
        hostile=hostile,
        hostile_to_the_end=not ground.remembers or draw.random() < 0.5,
        storm=draw.random() < 0.2,
        paused=draw.randrange(count) if draw.random() < 0.15 else None,
        restore=restore,
        removed=removed,
        narrow=draw.random() < 0.25,
        restore_first=draw.random() < 0.5,
        pauses_us=tuple(draw.choice((0, 0, 1_000, 10_000, 50_000)) for _ in range(24)),
    )


def _reservation(draw: random.Random, ground: Ground, cpu: int) -> Reservation:
    attach = draw.random() < 0.4
    most_ms = draw.choice((20, 100, 250)) if draw.random() < 0.25 else 0
    return Reservation(
        draw.choice(ground.mechanisms),
        cpu,
        attach,
        threads=draw.choice((1, 4)),
        mixed=attach and draw.random() < 0.4,
        in_group=attach and not ground.systemd and draw.random() < 0.3,
        most_ms=most_ms,
        traced=draw.random() < 0.1,
        ends_by="max" if most_ms else draw.choice(("term", "end")) if not attach else "term",
    )


def _kill(draw: random.Random, count: int) -> Kill | None:
    if draw.random() < 0.3:
        return None
    whom = draw.choice(("tool", "tool", "watcher", "both", "both", "every"))
    return Kill(whom, draw.randrange(count), draw.choice(("start", "hold", "stop")), draw.randrange(1200))


def _steps(of: Scenario) -> Iterator[str]:
    script = _Script(of, iter(of.pauses_us))
    yield from script.before()
    yield from script.starts()
    for steps in script.disturbances():
        yield from script.pause()
        yield from steps
    yield from script.pause()
    yield from script.ends()
    yield f"settle {'restore' if of.restore_first else 'programs'}"


@dataclass
class _Script:
    of: Scenario
    pauses: Iterator[int]

    def pause(self) -> Iterator[str]:
        if time := next(self.pauses, 0):
            yield f"us {time}"

    def killed(self, phase: str, which: int) -> Iterator[str]:
        kill = self.of.kill
        if kill is None or (kill.phase, kill.of) != (phase, which):
            return
        yield f"part {'start' if phase == 'hold' else phase} {which} {kill.part}"
        yield "kill every" if kill.whom == "every" else f"kill {kill.whom} {which}"

    def before(self) -> Iterator[str]:
        if self.of.narrow:
            yield "narrow"
        for number, one in enumerate(self.of.reservations):
            if one.attach:
                kind, place = ("mixed" if one.mixed else "same"), ("GROUP" if one.in_group else "-")
                yield f"victim {number} {one.threads} {kind} {place}"
        if self.of.hostile:
            yield f"hostile {self.of.hostile}"
        yield "before"
        if self.of.storm:
            yield "storm"

    def starts(self) -> Iterator[str]:
        for number, one in enumerate(self.of.reservations):
            yield f"start {number} {_words(self.of.ground, number, one)}"
            yield from self.killed("start", number)
            if self.of.at_once:
                yield from self.pause()
            else:
                yield f"held {number}"
        if self.of.at_once:
            for number in range(len(self.of.reservations)):
                yield f"held {number}"

    def disturbances(self) -> list[list[str]]:
        of = self.of
        between = [list(self.killed("hold", number)) for number in range(len(of.reservations))]
        if of.hotplug:
            between.append([f"cpu {of.hotplug.cpu} 0"])
        if of.restore:
            between.append(["restore" + (f" {of.restore}" if of.restore != "dead" else "")])
        if of.removed:
            between.append([f"remove {of.removed}"])
        if of.paused is not None:
            between.append([f"pause {of.paused}", *self.pause(), f"continue {of.paused}"])
        random.Random(of.seed).shuffle(between)
        return between

    def ends(self) -> Iterator[str]:
        of = self.of
        if of.hotplug and of.hotplug.back == "hold":
            yield f"cpu {of.hotplug.cpu} 1"
        if of.hostile and not of.hostile_to_the_end:
            yield "quiet"
        for number in of.ends:
            one = of.reservations[number]
            if one.ends_by != "max":
                yield f"{one.ends_by} {number}"
            yield from self.killed("stop", number)
            if of.ends_at_once:
                yield from self.pause()
                continue
            # What is run goes on when its time is over.
            if one.ends_by == "max" and not one.attach:
                yield f"us {one.most_ms * 1000}"
                yield f"end {number}"
            yield f"gone {number}"


def _words(ground: Ground, number: int, of: Reservation) -> str:
    words = ["attach" if of.attach else "run", "--quiet", "--sample", "0.01"]
    words += ["--mechanism", of.mechanism, "--cpu", str(of.cpu)]
    if of.most_ms:
        words += ["--max", f"{of.most_ms}ms"]
    if of.traced:
        words.append("--trace")
    if of.attach and ground.systemd and of.mechanism != "affinity":
        words.append("--move")
    words += [f"@{number}"] if of.attach else ["--", str(of.threads), "same"]
    return " ".join(words)
