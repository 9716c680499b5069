# SPDX-License-Identifier: Apache-2.0
"""The data file and the files made from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coreloom.commands.generated import FILES
from coreloom.design import spec
from coreloom.paths import RUNTIME
from coreloom.toolchain import firmware


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_generated_file_is_up_to_date(path: Path) -> None:
    assert path.read_text() == FILES[path](), "run `coreloom generate`"


def test_every_operation_has_a_model() -> None:
    from coreloom.reference.kernel import Kernel

    for op in spec.kernel().ops.values():
        if op.access == "load":
            assert callable(getattr(Kernel, f"_{op.name}"))


@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_every_function_of_an_operation_is_found_by_its_name(kernel: str) -> None:
    """With the parameters that the data file, and so the reference, gives it."""
    headers = (RUNTIME / kernel / "cl_backend.h", *(RUNTIME / "include").glob("cl_*.h"))
    text = "".join(path.read_text() for path in headers)
    found = dict(re.findall(r"^(?:CL_\w+\(|CL_INLINE |__attribute.* )?\w+ cl_op_(\w+)\((.*?)\)", text, re.M))
    named = {
        name: [each.split()[-1].lstrip("*") for each in said.split(", ")] for name, said in found.items()
    }
    for op in spec.kernel().ops.values():
        if op.call:
            assert named[op.name] == op.parameters, op.name
