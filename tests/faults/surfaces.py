"""The surfaces, each asked the same question, each telling the same few facts of its answer."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest
import streamlit as st
from mcp.client.client import Client
from streamlit.testing.v1 import AppTest

from eval_sets import run
from eval_sets.types import Case, EvalSet
from retrieval import KnowledgeBase
from retrieval.cli.program import main
from retrieval.contract import json_schema
from retrieval.errors import RetrievalError
from retrieval.tools.mcp.server import build_server
from retrieval.types import ErrorInfo
from tests.faults.faults import Fault
from tests.faults.site import QUERY, RIGHT, Site
from tests.workbench.reading import text_of
from workbench.cli import APP
from workbench.launch import Launch
from workbench.state import query as page

SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a caller learns. `stopped` is the error that stood in the place of any answer."""

    outcome: str | None = None
    layer: str | None = None
    l1: str | None = None
    semantic_support: bool = False
    level: str | None = None
    confidence: float = 0.0
    sources: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    """Of L0's hints."""
    warnings: tuple[ErrorInfo, ...] = ()
    invocation: str | None = None
    stopped: ErrorInfo | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(warning.code for warning in self.warnings)


Ask = Callable[[Fault | None], Facts]
"""Asks `QUERY`. A fault that the surface has to be told of is given."""


@contextmanager
def query_command(site: Site, capsys: pytest.CaptureFixture[str]) -> Iterator[Ask]:
    """`lookup-knowledge query --json`. Without an index it is told to go on without one."""

    def ask(fault: Fault | None) -> Facts:
        capsys.readouterr()
        extra = ["--fault", "l1-timeout"] if fault and fault.built_in else []
        code = main(["query", QUERY, "--kb", str(site.folder), "--no-index", "--json", *extra])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        answer = json.loads(said.out)
        assert code == (0 if answer.get("outcome") in ("evidence", "fallback") else 1)
        return _facts(answer) if "outcome" in answer else _stopped(answer["error"])

    yield ask


@contextmanager
def mcp(site: Site, _: pytest.CaptureFixture[str]) -> Iterator[Ask]:
    """The tool `lookup_knowledge` of an MCP server that stays up."""
    with KnowledgeBase.open(site.folder) as base:
        servers: list[Any] = []

        def ask(_: Fault | None) -> Facts:
            async def call() -> Facts:
                if not servers:
                    servers.append(build_server(base))
                async with Client(servers[0]) as client:
                    result = await client.call_tool("lookup_knowledge", {"query": QUERY})
                jsonschema.validate(result.structured_content, json_schema())
                assert result.is_error == (result.structured_content["outcome"] == "error")
                return _facts(result.structured_content)

            try:
                return asyncio.run(call())
            except RetrievalError as error:
                return Facts(stopped=error.info())

        yield ask


@contextmanager
def workbench(site: Site, _: pytest.CaptureFixture[str]) -> Iterator[Ask]:
    """The page Query; what it shows has to agree with the result that it holds."""
    with pytest.MonkeyPatch.context() as patch:
        environ: dict[str, str] = {}
        Launch(kb=site.folder).write_to(environ)
        for name, value in environ.items():
            patch.setenv(name, value)
        app = AppTest.from_file(str(APP), default_timeout=SECONDS)

        def ask(_: Fault | None) -> Facts:
            if page.RUNS in app.session_state:
                app.button(page.RUN).click().run()
            else:
                app.run().text_input(page.TEXT).input(QUERY).run()
            assert not app.exception, app.exception
            if app.error:
                return Facts(stopped=ErrorInfo(code="shown", message=app.error[0].value))
            result = list(app.session_state[page.RUNS].values())[-1]
            facts = _facts(result.to_dict())
            shown = text_of(app)
            assert facts.sources[0] in shown
            assert ("Fallback" in shown) == (facts.outcome == "fallback")
            for warning in facts.warnings:
                stated = "changed since" if warning.code == "index_stale" else warning.message
                assert _words(stated) in _words(shown), warning
            return facts

        try:
            yield ask
        finally:
            st.cache_resource.clear()


@contextmanager
def evaluation(site: Site, _: pytest.CaptureFixture[str]) -> Iterator[Ask]:
    """A run of one query with the variant `l0+l1`."""
    case = Case(id="wifi", query=QUERY, relevant={RIGHT: 1})
    labelled = EvalSet(
        name="one", folder=site.folder, root=site.notes, knowledge_base=site.folder, cases=(case,)
    )
    with KnowledgeBase.open(site.folder) as base:

        def ask(fault: Fault | None) -> Facts:
            variant = "l0+l1:fault=l1-timeout" if fault and fault.built_in else "l0+l1"
            try:
                report = run(labelled, base, [variant], faults=(), cache=False, resamples=100)
            except RetrievalError as error:
                return Facts(stopped=error.info())
            (row,) = report.rows
            assert row.relevance is not None, row.error
            warnings = (*([row.error] if row.error else []), *_texts(report.warnings))
            return Facts(
                outcome=row.outcome,
                layer=row.retrieval_layer,
                l1=row.l1_status,
                semantic_support=row.relevance.semantic_support,
                level=row.relevance.level,
                confidence=row.relevance.confidence,
                sources=tuple(ranked.source for ranked in row.ranking),
                warnings=warnings,
            )

        yield ask


Surface = Callable[[Site, pytest.CaptureFixture[str]], AbstractContextManager[Ask]]
SURFACES: dict[str, Surface] = {
    "query": query_command,
    "mcp": mcp,
    "workbench": workbench,
    "eval": evaluation,
}


def _facts(answer: dict[str, Any]) -> Facts:
    warnings = [*answer["warnings"], *([answer["error"]] if answer["error"] else [])]
    return Facts(
        outcome=answer["outcome"],
        layer=answer["retrieval_layer"],
        l1=answer["l1"]["status"],
        semantic_support=answer["relevance"]["semantic_support"],
        level=answer["relevance"]["level"],
        confidence=answer["relevance"]["confidence"],
        sources=tuple(block["source"] for block in answer["evidence_blocks"]),
        titles=tuple(answer["l0_hints"]["titles"]),
        warnings=tuple(ErrorInfo(**warning) for warning in warnings),
        invocation=answer["invocation_id"],
    )


def _stopped(error: dict[str, str]) -> Facts:
    return Facts(stopped=ErrorInfo(**error))


def _texts(warnings: tuple[str, ...]) -> list[ErrorInfo]:
    """An evaluation's warnings are sentences that end in what to do."""
    return [ErrorInfo(code="told", message=text, next_action=text) for text in warnings]


def _words(text: str) -> str:
    """The text without what marks and escapes add."""
    return "".join(char for char in text if char.isalnum())
