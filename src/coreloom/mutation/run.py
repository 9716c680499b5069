# SPDX-License-Identifier: Apache-2.0
"""A fault is planted in a copy of the tree, and its nearest tests say whether they notice.

Of a fault that was found before, tests that have changed are asked anew, first the one that noticed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from coreloom import paths
from coreloom.errors import UserError
from coreloom.files import write_atomically
from coreloom.mutation.operators import Mutant
from coreloom.toolchain import cache

TIERS = {"test": "test", "test-all": "rtl,runtime,formal,synth,linux,docs"}  # what each adds, in their order
LIMIT_SECONDS = 900.0
_FOLDER = paths.BUILD / "mutation"
_RECENT_SECONDS = 12 * 3600  # so long an entry of the cache is not removed by another process
_OF_TOOLS = {"zig", "yowasp", "debian", "freertos"}  # caches of their own, which no fault reaches
# Without those that compare texts or cycle counts, not behaviour (tests/tiers.py).
_PYTEST = ("-m", "pytest", "-x", "-rfE", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist",
           "-m", "not golden and not planted")  # fmt: skip
_LATE = re.compile(
    r"TimeoutExpired|did not end in [\d.]+ s|timed out after|ran out of time|no answer in \d+ s"
)
_DAMAGED = re.compile(r"No space left on device|Cannot allocate memory|MemoryError")


class Found(msgspec.Struct):
    """What became of a fault.

    verdict: killed, survived, late (out of time: neither), invalid (it cannot be built); tier: of the test
    that noticed, or the last one that was run; by: that test.
    """

    ident: str
    area: str
    path: str
    line: int
    verdict: str
    tier: str
    by: str = ""
    tests: str = ""  # digest of the tests that were run
    before: str = ""
    after: str = ""


class Trial:
    """A copy of the tree in which faults are planted one by one; it vanishes at the end of the block."""

    def __init__(self, limit: float = LIMIT_SECONDS) -> None:
        self.limit = limit
        self.root = _FOLDER / f"tree-{os.getpid()}"
        self._cache = _FOLDER / f"cache-{os.getpid()}"
        self._stamp = time.time()

    def __enter__(self) -> Trial:
        if shutil.which("unshare") is None:
            raise UserError("unshare is missing, which keeps faulty programs apart: install util-linux")
        if subprocess.run([*_apart(), "true"], capture_output=True, check=False).returncode:
            raise UserError(
                "unshare may not make namespaces here, which keep faulty programs apart: run as root"
            )
        self._remove()
        for name in _contents():
            copy = self.root / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(paths.ROOT / name, copy, follow_symlinks=False)
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def _remove(self) -> None:
        for folder in (self.root, self._cache):
            shutil.rmtree(folder, ignore_errors=True)

    def without(self, nearest: tuple[str, ...], tier: str) -> int:
        """How many of these tests there are; they must pass without a fault. UserError if they do not."""
        key = hashlib.sha256("\0".join((*nearest, tier, _digest())).encode()).hexdigest()[:16]
        kept = _FOLDER / "passed" / key
        with contextlib.suppress(OSError, ValueError):
            return int(kept.read_text())
        status, text = self._pytest(nearest, tier, None, None)
        if status not in (0, 5):
            raise UserError(f"{noticed(text) or ' '.join(nearest)} fails without any fault: mend it first")
        count = int(found[1]) if (found := re.search(r"^(\d+) passed", text, re.MULTILINE)) else 0
        write_atomically(kept, str(count).encode())
        return count

    def planted(
        self, area: str, mutant: Mutant, nearest: tuple[str, ...], tier: str, before: Found | None = None
    ) -> Found:
        """What the tests of `make TIER` say of a fault; before: what was found when the tests were others."""
        result = Found(area=area, verdict="survived", tier=tier, tests=digest(nearest),
                       **{name: getattr(mutant, name) for name in
                          ("ident", "path", "line", "before", "after")})  # fmt: skip
        target = self.root / mutant.path
        text = target.read_text("utf-8")
        changed = mutant.applied(text)
        if target.suffix == ".py" and not _compiles(changed):
            result.verdict = "invalid"
            return result
        times = target.stat()
        target.write_text(changed, "utf-8")
        self._stamp += 2  # tells what Python has compiled of the file from the last fault's
        os.utime(target, (self._stamp, self._stamp))
        try:
            steps: list[tuple[str, tuple[str, ...]]] = []
            for name in upto(tier):
                if before and before.verdict == "killed" and before.tier == name:
                    steps.append((name, (before.by,)))
                steps.append((name, nearest))
            for name, tests in steps:
                self._judge(result, name, tests)
                if result.verdict != "survived":
                    break
        finally:
            target.write_text(text, "utf-8")
            os.utime(target, (times.st_atime, times.st_mtime))
        return result

    def _judge(self, result: Found, tier: str, tests: tuple[str, ...]) -> None:
        result.tier = tier
        status, text = self._pytest(tests, tier, result.path, self.limit)
        if status is None or (status and _LATE.search(text)):
            result.verdict = "late"
        elif status in (0, 5):
            result.verdict = "survived"
        elif _DAMAGED.search(text):
            raise UserError(f"{_DAMAGED.search(text)[0]}: make room, then run it again")  # type: ignore[index]
        elif unbuilt(result.path, text):
            result.verdict = "invalid"
        else:
            result.verdict, result.by = "killed", noticed(text) or "tests cannot be loaded"

    def _pytest(
        self, tests: Iterable[str], tier: str, faulty: str | None, limit: float | None
    ) -> tuple[int | None, str]:
        """Its status, None after the limit, and what it printed."""
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src")}
        environment.pop(paths.BUILD_DIR, None)
        if faulty:
            self._share()
            environment |= {cache.FOLDER: str(self._cache), cache.LIMIT: "1000000"}
        python = Path(sys.prefix).resolve() / "bin" / "python"
        command = [*_apart(), str(python), *_PYTEST, f"--tier={TIERS[tier]}"]
        command += [f"tests/{word}" if _is_test(word) else word for word in tests]
        process = subprocess.Popen(
            command, cwd=self.root, env=environment, text=True, errors="replace", start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            text = process.communicate(timeout=limit)[0]
            return process.returncode, text
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _share(self) -> None:
        """A cache with what the user's has; what is made of the last fault's text goes."""
        own = cache.folder()
        for kind in own.iterdir():
            if not kind.is_dir():
                continue
            there = self._cache / kind.name
            if kind.name in _OF_TOOLS:
                there.parent.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(FileExistsError):
                    there.symlink_to(kind)
                continue
            there.mkdir(parents=True, exist_ok=True)
            for entry in there.iterdir():
                if not entry.is_symlink():
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            for each in os.scandir(kind):
                if each.name.startswith(".") or each.name.endswith(".lock"):
                    continue  # another process makes it just now
                recent = time.time() - each.stat(follow_symlinks=False).st_mtime < _RECENT_SECONDS
                with contextlib.suppress(FileExistsError):
                    if recent:
                        (there / each.name).symlink_to(each.path)


def _apart() -> list[str]:
    """Processes of its own, the only ones that a faulty program can end; and root cannot write to /sys."""
    words = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid():
        return [*words, "--map-current-user"]
    return [*words, "sh", "-c", 'mount -o remount,ro,bind /sys && exec "$@"', "sh"]


def _is_test(word: str) -> bool:
    """Or it is an option of pytest, its value, or a test as pytest names it."""
    return (paths.ROOT / "tests" / word).exists()


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def unbuilt(path: str, text: str) -> bool:
    """Whether the output of a test says that a compiler or a linter refuses this file."""
    name = re.escape(Path(path).name)
    return (
        re.search(rf"{name}:\d+:\d+: (?:fatal )?(?:error|warning):|%(?:Error|Warning)[^\n]*{name}:\d+", text)
        is not None
    )


def noticed(text: str) -> str:
    """The first failed test that pytest lists; "" if it lists none."""
    found = re.search(r"^(?:FAILED|ERROR) (tests/\S+?(?:\[.*?\])?)(?: - |$)", text, re.MULTILINE)
    return found[1] if found else ""


@functools.lru_cache(maxsize=1)
def _tracked() -> tuple[str, ...]:
    """The files of the tree: committed, or about to be."""
    command = ["git", "-C", str(paths.ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError("git cannot list the files of this tree: a clone is needed, not an archive")
    return tuple(filter(None, done.stdout.split("\0")))


@functools.lru_cache(maxsize=1)
def _contents() -> dict[str, str]:
    """Digests of all files, as they were when this process began to copy them."""
    found = {}
    for name in _tracked():
        with contextlib.suppress(OSError):
            found[name] = hashlib.sha256((paths.ROOT / name).read_bytes()).hexdigest()
    return found


def digest(nearest: tuple[str, ...]) -> str:
    """Of the folders of these tests, with the programs that they run."""
    folders = {"src/coreloom/conformance/programs/"}  # which are tests, too
    folders |= {f"tests/{word.partition('/')[0]}/" for word in nearest if _is_test(word)}
    return _digest(tuple(folders))


def _digest(folders: tuple[str, ...] = ("",)) -> str:
    lines = [f"{name}\0{content}" for name, content in _contents().items() if name.startswith(folders)]
    return hashlib.sha256("\0".join(sorted(lines)).encode()).hexdigest()[:16]


def stands(found: Found, nearest: tuple[str, ...], tier: str) -> bool:
    """Whether asking these tests up to this tier anew would tell nothing else."""
    if found.verdict == "invalid":
        return True
    far = found.verdict == "killed" or tier in upto(found.tier)
    return found.verdict != "late" and found.tests == digest(nearest) and far


def upto(tier: str) -> list[str]:
    """It, behind the tiers that are asked before it."""
    return list(TIERS)[: list(TIERS).index(tier) + 1]
