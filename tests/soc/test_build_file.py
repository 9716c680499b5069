# SPDX-License-Identifier: Apache-2.0
"""build.toml: what an application is made of beside its own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.toolchain import application, elf, firmware

_DHRYSTONE = """
shared = ["common"]
[defines]
RUNS = 7
[[wheel]]
package = "pythondata-cpu-picorv32"
folder = "verilog/dhrystone"
sources = ["dhry_2.c"]
flags = ["-std=gnu89", "-DTIME"]
"""


@pytest.fixture
def apps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(application, "APPS", tmp_path)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "main.c").write_text(
        '#include "common.h"\nextern void Proc_7(int, int, int *);\nint Int_Glob;\n'
        "int main(void) { int to; Proc_7(1, common(), &to); return to + RUNS; }\n"
    )
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "common.h").write_text("int common(void);\n")
    (tmp_path / "common" / "common.c").write_text(
        '#include "common.h"\n__attribute__((noinline)) int common(void) { return (int)(long)common; }\n'
    )
    return tmp_path


def _names(apps: Path, text: str, defines: dict[str, str | int] | None = None) -> set[str]:
    (apps / "one" / "build.toml").write_text(text)
    made = firmware.build("one", platform.load("smp-economy", 1), "hw", defines)
    return {name for name, _ in elf.symbols(made)}


def test_shared_folder_and_sources_of_a_wheel(apps: Path) -> None:
    """The program would not link without either."""
    assert "common" in _names(apps, _DHRYSTONE)


def test_every_part_counts(apps: Path) -> None:
    """A change of any of them is another program."""
    soc = platform.load("smp-economy", 1)

    def folder(text: str, defines: dict[str, str | int] | None = None) -> Path:
        (apps / "one" / "build.toml").write_text(text)
        return firmware.build("one", soc, "hw", defines).parent

    made = [folder(_DHRYSTONE), folder(_DHRYSTONE.replace("7", "8")), folder(_DHRYSTONE, {"RUNS": 9})]
    made.append(folder(_DHRYSTONE.replace("-DTIME", "-DTIMES")))
    (apps / "common" / "common.c").write_text('#include "common.h"\nint common(void) { return 1; }\n')
    made.append(folder(_DHRYSTONE))
    assert len(set(made)) == 5
    assert folder(_DHRYSTONE) == made[-1]


WRONG = {
    ('["common"]', '["commons"]'): "one/build.toml: there is no folder apps/commons",
    ("shared", "share"): "one/build.toml: unknown setting 'share', remove it",
    ("flags", "flag"): "one/build.toml: unknown setting 'wheel.flag', remove it",
    ("folder =", "#"): "one/build.toml: 'wheel.folder' is missing",
    ("cpu-picorv32", "cpu-none"): "one/build.toml: the Python package pythondata-cpu-none is missing: "
    "run `make setup`",
    ("dhry_2.c", "dhry_3.c"): "one/build.toml: the Python package pythondata-cpu-picorv32 has no file "
    "verilog/dhrystone/dhry_3.c",
    ("RUNS = 7", "RUNS ="): "one/build.toml cannot be read: ",
}


@pytest.mark.parametrize("change", WRONG, ids=lambda change: change[1])
def test_wrong_file(apps: Path, change: tuple[str, str]) -> None:
    assert change[0] in _DHRYSTONE
    with pytest.raises(UserError) as error:
        _names(apps, _DHRYSTONE.replace(*change, 1))
    said = str(error.value)
    assert said.startswith(WRONG[change]) and "\n" not in said
