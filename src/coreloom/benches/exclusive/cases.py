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
    paper: str = ""  # [GF]'s name of it
    bound: bool = True  # by the CPU: its wall time over its CPU time means something


MPEG1, MPEG4 = "/job/clip.m1v", "/tmp/clip.m4v"  # clips; the second is made in the guest
SHORT, LONG = "/job/short.wav", "/job/long.wav"
SOUNDS = {SHORT: 2.0, LONG: 5.0}  # seconds


def _lame(sound: str) -> str:
    return f"lame --quiet {sound} /tmp/job.mp3"


def _mpeg4(frames: int) -> str:
    return f"mpeg4 -i {MPEG1} -o /tmp/job.m4v {frames}"


JOBS = (
    Program("burn", "1 s of CPU time", "burn 1"),
    Program("lame", "LAME: 2 s of stereo audio to MP3", _lame(SHORT)),
    Program("mpeg4", "Xvid: 25 frames, 352 x 288, from MPEG-1 to MPEG-4", _mpeg4(25)),
    Program("probe", "probe: 1000 wake-ups, one per ms", "probe -n 1000", bound=False),
    Program("threads", "1 s of CPU time in 4 threads", "burn -j 4 1", (1, 2)),
)


@dataclass(frozen=True)
class Load:
    """The programs beside the job."""

    name: str
    text: str
    commands: tuple[str, ...] = ()
    players: tuple[str, ...] = ()  # the clip of each
    slows: float = 1.0  # a program that is not favoured, about


def _hogs(count: int, slows: float) -> Load:
    return Load(f"{count} hogs", f"{count} CPU-bound threads", (f"hog {count}",), slows=slows)


def _encoder(number: int) -> str:
    """An encoder that begins again when it has ended."""
    return f"sh -c 'while :; do lame --quiet {SHORT} /tmp/others{number}.mp3; done'"


# [GF] calls three of them light, medium and heavy.
_SAME = (
    Load("none", "nothing else"),
    Load("light", "a player of an MPEG-1 clip", players=(MPEG1,)),
    Load("medium", "players of an MPEG-1 and an MPEG-4 clip", players=(MPEG1, MPEG4)),
    Load("heavy", "an encoder", (_encoder(1),)),
)
LOADS = (
    *_SAME,
    *(_hogs(4, 1.4), _hogs(8, 2.3), _hogs(16, 4.3)),
)
QUICK_JOBS = ("burn", "probe")

# [GF] section 4.1, at a constant rate of the CPUs: each encoder with a small and a large file, whose sizes
# have the ratio of the paper's (40 and 100 MB, 50 and 350 MB).
MACHINES_OF_ENCODERS = (2, 4)  # CPUs; the paper's machine has 2
_FEW, _MANY = 20, 140  # frames
ENCODERS = (
    Program("lame small", "LAME, 2 s of audio", _lame(SHORT), paper="MP3 Enc (40MB)"),
    Program("lame large", "LAME, 5 s of audio", _lame(LONG), paper="MP3 Enc (100MB)"),
    Program("mpeg4 small", f"Xvid, {_FEW} frames", _mpeg4(_FEW), paper="MPEG4 Enc (50MB)"),
    Program("mpeg4 large", f"Xvid, {_MANY} frames", _mpeg4(_MANY), paper="MPEG4 Enc (350MB)"),
)
QUICK_OF_ENCODERS = (2, "two encoders")
LOADS_OF_ENCODERS = (*_SAME, Load("two encoders", "two encoders", (_encoder(1), _encoder(2))))
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
