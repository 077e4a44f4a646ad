"""Inputs of failure kinds that users of such stacks report, each on the real product.

The inputs lie in `shared/cases` beside the project, in the form that its README describes. Where
the folder is not there, nothing is tested here.
"""

from pathlib import Path

import pytest

from tests.cases.case import Case, Expected, accept_any, find_cases
from tests.cases.chunking import judge_chunk
from tests.cases.loading import judge_load, load
from tests.cases.lookups import judge_lookups
from tests.cases.matching import judge_match
from tests.cases.pages import PageSession, judge_render
from tests.cases.scoring import judge_metric, judge_record
from tests.cases.steps import Session

CASES = find_cases()
NOT_YET = {"mcp_call": "MCP server"}


@pytest.mark.skipif(not CASES, reason="there is no folder of cases beside the project")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if case.action in NOT_YET:
        pytest.skip(f"the project has no {NOT_YET[case.action]} yet")
    steps = case.data.get("steps", [])
    for name, value in case.data.get("env", {}).items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    root, state = case.stage(tmp_path), tmp_path / "state"

    def judge_page(expected: Expected) -> list[str]:
        with monkeypatch.context() as patch:
            page = PageSession(root, patch)
            if case.action == "render":
                return judge_render(case, page, expected)
            for step in steps:
                page.run(step)
            return page.finish(expected)

    def judge(expected: Expected) -> list[str]:
        if case.action == "load":
            return judge_load(case, root, load(root), expected)
        if case.action == "match":
            return judge_match(load(root), expected)
        if case.action == "chunk":
            most = case.data.get("config", {}).get("max_chars")
            knowledge = load(root, window=most, by_characters=True) if most else load(root)
            return judge_chunk(knowledge, expected)
        if case.action == "lookup":
            return judge_lookups(case, root, state, expected)
        if case.action == "metric":
            return judge_metric(case.data["input"], expected)
        if case.action == "record":
            return judge_record(case.data["input"], tmp_path, expected)
        if case.action == "render" or any(step["op"].startswith("ui_") for step in steps):
            return judge_page(expected)
        assert case.action == "steps"
        session = Session(case, root, state)
        for step in steps:
            session.run(step)
        return session.finish(expected)

    accept_any(case, judge)
