# SPDX-License-Identifier: Apache-2.0
"""`coreloom run`: an application or a program of the user's, simulated."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from coreloom.apps import APPS
from coreloom.apps.base import read_file
from coreloom.commands.console import Command, doing, out, shown
from coreloom.design import platform
from coreloom.design.platform import Platform
from coreloom.errors import UserError
from coreloom.options import add_freertos, positive
from coreloom.paths import BUILD
from coreloom.report import results
from coreloom.simulation import host, measure, stuck, trace
from coreloom.simulation.experiment import PLACEMENTS, PORTS, WITH_PORTS, Experiment, Outcome, check, ports
from coreloom.simulation.simulate import FAR_PERIOD, Halted, Pulses, SimResult
from coreloom.toolchain import firmware, freertos
from coreloom.toolchain.firmware import FREERTOS, GROUNDS, policies

_INPUT_OPTIONS = {"image": "image", "packets": "pcap"}  # any other program: --input


def _input_of(args: argparse.Namespace) -> Path | None:
    """The user's input file; an option that belongs to another application is a mistake."""
    own = _INPUT_OPTIONS.get(args.app, "input")
    for option in ("image", "pcap", "input"):
        if option != own and getattr(args, option) is not None:
            raise UserError(f"--{option} is not an input of {args.app}: use --{own}")
    given: Path | None = getattr(args, own)
    return given


def _prepare(args: argparse.Namespace) -> bytes:
    """Content of the INPUT region: an application's checked input, or any bytes for a program of the user."""
    given = _input_of(args)
    if args.app in APPS:
        return APPS[args.app].prepare(given)
    return b"" if given is None else read_file(given)


def _save(args: argparse.Namespace, output: bytes, data: bytes) -> None:
    """Keep the output; that of an application only if it is right."""
    if args.app in APPS:
        app = APPS[args.app]
        target = args.output or BUILD / "output" / f"{args.app}{app.suffix}"
        app.check(output, data)
        app.save(output, target)
        out.print(f"output (equal to the host's result): {shown(target)}", markup=False)
    elif output or args.output:
        target = args.output or BUILD / "output" / f"{Path(args.app).stem}.bin"
        results.write_atomically(target, output)
        out.print(f"output: {shown(target)}", markup=False)


def _write_trace(outcome: Outcome, path: Path) -> None:
    run: SimResult = outcome.result
    soc = outcome.experiment.platform
    text = trace.chrome_trace(run.events, soc.cpus, run.cycles, run.names, soc.kernel.hardware_threads)
    results.write_atomically(path, text.encode())
    out.print(f"timeline: {shown(path)} (open it at ui.perfetto.dev)", markup=False)


def _print_figures(outcome: Outcome) -> None:
    found, run = outcome.figures, outcome.result
    app = APPS.get(outcome.experiment.app)
    unit = app.unit if app is not None else "units of work"
    low, mean, high = measure.spread(found.voluntary)
    rate = run.cycles / max(run.seconds, 1e-9)
    out.print(
        f"{run.cycles} cycles ({rate / 1e3:.0f} kcycle/s simulated); from initialisation to the end "
        f"{found.end - found.start}",
        markup=False,
    )
    out.print(f"{found.done} {unit}, {found.switches} switches", markup=False)
    if mean is not None:
        out.print(f"voluntary switch: min {low}, mean {mean:.1f}, max {high} cycles", markup=False)
    idle = ", ".join(f"CPU {cpu} {cycles}" for cpu, cycles in enumerate(found.idle))
    out.print(f"idle cycles: {idle}", markup=False)
    names = outcome.experiment.platform.kernel.hardware_threads
    for number, (name, unit_time) in enumerate(zip(names, found.units, strict=True)):
        out.print(
            f"hardware thread {number} ({name}): ran {unit_time.ran} cycles, waited {unit_time.waited}",
            markup=False,
        )


def _print_uart(text: str) -> None:
    if text:
        out.print(text.rstrip("\n"), markup=False)


_UNNAMED = Path()  # --trace or --waves without a file
_SUFFIXES = {"trace": ".trace.json", "waves": ".vcd"}


def _check_targets(args: argparse.Namespace) -> None:
    """Every file that the run will write can be written, and is another one."""
    for option, suffix in _SUFFIXES.items():
        if getattr(args, option) == _UNNAMED:
            setattr(args, option, BUILD / "output" / f"{Path(args.app).stem}{suffix}")
    seen: dict[Path, str] = {}
    for option in ("output", "trace", "waves"):
        path: Path | None = getattr(args, option)
        if path is None:
            continue
        results.check_target(path)
        if other := seen.get(path.resolve()):
            raise UserError(f"--{other} and --{option} are the same file {path}: give two names")
        seen[path.resolve()] = option


# Of a simulated machine, with their defaults.
_SIMULATED: dict[str, object] = {
    **{"policy": None, "trace": None, "waves": None, "line": [], "far_period": None},
    **{"freertos": None, "ports": None, "max_cycles": 500_000_000},
}


def _run_linux(args: argparse.Namespace, soc: Platform, defines: dict[str, str | int]) -> int:
    """On this machine: what the program prints and its exit status are its own."""
    for option, default in _SIMULATED.items():
        if getattr(args, option) != default:
            name = "far-clock" if option == "far_period" else option.replace("_", "-")
            raise UserError(f"--{name} is not an option of ground linux: it needs a simulated machine")
    if args.cpus is not None and args.cpus > host.cpus():
        raise UserError(f"this machine has {host.cpus()} processors, not {args.cpus}: choose fewer by --cpus")
    defines["CL_PLACEMENT"] = PLACEMENTS[args.placement]
    data = _prepare(args)
    with doing(f"{args.app} on Linux: build"):
        program = firmware.build_linux(args.app, replace(soc, cpus=args.cpus or host.cpus()), defines)
    ran = host.run(program, data)
    if ran.exit_status == 0:
        if ran.done:
            unit = APPS[args.app].unit if args.app in APPS else "units of work"
            out.print(f"{ran.done} {unit} in {ran.seconds:.3g} s", markup=False)
        _save(args, ran.output, data)
    return ran.exit_status


def _run(args: argparse.Namespace) -> int:
    soc = platform.load(args.platform, args.cpus)
    if args.grain is not None and args.app != "image":
        raise UserError(f"--grain is not an option of {args.app}: only image has pixels per message")
    if args.far_period is not None and soc.backdoor is None:
        raise UserError(f"--far-clock needs a processor behind a Back-Door: {soc.name} has none")
    if args.freertos is not None and args.kernel not in FREERTOS:
        raise UserError(
            f"--freertos is not an option of kernel {args.kernel}: only {', '.join(FREERTOS)} use it"
        )
    _check_targets(args)
    defines = {} if args.ports is None else ports(args.app, args.kernel, args.ports)
    if args.grain is not None:
        defines["IMAGE_GRAIN"] = args.grain
    if args.kernel == firmware.LINUX:
        check(args.app, args.placement)
        return _run_linux(args, soc, defines)
    experiment = Experiment(args.app, soc, args.kernel, args.placement, defines, args.policy)
    data = _prepare(args)
    if args.kernel in FREERTOS:
        freertos.kernel(args.freertos)
    with doing(f"{args.app} on {soc.name}: build"):
        experiment.program()
    with doing(f"{args.app} on {soc.name}: simulate") as task:

        def progress(cycles: int) -> None:
            task.say(f"{args.app} on {soc.name}: {cycles / 1e6:.1f} million cycles")

        try:
            outcome = experiment.run(
                data,
                max_cycles=args.max_cycles,
                waves=args.waves,
                pulses=args.line,
                far_period=args.far_period or FAR_PERIOD,
                modules=args.trace is not None,
                progress=progress,
            )
        except Halted as halted:
            _print_uart(halted.uart)
            if args.waves is not None:
                out.print(f"waveform: {shown(args.waves)}", markup=False)
            raise
    _print_uart(stuck.with_places(outcome.result.uart, outcome.program))
    if args.trace is not None:
        _write_trace(outcome, args.trace)
    if args.waves is not None:
        out.print(f"waveform: {shown(args.waves)}", markup=False)
    outcome.check_finished()
    _print_figures(outcome)
    _save(args, outcome.result.output, data)
    return 0


_FAR_CLOCK = (0.1, 10)


def _far_period(text: str) -> int:
    """Period of processor 1's clock in thousandths of that of processor 0, from the ratio of the clocks."""
    low, high = _FAR_CLOCK
    try:
        ratio = float(text)
    except ValueError:
        ratio = 0
    if not low <= ratio <= high:
        raise argparse.ArgumentTypeError(f"must be a number from {low:g} to {high:g}, not '{text}'")
    return round(FAR_PERIOD / ratio)


_PULSES = "LINE,FIRST,LEAST,MOST,TIMES,SEED"


def _pulses(text: str) -> Pulses:
    parts = text.split(",")
    if len(parts) == 6 and all(part.isdecimal() for part in parts):
        pulses = Pulses(*map(int, parts))
        if pulses.line < platform.LINE_PINS and pulses.first > 0 and 2 <= pulses.least <= pulses.most:
            return pulses
    most = platform.LINE_PINS - 1
    raise argparse.ArgumentTypeError(
        f"must be {_PULSES} with LINE 0 to {most}, FIRST above 0 and 2 <= LEAST <= MOST, not '{text}'"
    )


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("app", help=f"application ({', '.join(APPS)}) or your own C file")
    parser.add_argument(
        "--platform",
        default="smp-standard",
        help="one of `coreloom list platforms`, or the path of a TOML file (default: %(default)s)",
    )
    parser.add_argument(
        "--kernel",
        "--ground",
        default="hw",
        help=f"one of {', '.join(GROUNDS)}, or {firmware.LINUX}: this machine, with its own threads "
        "(default: %(default)s)",
    )
    add_freertos(parser)
    parser.add_argument(
        "--policy",
        metavar="NAME",
        help=f"scheduling policy; sw: one of {', '.join(policies())}, hw: one of "
        f"{', '.join(platform.BUILT_POLICIES)} (default: the platform's, or priority); "
        "sw also: one in policies/ beside the platform's file, or the path of a C file",
    )
    parser.add_argument("--cpus", type=positive, metavar="N", help="processors (default: the platform's)")
    parser.add_argument(
        "--placement", default="dynamic", help=f"one of {', '.join(PLACEMENTS)} (default: %(default)s)"
    )
    parser.add_argument(
        "--image", type=Path, metavar="FILE", help="picture for image (default: a generated one)"
    )
    parser.add_argument(
        "--pcap", type=Path, metavar="FILE", help="capture for packets (default: a generated one)"
    )
    parser.add_argument("--input", type=Path, metavar="FILE", help="input of your own program: cl_input()")
    parser.add_argument("--grain", type=positive, metavar="N", help="pixels per message (image)")
    parser.add_argument(
        "--ports",
        metavar="KIND",
        help=f"of {' and '.join(WITH_PORTS)}: one of {', '.join(PORTS)}; buffered: a message becomes visible "
        "when its sender waits, as in [SMP] (default: direct)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="where the output goes (default: build/output)"
    )
    parser.add_argument(
        "--trace",
        type=Path,
        nargs="?",
        const=_UNNAMED,
        metavar="FILE",
        help="write a timeline for Perfetto (default: build/output)",
    )
    parser.add_argument(
        "--waves",
        type=Path,
        nargs="?",
        const=_UNNAMED,
        metavar="FILE",
        help="write a waveform for GTKWave or Surfer (slow; default: build/output)",
    )
    parser.add_argument(
        "--line",
        type=_pulses,
        action="append",
        default=[],
        metavar=_PULSES,
        help="interrupt line LINE rises TIMES times, first in cycle FIRST, then LEAST to MOST cycles later, "
        "at random; may be repeated",
    )
    parser.add_argument(
        "--far-clock",
        dest="far_period",
        type=_far_period,
        metavar="RATIO",
        help="clock of processor 1 behind a Back-Door as a multiple of that of processor 0, "
        f"{_FAR_CLOCK[0]:g} to {_FAR_CLOCK[1]:g} (default: 1)",
    )
    parser.add_argument("--max-cycles", type=positive, metavar="N", default=500_000_000, help="cycle limit")


COMMAND = Command(
    "run",
    "run an application (its output is checked against the host's) or your own program",
    _run,
    _options,
    "Run an application (its output is checked against the host's) or your own program. Exit status: that of "
    "the program, the same on every kernel; 124: it did not end within --max-cycles, or is deadlocked; 125: "
    "Coreloom could not run it, as with an error of the compiler; 132, 135 or 139: a fault ended it, as on "
    "Linux; 134: it called abort, or an assertion failed.",
    runs_program=True,
)
