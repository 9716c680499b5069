# SPDX-License-Identifier: Apache-2.0
"""What a wheel has besides the Python package: all that programs and SoCs are made of (src/coreloom/paths.py)."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_DATA = (
    *("apps", "examples", "linux", "platforms", "policies", "rtl", "runtime", "docs/results/data"),
    *("docs/exclusive.md", "docs/lagmeter.md", "docs/scx_dwrr.md", "CHANGELOG.md"),
)


class Data(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable install works on the checkout itself."""
        if version == "standard":
            build_data["force_include"].update({path: f"coreloom/data/{path}" for path in _DATA})
