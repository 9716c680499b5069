# SPDX-License-Identifier: Apache-2.0
"""The build driver: builds once, notices every change, says in one line what is wrong."""

from __future__ import annotations

import dataclasses
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom.design.key import Param
from coreloom.errors import UserError
from coreloom.toolchain import cache, verilate

_SOURCE = """
module counter #(parameter int unsigned Step = 1) (input logic clk_i, output logic [31:0] count_o);
  always_ff @(posedge clk_i) count_o <= count_o + Step;
endmodule
"""

_HARNESS = """
#include <cstdio>
#include "Vmodel.h"
int main() {
  Vmodel top;
  for (int i = 0; i < CYCLES; ++i) { top.clk_i = 0; top.eval(); top.clk_i = 1; top.eval(); }
  std::printf("%u\\n", top.count_o);
}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Source and harness of a small model, in an empty cache."""
    (tmp_path / "models").mkdir()
    monkeypatch.setattr(verilate, "models", lambda: tmp_path / "models")
    (tmp_path / "counter.sv").write_text(_SOURCE)
    (tmp_path / "harness.cpp").write_text(_HARNESS)
    return tmp_path / "counter.sv", tmp_path / "harness.cpp"


def build(files: tuple[Path, Path], step: int = 1, cycles: int = 10) -> Path:
    design = verilate.Design("counter", (files[0],))
    return verilate.build(design, files[1], {"Step": step}, name="counter", cxx_defines={"CYCLES": cycles})


def counted(model: Path) -> int:
    return int(subprocess.run([model], capture_output=True, text=True, check=True).stdout)


def test_build_is_cached_by_content(files: tuple[Path, Path]) -> None:
    first = build(files)
    stamp = first.stat().st_mtime_ns
    assert counted(first) == 10
    assert build(files) == first and first.stat().st_mtime_ns == stamp
    files[0].write_text(_SOURCE.replace("count_o + Step", "count_o + 2 * Step"))
    assert counted(build(files, step=3, cycles=7)) == 42
    # Nothing but finished models and their locks is left.
    left = {path.name.rpartition(".")[2] for path in verilate.models().iterdir() if not path.is_dir()}
    assert left == {"lock"}
    assert all((path / "sim").exists() for path in verilate.models().iterdir() if path.is_dir())


def test_what_a_harness_includes_counts(files: tuple[Path, Path]) -> None:
    """A header counts through another header, too; the place of the files does not count."""
    inner, outer = files[1].with_name("inner.h"), files[1].with_name("outer.h")
    inner.write_text("#define ROUNDS 5\n")
    outer.write_text('#include "inner.h"\n')
    files[1].write_text('#include "outer.h"\n' + _HARNESS.replace("CYCLES", "ROUNDS"))
    first = build(files)
    assert counted(first) == 5
    inner.write_text("#define ROUNDS 6\n")
    assert counted(build(files)) == 6
    inner.write_text("#define ROUNDS 5\n")
    elsewhere = files[0].parent / "elsewhere"
    elsewhere.mkdir()
    for file in (*files, inner, outer):
        (elsewhere / file.name).write_bytes(file.read_bytes())
    assert build((elsewhere / files[0].name, elsewhere / files[1].name)) == first


def test_each_thing_given_to_the_tools_counts(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A parameter, a macro, a text for a number, a define, a searched folder, an option, the tools."""
    monkeypatch.setattr(cache, "made", lambda entry, make: entry)
    more = tmp_path / "more"
    more.mkdir()
    (more / "unit.sv").write_text("module unit; endmodule\n")
    design = verilate.Design("counter", (files[0],), library_dirs=(more,))

    def key(design: verilate.Design = design, step: Param = 1, cycles: int = 1) -> Path:
        macros = {"CYCLES": cycles}
        return verilate.build(design, files[1], {"Step": step}, name="counter", cxx_defines=macros)

    keys = [key(), key(step=2), key(step="1"), key(cycles=2)]
    keys.append(key(dataclasses.replace(design, defines=("LATE",))))
    (more / "unit.sv").write_text("module unit; wire a; endmodule\n")
    keys.append(key())
    monkeypatch.setattr(verilate, "_OPT_FAST", "-O2")
    keys.append(key())
    tools = verilate._tools()
    monkeypatch.setattr(verilate, "_tools", lambda: dataclasses.replace(tools, identity=("another",)))
    keys.append(key())
    assert len(set(keys)) == len(keys) == 8


def test_two_builds_at_once(files: tuple[Path, Path], tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from coreloom.toolchain import cache, verilate
verilate.models = lambda: Path({str(verilate.models())!r})
design = verilate.Design("counter", (Path({str(files[0])!r}),))
print(verilate.build(design, Path({str(files[1])!r}), {{}}, name="counter", cxx_defines={{"CYCLES": 4}}))
"""
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    made = {process.communicate()[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(made) == 1
    assert counted(Path(made.pop())) == 4


def test_errors_are_one_line(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    good = files[0].read_text()
    files[0].write_text(good.replace("endmodule", "endmodul"))
    with pytest.raises(
        UserError, match=r"^Verilator failed: .*counter.sv.*syntax error.* \(all of it in .*\)$"
    ):
        build(files)
    files[0].write_text(good)
    files[1].write_text("#error no harness yet\n")
    with pytest.raises(
        UserError, match=r"^the C\+\+ compiler failed: .*no harness yet.* \(all of it in .*\)$"
    ):
        build(files)
    with pytest.raises(UserError, match=r"^cannot read .*nothing.sv: No such file"):
        build((files[0].with_name("nothing.sv"), files[1]))
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(UserError, match=r"^the C\+\+ compiler in \$CXX was not found: no-such-compiler$"):
        build(files)


def test_compiler_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert verilate.find_compiler() == [sys.executable, "-m", "ziglang", "c++"]
    for name in ("clang++", "g++"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert verilate.find_compiler() == [str(tmp_path / name)]
    monkeypatch.setenv("CXX", f"{shlex.quote(sys.executable)} -m ziglang c++")
    assert verilate.find_compiler() == [sys.executable, "-m", "ziglang", "c++"]


@pytest.mark.nightly
def test_without_a_compiler_or_make(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """zig builds and links the model on a machine with nothing else (its libc++ takes a minute at first)."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert counted(build(files)) == 10


def test_lint_finds_and_names(files: tuple[Path, Path]) -> None:
    design = verilate.Design("counter", (files[0],))
    assert verilate.lint(design) == []
    files[0].write_text(_SOURCE.replace("endmodule", "  logic never;\nendmodule"))
    (found,) = verilate.lint(design)
    assert found.startswith("%Warning-UNUSEDSIGNAL") and "never" in found
    files[0].write_text("module counter(\n")
    assert verilate.lint(design)[0].startswith("%Error")
