# SPDX-License-Identifier: Apache-2.0
"""cl_containers.h: random operations against plain lists and sets."""

from __future__ import annotations

import ctypes
import random

import pytest

from policies.machine import HERE, build

NODES = 256
WRAP = 1 << 64


def containers(*flags: str) -> ctypes.CDLL:
    return build([HERE / "containers.c"], *flags)


@pytest.mark.parametrize("base", [0, WRAP - 40], ids=["small keys", "keys that wrap"])
def test_tree_keeps_the_order_of_keys_and_of_arrival(base: int) -> None:
    c = containers()
    rng = random.Random(1)
    order: list[tuple[int, int]] = []  # (key, node) in the order expected
    inside: set[int] = set()
    for step in range(20000):
        node = rng.randrange(NODES)
        if node in inside:
            c.tree_remove(node)
            inside.remove(node)
            order = [place for place in order if place[1] != node]
        elif rng.random() < 0.7 or len(inside) < NODES // 2:
            key = rng.randrange(80)
            c.tree_add(node, ctypes.c_uint64((base + key) % WRAP))
            inside.add(node)
            at = sum(other <= key for other, _ in order)
            order.insert(at, (key, node))
        assert c.tree_first() == (order[0][1] if order else -1)
        assert c.tree_last() == (order[-1][1] if order else -1)
        assert c.tree_blacks() >= 0
        assert c.tree_size() == len(order)
        if step % 50 == 0:
            walk = [c.tree_first()]
            while walk[-1] >= 0:
                walk.append(c.tree_next(walk[-1]))
            assert walk[:-1] == [node for _, node in order]
            walk = [c.tree_last()]
            while walk[-1] >= 0:
                walk.append(c.tree_previous(walk[-1]))
            assert walk[-2::-1] == [node for _, node in order]


def test_list_is_a_queue_with_two_ends() -> None:
    c = containers()
    rng = random.Random(2)
    order: list[int] = []
    walk = (ctypes.c_int * NODES)()
    for _ in range(5000):
        node = rng.randrange(NODES)
        if node in order:
            c.list_remove(node)
            order.remove(node)
        elif rng.random() < 0.5:
            c.list_append(node)
            order.append(node)
        else:
            c.list_prepend(node)
            order.insert(0, node)
        assert walk[: c.list_walk(1, walk)] == order
        assert walk[: c.list_walk(0, walk)] == order[::-1]


@pytest.mark.parametrize("cpus", [1, 4, 64, 65, 4096, 32767])
def test_set_finds_the_next_cpu(cpus: int) -> None:
    c = containers(f"-DCL_CPUS_MAX={cpus}u")
    rng = random.Random(cpus)
    inside: set[int] = set()
    pool = [rng.randrange(cpus) for _ in range(50)] + [0, cpus - 1]
    for _ in range(3000):
        cpu = rng.choice(pool)
        if cpu in inside:
            c.set_remove(cpu)
            inside.remove(cpu)
        elif rng.random() < 0.6:
            c.set_add(cpu)
            inside.add(cpu)
        start = rng.choice([rng.randrange(cpus), cpu, cpus - 1, 0])
        behind = [other for other in inside if other >= start]
        assert (c.set_from(cpu) == cpu) == (cpu in inside)
        assert c.set_from(start) == min(behind, default=cpus)
        assert c.set_near(start) == min(behind, default=min(inside, default=cpus))
    assert c.set_from(cpus) == cpus
