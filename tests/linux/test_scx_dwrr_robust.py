# SPDX-License-Identifier: Apache-2.0
"""scx_dwrr on real kernels, and what may happen to it: nobody is lost, the kernel's own scheduler goes on.

The checks are in guest/dwrr.sh; each says all that its user, or the kernel's log, would see.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.paths import LINUX
from coreloom.programs import bpf
from coreloom.toolchain import native
from coreloom.vm import systemd_image, vm

pytestmark = pytest.mark.linux
_SHELL = Path(__file__).parent / "guest" / "dwrr.sh"
_PROGRAMS = ("hog", "readers", "spawn", "start", "threads")
_SECONDS = 240  # of the guest for a check, on a busy host
_ON = 'sched_ext: BPF scheduler "dwrr" enabled'
_OFF = 'sched_ext: BPF scheduler "dwrr" disabled ({})'
_BY_USER = _OFF.format("unregistered from user space")
_HOGS = ["hogs: 6 of 6, 0 of them starve", "hogs ended: 0"]
_READY = "scx_dwrr: round slice 12 ms, tick 4 ms, 4 CPUs"
_END = ["status: 0", _READY, "EXIT: unregistered from user space", "state: disabled"]
_ONCE = ["kernel:", _ON, _BY_USER]
_CPU_3 = [
    "process N (hog) no longer affine to cpu3",
    "smpboot: CPU 3 is now offline",
    "smpboot: Booting Node 0 Processor 3 APIC 0x3",
]


_ANOTHER = "another scheduler is loaded: dwrr; end it first (systemctl stop scx, or its own program)"
QUICK = {
    "ends_by_request": [*_HOGS, *_END, *_HOGS, *_END, *_ONCE, *_ONCE[1:]],
    "one_at_a_time": [f"scx_dwrr: error: {_ANOTHER}", "second: 1", "state: enabled", *_END, *_ONCE],
    "needs_root": [
        "scx_dwrr: error: needs root (CAP_BPF and CAP_PERFMON): run it with sudo",
        "status: 1",
        "scx_dwrr: error: nothing to monitor: start scx_dwrr first, it answers at "
        + "/".join(("/var/run/scx", "root", "stats")),
        "status: 1",
        "kernel:",
    ],
    "killed": ["state: disabled", *_HOGS, *_END, *_ONCE, *_ONCE[1:]],
    "switched_off": [
        "status: 1",
        _READY,
        "scx_dwrr: error: EXIT: disabled by sysrq-S",
        "state: disabled",
        *_HOGS,
        "kernel:",
        _ON,
        "sysrq: Disable sched_ext and revert all tasks to CFS",
        _OFF.format("disabled by sysrq-S"),
    ],
}
MORE = {
    # A table each, and the sums with names of their own; the socket is gone.
    "counts": [*_HOGS, *_END, "monitor: 0", "1", "2", "total:", *_ONCE],
    "stopped": [*_HOGS, "state: enabled", *_END, *_ONCE],
    "cpus_go_and_come 10": [
        *_HOGS[:1] * 11,
        *_HOGS[1:],
        "loaded anew: 0",
        *_END,
        "kernel:",
        _ON,
        *_CPU_3 * 10,
        _BY_USER,
    ],
}
# Not on 6.18, whose kernel leaves a thread that waits on the real-time thread's CPU to wait.
REALTIME = {
    "realtime_hog 10": [
        "four share three CPUs: evenly",
        "hogs: 4 of 4, 0 of them starve",
        "hogs ended: 0",
        *_END,
        *_ONCE,
    ],
}
STORMS = {
    "storm 120": ["stress-ng: 0", "successful run completed", *_END, *_ONCE],
    "newcomers 30": ["program:spawnspawned:manyrefused:0", *_END, *_ONCE],
    "long_rounds": [
        "hogs: 64 of 64, 0 of them starve",
        "hogs ended: 0",
        *(line.replace("12 ms", "1000 ms") for line in _END),
        *_ONCE,
    ],
    "fork_bomb 20": [
        _HOGS[0],
        *_HOGS,
        *_END,
        "kernel:",
        _ON,
        "cgroup: fork rejected by pids controller in /bomb",
        _BY_USER,
    ],
    "rcu_readers 20": ["hogs: 64 of 64, 0 of them starve", "hogs ended: 0", *_END, *_ONCE],
    "many_threads": [*_HOGS, "threads: 10000", *_END, *_ONCE],
}


def _guest(programs: tuple[str, ...] = ()) -> vm.Guest:
    folder = LINUX / "vm" / "programs"
    files: dict[str, Path | bytes] = {
        f"/usr/bin/{name}": native.static(name, [folder / f"{name}.c"]) for name in _PROGRAMS
    }
    files |= {"/usr/bin/scx_dwrr": bpf.program("scx_dwrr"), "/check/dwrr.sh": _SHELL}
    files["/etc/passwd"] = b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n"
    return vm.Guest(files, packages=["libc6"], programs=programs)


def _check(
    guest: vm.Guest, wanted: dict[str, list[str]], *, kernel: str = "7", memory_mb: int = 1024
) -> None:
    """Each check prints what is wanted; behind `kernel:` is what the kernel has."""
    head = ". /check/dwrr.sh; dmesg -c >/dev/null; "
    done = vm.run_checks(
        guest,
        {check: f"{head}{check}; echo kernel:; kernel_said; true" for check in wanted},
        seconds=_SECONDS,
        timeout=1500,
        kernel=kernel,
        memory_mb=memory_mb,
    )
    wrong = [
        f"{check} (status {status}):\n{output}"
        for check, (status, output) in done.items()
        if status or output.splitlines() != wanted[check]
    ]
    assert not wrong, "\n".join(wrong)


def test_it_starts_and_ends() -> None:
    _check(_guest(), QUICK)


@pytest.mark.nightly
def test_cpus_its_loader_and_its_readers_come_and_go() -> None:
    _check(_guest(), MORE | REALTIME)


@pytest.mark.nightly
def test_the_long_term_kernel() -> None:
    _check(_guest(), QUICK | MORE, kernel="6.18")


@pytest.mark.nightly
def test_storms() -> None:
    _check(_guest(("stress-ng",)), STORMS, memory_mb=3072)


@pytest.mark.nightly
def test_a_kernel_without_sched_ext_is_one_line() -> None:
    done = vm.run(_guest(), "scx_dwrr; echo status: $?; uname -r", kernel="6.1")
    *said, release = done.stdout.splitlines()
    assert said == [
        "scx_dwrr: error: this kernel has no sched_ext (CONFIG_SCHED_CLASS_EXT): "
        f"Linux {release} is too old, 6.18 or newer is needed",
        "status: 1",
    ]


_SERVICE = """
mkdir /var; ln -s /run /var/run
becomes() { until [ "$(cat /sys/kernel/sched_ext/state)" = "$1" ]; do sleep 0.1; done; }
systemctl start scx
systemctl start scx_dwrr
becomes enabled
systemctl is-active scx scx_dwrr
tr '\\0' ' ' <"/proc/$(systemctl show -P MainPID scx_dwrr)/cmdline"
echo
kill -9 "$(systemctl show -P MainPID scx_dwrr)"
becomes disabled
becomes enabled
systemctl show -P NRestarts scx_dwrr
grep -e CapEff -e CapBnd -e NoNewPrivs "/proc/$(systemctl show -P MainPID scx_dwrr)/status"
timeout 3 /usr/local/bin/scx_dwrr --monitor 0.5 | grep -c seconds
systemctl stop scx_dwrr
systemctl show -P Result scx_dwrr
cat /sys/kernel/sched_ext/state
ls /run/scx/root
"""


def _unit() -> str:
    return (LINUX / "scx_dwrr" / "scx_dwrr.service").read_text().replace("@PREFIX@", "/usr/local")


@pytest.mark.nightly
def test_the_unit() -> None:
    files: dict[str, Path | bytes] = {
        "/usr/local/bin/scx_dwrr": bpf.program("scx_dwrr"),
        "/etc/default/scx_dwrr": b"SCX_DWRR_FLAGS=--slice-us 6000\n",
    }
    other = "[Service]\nExecStart=sleep 1000\n"
    guest = systemd_image.guest(files, ["libc6"], {"scx_dwrr.service": _unit(), "scx.service": other})
    assert vm.run(guest, _SERVICE, cgroup="none").stdout.splitlines() == [
        "inactive",
        "active",
        "/usr/local/bin/scx_dwrr --slice-us 6000 ",
        "1",
        # BPF and PERFMON, and no more.
        "CapEff:\t000000c000000000",
        "CapBnd:\t000000c000000000",
        "NoNewPrivs:\t1",
        "1",
        "success",
        "disabled",
    ]


@pytest.mark.nightly
def test_the_unit_starts_five_times_at_most() -> None:
    """One that fails at once, instead of the scheduler."""
    command = "ExecStart=/usr/local/bin/scx_dwrr $SCX_DWRR_FLAGS\n"
    unit = _unit().replace(command, "ExecStart=/bin/sh -c 'echo start >>/run/scx/starts; exit 1'\n")
    assert unit != _unit()
    script = """
    systemctl start scx_dwrr
    until [ "$(systemctl is-active scx_dwrr)" = failed ]; do sleep 0.2; done
    cat /run/scx/starts
    systemctl show -P SubState scx_dwrr
    dmesg | grep -c 'Start request repeated too quickly'
    """
    guest = systemd_image.guest(units={"scx_dwrr.service": unit})
    assert vm.run(guest, script, cgroup="none").stdout.splitlines() == [*["start"] * 5, "failed", "1"]
