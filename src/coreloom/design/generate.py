# SPDX-License-Identifier: Apache-2.0
"""Files made from the data files of the hardware: RTL packages, C headers and reference pages.

A template of the file's name (templates/NAME.j2) says what is in it. They are committed, so that RTL and
headers can be used without this package; a test holds them against the data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from coreloom import licence
from coreloom.design import hardware_threads, key_costs, keys, manifest, record, spec
from coreloom.design.rules import Needs, Term
from coreloom.errors import UserError
from coreloom.paths import ROOT, RTL, RUNTIME

if TYPE_CHECKING:
    import jinja2

_TEMPLATES = Path(__file__).parent / "templates"
_REFERENCE = ROOT / "docs" / "reference"


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _hex(value: int) -> str:
    return f"{value >> 16:04X}_{value & 0xFFFF:04X}"


def _bits(field: spec.Field) -> str:
    return f"{field.lsb + field.width - 1}:{field.lsb}" if field.width > 1 else f"{field.lsb}"


def _names(made: str | Mapping[str, object]) -> str:
    return made if isinstance(made, str) else ", ".join(made)


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # takes a seventh of the time of a short run, which generates nothing

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["licence"] = licence.tag()
    environment.filters |= {
        "camel": camel,
        "equal": lambda code: f"(op) == {code}",
        "hex": _hex,
        "bits": _bits,
        "names": _names,
        "title_of": lambda name: name.replace("_", " ").capitalize(),
    }
    return environment


def render(name: str, **data: object) -> str:
    """The file `name`, made from its template."""
    return _environment().get_template(f"{name}.j2").render(**data).rstrip("\n") + "\n"


def _kernel(name: str) -> str:
    return render(name, spec=spec.kernel(), fields=record.kernel())


def _ipc(name: str) -> str:
    return render(name, spec=spec.ipc())


def _backdoor(name: str) -> str:
    return render(name, spec=spec.backdoor())


def _soc(name: str) -> str:
    return render(name, spec=spec.soc())


def _unit(name: str) -> str:
    return render(name, units=hardware_threads.load().values())


def unit_switch(units: Iterable[hardware_threads.Unit]) -> str:
    """cl_hw_unit.sv for a platform with units of its own."""
    return render(hardware_threads.MADE.name, units=units)


# What cl_soc has of a key without a parameter.
_INTERCONNECT = {"smp-bus": "!BackDoor && LocalBytes == 0", "amp": "LocalBytes != 0", "backdoor": "BackDoor"}


def _holds(term: Term) -> str:
    """When a term holds, in parameters of cl_soc."""
    if term.key == "interconnect":
        return " || ".join(_INTERCONNECT[value] for value in term.values)
    names = keys.parameters()
    if all(f"{term.key}={value}" in names for value in term.values or [""]):
        return " || ".join(names[f"{term.key}={value}"] for value in term.values)
    name = names[term.key]
    if not term.values:
        return name if name in keys.bits() else f"{name} != 0"
    choices = keys.entry(term.key).key.choices
    return " || ".join(f"{name} == {choices.index(v) if choices else v}" for v in term.values)


def _parameters(condition: str) -> set[str]:
    return set(re.findall(r"\b[A-Z]\w+", condition))


def _rules(name: str) -> str:
    """The module that checks the rules between the parameters of cl_kernel, or all others of cl_soc."""
    names, top = keys.parameters(), name.removesuffix("_rules.sv")
    of_kernel = {parameter for key, parameter in names.items() if key.startswith("kernel.")} | {"Cpus"}
    of_kernel -= {"LinearQueue", "Scheduler"}  # it takes any ready queue
    of_values = {str(Term.of(key)): parameter for key, parameter in names.items() if "=" in key}
    made: list[tuple[str, str, str]] = []
    for key, rule in keys.rules():
        broken, said = rule.sv(key, names, _holds), rule.sentence(key, {})
        if (_parameters(broken) <= of_kernel) == (top == "cl_kernel"):
            for term, parameter in of_values.items():
                if isinstance(rule, Needs) and str(rule.own(key)) == term:
                    said = said.replace(rule.own(key).undo(), f"remove {parameter}")
                said = said.replace(term, parameter)
            said = re.sub(r"\[?[\w.]+\]?", lambda at: names.get(at[0]) or at[0], said)
            broken = re.sub(r"\b[A-Z]\w+", partial(_in_record, top), broken)
            made.append((f"rule_{len(made)}", broken, f"{top}: {said}"))
    return render("rules.sv", top=top, rules=made, package=_CONFIGURATIONS[top])


_CONFIGURATIONS = {"cl_kernel": "cl_kernel_pkg", "cl_soc": "cl_soc_cfg_pkg"}


def _in_record(top: str, parameter: re.Match[str]) -> str:
    nested = top == "cl_soc" and parameter[0] in {field.name for field in record.kernel()}
    return f"{record.NAME}.{'Kernel.' if nested else ''}{parameter[0]}"


def _configuration(name: str) -> str:
    return render(name, fields=record.soc())


def _platforms(name: str) -> str:
    table, measured = keys.table(), key_costs.read()
    areas = {entry.place: entry.key.area or key_costs.text(measured.of(entry.place)) for entry in table}
    return render(
        name,
        areas=areas,
        services=keys.SERVICES,
        full=keys.BUILDS["full"],
        measured=measured,
        sections=[
            (section, [entry for entry in table if entry.section == name])
            for name, section in keys.SECTIONS.items()
        ],
    )


def _core(unit: manifest.Unit) -> str:
    """The FuseSoC core of a unit."""
    return render("core", unit=unit, units=manifest.units(), parameters=unit.parameters())


_MAKERS: dict[Path, Callable[[str], str]] = {
    RTL / "kernel" / "rtl" / "cl_kernel_pkg.sv": _kernel,
    RUNTIME / "include" / "cl_kernel_ops.h": _kernel,
    RUNTIME / "include" / "cl_kernel_calls.h": _kernel,
    _REFERENCE / "kernel.md": _kernel,
    RTL / "kernel" / "rtl" / "cl_kernel_rules.sv": _rules,
    RTL / "soc" / "rtl" / "cl_soc_rules.sv": _rules,
    RTL / "soc" / "rtl" / "cl_soc_cfg_pkg.sv": _configuration,
    RTL / "ipc" / "port" / "rtl" / "cl_ipc_pkg.sv": _ipc,
    RUNTIME / "include" / "cl_ipc_ops.h": _ipc,
    _REFERENCE / "ipc.md": _ipc,
    RTL / "ipc" / "backdoor" / "rtl" / "cl_backdoor_pkg.sv": _backdoor,
    RUNTIME / "include" / "cl_backdoor_regs.h": _backdoor,
    _REFERENCE / "backdoor.md": _backdoor,
    RTL / "soc" / "rtl" / "cl_soc_map_pkg.sv": _soc,
    RUNTIME / "include" / "cl_soc_map.h": _soc,
    hardware_threads.MADE: _unit,
    _REFERENCE / "platforms.md": _platforms,
}


FILES: dict[Path, Callable[[], str]] = {
    **{path: partial(make, path.name) for path, make in _MAKERS.items()},
    **{unit.folder / f"{unit.name}.core": partial(_core, unit) for unit in manifest.units().values()},
}


def check_units() -> None:
    """A UserError unless the RTL that chooses a unit is the one of the table: it would choose none."""
    made = hardware_threads.MADE
    if made.read_text(encoding="utf-8") != _unit(made.name):
        raise UserError(f"{made.name} does not match {hardware_threads.TABLE.name}: run `coreloom generate`")
