# SPDX-License-Identifier: Apache-2.0
"""A unit or a whole SoC for other tools: its sources with a list of them, or one file of plain Verilog.

What is made is a folder: the RTL, a FuseSoC core, and of its registers and operations C headers, SystemRDL
and a page.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coreloom import __version__, licence, sources
from coreloom.design import generate, keys, manifest, platform, record, systemrdl
from coreloom.design.key import Param
from coreloom.design.keys import Platform
from coreloom.errors import UserError, suggest
from coreloom.files import whole_folder
from coreloom.paths import BUILD, RTL, RUNTIME
from coreloom.synthesis import units
from coreloom.toolchain import cache, yosys
from coreloom.toolchain.verilate import Design

KINDS = {
    "sv": "SystemVerilog sources, as they are",
    "verilog": "one file of Verilog-2001, without parameters",
}
_SOC = "cl_soc"
_PLAIN = "cl_kernel_obi"  # cl_kernel with wires instead of structs at its ports
_HEADERS = {
    **dict.fromkeys(record.ON_BUSES, ("cl_kernel_ops.h",)),
    "cl_ipc": ("cl_ipc_ops.h",),
    "cl_backdoor": ("cl_backdoor_regs.h",),
    _SOC: ("cl_kernel_ops.h", "cl_ipc_ops.h", "cl_backdoor_regs.h", "cl_soc_map.h"),
}
_SHARED = ("cl_kernel_shared_wb", "cl_kernel_shared_axil")
_SHARED_HEADER = RTL / "bridge" / "c" / "cl_kernel_shared.h"
_PORTS = {  # pages about ports whose loads and stores are operations
    **dict.fromkeys(record.ON_BUSES, ("kernel.md",)),
    "cl_ipc": ("ipc.md",),
    _SOC: ("kernel.md", "ipc.md"),
}
_INCLUDE = re.compile(r'^\s*`include\s+"([^"]+)"', re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Export:
    """What is exported: a module with its parameters, and how it is called."""

    name: str
    design: Design
    params: Mapping[str, Param]

    @property
    def headers(self) -> list[Path]:
        found = [RUNTIME / "include" / name for name in _HEADERS.get(self.design.top, ())]
        return [*found, _SHARED_HEADER] if self.design.top in _SHARED else found


def known() -> list[str]:
    """Names that choose() takes, besides files of platforms."""
    modules = [name for name in units.known() if not name.startswith(f"{_SOC}:")]
    return list(dict.fromkeys([*modules, *record.ON_BUSES, *platform.names()]))


def choose(name: str, of: str | None = None) -> Export:
    """The unit of that name, or the SoC of a platform; of: the platform whose kernel or SoC it is.

    UserError if there is no such unit or platform, or the unit has no key.
    """
    if name in platform.names() or name.endswith(".toml"):
        if of is not None:
            raise UserError(f"{name} is a platform itself: leave out --platform, or name a unit")
        return _soc(platform.load(name))
    if name not in known():
        raise UserError(f"unknown unit or platform '{name}': {suggest(name, known())}")
    if name == _SOC:
        return _soc(platform.load(of or "smp-standard"))
    if name in ("cl_kernel", *record.ON_BUSES):
        soc = platform.load(of or "smp-standard")
        return kernel(name, f"{name}-{soc.name}", record.kernels_own(soc))
    if of is not None:
        raise UserError(f"{name} has no keys of a platform: leave out --platform")
    job = next(job for job in units.choose([name]) if name in (job.unit.name, job.unit.top))
    label = name.replace(":", "-")
    if job.unit.top == "cl_kernel":
        return kernel("cl_kernel", label, job.params())
    return Export(label, job.unit.design(), job.params())


def kernel(top: str, name: str, params: Mapping[str, Param]) -> Export:
    """The kernel alone, in plain wires, or behind a bus."""
    top = _PLAIN if top == "cl_kernel" else top
    return Export(name, Design(top, manifest.files(top), defines=("SYNTHESIS",)), params)


def _soc(soc: Platform) -> Export:
    return Export(f"{_SOC}-{soc.name}", units.soc(soc, soc.name).design(), keys.rtl_parameters(soc))


def default_folder(export: Export) -> Path:
    return BUILD / "export" / export.name


def write(export: Export, kind: str, folder: Path) -> list[Path]:
    """Make the folder, which must not be there or must be an earlier export; the files of the RTL in it."""
    top = export.design.top
    mark = folder / f"{top}.core"
    if folder.exists() and not (folder.is_dir() and (mark.exists() or not any(folder.iterdir()))):
        raise UserError(f"{folder} is there, and no earlier export of {top}: choose another place by --to")
    with whole_folder(folder, replace=True) as work:
        files, included = (_verilog if kind == "verilog" else _sources)(export, work)
        for header in export.headers:
            (work / "include").mkdir(exist_ok=True)
            shutil.copyfile(header, work / "include" / header.name)
        defines = export.design.defines if kind == "sv" else ()
        registers = systemrdl.text(top, export.params)
        if registers:
            (work / f"{top}.rdl").write_text(registers, encoding="utf-8")
        for page, make in generate.FILES.items():
            if page.name in _PORTS.get(top, ()):
                (work / page.name).write_text(make(), encoding="utf-8")
        names = [str(path.relative_to(work)) for path in files]
        lines = [*(f"+define+{name}" for name in defines), *(["+incdir+rtl"] * bool(included)), *names]
        (work / f"{top}.f").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        also = [str(path.relative_to(work)) for path in included]
        (work / mark.name).write_text(_core(export, kind, names, also, defines), encoding="utf-8")
    return [folder / name for name in names]


# --- Verilog -----------------------------------------------------------------------------------------------


def _verilog(export: Export, work: Path) -> tuple[list[Path], list[Path]]:
    """One file that every Verilog tool reads: parameters have their values, types are vectors."""
    top = export.design.top
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="export-", dir=BUILD) as folder:  # where Yosys can write
        script = [
            yosys.read_command(export.design, export.params, Path(folder)),
            f"hierarchy -top {top}",
            "proc",
            "chformal -remove",
            "flatten",
            "opt",
            "bwmuxmap",  # cells for which Verilog has no operator
            "memory_collect",
            "opt_clean",
        ]
        text = _netlist(export, "\n".join(script), Path(folder))
    head = [
        f"// {licence.tag()}",
        f"// {export.name}, made by `coreloom export` {__version__} with Yosys; do not edit.",
        f"// {_said(export)}",
    ]
    target = work / f"{top}.v"
    target.write_text("\n".join([*head, text.split("\n", 1)[1]]), encoding="utf-8")
    return [target], []


def _netlist(export: Export, script: str, folder: Path) -> str:
    """What a script of Yosys has read, as Verilog, which is kept; a UserError if it cannot be read."""
    made = folder / f"{export.design.top}.v"

    def run() -> None:
        done = yosys.run(f"{script}\nwrite_verilog -noattr {yosys.relative([made])}\n", "synth")
        if done.status:
            raise UserError(f"Yosys cannot read {export.name}: {done.error}")

    def write(work: Path) -> None:
        run()
        shutil.copyfile(made, work / made.name)

    key = yosys.installed_key(script, "synth")
    if key is None:
        run()
        return made.read_text(encoding="utf-8")
    entry = cache.made(cache.place("yosys") / f"{export.design.top}-{key}", write)
    return (entry / made.name).read_text(encoding="utf-8")


def _said(export: Export) -> str:
    """Its parameters, those of a record that are not as usual."""
    said = record.readable(record.options(export.design.top, export.params))
    return f"parameters: {said or 'as usual'}"


# --- SystemVerilog ---------------------------------------------------------------------------------------


def _sources(export: Export, work: Path) -> tuple[list[Path], list[Path]]:
    """Copies of all files that are needed, in the order of needed(), and of those that they include.

    The records of parameters have this export's values, so the top needs none.
    """
    rtl = work / "rtl"
    rtl.mkdir()
    files = needed(export.design)
    included = _included(export.design, files)
    usual = record.defaults(export.params)
    for path in (*files, *included):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        if path.stem in usual:
            text = _DEFAULT.sub(usual[path.stem].rstrip(), text)
        (rtl / path.name).write_text(text, encoding="utf-8", errors="surrogateescape")
    return [rtl / path.name for path in files], [rtl / path.name for path in included]


_DEFAULT = re.compile(r"  localparam cfg_t Default = '\{.*?\};", re.DOTALL)


def needed(design: Design) -> list[Path]:
    """The files whose modules and packages the top needs, in an order in which tools can read them."""
    places = {path.stem: path for folder in reversed(design.library_dirs) for path in _rtl(folder)}
    places |= {path.stem: path for path in design.sources}
    for path in design.sources:  # a core's single file may have any name
        for name in re.findall(r"^\s*(?:module|package)\s+(\w+)", path.read_text(errors="replace"), re.M):
            places.setdefault(name, path)
    order: dict[Path, None] = {}
    open_: set[Path] = set()

    def add(path: Path) -> None:
        if path in order or path in open_:
            return
        open_.add(path)
        words = dict.fromkeys(_WORD.findall(sources.bare(path).decode(errors="replace")))
        found = [places[word] for word in words if word in places and places[word] != path]
        for each in sorted(found, key=lambda path: not path.stem.endswith("_pkg")):
            add(each)
        order[path] = None

    add(places[design.top])
    return sorted(order, key=lambda path: not path.stem.endswith("_pkg"))


def _rtl(folder: Path) -> Iterable[Path]:
    return (path for path in sorted(folder.iterdir()) if path.suffix in (".sv", ".v"))


def _included(design: Design, files: Sequence[Path]) -> list[Path]:
    """The files that these include, wherever they lie."""
    folders = [*design.include_dirs, *design.library_dirs]
    found: dict[Path, None] = {}
    left = list(files)
    while left:
        path = left.pop()
        for name in _INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
            place = next(
                (folder / name for folder in (path.parent, *folders) if (folder / name).is_file()), None
            )
            if place and place not in found:
                found[place] = None
                left.append(place)
    return list(found)


def _core(
    export: Export, kind: str, names: Sequence[str], included: Sequence[str], defines: Sequence[str]
) -> str:
    """FuseSoC's description of the folder."""
    top = export.design.top
    lines = [
        "CAPI=2:",
        f"# {licence.tag()}",
        f"# Made by `coreloom export`; {_said(export)}",
        f"name: coreloom:export:{top}:{__version__}",
        f'description: "{export.name}"',
        "filesets:",
        "  rtl:",
        "    files:",
        *(f"      - {name}: {{is_include_file: true}}" for name in included),
        *(f"      - {name}" for name in names),
        f"    file_type: {'verilogSource' if kind == 'verilog' else 'systemVerilogSource'}",
        "targets:",
        "  default: &default",
        "    filesets: [rtl]",
        f"    toplevel: {top}",
        f"    parameters: [{', '.join(f'{name}=true' for name in defines)}]",
        "  lint:",
        "    <<: *default",
        "    flow: lint",
        "    flow_options: {tool: verilator, verilator_options: [-Wno-fatal]}",
        *(["parameters:"] if defines else []),
        *(f"  {name}: {{datatype: bool, paramtype: vlogdefine}}" for name in defines),
    ]
    return "\n".join(lines) + "\n"
