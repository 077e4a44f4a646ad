import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from retrieval import KnowledgeBase, alookup_knowledge, lookup_knowledge
from retrieval.options import FIXED_OPTIONS
from retrieval.settings import LookupSection
from retrieval.tools.retriever import KnowledgeRetriever
from retrieval.why import explain_absence
from tests.notes import write_notes

HASH = {"embedding": {"model": "hash:64"}}
CALL = {*FIXED_OPTIONS, "filters", "fault"}
WHOLE = {*CALL, "scope"}
RECORD = {"kb", "caller", "session_id", "record"}


@pytest.mark.parametrize(
    ("function", "named", "options"),
    [
        (KnowledgeBase.lookup, {"self", "query"}, WHOLE),
        (KnowledgeBase.alookup, {"self", "query"}, WHOLE),
        (KnowledgeBase.as_retriever, {"self"}, WHOLE),
        (
            KnowledgeBase.as_tool,
            {"self", "filters", "session_id", "record"},
            {*FIXED_OPTIONS},
        ),
        (lookup_knowledge, {"query", *RECORD}, WHOLE),
        (alookup_knowledge, {"query", *RECORD}, WHOLE),
        (explain_absence, {"kb", "query", "source"}, CALL),
    ],
)
def test_help_lists_every_option(
    function: Callable[..., Any], named: set[str], options: set[str]
) -> None:
    parameters = inspect.signature(function).parameters
    assert set(parameters) == named | options
    for name in options:
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default is None
        assert type(None) in get_args(parameters[name].annotation)


def test_what_a_call_leaves_out_is_a_setting() -> None:
    assert set(FIXED_OPTIONS) <= set(LookupSection.model_fields)


def test_an_option_that_does_not_exist_is_a_type_error(tmp_path: Path) -> None:
    kb = KnowledgeBase.open(write_notes(tmp_path), HASH)
    wrong: dict[str, Any] = {"topk": 3}
    scope: dict[str, Any] = {"scope": {"tenant": "acme"}}
    calls: list[Callable[[], object]] = [
        lambda: kb.lookup("refund", **wrong),
        lambda: lookup_knowledge("refund", kb=kb, **wrong),
        lambda: explain_absence(kb, "refund", "a.md", **wrong),
        lambda: explain_absence(kb, "refund", "a.md", **scope),
        lambda: KnowledgeRetriever(kb, **wrong).retrieve("refund"),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"\(\) got an unexpected keyword argument"):
            call()
