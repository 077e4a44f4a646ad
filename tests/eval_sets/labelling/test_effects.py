"""Which queries an edit changes, and by how much."""

import pytest

from eval_sets.labelling.effects import Effect, Effects, keyword_effects, preview_edit
from eval_sets.labelling.keywords import with_keywords
from eval_sets.types import Case, EvalSet
from retrieval.errors import InvalidInput, UnknownSource
from retrieval.knowledge import read_entry
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import KnowledgeSettings
from tests.eval_sets.lab import REFUND, SHUTTLE, WIFI

SETTINGS = KnowledgeSettings()


def _of(found: Effects, case_id: str) -> Effect:
    (effect,) = [effect for effect in found.effects if effect.case.id == case_id]
    return effect


def test_a_keyword_that_routes_wrongly_is_seen_before_it_is_saved(
    small: EvalSet, base: KnowledgeBase
) -> None:
    text = base.get(SHUTTLE)
    found = keyword_effects(base, SHUTTLE, small.cases, add=["guest network"])
    effect = _of(found, "exact-2")
    assert effect.match == "gained"
    assert effect.before.rank is None or effect.after.rank is not None
    assert (effect.before.category, effect.after.category) == ("network", None)
    assert effect.filter_changed
    assert found.asked == len(small.cases)
    assert base.get(SHUTTLE) == text


def test_a_lost_keyword_costs_what_the_metric_says(small: EvalSet, base: KnowledgeBase) -> None:
    found = keyword_effects(base, REFUND, small.cases, remove=["Money Back"], metric="MRR")
    effect = _of(found, "exact-1")
    assert effect.match == "lost"
    assert effect.before.score == 1.0
    assert effect.change is not None
    assert effect.change <= 0
    scores = [e.change for e in found.effects if e.change is not None]
    assert scores == sorted(scores)
    assert found.before.value is not None
    assert found.after.value is not None
    total = (found.after.value - found.before.value) * found.after.n
    assert total == pytest.approx(sum(scores))


def test_an_edit_that_changes_nothing_has_no_effects(small: EvalSet, base: KnowledgeBase) -> None:
    found = preview_edit(base, WIFI, base.get(WIFI), small.cases)
    assert (found.effects, found.better, found.worse) == ((), 0, 0)
    assert found.before == found.after


def test_deleting_a_note_shows_what_is_lost(small: EvalSet, base: KnowledgeBase) -> None:
    found = preview_edit(base, WIFI, None, small.cases)
    effect = _of(found, "exact-2")
    assert effect.change == -1.0
    assert effect.moved[WIFI][1] is None


def test_queries_without_a_label_are_shown_too(base: KnowledgeBase) -> None:
    asked = Case(id="q", query="which bikes may I take")
    found = keyword_effects(base, SHUTTLE, [asked], add=["bikes"])
    effect = _of(found, "q")
    assert (effect.match, effect.change) == ("gained", None)
    assert found.after.n == 0


def test_what_cannot_be_previewed_is_refused(small: EvalSet, base: KnowledgeBase) -> None:
    with pytest.raises(UnknownSource):
        preview_edit(base, "no/such.md", None, small.cases)
    with pytest.raises(UnknownSource):
        keyword_effects(base, "no/such.md", small.cases, add=["x"])
    with pytest.raises(InvalidInput, match="no query"):
        preview_edit(base, WIFI, None, [])
    with pytest.raises(InvalidInput, match="measure"):
        preview_edit(base, WIFI, None, small.cases, metric="wow")


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("---\ntags: a, B c, d\ntitle: T\n---\nBody\n", ("a", "new")),
        ("---\ntags: [a, b_c]\naliases:\n  - d\n---\nBody\n", ("a", "new")),
        ("# T\n\nBody\n", ("new",)),
        ("---\nkeywords:\n---\nBody\n", ("new",)),
        ("---\nkeywords: ['NEW', a]\nweight: 007\n---\nBody\n", ("NEW", "a")),
    ],
)
def test_keywords_are_added_and_removed_as_the_lookup_reads_them(
    text: str, keywords: tuple[str, ...]
) -> None:
    edited = with_keywords(text, "n.md", SETTINGS, add=["new", "new"], remove=["b-C", "D"])
    before, after = (
        read_entry("n.md", t.encode(), SETTINGS, window=256, measure=len)[0] for t in (text, edited)
    )
    assert after.keywords == keywords
    assert [p.text for p in after.passages] == [p.text for p in before.passages]
    assert (after.title, after.metadata) == (before.title, before.metadata)
