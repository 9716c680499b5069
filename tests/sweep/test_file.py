# SPDX-License-Identifier: Apache-2.0
"""A sweep file: its points, and one line for each thing that is wrong in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.paths import ROOT
from coreloom.sweep import file

_BASE = 'apps = ["image"]\nplatforms = ["smp-standard"]\n'


def _load(folder: Path, text: str) -> file.Sweep:
    path = folder / "mine.toml"
    path.write_text(text)
    return file.load(path)


def test_the_points_are_the_cross_product_in_the_order_of_the_file(tmp_path: Path) -> None:
    sweep = _load(
        tmp_path,
        'apps = ["image", "own.c"]\nplatforms = ["smp-standard"]\nkernels = ["sw", "hw"]\nwindow = 1000\n'
        '[parameters]\nkernel.threads = [32, 64]\n[defines]\nMODE = ["A"]\n',
    )
    assert [setting.text for setting in sweep.settings] == [
        f"{app} on smp-standard, {kernel} kernel, dynamic, kernel.threads = {threads}, MODE = A"
        for app in ("image", "own.c")
        for kernel in ("sw", "hw")
        for threads in (32, 64)
    ]
    assert (sweep.name, sweep.excluded, sweep.window, sweep.max_cycles) == ("mine", 0, 1000, 500_000_000)
    assert sweep.place("own.c") == str(tmp_path / "own.c")
    assert sweep.place("smp-standard") == "smp-standard"


def test_what_is_not_given_has_one_value(tmp_path: Path) -> None:
    sweep = _load(tmp_path, _BASE)
    assert [setting.text for setting in sweep.settings] == ["image on smp-standard, hw kernel, dynamic"]
    assert sweep.window is None


def test_exclude_leaves_out_what_matches_all_of_it(tmp_path: Path) -> None:
    sweep = _load(
        tmp_path,
        _BASE + 'kernels = ["hw", "sw"]\npolicies = ["priority", "cfs", "ring"]\n'
        '[parameters]\ncpus = [1, 2]\n[[exclude]]\nkernel = "hw"\npolicy = ["cfs", "ring"]\n'
        '[[exclude]]\nkernel = "sw"\ncpus = 1\n',
    )
    assert [(s.kernel, s.policy, dict(s.parameters)["cpus"]) for s in sweep.settings] == [
        ("hw", "priority", 1),
        ("hw", "priority", 2),
        ("sw", "priority", 2),
        ("sw", "cfs", 2),
        ("sw", "ring", 2),
    ]
    assert sweep.excluded == 7


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("apps = [\n", " cannot be read: Invalid value (at end of document)"),
        ("", ": 'apps' is missing: give a list of applications or paths of C files"),
        (
            _BASE + 'kernel = ["hw"]\n',
            ", line 3: unknown key 'kernel': did you mean 'kernels' "
            "(a list from hw, sw, fine, freertos, freertos-tuned)?",
        ),
        (
            _BASE + 'kernels = "hw"\n',
            ", line 3: kernels must be a list from hw, sw, fine, freertos, freertos-tuned, not 'hw'",
        ),
        (
            _BASE + "kernels = []\n",
            ", line 3: kernels is empty: give a list from hw, sw, fine, freertos, freertos-tuned",
        ),
        (_BASE + "kernels = [1]\n", ", line 3: each value of kernels must be a text, not 1"),
        (_BASE + 'kernels = ["hw", "hw"]\n', ", line 3: kernels has 'hw' twice: remove one"),
        (
            _BASE + 'kernels = ["os"]\n',
            ", line 3: unknown value 'os' in kernels: choose one of hw, sw, fine, freertos, freertos-tuned",
        ),
        (
            'apps = ["imag"]\nplatforms = ["smp-standard"]\n',
            ", line 1: unknown value 'imag' in apps: did you mean image?",
        ),
        (_BASE + "window = 0\n", ", line 3: window must be a whole number from 1, not 0"),
        (_BASE + 'max_cycles = "many"\n', ", line 3: max_cycles must be a whole number from 1, not 'many'"),
        (
            _BASE + "[parameters]\ncpu = [1]\n",
            ", line 4: unknown platform key 'cpu' in [parameters]: did you mean 'cpus' (a whole number "
            "from 1 to 16)?",
        ),
        (
            _BASE + "[parameters]\nkernel.threads = 64\n",
            ", line 4: kernel.threads must be a list of values, each a power of two from 2 to 1024, not 64",
        ),
        (
            _BASE + "[parameters]\n[parameters.kernel]\nthreads = [48]\n",
            ", line 5: kernel.threads must be a power of two, not 48",
        ),
        (_BASE + "[parameters]\ncpus = [17]\n", ", line 4: cpus must be a whole number from 1 to 16, not 17"),
        (
            _BASE + "parameters = 3\n",
            ", line 3: parameters must be a table of platform keys, each with a list of values, not 3",
        ),
        (
            _BASE + '[defines]\n"A-B" = [1]\n',
            ", line 4: 'A-B' in [defines] is not a C macro name: use letters, digits and _",
        ),
        (
            _BASE + "[defines]\nA = [1.5]\n",
            ", line 4: each value of A must be a whole number or a text, not 1.5",
        ),
        (
            _BASE + "[defines]\nCL_PLACEMENT = [1]\n",
            ", line 4: CL_PLACEMENT follows from placements: set it there",
        ),
        (
            _BASE + '[[exclude]]\nkernels = "hw"\n',
            ": unknown key 'kernels' in [[exclude]] 1: did you mean 'kernel' (a value or a list of values)?",
        ),
        (
            _BASE + '[[exclude]]\nkernel = "sw"\n',
            ": [[exclude]] 1 has kernel = 'sw', which no point has: remove it",
        ),
        (
            _BASE + "[[exclude]]\nkernel = [{ of = 1 }]\n",
            ": [[exclude]] 1 has kernel = {'of': 1}, which no point has: remove it",
        ),
        (_BASE + "[[exclude]]\n", ": [[exclude]] 1 leaves out no point: remove it"),
        (_BASE + '[[exclude]]\nkernel = "hw"\n', ": [[exclude]] leaves out every point: remove one of them"),
        (_BASE + "exclude = 1\n", ", line 3: exclude must be tables, each under a line [[exclude]]"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(UserError) as error:
        _load(tmp_path, text)
    assert str(error.value) == f"sweep file mine.toml{line}"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        file.load(tmp_path / "none.toml")
    assert str(error.value) == f"sweep file {tmp_path / 'none.toml'} does not exist: check the path"


def test_the_page_has_every_key_and_its_example_is_right(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "sweep.md").read_text()
    example = page.split("```toml\n")[1].split("```")[0]
    sweep = _load(tmp_path, example)
    assert (len(sweep.settings), sweep.excluded) == (216, 72)
    for key in file._KEYS:
        assert f"`{key}`" in page or f"`[{key}]`" in page or f"`[[{key}]]`" in page, key
