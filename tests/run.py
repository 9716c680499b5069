# SPDX-License-Identifier: Apache-2.0
"""What `make TARGET` runs for the tests: set-up, then checks or tiers of tests, alone in a checkout.

    python tests/run.py check | test | test-SUBJECT | test-soc | test-all | test-nightly | test-changed

`test-changed` runs the subjects whose files changed since it last passed, for .ci/run. This runs before
anything is installed, so it uses Python's library alone. Whatever goes wrong is one line, and the next run
goes on from there.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import tiers

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("CORELOOM_BUILD_DIR", ROOT / "build")).absolute()
BIN = ROOT / ".venv" / "bin"
NEEDED_MIB = 1500  # of an empty cache with what one tier makes
FULL_MIB = 50


class Wrong(Exception):
    """What ends a run, in one line."""


def main(target: str) -> int:
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # a shell lets what it starts in the background ignore SIGINT
        signal.signal(number, signal.default_int_handler)
    started = time.time()
    try:
        with alone(target):
            room(NEEDED_MIB)
            return TARGETS.get(target, tests)(target, started)
    except KeyboardInterrupt:
        said, status = "stopped; the next run goes on with what was built", 130
    except Wrong as wrong:
        said, status = str(wrong), 1
    except OSError as error:
        said, status = f"{error.filename or 'disk'}: {error.strerror}", 1
    sys.stderr.write(f"make {target}: {said}\n")
    return status


def alone(target: str) -> IO[str]:
    """Holds the checkout's lock, which the file lets go when it is closed; waits for another run."""
    BUILD.mkdir(parents=True, exist_ok=True)
    lock = (BUILD / "tests.lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        other = lock.read().strip() or "another run"
        sys.stderr.write(f"make {target}: waits for {other} in this checkout (Ctrl-C ends the wait)\n")
        fcntl.flock(lock, fcntl.LOCK_EX)
    lock.truncate(0)
    lock.write(f"make {target}, process {os.getpid()}")
    lock.flush()
    return lock


def room(mib: int) -> None:
    """Wrong if a disk that is written has less."""
    for folder in {BUILD, _there(_cache()), Path(os.environ.get("TMPDIR", "/tmp"))}:
        free = shutil.disk_usage(folder).free >> 20
        if free < mib:
            raise Wrong(f"{folder} is on a disk with {free} MiB free: make room for {mib} MiB")


def _cache() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("CORELOOM_CACHE") or Path(caches) / "coreloom")


def _there(path: Path) -> Path:
    return path if path.exists() else _there(path.parent)


def set_up(names: tuple[str, ...]) -> None:
    """`make setup-NAME`; errors go to a file, as pip tells of a missing network in many lines."""
    log = BUILD / "setup.log"
    make = os.environ.get("MAKE", "make")
    for name in names:
        with log.open("w") as file:
            command = [make, "--no-print-directory", f"setup-{name}"]
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=file, text=True)
            try:
                for line in process.stdout or ():
                    sys.stdout.write(line)
                    sys.stdout.flush()
            finally:
                status = process.wait()
        if status:
            room(FULL_MIB)
            said = log.read_text()
            why = "no network? " if re.search("resolution|retries|Network|No matching distr", said) else ""
            raise Wrong(f"`make setup-{name}` failed: {why}all of it is in {log}")


def check(target: str, started: float) -> int:
    set_up(("check",))
    return subprocess.call([BIN / "python", "tests/check.py"], cwd=ROOT)


def tests(target: str, started: float) -> int:
    wanted = tiers.of_target(target)
    if not wanted:
        names = ", ".join(f"test-{name}" for name in tiers.TIERS[1:])
        raise Wrong(f"there is no such target: one of {names}")
    return of_tiers(wanted, started)


def soc(target: str, started: float) -> int:
    return of_tiers(("test", "rtl", "formal", "synth"), started, [f"tests/{each}" for each in tiers.SOC])


def of_tiers(wanted: Sequence[str], started: float, places: Sequence[str] = ()) -> int:
    """Set up what these tiers need, and run their tests; places: only those there."""
    names = [name for tier in wanted for name in tiers.SETUP[tier]]
    set_up(tuple(dict.fromkeys(names)))
    environment = {**os.environ, "CORELOOM_TESTS_SINCE": str(started)}
    # Else each process compiles our modules anew, and pytest all tests, for a third of a minute.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if list(wanted) == ["linux"]:
        environment["CORELOOM_LINUX"] = "1"  # no guest is a failure, not a reason to skip
    colour = "yes" if sys.stdout.isatty() else "no"
    command = [BIN / "python", "-m", "pytest", "-n", "auto", "--dist", "worksteal", f"--color={colour}"]
    status = shown([*map(str, command), f"--tier={','.join(wanted)}", *places], environment)
    if status:
        room(FULL_MIB)
    if len(wanted) > 1 and not places:
        sys.stdout.write(f"which tier runs each value, finds each fault, checks what: {BUILD / 'tests'}\n")
    return status


def shown(command: list[str], environment: dict[str, str]) -> int:
    """Exit status of a command whose output is shown as it comes; at Ctrl-C it ends without a word."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    quiet = threading.Event()

    def copy() -> None:
        assert process.stdout is not None
        while data := os.read(process.stdout.fileno(), 65536):
            if not quiet.is_set():
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()

    copying = threading.Thread(target=copy, daemon=True)
    copying.start()
    try:
        status = process.wait()
        copying.join()
        return status
    finally:
        if process.poll() is None:
            quiet.set()
            for number, seconds in ((signal.SIGINT, 10), (signal.SIGKILL, 10)):
                os.killpg(process.pid, number)
                try:
                    process.wait(seconds)
                    break
                except subprocess.TimeoutExpired:
                    pass


def changed(target: str, started: float) -> int:
    """The subjects whose files changed since the commit that this noted when it last passed."""
    noted = _cache() / "ci-passed"
    asked = tiers.SUBJECTS if (paths := _changed_since(noted)) is None else tiers.asked_for(paths)
    sys.stdout.write(f"subjects that the changes ask for: {', '.join(asked) or 'none'}\n")
    if asked and (status := of_tiers(asked, started)):
        return status
    noted.parent.mkdir(parents=True, exist_ok=True)
    noted.write_text(_git("rev-parse", "HEAD"))
    return 0


def _changed_since(noted: Path) -> list[str] | None:
    """The files that differ from the commit that passed; None if there is none that HEAD comes from."""
    try:
        passed = noted.read_text().strip()
        _git("merge-base", "--is-ancestor", passed, "HEAD")
        return _git("diff", "--name-only", "--no-renames", passed).splitlines()
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ).stdout


TARGETS = {"check": check, "test-soc": soc, "test-changed": changed}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
