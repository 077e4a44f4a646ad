import asyncio
import sys
from typing import Any

import pytest
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata

from eval_sets.harness import run
from eval_sets.ragas_metrics import check_ragas, is_ragas, load_judge, score_with_ragas
from eval_sets.types import EvalSet, Mean
from retrieval.errors import InvalidInput, MissingExtra
from retrieval.knowledge_base import KnowledgeBase
from tests.builders import entry
from tests.eval_sets.samples import by_id, case, failed, row

ID_PRECISION, ID_RECALL = "ragas.id_context_precision", "ragas.id_context_recall"
TEXT_PRECISION, TEXT_RECALL = "ragas.nonllm_context_precision", "ragas.nonllm_context_recall"
JUDGED = tuple(
    f"ragas.llm_{name}" for name in ("context_precision", "context_recall", "context_relevance")
)
ENTRIES = (
    entry("a", "A", "A refund takes five days and goes back to the card."),
    entry("a2", "A2", "A refund takes six days and goes back to the card."),
    entry("b", "B", "Visitors join the guest network with a code."),
    entry("c", "C", "The shuttle leaves every twenty minutes."),
)
CASES = by_id(
    case("q1", relevant={"a": 3, "b": 1}, exclude=("c",)),
    case("q2", relevant={"b": 1}),
    case("q3", expect_no_answer=True),
)


class Judge(CustomLLM):
    """Finds every context useful; is down for questions with a word."""

    down_for: str = "never asked"

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="fixed")

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        if self.down_for in prompt:
            raise ConnectionError("the judge is down")
        if "verdict" in prompt:
            return CompletionResponse(text='{"reason": "so", "verdict": 1}')
        if "classifications" in prompt:
            said = '{"statement": "s", "reason": "so", "attributed": %d}'
            both = f"{said % 1}, {said % 0}"
            return CompletionResponse(text=f'{{"classifications": [{both}]}}')
        return CompletionResponse(text="1")

    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        raise NotImplementedError


def make_judge() -> Judge:
    return Judge()


JUDGE = Judge()


def test_ids_are_scored_without_what_is_excluded() -> None:
    rows = (row("q1", "a", "c", "a2", "a"), row("q2", "a"), row("q3", "a"))
    scores = score_with_ragas(rows, CASES, ENTRIES, [ID_PRECISION, ID_RECALL])
    assert scores[ID_PRECISION] == {"q1": 0.5, "q2": 0.0, "q3": None}
    assert scores[ID_RECALL] == {"q1": 0.5, "q2": 0.0, "q3": None}


def test_nothing_retrieved_is_zero_and_no_label_is_none() -> None:
    rows = (row("q1"), failed("q2"), row("q3"))
    names = [ID_PRECISION, ID_RECALL, TEXT_PRECISION, TEXT_RECALL]
    scores = score_with_ragas(rows, CASES, ENTRIES, names)
    assert all(scores[name] == {"q1": 0.0, "q2": 0.0, "q3": None} for name in names)


def test_texts_count_a_near_duplicate_as_found() -> None:
    rows = (row("q1", "a2", "c"), row("q2", "c", "b"))
    scores = score_with_ragas(rows, CASES, ENTRIES, [TEXT_PRECISION, TEXT_RECALL])
    assert scores[TEXT_PRECISION]["q1"] == pytest.approx(1.0)
    assert scores[TEXT_PRECISION]["q2"] == pytest.approx(0.5)
    assert scores[TEXT_RECALL] == {"q1": 0.5, "q2": 1.0}


def test_recall_by_ids_is_ours(small: EvalSet, base: KnowledgeBase) -> None:
    metrics = ["recall@10", ID_RECALL]
    report = run(small, base, ["l0", "l1"], metrics=metrics, faults=(), resamples=50)
    for variant in ("l0", "l1"):
        assert report.values[variant][ID_RECALL] == report.values[variant]["recall@10"]
    assert report.score("l0", ID_RECALL).mean == Mean(value=pytest.approx(3 / 7), n=7, of=10)


def test_a_judge_scores_what_was_retrieved() -> None:
    rows = (row("q1", "a", "b"), row("q2"), row("q3", "a"))
    scores = score_with_ragas(rows, CASES, ENTRIES, JUDGED, judge=Judge())
    precision, recall, relevance = (scores[name] for name in JUDGED)
    assert precision == {"q1": pytest.approx(1.0), "q2": 0.0, "q3": None}
    assert recall == {"q1": 0.5, "q2": 0.0, "q3": None}
    assert relevance == {"q1": 0.5, "q2": 0.0, "q3": None}


def test_a_judge_that_fails_leaves_the_row_unscored(
    small: EvalSet, base: KnowledgeBase, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = Judge(down_for="is there a guest network")
    report = run(
        small, base, ["l1"], metrics=["MRR", *JUDGED], judge=judge, faults=(), resamples=50
    )
    for name in JUDGED:
        score = report.score("l1", name).mean
        assert (score.n, score.of) == (6, 10)
        assert report.values["l1"][name]["exact-2"] is None
    assert report.score("l1", "MRR").mean.n == 7
    told = "left 1 of 7 rows unscored; the first one: "
    assert all(f"{name} {told}" in text for name, text in zip(JUDGED, report.warnings, strict=True))
    assert "ConnectionError: the judge is down" in report.warnings[0]
    assert capsys.readouterr().out == ""


def test_it_works_inside_a_running_loop() -> None:
    async def ask() -> dict[str, dict[str, float | None]]:
        return score_with_ragas((row("q2", "b"),), CASES, ENTRIES, [ID_RECALL])

    assert asyncio.run(ask()) == {ID_RECALL: {"q2": 1.0}}


def test_progress_counts_the_samples() -> None:
    told: list[tuple[str, int, int]] = []
    rows = (row("q1", "a"), row("q2", "b"))
    score_with_ragas(rows, CASES, ENTRIES, [ID_RECALL], progress=lambda *s: told.append(s))
    assert told == [(ID_RECALL, 1, 2), (ID_RECALL, 2, 2)]


def test_names_are_checked() -> None:
    assert is_ragas(ID_RECALL)
    assert not is_ragas("recall@10")
    check_ragas([ID_RECALL], None)
    with pytest.raises(InvalidInput, match=r"'ragas\.faithfulness'"):
        check_ragas(["ragas.faithfulness"], None)
    with pytest.raises(InvalidInput, match="needs an LLM"):
        check_ragas(JUDGED, None)


@pytest.mark.parametrize("name", ["JUDGE", "make_judge", "Judge"])
def test_a_judge_is_loaded_by_name(name: str) -> None:
    assert load_judge(f"{__name__}:{name}").metadata.model_name == "fixed"


@pytest.mark.parametrize(
    "name", ["no_such_module:llm", "json:no_such", "json", "json:dumps.__name__", ""]
)
def test_what_is_no_judge_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="LLM"):
        load_judge(name)


def test_without_ragas_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ragas.metrics", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[eval\]"):
        score_with_ragas((row("q2", "b"),), CASES, ENTRIES, [ID_RECALL])
