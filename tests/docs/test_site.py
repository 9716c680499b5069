# SPDX-License-Identifier: Apache-2.0
"""The site as `make docs` builds it: its links, and what a person sees, clicks and searches in a browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from coreloom.files import file_lock
from coreloom.paths import ROOT

pytestmark = pytest.mark.docs

FIRST = "docs/README.html"
WIDE, NARROW = 1300, 390


class Page(HTMLParser):
    """Where a page's links lead, what it loads, and the places in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places.add(given.get("id", ""))
        if tag == "a":
            self.links.append(given.get("href", ""))
        else:
            self.loads += [given[name] for name in ("src", "href", "data") if name in given]


class Site:
    """All pages, by their path in the site."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pages = {path.relative_to(root).as_posix(): Page(path) for path in sorted(root.rglob("*.html"))}

    def leads(self, page: str) -> Iterator[tuple[str, str]]:
        """Path and place of each link within the site."""
        for link in self.pages[page].links:
            target = urlsplit(urljoin(page, link))
            if not target.scheme:
                yield unquote(target.path) or page, unquote(target.fragment)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason="`make setup-docs` installs what builds the site")
    base = tmp_path_factory.getbasetemp()
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    with file_lock(root.with_suffix(".lock")):  # one build for all workers
        if not (root / "index.html").is_file():
            done = subprocess.run(
                [*command, "-c", "docs/site", ".", root], cwd=ROOT, capture_output=True, text=True
            )
            assert (done.stderr, done.returncode) == ("", 0)
    return Site(root)


def test_links_lead_to_pages_and_places_in_them(site: Site) -> None:
    wrong = {
        (page, path, place)
        for page in site.pages
        for path, place in site.leads(page)
        if not (site.root / path).is_file()
        or (place and path in site.pages and place not in site.pages[path].places)
    }
    assert wrong == set()


def test_every_page_is_reached_from_the_first(site: Site) -> None:
    todo = [FIRST]
    for page in todo:
        todo += {path for path, _ in site.leads(page) if path in site.pages} - set(todo)
    assert site.pages.keys() - set(todo) == {"index.html", "search.html"}


def test_nothing_is_loaded_from_elsewhere(site: Site) -> None:
    loads = {load for page in site.pages.values() for load in page.loads}
    styles = (
        text
        for path in site.root.rglob("*.css")
        for text in re.findall(r"(?:url\(|@import )([^)]*)", path.read_text())
    )
    assert [load for load in {*loads, *styles} if re.match(r"[\"']?(https?:)?//", load)] == []
    assert len(loads) > 10


def test_the_four_readers_are_the_navigation(site: Site) -> None:
    text = (site.root / FIRST).read_text(encoding="utf-8")
    captions = re.findall(r'class="caption-text">([^<]*)<', text)
    assert captions[:4] == ["Programmer", "SoC builder", "Lecturer or researcher", "Linux operator"]


# --- in a browser --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(site: Site) -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="`make setup-docs` installs the driver")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_api.sync_playwright() as driver:
        if found is None and not Path(driver.chromium.executable_path).is_file():
            pytest.skip("there is no browser: install chromium, or run `playwright install chromium`")
        made = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(scope="module")
def address(site: Site) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site.root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(params=[(WIDE, "light"), (WIDE, "dark"), (NARROW, "light"), (NARROW, "dark")], ids=str)
def page(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Any]:
    """A window; at its end nothing was asked of another host, and no script has failed."""
    width, scheme = request.param
    made = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    elsewhere: list[str] = []
    made.on("request", lambda asked: None if asked.url.startswith(address) else elsewhere.append(asked.url))
    made.on("pageerror", lambda error: elsewhere.append(str(error)))
    made.goto(address)
    made.wait_for_url(f"**/{FIRST}")
    yield made
    made.close()
    assert elsewhere == []


def _brightness(page: Any, what: str) -> float:
    colour = page.evaluate(f"getComputedStyle(document.body).{what}")
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3


def _fits(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_every_page_fits_a_narrow_window(browser: Any, site: Site) -> None:
    page = browser.new_page(viewport={"width": NARROW, "height": 900})
    wide = []
    for name in site.pages:
        if not name.startswith(("source/", "index")):
            page.goto((site.root / name).as_uri())
            wide += [] if _fits(page) else [name]
    page.close()
    assert wide == []


def _follow(page: Any, name: str) -> None:
    """A link of the navigation; in a narrow window its menu is opened first."""
    if page.viewport_size["width"] == NARROW:
        page.click(".nav-overlay-icon")
    page.click(f".sidebar-tree a:text-is('{name}')")


def test_a_reader_follows_the_navigation(page: Any) -> None:
    _follow(page, "Tutorial")
    page.wait_for_url("**/docs/tutorial.html")
    assert page.inner_text("h1").startswith("Tutorial")
    assert _fits(page)
    page.click("article a:has-text('data sheet')")
    page.wait_for_url("**/docs/reference/datasheet-soc.html")
    assert page.evaluate("[...document.images].length") >= 3
    page.wait_for_function("[...document.images].every(image => image.complete || image.scrollIntoView())")
    assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)")
    assert _fits(page)


def test_a_reader_searches(page: Any) -> None:
    if page.viewport_size["width"] == NARROW:
        page.click(".nav-overlay-icon")
    page.fill("input[name=q]", "waveform")
    page.press("input[name=q]", "Enter")
    page.wait_for_selector("ul.search li a")
    page.click("ul.search li a:has-text('Data sheet: hardware kernel')")
    page.wait_for_url("**/docs/reference/datasheet-kernel.html*")
    assert "Waveforms" in page.inner_text("article")


def test_light_and_dark(page: Any) -> None:
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    text, ground = _brightness(page, "color"), _brightness(page, "backgroundColor")
    assert (ground < 40 and text > 180) if dark else (ground > 230 and text < 60)
    button = (
        ".mobile-header .theme-toggle" if page.viewport_size["width"] == NARROW else ".content .theme-toggle"
    )
    page.click(button)
    assert page.evaluate("document.body.dataset.theme") in ("light", "dark")


def test_search_works_without_a_server(browser: Any, site: Site) -> None:
    page = browser.new_page()
    page.goto(f"{(site.root / 'search.html').as_uri()}?q=deadlock")
    page.wait_for_selector("ul.search li a")
    assert page.locator("ul.search li").count() > 3
    page.close()
