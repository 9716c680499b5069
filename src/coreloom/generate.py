"""Files made from data files: the kernel's RTL package, C header and reference page; the choice of a unit.

They are committed, so that RTL and headers can be used without this package; a test holds them
against the data file, and `coreloom generate` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from coreloom import hardware_threads
from coreloom.paths import ROOT
from coreloom.spec import Field, Operation, Spec, load

_NOTE = "Generated from rtl/kernel/data/kernel.toml by `coreloom generate`; do not edit."


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def rtl_package(spec: Spec) -> str:
    """SystemVerilog package cl_kernel_pkg: op_e, status_e, thread_state_e and field positions."""
    lines = [f"// {_NOTE}", "// SPDX-License-Identifier: Apache-2.0", "", "package cl_kernel_pkg;", ""]
    for layout, fields in spec.layouts.items():
        for name, field in fields.items():
            prefix = f"{_camel(layout)}{_camel(name)}"
            lines.append(f"  localparam int unsigned {prefix}Lsb = {field.lsb};")
            lines.append(f"  localparam int unsigned {prefix}Width = {field.width};")
    lines += [f"  localparam int unsigned {_camel(name)} = {value};" for name, value in spec.limits.items()]

    def enum(name: str, width: int, entries: list[tuple[str, int]]) -> list[str]:
        body = [f"    {entry} = {width}'d{value}" for entry, value in entries]
        return ["", f"  typedef enum logic [{width - 1}:0] {{", ",\n".join(body), f"  }} {name};"]

    op_width = spec.layouts["address"]["op"].width
    lines += enum("op_e", op_width, [(f"Op{_camel(op.name)}", op.code) for op in spec.ops.values()])
    statuses = [(f"Status{_camel(status.name)}", status.code) for status in spec.status.values()]
    lines += enum("status_e", spec.layouts["word"]["status"].width, statuses)
    states = [(f"Thread{_camel(name)}", value) for name, value in spec.states.items()]
    lines += enum("thread_state_e", spec.layouts["thread_word"]["state"].width, states)
    return "\n".join([*lines, "", "endpackage", ""])


def c_header(spec: Spec) -> str:
    """C header cl_kernel_ops.h: CL_OP_*, CL_STATUS_*, CL_STATE_*, field positions and masks."""
    guard = "CL_KERNEL_OPS_H"
    lines = [f"/* {_NOTE} */", "/* SPDX-License-Identifier: Apache-2.0 */", f"#ifndef {guard}"]
    lines += [f"#define {guard}", ""]

    def define(name: str, value: str, text: str = "") -> None:
        lines.append(f"#define {name:<34} {value}" + (f" /* {text} */" if text else ""))

    for layout, fields in spec.layouts.items():
        for name, field in fields.items():
            prefix = f"CL_{layout}_{name}".upper()
            define(f"{prefix}_LSB", str(field.lsb), field.text)
            define(f"{prefix}_MASK", f"0x{field.mask:x}u")
        lines.append("")
    for op in spec.ops.values():
        define(f"CL_OP_{op.name.upper()}", str(op.code))
    lines.append("")
    for status in spec.status.values():
        define(f"CL_STATUS_{status.name.upper()}", str(status.code), status.text)
    lines.append("")
    for name, value in spec.states.items():
        define(f"CL_STATE_{name.upper()}", str(value))
    for name, value in spec.limits.items():
        define(f"CL_{name.upper()}", str(value))
    return "\n".join([*lines, "", f"#endif /* {guard} */", ""])


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
    lines += [" · ".join(facts), ""]
    if op.errors:
        lines += [f"- {name}: {text}" for name, text in op.errors.items()]
        lines.append("")
    return lines


def reference_page(spec: Spec) -> str:
    """Markdown reference of the kernel port."""
    lines = ["# Kernel port: operations", "", f"<!-- {_NOTE} -->", ""]
    lines += [
        "One operation is one load on the CPU's private kernel port.",
        "The address carries the operation and the object, the returned word the outcome.",
        "A word argument is stored to `word0` before.",
        "The reference model `src/coreloom/model/kernel.py` says exactly what each operation changes.",
        "",
    ]
    for layout, fields in spec.layouts.items():
        lines += [f"## {layout.replace('_', ' ').capitalize()} layout", "", "| bits | field | meaning |"]
        lines += ["|---|---|---|"]
        lines += [f"| {_bits(f)} | {name} | {f.text} |" for name, f in fields.items()]
        lines.append("")
    lines += ["## Status codes", "", "| code | name | meaning |", "|---|---|---|"]
    lines += [f"| {s.code} | {s.name} | {s.text} |" for s in spec.status.values()]
    lines += ["", "## Operations", ""]
    for op in spec.ops.values():
        lines += _op_section(op)
    return "\n".join(lines)


FILES: dict[Path, Callable[[Spec], str]] = {
    ROOT / "rtl" / "kernel" / "rtl" / "cl_kernel_pkg.sv": rtl_package,
    ROOT / "runtime" / "include" / "cl_kernel_ops.h": c_header,
    ROOT / "docs" / "reference" / "kernel.md": reference_page,
    hardware_threads.MADE: lambda spec: hardware_threads.rtl(),
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
