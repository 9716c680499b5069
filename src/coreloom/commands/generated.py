# SPDX-License-Identifier: Apache-2.0
"""Files made from data files: RTL package, C header and reference page of the kernel port, of the
communication port and of the Back-Door; the choice of a unit; the factors of apps/fft; --help, man page
and completion of the programs of linux/.

They are committed, so that RTL and headers can be used without this package; a test holds them
against the data file, and `coreloom generate` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from coreloom import licence
from coreloom.apps.pair import twiddles_header
from coreloom.design import backdoor_spec, hardware_threads, ipc_spec
from coreloom.design.kernel_spec import Field, Operation, Spec, load
from coreloom.paths import LINUX, ROOT
from coreloom.programs import completion, usage

_NOTE = "Generated from rtl/kernel/data/kernel.toml by `coreloom generate`; do not edit."
_BACKDOOR_NOTE = "Generated from rtl/ipc/backdoor/data/backdoor.toml by `coreloom generate`; do not edit."
_IPC_NOTE = "Generated from rtl/ipc/port/data/ipc.toml by `coreloom generate`; do not edit."


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _package_begin(
    name: str, note: str, layouts: dict[str, dict[str, Field]], limits: dict[str, int]
) -> list[str]:
    lines = [f"// {note}", f"// {licence.tag()}", "", f"package {name};", ""]
    for layout, fields in layouts.items():
        for field_name, field in fields.items():
            prefix = f"{_camel(layout)}{_camel(field_name)}"
            lines.append(f"  localparam int unsigned {prefix}Lsb = {field.lsb};")
            lines.append(f"  localparam int unsigned {prefix}Width = {field.width};")
    return lines + [
        f"  localparam int unsigned {_camel(key)} = {_sv(value)};" for key, value in limits.items()
    ]


def _sv(value: int) -> str:
    return f"32'h{value:x}" if value >= 1 << 31 else str(value)


def _enum(name: str, width: int, entries: list[tuple[str, int]]) -> list[str]:
    body = [f"    {entry} = {width}'d{value}" for entry, value in entries]
    return ["", f"  typedef enum logic [{width - 1}:0] {{", ",\n".join(body), f"  }} {name};"]


def _any_time(spec: Spec) -> int:
    return sum(op.any_time << op.code for op in spec.ops.values())


def rtl_package(spec: Spec) -> str:
    """SystemVerilog package cl_kernel_pkg: op_e, status_e, thread_state_e and field positions."""
    lines = _package_begin("cl_kernel_pkg", _NOTE, spec.layouts, spec.limits)
    op_width = spec.layouts["address"]["op"].width
    lines += _enum("op_e", op_width, [(f"Op{_camel(op.name)}", op.code) for op in spec.ops.values()])
    any_time = f"{1 << op_width}'h{_any_time(spec):x}"
    lines.append(
        f"\n  localparam logic [{(1 << op_width) - 1}:0] AnyTimeOps = {any_time};  // do not imply OpSaved"
    )
    statuses = [(f"Status{_camel(status.name)}", status.code) for status in spec.status.values()]
    lines += _enum("status_e", spec.layouts["word"]["status"].width, statuses)
    states = [(f"Thread{_camel(name)}", value) for name, value in spec.states.items()]
    lines += _enum("thread_state_e", spec.layouts["thread_word"]["state"].width, states)
    return "\n".join([*lines, "", "endpackage", ""])


def c_header(spec: Spec) -> str:
    """C header cl_kernel_ops.h: CL_OP_*, CL_STATUS_*, CL_STATE_*, field positions and masks."""
    lines = _header_begin("CL_KERNEL_OPS_H", _NOTE, "CL_", spec.layouts)
    lines += [_define(f"CL_OP_{op.name}", str(op.code)) for op in spec.ops.values()]
    lines.append(_define("CL_OPS_ANY_TIME", f"0x{_any_time(spec):x}ull", "do not imply SAVED; a bit each"))
    lines.append("")
    lines += [_define(f"CL_STATUS_{s.name}", str(s.code), s.text) for s in spec.status.values()]
    lines.append("")
    lines += [_define(f"CL_STATE_{name}", str(value)) for name, value in spec.states.items()]
    lines += [_define(f"CL_{name}", str(value)) for name, value in spec.limits.items()]
    return "\n".join([*lines, "", "#endif /* CL_KERNEL_OPS_H */", ""])


def _define(name: str, value: str, text: str = "") -> str:
    return f"#define {name.upper():<34} {value}" + (f" /* {text} */" if text else "")


def _header_begin(guard: str, note: str, prefix: str, layouts: dict[str, dict[str, Field]]) -> list[str]:
    lines = [f"/* {note} */", f"/* {licence.tag()} */", f"#ifndef {guard}"]
    lines += [f"#define {guard}", ""]
    for layout, fields in layouts.items():
        for name, field in fields.items():
            lines.append(_define(f"{prefix}{layout}_{name}_lsb", str(field.lsb), field.text))
            lines.append(_define(f"{prefix}{layout}_{name}_mask", f"0x{field.mask:x}u"))
        lines.append("")
    return lines


def _bits(field: Field) -> str:
    return f"{field.lsb + field.width - 1}:{field.lsb}" if field.width > 1 else f"{field.lsb}"


def _op_section(op: Operation) -> list[str]:
    lines = [f"### {op.name}", "", op.text, ""]
    access = {"load": "load", "store": "store", "both": "load or store"}[op.kind]
    facts = [f"code {op.code} ({access})"]
    facts += [f"id: {op.id}"] if op.id else []
    facts += [f"WORD0: {op.word0}"] if op.word0 else []
    facts += ["may give way"] if op.gives_way else []
    facts += ["needs a running thread (else esrch)"] if op.needs_thread else []
    facts += ["at any time: does not imply saved"] if op.any_time else []
    lines += [" · ".join(facts), ""]
    if op.errors:
        lines += [f"- {name}: {text}" for name, text in op.errors.items()]
        lines.append("")
    return lines


def _layout_tables(layouts: dict[str, dict[str, Field]]) -> list[str]:
    lines = []
    for layout, fields in layouts.items():
        lines += [f"## {layout.replace('_', ' ').capitalize()} layout", "", "| bits | field | meaning |"]
        lines += ["|---|---|---|"]
        lines += [f"| {_bits(f)} | {name} | {f.text} |" for name, f in fields.items()]
        lines.append("")
    return lines


def reference_page(spec: Spec) -> str:
    """Markdown reference of the kernel port."""
    lines = ["# Kernel port: operations", "", f"<!-- {_NOTE} -->", ""]
    lines += [
        "One operation is one load on the CPU's private kernel port.",
        "The address carries the operation and the object, the returned word the outcome.",
        "A word argument is stored to `word0` before.",
        "The reference model `src/coreloom/reference/kernel.py` says exactly what each operation changes.",
        "",
    ]
    lines += _layout_tables(spec.layouts)
    lines += ["## Status codes", "", "| code | name | meaning |", "|---|---|---|"]
    lines += [f"| {s.code} | {s.name} | {s.text} |" for s in spec.status.values()]
    lines += ["", "## Operations", ""]
    for op in spec.ops.values():
        lines += _op_section(op)
    return "\n".join(lines)


def ipc_package() -> str:
    """SystemVerilog package cl_ipc_pkg: op_e, error_e and field positions."""
    spec = ipc_spec.load()
    lines = _package_begin("cl_ipc_pkg", _IPC_NOTE, spec.layouts, spec.limits)
    # Fields at bit 0 need no name in the RTL; the package has it all the same.
    lines[3:3] = ["// verilator lint_off UNUSEDPARAM"]
    ops = [(f"Op{_camel(op.name)}", op.code) for op in spec.ops.values()]
    lines += _enum("op_e", spec.layouts["address"]["op"].width, ops)
    errors = [(f"Error{_camel(name)}", code) for name, (code, _) in spec.errors.items()]
    lines += _enum("error_e", spec.layouts["word"]["error"].width, errors)
    return "\n".join([*lines, "", "endpackage", "// verilator lint_on UNUSEDPARAM", ""])


def ipc_header() -> str:
    """C header cl_ipc_ops.h: CL_IPC_OP_*, CL_IPC_ERROR_*, field positions and masks."""
    spec = ipc_spec.load()
    lines = _header_begin("CL_IPC_OPS_H", _IPC_NOTE, "CL_IPC_", spec.layouts)
    lines += [_define(f"CL_IPC_OP_{op.name}", str(op.code)) for op in spec.ops.values()]
    lines.append("")
    lines += [_define(f"CL_IPC_ERROR_{name}", str(code), text) for name, (code, text) in spec.errors.items()]
    lines.append("")
    lines += [_define(f"CL_IPC_{name}", f"0x{value:x}u") for name, value in spec.limits.items()]
    return "\n".join([*lines, "", "#endif /* CL_IPC_OPS_H */", ""])


def ipc_page() -> str:
    """Markdown reference of the communication port."""
    spec = ipc_spec.load()
    lines = ["# Communication port: operations", "", f"<!-- {_IPC_NOTE} -->", ""]
    lines += [
        "One operation is one load or store on the CPU's private communication port.",
        "The address carries how long it may wait, the operation and its index.",
        "An address without an operation, and an index of nothing, are bus errors.",
        "",
    ]
    lines += _layout_tables(spec.layouts)
    lines += ["## Errors", "", "| code | name | meaning |", "|---|---|---|"]
    lines += [f"| {code} | {name} | {text} |" for name, (code, text) in spec.errors.items()]
    lines += ["", "## Operations", ""]
    for op in spec.ops.values():
        access = {"load": "load", "store": "store", "both": "load or store"}[op.kind]
        facts = [f"code {op.code} ({access})"]
        facts += [f"index: {op.index}"] if op.index else []
        facts += ["waits as long as its patience says"] if op.waits else []
        lines += [f"### {op.name}", "", op.text, "", " · ".join(facts), ""]
    return "\n".join(lines)


_BACKDOOR_RTL_ENUMS = ("dma_op", "dma_error")  # the others are between programs


def backdoor_package() -> str:
    """SystemVerilog package cl_backdoor_pkg: offsets of the registers of either side, fields and codes."""
    spec = backdoor_spec.load()
    lines = _package_begin("cl_backdoor_pkg", _BACKDOOR_NOTE, spec.layouts, spec.limits)
    # Not every field and address has a name in the RTL; the package has it all the same.
    lines[3:3] = ["// verilator lint_off UNUSEDPARAM"]
    for side, registers in (("Near", spec.near), ("Far", spec.far)):
        lines.append("")
        lines += [
            f"  localparam logic [7:0] {side}{_camel(r.name)} = 8'h{r.offset:02x};"
            for r in registers.values()
        ]
    for name in _BACKDOOR_RTL_ENUMS:
        entries = [(f"{_camel(name)}{_camel(key)}", code) for key, (code, _) in spec.enums[name].items()]
        lines += _enum(f"{name}_e", 2 if name == "dma_op" else 4, entries)
    return "\n".join([*lines, "", "endpackage", "// verilator lint_on UNUSEDPARAM", ""])


def backdoor_header() -> str:
    """C header cl_backdoor_regs.h: CL_BACKDOOR_NEAR_* and _FAR_* (offsets), fields, codes and records."""
    spec = backdoor_spec.load()
    prefix = "CL_BACKDOOR_"
    lines = _header_begin("CL_BACKDOOR_REGS_H", _BACKDOOR_NOTE, prefix, spec.layouts)
    for side, registers in (("near", spec.near), ("far", spec.far)):
        lines += [
            _define(f"{prefix}{side}_{r.name}", f"0x{r.offset:02x}", r.access) for r in registers.values()
        ]
        lines.append("")
    for name, entries in spec.enums.items():
        lines += [_define(f"{prefix}{name}_{key}", str(code), text) for key, (code, text) in entries.items()]
        lines.append("")
    for name, words in spec.records.items():
        if name != "ring":
            lines += [
                _define(f"{prefix}{name}_at_{word}", str(n), text)
                for n, (word, text) in enumerate(words.items())
            ]
            lines += [_define(f"{prefix}{name}_words", str(len(words))), ""]
    lines += [_define(f"{prefix}{name}", f"0x{value:x}u") for name, value in spec.limits.items()]
    return "\n".join([*lines, "", "#endif /* CL_BACKDOOR_REGS_H */", ""])


def backdoor_page() -> str:
    """Markdown reference of the Back-Door: the register contract."""
    spec = backdoor_spec.load()
    lines = ["# Back-Door: registers and words", "", f"<!-- {_BACKDOOR_NOTE} -->", ""]
    lines += [
        "The near side is on the bus of processor 0, the far side on the private port of processor 1.",
        "Registers are words; an access of less, to an offset without a register, or against the access "
        "that the table gives, is a bus error and changes nothing.",
        "The blocks: near stores to the down block and loads from the up block, words only.",
        "",
        "| constant | value |",
        "|---|---|",
        *(f"| {name} | {value:#x} |" for name, value in spec.limits.items()),
        "",
    ]
    for side, registers in (("Near", spec.near), ("Far", spec.far)):
        lines += [f"## {side} registers", "", "| offset | name | access | meaning |", "|---|---|---|---|"]
        for r in registers.values():
            each = "" if r.count == 1 else f" + 4 n, n below {r.count}"
            lines.append(f"| {r.offset:#04x}{each} | {r.name} | {r.access} | {r.text} |")
        lines.append("")
    lines += _layout_tables(spec.layouts)
    for name, entries in spec.enums.items():
        lines += [
            f"## {name.replace('_', ' ').capitalize()} codes",
            "",
            "| code | name | meaning |",
            "|---|---|---|",
        ]
        lines += [f"| {code} | {key} | {text} |" for key, (code, text) in entries.items()]
        lines.append("")
    for name, words in spec.records.items():
        lines += [f"## {name.capitalize()}", "", "| word | meaning |", "|---|---|"]
        lines += [f"| {word} | {text} |" for word, text in words.items()]
        lines.append("")
    return "\n".join(lines)


def _of_program(folder: str, make: Callable[[usage.Program], str]) -> Callable[[Spec], str]:
    return lambda spec: make(usage.load(folder))


def _of_programs() -> dict[Path, Callable[[Spec], str]]:
    """--help, man page and completion of each program of linux/."""
    return {
        LINUX / folder / name: _of_program(folder, make)
        for folder, program in usage.PROGRAMS.items()
        for name, make in {
            "help.h": usage.header,
            usage.page_name(program): usage.page,
            **{f"completion/{name}": make for name, make in completion.files(program).items()},
        }.items()
    }


FILES: dict[Path, Callable[[Spec], str]] = {
    ROOT / "rtl" / "kernel" / "rtl" / "cl_kernel_pkg.sv": rtl_package,
    ROOT / "runtime" / "include" / "cl_kernel_ops.h": c_header,
    ROOT / "docs" / "reference" / "kernel.md": reference_page,
    ROOT / "rtl" / "ipc" / "port" / "rtl" / "cl_ipc_pkg.sv": lambda spec: ipc_package(),
    ROOT / "runtime" / "include" / "cl_ipc_ops.h": lambda spec: ipc_header(),
    ROOT / "docs" / "reference" / "ipc.md": lambda spec: ipc_page(),
    ROOT / "rtl" / "ipc" / "backdoor" / "rtl" / "cl_backdoor_pkg.sv": lambda spec: backdoor_package(),
    ROOT / "runtime" / "include" / "cl_backdoor_regs.h": lambda spec: backdoor_header(),
    ROOT / "docs" / "reference" / "backdoor.md": lambda spec: backdoor_page(),
    hardware_threads.MADE: lambda spec: hardware_threads.rtl(),
    ROOT / "apps" / "fft" / "twiddles.h": lambda spec: twiddles_header(),
    **_of_programs(),
}


def generate() -> list[Path]:
    """Write every generated file; returns those whose content changed."""
    changed = []
    for path, make in FILES.items():
        text = make(load())
        if not path.is_file() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            changed.append(path)
    return changed
