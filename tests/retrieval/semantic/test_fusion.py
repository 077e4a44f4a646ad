from dataclasses import replace

import pytest

from retrieval.semantic.fusion import Scales, Signals, fuse
from retrieval.weights import Weights

SOURCE_OF = {"a#0": "a", "a#1": "a", "b#0": "b", "c#0": "c"}
SIGNALS = Signals(
    source_of=SOURCE_OF,
    cosines={"a#0": 0.6, "a#1": 0.2, "b#0": 0.4, "c#0": 0.2},
    passage_bm25={"a#1": 2.0, "b#0": 8.0},
    second_bm25={"a": 1.0, "b": 8.0},
    entry_bm25={"a": 3.0, "b": 6.0},
)
WEIGHTS = Weights(dense=1.0, passage=0.3, second=0.2, entry=0.5)


def scores(signals: Signals = SIGNALS, **options) -> dict[str, float]:
    return {SOURCE_OF[pid]: score for pid, score in fuse(signals, WEIGHTS, **options)}


def test_each_signal_counts_its_weight() -> None:
    found = scores()
    assert found["a"] == pytest.approx(1.0 + 0.3 * 2 / 8 + 0.2 * 1 / 8 + 0.5 * 3 / 6)
    assert found["b"] == pytest.approx(0.5 + 0.3 + 0.2 + 0.5)
    assert found["c"] == 0.0


def test_notes_stand_by_score_and_passages_by_their_own() -> None:
    assert [pid for pid, _ in fuse(SIGNALS, WEIGHTS)] == ["b#0", "a#0", "a#1", "c#0"]


def test_a_filtered_request_keeps_the_order_and_the_scores() -> None:
    kept = {pid: source for pid, source in SOURCE_OF.items() if source != "b"}
    inside = Signals(
        source_of=kept,
        cosines={pid: SIGNALS.cosines[pid] for pid in kept},
        passage_bm25={"a#1": 2.0},
        second_bm25={"a": 1.0},
        entry_bm25={"a": 3.0},
    )
    everything = scores()
    found = scores(inside, scales=Scales.of(SIGNALS))
    assert found == {source: everything[source] for source in ("a", "c")}
    assert scores(inside) != found


def test_without_full_text_the_cosine_alone_ranks() -> None:
    dense = replace(SIGNALS, passage_bm25={}, second_bm25={}, entry_bm25={})
    assert scores(dense) == {"a": 1.0, "b": pytest.approx(0.5), "c": 0.0}


def test_no_candidate_is_an_empty_ranking() -> None:
    nothing = Signals(source_of={}, cosines={}, passage_bm25={}, second_bm25={}, entry_bm25={})
    assert fuse(nothing) == []
