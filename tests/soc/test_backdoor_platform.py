# SPDX-License-Identifier: Apache-2.0
"""Platform backdoor: processor 1 with a bus, a memory and a clock of its own, with the Back-Door.

The Back-Door's own registers and clock crossings are tested by themselves in tests/backdoor_rtl.
"""

from __future__ import annotations

import pytest

from coreloom.commands import examine as doctor
from coreloom.design import platform, spec
from coreloom.errors import UserError
from coreloom.simulation import simulate
from coreloom.simulation.simulate import Halted, Kind, SimResult
from coreloom.toolchain import elf, verilate

from .asm import assemble

cores = pytest.mark.parametrize("core", ["economy", "standard"])
# Of processor 1's clock in thousandths: the same edges, and faster and slower ones.
clocks = pytest.mark.parametrize("period", [1000, 371, 1370, 7919])

_SPEC = spec.backdoor()
_DEFINES = "\n".join(
    f"#define {side}_{register.name.upper()} {register.offset:#x}"
    for side, registers in (("NEAR", _SPEC.registers["near"]), ("FAR", _SPEC.registers["far"]))
    for register in registers.values()
)

# Processor 0: s5 = the Back-Door. `relay` logs each word of processor 1's mail, until one is ~0.
_NEAR = f"""
{_DEFINES}
  li s5, {_SPEC.limits["near_base"]:#x}
.macro run
  li t0, 1
  sw t0, NEAR_CONTROL(s5)
.endm
.macro relay
1: lw t0, NEAR_STATUS(s5)
  andi t0, t0, 8
  beqz t0, 1b
  lw t0, NEAR_MAIL_RECEIVE(s5)
  addi t1, t0, 1
  beqz t1, 2f
  sw t0, MARK(s1)
  j 1b
2:
.endm
.macro end
  sw zero, EXIT(s1)
  j .
.endm
"""

# Processor 1: s5 = the Back-Door, s2 = the local memory. `say` sends a word by mail; uses t5, t6.
_FAR = f"""
{_DEFINES}
  li s5, {_SPEC.limits["far_base"]:#x}
  li s2, {_SPEC.limits["memory_base"]:#x}
.macro say reg
9: lw t6, FAR_MAIL_COUNT(s5)
  andi t6, t6, 0xFF
  beqz t6, 9b
  sw \\reg, FAR_MAIL_SEND(s5)
.endm
.macro end
  li t5, -1
  say t5
  j .
.endm
"""

# Interrupts of processor 1: all to on_irq, with their number on the standard core in a0 (0: a bus error); it
# ends with `j irq_end` and may use a and t registers.
_FAR_IRQ = (
    _FAR
    + """
  j main
#if STANDARD
.balign 256
vectors:
  j exception
  .rept 6
  j .
  .endr
  j 7f
  .rept 8
  j .
  .endr
  j 16f
bell_entry:
  li a0, 17
  j on_irq
7: li a0, 7
  j on_irq
16: li a0, 16
  j on_irq
exception:
  csrr a1, mcause
  csrr a2, mtval
  csrr a3, mepc
  addi a4, a3, 4
  csrw mepc, a4
  li a0, 0
  j on_irq
irq_end:
  mret
.macro irqs_on
  la t0, vectors + 1
  csrw mtvec, t0
  li t0, (1 << 7) | (1 << 16) | (1 << 17)
  csrw mie, t0
  csrsi mstatus, 8
.endm
irq_entry:
#else
irq_entry:
bell_entry:
  getq 11, 1
  li a0, 0
  andi a2, a1, 1 << 4
  bnez a2, 1f
  li a0, 7
  andi a2, a1, 1 << 5
  bnez a2, 1f
  li a0, 16
  andi a2, a1, 1 << 7
  bnez a2, 1f
  li a0, 17
1: lw a2, FAR_BUS_ERROR_ADDRESS(s5)
  lw a3, FAR_BUS_ERROR_PC(s5)
  j on_irq
irq_end:
  retirq
.macro irqs_on
  maskirq 0, 0
.endm
#endif
main:
"""
)


def run(
    core: str,
    near: str,
    far: str,
    *,
    max_cycles: int = 100_000,
    far_period: int = simulate.FAR_PERIOD,
    far_stop: int | None = None,
    watch: tuple[int, ...] = (),
) -> SimResult:
    return simulate.run(
        verilate.build_model(platform.load(f"backdoor-{core}")),
        assemble(_NEAR + near, core),
        simulate.Options(
            max_cycles=max_cycles,
            loader=assemble(far, core, rom=True),
            far_period=far_period,
            far_stop=far_stop,
            watch=watch,
        ),
    )


def marks(result: SimResult) -> list[int]:
    return [event.value for event in result.events if event.kind == Kind.MARK]


@cores
@clocks
def test_processor_1_runs_from_its_rom(core: str, period: int) -> None:
    """Its number, its addresses, that its memory is memory, that its ROM is what the loader's image says."""
    far = """
  say s0
  lw t0, CPU_COUNT(s1)
  say t0
  auipc t0, 0
  srli t0, t0, 28
  say t0
  li t0, 0x12345678
  sw t0, 0(s2)
  sb zero, 1(s2)
  li t1, 0x3FFFC
  add t1, t1, s2
  sw t1, 0(t1)
  lw t0, 0(s2)
  say t0
  lw t0, 0(t1)
  say t0
  la t0, word
  lw t0, 0(t0)
  say t0
  lw t0, FAR_MEMORY(s5)
  say t0
  end
word: .word 0xCAFE
"""
    result = run(core, "run\nrelay\nend", _FAR + far, far_period=period)
    assert result.exit_status == 0
    assert marks(result) == [1, 1, 1, 0x1234_0078, 0x4003_FFFC, 0xCAFE, 0x4_0000]


@cores
def test_held_until_it_is_let_run(core: str) -> None:
    """The core does not fetch before; then it starts again each time, and so does its count of cycles."""
    far = """
  lw t0, CYCLE(s1)
  say t0
  lw t1, 0(s2)
  addi t1, t1, 1
  sw t1, 0(s2)
  say t1
  end
"""
    near = """
  .rept 300
  nop
  .endr
  run
  relay
  sw zero, NEAR_CONTROL(s5)
3: lw t0, NEAR_STATUS(s5)
  andi t0, t0, 1
  bnez t0, 3b
  run
  relay
  end
"""
    far = "  li t0, 0x40000000\n  lw t1, 0x100(t0)\n" + far
    result = run(core, near, _FAR + far, watch=(0x1000_0080,))
    first, one, second, two = marks(result)
    assert (first, one, two) == (second, one, one + 1)
    starts = [event for event in result.events if event.kind == Kind.WATCH]
    assert [event.cpu for event in starts] == [1, 1]
    assert starts[0].cycle > 300


@cores
def test_every_register_of_both_sides(core: str) -> None:
    """A load of all that can be loaded, a store to all that can be stored to: none is a bus error."""

    def all_of(side: str, registers: dict[str, spec.Register], skip: tuple[str, ...]) -> str:
        text = ""
        for r in registers.values():
            for n in range(r.count):
                if r.access != "wo":
                    text += f"  lw t0, {side}_{r.name.upper()} + {4 * n}(s5)\n"
                if r.access != "ro" and r.name not in skip:
                    text += f"  sw zero, {side}_{r.name.upper()} + {4 * n}(s5)\n"
        return text

    near = "run\n" + all_of("NEAR", _SPEC.registers["near"], ("control", "mail_send")) + "relay\nend"
    far = all_of("FAR", _SPEC.registers["far"], ("mail_send", "dma_list"))
    far = f"irqs_on\n{far}\n  lw t0, FAR_ID(s5)\n  say t0\n  end\non_irq: say a0\n  j ."
    assert marks(run(core, near, _FAR_IRQ + far)) == [_SPEC.limits["id_word"]]


NEAR_ERRORS = {
    "no register": ("lw t0, 0xB0(s5)", 0xE200_00B0),
    "store to a read-only one": ("sw t0, NEAR_ID(s5)", 0xE200_0000),
    "load of a write-only one": ("lw t0, NEAR_BELL_RING(s5)", 0xE200_0020),
    "half a word": ("sh t0, NEAR_BELL_ENABLE(s5)", 0xE200_002C),
    "behind the registers": ("li t1, 0x1000\n add t1, t1, s5\n lw t0, 0(t1)", 0xE200_1000),
    "load from the down block": ("li t1, 0x100000\n add t1, t1, s5\n lw t0, 0(t1)", 0xE210_0000),
    "store to the up block": ("li t1, 0x200000\n add t1, t1, s5\n sw t0, 0(t1)", 0xE220_0000),
    "behind the up block": ("li t1, 0x208000\n add t1, t1, s5\n lw t0, 0(t1)", 0xE220_8000),
    "byte to the down block": ("li t1, 0x100000\n add t1, t1, s5\n sb t0, 0(t1)", 0xE210_0000),
    "behind the window": ("li t1, 0x400000\n add t1, t1, s5\n lw t0, 0(t1)", 0xE240_0000),
    "registers of the far side": ("li t1, 0xF0300000\n lw t0, 0(t1)", 0xF030_0000),
    "ROM of processor 1": ("li t1, 0x10000000\n lw t0, 0(t1)", 0x1000_0000),
}


@cores
@pytest.mark.parametrize("what", NEAR_ERRORS)
def test_bus_errors_of_processor_0(core: str, what: str) -> None:
    access, address = NEAR_ERRORS[what]
    with pytest.raises(Halted, match=f"bus error: cpu 0, address 0x{address:08x}"):
        run(core, f"  li t0, 0\n  {access}\n  end", _FAR + "  end")


# What processor 1 does not have: address, and whether it is a store.
FAR_ERRORS = (
    (0xF030_00C4, False),  # no register
    (0xF030_0000, True),  # read-only
    (0xF030_0020, False),  # write-only
    (0xF030_0100, False),  # behind the registers
    (0xF000_0000, False),  # kernel port
    (0xF020_0000, False),  # communication port
    (0xF010_0020, True),  # lock unit
    (0xF010_0028, False),
    (0xF010_002C, True),
    (0xF010_0040, True),  # trace
    (0xF010_0054, True),
    (0xF010_0080, True),  # exit
    (0xF010_00D0, True),  # IPI
    (0xF010_00D4, True),
    (0xF010_00E0, False),  # lines
    (0xF010_00E8, True),
    (0xE000_0000, True),  # UART
    (0xE200_0000, False),  # the other side
    (0xE210_0000, True),
    (0x4004_0000, False),  # behind its memory
    (0x2000_0000, False),
    (0x1000_0000, True),  # its ROM is read only
    (0x1000_4000, False),  # and this is behind it
    (0x0000_0000, False),
)


@cores
def test_bus_errors_of_processor_1(core: str) -> None:
    """An exception on the standard core, interrupt 4 on the economy core; the simulation goes on."""
    far = "irqs_on\n  la s6, try_\n"
    for address, store in FAR_ERRORS:
        far += f"  li t1, {address:#x}\n  {'sw zero' if store else 'lw t0'}, 0(t1)\n  nop\n  nop\n  nop\n"
    far += """
  end
try_:
on_irq:
  bnez a0, .
  say a2
#if STANDARD
  say a1
#else
  sw zero, FAR_BUS_ERROR_CLEAR(s5)
#endif
  j irq_end
"""
    result = run(core, "run\nrelay\nend", _FAR_IRQ + far)
    if core == "standard":
        expected = [word for address, store in FAR_ERRORS for word in (address, 7 if store else 5)]
    else:
        expected = [address for address, _ in FAR_ERRORS]
    assert (marks(result), result.exit_status) == (expected, 0)


@pytest.mark.parametrize("access", ["sb", "sh"])
@cores
def test_private_devices_of_processor_1_take_whole_words(core: str, access: str) -> None:
    far = f"""
irqs_on
  {access} zero, FAR_BELL_ENABLE(s5)
  nop
  nop
  nop
  {access} zero, MTIMECMP_LO(s1)
  nop
  nop
  nop
  end
on_irq:
  say a2
#if !STANDARD
  sw zero, FAR_BUS_ERROR_CLEAR(s5)
#endif
  j irq_end
"""
    assert marks(run(core, "run\nrelay\nend", _FAR_IRQ + far)) == [0xF030_002C, 0xF010_00C8]


@cores
@clocks
def test_interrupts_of_processor_1(core: str, period: int) -> None:
    """Bell, timer and DMA: each once, and only when it is enabled."""
    far = """
  irqs_on
  li t0, 0x6
  sw t0, FAR_BELL_ENABLE(s5)
1: lw t0, FAR_NEAR_WORD(s5)    // until both bells have been rung
  beqz t0, 1b
  lw t0, CYCLE(s1)
  addi t0, t0, 400
  sw t0, MTIMECMP_LO(s1)
  sw zero, MTIMECMP_HI(s1)
  li t0, 4
1: addi t0, t0, -1
  bnez t0, 1b
2: beqz s8, 2b                 // the timer's
  li t0, 1
  sw t0, FAR_DMA_ENABLE(s5)
  li t1, 0x80000000            // no words, the last
  sw t1, 0(s2)
  sw s2, 4(s2)
  sw zero, 8(s2)
  sw s2, FAR_DMA_LIST(s5)
3: beqz s9, 3b
  end
on_irq:
  say a0
  li a1, 17
  bne a0, a1, 1f
  lw a1, FAR_BELL_PENDING(s5)
  say a1
  li a1, 0x6
  sw a1, FAR_BELL_CLEAR(s5)
  j irq_end
1: li a1, 7
  bne a0, a1, 1f
  li a1, -1
  sw a1, MTIMECMP_HI(s1)
  li s8, 1
  j irq_end
1: lw a1, FAR_DMA_STATUS(s5)
  say a1
  sw zero, FAR_DMA_CLEAR(s5)
  li s9, 1
  j irq_end
"""
    near = """
  run
1: lw t0, NEAR_STATUS(s5)
  andi t0, t0, 1
  beqz t0, 1b
  li t0, 0x1
  sw t0, NEAR_BELL_RING(s5)   // not enabled
  li t0, 0x4
  sw t0, NEAR_BELL_RING(s5)
  sw t0, NEAR_WORD(s5)
  relay
  end
"""
    result = run(core, near, _FAR_IRQ + far, far_period=period, max_cycles=1_000_000)
    assert (marks(result), result.exit_status) == ([17, 5, 7, 16, 2], 0)


# Processor 0's interrupt of the lines: logs which line and which bells, and clears both.
_NEAR_IRQ = """
  j main
#if STANDARD
.balign 256
vectors:
  .rept 16
  j .
  .endr
  j handle
.macro irqs_on
  la t0, vectors + 1
  csrw mtvec, t0
  li t0, 1 << 16
  csrw mie, t0
  csrsi mstatus, 8
.endm
irq_entry:
#else
.macro irqs_on
  li t0, ~0x80
  maskirq 0, 5
.endm
irq_entry:
#endif
handle:
  lw a0, LINE_PENDING(s1)
  sw a0, LINE_CLEAR(s1)
  lw a1, NEAR_BELL_PENDING(s5)
  sw a1, NEAR_BELL_CLEAR(s5)
  sw a0, MARK(s1)
  sw a1, MARK(s1)
#if STANDARD
  mret
#else
  retirq
#endif
main:
"""


@cores
@clocks
def test_interrupt_of_processor_0(core: str, period: int) -> None:
    """Line 4; a bell that rings again while it is handled is a new edge."""
    near = """
  li t0, 0x10
  sw t0, LINE_ENABLE(s1)
  li t0, 0x3
  sw t0, NEAR_BELL_ENABLE(s5)
  irqs_on
  run
  relay
  end
"""
    far = """
  li t0, 4                    // not enabled
  sw t0, FAR_BELL_RING(s5)
  li t0, 1
  sw t0, FAR_BELL_RING(s5)
  li t0, 2000
1: addi t0, t0, -1
  bnez t0, 1b
  li t0, 2
  sw t0, FAR_BELL_RING(s5)
  li t0, 2000
1: addi t0, t0, -1
  bnez t0, 1b
  end
"""
    result = run(core, _NEAR_IRQ + near, _FAR + far, far_period=period, max_cycles=1_000_000)
    assert (marks(result), result.exit_status) == ([0x10, 5, 0x10, 2], 0)


@cores
@clocks
def test_transfer(core: str, period: int) -> None:
    """1000 words down and up again by the DMA: what processor 0 reads is what it wrote."""
    near = """
  run
  li s6, 0xE2100000
  li t0, 0
  li t1, 1000
1: slli t2, t0, 7
  xor t2, t2, t0
  sw t2, 0(s6)
  addi s6, s6, 4
  addi t0, t0, 1
  bne t0, t1, 1b
  li t0, 1
  sw t0, NEAR_BELL_RING(s5)
  relay
  li s6, 0xE2200000
  li t0, 0
  li t1, 1000
  li t4, 0
1: slli t2, t0, 7
  xor t2, t2, t0
  lw t3, 0(s6)
  xor t2, t2, t3
  or t4, t4, t2
  addi s6, s6, 4
  addi t0, t0, 1
  bne t0, t1, 1b
  sw t4, MARK(s1)
  end
"""
    far = f"""
1: lw t0, FAR_BELL_PENDING(s5)
  beqz t0, 1b
  li t0, {_descriptor("down", 1000, False):#x}
  sw t0, 0(s2)
  li t1, 0x40001000
  sw t1, 4(s2)
  sw zero, 8(s2)
  li t0, {_descriptor("up", 1000):#x}
  sw t0, 12(s2)
  sw t1, 16(s2)
  sw zero, 20(s2)
  sw s2, FAR_DMA_LIST(s5)
1: lw t0, FAR_DMA_STATUS(s5)
  andi t1, t0, 2
  beqz t1, 1b
  say t0
  lw t0, FAR_DOWN_BYTES(s5)
  say t0
  lw t0, FAR_UP_BYTES(s5)
  say t0
  end
"""
    result = run(core, near, _FAR + far, far_period=period, max_cycles=1_000_000)
    assert (marks(result), result.exit_status) == ([2, 4000, 4000, 0], 0)


def _descriptor(op: str, words: int, last: bool = True) -> int:
    return words | _SPEC.enums["dma_op"][op][0] << 28 | int(last) << 31


@cores
@pytest.mark.parametrize("period", [1000, 1370])
def test_hold_in_mid_transfer(core: str, period: int) -> None:
    """Processor 1 is held while its DMA works, and starts anew; processor 0 is told that it was cut short."""
    near = """
  run
1: lw t0, NEAR_FAR_WORD(s5)
  beqz t0, 1b
  sw zero, NEAR_CONTROL(s5)
1: lw t0, NEAR_STATUS(s5)
  andi t0, t0, 1
  bnez t0, 1b
  lw t0, NEAR_ERROR(s5)
  sw t0, MARK(s1)
  sw t0, NEAR_ERROR(s5)
  lw t0, NEAR_ERROR(s5)
  sw t0, MARK(s1)
  lw t0, NEAR_FAR_WORD(s5)
  sw t0, MARK(s1)
  li t0, 1
  sw t0, NEAR_WORD(s5)
  run
  relay
  end
"""
    far = f"""
  lw t0, FAR_NEAR_WORD(s5)
  bnez t0, 2f
  li t0, {_descriptor("down", 8192):#x}
  sw t0, 0(s2)
  li t1, 0x40001000
  sw t1, 4(s2)
  sw zero, 8(s2)
  sw s2, FAR_DMA_LIST(s5)
  li t0, 1
  sw t0, FAR_WORD(s5)
  j .
2: lw t0, FAR_DMA_STATUS(s5)
  say t0
  lw t0, FAR_DOWN_BYTES(s5)
  say t0
  end
"""
    result = run(core, near, _FAR + far, far_period=period)
    assert (marks(result), result.exit_status) == ([8, 0, 0, 0, 0], 0)


@cores
def test_far_clock_stands_still(core: str) -> None:
    """Processor 0 goes on, gets no answer and no bus error, and can tell by the words that do not change."""
    near = """
  run
  relay
1: lw t0, CYCLE(s1)
  li t1, 5000
  bltu t0, t1, 1b
  li t0, 1
  sw t0, NEAR_BELL_RING(s5)
  sw t0, NEAR_WORD(s5)
  lw s6, NEAR_FAR_WORD(s5)
  li s7, 500
1: addi s7, s7, -1
  bnez s7, 1b
  lw t0, NEAR_FAR_WORD(s5)
  sub t0, t0, s6
  sw t0, MARK(s1)
  sw zero, NEAR_CONTROL(s5)
  li s7, 500
1: addi s7, s7, -1
  bnez s7, 1b
  lw t0, NEAR_STATUS(s5)
  andi t0, t0, 1
  sw t0, MARK(s1)
  end
"""
    far = """
  li t5, -1
  say t5
1: lw t0, CYCLE(s1)
  sw t0, FAR_WORD(s5)
  j 1b
"""
    result = run(core, near, _FAR + far, far_stop=4000, watch=(0x1000_0080,))
    assert result.exit_status == 0
    assert marks(result) == [0, 1]  # it cannot even be held, as its clock does not tick
    assert marks(run(core, near, _FAR + far))[1] == 0


# From the store that rings a bell to the first instruction of the other processor's handler, at equal clocks:
# the least and the most of 16 times. Down: processor 0 rings; up: processor 1.
BELLS = {"standard": {"down": (7, 8), "up": (10, 11)}, "economy": {"down": (16, 16), "up": (17, 17)}}


@cores
def test_cycles_from_bell_to_handler(core: str) -> None:
    near = """
  li t0, 0x10
  sw t0, LINE_ENABLE(s1)
  li t0, 1
  sw t0, NEAR_BELL_ENABLE(s5)
  irqs_on
  run
  li s6, 16
  j 2f
1: li t0, 40
3: addi t0, t0, -1
  bnez t0, 3b
  li t0, 1
ring_down: sw t0, NEAR_BELL_RING(s5)
  li s7, 0
  .balign 4
3: beqz s7, 3b
  addi s6, s6, -1
2: bnez s6, 1b
  end
"""
    far = """
  irqs_on
  li t0, 1
  sw t0, FAR_BELL_ENABLE(s5)
  .balign 4
  j .
on_irq:
  li t0, 1
  sw t0, FAR_BELL_CLEAR(s5)
  li t1, 50
1: addi t1, t1, -1
  bnez t1, 1b
  nop
  nop
ring_up: sw t0, FAR_BELL_RING(s5)
  j irq_end
"""
    near_irq = _NEAR_IRQ.replace("  sw a1, MARK(s1)\n", "  li s7, 1\n")
    images = {
        0: assemble(_NEAR + near_irq + near, core),
        1: assemble(_FAR_IRQ + far, core, rom=True),
    }
    labels = [(0, "ring_down"), (1, "bell_entry"), (1, "ring_up"), (0, "handle")]
    at = [elf.address(images[cpu].with_suffix(".elf"), label) for cpu, label in labels]
    result = run(core, near_irq + near, _FAR_IRQ + far, watch=tuple(at))
    seen: list[list[int]] = [[], [], [], []]
    for event in result.events:
        if event.kind >= Kind.WATCH and event.cpu == labels[event.kind - Kind.WATCH][0]:
            seen[event.kind - Kind.WATCH].append(event.cycle)
    assert result.exit_status == 0 and [len(cycles) for cycles in seen] == [16] * 4
    down = [came - rang for rang, came in zip(seen[0], seen[1], strict=True)]
    up = [came - rang for rang, came in zip(seen[2], seen[3], strict=True)]
    assert {"down": (min(down), max(down)), "up": (min(up), max(up))} == BELLS[core]


@cores
def test_processor_1_that_stops_for_good(core: str) -> None:
    """An illegal instruction without a handler: the simulation goes on, and the next start is a new one."""
    near = """
  run
  li s7, 500
1: addi s7, s7, -1
  bnez s7, 1b
  lw t0, NEAR_FAR_WORD(s5)
  sw t0, MARK(s1)
  sw zero, NEAR_CONTROL(s5)
1: lw t0, NEAR_STATUS(s5)
  andi t0, t0, 1
  bnez t0, 1b
  li t0, 1
  sw t0, NEAR_WORD(s5)
  run
  relay
  end
"""
    far = """
  li t0, 7
  sw t0, FAR_WORD(s5)
  lw t0, FAR_NEAR_WORD(s5)
  bnez t0, 1f
  .word 0
1: say t0
  end
"""
    result = run(core, near, _FAR + far)
    assert (marks(result), result.exit_status) == ([7, 1], 0)


@cores
def test_doctor(core: str) -> None:
    """What an RTOS needs is there on the side of processor 0; PicoRV32 cannot show one of it to a program."""
    findings = doctor.probe(platform.load(f"backdoor-{core}"), "hw")
    assert len(findings) == 6 and all(finding.ok or not finding.required for finding in findings)
    untried = [finding.what[:3] for finding in findings if not finding.ok]
    assert untried == (["(c)"] if core == "economy" else [])


def test_options_need_a_backdoor() -> None:
    model = verilate.build_model(platform.load("smp-economy", 1))
    program = assemble("  sw zero, EXIT(s1)\n  j .\n", "economy")
    for options in ({"far_period": 999}, {"far_stop": 5}, {"loader": program}):
        with pytest.raises(UserError, match="this platform has no Back-Door"):
            simulate.run(model, program, simulate.Options(max_cycles=100, **options))


@pytest.mark.parametrize("period", [0, 1_000_001])
def test_wrong_period(period: int) -> None:
    with pytest.raises(UserError, match=f"--far-period must be from 1 to 1000000, not {period}"):
        run("economy", "  end", _FAR + "  end", far_period=period)
