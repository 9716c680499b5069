# SPDX-License-Identifier: Apache-2.0
"""What a random stream of kernel operations has reached: a stream in which nothing happens finds nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from coreloom.reference.kernel import GIVE_WAY, SPEC, Config
from coreloom.reference.stream import Generator, Kind, Step

_NAMES = {op.code: name for name, op in SPEC.ops.items()}
_STATUS = 0xFF << 16
# The operations in which a thread waits, with the objects that they need.
_WAITS = {
    "thread_join": "threads", "mutex_lock": "mutexes", "mutex_wait": "monitors",
    "semaphore_wait": "semaphores", "port_receive": "ports", "cond_wait": "conditions",
    "barrier_wait": "conditions", "interrupt_wait": "lines",
}  # fmt: skip


@dataclass
class Reached:
    """Counts of steps, as the reference model says."""

    steps: int = 0
    kinds: Counter[str] = field(default_factory=Counter)  # loads, stores, ticks, ...
    done: Counter[str] = field(default_factory=Counter)  # operations without an error
    waits: Counter[str] = field(default_factory=Counter)  # operations that made their thread wait
    owners: int = 0  # threads that ended and owned a mutex
    limits: int = 0  # waits ended by their time limit

    def check(self, config: Config) -> None:
        """Most steps are operations, and none of the ways to wait or to end is left out."""
        assert self.kinds["load"] + self.kinds["store"] >= 0.6 * self.steps, self
        wanted = {op for op, objects in _WAITS.items() if getattr(config, objects)}
        if config.ports == 1:  # seldom its receiver's turn
            wanted.remove("port_receive")
        assert not wanted - set(self.waits), self
        often = {"thread_exit", "yield", *(("mutex_unlock",) if config.mutexes else ())}
        assert not {op for op in often if self.done[op] < 5}, self
        assert self.owners or not config.mutexes, self
        assert self.limits or not config.timeouts, self


def watched(generator: Generator, count: int, reached: Reached) -> Iterator[Step]:
    """The steps of a stream, which are counted."""
    steps = generator.steps(count)
    while True:
        kernel = generator.kernel
        owners = {mutex.owner for mutex in kernel.mutexes if mutex}
        current = [port.current for port in kernel.cpus]
        try:
            step = next(steps)
        except StopIteration:
            return
        reached.steps += 1
        reached.kinds[step.kind.name.lower()] += 1
        reached.limits += step.kind == Kind.TIME and bool(step.words or step.irq)
        if step.kind == Kind.LOAD:
            name = _NAMES.get(step.op, "none")
            word = dict(step.words).get(step.cpu)
            reached.done[name] += word is None or not word & _STATUS
            gone = word is None or (word & GIVE_WAY and kernel.cpus[step.cpu].current != current[step.cpu])
            if name in _WAITS and gone:
                reached.waits[name] += 1
            if name == "thread_exit" and gone:
                reached.owners += current[step.cpu] in owners
        yield step
