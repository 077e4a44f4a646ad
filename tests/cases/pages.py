"""The actions of the page: `render`, and the steps `ui_…` and `new_session`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from retrieval import KnowledgeBase
from tests.cases.case import Case, Expected, UnknownCheck, holds, lacks, problems
from tests.workbench.reading import read_html, text_of
from workbench.cli import APP
from workbench.state import query, shell

Step = Mapping[str, Any]


class PageSession:
    """A user of the app on a knowledge base that changes, and what did not hold on the way."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self._root = root
        self.problems: list[str] = []
        base = root.parent
        settings = f'root = "{root.name}"\n[embedding]\nmodel = "hash:64"\n'
        (base / "knowledge.toml").write_text(settings, encoding="utf-8")
        with KnowledgeBase.open(base) as opened:
            opened.reindex()
        patch.setenv("WORKBENCH_KB", str(base))
        st.cache_resource.clear()  # of an earlier test; within one it lives on, as in a server
        self.app = self._open()

    def run(self, step: Step) -> None:
        """One step; raises `UnknownCheck` for an operation that is not known."""
        if step["op"] == "write":
            (self._root / step["path"]).write_text(step["text"], encoding="utf-8")
        elif step["op"] == "new_session":
            self.app = self._open()
        elif step["op"] == "ui_reindex":
            self.app.run().button(shell.BUILD_INDEX).click().run()
        elif step["op"] == "ui_lookup":
            self.app.text_input(query.TEXT).input(step["query"]).run()
            self._check(step.get("expect", {}), f"{step['query']!r} ")
        else:
            raise UnknownCheck(f"op {step['op']}")

    def finish(self, expected: Expected) -> list[str]:
        """All problems, those of the end included."""
        self._check(expected.get("final", {}), "final ")
        return self.problems

    def _open(self) -> AppTest:
        return AppTest.from_file(str(APP), default_timeout=60).run()

    def _check(self, expected: Mapping[str, Any], where: str) -> None:
        self.problems += problems(_PAGE, self.app, expected, where)
        self.problems += [f"{where}raised {error.message}" for error in self.app.exception]


def judge_render(case: Case, session: PageSession, expected: Expected) -> list[str]:
    """Shows the answer to the case's query and checks the page."""
    session.run({"op": "ui_lookup", "query": case.data["query"], "expect": expected})
    return session.problems


def _has_no_active_html(app: AppTest, wanted: bool) -> Any:
    active = read_html(app).active
    return (not active) == wanted or active


def _has_no_latex(app: AppTest, wanted: bool) -> Any:
    """No field that reads markdown holds an unescaped dollar sign."""
    labels = [str(element.label) for element in (*app.button, *app.selectbox, *app.expander)]
    values = [str(element.value) for kind in ("markdown", "caption") for element in app.get(kind)]
    found = [text for text in (*labels, *values) if "$" in text.replace("\\$", "")]
    return (not found) == wanted or found


_PAGE = {
    "page_contains": holds(text_of),
    "page_not_contains": lacks(text_of),
    "page_text_contains": holds(text_of),
    "no_latex": _has_no_latex,
    "no_script_tag": _has_no_active_html,
    "no_event_handler_attribute": _has_no_active_html,
    "no_javascript_url": _has_no_active_html,
}
