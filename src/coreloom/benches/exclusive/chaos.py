# SPDX-License-Identifier: Apache-2.0
"""Chaos for `coreloom exclusive`: runs each scenario in a guest; then the machine must be as it was before.

The guest is not deterministic: what differs once may be equal the next time, so a seed is replayed several
times.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from coreloom.benches.exclusive.guest import SHELL, programs
from coreloom.benches.exclusive.scenario import GROUNDS, SCENARIOS, Ground, Scenario
from coreloom.errors import UserError
from coreloom.programs import exclusive
from coreloom.report import results
from coreloom.vm import kernel, qemu, systemd_image, vm

NAME = "exclusive_chaos"
EQUAL, FOREIGN, DIFFERING = "equal", "foreign", "differing"
_BATCH = 25  # scenarios of a boot
_BOOT_S, _SCENARIO_S = 120, 60  # of the host, at most
_ENDS = re.compile(r"^end \d+ (\w+)\n", re.MULTILINE)
_HEAD = 40  # lines of a difference that are kept
_UNITS = {
    "web.service": "[Service]\nType=exec\nExecStart=/bin/sleep 100001\n",
    "pinned.service": "[Service]\nType=exec\nExecStart=/bin/sleep 100002\nCPUAffinity=2-3\n",
    "narrow.service": "[Service]\nType=exec\nExecStart=/bin/sleep 100003\nAllowedCPUs=1-3\n",
}


class Row(msgspec.Struct, frozen=True):
    """One scenario."""

    seed: int
    ground: str
    outcome: str
    classes: list[str]
    exits: tuple[int, ...]


class Difference(msgspec.Struct, frozen=True):
    """What a differing scenario has left."""

    seed: int
    ground: str
    scenario: str
    problems: tuple[str, ...]
    difference: tuple[str, ...]
    lines: int


@dataclass(frozen=True)
class Done:
    scenario: Scenario
    outcome: str
    exits: tuple[int, ...] = ()  # of the tools
    problems: tuple[str, ...] = ()
    difference: tuple[str, ...] = ()
    log: tuple[str, ...] = ()  # what the tools have printed, of a scenario that differs

    def row(self) -> Row:
        of = self.scenario
        return Row(of.seed, of.ground.name, self.outcome, of.classes(), self.exits)

    def kept(self) -> Difference:
        of, lines = self.scenario, self.difference
        return Difference(of.seed, of.ground.name, of.text(), self.problems, lines[:_HEAD], len(lines))

    def told(self) -> str:
        """For people: what was done, what differs."""
        lines = [f"seed {self.scenario.seed} ({self.scenario.ground.name}): {self.scenario.text()}"]
        lines += [f"  problem: {text}" for text in self.problems]
        lines += [f"  {line}" for line in self.difference[:_HEAD]]
        left = len(self.difference) - _HEAD
        lines += [f"  ... {left} lines more"] if left > 0 else []
        lines += [f"  the tool: {line}" for line in self.log[:10]]
        return "\n".join(lines)


def _guest(ground: Ground, scenarios: Sequence[Scenario], tool: Path | bytes) -> vm.Guest:
    files = programs("chaos", "spawn", "state", "threads")
    files |= {f"/usr/bin/{exclusive.NAME}": tool, "/check": SHELL}
    files |= {f"/chaos/{n}/{one.seed}": one.steps().encode() for n, one in enumerate(scenarios)}
    if ground.systemd:
        return systemd_image.guest(files, units=_UNITS)
    return vm.Guest(files)


def parse(text: str, scenarios: Sequence[Scenario]) -> list[Done]:
    """Parses the output of chaos.sh; a last scenario without an end has broken the guest."""
    done: list[Done] = []
    ended = True
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "begin":
            ended = False
            said: dict[str, list[str]] = {"exit": [], "problem": [], "|": [], "log": []}
        elif word == "end":
            ended = True
            done.append(_done(scenarios[len(done)], rest.split()[1], said))
        elif not ended and word in said:
            said[word].append(rest)
    if not ended:
        said["problem"].append("the guest did not finish this scenario")
        done.append(_done(scenarios[len(done)], DIFFERING, said))
    return done


def _done(of: Scenario, outcome: str, said: dict[str, list[str]]) -> Done:
    exits = tuple(int(text) for text in said["exit"])
    return Done(of, outcome, exits, tuple(said["problem"]), tuple(said["|"]), tuple(said["log"]))


def _boot(
    scenarios: Sequence[Scenario], tool: Path | bytes, on_done: Callable[[list[str]], None]
) -> list[Done]:
    """Runs scenarios in one boot: all, or until one has broken the guest."""
    ground = scenarios[0].ground
    heard = ""

    def hear(text: str) -> None:
        nonlocal heard
        before, heard = _ENDS.findall(heard), heard + text
        on_done(_ENDS.findall(heard)[len(before) :])

    script = ". /check/chaos.sh\nchaos_of $(ls -d /chaos/*/* | sort -t / -k 3n)\n"
    try:
        outcome = vm.run(
            _guest(ground, scenarios, tool),
            script,
            kernel=ground.kernel,
            cgroup=ground.cgroup,
            timeout=_BOOT_S + _SCENARIO_S * len(scenarios),
            on_output=hear,
        )
        heard = outcome.stdout
    except vm.GuestError as error:
        done = parse(heard, scenarios)
        if not done:
            raise
        if done[-1].problems:  # what the kernel said belongs to the scenario that has broken it
            last = done.pop()
            done.append(
                Done(last.scenario, last.outcome, problems=(*last.problems, *str(error).splitlines()))
            )
        return done
    done = parse(heard, scenarios)
    if not done:
        raise UserError(f"the guest ran no scenario:\n{heard}")
    return done


def _on(batch: Sequence[Scenario], tool: Path | bytes, on_done: Callable[[list[str]], None]) -> list[Done]:
    """Runs all scenarios of a ground; a guest that cannot continue is replaced."""
    done: list[Done] = []
    while len(done) < len(batch):
        done += _boot(batch[len(done) :], tool, on_done)
    return done


def run(
    drawn: Sequence[Scenario],
    on_progress: Callable[[str], None] | None = None,
    tool: Path | bytes | None = None,  # in place of ours
) -> list[Done]:
    """Runs all scenarios, in order, on as many guests at once as there are CPUs."""
    program = exclusive.program() if tool is None else tool
    batches: list[list[int]] = []
    for ground in GROUNDS:
        # The groups are changed once only.
        order = sorted(
            (n for n, one in enumerate(drawn) if one.ground is ground), key=lambda n: drawn[n].narrow
        )
        batches += [order[at : at + _BATCH] for at in range(0, len(order), _BATCH)]
    said: list[str] = []

    def progress(outcomes: list[str]) -> None:
        said.extend(outcomes)
        if outcomes and on_progress is not None:
            on_progress(f"{len(said)} of {len(drawn)} scenarios, {said.count(DIFFERING)} differing")

    found: dict[int, Done] = {}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for batch, done in zip(
            batches,
            pool.map(lambda batch: _on([drawn[n] for n in batch], program, progress), batches),
            strict=True,
        ):
            found.update(zip(batch, done, strict=True))
    return [found[n] for n in range(len(drawn))]


# --- what is kept ----------------------------------------------------------------------------------


def counts(done: Sequence[Done]) -> dict[str, int]:
    of = Counter(one.outcome for one in done)
    return {"scenarios": len(done), **{name: of[name] for name in (EQUAL, FOREIGN, DIFFERING)}}


def by_class(done: Sequence[Done]) -> dict[str, dict[str, int]]:
    names = sorted({name for one in done for name in one.scenario.classes()})
    return {name: counts([one for one in done if name in one.scenario.classes()]) for name in names}


def write(done: Sequence[Done]) -> Path:
    """build/results/exclusive_chaos.json; with other than all scenarios: -some."""
    seeds = [one.scenario.seed for one in done]
    name = NAME if seeds == list(range(1, SCENARIOS + 1)) else f"{NAME}-some"
    tools = results.tools(("coreloom", "ziglang")) | {"qemu": qemu.get().version}
    grounds = [ground for ground in GROUNDS if any(one.scenario.ground is ground for one in done)]
    tools |= {f"linux ({ground.name})": kernel.get(ground.kernel).release for ground in grounds}
    facts: dict[str, Any] = {
        **counts(done),
        "grounds": {of.name: counts([one for one in done if one.scenario.ground is of]) for of in grounds},
        "by_class": by_class(done),
        "seeds": seeds,
        "differing_scenarios": [one.kept() for one in done if one.outcome == DIFFERING],
        "tools": tools,
    }
    return results.write(name, [one.row() for one in done], **facts)
