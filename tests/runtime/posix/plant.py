# SPDX-License-Identifier: Apache-2.0
"""A checkout with a fault in it, in which the streams and interleavings run (faults.toml)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from coreloom.errors import UserError
from coreloom.paths import ROOT, RUNTIME

_COPIED = ("src", "runtime")


def planted(fault: Mapping[str, str]) -> str:
    """The text of the file with the fault."""
    text = (RUNTIME / fault["file"]).read_text("utf-8")
    if text.count(fault["old"]) != 1:
        raise UserError(
            f"runtime/{fault['file']} has {text.count(fault['old'])} times, not once: {fault['old']}"
        )
    return text.replace(fault["old"], fault["new"])


def plant(fault: Mapping[str, str], folder: Path) -> None:
    """Makes the checkout: of what is not copied it has links."""
    for path in ROOT.iterdir():
        if path.name in _COPIED:
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif path.name != "build" and not path.name.startswith(".git"):
            (folder / path.name).symlink_to(path)
    (folder / "runtime" / fault["file"]).write_text(planted(fault), "utf-8")


def found(fault: Mapping[str, str], folder: Path, calls: int) -> str:
    """What is found of a fault; empty: nothing."""
    plant(fault, folder)
    words = (
        ["scenario", fault["scenario"]]
        if "scenario" in fault
        else [fault.get("where", "host"), str(calls), "1"]
    )
    environment = {
        **os.environ,
        "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}",
        "CORELOOM_BUILD_DIR": str(folder / "build"),
    }
    ran = subprocess.run(
        [sys.executable, "-m", "tests.runtime.posix", *words],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ran.returncode and not ran.stderr.startswith("error: "):
        raise UserError(ran.stderr or ran.stdout)
    return ran.stderr
