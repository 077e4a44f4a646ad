"""Hostile notes in the workbench, in reports and in what is copied: shown as text, never active."""

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
import streamlit as st
from markdown_it import MarkdownIt
from streamlit.testing.v1 import AppTest

from eval_sets import run
from eval_sets.report import build_document, to_html, to_markdown
from eval_sets.types import Case, EvalSet
from retrieval import KnowledgeBase
from tests.security.hostile import ALL, HTML, MARKDOWN, write_hostile_notes
from tests.workbench.reading import read_html, text_of
from workbench.cli import APP
from workbench.launch import Launch
from workbench.presenters.copying import as_command, as_python
from workbench.services.lookups import LookupChoice
from workbench.state import query as page

ACTIVE = re.compile(r"<(script|img|a|iframe|svg|object|embed)\b", re.IGNORECASE)
QUERY = f"parking permit {ALL}"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile_notes(folder / "notes")
    config = 'root = "notes"\n[embedding]\nmodel = "hash:64"\n'
    (folder / "knowledge.toml").write_text(config, encoding="utf-8")
    with KnowledgeBase.open(folder) as base:
        base.reindex()
    return folder


@pytest.fixture
def app(kb: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The page Query with a hostile question asked, why-not and a comparison open."""
    environ: dict[str, str] = {}
    Launch(kb=kb).write_to(environ)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    app = AppTest.from_file(str(APP), default_timeout=120)
    app.run().text_input(page.TEXT).input(QUERY).run()
    yield app
    st.cache_resource.clear()


def check_quiet(app: AppTest) -> None:
    """No element of the page runs, fetches or links anything of a note."""
    assert not app.exception
    assert read_html(app).active == []
    for kind in ("markdown", "caption", "warning", "error", "info", "success"):
        for element in app.get(kind):
            assert not getattr(element.proto, "allow_html", False)
            rendered = MarkdownIt("commonmark", {"html": False}).render(str(element.value))
            assert not ACTIVE.search(rendered), element.value
            assert ":red[" not in str(element.value)
    labels = [w.label for kind in ("button", "toggle", "expander") for w in app.get(kind)]
    assert not any("javascript:alert" in label and "\\" not in label for label in labels)


def test_the_query_page_shows_hostile_notes_as_text(app: AppTest) -> None:
    check_quiet(app)
    shown = text_of(app)
    assert "<script>alert(1)</script>" in shown
    assert ":red[r]" in shown


def test_why_not_and_an_open_note_show_them_as_text(app: AppTest) -> None:
    app.selectbox(page.WHY_SOURCE).set_value("lines.md").run()
    check_quiet(app)
    opened = next(button for button in app.button if button.label == "Open note")
    opened.click().run()
    check_quiet(app)


def test_a_comparison_shows_them_as_text(app: AppTest) -> None:
    app.toggle(page.COMPARE).set_value(True).run()
    app.segmented_control(page.side_key("b", "mode")).set_value("l0").run()
    check_quiet(app)


@pytest.mark.parametrize(
    "query", [QUERY, "a'b\"c`id`$(id) $HOME !! ; rm -rf ~ # \\ \n x", "-x", "--kb"]
)
def test_what_is_copied_asks_the_same_and_runs_nothing_else(query: str) -> None:
    choice = LookupChoice(filters={"category": ("$(id)'; x", 'b"`')})
    words = shlex.split(as_command(query, choice, Path("/a b'$(id)")))
    assert words[:2] == ["lookup-knowledge", "query"]
    assert query in words
    assert not {"rm", "id", ";"} & set(words)
    calls = list(ast.walk(ast.parse(as_python(query, choice, Path("/a b'$(id)")))))
    texts = [node.value for node in calls if isinstance(node, ast.Constant)]
    assert query in texts


def test_a_comment_in_what_is_copied_stays_a_comment() -> None:
    choice = LookupChoice(filters={"field\nrm -rf ~": ("a,b",), "x\u2028y\r": ("a,b",)})
    command = as_command("vpn", choice, None)
    assert len(command.splitlines()) == 1
    assert "rm" not in shlex.split(command, comments=True)


class Page(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.handlers: set[str] = set()
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.handlers.update(name for name, _ in attrs if name.startswith("on"))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def report(kb: Path):  # type: ignore[no-untyped-def]
    """A real run whose set, strata, ids, queries and notes are hostile."""
    with KnowledgeBase.open(kb) as base:
        sources = [entry.source for entry in base.entries]
        cases = tuple(
            Case(
                id=f"{n} {HTML} {MARKDOWN}",
                query=f"parking {QUERY} {n}",
                relevant={source: 1},
                stratum=f"{MARKDOWN} {HTML}",
            )
            for n, source in enumerate(sources)
        )
        own = EvalSet(name=ALL, folder=kb, root=kb / "notes", knowledge_base=kb, cases=cases)
        found = run(own, base, ["l0", "l0+l1"], cache=False, resamples=100)
    return replace(found, warnings=(*found.warnings, ALL))


def test_the_html_report_shows_them_as_text(report) -> None:  # type: ignore[no-untyped-def]
    page = Page(to_html(build_document(report)))
    assert not {"script", "img", "iframe", "object", "embed"} & page.tags
    assert page.handlers == set()
    assert "alert(1)" in "".join(page.text)


def test_the_markdown_report_shows_them_as_text(report) -> None:  # type: ignore[no-untyped-def]
    rendered = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(
        to_markdown(build_document(report))
    )
    page = Page(rendered)
    assert not {"script", "img", "a", "iframe"} & page.tags
    assert page.handlers == set()
    assert "alert(1)" in "".join(page.text)


def test_every_use_of_html_goes_through_one_module() -> None:
    """`st.html` is given what presenters made, and nothing allows HTML in Markdown."""
    root = Path(APP).parent
    make: Callable[[Path], str] = lambda path: path.read_text(encoding="utf-8")  # noqa: E731
    for path in root.rglob("*.py"):
        assert "unsafe_allow_html" not in make(path), path
        if "Markup(" in make(path):
            assert path.parent.name == "presenters", path
