# SPDX-License-Identifier: Apache-2.0
"""The hardware kernel in a LiteX SoC: cl_kernel_shared_wb of rtl/bridge, a Wishbone slave that never blocks.

    from coreloom.litex import add_kernel
    add_kernel(soc)

docs/integration.md shows a whole SoC and what its firmware does. LiteX is imported by add_kernel alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coreloom import packages
from coreloom.design import platform, record
from coreloom.design.keys import Platform
from coreloom.errors import UserError
from coreloom.synthesis import export

TOP = "cl_kernel_shared_wb"
_CLIENT_BYTES = 1 << 20  # addresses of one client
_SIZES = ("threads", "priorities", "ports", "mutexes", "semaphores", "conditions")


def add_kernel(
    soc: Any,
    kernel: str = "smp-standard",
    *,
    cpus: Sequence[Any] | None = None,
    name: str = "coreloom",
    origin: int | None = None,
    tick_hz: int = 1000,
    lines: Sequence[Any] = (),
    folder: Path | None = None,
) -> Any:
    """Add the kernel to a LiteX SoC, before it is finalised; the LiteX module, which is also soc.NAME.

    kernel: a platform, or the path of a platform file, whose [kernel] sizes it has.
    cpus: LiteX's CPUs whose threads it runs, soc.cpu first, by default soc.cpu alone. Each hart is a client
    of the kernel, in this order; a CPU with several has their number in its attribute cpu_count.
    name: of the module and of its region on the bus, which is uncached.
    origin: its address, by default one that is free. It is a multiple of the region's size: 1 MiB a client,
    2 MiB at least, a power of two.
    tick_hz: units of the time slice in a second.
    lines: signals of one bit in clock domain sys, whose rising edges are the kernel's interrupt lines.
    folder: where the Verilog and the C headers are made, by default build/PLATFORM/NAME.

    Client 0 has the interrupt NAME, client n NAMEn, with the events `answer` (an operation that has waited
    has its answer) and `preempt` (the thread should give way), all of them disabled at first: registers
    NAME_ev_enable and NAME_evn_enable. Constants for C are NAME_CLIENTS, NAME_TICK_HZ and the sizes,
    NAME_THREADS and so on; the module's attribute `include` is the folder of the headers, and its signal
    `idle` has a bit of each client that waits because no thread can run. Register NAME_now is the time of the
    kernel's time limits, in cycles of clock domain sys.

    UserError if LiteX or Yosys is missing, the SoC is finalised, has a kernel or no CPU with interrupts, the
    kernel cannot have as many clients or lines, or the platform has hardware threads, which are no part of a
    LiteX SoC.
    """
    packages.folder("litex", "litex")
    packages.folder("migen", "litex")
    _check_free(soc, name)
    harts = _harts(soc, cpus)
    of = platform.load(kernel, len(harts))
    _check(soc, of, tick_hz, lines)
    label = f"{TOP}-{of.name}-{of.cpus}"
    place = (folder or Path("build", soc.platform.name, name)).absolute()
    chosen = export.kernel(TOP, label, record.kernels_own(of))
    (source,) = export.write(chosen, "verilog", place)

    module = _module(soc, len(harts), tick_hz, lines)
    module.include = place / "include"
    size = _CLIENT_BYTES << max(1, (len(harts) - 1).bit_length())
    from litex.soc.integration.soc import SoCRegion

    soc.add_module(name=name, module=module)
    soc.platform.add_source(str(source))
    soc.bus.add_slave(name=name, slave=module.bus, region=SoCRegion(origin=origin, size=size, cached=False))
    for client, interrupts in enumerate(harts):
        own = f"{name}{client or ''}"
        soc.irq.add(own)
        if client:  # LiteX connects that of soc.NAME itself
            soc.comb += interrupts[soc.irq.locs[own]].eq(getattr(module, f"ev{client}").irq)
    soc.add_constant(f"{name}_CLIENTS", len(harts))
    soc.add_constant(f"{name}_TICK_HZ", tick_hz)
    for each in _SIZES:
        soc.add_constant(f"{name}_{each}", getattr(of.kernel, each))
    return module


def _check_free(soc: Any, name: str) -> None:
    if soc.finalized:
        raise UserError("the LiteX SoC is finalised: add the kernel before it is built")
    if any(Path(source[0]).name == f"{TOP}.v" for source in soc.platform.sources):
        raise UserError("the LiteX SoC has a kernel: leave out the second one")
    if hasattr(soc, name):
        raise UserError(f"the LiteX SoC has a '{name}': choose another name for the kernel")


def _harts(soc: Any, cpus: Sequence[Any] | None) -> list[Any]:
    """The vector of interrupts of each client."""
    if getattr(soc, "cpu", None) is None or not soc.irq.enabled:
        raise UserError("the LiteX SoC has no CPU with interrupts: choose another cpu_type")
    cpus = [soc.cpu] if cpus is None else list(cpus)
    if not cpus or cpus[0] is not soc.cpu:
        raise UserError("cpus does not begin with the LiteX SoC's own CPU: begin it with soc.cpu")
    for number, cpu in enumerate(cpus):
        if not hasattr(cpu, "interrupt"):
            raise UserError(f"CPU {number} of cpus has no interrupts: choose another one")
    return [cpu.interrupt for cpu in cpus for _ in range(getattr(cpu, "cpu_count", 1))]


def _check(soc: Any, of: Platform, tick_hz: int, lines: Sequence[Any]) -> None:
    if of.kernel.hardware_threads:
        raise UserError(f"platform {of.name} has hardware threads: choose one without for LiteX")
    if not 1 <= tick_hz <= soc.sys_clk_freq:
        raise UserError(f"tick_hz is {tick_hz}: choose one from 1 to the clock's {int(soc.sys_clk_freq)}")
    if len(lines) > platform.LINES:
        raise UserError(f"{len(lines)} interrupt lines are too many: the kernel has {platform.LINES}")
    for number, line in enumerate(lines):
        if len(line) != 1:
            raise UserError(f"interrupt line {number} has {len(line)} bits: choose one of them")


def _module(soc: Any, clients: int, tick_hz: int, lines: Sequence[Any]) -> Any:
    from litex.gen import LiteXModule
    from litex.soc.interconnect import wishbone
    from litex.soc.interconnect.csr import CSRStatus
    from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
    from migen import Cat, ClockSignal, If, Instance, ResetSignal, Signal

    module = LiteXModule()
    module.bus = bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
    module.idle = Signal(clients)
    answer, preempt = Signal(clients), Signal(clients)
    for client in range(clients):
        events = EventManager()
        events.answer = EventSourceLevel("answer", "An operation that has waited has its answer.")
        events.preempt = EventSourceLevel("preempt", "The running thread should give way.")
        events.finalize()
        setattr(module, f"ev{client or ''}", events)
        module.comb += [
            events.answer.trigger.eq(answer[client]),
            events.preempt.trigger.eq(preempt[client]),
        ]

    period = max(1, round(soc.sys_clk_freq / tick_hz))
    left, tick, now = Signal(max=max(2, period)), Signal(), Signal(32)
    module.now = CSRStatus(32, name="now", description="The time of the kernel's time limits, in cycles.")
    module.comb += [tick.eq(left == 0), module.now.status.eq(now)]
    module.sync += [now.eq(now + 1), If(tick, left.eq(period - 1)).Else(left.eq(left - 1))]

    module.specials += Instance(
        TOP,
        i_clk_i=ClockSignal("sys"),
        i_rst_ni=~ResetSignal("sys"),
        i_tick_i=tick,
        i_now_i=now,
        i_cyc_i=bus.cyc,
        i_stb_i=bus.stb,
        i_we_i=bus.we,
        i_adr_i=bus.adr[: 18 + max(1, (clients - 1).bit_length())],
        i_sel_i=bus.sel,
        i_dat_i=bus.dat_w,
        o_dat_o=bus.dat_r,
        o_ack_o=bus.ack,
        o_err_o=bus.err,
        o_irq_o=answer,
        o_preempt_o=preempt,
        i_intr_i=0,  # no load blocks, so other interrupts need not end one
        o_idle_o=module.idle,
        i_line_i=Cat(*lines, *[Signal() for _ in range(platform.LINES - len(lines))]),
    )
    return module
