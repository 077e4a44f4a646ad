from pathlib import Path
from typing import Any

import pytest

from eval_sets.asking import (
    Asking,
    RecordedApart,
    ask_all,
    ask_and_record,
    holds_hints,
    recorded_apart,
)
from eval_sets.types import EvalSet
from eval_sets.variants import open_variant, parse_variant
from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import L0Hints, LookupResult
from tests.eval_sets.lab import MODEL


class CrashingBase(KnowledgeBase):
    """Crashes on queries with a word."""

    word = "guest"

    def lookup(self, query: str, **options: Any) -> LookupResult:
        if self.word in query:
            raise ZeroDivisionError("division by zero")
        return super().lookup(query, **options)


class ForgetfulBase(RecordedApart):
    """Reads no record back."""

    def recorded_details(self) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize("workers", [1, 4])
def test_a_crash_is_a_row_and_the_others_go_on(
    small: EvalSet, tmp_path: Path, workers: int
) -> None:
    settings = {"state_dir": tmp_path, "embedding": {"model": MODEL}}
    asking = Asking(variant="v", depth=5, workers=workers)
    with CrashingBase.open(small.knowledge_base, settings) as base:
        rows = ask_all(base, small.cases, asking)
    assert [row.case_id for row in rows] == [case.id for case in small.cases]
    crashed = [row for row in rows if row.status == "failed"]
    assert [row.case_id for row in crashed] == ["exact-2"]
    assert crashed[0].error is not None
    assert (crashed[0].error.code, crashed[0].error.message) == (
        "ZeroDivisionError",
        "division by zero",
    )
    assert crashed[0].latency_ms is not None
    assert crashed[0].ranking == ()


def _open(kind: type[RecordedApart], base: KnowledgeBase) -> Any:
    return lambda state: open_variant(base, parse_variant("l0+l1"), opened=kind)


def test_records_are_read_back(small: EvalSet, base: KnowledgeBase) -> None:
    asking = Asking(variant="v", depth=5, fault="l1-raises", workers=4)
    with recorded_apart(_open(RecordedApart, base)) as opened:
        rows = ask_and_record(opened, small.cases, asking)
        assert len(opened.recorded_details()) == len(small.cases)
    assert all(row.hints_recorded for row in rows)
    assert {row.l1_status for row in rows} == {"failed"}


def test_a_record_that_is_lost_shows(small: EvalSet, base: KnowledgeBase) -> None:
    with recorded_apart(_open(ForgetfulBase, base)) as opened:
        rows = ask_and_record(opened, small.cases[:2], Asking(variant="v", depth=5))
    assert [row.hints_recorded for row in rows] == [False, False]


HINTS = L0Hints(titles=("Refund policy",), keywords=("refund", "money back"), domains=("billing",))


@pytest.mark.parametrize(
    ("stored", "held"),
    [
        ({"titles": ["Refund policy"], "keywords": ["refund", "money back"]}, True),
        ({"titles": ["Refund pol…"], "keywords": ["refund"]}, True),
        ({"titles": [], "keywords": ["refund"]}, False),
        ({"titles": ["Refund policy"], "keywords": ["money back"]}, False),
        ({"titles": ["Refund policy", "More"], "keywords": ["refund"]}, False),
        ({"keywords": ["refund"]}, False),
    ],
)
def test_a_record_may_shorten_hints_but_not_lose_them(
    stored: dict[str, list[str]], held: bool
) -> None:
    details = {"l0_hints": {"domains": ["billing"], "entities": [], **stored}}
    assert holds_hints(details, HINTS) is held


def test_a_record_without_hints_holds_none() -> None:
    assert not holds_hints({}, L0Hints())
    assert holds_hints({"l0_hints": {}}, L0Hints())


def test_the_error_of_a_lookup_keeps_its_code(small: EvalSet, base: KnowledgeBase) -> None:
    class Refusing(KnowledgeBase):
        def lookup(self, query: str, **options: Any) -> LookupResult:
            raise RetrievalError("No.", next_action="Stop.")

    with open_variant(base, parse_variant("l0"), opened=Refusing) as opened:
        (row,) = ask_all(opened, small.cases[:1], Asking(variant="v", depth=5))
    assert row.error is not None
    assert (row.error.code, row.error.next_action) == ("retrieval_error", "Stop.")
