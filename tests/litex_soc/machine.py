# SPDX-License-Identifier: Apache-2.0
"""LiteX SoCs with the kernel, in Verilator: of one VexRiscv, and of two on one bus."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from coreloom import packages
from coreloom.litex import TOP
from coreloom.paths import ROOT
from coreloom.toolchain import elf, verilate, zig
from coreloom.toolchain.verilate import Design

HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "integration.md"
PROGRAMS = HERE / "programs"
CLOCK_HZ = 1_000_000
VARIANTS = {"lite": "VexRiscv_Lite", "standard": "VexRiscv"}  # which has a data cache
SECOND_START = 0x40  # in the ROM
END = b"\x04"


def soc(cpus: int = 1) -> Any:
    """A SoC without the kernel, not finalised: of one CPU with a data cache, or of two without one."""
    from litex.build.generic_platform import Pins, Subsignal
    from litex.build.io import CRG
    from litex.build.sim import SimPlatform
    from litex.soc.cores.cpu.vexriscv import VexRiscv
    from litex.soc.integration.soc_core import SoCCore
    from migen.fhdl.structure import DUID

    # LiteX orders its Verilog by this: the same SoC is the same text, so the same model.
    DUID._DUID__next_uid = 0
    variant = "standard" if cpus == 1 else "lite"  # caches of two would not see each other's stores
    stream = [(f"{way}_{part}", bits) for way in ("source", "sink")
              for part, bits in (("valid", 1), ("ready", 1), ("data", 8))]  # fmt: skip
    serial = [Subsignal(name, Pins(bits)) for name, bits in stream]
    platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1)), ("serial", 0, *serial)])
    made = SoCCore(
        platform,
        CLOCK_HZ,
        cpu_type="vexriscv",
        cpu_variant=variant,
        integrated_rom_size=0x8000,
        integrated_rom_init=[0],  # that there is a file, which program() replaces
        integrated_sram_size=0x4000,
        uart_name="sim",
    )
    made.crg = CRG(platform.request("sys_clk"))
    if cpus == 2:
        made.cpu1 = second = VexRiscv(platform, variant)
        second.set_reset_address(made.mem_map["rom"] + SECOND_START)
        made.bus.add_master(master=second.ibus)
        made.bus.add_master(master=second.dbus)
    return made


def build(made: Any, folder: Path) -> Path:
    """The model of a SoC; its headers and memory files are in `folder`."""
    from litex.soc.integration.builder import Builder

    Builder(made, output_dir=folder, compile_software=False, compile_gateware=False).build()
    cores = packages.folder("pythondata-cpu-vexriscv") / "verilog" / f"{VARIANTS[made.cpu.variant]}.v"
    sources = (cores, folder / "kernel" / f"{TOP}.v", folder / "gateware" / "sim.v")
    design = Design("sim", sources, packages=("pythondata-cpu-vexriscv",))
    return verilate.build(design, HERE / "soc.cpp", name="litex")


def program(source: Path, folder: Path) -> None:
    """Compile a program with the headers of a SoC and the code of docs/integration.md, into its ROM."""
    switch, page = re.findall(r"```c\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    threads = switch[switch.index("static uint32_t *stacks[THREADS]") :]
    (folder / "threads.h").write_text(threads, encoding="utf-8")
    (folder / "page.h").write_text(page, encoding="utf-8")
    litex = packages.folder("litex") / "soc"
    include = [folder, folder / "kernel" / "include", folder / "software" / "include", PROGRAMS]
    flags = ["-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+zicsr", "-nostdlib", "-O2"]
    flags += ["-Wall", "-Wextra", "-Werror", "-fno-sanitize=undefined", *(f"-I{each}" for each in include)]
    flags += ["-isystem", str(litex / "software" / "include"), "-isystem", str(litex / "cores/cpu/vexriscv")]
    out = folder / "program.elf"
    files = [str(PROGRAMS / "start.S"), str(source), f"-Wl,-T,{PROGRAMS / 'link.ld'}"]
    zig.run([*zig.cc(), *flags, *files, "-o", str(out)], source.name)
    code = elf.flat(out)
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    (folder / "gateware" / "sim_rom.init").write_text("".join(f"{word:08x}\n" for word in words))


def run(model: Path, folder: Path, cycles: int) -> bytes:
    """What the program sends over the UART until END, which is included, or for so many cycles."""
    done = subprocess.run([model, str(cycles)], cwd=folder / "gateware", capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout
