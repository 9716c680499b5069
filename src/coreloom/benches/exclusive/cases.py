# SPDX-License-Identifier: Apache-2.0
"""The cases of `coreloom bench exclusive`: the jobs, the loads beside them, and the methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coreloom.programs import exclusive as tool

CPUS = 4
SEEDS = 3
TRIES = 3  # of what is short
MOST_HOGS = "16 hogs"

# Methods
PLAIN, TASKSET, NICE, FIFO, OURS = "plain", "taskset", "nice -20", "SCHED_FIFO", "ours"
METHODS = (PLAIN, TASKSET, NICE, FIFO, OURS)
SHOWN = {method: "exclusive" if method == OURS else method for method in METHODS}  # in tables


@dataclass(frozen=True)
class Program:
    """A job to favour; cpus: how many it gets where the method has a number."""

    name: str
    text: str
    command: str
    cpus: tuple[int, ...] = (1,)
    bound: bool = True  # by the CPU: its wall time over its CPU time means something


JOBS = (
    Program("burn", "1 s of CPU time", "burn 1"),
    Program("lame", "LAME: 2 s of stereo audio to MP3", "lame --quiet /job/sweep.wav /tmp/job.mp3"),
    Program("mpeg4", "Xvid: 25 frames, 352 x 288, to MPEG-4", "mpeg4 -o /tmp/job.m4v 25"),
    Program("probe", "probe: 1000 wake-ups, one per ms", "probe -n 1000", bound=False),
    Program("threads", "1 s of CPU time in 4 threads", "burn -j 4 1", (1, 2)),
)


@dataclass(frozen=True)
class Load:
    """The programs beside the job."""

    name: str
    text: str
    commands: tuple[str, ...] = ()
    players: int = 0
    slows: float = 1.0  # a program that is not favoured, about


def _hogs(count: int, slows: float) -> Load:
    return Load(f"{count} hogs", f"{count} CPU-bound threads", (f"hog {count}",), slows=slows)


_ENCODE = "sh -c 'while :; do lame --quiet /job/sweep.wav /tmp/others.mp3; done'"
LOADS = (
    Load("none", "nothing else"),
    Load("light", "one player", players=1),
    Load("medium", "two players", players=2),
    Load("heavy", "a second encoder", (_ENCODE,)),
    *(_hogs(4, 1.4), _hogs(8, 2.3), _hogs(16, 4.3)),
)
QUICK_JOBS = ("burn", "probe")
QUICK_LOADS = ("none", MOST_HOGS)


@dataclass(frozen=True)
class Cell:
    """One run of a job by a method; cpus: None where the method has no number."""

    job: Program
    method: str
    cpus: int | None

    def command(self) -> str:
        """The command prefix that starts the job by this method."""
        last = range(CPUS - 1, CPUS - 1 - (self.cpus or 0), -1)
        return {
            PLAIN: "",
            TASKSET: "start " + " ".join(f"-c {cpu}" for cpu in last),
            NICE: "start -n -20",
            FIFO: "start -f 50",
            OURS: f"{tool.NAME} run --quiet --report /tmp/report --count {self.cpus} --",
        }[self.method]


def cells(jobs: Sequence[Program]) -> list[Cell]:
    """Every job by every method."""
    return [
        Cell(job, method, cpus)
        for job in jobs
        for method in METHODS
        for cpus in (job.cpus if method in (TASKSET, OURS) else (None,))
    ]


# Machines on which `true` is started, one after the other, each with what fills it further.
THREADS = 2000
IDLE, FULL = "idle machine", f"{THREADS} threads"
MACHINES = {
    IDLE: "",
    FULL: f"threads -p 20 {THREADS} >/tmp/ready &\nuntil [ -s /tmp/ready ]; do sleep 0.1; done",
    f"{FULL} and 16 hogs": "hog 16 >/tmp/hogs &",
}


def chosen(quick: bool) -> tuple[list[Program], list[Load]]:
    """The jobs and loads to run."""
    jobs = [job for job in JOBS if not quick or job.name in QUICK_JOBS]
    return jobs, [load for load in LOADS if not quick or load.name in QUICK_LOADS]
