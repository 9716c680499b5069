# SPDX-License-Identifier: Apache-2.0
"""What docs/backdoor.md shows runs, and its device tree is that of the platform."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from coreloom.cli import main
from coreloom.design import keys, platform, spec
from coreloom.paths import ROOT, RUNTIME
from coreloom.toolchain import zig

PAGE = (ROOT / "docs" / "backdoor.md").read_text()
BINDING = (ROOT / "docs" / "devicetree" / "remoteproc" / "coreloom,backdoor.yaml").read_text()


def listing(index: int, path: Path) -> Path:
    path.write_text(re.findall(r"```c\n(.*?)```", PAGE, re.DOTALL)[index])
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["backdoor-standard"],
        ["backdoor-economy"],
        ["backdoor-standard", "--far-clock", "0.3", "--on", "sw"],
    ],
    ids=" ".join,
)
@pytest.mark.docs
def test_first_program(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = listing(0, tmp_path / "hello.c")
    assert main(["run", str(program), "--platform", *arguments]) == 0
    assert capsys.readouterr().out.startswith("hello from processor 1\nthere and back\n")


@pytest.mark.parametrize("name", ["backdoor-standard", "backdoor-economy"])
@pytest.mark.docs
def test_streams(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = listing(1, tmp_path / "stream.c")
    assert main(["run", str(program), "--platform", name]) == 0
    said = "total 199990000, message 42, bells 2\n"
    assert capsys.readouterr().out.startswith(said)
    assert f"It prints `{said.strip()}`" in PAGE


@pytest.mark.parametrize("name", ["backdoor-standard", "backdoor-economy"])
@pytest.mark.docs
def test_window(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = listing(2, tmp_path / "window.c")
    assert main(["run", str(program), "--platform", name]) == 0
    said = "last 899940001, status 14\n"
    assert capsys.readouterr().out.startswith(said)
    assert f"It prints `{said.strip()}`" in PAGE


def test_driver_on_another_host(tmp_path: Path) -> None:
    program = listing(3, tmp_path / "host.c")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{RUNTIME / 'include'}"]
    command = [*zig.cc(), *flags, "-c", str(program), "-o", str(tmp_path / "host.o")]
    subprocess.run(command, env=zig.environment(), check=True)


def numbers(text: str) -> list[int]:
    return [int(number, 0) for number in re.findall(r"<(.*?)>", text, re.DOTALL) for number in number.split()]


@pytest.mark.parametrize("text", [PAGE, BINDING], ids=["page", "binding"])
def test_device_tree_is_the_platform(text: str) -> None:
    limits, back = spec.backdoor().limits, platform.load("backdoor-standard").backdoor
    assert back is not None
    (node,) = re.findall(r"remoteproc@(\w+) \{(.*?)\n *\};", text, re.DOTALL)
    assert int(node[0], 16) == limits["near_base"]
    properties = dict(re.findall(r"(\S+) = (.*?);", node[1], re.DOTALL))
    base, block = limits["near_base"], back.block_bytes
    assert numbers(properties["reg"]) == [
        base, 0x100, base + limits["down_offset"], block, base + limits["up_offset"], block,
    ]  # fmt: skip
    assert properties["interrupts"] == f"<{limits['line']} IRQ_TYPE_EDGE_RISING>"
    assert numbers(properties["coreloom,memory-size"]) == [back.memory_bytes]
    assert numbers(properties["coreloom,mail-depth"]) == [back.mail_depth]
    assert re.findall(r"const: (\S+)", BINDING)[0] == properties["compatible"].strip('"')


def test_binding_has_the_bounds_of_the_platform_file() -> None:
    def bounds(name: str) -> tuple[int, ...]:
        part = BINDING.split(f"\n  {name}:\n", 1)[1]
        return tuple(int(re.findall(rf"{which}: (\d+)", part)[0]) for which in ("minimum", "maximum"))

    for property, attribute in (("coreloom,memory-size", "local_kib"), ("coreloom,mail-depth", "mail_depth")):
        (key,) = (e.key for e in keys.table() if (e.section, e.attribute) == ("backdoor", attribute))
        assert key.least and key.most
        assert bounds(property) == (key.least * key.unit, key.most * key.unit)


def test_page_names_what_there_is() -> None:
    for header in ("coreloom_remote.h", "coreloom_far.h", "cl_backdoor.h", "cl_mmio.h"):
        assert (RUNTIME / "include" / header).exists()
    declared = "".join(
        (RUNTIME / "include" / name).read_text()
        for name in ("coreloom_remote.h", "coreloom_far.h", "cl_backdoor.h")
    )
    named = set(re.findall(r"`((?:remote|far|cl_backdoor)_\w+)`", PAGE))
    assert {name for name in named if not re.search(rf"\b{name}\b", declared)} == set()
    assert len(named) > 25
