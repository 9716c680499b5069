# SPDX-License-Identifier: Apache-2.0
"""A Sphinx extension: makes the repository's own links work on the site.

- The navigation is what docs/README.md links to, under its headings.
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
from sphinx.util.osutil import relative_uri

SOURCE = "source/"  # of the pages that show files
LANGUAGES = {".h": "c", ".core": "yaml", ".tera": "text"}


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", navigation)
    app.connect("doctree-read", lead_links, priority=400)  # before Sphinx collects files to download
    app.connect("html-collect-pages", source_pages)
    app.connect("build-finished", first_page)
    return {"parallel_read_safe": False, "env_version": 1}


def navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Each section of the first page is one of the navigation, with its links in their order."""
    if page != app.config.root_doc:
        return
    trees, listed = [], set()
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE)[1:]:
        entries = []
        for title, link in re.findall(r"\[([^]]+)\]\(([^)#]+\.md)\)", section):
            target = os.path.normpath(Path(page).parent / link).removesuffix(".md")
            if target not in listed:
                listed.add(target)
                entries.append(f"{title} </{target}>")
        caption = section.splitlines()[0]
        trees.append("\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *entries, "```"]))
    source[0] += "\n\n" + "\n\n".join(trees)


def lead_links(app: Sphinx, tree: nodes.document) -> None:
    """Links to files and folders become links to their pages."""
    page = app.env.docname
    for node in [*tree.findall(download_reference), *tree.findall(pending_xref)]:
        if node.get("refdomain") == "doc":
            continue
        path = _path(app, page, node["reftarget"].split("#")[0])
        if not path or not (app.srcdir / path).exists():
            continue  # Sphinx says that nothing is there
        readme = f"{path}/README"
        if readme in app.env.found_docs:
            target = readme
        else:
            target = SOURCE + path
            _shown(app).setdefault(page, set()).add(path)
        link = nodes.reference("", "", internal=True, refuri=relative_uri(app.builder.get_target_uri(page), f"{target}.html"))
        link += node.children
        node.replace_self(link)


def _path(app: Sphinx, page: str, link: str) -> str:
    """A link's path from the root; "" if it is outside."""
    path = os.path.normpath(Path(page).parent / link)
    return "" if path.startswith("..") else path


def _shown(app: Sphinx) -> dict[str, set[str]]:
    """By page the files and folders that it links to; kept with what Sphinx knows of a page from one build to the next."""
    if not hasattr(app.env, "coreloom_shown"):
        app.env.coreloom_shown = {}  # type: ignore[attr-defined]
    return app.env.coreloom_shown  # type: ignore[attr-defined,no-any-return]


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    todo = sorted(set().union(*_shown(app).values()))
    done = set(todo)
    while todo:
        path = todo.pop()
        file = app.srcdir / path
        if file.is_dir():
            names = sorted(f"{path}/{entry.name}" for entry in file.iterdir() if not entry.name.startswith((".", "__")))
            body = "".join(f"<li>{_entry(app, path, name)}</li>" for name in names)
            more = [name for name in names if not name.endswith(".md") and name not in done]
            done.update(more)
            todo += more
            body = f"<ul>{body}</ul>"
        else:
            body = _code(file)
        title = html.escape(path)
        context = {"title": title, "body": f"<h1>{title}</h1>{body}", "sourcename": ""}
        yield SOURCE + path, context, "page.html"


def _entry(app: Sphinx, folder: str, path: str) -> str:
    """A line of a folder's list."""
    page = path.removesuffix(".md")
    known = path.endswith(".md") and page in app.env.found_docs
    uri = f"{page}.html" if known else f"{SOURCE}{path}.html"
    title = app.env.titles[page].astext() if known else Path(path).name
    if path.endswith(".md") and not known:
        return html.escape(title)
    return f'<a href="{relative_uri(f"{SOURCE}{folder}.html", uri)}">{html.escape(title)}</a>'


def _code(file: Path) -> str:
    try:
        text = file.read_text()
    except UnicodeDecodeError:
        return f"<p>{file.stat().st_size} bytes, not a text.</p>"
    try:
        lexer = get_lexer_for_filename(file.name)
    except ClassNotFound:
        lexer = TextLexer()
    return f'<div class="highlight-default notranslate">{highlight(text, lexer, HtmlFormatter(linenos="inline"))}</div>'


def first_page(app: Sphinx, failed: Exception | None) -> None:
    if failed is None and app.builder.name == "html":
        uri = app.builder.get_target_uri(app.config.root_doc)
        (Path(app.outdir) / "index.html").write_text(
            f'<!doctype html><meta charset="utf-8"><title>Coreloom</title>'
            f'<meta http-equiv="refresh" content="0; url={uri}"><a href="{uri}">Coreloom</a>\n'
        )
