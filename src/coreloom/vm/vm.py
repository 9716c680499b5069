# SPDX-License-Identifier: Apache-2.0
"""A virtual machine with a Debian kernel: runs a script as root, on any host, without root there.

linux/vm/README.md says what the guest has.
"""

from __future__ import annotations

import dataclasses
import io
import os
import re
import shlex
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coreloom.errors import UserError, suggest
from coreloom.files import file_lock
from coreloom.paths import LINUX
from coreloom.toolchain import debian
from coreloom.vm import image, qemu
from coreloom.vm import kernel as linux_kernel

INIT = LINUX / "vm" / "init"
WORK = LINUX / "vm" / "work"
CGROUPS = ("v2", "v1", "none")
MAX_CPUS = 64
_POLL_SECONDS = 0.02
_LOG_LINES = 12
_BOOT_TRIES = 2
# The emulator runs a jump label that another CPU is patching: one guest in some hundreds, never a machine.
_EMULATOR = "Oops: int3"
_BROKE = re.compile(r"Kernel panic|BUG:|Oops|Unable to mount")


class GuestError(UserError):
    """The guest did not finish; with the last lines of its kernel."""


@dataclass(frozen=True)
class Guest:
    """The contents of the guest besides busybox."""

    # Place in the guest: file or folder of the host, or content. Content that begins with #! is executable.
    files: Mapping[str, Path | bytes] = field(default_factory=dict)
    packages: Sequence[str] = ()  # of Debian, with all that they depend on
    programs: Sequence[str] = ()  # likewise, but of what they depend on only the libraries that they load
    suite: str = "trixie"  # of both
    without: Sequence[str] = ()  # their files that are left out, as patterns: usr/share/*
    # Program that init becomes instead of /vm/work, which runs the script; this one has to start /vm/work.
    first: str = ""


@dataclass(frozen=True)
class Outcome:
    status: int  # of the script
    stdout: str  # and stderr
    files: dict[str, bytes]  # what the script left below /out, by relative path


def last_line(said: str) -> str:
    """The last line of an output, for error messages."""
    lines = said.strip().splitlines()
    return lines[-1] if lines else "no output"


def prepare(kernels: Sequence[str] = linux_kernel.USUAL) -> None:
    """Fetch all that a guest needs; what is already here takes no time."""
    qemu.get()
    image.base()
    for choice in kernels:
        linux_kernel.get(choice)


def cached() -> list[str]:
    """What prepare would fetch and is already here, one per line."""
    lines = [
        f"kernel {choice}: {linux_kernel.chosen(choice) or 'not fetched'}" for choice in linux_kernel.CHOICES
    ]
    folders = [path for path in debian.store().glob("*") if not path.name.startswith(".")]
    emulators = [
        path.name.removeprefix("qemu-system-x86_") for path in folders if path.match("qemu-system-x86_*")
    ]
    return [*lines, f"Debian's QEMU: {', '.join(emulators) or 'not fetched'}", f"packages: {len(folders)}"]


def run(
    guest: Guest,
    script: str,
    *,
    cpus: int = 4,
    memory_mb: int = 1024,
    smt: bool = False,
    deterministic: bool = False,
    constant_rate: bool = False,
    seed: int = 1,
    kernel: str = "7",
    cgroup: str = "v2",
    timeout: float = 120,
    on_output: Callable[[str], None] | None = None,
) -> Outcome:
    """Boot, run a shell script as root, switch off. GuestError if it does not finish.

    timeout: seconds of the host for the boot and the script. on_output: called with the script's output as it
    comes. A boot that fails before the script begins is tried once more. constant_rate: only deterministic.
    """
    chosen = linux_kernel.get(kernel)
    _check(chosen, cpus, smt, cgroup)
    if constant_rate and not deterministic:
        raise UserError("a constant rate needs a deterministic run: choose both")
    with tempfile.TemporaryDirectory(prefix="coreloom-vm-") as name:
        work = Path(name)
        machine = qemu.Machine(
            _polling(chosen, kernel) if constant_rate else chosen.vmlinux,
            work / "initrd",
            work / "kernel",
            work / "output",
            work / "result",
            cpus,
            memory_mb,
            smt,
            deterministic,
            constant_rate,
            seed,
            (
                f"vm_cgroup={cgroup}",
                f"vm_stream={int(not deterministic)}",
                *([f"vm_init={guest.first}"] if guest.first else []),
            ),
        )
        _write_image(machine.initrd, guest, script, chosen)
        for tries_left in reversed(range(_BOOT_TRIES)):
            begun, reason = _boot(machine, timeout, on_output)
            if tries_left == 0 or (begun and _EMULATOR not in _last(machine)):
                break
        result = machine.result.read_bytes() if machine.result.exists() else b""
        output = _text(machine.output)
        if not begun or not result.endswith(b"end\n"):
            where = "before the script ended" if begun else "before the script began"
            raise GuestError(f"the guest {reason} {where}:\n{_last(machine)}")
        status, files = parse_result(result)
        return Outcome(status, output, files)


def run_checks(
    guest: Guest,
    checks: Mapping[str, str],
    *,
    seconds: int = 30,
    timeout: float = 300,
    cpus: int = 4,
    memory_mb: int = 1024,
    smt: bool = False,
    kernel: str = "7",
    cgroup: str = "v2",
) -> dict[str, tuple[int, str]]:
    """Run named shell texts one after the other in one boot: the status and the output of each.

    Each has a shell of its own. One that takes more than `seconds` of the guest is ended (status 143).
    """
    files = {f"/vm/checks/{number}": text.encode() for number, text in enumerate(checks.values())}
    lines = ["mkdir /out/checks", "cd /out/checks"]
    for number, name in enumerate(checks):
        lines.append(f"echo {shlex.quote(f'check: {name}')}")
        lines.append(f"(cd /root; timeout {seconds} sh /vm/checks/{number}) >{number}.output 2>&1 </dev/null")
        lines.append(f"echo $? >{number}.status")
    outcome = run(
        dataclasses.replace(guest, files={**guest.files, **files}),
        "\n".join(lines) + "\n",
        cpus=cpus,
        memory_mb=memory_mb,
        smt=smt,
        kernel=kernel,
        cgroup=cgroup,
        timeout=timeout,
    )
    return {
        name: (
            int(outcome.files[f"checks/{number}.status"]),
            outcome.files[f"checks/{number}.output"].decode(errors="replace"),
        )
        for number, name in enumerate(checks)
    }


def parse_result(result: bytes) -> tuple[int, dict[str, bytes]]:
    """The script's status and files, from what init wrote: begin, exit N, a tar archive, end."""
    found = re.match(rb"begin\nexit (\d+)\n", result)
    if found is None:
        raise GuestError("the guest's result cannot be read: the script wrote to its channel")
    archive = io.BytesIO(result[found.end() : -len(b"end\n")])
    files = {}
    with tarfile.open(fileobj=archive, mode="r:") as members:
        for member in members:
            name = member.name.removeprefix("./")
            if member.isfile() and ".." not in name.split("/") and (content := members.extractfile(member)):
                files[name] = content.read()
    return int(found.group(1)), files


def _check(chosen: linux_kernel.Kernel, cpus: int, smt: bool, cgroup: str) -> None:
    if not 1 <= cpus <= MAX_CPUS:
        raise UserError(f"a guest has 1 to {MAX_CPUS} CPUs, not {cpus}")
    if smt and cpus % 2:
        raise UserError(f"with two threads per core the number of CPUs must be even, not {cpus}")
    if cgroup not in CGROUPS:
        raise UserError(f"unknown guest cgroup '{cgroup}': {suggest(cgroup, CGROUPS)}")
    if cgroup == "v1" and not chosen.release.startswith("6.1."):
        raise UserError(f"kernel {chosen.release} has no cgroup v1 cpusets: choose kernel 6.1")


def _polling(chosen: linux_kernel.Kernel, choice: str) -> Path:
    """The kernel for a constant rate, made once: PAUSE would hand what an idle CPU has to the others."""
    target = chosen.vmlinux.with_name("vmlinux-polling")
    with file_lock(target.with_suffix(".lock")):
        if not target.exists():
            found = run(Guest(), linux_kernel.FIND_IDLE_LOOP, cpus=1, kernel=choice).stdout
            partial = target.with_suffix(".partial")
            partial.write_bytes(linux_kernel.without_pause(chosen.vmlinux.read_bytes(), found))
            partial.replace(target)
    return target


def _write_image(target: Path, guest: Guest, script: str, chosen: linux_kernel.Kernel) -> None:
    entries = image.base()
    whole = debian.packages(guest.packages, guest.suite) if guest.packages else []
    needed = debian.packages(guest.programs, guest.suite) if guest.programs else []
    named = [folder for folder in needed if debian.name(folder) in guest.programs]
    entries |= image.of_packages([*whole, *named], needed, guest.without)
    entries |= {
        "init": image.file(INIT, executable=True),
        "vm/work": image.file(WORK, executable=True),
        "vm/script": image.file(script.encode()),
        # Where libbpf looks for it.
        f"boot/config-{chosen.release}": image.file(chosen.config),
    }
    for number, module in enumerate(chosen.modules):
        entries[f"vm/modules/{number}-{module.name}"] = image.file(module)
    image.write(target, entries | image.of_host(guest.files))


def _boot(machine: qemu.Machine, timeout: float, on_output: Callable[[str], None] | None) -> tuple[bool, str]:
    """Run QEMU to its end: whether the script began, and what ended QEMU."""
    for path in (machine.kernel_log, machine.output, machine.result):
        path.unlink(missing_ok=True)
    tool = qemu.get()
    errors = machine.output.with_name("errors")
    begun, shown = False, 0
    deadline = time.monotonic() + timeout
    with errors.open("wb") as said:
        process = subprocess.Popen(
            [*tool.command, *qemu.arguments(machine)],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            env={**os.environ, **qemu.environment(machine)},
        )
    try:
        while True:
            ended = process.poll() is not None
            begun = begun or (machine.result.exists() and machine.result.stat().st_size > 0)
            if on_output is not None:
                shown = _show(machine.output, shown, on_output)
            if ended:
                break
            if time.monotonic() > deadline:
                return begun, f"was stopped after {timeout:g} seconds,"
            time.sleep(_POLL_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode > 0:
        raise UserError(f"QEMU {tool.version} failed: {_text(errors).strip()}")
    if process.returncode < 0:  # a crash: some boots of QEMU 10 end by an assertion of its own
        return begun, f"lost QEMU {tool.version} ({_text(errors).strip()})"
    return begun, "stopped by itself"


def _show(path: Path, shown: int, on_output: Callable[[str], None]) -> int:
    """Pass on new output; whole characters only."""
    if not path.exists():
        return shown
    with path.open("rb") as file:
        file.seek(shown)
        new = file.read()
    text = new.decode(errors="ignore")
    if text:
        on_output(text)
    return shown + len(new)


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace") if path.exists() else ""


def _last(machine: qemu.Machine) -> str:
    """The last lines of the script, and the kernel's: from what broke it on, else the last."""
    said = _text(machine.kernel_log).splitlines()
    broke = [number for number, line in enumerate(said) if _BROKE.search(line)]
    kernel = said[broke[0] :][:_LOG_LINES] if broke else said[-_LOG_LINES:]
    lines = [*_text(machine.output).splitlines()[-_LOG_LINES:], *kernel]
    return "\n".join(lines) or "(nothing was printed)"
