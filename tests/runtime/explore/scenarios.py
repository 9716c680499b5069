# SPDX-License-Identifier: Apache-2.0
"""What is explored: small programs of two and three threads."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from coreloom.reference.kernel import SPEC
from coreloom.toolchain import firmware

from .judge import TIMED, judge
from .machine import Act, Fault, Found, Image, explore, image

_MARK, _GO, _PARK, _RING, _LISTEN = 512, 23, 24, 26, 29  # explore.h
_MAIN_PRIORITY = 4  # half of the priorities
_STATIC, _DETACHED, _CPU_LSB = 1 << 12, 1 << 13, 8
_CODES = {name: op.code for name, op in SPEC.ops.items()}


@dataclass(frozen=True)
class Scenario:
    """A program: what main does before, and what each thread does then, main first.

    A thread's text is "PRIORITY[@CPU]: operation [object [word]]; ..."; without a priority it is placed on
    the CPU of its number, with main's. Threads that all have a CPU begin together and keep their CPUs when
    they have ended (`parked`). Else main starts them, and what they do ends with thread_exit.
    """

    setup: str
    threads: tuple[str, ...]
    cpus: int = 2
    time_steps: int = 0
    limit: int = 1_000_000  # of executions
    walks: int = 0  # that many executions by random priorities, instead of all that differ
    seed: int = 1
    policy: str = firmware.PRIORITY
    kernel: str = "sw"
    start: int = 1000  # the time; that of a limit is counted as if it were 1000

    def image(self, fault: Fault | None = None) -> Image:
        return image(self.cpus, self.policy, fault, port=self.listens, kernel=self.kernel)

    def explore(self, fault: Fault | None = None, unreduced: bool = False) -> Found:
        program = self.image(fault)
        return explore(
            program, program.with_acts(self.acts(), self.start), self.cpus, self.parties, self.limit,
            time_steps=self.time_steps, walks=self.walks, seed=self.seed, unreduced=unreduced,
            start=self.start, all_locks=self.fine,
        )  # fmt: skip

    def wrong(self, found: Found) -> str:
        """What an exploration has found that must not be; or empty."""
        if found.failure:
            return found.failure
        return next(filter(None, (judge(each, len(self.threads), self.fine) for each in found.histories)), "")

    @property
    def is_policy(self) -> bool:
        return self.policy != firmware.PRIORITY

    @property
    def fine(self) -> bool:
        """It has several locks."""
        return self.kernel in firmware.FINE and self.cpus > 1

    @property
    def parked(self) -> bool:
        return not any("thread_exit" in text for text in self.threads)

    @property
    def listens(self) -> bool:
        """CPUs serve the communication port: of each thread that is placed the one where it begins."""
        return any("ring " in text for text in self.threads)

    @property
    def parties(self) -> int:
        return len(self.threads) if self.parked else 1

    def acts(self) -> list[list[Act]]:
        """For each thread what it does."""
        go, park = [(_MARK + _LISTEN, 0, 0)] * self.listens + [(_MARK + _GO, 0, 0)], [(_MARK + _PARK, 0, 0)]
        all_ = []
        starts: list[Act] = []
        for number, text in enumerate(self.threads):
            place, colon, rest = text.rpartition(":")
            attributes = _MAIN_PRIORITY | number << _CPU_LSB | _STATIC
            if colon:
                priority, at, cpu = place.partition("@")
                attributes = int(priority) | (int(cpu) << _CPU_LSB | _STATIC if at else 0)
            if number:
                starts.append((_CODES["thread_create"], 0, attributes))
                if self.parked:
                    starts.append((_CODES["thread_start"], number, 0))
            body = _parsed(rest)
            all_.append([*go, *body, *park] if self.parked else [*(go if not number else []), *body])
        all_[0] = [*_parsed(self.setup), *starts, *all_[0]]
        return all_


def _parsed(text: str) -> list[Act]:
    acts = []
    for each in filter(str.strip, text.split(";")):
        name, *rest = each.split()
        if name == "ring":
            acts.append((_MARK + _RING, int(rest[0]), 0))
            continue
        timed = name.startswith("timed_")
        id_, word = [*(int(w, 0) for w in rest), 0, 0][:2]
        acts.append((_CODES[name.removeprefix("timed_")] + TIMED * timed, id_, word))
    return acts


_SEMAPHORE, _MUTEX, _COND = "semaphore_create 0 0", "mutex_create", "cond_create"
_WRONG = (
    *(f"{kind}_{verb} 99" for kind in ("mutex", "semaphore", "cond") for verb in ("destroy",)),
    *("mutex_lock 99", "mutex_trylock 99", "mutex_unlock 99", "mutex_unlock 0", "mutex_lock 1"),
    *("semaphore_wait 99", "semaphore_trywait 99", "semaphore_post 99", "semaphore_value 99"),
    *("semaphore_create 0 65536", "semaphore_post 0", "semaphore_create 0 0", "semaphore_create 0 0"),
    *("cond_ticket 99", "cond_wait 99", "cond_signal 99", "cond_broadcast 99", "barrier_wait 99 0"),
    *("port_open 99 1", "port_open 0 1", "port_close 99", "port_close 0", "port_close 1"),
    *("port_send 99 1", "port_send 1 1", "port_trysend 99 1", "port_trysend 1 1"),
    *("port_receive 99", "port_receive 0", "port_receive 1", "port_tryreceive 99", "port_tryreceive 0"),
    *(
        "interrupt_bind 99",
        "interrupt_wait 99",
        "interrupt_wait 0",
        "interrupt_unbind 0",
        "interrupt_raise 0",
    ),
    *("thread_create 0 99", "thread_start 7", "thread_join 7", "thread_join 1", "thread_detach 7"),
    *("set_sched_param 7 1", "set_sched_param 0 99", "get_sched_param 99"),
)

_BEFORE_WRAP = (1 << 32) - 500  # of the low half of the time

# Two threads and one object, or two objects that are used together.
TWO = {
    "mutex": Scenario(_MUTEX, ("mutex_lock 0; mutex_unlock 0; mutex_lock 0; mutex_unlock 0",) * 2),
    "mutex, trylock": Scenario(
        _MUTEX,
        (
            "mutex_lock 0; mutex_unlock 0; mutex_unlock 0",
            "mutex_trylock 0; mutex_unlock 0; mutex_lock 0; mutex_lock 0",
        ),
    ),
    "mutex, destroy": Scenario(
        _MUTEX,
        (
            "mutex_lock 0; mutex_unlock 0; mutex_lock 0",
            "mutex_destroy 0; mutex_create; mutex_lock 0; mutex_unlock 0",
        ),
    ),
    "mutex, limit": Scenario(
        f"slice; {_MUTEX}",
        (
            "mutex_lock 0; mutex_unlock 0; mutex_lock 0; mutex_unlock 0",
            "timed_mutex_lock 0 2000; mutex_unlock 0",
        ),
        time_steps=2,
    ),
    "semaphore": Scenario(
        _SEMAPHORE,
        (
            "semaphore_post 0; semaphore_wait 0; semaphore_post 0",
            "semaphore_wait 0; semaphore_post 0; semaphore_wait 0",
        ),
    ),
    "semaphores, there and back": Scenario(
        f"{_SEMAPHORE}; {_SEMAPHORE}",
        (
            "semaphore_post 0; semaphore_wait 1; semaphore_post 0; semaphore_wait 1",
            "semaphore_wait 0; semaphore_post 1; semaphore_wait 0; semaphore_post 1",
        ),
    ),
    "semaphore, trywait": Scenario(
        _SEMAPHORE,
        (
            "semaphore_post 0; semaphore_post 0; semaphore_value 0",
            "semaphore_trywait 0; semaphore_wait 0; semaphore_trywait 0",
        ),
    ),
    "semaphore, destroy": Scenario(
        _SEMAPHORE,
        (
            "semaphore_wait 0; semaphore_wait 0",
            "semaphore_destroy 0; semaphore_post 0; semaphore_create 0 1; semaphore_destroy 0",
        ),
    ),
    "semaphore, limit": Scenario(
        f"slice; {_SEMAPHORE}",
        (
            "semaphore_post 0; semaphore_trywait 0; semaphore_post 0",
            "timed_semaphore_wait 0 2000; semaphore_trywait 0",
        ),
        time_steps=2,
    ),
    "semaphore, limit and slices": Scenario(
        f"slice 0 1; {_SEMAPHORE}",
        ("semaphore_post 0", "timed_semaphore_wait 0 1500; semaphore_value 0"),
        time_steps=2,
    ),
    "condition": Scenario(
        _COND,
        ("cond_signal 0; cond_signal 0; cond_ticket 0", "cond_ticket 0; cond_wait 0; cond_wait 0"),
    ),
    "condition, broadcast": Scenario(
        _COND,
        (
            "cond_ticket 0; cond_wait 0; cond_broadcast 0",
            "cond_ticket 0; cond_broadcast 0; cond_wait 0; cond_destroy 0",
        ),
    ),
    "condition and mutex": Scenario(
        f"{_COND}; {_MUTEX}",
        (
            "mutex_lock 0; cond_signal 0; mutex_unlock 0",
            "mutex_lock 0; cond_ticket 0; mutex_unlock 0; cond_wait 0; mutex_lock 0; mutex_unlock 0",
        ),
    ),
    "condition, limit": Scenario(
        f"slice; {_COND}",
        ("cond_signal 0; cond_signal 0", "cond_ticket 0; timed_cond_wait 0 2000; cond_ticket 0"),
        time_steps=2,
    ),
    "barrier": Scenario(_COND, ("barrier_wait 0 1; barrier_wait 0 1",) * 2),
    "port": Scenario(
        "",
        (
            "port_open 0 1; port_receive 0; port_receive 0; port_receive 0",
            "port_send 0 11; port_send 0 12; port_send 0 13",
        ),
    ),
    "port, full": Scenario(
        "port_open 0 1; port_send 0 1; port_send 0 2",
        (
            "port_receive 0; port_receive 0; port_tryreceive 0",
            "port_trysend 0 11; port_send 0 12; port_trysend 0 13",
        ),
    ),
    "port, room once": Scenario(
        "port_open 0 1; port_send 0 1; port_send 0 2", ("port_receive 0", "port_send 0 12")
    ),
    "port, buffered": Scenario(
        "port_open 0",
        ("port_receive 0; port_tryreceive 0", "port_send 0 11; port_send 0 12; port_publish"),
    ),
    "port, buffered and full": Scenario(
        "port_open 0; port_send 0 1; port_send 0 2",
        ("port_receive 0; port_receive 0; port_receive 0", "port_send 0 12; port_publish"),
    ),
    "ports, there and back": Scenario(
        "port_open 0",
        ("port_send 1 1; port_receive 0", "port_open 1; port_send 0 2; port_receive 1"),
    ),
    "port, close": Scenario(
        "port_open 0 1",
        (
            "port_tryreceive 0; port_close 0; port_open 0 1; port_close 0",
            "port_send 0 11; port_send 0 12; port_send 0 13",
        ),
    ),
    "port, end of the sender": Scenario(
        "port_open 0",
        ("thread_start 1; port_receive 0; thread_exit", "4@1: port_send 0 11; thread_exit"),
    ),
    "line": Scenario(
        "",
        (
            "interrupt_bind 0; interrupt_wait 0; interrupt_wait 0; interrupt_unbind 0",
            "interrupt_raise 0; interrupt_raise 0; interrupt_unbind 0",
        ),
    ),
    "slice": Scenario(
        f"slice; {_SEMAPHORE}",
        ("semaphore_post 0; slice 0 2; slice 0 3", "semaphore_wait 0; semaphore_value 0"),
        time_steps=1,
    ),
    "thread": Scenario("", ("thread_start 1; thread_join 1; thread_exit", "thread_exit")),
    "thread, placed": Scenario("", ("thread_start 1; thread_join 1; thread_exit", "4@1: thread_exit")),
    "thread, better": Scenario(
        _SEMAPHORE,
        (
            "thread_start 1; semaphore_post 0; thread_join 1; thread_exit",
            "6@0: semaphore_wait 0; thread_exit",
        ),
    ),
    "thread, detached": Scenario(
        "", ("thread_start 1; thread_detach 1; thread_join 1; thread_exit", "4@1: thread_exit")
    ),
    "thread, number used again": Scenario(
        "",
        (
            "port_open 0 1; thread_start 1; thread_join 1; thread_create 0 2; thread_start 1; thread_exit",
            "4@1: interrupt_bind 0; set_sched_param 1 7; port_trysend 0 1; thread_exit",
        ),
    ),
    "priority": Scenario(
        _SEMAPHORE,
        (
            "thread_start 1; set_sched_param 1 6; set_sched_param 1 2; semaphore_post 0; thread_exit",
            "3@0: semaphore_wait 0; thread_exit",
        ),
    ),
    "move": Scenario(
        _SEMAPHORE,
        (
            "thread_start 1; semaphore_wait 0; thread_exit",
            "4@1: move 0 4096; semaphore_post 0; move 0 0; thread_exit",
        ),
    ),
    "port, limit of the receiver": Scenario(
        "slice; port_open 0 1",
        ("timed_port_receive 0; port_tryreceive 0", "port_send 0 11"),
        time_steps=2,
    ),
    "port, limit of the sender": Scenario(
        "slice; port_open 0 1; port_send 0 1; port_send 0 2",
        ("port_receive 0; port_receive 0; port_receive 0", "timed_port_send 0 12"),
        time_steps=1,
    ),
    "bell": Scenario(
        _SEMAPHORE,
        ("semaphore_wait 0; semaphore_trywait 0; semaphore_wait 0", "ring 0; semaphore_post 0; ring 0"),
    ),
    "bell, on the way": Scenario(
        f"{_SEMAPHORE}; {_MUTEX}",
        ("mutex_lock 0; semaphore_wait 0; mutex_unlock 0", "ring 0; mutex_lock 0; mutex_unlock 0; ring 1"),
    ),
    "bell, better thread elsewhere": Scenario(
        _SEMAPHORE,
        ("thread_start 1; ring 0; semaphore_value 0; thread_exit", "6@1: semaphore_wait 0; thread_exit"),
    ),
    "bell and limit": Scenario(
        f"slice; {_SEMAPHORE}",
        ("timed_semaphore_wait 0 2000; semaphore_trywait 0", "ring 0"),
        time_steps=2,
    ),
    "wrap of time, limit": Scenario(
        f"slice; {_SEMAPHORE}",
        ("semaphore_post 0; semaphore_trywait 0", "timed_semaphore_wait 0 2000; semaphore_trywait 0"),
        time_steps=2,
        start=_BEFORE_WRAP,
    ),
    "wrap of time, slices": Scenario(
        f"slice 0 1; {_SEMAPHORE}",
        ("semaphore_post 0", "semaphore_wait 0"),
        time_steps=1,
        start=_BEFORE_WRAP,
    ),
    "wrap of time, limit and slices": Scenario(
        f"slice 0 1; {_SEMAPHORE}",
        ("semaphore_post 0", "timed_semaphore_wait 0 1800"),
        time_steps=1,
        start=_BEFORE_WRAP,
    ),
    "calls that are refused": Scenario(
        f"{_MUTEX}; semaphore_create 0 32767",
        ("port_open 0 1; interrupt_raise 99", "; ".join(_WRONG)),
    ),
}

# The same objects with three threads, on two CPUs and on three.
_SPIN = "semaphore_value 0; semaphore_value 0"
THREE = {
    "thread, on the joiner's CPU": Scenario(
        "",
        (
            "thread_start 1; thread_start 2; thread_join 1; thread_exit",
            "4@0: thread_exit",
            "4@1: thread_exit",
        ),
    ),
    "mutex": Scenario(_MUTEX, ("mutex_lock 0; mutex_unlock 0",) * 3, cpus=3),
    "mutex, priorities": Scenario(
        _MUTEX,
        (
            "mutex_lock 0; mutex_unlock 0",
            "2@1: mutex_lock 0; mutex_unlock 0",
            "6@2: mutex_lock 0; mutex_unlock 0",
        ),
        cpus=3,
    ),
    "mutex, two CPUs": Scenario(
        _MUTEX,
        (
            "thread_start 1; thread_start 2; mutex_lock 0; mutex_unlock 0; thread_exit",
            "6: mutex_lock 0; mutex_unlock 0; thread_exit",
            "5: mutex_lock 0; mutex_unlock 0; thread_exit",
        ),
    ),
    "semaphore": Scenario(
        _SEMAPHORE,
        ("semaphore_post 0; semaphore_post 0", "semaphore_wait 0", "semaphore_wait 0; semaphore_value 0"),
        cpus=3,
    ),
    "semaphore, two CPUs": Scenario(
        _SEMAPHORE,
        (
            "thread_start 1; thread_start 2; semaphore_post 0; semaphore_post 0; thread_exit",
            "6: semaphore_wait 0; thread_exit",
            "2: semaphore_wait 0; thread_exit",
        ),
    ),
    "condition, broadcast": Scenario(
        _COND,
        ("cond_broadcast 0; cond_broadcast 0", "cond_ticket 0; cond_wait 0", "cond_ticket 0; cond_wait 0"),
        cpus=3,
    ),
    "barrier": Scenario(_COND, ("barrier_wait 0 2",) * 3, cpus=3),
    "port": Scenario(
        "port_open 0 1; port_send 0 1",
        ("port_receive 0; port_receive 0; port_receive 0", "port_send 0 11", "port_send 0 12"),
        cpus=3,
    ),
    "port, another thread ready": Scenario(
        "port_open 0 1",
        (
            "thread_start 1; thread_start 2; port_receive 0; thread_exit",
            "4@1: port_send 0 11; thread_exit",
            "2@0: thread_exit",
        ),
    ),
    # One that sleeps, or ends, has published to a thread that is better than the one of another CPU.
    "port, better thread elsewhere": Scenario(
        _SEMAPHORE,
        (
            "thread_start 1; thread_start 2; port_send 0 11; semaphore_wait 0; thread_exit",
            "6@1: port_open 0; port_receive 0; semaphore_post 0; thread_exit",
            "2@1: semaphore_value 0; thread_exit",
        ),
    ),
    "port, better thread elsewhere, end of the sender": Scenario(
        "",
        (
            "thread_start 1; thread_start 2; port_send 0 11; thread_exit",
            "6@1: port_open 0; port_receive 0; thread_exit",
            "2@1: semaphore_value 0; thread_exit",
        ),
    ),
    "port, two CPUs": Scenario(
        "port_open 0 1",
        (
            "thread_start 1; thread_start 2; port_receive 0; port_receive 0; thread_exit",
            "6: port_send 0 11; thread_exit",
            "2: port_send 0 12; thread_exit",
        ),
    ),
    "slices": Scenario(
        f"slice 0 1; {_SEMAPHORE}",
        (
            f"thread_start 1; thread_start 2; {_SPIN}; thread_exit",
            f"4: {_SPIN}; thread_exit",
            f"4: {_SPIN}; thread_exit",
        ),
        time_steps=2,
        limit=20_000,
    ),
    "bell, better thread": Scenario(
        _SEMAPHORE,
        (
            "move 0 4096; thread_start 1; thread_start 2; semaphore_trywait 0; thread_exit",
            "6@0: semaphore_wait 0; thread_exit",
            "4@1: ring 0; thread_exit",
        ),
    ),
    "yield": Scenario(
        "",
        (
            "thread_start 1; thread_start 2; yield; thread_exit",
            "4: yield; thread_exit",
            "4: yield; thread_exit",
        ),
    ),
    "limit of one while another runs": Scenario(
        f"slice; {_SEMAPHORE}",
        (
            "thread_start 1; semaphore_post 0; thread_exit",
            "6@0: timed_semaphore_wait 0 2000; thread_exit",
            "2@0: thread_exit",
        ),
        time_steps=2,
    ),
}

# What the policies add, with each of them.
POLICY = {
    "weights": Scenario(
        f"slice 0 1; {_SEMAPHORE}",
        (
            f"thread_start 1; thread_start 2; set_weight 1 3; set_weight 0 2; {_SPIN}; thread_exit",
            "4: set_weight 2 2; semaphore_post 0; thread_exit",
            "4: semaphore_wait 0; thread_exit",
        ),
        time_steps=1,
        limit=400,
    ),
    "reservation": Scenario(
        f"slice 0 1; {_SEMAPHORE}",
        (
            "thread_start 1; reserve 1 1; thread_start 2; semaphore_wait 0; release 1; thread_exit",
            "4: semaphore_post 0; thread_exit",
            "4: yield; thread_exit",
        ),
        limit=400,
    ),
}

_RANDOM = (
    *("semaphore_wait 0", "semaphore_post 0", "semaphore_post 0", "semaphore_wait 1", "semaphore_post 1"),
    *("mutex_lock 0", "mutex_unlock 0", "mutex_trylock 0", "cond_ticket 0", "cond_wait 0", "cond_signal 0"),
    *("cond_broadcast 0", "yield", "yield", "barrier_wait 1 1", "semaphore_trywait 0"),
    *("set_sched_param {thread} {priority}", "set_weight {thread} {priority}", "slice 0 {priority}"),
    *("reserve {cpu} {thread}", "release {cpu}"),
)


def random_program(seed: int, cpus: int, policy: str = firmware.PRIORITY, walks: int = 40) -> Scenario:
    """Six threads that do anything, with slices, by random priorities.

    A thread with a place waits while its CPU is reserved (policies/exclusive.c), which may be for ever: where
    CPUs can be reserved only main has a place, and keeps it.
    """
    rnd = random.Random(f"{seed} {cpus} {policy}")
    reserves = policy.startswith("exclusive")
    texts = []
    for number in range(6):
        acts = [f"thread_start {each}" for each in range(1, 6)] if not number else []
        for _ in range(rnd.randrange(3, 9)):
            act = rnd.choice(_RANDOM)
            words = {"thread": rnd.randrange(6), "priority": rnd.randrange(1, 8), "cpu": rnd.randrange(cpus)}
            if reserves and act.startswith("reserve") and not words["cpu"]:
                continue
            acts.append(act.format(**words))
        text = "; ".join([*acts, "thread_exit"])
        if number:  # main has its place
            place = f"@{rnd.randrange(cpus)}" if not rnd.randrange(3) and not reserves else ""
            text = f"{rnd.randrange(1, 8)}{place}: {text}"
        texts.append(text)
    setup = f"slice 0 1; {_SEMAPHORE}; {_SEMAPHORE}; {_MUTEX}; {_COND}; {_COND}"
    return Scenario(setup, tuple(texts), cpus, time_steps=6, walks=walks, seed=seed, policy=policy)


def with_policies() -> dict[str, Scenario]:
    """Those of POLICY with each policy in C."""
    names = [*firmware.policies()[1:], "exclusive:dwrr"]
    return {
        f"{name}, {policy}": replace(scenario, policy=policy)
        for policy in names
        for name, scenario in POLICY.items()
    }


def all_scenarios() -> dict[str, Scenario]:
    named = {
        **{f"two threads {name}": each for name, each in TWO.items()},
        **{f"three threads {name}": each for name, each in THREE.items()},
        **{f"policy {name}": each for name, each in with_policies().items()},
        **{f"random {cpus} cpus": random_program(1, cpus) for cpus in (1, 2, 4)},
    }
    named |= {
        f"fine {name}": replace(each, kernel="fine") for name, each in named.items() if not each.is_policy
    }
    return {re.sub("[^a-z0-9]+", "-", name.lower()): scenario for name, scenario in named.items()}
