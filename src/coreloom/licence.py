# SPDX-License-Identifier: Apache-2.0
"""The licence lines of generated files."""


def tag(name: str = "Apache-2.0") -> str:
    """The line's text. In two parts: a checker would take it for this file's own."""
    return "SPDX-License-" + f"Identifier: {name}"
