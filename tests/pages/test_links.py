"""Every link of every page leads to a file that is there, and to a heading of it."""

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.pages.markdown import ROOT, anchors, headings, links, pages


def broken(page: Path, text: str) -> list[str]:
    """The links of the page that lead nowhere in this project. Other sites are not asked."""
    wrong = []
    for link in links(text):
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto"):
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not (target.exists() and target.is_relative_to(ROOT) and _has(target, parts.fragment)):
            wrong.append(link)
    return wrong


def _has(target: Path, anchor: str) -> bool:
    return not anchor or anchor in anchors(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page(page: Path) -> None:
    assert broken(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_links_of_a_notebook(notebook: Path) -> None:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    assert broken(notebook, text) == []


def test_a_broken_link_and_anchor_are_seen(tmp_path: Path) -> None:
    page = ROOT / "README.md"
    text = "[a](nowhere.md) [b](CHANGELOG.md#no-such) [c](CHANGELOG.md#changelog) ![d](no.png)"
    assert broken(page, text) == ["nowhere.md", "CHANGELOG.md#no-such", "no.png"]


def test_every_page_is_reached_from_the_first() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        for link in links(page.read_text(encoding="utf-8")):
            path = urlsplit(link).path
            if path and not urlsplit(link).scheme:
                waiting.append((page.parent / unquote(path)).resolve())
    assert [page for page in pages() if page not in reached] == []


def test_a_page_has_one_title_and_no_heading_twice() -> None:
    for page in pages():
        if page.name == "CHANGELOG.md":
            continue
        names = headings(page.read_text(encoding="utf-8"))
        assert len(names) == len(set(names)), page
