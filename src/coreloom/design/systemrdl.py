# SPDX-License-Identifier: Apache-2.0
"""Registers in SystemRDL, of which PeakRDL makes IP-XACT, CMSIS SVD, HTML and headers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from coreloom import licence
from coreloom.design import spec
from coreloom.design.key import Param
from coreloom.design.spec import Register

_ACCESS = {"ro": "sw = r; hw = w;", "wo": "sw = w; hw = r;", "rw": "sw = rw; hw = rw;"}
_FAR = 0x1000  # of cl_backdoor, which processor 1 has elsewhere: behind the other side's registers
# Regions that are no place of their own, or processor 1's; and those that only some platforms have.
_NEVER = ("private", "rom", "far", "uncached")
_ONLY: Mapping[str, Callable[[Mapping[str, Param]], object]] = {
    "unit": lambda params: params.get("HwThreads"),
    "back_door": lambda params: params.get("BackDoor"),
    "scheduler": lambda params: params.get("Scheduler"),
    "ipc": lambda params: params.get("Ipc"),
    **dict.fromkeys(("near_kernel", "near_local", "banks"), lambda params: params.get("LowJitter")),
}
_CLEARS = "sw = rw; hw = rw; onwrite = woclr;"  # of `rc`: a store of 1 clears a bit


def text(top: str, params: Mapping[str, Param]) -> str | None:
    """The address map of a module with these parameters; None if it has none.

    A region without registers, such as a port whose loads are operations, is a memory of words.
    """
    if top == "cl_soc":
        parts = list(_soc(params))
    elif top == "cl_backdoor":
        sides = spec.backdoor().registers
        parts = [
            _registers(side, sides[side].values(), f"{side} side of the Back-Door", base)
            for side, base in (("near", 0), ("far", _FAR))
        ]
    else:
        return None
    head = [
        f"// {licence.tag()}",
        "// Made by `coreloom export`.",
        f"addrmap {top} {{",
        "  default regwidth = 32;",
        "  default accesswidth = 32;",
    ]
    return "\n".join([*head, *(f"  {line}" for part in parts for line in part), "};"]) + "\n"


def _soc(params: Mapping[str, Param]) -> Iterable[list[str]]:
    """What processor 0 sees."""
    soc, near = spec.soc(), spec.backdoor().registers["near"]
    devices = {**soc.registers, "back_door": near, "near_local": soc.registers["local"]}
    bytes_of = {"ram": params["RamBytes"], "local_memory": params["LocalBytes"]}
    for name, region in soc.regions.items():
        bytes = int(bytes_of.get(name, region.bytes))
        if name in _NEVER or (name in _ONLY and not _ONLY[name](params)) or not bytes:
            continue
        if name in devices:
            yield _registers(name, devices[name].values(), region.text, region.base)
        else:
            about = f"desc = {_quoted(region.text)};"
            memory = f"external mem {{ {about} mementries = {bytes // 4}; memwidth = 32; }}"
            yield [f"{memory} {name} @ {region.base:#x};"]


def _registers(name: str, registers: Iterable[Register], about: str, base: int) -> list[str]:
    lines = [f"regfile {name}_t {{", f"  desc = {_quoted(about)};"]
    for register in registers:
        access = _ACCESS.get(register.access, _CLEARS)
        count = f"[{register.count}]" if register.count > 1 else ""
        lines += [
            "  reg {",
            f"    desc = {_quoted(register.text)};",
            f"    field {{ {access} }} value[32];",
            f"  }} {register.name}{count} @ {register.offset:#x};",
        ]
    return [*lines, "};", f"{name}_t {name} @ {base:#x};"]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
