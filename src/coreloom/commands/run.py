# SPDX-License-Identifier: Apache-2.0
"""`coreloom run`: an application or a program of the user's, simulated."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from coreloom.apps import APPS
from coreloom.apps.base import read_file
from coreloom.commands import held
from coreloom.commands.console import Command, Task, doing, err, shown
from coreloom.commands.given import (
    DEFAULT_KERNEL,
    Given,
    check_fits,
    chosen,
    resolve,
)  # fmt: skip
from coreloom.commands.run_options import MAX_SIMULATED, UNNAMED, options
from coreloom.design.platform import Platform
from coreloom.errors import UNFINISHED, Ended, UserError, suggest
from coreloom.files import check_target, write_atomically
from coreloom.paths import BUILD
from coreloom.simulation import host, measure, stuck, trace, waves
from coreloom.simulation.experiment import PLACEMENTS, Experiment, Outcome, check, ports
from coreloom.simulation.simulate import FAR_PERIOD, Options, SimResult
from coreloom.simulation.surroundings import Surroundings
from coreloom.simulation.waves import Waves
from coreloom.toolchain import driver, firmware, freertos, front_end
from coreloom.toolchain.application import loaded
from coreloom.toolchain.firmware import FREERTOS

_INPUT_OPTIONS = {"image": "image", "packets": "pcap"}  # any other program: --input


def _input_of(args: argparse.Namespace, name: str) -> Path | None:
    """The user's input file; an option that belongs to another application is a mistake."""
    own = _INPUT_OPTIONS.get(name, "input")
    for option in ("image", "pcap", "input"):
        if option != own and getattr(args, option) is not None:
            raise UserError(f"--{option} is not an input of {name}: use --{own}")
    given: Path | None = getattr(args, own)
    return given


def prepare(args: argparse.Namespace, name: str) -> bytes:
    """Content of the INPUT region: an application's checked input, or any bytes for a program of the user."""
    given = _input_of(args, name)
    if name in APPS:
        return APPS[name].prepare(given)
    return b"" if given is None else read_file(given)


class _Facts:
    """Reports on a run, on stderr: line by line, in the end as JSON, or not at all."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._lines = not (args.quiet or args.json)
        self._json: dict[str, object] | None = {} if args.json else None

    def tell(self, line: str, **facts: object) -> None:
        if self._lines and line:
            err.print(line)
        if self._json is not None:
            self._json |= facts

    def doing(self, text: str) -> AbstractContextManager[Task]:
        """Say that it is done, if lines are told."""
        return doing(text) if self._lines else nullcontext(Task(text, None))

    def warn(self, warnings: list[str]) -> None:
        """The compiler's, as it has printed them; -q does not hide them."""
        if self._json is not None:
            self._json["warnings"] = warnings
        else:
            for each in warnings:
                err.print(each)

    def end(self, status: int) -> int:
        if self._json is not None:
            err.print(json.dumps({**self._json, "status": status}))
        return status


def _save(args: argparse.Namespace, name: str, output: bytes, data: bytes, facts: _Facts) -> None:
    """Keep the output; an application's only if it is right."""
    if name in APPS:
        app = APPS[name]
        target = args.output or BUILD / "output" / f"{name}{app.suffix}"
        app.check(output, data)
        app.save(output, target)
        facts.tell(f"output (equal to the host's result): {shown(target)}", output=str(target))
    elif output or args.output:
        target = args.output or BUILD / "output" / f"{name}.bin"
        write_atomically(target, output)
        facts.tell(f"output: {shown(target)}", output=str(target))


def _write_trace(outcome: Outcome, path: Path, facts: _Facts) -> None:
    run: SimResult = outcome.result
    soc = outcome.experiment.platform
    text = trace.chrome_trace(run.events, soc.cpus, run.cycles, run.names, soc.kernel.hardware_threads)
    write_atomically(path, text.encode())
    facts.tell(f"timeline: {shown(path)} (open it at ui.perfetto.dev)", trace=str(path))


def _tell_figures(outcome: Outcome, unit: str, facts: _Facts) -> None:
    found, run = outcome.figures, outcome.result
    low, mean, high = measure.spread(found.voluntary)
    rate = (run.cycles - run.skipped) / max(run.seconds, 1e-9)
    after = f"; {found.end - found.start} of them after cl_ready()" if found.start else ""
    facts.tell(
        f"{run.cycles} cycles ({rate / 1e3:.0f} kcycle/s simulated){after}",
        cycles=run.cycles,
        skipped=run.skipped,
        measured_cycles=found.end - found.start,
    )
    work = f"{found.done} {unit}, " if found.done else ""
    switches = f"{found.switches} switch{'' if found.switches == 1 else 'es'}"
    facts.tell(work + switches, done=found.done, switches=found.switches)
    if mean is not None:
        facts.tell(
            f"voluntary switch: min {low}, mean {mean:.1f}, max {high} cycles",
            voluntary_switch={"min": low, "mean": mean, "max": high},
        )
    idle = ", ".join(f"CPU {cpu} {cycles}" for cpu, cycles in enumerate(found.idle))
    facts.tell(f"idle cycles: {idle}", idle=list(found.idle))
    names = outcome.experiment.platform.kernel.hardware_threads
    for number, (name, unit_time) in enumerate(zip(names, found.units, strict=True)):
        facts.tell(
            f"hardware thread {number} ({name}): ran {unit_time.ran} cycles, waited {unit_time.waited}"
        )


def _printer(elf: Path, task: Task) -> Callable[[bytes], None]:
    """Shows what the program prints, as it is; in a line that tells of a fault also the place."""

    def show(line: bytes) -> None:
        task.hide()
        if stuck.tells_of_fault(line):
            line = stuck.with_places(line.decode("utf-8", "replace"), elf).encode()
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

    return show


def around(args: argparse.Namespace, given: Given, stdin: int | None) -> Surroundings:
    """The program's surroundings; stdin: a descriptor, None: nothing."""
    here, files = Path.cwd(), args.files
    current = str(here.relative_to(files)) if files and here.is_relative_to(files) else ""
    arguments = (given.name, *given.arguments)
    return Surroundings(arguments, tuple(args.env), files, current, stdin, (args.stack or 0) << 10)


def _stdin(args: argparse.Namespace) -> int | None:
    try:
        os.fstat(0)
    except OSError:
        return None
    return None if args.gdb is not None and os.isatty(0) else 0  # gdb has the terminal


_SUFFIXES = {"trace": ".trace.json", "waves": waves.SUFFIX}


def _check_targets(args: argparse.Namespace, name: str) -> None:
    """Every file that the run will write can be written, and is another one."""
    for option, suffix in _SUFFIXES.items():
        if getattr(args, option) == UNNAMED:
            setattr(args, option, BUILD / "output" / f"{name}{suffix}")
    seen: dict[Path, str] = {}
    for option in ("output", "trace", "waves"):
        path: Path | None = getattr(args, option)
        if path is None:
            continue
        check_target(path)
        if option == "waves" and path.suffix in (waves.GTKWAVE, waves.SURFER, ".vcd", ".ghw"):
            raise UserError(f"--waves writes an FST file: name it {path.with_suffix(waves.SUFFIX).name}")
        if other := seen.get(path.resolve()):
            raise UserError(f"--{other} and --{option} are the same file {path}: give two names")
        seen[path.resolve()] = option


# Of a simulated machine, with their defaults.
_SIMULATED: dict[str, object] = {
    **{"gdb": None, "jtag": None, "policy": None, "trace": None, "line": [], "far_period": None},
    **{"waves": None, "waves_from": None, "waves_to": None, "waves_scope": None, "waves_max": None},
    **{"freertos": None, "ports": None, "max_cycles": None, "clock_hz": None, "heap": None},
}


def _run_linux(
    args: argparse.Namespace, given: Given, soc: Platform, defines: dict[str, str | int], facts: _Facts
) -> int:
    """On this machine: what the program prints and its exit status are its own."""
    for option, default in _SIMULATED.items():
        if getattr(args, option) != default:
            if option == "gdb":
                raise UserError("ground linux runs on this machine: start gdb itself on the program")
            name = "far-clock" if option == "far_period" else option.replace("_", "-")
            raise UserError(f"--{name} is not an option of ground linux: it needs a simulated machine")
    if args.cpus is not None and args.cpus > host.cpus():
        raise UserError(f"this machine has {host.cpus()} processors, not {args.cpus}: choose fewer by --cpus")
    defines["CL_PLACEMENT"] = PLACEMENTS[args.placement]
    data = prepare(args, given.name)
    if given.elf:
        program = given.elf.absolute()
    else:
        warnings: list[str] = []
        here = replace(soc, cpus=args.cpus or host.cpus())
        try:
            with facts.doing(f"{given.name} on Linux: build"):
                app = front_end.on(given.app, firmware.LINUX)
                program = firmware.build_linux(app, here, defines, warnings=warnings)
        finally:
            facts.warn(warnings)
    ran = host.run(program, data, around(args, given, _stdin(args)))
    if ran.done:
        unit = APPS[given.name].unit if given.name in APPS else "units of work"
        facts.tell(f"{ran.done} {unit} in {ran.seconds:.3g} s", done=ran.done, seconds=ran.seconds)
    facts.tell("", program=str(program), kernel=firmware.LINUX)
    if ran.exit_status == 0:
        _save(args, given.name, ran.output, data, facts)
    return facts.end(ran.exit_status)


def _run(args: argparse.Namespace) -> int:
    held.set_flags(args)
    given = resolve(args)
    args.kernel = args.kernel or DEFAULT_KERNEL
    args.placement = args.placement or "dynamic"
    soc = chosen(args)
    check_fits(given, soc)
    held.check(args, soc.core)
    if args.grain is not None and given.name != "image":
        raise UserError(f"--grain is not an option of {given.name}: only image has pixels per message")
    if args.far_period is not None and soc.backdoor is None:
        raise UserError(f"--far-clock needs a processor behind a Back-Door: {soc.name} has none")
    if args.freertos is not None and args.kernel not in FREERTOS:
        raise UserError(
            f"--freertos is not an option of kernel {args.kernel}: only {', '.join(FREERTOS)} use it"
        )
    if args.kernel not in driver.grounds():
        raise UserError(f"unknown kernel '{args.kernel}': {suggest(args.kernel, driver.grounds())}")
    _check_targets(args, given.name)
    asked = _waves(args, soc)
    facts = _Facts(args)
    defines = {} if args.ports is None else ports(given.name, args.kernel, args.ports)
    if args.check:
        if args.kernel not in firmware.KERNELS:
            raise UserError(
                f"--check is not an option of ground {args.kernel}: choose hw or sw, or use Valgrind on Linux"
            )
        if given.elf:
            raise UserError("--check chooses another heap when a program is linked: give its sources")
        defines[firmware.CHECK] = 1
    if args.grain is not None:
        defines["IMAGE_GRAIN"] = args.grain
    if args.kernel == firmware.LINUX:
        check(given.app, args.placement)
        return _run_linux(args, given, soc, defines, facts)
    experiment = Experiment(
        given.app,
        soc,
        args.kernel,
        args.placement,
        defines,
        args.policy,
        debug=args.gdb is not None,
        jtag=args.jtag is not None,
    )
    data = prepare(args, given.name)
    if args.kernel in FREERTOS:
        freertos.kernel(args.freertos)
    warnings: list[str] = []
    try:
        with facts.doing(f"{given.name} on {soc.name}: build"):
            program = loaded(given.elf) if given.elf else experiment.program(warnings)
    finally:
        facts.warn(warnings)
    facts.tell(
        f"program: {shown(given.elf or program)}",
        program=str(given.elf or program),
        platform=soc.name,
        kernel=args.kernel,
        policy=args.policy,
    )
    if own := soc.experimental:
        build = soc.kernel.build
        facts.tell(
            f"experimental: kernel.services {', '.join(own)}: not of the kernel's build {build}, and only "
            "builds are proved and measured as a whole",
            experimental=list(own),
        )
    return facts.end(_simulate(args, given, experiment, program, data, asked, facts))


def _waves(args: argparse.Namespace, soc: Platform) -> Waves | None:
    """The waveform that is asked for."""
    if args.waves is None:
        for option in ("waves_from", "waves_to", "waves_scope", "waves_max"):
            if getattr(args, option) is not None:
                raise UserError(f"--{option.replace('_', '-')} needs --waves")
        return None
    return Waves(
        args.waves,
        args.waves_from,
        args.waves_to,
        tuple(args.waves_scope or ()),
        args.waves_max * 10**6 if args.waves_max else waves.MOST,
        soc.kernel.hardware_threads,
    )


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB" if size < 1e8 else f"{size / 1e6:.0f} MB"


def _announce(plan: waves.Plan, facts: _Facts) -> None:
    """How large the waveform will be."""
    rate = plan.bytes_a_cycle
    size = f"about {rate:.0f} bytes a cycle"
    if plan.cycles is not None:
        size += f", {_megabytes(rate * plan.cycles)}"
    facts.tell(
        f"waveform: {len(plan.signals)} signals, {size}; it ends at {_megabytes(plan.most)}",
        waves_signals=len(plan.signals),
        waves_bytes_a_cycle=round(rate),
    )


def _tell_waves(asked: Waves, report: dict[str, Any], facts: _Facts) -> None:
    """The contents of the waveform."""
    if report["from"] is None:
        return
    file = shown(asked.path)
    gtkwave, surfer = (shown(asked.path.with_suffix(end)) for end in (waves.GTKWAVE, waves.SURFER))
    facts.tell(
        f"waveform: {_megabytes(report['bytes'])}, cycles {report['from']} to {report['to']}: {file} "
        f"(gtkwave {gtkwave}, or surfer -c {surfer} {file})",
        waves={"file": str(asked.path), **{key: report[key] for key in ("from", "to", "bytes")}},
    )
    if report["full"]:
        facts.tell(
            f"waveform: it ended in cycle {report['to']}, being full: give --waves-from, --waves-to, "
            "--waves-scope or a larger --waves-max"
        )


def _simulate(
    args: argparse.Namespace,
    given: Given,
    experiment: Experiment,
    program: Path,
    data: bytes,
    asked: Waves | None,
    facts: _Facts,
) -> int:
    soc = experiment.platform
    built = experiment.build(asked is not None, program)
    if asked:
        _announce(waves.Plan(asked, built.model), facts)
    gdb = held.held(args, experiment, given, program)
    jtag = held.jtag(args, experiment, given, program)
    with facts.doing(f"{given.name} on {soc.name}: simulate") as task:

        def progress(cycles: int) -> None:
            task.say(f"{given.name} on {soc.name}: {cycles / 1e6:.1f} million cycles")

        try:
            outcome = experiment.run(
                data,
                Options(
                    around=around(args, given, _stdin(args)),
                    max_cycles=args.max_cycles,
                    max_simulated=None if args.max_cycles else MAX_SIMULATED,
                    waves=asked,
                    pulses=args.line,
                    far_period=args.far_period or FAR_PERIOD,
                    modules=args.trace is not None,
                    endless=True,
                    progress=None if gdb else progress,
                    uart=_printer(program, task),
                    debugger=gdb.debugger if gdb else None,
                    jtag=jtag,
                ),
                built,
            )
        except (Ended, KeyboardInterrupt):
            if asked and asked.path.exists():
                facts.tell(f"waveform: {shown(asked.path)}")
            raise
    if gdb and not gdb.finish(given.name):
        return 0
    if outcome.result.reason == "left":
        raise Ended(f"{given.name} was left halted by the debugger: resume it before that goes", UNFINISHED)
    if args.trace is not None:
        _write_trace(outcome, args.trace, facts)
    report = outcome.result.waves
    if asked and report:
        _tell_waves(asked, report, facts)
    if args.quiet and outcome.status and not outcome.result.why:
        return outcome.status  # which says it
    seen = replace(outcome.result, uart="")  # so that its last line is not told once more
    replace(outcome, result=seen).check_finished()
    _tell_figures(outcome, APPS[given.name].unit if given.name in APPS else "units of work", facts)
    _save(args, given.name, outcome.result.output, data, facts)
    if asked and report and (wrong := waves.told(report, asked, outcome.result.cycles)):
        raise UserError(wrong)
    return 0


COMMAND = Command(
    "run",
    _run,
    options,
    "Run an application (its output is checked against the host's) or your own program. Exit status: that of "
    "the program, the same on every kernel; 124: it did not end within --max-cycles, is deadlocked, or "
    "repeats for ever; 125: Coreloom could not run it, as with an error of the compiler; 132, 135 or 139: a "
    "fault ended it, as on Linux; 134: it called abort, an assertion failed, or --check found something.",
    runs_program=True,
    takes_arguments=True,
    common=(
        *("app", "kernel", "platform", "cpus", "policy", "input", "files", "env", "stack", "check"),
        *("trace", "waves", "gdb", "max_cycles", "quiet", "json", "help", "help_all"),
    ),
)
