# SPDX-License-Identifier: Apache-2.0
"""The data file and the files made from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.commands.generated import FILES
from coreloom.design import spec


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_generated_file_is_up_to_date(path: Path) -> None:
    assert path.read_text() == FILES[path](), "run `coreloom generate`"


def test_every_operation_has_a_model() -> None:
    from coreloom.reference.kernel import Kernel

    for op in spec.kernel().ops.values():
        if op.access == "load":
            assert callable(getattr(Kernel, f"_{op.name}"))
