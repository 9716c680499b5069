# SPDX-License-Identifier: Apache-2.0
"""What files that are generated say of their licence."""


def tag(name: str = "Apache-2.0") -> str:
    """The line's text. In two parts: a checker would take it for this file's own."""
    return "SPDX-License-" + f"Identifier: {name}"
