# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING.md for an operation, a key and a size, done in a copy, and their files."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from coreloom.paths import ROOT

pytestmark = pytest.mark.planted

_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache")
# File -> what is put before which of its lines.
Edits = Mapping[str, tuple[tuple[str, str], ...]]

OPERATION: Edits = {
    "rtl/kernel/data/kernel.toml": (
        (
            "[kind.interrupt]\n",
            '[kind.semaphore.verbs.reset]\ncode = 7\nid = "semaphore"\ncall = "direct"\n'
            'errors = { einval = "no such semaphore" }\n'
            'text = "Set the count to 0; value = the count before."\n\n',
        ),
    ),
    "src/coreloom/reference/kernel.py": (
        (
            "    def _semaphore_leave(",
            "    def _semaphore_reset(self, cpu: int, id: int) -> int:\n"
            "        semaphore = self._semaphore(id)\n"
            "        if semaphore is None:\n"
            '            return error("einval")\n'
            "        count, semaphore.count = semaphore.count, 0\n"
            "        return count\n\n",
        ),
    ),
    "rtl/kernel/rtl/cl_kernel_semaphore_ops.sv": (
        (
            "      OpSemaphoreLeave: begin\n",
            "      OpSemaphoreReset: begin\n"
            "        if (!exists) outcome_o = failed(StatusEinval);\n"
            "        else begin\n"
            "          set       = 1'b1;\n"
            "          set_to    = '0;\n"
            "          outcome_o = answered(WordValueWidth'(count));\n"
            "        end\n"
            "      end\n\n",
        ),
    ),
    "runtime/sw/cl_sw_kernel.h": (
        (
            "K_INLINE uint32_t k_op_semaphore_value(",
            "K_INLINE uint32_t k_op_semaphore_reset(uint32_t id) {\n"
            "  if (id >= CL_SEMAPHORES || !k_semaphores[id].exists) return K_ERROR(EINVAL);\n"
            "  uint32_t count = k_semaphores[id].count;\n"
            "  k_semaphores[id].count = 0;\n"
            "  return count;\n"
            "}\n\n",
        ),
    ),
    "runtime/sw/cl_sw.c": (
        (
            "uint32_t cl_op_semaphore_value(",
            "uint32_t cl_op_semaphore_reset(uint32_t id) "
            "{ return enter(), answer_with(k_op_semaphore_reset(id)); }\n",
        ),
    ),
    "tests/runtime/sw_host.c": (
        (
            "    case CL_OP_SEMAPHORE_VALUE:",
            "    case CL_OP_SEMAPHORE_RESET: return k_op_semaphore_reset(id);\n",
        ),
    ),
}
PROGRAM = """#include <stdio.h>
#include "cl_kernel.h"
int main(void) {
  uint32_t semaphore = cl_value(cl_op_semaphore_create(3));
  uint32_t before = cl_op_semaphore_reset(semaphore);
  printf("%u %u\\n", (unsigned)before, (unsigned)cl_op_semaphore_value(semaphore));
  return 0;
}
"""
KEY: Edits = {
    "src/coreloom/design/keys.py": (
        (
            "    clock_hz: Annotated[\n",
            "    tick: Annotated[\n"
            "        int,\n"
            '        Key("cycles of a tick", 100, 10**9, rtl="Tick", optional=True, area="none"),\n'
            "    ] = 1000\n",
        ),
    ),
    # The unit that uses it; a key that is named there already.
    "rtl/soc/rtl/cl_soc.sv": (),
}
SIZE: Edits = {
    "src/coreloom/design/keys.py": (
        (
            "    port_depth: Annotated[",
            '    lists: Annotated[int, Key("lists", 1, 8, rtl="Lists", c="CL_LISTS", optional=True)] = 2\n',
        ),
    ),
    "rtl/kernel/rtl/cl_kernel.sv": (
        ("  cl_kernel_rules #(", '  if (Cfg.Lists == 0) begin : g_lists $error("no lists"); end\n\n'),
    ),
}


class Copy:
    """The tree, without what was built."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        shutil.copytree(ROOT, self.root, ignore=_LEFT_OUT, symlinks=True)

    def edit(self, edits: Edits) -> None:
        for name, changes in edits.items():
            path = self.root / name
            text = path.read_text(encoding="utf-8")
            for before, added in changes:
                assert text.count(before) == 1, f"{name}: {before}"
                text = text.replace(before, added + before)
            path.write_text(text, encoding="utf-8")

    def run(self, *command: str) -> str:
        env = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "CORELOOM_BUILD_DIR": str(self.root / "build"),
        }
        done = subprocess.run(
            [sys.executable, *command], cwd=self.root, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def coreloom(self, *arguments: str) -> str:
        return self.run("-c", "import sys; from coreloom.entry import main; sys.exit(main())", *arguments)

    def generated(self, what: str, edits: Edits, capsys: pytest.CaptureFixture[str]) -> list[str]:
        """The files that differ from the tree when those made from others are made anew; prints how many."""
        self.coreloom("generate")
        changed = self.changed()
        with capsys.disabled():
            sys.stdout.write(f"\na new {what}: {len(edits)} files by hand, {len(changed)} in all\n")
        return changed

    def changed(self) -> list[str]:
        """Files that differ from the tree."""
        files = [path for path in self.root.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        names = [path.relative_to(self.root) for path in files if self.root / "build" not in path.parents]
        return sorted(
            str(name)
            for name in names
            if not (ROOT / name).is_file() or not filecmp.cmp(ROOT / name, self.root / name, shallow=False)
        )


def test_an_operation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = Copy(tmp_path)
    copy.edit(OPERATION)
    changed = copy.generated("operation", OPERATION, capsys)
    assert len(OPERATION) <= 10 and set(OPERATION) <= set(changed)
    copy.run(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=--strict-markers"),
        "tests/runtime/test_sw_kernel_vs_model.py::test_software_kernel_agrees_with_the_model[1 cpu]",
        "tests/kernel_rtl/test_referee.py::test_random_stream[small-1]",
        "tests/model/test_stream.py::test_every_status_of_every_operation_is_reached[False-priority]",
    )
    program = tmp_path / "reset.c"
    program.write_text(PROGRAM, encoding="utf-8")
    for kernel in ("hw", "sw"):
        assert copy.coreloom("run", "--on", kernel, "-q", str(program)) == "3 0\n"


def test_a_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = Copy(tmp_path)
    copy.edit(KEY)
    path = copy.root / "rtl/soc/rtl/cl_soc.sv"
    path.write_text(path.read_text(encoding="utf-8").replace("TickCycles", "Cfg.Tick"), encoding="utf-8")
    changed = copy.generated("key", KEY, capsys)
    assert len(changed) <= 5 and set(KEY) <= set(changed)
    lint(copy, "tick", 400)


def test_a_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = Copy(tmp_path)
    copy.edit(SIZE)
    changed = copy.generated("size", SIZE, capsys)
    assert len(SIZE) <= 3 and set(SIZE) <= set(changed)
    lint(copy, "kernel.lists", 4)


def lint(copy: Copy, key: str, value: int) -> None:
    copy.run(
        "-c",
        "from coreloom.design import platform; from coreloom.toolchain import verilate; "
        f"assert verilate.lint_platform(platform.load('smp-standard', changes={{{key!r}: {value}}})) == []",
    )
