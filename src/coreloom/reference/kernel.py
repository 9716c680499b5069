# SPDX-License-Identifier: Apache-2.0
"""Reference model of the kernel operations: the referee of the RTL and of the software kernel.

It says what every operation answers and changes, not how long it takes.
`load` and `store` are the accesses of one CPU to its kernel port. A load that gives way when no
thread can run answers None: it is *pending*, as the RTL's load that has not returned. What another
CPU does later completes it; `completions()` hands out the words of loads completed since the last call.

Order of effects is part of the contract: publish first, then block, then choose the next thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partialmethod

from coreloom.design import spec as _spec

SPEC = _spec.kernel()
_CODE_TO_NAME = {op.code: op.name for op in SPEC.ops.values()}
_ATTR = SPEC.layouts["attributes"]
_THREAD_WORD = SPEC.layouts["thread_word"]
_ENTRY_WORD = SPEC.layouts["entry_word"]
_BINDING = SPEC.layouts["binding"]
_MUTEX = SPEC.layouts["mutex_attributes"]
_STATE = SPEC.states
GIVE_WAY = 1 << SPEC.layouts["word"]["give_way"].lsb
RESUMED = 1 << SPEC.layouts["word"]["resumed"].lsb
_STATUS_LSB = SPEC.layouts["word"]["status"].lsb
SEMAPHORE_MAX = SPEC.limits["semaphore_max"]
HARDWARE_PARAM = SPEC.limits["hardware_param"]
DEADLINE_MAX = SPEC.limits["deadline_max"]
SIGNALS = 1 << 16  # a condition variable counts its signals modulo this
WEIGHT_MAX = SPEC.limits["weight_max"]
SLICE_MAX = 0xFFFF  # ticks
ROUNDS = 4  # a thread's round is known modulo this
LEFT_LEAST = -(1 << 24)  # ticks run over are counted down to this
WORD_MASK = 0xFFFF_FFFF
# A level is a priority, or one of these two.
_IDLE = -1  # an idle thread: below every priority
_NONE = -2  # no thread
_NOBODY = -1  # owner of a locked mutex whose owner has ended
# Policy edf: that of a thread with a deadline is this less the deadline, so above all priorities. The RTL
# keeps deadlines modulo 2**17: the same as long as none has been missed by more than 32768 ticks.
_DEADLINES = 1 << 64
_HALF_TIME = 1 << 31  # times that far apart or more are not compared


Message = tuple[int, ...]  # 1 + port_words of them


def error(name: str) -> int:
    """The word of an operation that fails with status `name` (value 0)."""
    return SPEC.enums["status"][name].code << _STATUS_LSB


@dataclass(frozen=True)
class Config:
    """Sizes of the kernel. After reset CPU 0 runs thread 0 (dynamic, joinable) at half the top priority.

    Clients are the CPUs and after them the hardware threads, of which each runs its own thread only.
    """

    cpus: int = 2
    threads: int = 64
    priorities: int = 32
    ports: int = 32
    port_depth: int = 8
    port_words: int = 0  # words of a message after its first; only processors have them
    mutexes: int = 32
    semaphores: int = 32
    conditions: int = 32
    lines: int = 8
    hw_threads: int = 0  # with at most 128 priorities
    timeouts: bool = False  # waits can have time limits
    inheritance: bool = False  # mutexes can have a protocol; only with policy "priority"
    event_flags: bool = False  # condition variables can serve as event flags
    monitors: bool = False  # a wait for a condition can be one operation; without inheritance or pipeline
    pipeline: bool = (
        False  # more cycles an operation, the same words; only with policy "priority", no event flags
    )
    reserve: bool = False  # a CPU can be given to one thread alone; only with policy "priority"
    policy: str = "priority"  # or "dwrr", "edf"

    @property
    def clients(self) -> int:
        return self.cpus + self.hw_threads

    @property
    def main_priority(self) -> int:
        return self.priorities // 2


@dataclass
class Thread:
    state: int = _STATE["free"]
    priority: int = 0
    static: bool = False
    detached: bool = False
    idle: bool = False  # the idle thread of `cpu`
    cpu: int = 0  # where it runs or ran last
    home: int = 0  # of a static thread: the client that it is placed on
    joiner: int | None = None
    relative: int = 0  # edf: its relative deadline, 0: none
    deadline: int = 0
    own: int = 0  # inheritance: its own priority; `priority` has what it inherits, too
    held: list[int] = field(default_factory=list)  # the mutexes with a protocol that it holds, newest first
    limit: int | None = None  # timeouts: when its wait is to end,
    waits_for: tuple[str, int] | None = None  # and which: kind and number of the object
    flags: int = 0  # event flags: those that its last wait has found; while it waits, those it waits for,
    how: int = 0  # and how
    relock: int | None = None  # monitors: the mutex that a signal locks for it
    sent: list[int] = field(default_factory=list)  # ports with an active event of this thread, newest first
    ran: int = 0  # ticks: it was preempted when so much of its slice had passed
    # dwrr
    weight: int = 1
    left: int = 0  # ticks of its round slice; below 0: run over
    fresh: bool = True  # it has a new slice to come, when a CPU runs it
    round: int = 0  # how many slices it has used up, modulo ROUNDS


@dataclass
class Port:
    receiver: int
    immediate: bool
    frozen: deque[Message] = field(default_factory=deque)  # receive buffer
    active: deque[Message] = field(default_factory=deque)  # send buffer
    receiver_waits: bool = False
    senders: list[int] = field(default_factory=list)  # waiting for room


class Protocol(IntEnum):
    """The effect of a mutex on its owner's priority."""

    NONE = 0
    INHERIT = 1
    PROTECT = 2


@dataclass
class Mutex:
    owner: int | None = None
    waiters: list[int] = field(default_factory=list)
    protocol: Protocol = Protocol.NONE
    ceiling: int = 0


@dataclass
class Semaphore:
    count: int
    waiters: list[int] = field(default_factory=list)


@dataclass
class Condition:
    signals: int = 0  # of a barrier: how many have come; of event flags: those
    waiters: list[int] = field(default_factory=list)


_ALL, _CLEAR, _TRY = 1, 2, 4  # bits of an operation that waits for event flags


def _suffice(flags: int, wanted: int, how: int) -> bool:
    return flags & wanted == wanted if how & _ALL else bool(flags & wanted)


class Binding(IntEnum):
    """The object that an interrupt line is bound to."""

    THREAD = 0
    SEMAPHORE = 1
    PORT = 2


@dataclass
class Line:
    kind: Binding
    object: int  # thread, semaphore or port
    fired: bool = False  # an interrupt that the thread has not taken
    waits: bool = False  # the thread waits


@dataclass
class Cpu:
    current: int | None = None
    waiting: bool = False  # a load is pending: no thread to run
    held: bool = False  # dwrr: with it, the current thread has used its slice, and waits for the next round
    interrupt: bool = False  # level of intr_i
    words: list[int] = field(default_factory=lambda: [0])  # WORD0, and the other words of a message
    switching: bool = False  # between an answer with GIVE_WAY and `saved`
    leaving: int | None = None  # thread whose context is not saved yet
    leaving_ready: bool = False  # it is ready: queue it when saved
    leaving_front: bool = False  # it was preempted: it keeps the head of its priority
    turn_dynamic: bool = False  # which queue wins the next tie
    turn_home: int = 0  # of several queues of placed threads: the one that won the last tie
    slice_ran: int = 0  # ticks of its slice that have passed, at most SLICE_MAX
    slice_used: bool = False

    @property
    def word0(self) -> int:
        return self.words[0]

    def register(self, id: int) -> int:
        """Which of its words a load or store of word0 is for."""
        return id if id < len(self.words) else 0


class Kernel:
    """The operations over one set of state. Threads, clients and objects are numbered from 0.

    Client c is CPU c, or from config.cpus on hardware thread c - config.cpus; `cpu` means either.
    """

    def __init__(self, config: Config | None = None) -> None:
        self.config = config = config or Config()
        self.dwrr = config.policy == "dwrr"
        assert not (config.reserve or config.inheritance) or config.policy == "priority"
        assert not config.monitors or not (config.inheritance or config.pipeline)
        assert not config.hw_threads or config.priorities <= HARDWARE_PARAM
        self.threads = [Thread() for _ in range(config.threads)]
        self.cpus = [
            Cpu(words=[0] * (1 + config.port_words if c < config.cpus else 1)) for c in range(config.clients)
        ]
        # Queue 0 holds the dynamic threads, queue 1 + c the threads of client c only; behind those is one
        # for the owner of each CPU. A queue is a FIFO a level. With dwrr the last queue and queue 0 take
        # turns: dynamic threads that may run now are in queue `now`, those of the next round in `later`.
        self.queues: list[dict[int, deque[int]]] = [
            {} for _ in range(config.clients + 1 + config.cpus + self.dwrr)
        ]
        self.now, self.later = 0, len(self.queues) - 1
        self.round = 0  # of the threads in queue `now`, modulo ROUNDS
        # Reservations: the owner of a CPU, and which CPU serves the threads placed on a CPU.
        self.owners: list[int | None] = [None] * config.cpus
        self.keepers = list(range(config.clients))
        self.idle_threads: list[int | None] = [None] * config.cpus
        self.unit_threads: list[int | None] = [None] * config.hw_threads
        self.ports: list[Port | None] = [None] * config.ports
        # The thread with the port on its `sent` list; outlives the closing of the port, until it publishes.
        self.port_writer: list[int | None] = [None] * config.ports
        self.mutexes: list[Mutex | None] = [None] * config.mutexes
        self.semaphores: list[Semaphore | None] = [None] * config.semaphores
        self.conditions: list[Condition | None] = [None] * config.conditions
        self.lines: list[Line | None] = [None] * config.lines
        # Freed ids are used again last in, first out; then never-used ones in ascending order.
        self.free_threads = list(range(config.threads - 1, 0, -1))
        self.slice = 0
        self.ticks = 0  # edf: the time
        self.time_now = 0  # timeouts: the time
        self._completed: list[tuple[int, int]] = []
        self.threads[0] = Thread(
            _STATE["running"], config.main_priority, own=config.main_priority, fresh=False
        )
        self.cpus[0].current = 0

    # --- the port ---------------------------------------------------------------------

    def load(self, cpu: int, op: int, id: int) -> int | None:
        """One load. The word it returns, or None while it is pending."""
        answer = self._operate(cpu, op, id)
        self._settle()
        if self.config.timeouts:
            self._end_waits()
        return answer

    def _operate(self, cpu: int, op: int, id: int) -> int | None:
        port = self.cpus[cpu]
        assert not port.waiting, "one access at a time: this CPU's load is pending"
        name = _CODE_TO_NAME.get(op)
        if name == "word0":
            return port.words[port.register(id)]
        if name is None or not SPEC.ops[name].any_time:
            self._save(cpu)
        if name is None or SPEC.ops[name].access == "store":
            return error("einval")
        if name in ("timeout_start", "timeout_stop") and not self.config.timeouts:
            return error("einval")
        if name == "mutex_protocol" and not self.config.inheritance:
            return error("einval")
        if name == "mutex_wait" and not self.config.monitors:
            return error("einval")
        if SPEC.ops[name].kind == "flags" and not self.config.event_flags:
            return error("einval")
        caller = None if port.current is None else self.threads[port.current]
        running = caller is not None and caller.state == _STATE["running"]
        if SPEC.ops[name].needs_thread and not running:
            return error("esrch")
        operation: Callable[[int, int], int | None] = getattr(self, f"_{name}")
        answer = operation(cpu, id)
        if caller is not None and running and caller.state == _STATE["blocked"] and caller.limit is not None:
            kind, object = SPEC.ops[name].id or "", id
            if name == "mutex_wait":
                kind, object = "condition", port.word0
            caller.waits_for = (kind, object) if kind in ("mutex", "semaphore", "port", "condition") else None
        return answer

    def store(self, cpu: int, op: int, id: int, word: int) -> None:
        """One store: word0 or saved; any other is ignored."""
        name = _CODE_TO_NAME.get(op)
        if name == "word0":
            port = self.cpus[cpu]
            port.words[port.register(id)] = word & WORD_MASK
        elif name == "saved":
            self._save(cpu)
            self._settle()

    def completions(self) -> list[tuple[int, int]]:
        """(cpu, word) of the pending loads that completed since the last call, in order."""
        done, self._completed = self._completed, []
        return done

    # --- inputs and outputs besides the port ----------------------------------------------

    def tick(self) -> None:
        """One strobe of tick_i: the slices of all running threads get shorter."""
        self.ticks += 1
        if self.dwrr:
            for c in range(self.config.cpus):
                if self.slice and self._runs(c) and not (thread := self.threads[self._current(c)]).idle:
                    thread.left = max(thread.left - 1, LEFT_LEAST)
            return
        for cpu in self.cpus[: self.config.cpus]:
            if cpu.waiting or cpu.current is None or not self.slice:
                continue
            cpu.slice_ran = min(cpu.slice_ran + 1, SLICE_MAX)
            cpu.slice_used |= cpu.slice_ran >= self.slice

    def time(self, now: int) -> None:
        """now_i has gone on."""
        self.time_now = now & WORD_MASK
        self._end_waits()

    def line(self, line: int) -> None:
        """A rising edge of line_i: an interrupt."""
        self._fire(line)
        self._settle()

    def interrupt(self, cpu: int, level: bool) -> None:
        """Level of intr_i: an interrupt that is not the kernel's ends an idle wait."""
        self.cpus[cpu].interrupt = level
        if level and self.cpus[cpu].waiting:
            self._complete(cpu, error("eintr"))

    def irq(self, cpu: int) -> bool:
        """Level of irq_o: the thread on this CPU should answer with `preempt`."""
        port = self.cpus[cpu]
        if not self._runs(cpu) or port.switching:
            return False
        own = self._rank(cpu)
        static, dynamic = self._best_placed(cpu), self._best_dynamic(cpu)
        if self.dwrr and self._slice_used(cpu):
            return True
        if max(static, dynamic) == _NONE:
            return False
        if port.slice_used and max(static, dynamic) >= own:
            return True
        return static > own or (self._best(self.now) > own and cpu == self._worst_cpu())

    def idle(self, cpu: int) -> bool:
        """idle_o: a load of this client is pending."""
        return self.cpus[cpu].waiting

    # --- scheduling -------------------------------------------------------------------------

    def _runs(self, cpu: int) -> bool:
        port = self.cpus[cpu]
        return (
            not port.waiting
            and port.current is not None
            and self.threads[port.current].state == _STATE["running"]
        )

    def _level(self, tid: int) -> int:
        thread = self.threads[tid]
        if thread.idle:
            return _IDLE
        return _DEADLINES - thread.deadline if thread.relative else thread.priority

    def _count_deadline(self, tid: int) -> None:
        """The thread becomes ready, or has a new relative deadline: its deadline is counted from now."""
        self.threads[tid].deadline = self.ticks + self.threads[tid].relative

    def _best(self, queue: int) -> int:
        """Highest level with a thread in this queue, _NONE if it is empty."""
        return max(self.queues[queue], default=_NONE)

    def _push(self, tid: int, front: bool = False) -> None:
        fifo = self.queues[self._queue_of(tid)].setdefault(self._level(tid), deque())
        if front:
            fifo.appendleft(tid)
        else:
            fifo.append(tid)

    def _take(self, tid: int) -> int:
        """The thread leaves its queue."""
        queue, level = self.queues[self._queue_of(tid)], self._level(tid)
        queue[level].remove(tid)
        if not queue[level]:
            del queue[level]
        return tid

    def _is_hardware(self, cpu: int) -> bool:
        return cpu >= self.config.cpus

    def _is_reserved(self, cpu: int) -> bool:
        return not self._is_hardware(cpu) and self.owners[cpu] is not None

    def _owned(self, tid: int) -> int | None:
        """The CPU that this thread has alone."""
        return self.owners.index(tid) if tid in self.owners else None

    def _rank(self, cpu: int) -> int:
        """Level of the current thread; _NONE if the CPU is another's, or it has one and this is not it."""
        tid = self._current(cpu)
        strange = self._is_reserved(cpu) and self.owners[cpu] != tid
        return _NONE if strange or self._owned(tid) not in (None, cpu) else self._level(tid)

    def _best_dynamic(self, cpu: int) -> int:
        """Of the threads that any CPU may run; hardware threads and reserved CPUs run none of them."""
        return _NONE if self._is_hardware(cpu) or self._is_reserved(cpu) else self._best(self.now)

    def _placed(self, cpu: int) -> list[int]:
        """The queues of threads that only this client may run now, in the order in which they win a tie."""
        if self._is_reserved(cpu):
            return [1 + self.config.clients + cpu]
        homes = [home for home, keeper in enumerate(self.keepers) if keeper == cpu]
        return [1 + home for home in sorted(homes, key=lambda home: home <= self.cpus[cpu].turn_home)]

    def _best_placed(self, cpu: int) -> int:
        return max(self._best(queue) for queue in self._placed(cpu))

    def _best_for(self, cpu: int) -> int:
        """Level of the best ready thread that this client may run."""
        return max(self._best_dynamic(cpu), self._best_placed(cpu))

    def _may_run(self, tid: int, cpu: int) -> bool:
        if self.threads[tid].static or tid in self.owners:
            return self._queue_of(tid) in self._placed(cpu)
        return not (self._is_hardware(cpu) or self._is_reserved(cpu))

    def _worst_cpu(self) -> int | None:
        """The CPU to preempt: it runs the lowest priority (the lowest number of equals)."""
        running = [c for c in range(self.config.cpus) if self._runs(c) and not self._is_reserved(c)]
        return min(running, key=self._rank, default=None)

    def _queue_of(self, tid: int) -> int:
        thread, owned = self.threads[tid], self._owned(tid)
        if owned is not None:
            return 1 + self.config.clients + owned
        if thread.static:
            return 1 + thread.home
        return self.later if self._is_later(thread) else self.now

    def _enqueue(self, tid: int, front: bool = False) -> None:
        """Make a thread eligible; give it to a waiting CPU (the lowest that may run it) at once."""
        thread = self.threads[tid]
        thread.state = _STATE["ready"]
        self._push(tid, front)
        if self._is_later(thread):
            return
        for cpu in range(self.config.clients):
            if self.cpus[cpu].waiting and not self.cpus[cpu].held and self._may_run(tid, cpu):
                self._complete(cpu, self._switch(cpu, tid))
                return

    def _pick(self, cpu: int) -> int | None:
        """Take the best thread for this CPU; of equals, the queues take turns."""
        port = self.cpus[cpu]
        static, dynamic = self._best_placed(cpu), self._best_dynamic(cpu)
        if static == dynamic == _NONE:
            return None
        use_dynamic = dynamic > static
        if static == dynamic:
            use_dynamic = port.turn_dynamic
            port.turn_dynamic = not port.turn_dynamic
        if use_dynamic:
            return self._take(self.queues[self.now][dynamic][0])
        equal = [queue for queue in self._placed(cpu) if self._best(queue) == static]
        if len(equal) > 1:
            port.turn_home = equal[0] - 1
        return self._take(self.queues[equal[0]][static][0])

    def _start_slice(self, cpu: int) -> None:
        if self.dwrr:
            self._renew(self.threads[self._current(cpu)])
        self.cpus[cpu].slice_ran = 0
        self.cpus[cpu].slice_used = False

    def _go_on(self, cpu: int) -> None:
        """The thread that the CPU has begun to run goes on with the slice in which it was preempted."""
        thread = self.threads[self._current(cpu)]
        self.cpus[cpu].slice_ran, thread.ran = thread.ran, 0

    def _switch(self, cpu: int, tid: int | None = None) -> int:
        """Run the best ready thread (there is one), or this one; the thread left, if any, must be saved."""
        port = self.cpus[cpu]
        next_tid = self._pick(cpu) if tid is None else self._take(tid)
        assert next_tid is not None
        port.switching = True
        port.leaving, port.leaving_ready, port.leaving_front = port.current, False, False
        port.current = next_tid
        self.threads[next_tid].state = _STATE["running"]
        self.threads[next_tid].cpu = cpu
        self._start_slice(cpu)
        self._go_on(cpu)
        return GIVE_WAY | next_tid

    def _wait(self, cpu: int) -> int | None:
        """The CPU has no running thread: switch to the best, or wait for one."""
        if self._best_for(cpu) != _NONE:
            return self._switch(cpu)
        if self.cpus[cpu].interrupt and not self.dwrr:  # else it is told when everything has settled
            return error("eintr")
        self.cpus[cpu].waiting = True
        return None

    def _complete(self, cpu: int, word: int) -> None:
        self.cpus[cpu].waiting = self.cpus[cpu].held = False
        self._completed.append((cpu, word))

    def _block(self, cpu: int) -> int | None:
        tid = self._current(cpu)
        self.threads[tid].state = _STATE["blocked"]
        return self._wait(cpu)

    def _give_way(self, cpu: int, front: bool) -> int:
        """The current thread stays ready; it is queued when its context is saved."""
        tid = self._current(cpu)
        ran = self.cpus[cpu].slice_ran if front and self.slice else 0
        word = self._switch(cpu)
        self.threads[tid].ran = ran
        self.cpus[cpu].leaving_ready, self.cpus[cpu].leaving_front = True, front
        self.threads[tid].state = _STATE["ready"]
        return word

    # --- weights and rounds ([DWRR]; docs/decisions/0014) ------------------------------------------
    # `round` is the last that has begun. L, the lowest of all runnable dynamic threads, is that or the one
    # before; the threads that are still there were running when `round` began.

    def _is_later(self, thread: Thread) -> bool:
        """It is in the round that has not begun yet."""
        later = (self.round + 1) % ROUNDS
        return self.dwrr and not thread.static and thread.round == later and thread.state == _STATE["ready"]

    def _is_behind(self, thread: Thread) -> bool:
        """A runnable one that is still in the round before."""
        runnable = thread.state in (_STATE["ready"], _STATE["running"])
        return runnable and not thread.static and thread.round == (self.round - 1) % ROUNDS

    def _enter(self, thread: Thread) -> None:
        """It becomes runnable: if still in its round with what is left of its slice, else with a new one."""
        if thread.state != _STATE["blocked"] or thread.round != self.round:
            thread.round, thread.fresh = self.round, True

    def _renew(self, thread: Thread) -> None:
        """A CPU runs it: a new slice is less by what it ran over."""
        if thread.fresh and self.slice:
            thread.left = thread.weight * self.slice + min(thread.left, 0)
            thread.fresh = False

    def _slice_used(self, cpu: int) -> bool:
        thread = self.threads[self._current(cpu)]
        return self.slice != 0 and thread.left <= 0 and not thread.idle and not self._is_hardware(cpu)

    def _preempt_dwrr(self, cpu: int) -> int | None:
        tid = self._current(cpu)
        thread, best = self.threads[tid], self._best_for(cpu)
        if not self._slice_used(cpu):
            return self._give_way(cpu, front=True) if best > self._level(tid) else 0
        if not thread.static and not self._is_behind(thread):
            if best <= _IDLE:
                self.cpus[cpu].waiting = self.cpus[cpu].held = True
                return None
            least = 0
        else:
            least = self._level(tid)
        thread.round, thread.fresh = (thread.round + 1) % ROUNDS, True
        if best >= least:
            return self._give_way(cpu, front=False)
        self._renew(thread)
        return 0

    def _settle(self) -> None:
        """Consequences of an operation: pending loads that can end do; a round begins if a CPU needs it."""
        clients = range(self.config.cpus)
        if not self.dwrr:
            return
        while True:
            waiting = [c for c in clients if self.cpus[c].waiting]
            done = [
                c
                for c in sorted(waiting, key=lambda c: self.cpus[c].held)
                if self._best_for(c) > _IDLE
                or (self.cpus[c].held and self._is_behind(self.threads[self._current(c)]))
            ]
            if done:
                held = self.cpus[done[0]].held
                self.cpus[done[0]].waiting = self.cpus[done[0]].held = False
                word = self._preempt_dwrr(done[0]) if held else self._switch(done[0])
                assert word is not None
                self._complete(done[0], word)
                continue
            idle = [c for c in clients if self._runs(c) and self.threads[self._current(c)].idle]
            wanted = any(self.cpus[c].held for c in clients)
            wanted |= self._best(self.later) != _NONE and bool(waiting + idle)
            if not wanted or self._best(self.now) != _NONE:
                break
            if not any(self._is_behind(thread) for thread in self.threads):
                self.now, self.later = self.later, self.now
                self.round = (self.round + 1) % ROUNDS
            elif not self._close():
                break
        for c in range(self.config.clients):
            if self.cpus[c].waiting and self.cpus[c].interrupt:
                self._complete(c, error("eintr"))

    def _close(self) -> bool:
        """Running threads whose weight is infeasible end the round before. Whether there was one.

        Such a weight is more than a CPU's part of all; each that is found leaves the others a CPU less.
        """
        able = (_STATE["ready"], _STATE["running"])
        cpus = self.config.cpus
        weight = sum(t.weight for t in self.threads if t.state in able and not t.static)
        left = [
            t
            for c in range(cpus)
            if (tid := self.cpus[c].current) is not None
            and (t := self.threads[tid]).state == _STATE["running"]
            and not t.static
        ]
        closed = False
        while found := next((t for t in left if t.weight * cpus > weight), None):
            left.remove(found)
            cpus -= 1
            weight -= found.weight
            if self._is_behind(found):
                found.round, found.fresh, closed = self.round, True, True
                self._renew(found)
        return closed

    def _wake(self, tid: int) -> None:
        """A blocked thread may go on: in place, when its context is saved, or by the ready queue."""
        thread = self.threads[tid]
        port = self.cpus[thread.cpu]
        self._enter(thread)
        self._count_deadline(tid)
        if port.current == tid:
            thread.state = _STATE["running"]
            self._start_slice(thread.cpu)
            if port.waiting:
                self._complete(thread.cpu, RESUMED)
        elif port.leaving == tid:
            thread.state = _STATE["ready"]
            port.leaving_ready = True
        else:
            self._enqueue(tid)

    def _save(self, cpu: int) -> None:
        port = self.cpus[cpu]
        tid, ready = port.leaving, port.leaving_ready
        port.leaving = None
        port.switching = False
        if tid is not None and ready:
            self._enqueue(tid, port.leaving_front)

    def _current(self, cpu: int) -> int:
        tid = self.cpus[cpu].current
        assert tid is not None
        return tid

    def _queue_waiter(self, waiters: list[int], tid: int) -> None:
        """Before the first waiter whose priority is lower now; so by priority, then in order."""
        level = self._level(tid)
        lower = (i for i, other in enumerate(waiters) if self._level(other) < level)
        waiters.insert(next(lower, len(waiters)), tid)

    def _leave(self, waiters: list[int], tid: int) -> int:
        """The wait of this thread ends, with nothing for it."""
        if tid not in waiters:
            return error("enoent")
        waiters.remove(tid)
        self._wake(tid)
        return 0

    # --- threads --------------------------------------------------------------------------------

    def _next(self, cpu: int, id: int) -> int | None:
        if self._runs(cpu):
            return RESUMED
        return self._wait(cpu)

    def _self(self, cpu: int, id: int) -> int:
        return self._current(cpu)

    def _yield(self, cpu: int, id: int) -> int:
        self._publish(cpu)
        best = self._best_for(cpu)
        if best == _NONE or best < self._rank(cpu):
            return 0
        return self._give_way(cpu, front=False)

    def _preempt(self, cpu: int, id: int) -> int | None:
        self._publish(cpu)
        if self.dwrr:
            return self._preempt_dwrr(cpu)
        own = self._rank(cpu)
        best = self._best_for(cpu)
        used = self.cpus[cpu].slice_used
        if best > own or (used and best == own != _NONE):
            return self._give_way(cpu, front=not used)
        return 0

    def _thread_create(self, cpu: int, id: int) -> int:
        word0 = self.cpus[cpu].word0
        priority, on_cpu = _ATTR["priority"].get(word0), _ATTR["cpu"].get(word0)
        static = bool(_ATTR["static"].get(word0))
        unit = None
        if self.config.priorities <= HARDWARE_PARAM <= priority:
            unit = priority - HARDWARE_PARAM
            if unit >= self.config.hw_threads:
                return error("enodev")
            if self.unit_threads[unit] is not None:
                return error("ebusy")
            # In wait lists hardware threads come first.
            priority, static, on_cpu = self.config.priorities - 1, True, self.config.cpus + unit
        elif priority >= self.config.priorities or (static and on_cpu >= self.config.cpus):
            return error("einval")
        if not self.free_threads:
            return error("eagain")
        tid = self.free_threads.pop()
        detached = bool(_ATTR["detached"].get(word0))
        home = on_cpu if static else 0
        self.threads[tid] = Thread(
            _STATE["created"], priority, static, detached, cpu=home, home=home, own=priority
        )
        if unit is not None:
            self.unit_threads[unit] = tid
        return tid

    def _thread(self, tid: int) -> Thread | None:
        """The thread of that id, None if the id is not in use."""
        if tid >= self.config.threads or self.threads[tid].state == _STATE["free"]:
            return None
        return self.threads[tid]

    def _thread_start(self, cpu: int, id: int) -> int:
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        if wrong := self._not_startable(thread):
            return wrong
        self._enter(thread)
        self._count_deadline(id)
        self._enqueue(id)
        return 0

    def _not_startable(self, thread: Thread) -> int:
        """0 for a created or suspended thread, else the error word that says why it cannot become ready."""
        if thread.state in (_STATE["created"], _STATE["suspended"]):
            return 0
        others = {_STATE["ready"]: "ealready", _STATE["exited"]: "eshutdown"}
        return error(others.get(thread.state, "einprogress"))

    def _free_thread(self, tid: int) -> None:
        if tid in self.unit_threads:
            self.unit_threads[self.unit_threads.index(tid)] = None
        self.threads[tid].state = _STATE["free"]
        self.free_threads.append(tid)

    def _thread_exit(self, cpu: int, id: int) -> int | None:
        self._publish(cpu)
        tid = self._current(cpu)
        thread = self.threads[tid]
        thread.state = _STATE["exited"]
        self.cpus[cpu].current = None
        if thread.idle:
            self.idle_threads[cpu] = None
        owned = self._owned(tid)
        if owned == cpu:
            self._give_back(cpu)
        while thread.held:
            mutex = self._held(thread.held.pop())
            mutex.owner, mutex.protocol = _NOBODY, Protocol.NONE
        for number, line in enumerate(self.lines):
            if line is not None and line.kind is Binding.THREAD and line.object == tid:
                self.lines[number] = None
        joiner = thread.joiner
        if joiner is not None or thread.detached:
            self._free_thread(tid)
        if joiner is not None:
            self._wake(joiner)
        word = self._wait(cpu)
        if owned not in (None, cpu):
            self._give_back(owned)
            self._offer(owned)
        return word

    def _move(self, cpu: int, id: int) -> int | None:
        word0, tid = self.cpus[cpu].word0, self._current(cpu)
        thread = self.threads[tid]
        on_cpu, static = _ATTR["cpu"].get(word0), bool(_ATTR["static"].get(word0))
        if self.dwrr or thread.idle or tid in self.unit_threads:
            return error("enotsup")
        if self._owned(tid) is not None:
            return error("ebusy")
        if _ATTR["priority"].get(word0) >= self.config.priorities or (static and on_cpu >= self.config.cpus):
            return error("einval")
        self._publish(cpu)
        self.cpus[cpu].current = None
        thread.state, thread.static, thread.home = _STATE["blocked"], static, on_cpu if static else 0
        if static:
            thread.cpu = on_cpu
        self._wake(tid)
        return self._wait(cpu)

    def _thread_join(self, cpu: int, id: int) -> int | None:
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        if id == self._current(cpu):
            return error("edeadlk")
        if thread.detached:
            return error("einval")
        if thread.joiner is not None:
            return error("ebusy")
        if thread.state == _STATE["exited"]:
            self._free_thread(id)
            return 0
        self._publish(cpu)
        thread.joiner = self._current(cpu)
        return self._block(cpu)

    def _thread_detach(self, cpu: int, id: int) -> int:
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        if thread.detached:
            return error("einval")
        if thread.joiner is not None:
            return error("ebusy")
        thread.detached = True
        if thread.state == _STATE["exited"]:
            self._free_thread(id)
        return 0

    def _wrong_param(self, cpu: int, id: int) -> int:
        """The error word of set_sched_param, or 0."""
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        if thread.state == _STATE["exited"]:
            return error("eshutdown")
        if thread.idle or id in self.unit_threads:
            return error("enotsup")
        return error("einval") if self.cpus[cpu].word0 >= self.config.priorities else 0

    def _set_sched_param(self, cpu: int, id: int) -> int:
        if wrong := self._wrong_param(cpu, id):
            return wrong
        thread, priority = self.threads[id], self.cpus[cpu].word0
        old = thread.priority
        if self.config.inheritance:
            old, thread.own = thread.own, priority
            self._settle_priority(id, asked=True)
        else:
            self._change_priority(id, priority)
        return old

    def _change_priority(self, id: int, priority: int) -> None:
        """A ready thread goes to the tail of its new priority."""
        thread = self.threads[id]
        queued = self._is_in_queue(id)
        if queued:
            self._take(id)
        thread.priority = priority
        if queued:
            self._push(id)

    def _set_deadline(self, cpu: int, id: int) -> int:
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        if self.config.policy != "edf" or thread.idle or id in self.unit_threads:
            return error("enotsup")
        if self.cpus[cpu].word0 > DEADLINE_MAX:
            return error("einval")
        old = thread.relative
        queued = self._is_in_queue(id)
        if queued:
            self._take(id)
        thread.relative = self.cpus[cpu].word0
        self._count_deadline(id)
        if queued:
            self._push(id)
        return old

    def _check_sched_param(self, cpu: int, id: int) -> int:
        return self._wrong_param(cpu, id)

    def _get_sched_param(self, cpu: int, id: int) -> int:
        return error("esrch") if self._thread(id) is None else self._param(id)

    def _param(self, tid: int) -> int:
        if tid in self.unit_threads:
            return HARDWARE_PARAM + self.unit_threads.index(tid)
        thread = self.threads[tid]
        return thread.own if self.config.inheritance else thread.priority

    def _thread_read(self, cpu: int, id: int) -> int:
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        fields = {"state": thread.state, "priority": thread.priority, "cpu": thread.cpu}
        return sum(value << _THREAD_WORD[name].lsb for name, value in fields.items())

    def _slice(self, cpu: int, id: int) -> int:
        self.slice = self.cpus[cpu].word0 & SLICE_MAX
        if self.dwrr:
            for thread in self.threads:
                if thread.state == _STATE["running"]:
                    thread.fresh = True
                    self._renew(thread)
            return 0
        for c in range(self.config.cpus):
            self._start_slice(c)
        return 0

    def _set_weight(self, cpu: int, id: int) -> int:
        if not self.dwrr:
            return error("enotsup")
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        if thread.idle or id in self.unit_threads:
            return error("enotsup")
        if not 1 <= self.cpus[cpu].word0 <= WEIGHT_MAX:
            return error("einval")
        old, thread.weight = thread.weight, self.cpus[cpu].word0
        return old

    # --- the ready queue ([HT]: the scheduler's operations) ---------------------------------------

    def _is_in_queue(self, tid: int) -> bool:
        return tid in self.queues[self._queue_of(tid)].get(self._level(tid), ())

    def _dequeue(self, cpu: int, id: int) -> int:
        tid = self._pick(cpu)
        if tid is None:
            return error("eagain")
        self.threads[tid].state = _STATE["suspended"]
        return tid

    def _remove(self, cpu: int, id: int) -> int:
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        if not self._is_in_queue(id):
            return error("enoent")
        self._take(id)
        thread.state = _STATE["suspended"]
        return 0

    def _get_entry(self, cpu: int, id: int) -> int:
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        fields = {
            "sched_param": self._param(id),
            "queued": self._is_in_queue(id),
            "static": thread.static,
            "idle": thread.idle,
            "hardware": id in self.unit_threads,
        }
        return sum(value << _ENTRY_WORD[name].lsb for name, value in fields.items())

    def _is_queued(self, cpu: int, id: int) -> int:
        return error("esrch") if self._thread(id) is None else int(self._is_in_queue(id))

    def _is_empty(self, cpu: int, id: int) -> int:
        return int(self._best_for(cpu) == _NONE)

    def _set_idle_thread(self, cpu: int, id: int) -> int:
        thread = self._thread(id)
        if thread is None:
            return error("esrch")
        if wrong := self._not_startable(thread):
            return wrong
        if self._is_hardware(cpu) or id in self.unit_threads:
            return error("enotsup")
        if self.idle_threads[cpu] is not None or thread.idle or self._is_reserved(cpu) or id in self.owners:
            return error("ebusy")
        self.idle_threads[cpu] = id
        thread.idle, thread.static, thread.cpu, thread.home = True, True, cpu, cpu
        self._enqueue(id)
        return 0

    # --- reservations ([GF]: Golden-Finger in one operation) ------------------------------------------

    def _load_of(self, cpu: int) -> int:
        """Placed threads that are ready, and the one that runs; an idle thread is none."""
        tid = self.cpus[cpu].current
        runs = self._runs(cpu) and tid is not None and self._level(tid) != _IDLE
        queues = [self.queues[queue] for queue in self._placed(cpu)]
        return runs + sum(len(fifo) for queue in queues for level, fifo in queue.items() if level != _IDLE)

    def _take_out(self, tid: int) -> bool:
        """Out of its ready queue; whether it was in one."""
        queued = self._is_in_queue(tid)
        if queued:
            self._take(tid)
        return queued

    def _offer(self, cpu: int) -> None:
        """This CPU serves more than before: it may have been waiting for that."""
        if self.cpus[cpu].waiting and self._best_for(cpu) != _NONE:
            self._complete(cpu, self._switch(cpu))

    def _give_back(self, cpu: int) -> None:
        """The CPU has no owner any more, and serves the threads placed on it again."""
        self.owners[cpu] = None
        self.keepers[cpu] = cpu

    def _reserve(self, cpu: int, id: int) -> int:
        if not self.config.reserve:
            return error("enotsup")
        if id >= self.config.cpus:
            return error("einval")
        tid = self.cpus[cpu].word0
        thread = self._thread(tid)
        if thread is None:
            return error("esrch")
        if thread.state == _STATE["exited"]:
            return error("eshutdown")
        if thread.idle or tid in self.unit_threads:
            return error("enotsup")
        others = [c for c, owner in enumerate(self.owners) if owner is None and c != id]
        if self._is_reserved(id) or self.idle_threads[id] is not None or tid in self.owners or not others:
            return error("ebusy")
        heir = min(others, key=self._load_of)
        queued = self._take_out(tid)
        self.keepers = [heir if keeper == id else keeper for keeper in self.keepers]
        self.owners[id] = tid
        if queued:
            self._enqueue(tid)
        self._offer(heir)
        return heir

    def _release(self, cpu: int, id: int) -> int:
        if not self.config.reserve:
            return error("enotsup")
        if id >= self.config.cpus:
            return error("einval")
        tid = self.owners[id]
        if tid is None:
            return error("enoent")
        queued = self._take_out(tid)
        self._give_back(id)
        if queued:
            self._enqueue(tid)
        self._offer(id)
        return 0

    # --- time limits ----------------------------------------------------------------------------------

    def _timeout_start(self, cpu: int, id: int) -> int:
        thread = self.threads[self._current(cpu)]
        thread.limit, thread.waits_for = self.cpus[cpu].word0, None
        return 0

    def _timeout_stop(self, cpu: int, id: int) -> int:
        thread = self.threads[self._current(cpu)]
        over = thread.limit is None
        thread.limit = None
        return int(over)

    def _end_waits(self) -> None:
        """Waits whose time is over end, the earliest first."""

        def late(tid: int) -> int:
            limit = self.threads[tid].limit
            return 0 if limit is None else self.time_now - limit & WORD_MASK

        over = [
            tid
            for tid, thread in enumerate(self.threads)
            if thread.limit is not None and thread.waits_for and late(tid) < _HALF_TIME
        ]
        for tid in sorted(over, key=late, reverse=True):
            thread = self.threads[tid]
            assert thread.waits_for
            (kind, id), thread.waits_for = thread.waits_for, None
            if not self._leave_object(kind, id, tid):
                thread.limit = None
            self._settle()

    def _leave_object(self, kind: str, id: int, tid: int) -> int:
        if kind == "port":
            return self._leave_port(id, tid)
        find: dict[str, Callable[[int], Mutex | Semaphore | Condition | None]] = {
            "mutex": self._mutex, "semaphore": self._semaphore, "condition": self._condition,
        }  # fmt: skip
        found = find[kind](id)
        if found is None:
            return error("einval")
        word = self._leave(found.waiters, tid)
        if isinstance(found, Mutex):
            self._settle_owner(found)
        return word

    # --- mutexes ------------------------------------------------------------------------------

    def _mutex_create(self, cpu: int, id: int) -> int:
        if None not in self.mutexes:
            return error("eagain")
        new = self.mutexes.index(None)
        self.mutexes[new] = Mutex()
        return new

    def _mutex(self, id: int) -> Mutex | None:
        return self.mutexes[id] if id < self.config.mutexes else None

    def _mutex_destroy(self, cpu: int, id: int) -> int:
        mutex = self._mutex(id)
        if mutex is None:
            return error("einval")
        if mutex.owner is not None:
            return error("ebusy")
        self.mutexes[id] = None
        return 0

    def _above_ceiling(self, mutex: Mutex, tid: int) -> bool:
        return mutex.protocol is Protocol.PROTECT and self.threads[tid].own > mutex.ceiling

    def _take_mutex(self, id: int, tid: int) -> None:
        mutex = self._held(id)
        mutex.owner = tid
        if mutex.protocol is not Protocol.NONE:
            self.threads[tid].held.insert(0, id)
            self._settle_priority(tid)

    def _mutex_lock(self, cpu: int, id: int) -> int | None:
        mutex = self._mutex(id)
        tid = self._current(cpu)
        if mutex is None:
            return error("einval")
        if mutex.owner == tid:
            return error("edeadlk")
        if self._above_ceiling(mutex, tid):
            return error("einval")
        if mutex.owner is None:
            self._take_mutex(id, tid)
            return 0
        self._publish(cpu)
        self._settle_owner(mutex, least=self._level(tid))
        self._queue_waiter(mutex.waiters, tid)
        return self._block(cpu)

    def _mutex_trylock(self, cpu: int, id: int) -> int:
        mutex = self._mutex(id)
        tid = self._current(cpu)
        if mutex is None:
            return error("einval")
        if mutex.owner != tid and self._above_ceiling(mutex, tid):
            return error("einval")
        if mutex.owner is not None:
            return error("ebusy")
        self._take_mutex(id, tid)
        return 0

    def _mutex_unlock(self, cpu: int, id: int) -> int:
        mutex = self._mutex(id)
        tid = self._current(cpu)
        if mutex is None:
            return error("einval")
        if mutex.owner != tid:
            return error("eperm")
        if id in self.threads[tid].held:
            self.threads[tid].held.remove(id)
        mutex.owner = None
        if mutex.waiters:
            new = mutex.waiters.pop(0)
            self._take_mutex(id, new)
            self._wake(new)
        if mutex.protocol is not Protocol.NONE:
            self._settle_priority(tid)
        return 0

    def _mutex_wait(self, cpu: int, id: int) -> int | None:
        mutex, condition = self._mutex(id), self._condition(self.cpus[cpu].word0)
        tid = self._current(cpu)
        if mutex is None:
            return error("einval")
        if mutex.owner != tid:
            return error("eperm")
        if condition is None:
            return error("einval")
        self._publish(cpu)
        self._mutex_unlock(cpu, id)
        return self._wait_for(condition, cpu, id)

    def _retake(self, tid: int) -> None:
        """A signal for this thread. With mutex_wait and its load still pending, it has its mutex first."""
        thread = self.threads[tid]
        in_place = self.cpus[thread.cpu].current == tid
        mutex = None if thread.relock is None or not in_place else self._mutex(thread.relock)
        if mutex is not None and mutex.owner is not None:
            self._queue_waiter(mutex.waiters, tid)
            return
        if mutex is not None:
            mutex.owner = tid
        self._wake(tid)

    def _mutex_protocol(self, cpu: int, id: int) -> int:
        mutex, word0 = self._mutex(id), self.cpus[cpu].word0
        protocol, ceiling = _MUTEX["protocol"].get(word0), _MUTEX["ceiling"].get(word0)
        if mutex is None or protocol > Protocol.PROTECT or ceiling >= self.config.priorities:
            return error("einval")
        if mutex.owner not in (None, self._current(cpu)):
            return error("ebusy")
        old, mutex.ceiling = mutex.ceiling, ceiling
        if mutex.owner is None:
            mutex.protocol = Protocol(protocol)
        else:
            self._settle_priority(mutex.owner)
        return old

    def _mutex_leave(self, cpu: int, id: int) -> int:
        return self._leave_object("mutex", id, self.cpus[cpu].word0)

    # --- priorities of threads that hold mutexes (docs/decisions/0042) ---

    def _held(self, id: int) -> Mutex:
        mutex = self.mutexes[id]
        assert mutex is not None
        return mutex

    def _demand(self, mutex: Mutex) -> int:
        """The priority that the mutex's owner must have at least."""
        if mutex.protocol is Protocol.PROTECT:
            return mutex.ceiling
        return max((self._level(tid) for tid in mutex.waiters), default=_NONE)

    def _settle_priority(self, tid: int, least: int = _NONE, asked: bool = False) -> None:
        """The thread's own priority, its mutexes or their waiters have changed; so on along the chain.

        least: of a thread that is about to wait. asked: by set_sched_param, which moves a ready thread even
        to where it is; but not one that may have more than its own priority.
        """
        thread = self.threads[tid]
        if thread.idle or not self.config.inheritance:
            return
        best = max([thread.own, least, *(self._demand(self._held(id)) for id in thread.held)])
        if best == thread.priority and not (asked and not thread.held):
            return
        self._change_priority(tid, best)
        for mutex in self.mutexes:
            if mutex is not None and tid in mutex.waiters:
                mutex.waiters.remove(tid)
                self._queue_waiter(mutex.waiters, tid)
                self._settle_owner(mutex)
                return

    def _settle_owner(self, mutex: Mutex, least: int = _NONE) -> None:
        if mutex.protocol is Protocol.INHERIT and mutex.owner is not None:
            self._settle_priority(mutex.owner, least)

    # --- semaphores -----------------------------------------------------------------------------

    def _semaphore_create(self, cpu: int, id: int) -> int:
        count = self.cpus[cpu].word0
        if count > SEMAPHORE_MAX:
            return error("einval")
        if None not in self.semaphores:
            return error("eagain")
        new = self.semaphores.index(None)
        self.semaphores[new] = Semaphore(count)
        return new

    def _semaphore(self, id: int) -> Semaphore | None:
        return self.semaphores[id] if id < self.config.semaphores else None

    def _semaphore_destroy(self, cpu: int, id: int) -> int:
        semaphore = self._semaphore(id)
        if semaphore is None:
            return error("einval")
        if semaphore.waiters:
            return error("ebusy")
        self.semaphores[id] = None
        return 0

    def _semaphore_wait(self, cpu: int, id: int) -> int | None:
        semaphore = self._semaphore(id)
        if semaphore is None:
            return error("einval")
        if semaphore.count:
            semaphore.count -= 1
            return 0
        self._publish(cpu)
        self._queue_waiter(semaphore.waiters, self._current(cpu))
        return self._block(cpu)

    def _semaphore_trywait(self, cpu: int, id: int) -> int:
        semaphore = self._semaphore(id)
        if semaphore is None:
            return error("einval")
        if not semaphore.count:
            return error("eagain")
        semaphore.count -= 1
        return 0

    def _semaphore_post(self, cpu: int, id: int) -> int:
        return self._post(id)

    def _post(self, id: int) -> int:
        semaphore = self._semaphore(id)
        if semaphore is None:
            return error("einval")
        if semaphore.waiters:
            self._wake(semaphore.waiters.pop(0))
        elif semaphore.count == SEMAPHORE_MAX:
            return error("erange")
        else:
            semaphore.count += 1
        return 0

    def _semaphore_value(self, cpu: int, id: int) -> int:
        semaphore = self._semaphore(id)
        return error("einval") if semaphore is None else semaphore.count

    def _semaphore_leave(self, cpu: int, id: int) -> int:
        return self._leave_object("semaphore", id, self.cpus[cpu].word0)

    # --- condition variables ------------------------------------------------------------------------

    def _cond_create(self, cpu: int, id: int) -> int:
        if None not in self.conditions:
            return error("eagain")
        new = self.conditions.index(None)
        self.conditions[new] = Condition()
        return new

    def _condition(self, id: int) -> Condition | None:
        return self.conditions[id] if id < self.config.conditions else None

    def _cond_destroy(self, cpu: int, id: int) -> int:
        condition = self._condition(id)
        if condition is None:
            return error("einval")
        if condition.waiters:
            return error("ebusy")
        self.conditions[id] = None
        return 0

    def _cond_ticket(self, cpu: int, id: int) -> int:
        condition = self._condition(id)
        return error("einval") if condition is None else condition.signals % SIGNALS

    def _cond_wait(self, cpu: int, id: int) -> int | None:
        condition = self._condition(id)
        if condition is None:
            return error("einval")
        if condition.signals != self.cpus[cpu].word0 % SIGNALS:
            return 0
        self._publish(cpu)
        # A receiver that wakes by the publishing cannot have signalled yet: nothing happens in between.
        return self._wait_for(condition, cpu)

    def _wait_for(self, condition: Condition, cpu: int, relock: int | None = None) -> int | None:
        self.threads[self._current(cpu)].relock = relock
        self._queue_waiter(condition.waiters, self._current(cpu))
        return self._block(cpu)

    def _barrier_wait(self, cpu: int, id: int) -> int | None:
        condition = self._condition(id)
        if condition is None:
            return error("einval")
        if condition.signals == self.cpus[cpu].word0 % SIGNALS:
            condition.signals = 0
            while condition.waiters:
                self._retake(condition.waiters.pop(0))
            return 1
        self._publish(cpu)
        condition.signals = (condition.signals + 1) % SIGNALS
        return self._wait_for(condition, cpu)

    def _flags_set(self, cpu: int, id: int) -> int:
        condition = self._condition(id)
        if condition is None:
            return error("einval")
        self._set_flags(condition, self.cpus[cpu].word0)
        return 0

    def _flags_clear(self, cpu: int, id: int) -> int:
        condition = self._condition(id)
        if condition is None:
            return error("einval")
        condition.signals &= ~self.cpus[cpu].word0
        return 0

    def _flags_get(self, cpu: int, id: int) -> int:
        condition = self._condition(id)
        if condition is None:
            return error("einval")
        self._leave_word(cpu, condition.signals)
        return 0

    def _flags_found(self, cpu: int, id: int) -> int:
        self._leave_word(cpu, self.threads[self._current(cpu)].flags)
        return 0

    def _wait_for_flags(self, cpu: int, id: int, how: int) -> int | None:
        thread, word0, condition = self.threads[self._current(cpu)], self.cpus[cpu].word0, self._condition(id)
        if condition is None or not word0:
            return error("einval")
        if _suffice(condition.signals, word0, how):
            thread.flags, thread.how = condition.signals, 0
            if how & _CLEAR:
                condition.signals &= ~word0
            return 0
        if how & _TRY:
            return error("eagain")
        self._publish(cpu)
        thread.flags, thread.how = word0, how
        return self._wait_for(condition, cpu)

    _flags_wait_any = partialmethod(_wait_for_flags, how=0)
    _flags_wait_all = partialmethod(_wait_for_flags, how=_ALL)
    _flags_take_any = partialmethod(_wait_for_flags, how=_CLEAR)
    _flags_take_all = partialmethod(_wait_for_flags, how=_CLEAR | _ALL)
    _flags_trywait_any = partialmethod(_wait_for_flags, how=_TRY)
    _flags_trywait_all = partialmethod(_wait_for_flags, how=_TRY | _ALL)
    _flags_trytake_any = partialmethod(_wait_for_flags, how=_TRY | _CLEAR)
    _flags_trytake_all = partialmethod(_wait_for_flags, how=_TRY | _CLEAR | _ALL)

    def _leave_word(self, cpu: int, word: int) -> None:
        """In WORD0; other words of a message are 0 then."""
        self.cpus[cpu].words[:] = self._message([word])[: len(self.cpus[cpu].words)]

    def _set_flags(self, condition: Condition, flags: int) -> None:
        condition.signals |= flags
        cleared = 0
        for tid in [*condition.waiters]:
            waiter = self.threads[tid]
            if _suffice(condition.signals, waiter.flags, waiter.how):
                if waiter.how & _CLEAR:
                    cleared |= waiter.flags
                waiter.flags, waiter.how = condition.signals, 0
                self._leave(condition.waiters, tid)
        condition.signals &= ~cleared

    def _signal(self, id: int, everybody: bool) -> int:
        condition = self._condition(id)
        if condition is None:
            return error("einval")
        condition.signals = (condition.signals + 1) % SIGNALS
        while condition.waiters:
            self._retake(condition.waiters.pop(0))
            if not everybody:
                break
        return 0

    def _cond_signal(self, cpu: int, id: int) -> int:
        return self._signal(id, everybody=False)

    def _cond_broadcast(self, cpu: int, id: int) -> int:
        return self._signal(id, everybody=True)

    def _cond_leave(self, cpu: int, id: int) -> int:
        return self._leave_object("condition", id, self.cpus[cpu].word0)

    # --- interrupts ([HT]: interrupts are threads) --------------------------------------------------

    def _interrupt_bind(self, cpu: int, id: int) -> int:
        word0 = self.cpus[cpu].word0
        kind, object = _BINDING["kind"].get(word0), _BINDING["object"].get(word0)
        if id >= self.config.lines or kind > Binding.PORT:
            return error("einval")
        if kind == Binding.THREAD:
            object = self._current(cpu)
        elif kind == Binding.SEMAPHORE:
            if self._semaphore(object) is None:
                return error("einval")
        else:
            word, port = self._find_port(object)
            if port is None:
                return word
        if self.lines[id] is not None:
            return error("ebusy")
        self.lines[id] = Line(Binding(kind), object)
        return 0

    def _find_line(self, id: int) -> tuple[int, Line | None]:
        """(0, line), or (error word, None) if there is no such line or it is bound to nothing."""
        if id >= self.config.lines:
            return error("einval"), None
        line = self.lines[id]
        return (0, line) if line is not None else (error("enoent"), None)

    def _interrupt_unbind(self, cpu: int, id: int) -> int:
        word, line = self._find_line(id)
        if line is None:
            return word
        if line.waits:
            return error("ebusy")
        self.lines[id] = None
        return 0

    def _interrupt_wait(self, cpu: int, id: int) -> int | None:
        word, line = self._find_line(id)
        if line is None:
            return word
        if line.kind is not Binding.THREAD or line.object != self._current(cpu):
            return error("eperm")
        if line.fired:
            line.fired = False
            return 0
        self._publish(cpu)
        line.waits = True
        return self._block(cpu)

    def _fire(self, id: int) -> int:
        word, line = self._find_line(id)
        if line is None:
            return word
        if line.kind is Binding.SEMAPHORE:
            return self._post(line.object)
        if line.kind is Binding.PORT:
            return self._send_line(line.object, id)
        if line.waits:
            line.waits = False
            self._wake(line.object)
        else:
            line.fired = True
        return 0

    def _interrupt_raise(self, cpu: int, id: int) -> int:
        return self._fire(id)

    # --- ports ([SMP]: send_buffer/active_event, receive_buffer/frozen_event, wait_port_list) ----

    def _publish_port(self, id: int) -> None:
        port = self.ports[id]
        if port is None or not port.active:
            return
        port.frozen.extend(port.active)
        port.active.clear()
        if port.receiver_waits:
            port.receiver_waits = False
            self._wake(port.receiver)

    def _publish(self, cpu: int) -> None:
        """The current thread's messages become visible: its newest port first."""
        thread = self.threads[self._current(cpu)]
        while thread.sent:
            id = thread.sent.pop(0)
            self.port_writer[id] = None
            self._publish_port(id)

    def _port_open(self, cpu: int, id: int) -> int:
        if id >= self.config.ports:
            return error("einval")
        if self.ports[id] is not None:
            return error("ebusy")
        immediate = bool(SPEC.layouts["port_flags"]["immediate"].get(self.cpus[cpu].word0))
        self.ports[id] = Port(self._current(cpu), immediate)
        return 0

    def _find_port(self, id: int) -> tuple[int, Port | None]:
        """(0, port), or (error word, None)."""
        if id >= self.config.ports:
            return error("einval"), None
        port = self.ports[id]
        return (0, port) if port is not None else (error("ebadf"), None)

    def _port_close(self, cpu: int, id: int) -> int:
        word, port = self._find_port(id)
        if port is None:
            return word
        if port.receiver != self._current(cpu):
            return error("eperm")
        if port.senders:
            return error("ebusy")
        self.ports[id] = None
        return len(port.frozen) + len(port.active)

    def _message(self, words: list[int]) -> Message:
        """The part of them that a port carries: missing words are 0."""
        return (*words, *[0] * (1 + self.config.port_words - len(words)))

    def _send(self, cpu: int, id: int, wait: bool) -> int | None:
        word, port = self._find_port(id)
        if port is None:
            return word
        tid = self._current(cpu)
        if len(port.frozen) + len(port.active) == self.config.port_depth:
            self._publish(cpu)
            if not wait:
                return error("eagain")
            self._queue_waiter(port.senders, tid)
            return self._block(cpu)
        port.active.append(self._message(self.cpus[cpu].words))
        writer = self.port_writer[id]
        if port.immediate or (writer is not None and writer != tid):
            # Two writers meet: publish now, or the second's message would wait for the first.
            self._publish_port(id)
        elif writer is None:
            self.port_writer[id] = tid
            self.threads[tid].sent.insert(0, id)
        return 0

    def _send_line(self, id: int, line: int) -> int:
        """An interrupt's message: published at once, by no thread."""
        word, port = self._find_port(id)
        if port is None:
            return word
        if len(port.frozen) + len(port.active) == self.config.port_depth:
            return error("eagain")
        port.active.append(self._message([line]))
        self._publish_port(id)
        return 0

    def _port_send(self, cpu: int, id: int) -> int | None:
        return self._send(cpu, id, wait=True)

    def _port_trysend(self, cpu: int, id: int) -> int | None:
        return self._send(cpu, id, wait=False)

    def _receive(self, cpu: int, id: int, wait: bool) -> int | None:
        word, port = self._find_port(id)
        if port is None:
            return word
        if port.receiver != self._current(cpu):
            return error("eperm")
        if not port.frozen:
            self._publish(cpu)  # may fill this very port
        if not port.frozen:
            if not wait:
                return error("eagain")
            port.receiver_waits = True
            return self._block(cpu)
        self.cpus[cpu].words[:] = port.frozen.popleft()[: len(self.cpus[cpu].words)]
        left = len(port.frozen)
        if port.senders:
            self._wake(port.senders.pop(0))
        return left

    def _port_receive(self, cpu: int, id: int) -> int | None:
        return self._receive(cpu, id, wait=True)

    def _port_tryreceive(self, cpu: int, id: int) -> int | None:
        return self._receive(cpu, id, wait=False)

    def _port_publish(self, cpu: int, id: int) -> int:
        self._publish(cpu)
        return 0

    def _port_leave(self, cpu: int, id: int) -> int:
        return self._leave_port(id, self.cpus[cpu].word0)

    def _leave_port(self, id: int, tid: int) -> int:
        word, port = self._find_port(id)
        if port is None:
            return word
        if port.receiver_waits and port.receiver == tid:
            port.receiver_waits = False
            self._wake(tid)
            return 0
        return self._leave(port.senders, tid)
