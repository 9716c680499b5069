# SPDX-License-Identifier: Apache-2.0
"""The virtual machine: QEMU's options, what comes back, what a mistake says; and guests that boot."""

from __future__ import annotations

import dataclasses
import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.command import run as command
from coreloom.errors import UserError
from coreloom.paths import LINUX
from coreloom.toolchain import native
from coreloom.vm import image, kernel, qemu, vm
from coreloom.vm.kernel import Kernel

_MACHINE = qemu.Machine(Path("vmlinux"), Path("initrd"), Path("log"), Path("output"), Path("result"))
_KERNEL = "console=ttyS0 panic=-1 nokaslr mitigations=off random.trust_cpu=1 quiet loglevel=4 tsc=reliable"


def _options(text: str, parameters: str) -> list[str]:
    return [parameters if word == "PARAMETERS" else word for word in text.split()]


def test_qemu_for_tests() -> None:
    assert qemu.arguments(_MACHINE) == _options(
        "-accel tcg,thread=multi -machine q35 "
        "-cpu max -smp 4,sockets=1,cores=4,threads=1 -m 1024 "
        "-nodefaults -no-user-config -display none -no-reboot "
        "-kernel vmlinux -initrd initrd -append PARAMETERS -serial file:log "
        "-device virtio-serial-pci "
        "-chardev file,id=output,path=output -device virtserialport,chardev=output,name=output "
        "-chardev file,id=result,path=result -device virtserialport,chardev=result,name=result",
        _KERNEL,
    )


def test_qemu_for_figures() -> None:
    machine = dataclasses.replace(
        _MACHINE, cpus=8, smt=True, memory_mb=512, deterministic=True, seed=7, parameters=("more",)
    )
    assert qemu.arguments(machine) == _options(
        "-accel tcg,thread=single -icount shift=0,sleep=off -seed 7 -rtc base=2026-01-01,clock=vm "
        "-machine q35,sata=off,smbus=off,usb=off,vmport=off,i8042=off "
        "-cpu max,topoext=on -smp 8,sockets=1,cores=4,threads=2 -m 512 "
        "-nodefaults -no-user-config -display none -no-reboot "
        "-kernel vmlinux -initrd initrd -append PARAMETERS -serial file:log "
        "-serial file:output -serial file:result",
        f"{_KERNEL} norandmaps more",
    )


_ASK = """
import ctypes
at = (ctypes.c_long * 2)()
for _ in range(2):
    ctypes.CDLL(None).gettimeofday(at, None)
    print(*at)
"""


def test_for_figures_qemu_has_a_clock_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"QEMU_MODULE_DIR": "here"}
    monkeypatch.setattr(qemu, "get", lambda: qemu.Qemu(("qemu",), "10.0.13", own))
    assert qemu.environment(_MACHINE) == own
    asked = qemu.environment(dataclasses.replace(_MACHINE, deterministic=True))
    assert asked == {**own, "LD_PRELOAD": asked["LD_PRELOAD"]}
    said = subprocess.run(
        [sys.executable, "-c", _ASK], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert said.stdout == "0 1000\n0 2000\n"


_BUDGETS = """
import ctypes
budget = ctypes.CDLL(None).icount_percpu_budget
budget.restype = ctypes.c_int64
print(*map(budget, (1, 4, 64)))
"""


def test_at_a_constant_rate_a_turn_has_one_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qemu, "get", lambda: qemu.Qemu(("qemu",), "10.0.13"))
    machine = dataclasses.replace(_MACHINE, deterministic=True, constant_rate=True)
    assert f"{_KERNEL} norandmaps idle=poll" in qemu.arguments(machine)
    preload = qemu.environment(machine)["LD_PRELOAD"]
    assert preload == f"{qemu.preloaded(qemu.STEADY)}:{qemu.preloaded(qemu.TURNS)}"
    source = tmp_path / "qemu.c"
    source.write_text("long icount_percpu_budget(int cpus) { return 1000000 / cpus; }\n")
    its = native.executable("qemu.so", [source], ("-shared", "-fPIC"))
    run = [sys.executable, "-c", _BUDGETS]
    for before, budgets in ((str(its), "1000000 250000 15625"), (f"{preload}:{its}", "10000 10000 10000")):
        said = subprocess.run(run, env={**os.environ, "LD_PRELOAD": before}, capture_output=True, text=True)
        assert (said.stdout, said.stderr, said.returncode) == (f"{budgets}\n", "", 0)


def test_a_constant_rate_in_a_qemu_that_has_no_turns() -> None:
    preload = {"LD_PRELOAD": str(qemu.preloaded(qemu.TURNS))}
    said = subprocess.run(
        ["true"], env={**os.environ, **preload}, capture_output=True, text=True, check=False
    )
    assert (said.returncode, said.stderr) == (
        1,
        "a constant rate needs a QEMU that loads modules, as Debian's: take this one out of PATH\n",
    )


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("QEMU emulator version 10.0.13 (Debian 1:10.0.13+ds-0+deb13u1)\nCopyright", (10, 0, 13)),
        ("QEMU emulator version 7.2.19\n", (7, 2, 19)),
        ("something else", ()),
    ],
)
def test_version_of_qemu(said: str, version: tuple[int, ...]) -> None:
    assert qemu.parse_version(said) == version


def _archive(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def test_what_comes_back() -> None:
    sent = _archive({"./a": b"end\n", "./b/c": b"\0\xff", "./../d": b"out of it"})
    assert vm.parse_result(b"begin\nexit 3\n" + sent + b"end\n") == (3, {"a": b"end\n", "b/c": b"\0\xff"})


def test_what_cannot_be_read() -> None:
    with pytest.raises(vm.GuestError) as caught:
        vm.parse_result(b"begin\nhello\nend\n")
    assert str(caught.value) == "the guest's result cannot be read: the script wrote to its channel"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"cpus": 65}, "a guest has 1 to 64 CPUs, not 65"),
        ({"cpus": 3, "smt": True}, "with two threads per core the number of CPUs must be even, not 3"),
        ({"cgroup": "v3"}, "unknown guest cgroup 'v3': choose one of v2, v1, none"),
        ({"constant_rate": True}, "a constant rate needs a deterministic run: choose both"),
        ({"cgroup": "v1"}, "kernel 7.3.4-cloud has no cgroup v1 cpusets: choose kernel 6.1"),
    ],
)
def test_a_machine_that_cannot_be(
    options: dict[str, Any], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "get", lambda choice: Kernel("7.3.4-cloud", Path("v"), Path("c"), ()))
    with pytest.raises(UserError) as caught:
        vm.run(vm.Guest(), "true", **options)
    assert str(caught.value) == text


# --- a QEMU of the tests' own: a shell script that is given the names of the files to write ------


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], vm.Outcome]:
    """Runs the text in QEMU's place, with $boot 1, 2 and so on, and files $log, $output, $result."""
    config = tmp_path / "config"
    config.write_text("")
    monkeypatch.setattr(kernel, "get", lambda choice: Kernel("7", config, config, ()))
    monkeypatch.setattr(image, "base", dict)

    def run(text: str, timeout: float = 60) -> vm.Outcome:
        script = f"""
            echo >>{tmp_path}/boots; boot=$(($(wc -l <{tmp_path}/boots)))
            for word in "$@"; do case $word in
                file:*) log=${{word#file:}};; file,id=output,*) output=${{word#*path=}};;
                file,id=result,*) result=${{word#*path=}};;
            esac; done
            {text}
        """
        monkeypatch.setattr(qemu, "get", lambda: qemu.Qemu(("sh", "-c", script, "qemu"), "10"))
        return vm.run(vm.Guest(), "true", timeout=timeout)

    return run


_WHOLE = """echo out >$output
echo begin >$result; echo exit 2 >>$result; tar -c -T /dev/null >>$result; echo end >>$result"""


def test_a_boot_that_breaks_is_tried_again(fake: Callable[[str], vm.Outcome]) -> None:
    outcome = fake(f"if [ $boot = 1 ]; then echo Kernel panic >$log; else {_WHOLE}; fi")
    assert (outcome.status, outcome.stdout, outcome.files) == (2, "out\n", {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo boot $boot >$log", "the guest stopped by itself before the script began:\nboot 2"),
        (":", "the guest stopped by itself before the script began:\n(nothing was printed)"),
        (
            "echo begin >$result; echo out $boot >$output; printf 'a\nKernel panic\nb\n' >$log",
            "the guest stopped by itself before the script ended:\nout 1\nKernel panic\nb",
        ),
        ("echo no memory >&2; exit 1", "QEMU 10 failed: no memory"),
        (
            "echo out $boot >$output; echo assertion >&2; kill -KILL $$",
            "the guest lost QEMU 10 (assertion) before the script began:\nout 2",
        ),
    ],
)
def test_a_guest_without_an_end(fake: Callable[[str], vm.Outcome], text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        fake(text)
    assert str(caught.value) == said


# --- the command -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        ([], 1, "coreloom: error: no command for the guest: give one after --, as coreloom vm -- uname -a"),
        (["--list", "--", "ls"], 1, "coreloom: error: --list runs no command: leave it out"),
        (["--prepare", "--", "ls"], 1, "coreloom: error: --prepare runs no command: leave it out"),
        (
            ["--file", "a", "--", "ls"],
            2,
            "coreloom vm: error: argument --file: must be GUEST=HOST, not 'a' (see coreloom vm --help)",
        ),
        (
            ["--kernel", "5", "--", "ls"],
            1,
            "coreloom: error: unknown guest kernel '5': choose one of 7, 6.18, 6.1",
        ),
        (
            ["--output", __file__, "--", "ls"],
            1,
            f"coreloom: error: {__file__} is not a folder: give another --output",
        ),
    ],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, line: str) -> None:
    assert command(capsys, "vm", *arguments) == (code, "", f"{line}\n")


def test_the_command_ends_with_the_guest_s_status(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[Any] = []

    def run(guest: vm.Guest, script: str, **options: Any) -> vm.Outcome:
        seen.extend((dict(guest.files), script, options["cpus"], options["smt"], options["deterministic"]))
        options["on_output"]("said\n")
        return vm.Outcome(5, "said\n", {"a/b": b"left"})

    monkeypatch.setattr(vm, "run", run)
    arguments = ["--cpus", "2", "--smt", "--file", "/x=y=z", "--output", str(tmp_path / "o")]
    assert command(capsys, "vm", *arguments, "--", "sh", "-c", "a b") == (5, "said\n", "")
    assert seen == [{"/x": Path("y=z")}, "exec sh -c 'a b'\n", 2, True, False]
    assert (tmp_path / "o/a/b").read_bytes() == b"left"


# --- guests that boot --------------------------------------------------------------------------


@pytest.mark.linux
def test_checks_in_one_boot() -> None:
    guest = vm.Guest({"/bin/twice": b'#!/bin/sh\necho "$1 $1"\nexit 4\n'})
    checks = {
        "a program of ours": "twice x",
        "both channels": "echo out; echo err >&2",
        "it ends by a signal": "kill -9 $$",
        "it takes too long": "echo first; exec sleep 60",
        "CPUs": "cat /sys/devices/system/cpu/online",
        "threads of a core": "cat /sys/devices/system/cpu/cpu[01]/topology/thread_siblings_list",
        "cgroup v2": "cd /sys/fs/cgroup; echo +cpuset >cgroup.subtree_control; mkdir a; ls a/cpuset.cpus",
        "sched_ext": "cat /sys/kernel/sched_ext/state",
        "no input": "cat; pwd; id -u",
    }
    assert vm.run_checks(guest, checks, smt=True, seconds=3) == {
        "a program of ours": (4, "x x\n"),
        "both channels": (0, "out\nerr\n"),
        "it ends by a signal": (137, ""),
        "it takes too long": (143, "first\n"),
        "CPUs": (0, "0-3\n"),
        "threads of a core": (0, "0-1\n0-1\n"),
        "cgroup v2": (0, "a/cpuset.cpus\n"),
        "sched_ext": (0, "disabled\n"),
        "no input": (0, "/root\n0\n"),
    }


@pytest.mark.linux
@pytest.mark.nightly
def test_cgroup_v1() -> None:
    shown: list[str] = []
    outcome = vm.run(
        vm.Guest(),
        "echo said; cd /sys/fs/cgroup; ls; mkdir /out/d; cat cpuset/cpuset.cpus >/out/d/cpus; exit 9",
        kernel="6.1",
        cgroup="v1",
        cpus=2,
        on_output=shown.append,
    )
    assert (outcome.status, outcome.stdout, outcome.files) == (9, "said\ncpu\ncpuset\n", {"d/cpus": b"0-1\n"})
    assert "".join(shown) == outcome.stdout


@pytest.mark.linux
@pytest.mark.nightly
def test_the_older_kernel_with_sched_ext() -> None:
    outcome = vm.run(vm.Guest(), "uname -r | cut -d. -f1-2; cat /sys/kernel/sched_ext/state", kernel="6.18")
    assert (outcome.status, outcome.stdout) == (0, "6.18\ndisabled\n")


_SHARES = """
for i in 1 2 3 4 5; do (while :; do :; done) & all="$all $!"; done
sleep 1
for i in $all; do cat /proc/$i/schedstat; done
kill $all
cat /proc/uptime /proc/interrupts; head -c 16 /dev/urandom | od -x
head -c 100000 /dev/urandom >/out/noise
"""


@pytest.mark.linux
@pytest.mark.nightly
def test_a_deterministic_run_is_the_same_again() -> None:
    runs = [vm.run(vm.Guest(), _SHARES, deterministic=True, seed=seed) for seed in (1, 1, 2)]
    seen = [(run.status, run.stdout, run.files) for run in runs]
    assert seen[0] == seen[1]
    assert seen[0][1] != seen[2][1]
    assert [len(run.files["noise"]) for run in runs] == [100000] * 3


_RATE = """
for cpu in 0 1 2 3; do start -c $cpu rate; done
for cpu in 0 1 2 3; do start -c $cpu rate & done; wait
"""


@pytest.mark.linux
@pytest.mark.nightly
def test_a_constant_rate() -> None:
    sources = {"rate": Path(__file__).parent / "rate.c", "start": LINUX / "vm" / "programs" / "start.c"}
    programs = {f"/usr/bin/{name}": native.static(name, [source]) for name, source in sources.items()}
    outcome = vm.run(vm.Guest(programs), _RATE, deterministic=True, constant_rate=True)
    assert [float(rate) for rate in outcome.stdout.split()] == pytest.approx([1 / 4] * 8, rel=0.03)


@pytest.mark.linux
@pytest.mark.nightly
def test_a_guest_that_breaks() -> None:
    with pytest.raises(vm.GuestError) as caught:
        vm.run(vm.Guest(), "echo first; echo c >/proc/sysrq-trigger; sleep 60", cpus=1)
    lines = str(caught.value).splitlines()
    assert lines[:2] == ["the guest stopped by itself before the script ended:", "first"]
    assert lines[2].endswith("Kernel panic - not syncing: sysrq triggered crash")


@pytest.mark.linux
@pytest.mark.nightly
def test_a_guest_that_takes_too_long() -> None:
    with pytest.raises(vm.GuestError) as caught:
        vm.run(vm.Guest(), "echo first; sleep 600", cpus=1, timeout=20)
    assert str(caught.value).splitlines()[:2] == [
        "the guest was stopped after 20 seconds, before the script ended:",
        "first",
    ]


@pytest.mark.linux
@pytest.mark.nightly
def test_a_program_of_debian() -> None:
    outcome = vm.run(vm.Guest(programs=["lame"]), "lame --version | head -n 1", cpus=1)
    assert (outcome.status, outcome.stdout) == (0, "LAME 64bits version 3.100 (http://lame.sf.net)\n")
