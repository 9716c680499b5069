# SPDX-License-Identifier: Apache-2.0
"""What is measured: each measurement by the name that its program knows it by (-DMEASURE=name).

metric.c has the eight of the Thread-Metric kind and one of condition variables, service.c single services,
call.c the calls that may wait. metric.c also runs through the front ends for other APIs (runtime/api).
"""

from __future__ import annotations

from dataclasses import dataclass

from coreloom.toolchain.firmware import OURS
from coreloom.toolchain.front_end import LAYERS

PARTS = ("metric", "service", "call")
CPUS = (1, 2)
AT_ONCE = "at once"
# Of a call: its case -> the moments from which and to which it counts.
CASES = {
    AT_ONCE: ("free_begin", "free_end"),
    "gives way": ("calls", "goes_on"),
    "woken": ("gives", "returns"),
}
ACROSS = "woken by the other CPU"


@dataclass(frozen=True)
class Measurement:
    """One measurement. grounds: the only kernels that have it, as their names begin; None: all."""

    part: str
    name: str
    title: str
    grounds: tuple[str, ...] | None = None
    across: bool = False  # a thread on each CPU
    cold: bool = False  # also with the cache driven out
    cpus: tuple[int, ...] = CPUS
    counts: int = 1  # metric: so many words of the output count in step; across: one of each pair of CPUs
    summed: bool = False  # and an iteration is one count of any of them

    def on(self, ground: str) -> bool:
        return self.grounds is None or ground.startswith(self.grounds)


# Each front end, and the metrics that call none of its functions: nothing, and what it does not have.
FRONT_ENDS = {
    api: {"basic", "condition_across"} | ({"memory"} if api == "itron" else set()) for api in LAYERS
}
_OURS = tuple(OURS)
_THEIRS = ("freertos",)


def _metric(name: str, title: str, counts: int = 1, summed: bool = False) -> Measurement:
    return Measurement("metric", name, title, counts=counts, summed=summed)


def _service(name: str, title: str, grounds: tuple[str, ...] | None = None) -> Measurement:
    across = name.endswith("_across")
    return Measurement("service", name, title, grounds, across, name == "line", CPUS[1:] if across else CPUS)


def _call(name: str, title: str, grounds: tuple[str, ...] | None = None) -> Measurement:
    return Measurement("call", name, title, grounds, cold=True)


METRICS = (
    _metric("basic", "basic processing"),
    _metric("cooperative", "cooperative scheduling", 5, summed=True),
    _metric("preemptive", "preemptive scheduling", 5, summed=True),
    _metric("interrupt", "interrupt processing", 2),
    _metric("interrupt_preemption", "interrupt preemption processing", 3),
    _metric("message", "message processing"),
    _metric("synchronisation", "synchronisation processing"),
    _metric("memory", "memory allocation"),
    Measurement(
        "metric", "condition_across", "condition variable across CPUs", _OURS, across=True, cpus=(2, 8)
    ),
)
SERVICES = (
    _service("yield", "yield, ring of five: to the next thread"),
    _service("semaphore_one", "semaphore: post and wait, one thread"),
    _service("semaphore_equals", "semaphore: round trip of equals"),
    _service("semaphore_urgent", "semaphore: round trip, partner more urgent"),
    _service("notification_equals", "task notification: round trip of equals", _THEIRS),
    _service("notification_urgent", "task notification: round trip, partner more urgent", _THEIRS),
    _service("message_one", "message of 1 word: send and receive, one thread"),
    _service("message_equals", "message of 1 word: round trip of equals"),
    _service("queue4_one", "message of 4 words: send and receive, one thread"),
    _service("queue4_equals", "message of 4 words: round trip of equals"),
    _service("block_one", "4 words as one block: send and receive, one thread"),
    _service("block_equals", "4 words as one block: round trip of equals"),
    _service("mutex_free", "mutex: lock and unlock, free"),
    _service("mutex_handed", "mutex: unlocked, to the next owner, an equal"),
    _service("create_less", "thread less urgent: create and join"),
    _service("create_more", "thread more urgent: create and join"),
    _service("memory", "malloc and free, 128 bytes"),
    _service("line", "interrupt to the most urgent thread"),
    _service("semaphore_across", "semaphore: round trip, a thread on each CPU"),
    _service("notification_across", "task notification: round trip, a thread on each CPU", _THEIRS),
    _service("message_across", "message of 1 word: round trip, a thread on each CPU"),
    _service("queue4_across", "message of 4 words: round trip, a thread on each CPU"),
    _service("block_across", "4 words as one block: round trip, a thread on each CPU"),
)
CALLS = (
    _call("sem_wait", "sem_wait"),
    _call("sem_timedwait", "sem_timedwait_np"),
    _call("mutex_lock", "pthread_mutex_lock"),
    _call("mutex_timedlock", "pthread_mutex_timedlock_np"),
    _call("cond_wait", "pthread_cond_wait", _OURS),
    _call("cond_timedwait", "pthread_cond_timedwait_np", _OURS),
    _call("send", "port_send"),
    _call("timedsend", "port_timedsend"),
    _call("receive", "port_receive"),
    _call("timedreceive", "port_timedreceive"),
    _call("send_block", "port_send_block, 4 words"),
    _call("receive_block", "port_receive_block, 4 words"),
    _call("join", "pthread_join"),
    _call("interrupt_wait", "interrupt_wait_np", _OURS),
)
MEASUREMENTS = {(m.part, m.name): m for m in (*METRICS, *SERVICES, *CALLS)}
# A call that always waits has no case AT_ONCE.
ALWAYS_WAIT = ("cond_wait", "cond_timedwait")
