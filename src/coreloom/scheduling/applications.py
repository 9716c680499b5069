# SPDX-License-Identifier: Apache-2.0
"""The two applications of [SMP] as workloads: the graph of each, with given times of computing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coreloom.scheduling.workload import Compute, Receive, Send, Step, Thread, Workload


@dataclass(frozen=True)
class Node:
    """A thread of an application: what it receives from and sends to, in turn, and where it is placed."""

    receive: tuple[str, ...]
    send: tuple[str, ...]
    cpu: int
    services: int = 2  # that may block, for each message


@dataclass(frozen=True)
class Graph:
    """An application as a graph of threads; apps/<name>/main.c has the same in C."""

    threads: dict[str, Node]
    first: tuple[str, int]  # the messages that main starts the work with
    ends: tuple[str, ...]  # the threads that finish a message
    bounded: bool  # may senders wait for room in a port?


GRAPHS = {
    "image": Graph(
        {
            "control": Node(("done",), ("request",), 0, services=1),
            "decoder": Node(("request",), ("decoded",), 0),
            "filter": Node(("decoded",), ("done",), 1),
        },
        first=("done", 8),
        ends=("filter",),
        bounded=False,
    ),
    "packets": Graph(
        {
            "packetizer": Node(("free",), ("decoder 0", "decoder 1"), 0),
            "decoder 0": Node(("decoder 0",), ("crc 0",), 0),
            "decoder 1": Node(("decoder 1",), ("crc 1",), 1),
            "crc 0": Node(("crc 0",), ("enqueue 0",), 0),
            "crc 1": Node(("crc 1",), ("enqueue 1",), 1),
            "enqueue": Node(("enqueue 0", "enqueue 1"), ("classifier",), 1),
            "classifier": Node(("classifier",), ("forward", "store", "discard"), 0),
            "forward": Node(("forward",), ("free",), 1),
            "store": Node(("store",), ("free",), 0),
            "discard": Node(("discard",), ("free",), 0),
        },
        first=("free", 16),
        ends=("forward", "store", "discard"),
        bounded=True,
    ),
}


def spread_out(counts: Sequence[int]) -> list[int]:
    """Each index as often as its count says, evenly mixed."""
    total = sum(counts)
    behind = [0] * len(counts)
    order = []
    for _ in range(total):
        behind = [late + count for late, count in zip(behind, counts, strict=True)]
        turn = max(range(len(counts)), key=lambda index: behind[index])
        behind[turn] -= total
        order.append(turn)
    return order


def workload(app: str, computes: Mapping[str, Sequence[int]], depth: int, placed: bool) -> Workload:
    """The application for the model; ports hold `depth` messages. placed: each thread on its CPU.

    computes: of each thread, how long it computes for each message in turn, over and over.
    """
    graph = GRAPHS[app]
    room = {port for node in graph.threads.values() for port in node.receive} if graph.bounded else set()

    def put(port: str) -> list[Step]:
        return [Receive(f"room {port}"), Send(port)] if port in room else [Send(port)]

    def get(port: str) -> list[Step]:
        return [Receive(port), Send(f"room {port}")] if port in room else [Receive(port)]

    threads = []
    for name, node in graph.threads.items():
        if all(port in computes for port in node.send):  # several ports: as often as they were used
            order = spread_out([len(computes[port]) for port in node.send])
        else:
            order = list(range(len(node.send)))
        steps: list[Step] = []
        for n, cycles in enumerate(computes[name]):
            steps += get(node.receive[n % len(node.receive)])
            steps.append(Compute(float(cycles)))
            steps += put(node.send[order[n % len(order)]])
        threads.append(Thread(name, cpu=node.cpu if placed else None, steps=tuple(steps)))
    port, count = graph.first
    begin: list[Step] = [Send(f"room {each}", depth) for each in sorted(room)]
    begin += put(port) * count
    main = Thread("main", cpu=0 if placed else None, steps=tuple(begin), times=1)
    return Workload(app, (main, *threads))
