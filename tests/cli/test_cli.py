"""What a user sees who gets something wrong: one line, a non-zero exit, nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(arguments)
    except SystemExit as exit:
        assert isinstance(exit.code, int)
        code = exit.code
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (
            ["run", "imago"],
            1,
            "coreloom: error: unknown application 'imago': choose one of image, packets, or give a C file",
        ),
        (
            ["run", "image", "--platform", "smp-huge"],
            1,
            "coreloom: error: unknown platform 'smp-huge': choose one of smp-economy, smp-standard",
        ),
        (
            ["run", "image", "--kernel", "fw"],
            1,
            "coreloom: error: unknown kernel 'fw': choose one of hw, sw",
        ),
        (
            ["run", "image", "--placement", "left"],
            1,
            "coreloom: error: unknown placement 'left': choose one of dynamic, static",
        ),
        (
            ["run", "image", "--cpus", "9"],
            1,
            "coreloom: error: platform smp-standard: cpus must be a whole number from 1 to 4, not 9",
        ),
        (
            ["run", "image", "--cpus", "two"],
            2,
            "coreloom run: error: argument --cpus: invalid positive number value: 'two' "
            "(see coreloom run --help)",
        ),
        (
            ["run", "image", "--pcap", "x.pcap"],
            1,
            "coreloom: error: --pcap is not an input of image: use --image",
        ),
        (
            ["run", "image", "--image", "missing.png"],
            1,
            "coreloom: error: missing.png: there is no such file",
        ),
        (
            ["run", "image", "--speed", "3"],
            2,
            "coreloom: error: unrecognized arguments: --speed 3 (see coreloom --help)",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistake_is_one_line(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    got, out, err = run(capsys, *arguments)
    assert (got, out, err) == (code, "", line + "\n")
    assert list(tmp_path.iterdir()) == []


def test_unknown_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "fly")  # the rest of the line is argparse's and differs between Pythons
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("coreloom: error: argument COMMAND: invalid choice: 'fly'")


def test_broken_inputs_leave_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.png").write_text("not a picture")
    Path("short.pcap").write_bytes(b"\xd4\xc3\xb2\xa1" + bytes(10))
    before = sorted(tmp_path.iterdir())
    assert run(capsys, "run", "image", "--image", "text.png", "--output", "out.png") == (
        1,
        "",
        "coreloom: error: text.png is not a picture: give a PNG, JPEG or the like\n",
    )
    assert run(capsys, "run", "packets", "--pcap", "short.pcap", "--output", "out.json") == (
        1,
        "",
        "coreloom: error: short.pcap is cut off at byte 14 in the file header: capture again\n",
    )
    assert sorted(tmp_path.iterdir()) == before


def test_doctor_names_every_tool(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    for what in ("Python", "Verilator", "C++ compiler", "firmware compiler", "pythondata-cpu-ibex"):
        assert f"ok       {what}: " in out


def test_doctor_says_what_to_do_about_a_missing_tool(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from coreloom import verilate
    from coreloom.errors import UserError

    def missing() -> list[str]:
        raise UserError("no C++ compiler")

    monkeypatch.setattr(verilate, "find_compiler", missing)
    code, out, _ = run(capsys, "doctor")
    assert code == 1
    assert "MISSING  C++ compiler: no C++ compiler; run `make setup`\n" in out
