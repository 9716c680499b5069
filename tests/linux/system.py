# SPDX-License-Identifier: Apache-2.0
"""Programs that call parts of coreloom exclusive, and machines of files for them."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from coreloom.paths import LINUX
from coreloom.programs import bpf, registry
from coreloom.toolchain import native
from linux.tree import Machine, Task


def driver(name: str) -> Path:
    """The program NAME_driver.c with all of coreloom exclusive but its main()."""
    sources = [path for path in registry.sources("exclusive") if path.suffix == ".c"]
    sources = [path for path in sources if path.name != "main.c"]
    return native.static(f"{name}_driver", [*sources, Path(__file__).with_name(f"{name}_driver.c")])


_HERE = Path(__file__).parent


def lagmeter() -> Path:
    """lagmeter without its BPF source, for which libbpf is needed: it samples /proc."""
    sources = [path for path in registry.sources("lagmeter") if path.suffix == ".c"]
    folders = (LINUX / "lagmeter", LINUX / "user")
    sources = [path for path in sources if path.parent in folders and not path.name.endswith("bpf.c")]
    return native.executable("lagmeter_no_bpf", [*sources, _HERE / "no_bpf.c"], bpf._HOST)


def scx_dwrr() -> Path:
    """scx_dwrr with a loader of BPF programs that only says what it is to do (loader_driver.c)."""
    folder, stand_in = LINUX / "scx_dwrr", _HERE / "no_bpf"
    sources = [folder / "scx_dwrr.c", folder / "stats.c", _HERE / "loader_driver.c"]
    flags = [f"-I{stand_in}", f"-I{stand_in / 'bpf'}", f"-I{LINUX / 'bpf'}", '-DOBJECT="/dev/null"']
    flags += ["-include", str(stand_in / "socket.h")]
    return native.executable("scx_dwrr_no_bpf", sources, bpf._HOST, flags)


@contextlib.contextmanager
def machine_of(tasks: list[Task]) -> Iterator[Machine]:
    """A tree with these tasks at a short path, as the address of a socket has room for 107 characters."""
    with tempfile.TemporaryDirectory(prefix="cl-") as name:
        machine = Machine(Path(name), tasks=tasks)
        machine.make()
        machine.write("/proc/sys/kernel/random/boot_id", "c0de100d-c0de-100d-c0de-100dc0de100d\n")
        yield machine


_STRANGER = """
import os, socket, sys
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
for name in sys.argv[1:]:
    one = socket.socket(socket.AF_UNIX)
    one.bind(name.replace("@", "\\0"))
    one.listen(1)
    globals()[name] = one
print("listening", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def stranger(*names: str) -> Iterator[None]:
    """Another user's sockets, to which nobody answers."""
    command = [sys.executable, "-c", _STRANGER, *names]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "listening\n"
        yield
        process.stdin.close()
