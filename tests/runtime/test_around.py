# SPDX-License-Identifier: Apache-2.0
"""What is around a program on the simulated machine: files, standard input, memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation import simulate
from coreloom.simulation.simulate import SimResult
from coreloom.simulation.surroundings import Surroundings
from coreloom.toolchain import firmware, verilate

PROGRAMS = Path(__file__).with_name("around")


def run(
    name: str,
    around: Surroundings,
    *,
    kernel: str = "hw",
    soc: str = "smp-standard",
    cpus: int | None = 1,
    changes: Mapping[str, Any] | None = None,
    defines: Mapping[str, str | int] | None = None,
    **more: Any,
) -> SimResult:
    chosen = platform.load(soc, cpus, changes=changes)
    elf = firmware.build(str(PROGRAMS / f"{name}.c"), chosen, kernel, defines)
    return simulate.run(
        verilate.build_model(chosen), elf, simulate.Options(around=around, max_cycles=30_000_000, **more)
    )


def test_nothing_outside_of_the_folder_can_be_reached(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "file").write_text("x")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "in" / "up").symlink_to("..")
    (tmp_path / "in" / "null").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "in" / "fifo")
    before = {path: path.lstat().st_mode for path in tmp_path.iterdir()}
    paths = (
        "/etc/passwd", "../secret", str(tmp_path / "secret"), "link", "up/secret", "up/in/file",
        "null", "fifo", "/", "..", "x" * 2000,
    )  # fmt: skip
    ran = run("reach", Surroundings(("reach", *paths), files=tmp_path / "in"))
    # In what can be read, be made and is there, a folder can be made, it can be moved, and gone to:
    assert ran.uart.replace("x" * 2000, "xx").splitlines() == [
        "/etc/passwd: ENOENT ENOENT ENOENT ENOENT ENOENT ENOENT",
        "../secret: ENOENT ok ok EEXIST ok ENOENT",
        f"{tmp_path}/secret: ENOENT ENOENT ENOENT ENOENT ENOENT ENOENT",
        "link: ELOOP ELOOP ok a link EEXIST ok ENOENT",
        "up/secret: ENOTDIR ENOTDIR ENOTDIR ENOTDIR ENOTDIR ENOTDIR",
        "up/in/file: ENOTDIR ENOTDIR ENOTDIR ENOTDIR ENOTDIR ENOTDIR",
        "null: ELOOP ELOOP ok a link EEXIST ok ENOENT",
        "fifo: EACCES other ok EEXIST ok ENOENT",
        "/: ok EISDIR ok EEXIST EBUSY ok",
        "..: ok EISDIR ok EEXIST EBUSY ok",
        "xx: ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG",
        "-1 1",
    ]
    assert (tmp_path / "secret").read_text() == "x"
    assert {path: path.lstat().st_mode for path in tmp_path.iterdir()} == before


def test_a_program_without_a_folder_has_no_files() -> None:
    ran = run("reach", Surroundings(("reach", "a", "/", "")))
    assert ran.uart.splitlines() == [
        "a: ENOENT EACCES ENOENT EACCES ENOENT ENOENT",
        "/: ENOENT EACCES ENOENT EACCES ENOENT ENOENT",
        ": ENOENT ENOENT ENOENT ENOENT ENOENT ENOENT",
        "-1 1",
    ]


@pytest.mark.parametrize("files", [True, False])
def test_a_run_has_a_folder_tmp_of_its_own(tmp_path: Path, files: bool) -> None:
    """Unless the folder that it was given has one: an empty one, which is gone at the end."""
    paths = ("/tmp", "/tmp/a", "/tmp/../tmp/b/", "/tmp/none/a", "/tmp/../tmpx")
    ran = run("reach", Surroundings(("reach", *paths), files=tmp_path if files else None))
    assert ran.uart.splitlines() == [
        "/tmp: ok EISDIR ok EEXIST EBUSY ok",
        "/tmp/a: ENOENT ok ok EEXIST ok ENOENT",
        "/tmp/../tmp/b/: ENOENT EISDIR ENOENT ok ENOTDIR ok",
        "/tmp/none/a: ENOENT ENOENT ENOENT ENOENT ENOENT ENOENT",
        "/tmp/../tmpx: "
        + ("ENOENT ok ok EEXIST ok ENOENT" if files else "ENOENT EACCES ENOENT EACCES ENOENT ENOENT"),
        "-1 1",
    ]
    assert not (tmp_path / "tmp").exists()


def test_a_folder_tmp_that_was_given_is_used(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / "a").mkdir()
    ran = run("reach", Surroundings(("reach", "/tmp/a"), files=tmp_path))
    assert ran.uart.splitlines() == ["/tmp/a: ok EISDIR ok EEXIST ok ENOENT", "-1 1"]


LINES = b"one\n\nlast without an end"
ECHOED = "0? [one\n]\n1? [\n]\n2? [last without an end]\n3? end 1\n"


@pytest.mark.parametrize("kernel", ["hw", "sw", "freertos"])
def test_standard_input_of_a_file_and_of_a_pipe_takes_the_same_cycles(tmp_path: Path, kernel: str) -> None:
    (tmp_path / "text").write_bytes(LINES)
    with (tmp_path / "text").open("rb") as file:
        of_file = run("echo", Surroundings(stdin=file.fileno()), kernel=kernel)
    reads, writes = os.pipe()

    def feed() -> None:
        for byte in LINES:
            os.write(writes, bytes([byte]))
        os.close(writes)

    feeder = Thread(target=feed)
    feeder.start()
    of_pipe = run("echo", Surroundings(stdin=reads), kernel=kernel)
    feeder.join()
    os.close(reads)
    assert (of_file.uart, of_file.exit_status) == (ECHOED, 0)
    assert (of_pipe.uart, of_pipe.cycles) == (ECHOED, of_file.cycles)


def test_a_prompt_is_seen_before_input_is_waited_for() -> None:
    reads, writes = os.pipe()
    answers = [b"a\n", b"b\n"]
    seen = b""

    def shown(text: bytes) -> None:
        nonlocal seen
        seen += text
        if text.endswith(b"? "):  # nothing comes before
            if answers:
                os.write(writes, answers.pop(0))
            else:
                os.close(writes)

    run("echo", Surroundings(stdin=reads), uart=shown)
    os.close(reads)
    assert seen == b"0? [a\n]\n1? [b\n]\n2? end 1\n"


@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_threads_share_streams(tmp_path: Path, kernel: str) -> None:
    ran = run("shared", Surroundings(files=tmp_path), kernel=kernel, cpus=2)
    assert ran.uart == "200 lines, 0 wrong\n"


@pytest.mark.parametrize(
    ("soc", "changes"),
    [
        ("amp-standard", {}),
        ("smp-economy", {}),
        ("smp-fast", {}),
        ("smp-standard", {"dcache.kib": 4}),
        ("smp-economy", {"dcache.kib": 4, "dcache.line_words": 4}),
        ("smp-standard", {"memory.model": "sdram"}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
)
@pytest.mark.nightly(but=("amp-standard-", "smp-standard-dcache.kib"))
def test_what_the_host_writes_is_seen_with_every_memory(
    tmp_path: Path, soc: str, changes: dict[str, Any]
) -> None:
    ran = run("shared", Surroundings(files=tmp_path), soc=soc, cpus=2, changes=changes)
    assert ran.uart == "200 lines, 0 wrong\n"


def test_a_program_has_the_whole_memory() -> None:
    assert run("room", Surroundings(), cpus=2).uart == "1 1 1000 50\n"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"memory.stack_kib": 512}, "stack overflow: cpu 0, thread 0 (main)"),
        ({"memory.thread_stack_kib": 16}, "stack overflow: cpu 1, thread 1"),
    ],
    ids=["main", "thread"],
)
@pytest.mark.nightly("thread")
def test_stacks_are_as_large_as_the_platform_says(changes: dict[str, int], said: str) -> None:
    ran = run("room", Surroundings(), cpus=2, changes=changes)
    assert said in ran.why
    assert f"in a stack of {next(iter(changes.values())) * 1024}" in ran.why


@pytest.mark.nightly
def test_a_heap_is_as_large_as_the_platform_says() -> None:
    assert run("room", Surroundings(), cpus=2, changes={"memory.heap_kib": 1024}).uart == "1 0 1000 50\n"


@pytest.mark.parametrize(
    ("changes", "defines"),
    [({"memory.stack_kib": 30 << 10}, {}), ({}, {"ARRAY": "(27 << 20)"}), ({"memory.heap_kib": 25000}, {})],
    ids=["stack", "array", "heap"],
)
@pytest.mark.nightly("stack", "heap")
def test_what_does_not_fit_is_said_by_the_linker(changes: dict[str, int], defines: dict[str, str]) -> None:
    with pytest.raises(UserError, match=r"^room does not fit into the memory of smp-standard: .* 32 MiB"):
        run("room", Surroundings(), changes=changes, defines=defines)
