# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys: the second reader of our RTL, the prover of its properties, and what makes gates of it."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from coreloom.design import record
from coreloom.errors import UserError
from coreloom.paths import BUILD, ROOT
from coreloom.toolchain import cache, yowasp
from coreloom.toolchain.verilate import Design
from coreloom.toolchain.yowasp import relative

__all__ = ["YosysResult", "build", "installed_key", "read_command", "relative", "result_key", "run"]


@dataclass(frozen=True)
class YosysResult:
    """Exit status and log of one script."""

    status: int
    log: str

    @property
    def error(self) -> str:
        """What went wrong, in one line."""
        errors = (line.strip() for line in self.log.splitlines() if _ERROR.search(line))
        return next(errors, f"it ended with status {self.status}")


_ERROR = re.compile(r"\berror: ", re.IGNORECASE)  # Yosys' own, or slang's behind a place


def run(script: str, extra: str = "test") -> YosysResult:
    """Run a script; its lines name files as `relative` does. Raises UserError if Yosys is missing.

    A script that only reads and proves has one result for one content of the files it names: it is kept in
    the cache, unless Yosys itself failed.
    """
    key = installed_key(script, extra)
    if key is None:
        return _run(script, extra)
    entry = cache.place("yosys") / key
    if there := cache.found(entry):
        return YosysResult(**json.loads((there / "result.json").read_text(encoding="utf-8")))
    result = _run(script, extra)
    if result.status == 0 or "proof did fail" in result.log:

        def make(work: Path) -> None:
            (work / "result.json").write_text(json.dumps(asdict(result)), encoding="utf-8")

        cache.made(entry, make)
    return result


def installed_key(script: str, extra: str) -> str | None:
    """result_key with the installed Yosys; None also if its version is unknown.

    A UserError if Yosys is missing.
    """
    yowasp.find(yowasp.YOSYS, extra)
    try:
        return result_key(script, yowasp.version(yowasp.YOSYS, extra))
    except UserError:
        return None


def build(script: str, extra: str, label: str, folder: Path) -> None:
    """Run a script that makes files. UserError if it fails; then all of the log is in the folder."""
    done = run(script, extra)
    if done.status:
        log = folder / f"failed-{label}.log"
        log.write_text(done.log)
        raise UserError(f"Yosys cannot build {label}: {done.error} (all of it in {relative([log])})")


# Commands of a script that leave something else than the log, or do more than its files say.
_EFFECTS = re.compile(r"(?<!-)\b(write_\w+|dump|tee|abc|exec|script|shell|show|tcl|plugin)\b|-dump_|-o\b|!")
_WORD = re.compile(r"""[^\s;"'=]+""")
_QUOTED = re.compile(rb'"([^"\n\0]+)"')
_HDL = {".sv", ".svh", ".v", ".vh"}


def result_key(script: str, version: str) -> str | None:
    """A key of all that a script's result depends on; None for a script whose result cannot be kept.

    That is the script, Yosys, and the content of each file it names, of the HDL in each folder it names, and
    of what is named between quotes in those. Where a file lies counts only as far as its own name.
    """
    if _EFFECTS.search(script):
        return None
    made = hashlib.sha256(f"{version}\0".encode())
    files: dict[Path, None] = {}

    def add(path: Path) -> None:
        if path in files:
            return
        files[path] = None
        for name in _QUOTED.findall(path.read_bytes()):
            text = name.decode(errors="replace")
            for base in (ROOT, path.parent, *folders):
                if len(text) < 250 and (base / text).is_file():
                    add(base / text)

    words: list[tuple[str, Path | None]] = []
    for word in _WORD.findall(script):
        option = next((option for option in ("-I", "-y") if word.startswith(option)), "")
        path = ROOT / word.removeprefix(option)
        named = word != option and len(word.rpartition("/")[2]) < 250 and path.exists()
        words.append((option, path) if named else (word, None))
    folders = [path for _, path in words if path and path.is_dir()]
    for text, path in words:
        made.update(f"{text} {path.name if path else ''}\0".encode())
        if path and path.is_file():
            add(path)
        elif path:
            for file in sorted(path.rglob("*")):
                if file.suffix in _HDL and file.is_file():
                    add(file)
    # The words alone do not tell `a=b` from `a b`.
    made.update(re.sub(_WORD, "", script).encode() + b"\0")
    for path in files:
        made.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()[:32]


def _run(script: str, extra: str) -> YosysResult:
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="yosys-", dir=BUILD) as name:
        folder = Path(name)
        (folder / "script.ys").write_text(script)
        log = folder / "log.txt"
        # Standard output is lost once ABC has run: the log is what counts.
        arguments = ["-q", "-l", relative([log]), relative([folder / "script.ys"])]
        done = yowasp.run(yowasp.YOSYS, arguments, extra)
        return YosysResult(done.status, log.read_text() if log.exists() else done.said)


def read_command(design: Design, params: Mapping[str, int | str], folder: Path) -> str:
    """The line of a script that reads a design; what must be changed to be readable is copied to `folder`."""
    sources = list(design.sources)
    for library in design.library_dirs:
        if (library / "ibex_top.sv").exists():
            sources.append(_readable_ibex_top(library, folder))
    words = ["read_slang", "--threads 1", f"--top {design.top}"]
    words += [record.options(design.top, params)]
    words += [f"-D{define}" for define in design.defines]
    words += [f"-I{relative([path])}" for path in design.include_dirs]
    words += [f"-y {relative([path])}" for path in design.library_dirs]
    return " ".join([*words, "-Y .sv", relative(sources)])


def _readable_ibex_top(library: Path, folder: Path) -> Path:
    """A copy of ibex_top.sv in which a variable with an initial value, which slang refuses, is a wire."""
    text = (library / "ibex_top.sv").read_text()
    old = "logic unused_scramble_inputs = "
    if text.count(old) != 1:
        raise UserError(f"ibex_top.sv is not as expected ('{old.strip()}'): install the pinned Ibex wheel")
    copy = folder / "ibex_top.sv"
    copy.write_text(text.replace(old, "wire unused_scramble_inputs = "))
    return copy
