# SPDX-License-Identifier: Apache-2.0
"""Sphinx: the site is the repository's Markdown where it stands (docs/decisions/0057-site.md)."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from coreloom import __version__  # noqa: E402

project = "Coreloom"
author = "The Coreloom authors"
version = release = __version__
language = "en"
extensions = ["myst_parser", "repository"]

root_doc = "docs/README"
include_patterns = [
    "*.md",
    "docs/**.md",
    *(f"{folder}/**.md" for folder in ("apps", "examples", "linux", "policies", "rtl", "runtime")),
    "src/coreloom/scheduling/README.md",
]
exclude_patterns = [".*", "build", "tests", "linux/vm/exclusive", "linux/vm/programs"]

source_suffix = {".md": "markdown"}
highlight_language = "text"
myst_heading_anchors = 4  # the anchors that a code host gives to headings
suppress_warnings = ["toc.not_included"]  # pages below a unit are reached by their unit's page
nitpicky = True

html_theme = "furo"
html_title = f"Coreloom {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = html_use_index = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
