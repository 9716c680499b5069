# SPDX-License-Identifier: Apache-2.0
"""A Sphinx extension: makes the repository's own links work on the site.

- The navigation is what docs/README.md links to, under its headings, tables left out.
- A link to a folder leads to its README, or to a list of its files; a link to any other file that is no page
  leads to a page that shows it.
- index.html leads to the first page.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound
from sphinx.addnodes import download_reference, pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.osutil import relative_uri

SOURCE = "source/"  # of the pages that show files
LONGEST = 200_000  # letters of a file that is shown


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", navigation)
    app.connect("doctree-read", lead_links, priority=400)  # before Sphinx collects files to download
    app.connect("env-purge-doc", forget)
    app.connect("html-collect-pages", source_pages)
    app.connect("build-finished", first_page)
    return {"parallel_read_safe": False, "env_version": 1}


def navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """A section of the first page is one of the navigation, with its links outside of tables."""
    if page != app.config.root_doc:
        return
    trees, listed = [], set()
    for section in re.split(r"^(?=## )", source[0], flags=re.MULTILINE):
        entries = []
        for title, link in re.findall(r"\[([^]]+)\]\(([^)#]+\.md)\)", re.sub(r"(?m)^\|.*", "", section)):
            target = os.path.normpath(Path(page).parent / link).removesuffix(".md")
            if target not in listed:
                listed.add(target)
                entries.append(f"{title} </{target}>")
        caption = re.findall(r"^## (.*)", section)
        options = [":hidden:", *(f":caption: {text}" for text in caption)]
        trees.append("\n".join(["```{toctree}", *options, "", *entries, "```"]))
    source[0] += "\n\n" + "\n\n".join(trees)


def lead_links(app: Sphinx, tree: nodes.document) -> None:
    """Links to files and folders become links to their pages."""
    page = app.env.docname
    shown = _shown(app)[page] = set()
    for node in [*tree.findall(download_reference), *tree.findall(pending_xref)]:
        link = node["reftarget"].split("#")[0]
        if node.get("refdomain") == "doc":
            if link in app.env.found_docs:
                continue
            link = os.path.relpath(f"{link}.md", Path(page).parent)
        path = os.path.normpath(Path(page).parent / link)
        if path.startswith("..") or not (app.srcdir / path).exists():
            continue  # Sphinx says that nothing is there
        target = f"{path}/README"
        if target not in app.env.found_docs:
            target = SOURCE + path
            shown.add(path)
        reference = nodes.reference("", "", *node.children, internal=True, refuri=_link(page, target))
        node.replace_self(reference)


def _link(page: str, target: str) -> str:
    return relative_uri(f"{page}.html", f"{target}.html")


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    _shown(app).pop(page, None)


def _shown(app: Sphinx) -> dict[str, set[str]]:
    """By page the files and folders that it links to, kept from one build to the next."""
    if not hasattr(app.env, "coreloom_shown"):
        app.env.coreloom_shown = {}  # type: ignore[attr-defined]
    return app.env.coreloom_shown  # type: ignore[attr-defined,no-any-return]


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each file and folder that is linked to, and for what is in these folders."""
    todo = sorted(set().union(*_shown(app).values()))
    for path in todo:  # which grows
        file = app.srcdir / path
        body = _code(file) if file.is_file() else ""
        if not body:
            entries = []
            for entry in sorted(file.iterdir()):
                if entry.name.startswith((".", "__")):
                    continue
                page = f"{path}/{entry.name}".removesuffix(".md")
                title = entry.name
                if page in app.env.found_docs:
                    title = app.env.titles[page].astext()
                else:
                    page = f"{SOURCE}{path}/{entry.name}"
                    if f"{path}/{entry.name}" not in todo:
                        todo.append(f"{path}/{entry.name}")
                entries.append(f'<li><a href="{_link(SOURCE + path, page)}">{html.escape(title)}</a></li>')
            body = f"<ul>{''.join(entries)}</ul>"
        title = html.escape(path)
        yield (
            SOURCE + path,
            {"title": title, "body": f"<h1>{title}</h1>{body}", "sourcename": ""},
            "page.html",
        )


def _code(file: Path) -> str:
    text = file.read_bytes()[: LONGEST + 1].decode(errors="replace")
    if len(text) > LONGEST or "\0" in text:
        return f"<p>{file.stat().st_size} bytes, in the repository only.</p>"
    try:
        lexer = get_lexer_for_filename(file.name)
    except ClassNotFound:
        lexer = TextLexer()
    code = highlight(text, lexer, HtmlFormatter(linenos="inline"))
    return f'<div class="highlight-default notranslate">{code}</div>'


def first_page(app: Sphinx, failed: Exception | None) -> None:
    if failed is None and app.builder.name == "html":
        uri = app.builder.get_target_uri(app.config.root_doc)
        (Path(app.outdir) / "index.html").write_text(
            f'<!doctype html><meta charset="utf-8"><title>Coreloom</title>'
            f'<meta http-equiv="refresh" content="0; url={uri}"><a href="{uri}">Coreloom</a>\n'
        )
