# SPDX-License-Identifier: Apache-2.0
"""The software kernel, compiled for this machine, against the reference model: random streams of operations.

CORELOOM_SEED changes the seed, CORELOOM_STEPS the number of steps for each configuration.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from coreloom.paths import RUNTIME
from coreloom.reference.kernel import SPEC, Binding, Config, Kernel
from coreloom.reference.scenario import Scenario
from coreloom.reference.stream import Generator, Kind, Step, pack
from coreloom.toolchain import zig
from kernel_rtl.test_scenarios import preempted_without_slices
from reached import Reached, watched

SEED = int(os.environ.get("CORELOOM_SEED", "1"))
STEPS = int(os.environ.get("CORELOOM_STEPS", "40000"))
NAMES = {op.code: name for name, op in SPEC.ops.items()}

CONFIGS = {
    "1 cpu": Config(1, 8, 4, ports=4, port_depth=2, mutexes=3, semaphores=3, conditions=3, lines=3),
    "2 cpus": Config(2, 16, 8, ports=6, port_depth=3, mutexes=4, semaphores=4, conditions=4, lines=4),
    "messages of 4 words": Config(2, 16, 8, ports=3, port_depth=3, port_words=3, semaphores=2, lines=2),
    "4 cpus": Config(4, 64, 128, ports=32, port_depth=8, mutexes=32, semaphores=32, conditions=32, lines=8),
    "256 priorities": Config(2, 16, 256, ports=4, port_depth=2, conditions=2, lines=2),
}


def library(config: Config, folder: Path, source: str = "sw_host.c") -> ctypes.CDLL:
    sizes = {
        "CL_CPUS": config.cpus,
        "CL_THREADS": config.threads,
        "CL_PRIORITIES": config.priorities,
        "CL_PORTS": config.ports,
        "CL_PORT_DEPTH": config.port_depth,
        "CL_PORT_WORDS": config.port_words,
        "CL_MUTEXES": config.mutexes,
        "CL_SEMAPHORES": config.semaphores,
        "CL_CONDITIONS": config.conditions,
        "CL_LINES": config.lines,
    }
    path = folder / "sw.so"
    subprocess.run(
        [
            *zig.cc(), "-std=gnu11", "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror",
            *(f"-D{name}={value}" for name, value in sizes.items()),
            f"-I{RUNTIME / 'include'}", f"-I{RUNTIME / 'sw'}",
            str(Path(__file__).with_name(source)), "-o", str(path),
        ],
        check=True,
        env=zig.environment(),
    )  # fmt: skip
    return ctypes.CDLL(str(path))


def text(step: Step) -> str:
    words = ", ".join(f"cpu {cpu}: {word:08x}" for cpu, word in step.words)
    name = NAMES.get(step.op, str(step.op)) if step.kind in (Kind.LOAD, Kind.STORE) else ""
    return (
        f"{step.kind.name} cpu {step.cpu} {name} {step.id} word {step.word:x}"
        f" -> [{words}] irq {step.irq:b} idle {step.idle:b}"
    )


def agreeing(config: Config, steps: list[Step], folder: Path) -> tuple[int, tuple[int, ...]]:
    """How many steps the software kernel takes as the model does, and what it did in the next one."""
    run = library(config, folder).sw_run
    run.restype = ctypes.c_size_t
    report = (ctypes.c_uint32 * 5)()
    return run(pack(steps), ctypes.c_size_t(len(steps)), report), tuple(report)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.test
def test_software_kernel_agrees_with_the_model(name: str, tmp_path: Path) -> None:
    config = CONFIGS[name]
    reached = Reached()
    steps = list(watched(Generator(config, SEED), STEPS, reached))
    reached.check(config)
    same, (own, answered, irq, idle, told) = agreeing(config, steps, tmp_path)
    if same < len(steps):
        history = "\n".join(text(step) for step in steps[max(0, same - 12) : same + 1])
        pytest.fail(
            f"seed {SEED}, step {same}:\n{history}\n"
            f"software kernel: {own:08x}, answered {answered:b}, irq {irq:b}, idle {idle:b}, told {told:b}"
        )


@pytest.mark.test
def test_the_first_number_that_there_is_not(tmp_path: Path) -> None:
    """Each operation refuses it as the model does, although an object lies there."""
    config = CONFIGS["2 cpus"]
    beyond = library(config, tmp_path).sw_beyond
    beyond.restype = ctypes.c_uint32
    sizes = {
        "thread": config.threads, "port": config.ports, "mutex": config.mutexes, "line": config.lines,
        "semaphore": config.semaphores, "condition": config.conditions, "cpu": config.cpus,
    }  # fmt: skip
    asked = [
        (name, sizes[op.id], 0) for name, op in SPEC.ops.items() if op.access == "load" and op.id in sizes
    ]
    assert len(asked) > 40
    asked += [
        ("interrupt_bind", 0, kind << 10 | size)
        for kind, size in ((Binding.SEMAPHORE, config.semaphores), (Binding.PORT, config.ports))
    ]
    for name, id, word in asked:
        kernel, code = Kernel(config), SPEC.ops[name].code
        kernel.store(0, SPEC.ops["word0"].code, 0, word)
        assert (name, beyond(code, id, word)) == (name, kernel.load(0, code, id))


# CPU, operation, object, word: thread 1 waits for a message on CPU 1 and gives way to thread 2. Before it is
# saved, thread 0 publishes the message and waits itself: CPU 0 must not run thread 1 yet.
LEAVING = (
    *((1, "next", 0, 0), (0, "port_open", 1, 1), (0, "thread_create", 0, 4), (0, "thread_start", 1, 0)),
    *((1, "port_open", 0, 0), (0, "thread_create", 0, 3), (0, "thread_start", 2, 0)),
    *((1, "port_receive", 0, 0), (0, "port_send", 0, 11), (0, "port_receive", 1, 0)),
    *((1, "self", 0, 0), (1, "semaphore_create", 0, 0), (1, "yield", 0, 0)),
)


@pytest.mark.test
@pytest.mark.parametrize("name", ["1 cpu", "2 cpus"])
def test_slices_that_are_off_use_nothing(name: str, tmp_path: Path) -> None:
    scenario = Scenario(CONFIGS[name])
    preempted_without_slices(scenario)
    same, _ = agreeing(CONFIGS[name], scenario.steps, tmp_path)
    assert same == len(scenario.steps), text(scenario.steps[same])


@pytest.mark.test
def test_a_message_for_a_thread_that_is_just_leaving(tmp_path: Path) -> None:
    config = CONFIGS["2 cpus"]
    made = Generator(config, SEED)
    steps = [made._observe(Kind.RESET, 0, 0, 0, 0, None)]
    for cpu, name, id, word in LEAVING:
        steps.append(made._store(cpu, "word0", 0, word))
        steps.append(made._load(cpu, SPEC.ops[name].code, id))
    same, _ = agreeing(config, steps, tmp_path)
    assert same == len(steps), text(steps[same])
