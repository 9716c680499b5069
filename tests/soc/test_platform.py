# SPDX-License-Identifier: Apache-2.0
"""Platform files: what is in them arrives, and what is wrong in them is said in one line."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

from coreloom.design import generate, hardware_threads, keys, platform, record
from coreloom.design.rules import Needs, Rule
from coreloom.errors import UserError
from coreloom.paths import PLATFORMS, ROOT, RTL


@pytest.mark.parametrize("core", platform.CORES)
def test_load(core: str) -> None:
    loaded = platform.load(f"smp-{core}")
    assert (loaded.name, loaded.core, loaded.cpus, loaded.interconnect) == (f"smp-{core}", core, 2, "smp-bus")
    build = "small" if core == "standard" else "fast"
    assert loaded.kernel == platform.KernelSize(64, 32, 32, 8, 32, 32, build=build)
    assert (loaded.ram_mib, loaded.ram_bytes) == (32, 1 << 25)
    assert (loaded.ipc, loaded.local_kib) == (platform.IpcSize(16, 16, 4), 0)
    assert platform.load(f"smp-{core}", 8).cpus == 8


def small(soc: platform.Platform) -> platform.Platform:
    return dataclasses.replace(soc, kernel=dataclasses.replace(soc.kernel, build="small"))


@pytest.mark.parametrize("core", ["economy", "standard"])
def test_local_memory(core: str) -> None:
    """Of smp the amp platforms have all but registers for the clock, and a local memory besides."""
    loaded = platform.load(f"amp-{core}")
    assert (loaded.interconnect, loaded.local_kib, loaded.local_bytes) == ("amp", 128, 1 << 17)
    smp = small(platform.load(f"smp-{core}"))
    assert dataclasses.replace(loaded, name=smp.name, interconnect="smp-bus", local_kib=0) == smp


def test_with_policy() -> None:
    """Registers for the clock go with a policy that cannot have them; what changes behaviour is refused."""
    soc = platform.load("smp-fast")
    assert platform.with_policy(soc, "priority") == soc
    kernel = platform.with_policy(soc, "dwrr").kernel
    assert kernel == dataclasses.replace(soc.kernel, policy="dwrr", build="small")
    reserved = dataclasses.replace(soc, kernel=dataclasses.replace(soc.kernel, services=("reserve",)))
    with pytest.raises(UserError) as raised:
        platform.with_policy(reserved, "edf")
    assert str(raised.value) == RULES["kernel.services=reserve", "kernel.policy"][1].replace("dwrr", "edf")
    with pytest.raises(
        UserError, match="the policy of the hardware kernel is 'cfs': choose one of priority, "
    ):
        platform.with_policy(soc, "cfs")


@pytest.mark.parametrize(
    ("name", "queue", "units"),
    [
        ("hthreads", "hybrid", ("crc32", "convolution", "sort")),
        ("hthreads-bitmap", "bitmap", ()),
        ("hthreads-linear", "linear", ()),
    ],
)
def test_machines_of_the_paper(name: str, queue: str, units: tuple[str, ...]) -> None:
    """The three builds of [HT]: one processor, 256 threads, 128 priorities."""
    loaded = platform.load(name)
    assert (loaded.cpus, loaded.kernel.threads, loaded.kernel.priorities) == (1, 256, 128)
    assert (loaded.kernel.ready_queue, loaded.kernel.hardware_threads) == (queue, units)
    assert loaded.ipc is None


def test_platform_without_its_communication_port() -> None:
    loaded = platform.load("smp-standard", 16, ipc=False)
    assert (loaded.cpus, loaded.ipc) == (16, None)
    with pytest.raises(UserError, match=r"platform smp-standard: cpus = 16 must be at most 8 with \[ipc\]: "):
        platform.load("smp-standard", 16)


def test_units() -> None:
    """Kinds fit in the four bits that each has in a parameter of the SoC, and 0 means no unit."""
    kinds = {unit.name: unit.kind for unit in hardware_threads.load().values()}
    assert {"crc32": 1, "convolution": 2, "sort": 3, "template": 14, "script": 15}.items() <= kinds.items()
    assert len(set(kinds.values())) == len(kinds)
    assert all(1 <= kind <= 15 for kind in kinds.values())


def test_unknown_name() -> None:
    known = ", ".join(platform.names())
    with pytest.raises(UserError, match=f"^unknown platform 'smp': choose one of {known}"):
        platform.load("smp")


@pytest.mark.parametrize("cpus", [0, 17, -1])
def test_wrong_number_of_processors(cpus: int) -> None:
    with pytest.raises(UserError, match=f"cpus must be a whole number from 1 to 16, not {cpus}"):
        platform.load("smp-standard", cpus)


KERNEL_PACKAGE = RTL / "kernel" / "rtl" / "cl_kernel_pkg.sv"
WRONG = {
    (
        'core = "standard"',
        'core = "slow"',
    ): "platform file smp-standard.toml, line 3: core is 'slow': choose one of economy, standard, fast",
    ('core = "standard"', "core = 1"): "core must be a string, not 1",
    ('core = "standard"', ""): "'core' is missing",
    ("cpus = 2", "cpus = 17"): "cpus must be a whole number from 1 to 16, not 17",
    ("cpus = 2", "cpus = 9"): "line 4: cpus = 9 must be at most 8 with [ipc]: lower cpus, or remove [ipc]",
    ("cpus = 2", "cpus = 1.5"): "cpus must be a whole number from 1 to 16, not 1.5",
    ("cpus = 2", "cpus = true"): "cpus must be a whole number from 1 to 16, not True",
    ("cpus = 2", 'cpus = "2"'): "cpus must be a whole number from 1 to 16, not '2'",
    (
        "cpus = 2",
        "cpus = 2\ncpu = 3",
    ): "line 5: unknown key 'cpu': did you mean 'cpus' (a whole number from 1 to 16)?",
    ("threads = 64", "threads = 65"): "kernel.threads must be a power of two, not 65",
    (
        "threads = 64",
        "thread = 64",
    ): "line 8: unknown key 'kernel.thread': did you mean 'kernel.threads' (a power of two from 2 to 1024)?",
    ("threads = 64", "threads = 2048"): "kernel.threads must be a whole number from 2 to 1024, not 2048",
    (
        "priorities = 32",
        "priorities = 512",
    ): "kernel.priorities must be a whole number from 2 to 256, not 512",
    ("threads = 64", 'threads = 64\nbuild = "huge"'): (
        "kernel.build is 'huge': choose one of small, full, fast, linear"
    ),
    ("threads = 64", "threads = 64\nbuild = 1"): "kernel.build must be a string, not 1",
    ("threads = 64", "threads = 64\npolicy = 1"): "kernel.policy must be a string, not 1",
    ("threads = 64", "threads = 64\nservices = true"): "kernel.services must be a list of names, not True",
    ("threads = 64", 'threads = 64\nservices = ["timeout"]'): (
        "line 9: kernel.services has 'timeout': did you mean timeouts?"
    ),
    ("threads = 64", "threads = 64\nservices = [1]"): (
        "kernel.services has 1: choose one of reserve, timeouts, inheritance, events, monitors, scheduler"
    ),
    ("threads = 64", "threads = 64\nlow_jitter = true"): (
        "line 9: unknown key 'kernel.low_jitter': did you mean 'low_jitter' (true or false)?"
    ),
    ("cpus = 2", "cpus = 2\nlow_jitter = 1"): "low_jitter must be true or false, not 1",
    (
        "threads = 64",
        "threads = 64\nport_words = 9",
    ): "kernel.port_words must be a whole number from 0 to 8, not 9",
    (
        "threads = 64",
        'threads = 64\npolicy = "cfs"',
    ): "kernel.policy is 'cfs': choose one of priority, dwrr, edf",
    (
        "threads = 64",
        'threads = 64\nhardware_threads = ["fft"]',
    ): "unknown unit 'fft' in kernel.hardware_threads: choose",
    (
        "threads = 64",
        'threads = 64\nhardware_threads = [["sort"]]',
    ): "unknown unit ['sort'] in kernel.hardware_threads",
    (
        "threads = 64",
        'threads = 64\nhardware_threads = "sort"',
    ): "hardware_threads must be a list of units, not 'sort'",
    ("ports = 32", "ports = 257"): "kernel.ports must be a whole number from 1 to 256, not 257",
    ("ram_mib = 32", "ram_mib = 16"): "memory.ram_mib must be a whole number from 32 to 256, not 16",
    ("[memory]\nram_mib = 32", ""): "'memory.ram_mib' is missing",
    ('"smp-bus"', '"ring"'): "interconnect is 'ring': choose one of smp-bus, amp, backdoor",
    (
        "mailbox_depth = 16",
        "mailbox_depth = 24",
    ): "platform file smp-standard.toml, line 16: ipc.mailbox_depth must be a power of two, not 24",
    (
        "mailbox_depth = 16",
        "mailbox_depth = 1",
    ): "ipc.mailbox_depth must be a whole number from 2 to 256, not 1",
    ("mutexes = 16", "mutexes = 65"): "ipc.mutexes must be a whole number from 1 to 64, not 65",
    ("barriers = 4", "barriers = 0"): "ipc.barriers must be a whole number from 1 to 16, not 0",
    ("barriers = 4", ""): "platform file smp-standard.toml: 'ipc.barriers' is missing",
    (
        "barriers = 4",
        "barriers = 4\nbells = 8",
    ): "line 19: unknown key 'ipc.bells': did you mean 'ipc.barriers' (a whole number from 1 to 16)?",
    (
        "ram_mib = 32",
        "ram_mib = 32\nlocal_kib = 128",
    ): "line 22: memory.local_kib is for interconnect = 'amp' or 'backdoor' only: remove it",
    (
        "ram_mib = 32",
        'ram_mib = 32\nmodel = "dram"',
    ): "platform file smp-standard.toml, line 22: memory.model is 'dram': did you mean sdram?",
    (
        "[memory]",
        "[backdoor]\nblock_kib = 32\nmail_depth = 16\n[memory]",
    ): "[backdoor] is for interconnect = 'backdoor' only: remove it",
    ('"smp-bus"', '"amp"'): "platform file smp-standard.toml: 'memory.local_kib' is missing",
    ("cpus = 2", 'cpus = 2\nname = "mine"'): "line 5: unknown key 'name': did you mean",
    ("cpus = 2", "cpus = ="): "cannot be read",
}


def test_one_processor_too_many(tmp_path: Path) -> None:
    text = (PLATFORMS / "hthreads.toml").read_text()
    many = text.replace('["crc32", "convolution", "sort"]', str(["sort"] * 14))
    (tmp_path / "hthreads.toml").write_text(many)
    assert platform.load("hthreads", 2, folder=tmp_path).cpus == 2
    with pytest.raises(UserError, match=r"platform hthreads: cpus \+ kernel.hardware_threads = 17 must"):
        platform.load("hthreads", 3, folder=tmp_path)


@pytest.mark.parametrize("core", ["economy", "standard"])
def test_backdoor(core: str) -> None:
    loaded = platform.load(f"backdoor-{core}")
    assert (loaded.interconnect, loaded.cpus, loaded.local_bytes) == ("backdoor", 1, 0)
    assert loaded.backdoor == platform.BackdoorSize(local_kib=256, block_kib=32, mail_depth=16)
    assert (loaded.backdoor.memory_bytes, loaded.backdoor.block_bytes) == (1 << 18, 1 << 15)
    # Processor 0's side is the smp platform with one processor, without communication port and registers for
    # the clock.
    smp = small(platform.load(f"smp-{core}", 1))
    side = dataclasses.replace(loaded, name=smp.name, interconnect="smp-bus", backdoor=None, ipc=smp.ipc)
    assert side == smp


WRONG_BACKDOOR = {
    (
        "cpus = 1",
        "cpus = 2",
    ): ", line 6: interconnect = 'backdoor' needs cpus = 1, not 2 (it adds processor 1 by itself): set that, "
    "or change interconnect",
    (
        "block_kib = 32",
        "block_kib = 2",
    ): ", line 17: backdoor.block_kib must be a whole number from 4 to 1024, not 2",
    ("block_kib = 32", "block_kib = 48"): ", line 17: backdoor.block_kib must be a power of two, not 48",
    ("block_kib = 32\n", ""): ": 'backdoor.block_kib' is missing",
    (
        "mail_depth = 16",
        "mail_depth = 256",
    ): ", line 18: backdoor.mail_depth must be a whole number from 2 to 128, not 256",
    ("mail_depth = 16", "mail_depth = 20"): ", line 18: backdoor.mail_depth must be a power of two, not 20",
    (
        "mail_depth = 16",
        "mails = 16",
    ): (
        ", line 18: unknown key 'backdoor.mails': "
        "did you mean 'backdoor.mail_depth' (a power of two from 2 to 128)?"
    ),
    (
        "local_kib = 256",
        "local_kib = 8",
    ): ", line 22: memory.local_kib must be a whole number from 16 to 1024, not 8",
    ("local_kib = 256", ""): ": 'memory.local_kib' is missing",
}


@pytest.mark.parametrize("change", WRONG_BACKDOOR, ids=lambda change: change[1] or change[0])
def test_wrong_backdoor(tmp_path: Path, change: tuple[str, str]) -> None:
    text = (PLATFORMS / "backdoor-standard.toml").read_text()
    assert change[0] in text
    (tmp_path / "backdoor-standard.toml").write_text(text.replace(*change, 1))
    with pytest.raises(UserError) as error:
        platform.load("backdoor-standard", folder=tmp_path)
    assert str(error.value) == f"platform file backdoor-standard.toml{WRONG_BACKDOOR[change]}"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("2048", "must be a whole number from 16 to 1024, not 2048"),
        ("8", "must be a whole number from 16 to 1024, not 8"),
        ("100", "must be a power of two, not 100"),
    ],
)
def test_wrong_size_of_the_local_memory(tmp_path: Path, value: str, said: str) -> None:
    text = (PLATFORMS / "amp-standard.toml").read_text()
    (tmp_path / "amp-standard.toml").write_text(text.replace("local_kib = 128", f"local_kib = {value}"))
    with pytest.raises(UserError) as error:
        platform.load("amp-standard", folder=tmp_path)
    assert str(error.value) == f"platform file amp-standard.toml, line 23: memory.local_kib {said}"


def test_wrong_interconnect_is_told_before_what_depends_on_it(tmp_path: Path) -> None:
    text = (PLATFORMS / "amp-standard.toml").read_text()
    (tmp_path / "amp-standard.toml").write_text(text.replace('= "amp"', '= "ring"'))
    with pytest.raises(UserError) as error:
        platform.load("amp-standard", folder=tmp_path)
    said = "interconnect is 'ring': choose one of smp-bus, amp, backdoor"
    assert str(error.value) == f"platform file amp-standard.toml, line 6: {said}"


@pytest.mark.parametrize("change", WRONG, ids=lambda change: change[1] or change[0])
def test_wrong_file(tmp_path: Path, change: tuple[str, str]) -> None:
    text = (PLATFORMS / "smp-standard.toml").read_text()
    assert change[0] in text
    (tmp_path / "smp-standard.toml").write_text(text.replace(*change, 1))
    with pytest.raises(UserError, match=re.escape(WRONG[change])) as error:
        platform.load("smp-standard", folder=tmp_path)
    assert "smp-standard.toml" in str(error.value)
    assert "\n" not in str(error.value)


@dataclass(frozen=True)
class Larger(platform.KernelSize):
    """The kernel's keys, and one more."""

    doors: Annotated[int, keys.Key("doors", 2, 64, True, rtl="Doors", c="CL_DOORS")] = 4


def test_a_new_key_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsing, checks, the field of the RTL's record, C macro and page follow from the table."""
    before = keys.rtl_parameters(platform.load("smp-standard"))
    monkeypatch.setitem(keys.SECTIONS, "kernel", dataclasses.replace(keys.SECTIONS["kernel"], made=Larger))
    monkeypatch.setattr(keys, "table", keys.table.__wrapped__)
    text = (PLATFORMS / "smp-standard.toml").read_text()

    def load(line: str) -> platform.Platform:
        (tmp_path / "smp-standard.toml").write_text(text.replace("threads = 64", f"threads = 64\n{line}"))
        return platform.load("smp-standard", folder=tmp_path)

    loaded = load("doors = 8")
    assert keys.rtl_parameters(loaded) == before | {"Doors": 8}
    monkeypatch.setattr(record, "kernel", record.kernel.__wrapped__)
    monkeypatch.setattr(record, "_usual", record._usual.__wrapped__)
    assert "    int unsigned Doors;          // doors\n" in generate.FILES[KERNEL_PACKAGE]()
    assert keys.macros(loaded)["CL_DOORS"] == 8
    area = "not measured yet: `coreloom synth --keys`"
    assert f"| kernel.doors | a power of two from 2 to 64 |  | {area} | Doors | CL_DOORS | doors |" in (
        generate.FILES[ROOT / "docs" / "reference" / "platforms.md"]()
    )
    for line, said in {
        "": ": 'kernel.doors' is missing",
        "doors = 12": ", line 9: kernel.doors must be a power of two, not 12",
        "door = 8": ", line 9: unknown key 'kernel.door': "
        "did you mean 'kernel.doors' (a power of two from 2 to 64)?",
    }.items():
        with pytest.raises(UserError, match=f"^platform file smp-standard.toml{re.escape(said)}$"):
            load(line)


def test_every_parameter_of_a_platform_is_in_the_record() -> None:
    fields = {field.name for field in (*record.kernel(), *record.soc())}
    for name in platform.names():
        assert keys.rtl_parameters(platform.load(name)).keys() <= fields


def test_a_record_is_a_number_that_can_be_read_again() -> None:
    changes = {"Threads": 16, "Reserve": 1}
    assert record.made("cl_kernel", {**changes, "Other": 2})["Other"] == 2
    assert record.readable(record.options("cl_kernel", changes)) == "Threads=16 Reserve=1"
    assert record.readable(record.options("cl_soc", {**changes, "Ipc": 1})) == "Threads=16 Reserve=1 Ipc=1"


_UNITS = {"kernel.hardware_threads": ["sort"]}
_SCHEDULER = {"kernel.services": ["scheduler"]}
_SDRAM = {"memory.model": "sdram"}
# The keys of each rule: values that break it alone, and what is said.
RULES: dict[tuple[str, ...], tuple[dict[str, Any], str]] = {
    ("core=fast", "interconnect"): (
        {"core": "fast", "interconnect": "amp", "memory.local_kib": 16},
        "core = 'fast' needs interconnect = 'smp-bus', not 'amp': set that, or change core",
    ),
    ("cpus", "[ipc]"): ({"cpus": 9}, "cpus = 9 must be at most 8 with [ipc]: lower cpus, or remove [ipc]"),
    ("cpus", "kernel.hardware_threads"): (
        _UNITS | {"kernel.hardware_threads": ["sort"] * 15},
        "cpus + kernel.hardware_threads = 17 must be at most 16: lower cpus or kernel.hardware_threads",
    ),
    ("interconnect=backdoor", "cpus"): (
        {
            "interconnect": "backdoor",
            "memory.local_kib": 16,
            "backdoor.block_kib": 4,
            "backdoor.mail_depth": 2,
        },
        "interconnect = 'backdoor' needs cpus = 1, not 2 (it adds processor 1 by itself): set that, or "
        "change interconnect",
    ),
    ("low_jitter", "core"): (
        {"low_jitter": True, "core": "fast"},
        "low_jitter needs core = 'economy' or 'standard', not 'fast': set that, or remove low_jitter",
    ),
    ("low_jitter", "interconnect"): (
        {"low_jitter": True, "interconnect": "amp", "memory.local_kib": 16},
        "low_jitter needs interconnect = 'smp-bus', not 'amp': set that, or remove low_jitter",
    ),
    ("low_jitter", "memory.model"): (
        {"low_jitter": True, **_SDRAM},
        "low_jitter and memory.model = 'sdram' exclude each other: remove one of them",
    ),
    ("low_jitter", "kernel.services"): (
        {"low_jitter": True, **_SCHEDULER, **_UNITS},
        "low_jitter and kernel.services = 'scheduler' exclude each other: remove one of them",
    ),
    ("bus_pipeline", "core"): (
        {"bus_pipeline": True},
        "bus_pipeline needs core = 'fast', not 'standard': set that, or remove bus_pipeline",
    ),
    ("bus_pipeline", "memory.model"): (
        {"bus_pipeline": True, "core": "fast", **_SDRAM},
        "bus_pipeline and memory.model = 'sdram' exclude each other: remove one of them",
    ),
    ("bus_pipeline", "kernel.hardware_threads"): (
        {"bus_pipeline": True, "core": "fast", **_UNITS},
        "bus_pipeline and kernel.hardware_threads exclude each other: remove one of them",
    ),
    ("kernel.services=scheduler", "kernel.hardware_threads"): (
        _SCHEDULER,
        "kernel.services = 'scheduler' needs kernel.hardware_threads: set that, or change kernel.services",
    ),
    ("kernel.services=scheduler", "core"): (
        {"core": "fast", **_SCHEDULER, **_UNITS},
        "kernel.services = 'scheduler' needs core = 'economy' or 'standard', not 'fast': set that, or change "
        "kernel.services",
    ),
    ("kernel.priorities", "kernel.hardware_threads"): (
        {"kernel.priorities": 256, **_UNITS},
        "kernel.priorities = 256 must be at most 128 with kernel.hardware_threads: lower kernel.priorities, "
        "or remove kernel.hardware_threads",
    ),
    ("kernel.hardware_threads", "kernel.build"): (
        {"kernel.build": "linear", **_UNITS},
        "kernel.hardware_threads and kernel.build = 'linear' exclude each other: remove one of them",
    ),
    ("kernel.build=fast", "kernel.policy"): (
        {"kernel.build": "fast", "kernel.policy": "dwrr"},
        "kernel.build = 'fast' needs kernel.policy = 'priority', not 'dwrr': set that, or change "
        "kernel.build",
    ),
    **{
        (f"kernel.services={name}", "kernel.policy"): (
            {"kernel.services": [name], "kernel.policy": "dwrr"},
            f"kernel.services = '{name}' needs kernel.policy = 'priority', not 'dwrr': set that, or change "
            "kernel.services",
        )
        for name in ("reserve", "inheritance")
    },
    ("kernel.services=inheritance", "kernel.mutexes"): (
        {"kernel.services": ["inheritance"], "kernel.mutexes": 0},
        "kernel.services = 'inheritance' needs kernel.mutexes: set that, or change kernel.services",
    ),
    ("kernel.services=events", "kernel.build"): (
        {"kernel.services": ["events"], "kernel.build": "fast"},
        "kernel.services = 'events' and kernel.build = 'fast' exclude each other: remove one of them",
    ),
    ("kernel.services=monitors", "kernel.mutexes"): (
        {"kernel.services": ["monitors"], "kernel.mutexes": 0},
        "kernel.services = 'monitors' needs kernel.mutexes: set that, or change kernel.services",
    ),
    ("kernel.services=monitors", "kernel.build"): (
        {"kernel.services": ["monitors"], "kernel.build": "fast"},
        "kernel.services = 'monitors' and kernel.build = 'fast' exclude each other: remove one of them",
    ),
    ("kernel.services=monitors", "kernel.services"): (
        {"kernel.services": ["monitors", "inheritance"]},
        "kernel.services = 'monitors' and kernel.services = 'inheritance' exclude each other: remove one of "
        "them",
    ),
    ("[dcache]", "core"): (
        {"dcache.kib": 4, "core": "fast"},
        "[dcache] needs core = 'economy' or 'standard', not 'fast': set that, or remove [dcache]",
    ),
    ("[dcache]", "kernel.services"): (
        {"dcache.kib": 4, **_SCHEDULER, **_UNITS},
        "[dcache] and kernel.services = 'scheduler' exclude each other: remove one of them",
    ),
}


def test_rules_are_those_of_the_keys() -> None:
    def about(key: str, rule: Rule) -> tuple[str, ...]:
        first, *others = rule.keys(key)
        value = rule.value if isinstance(rule, Needs) else ""
        return f"{first}={value}" if value else first, *others

    assert RULES.keys() == {about(key, rule) for key, rule in keys.rules()}


def test_a_rule_that_a_build_breaks_names_the_build() -> None:
    with pytest.raises(UserError) as raised:
        platform.load("smp-standard", changes={"kernel.build": "full", "kernel.policy": "dwrr"})
    assert str(raised.value) == (
        "platform smp-standard: kernel.build = 'full' (reserve) needs kernel.policy = 'priority', not "
        "'dwrr': set that, or change kernel.build"
    )


@pytest.mark.parametrize("about", RULES, ids="+".join)
@pytest.mark.test
def test_broken_rule(about: tuple[str, ...]) -> None:
    """The parser says what is wrong and what to choose."""
    changes, said = RULES[about]
    with pytest.raises(UserError) as raised:
        platform.load("smp-standard", changes=changes)
    assert str(raised.value) == f"platform smp-standard: {said}"
