"""What an edit of one note changes: the queries whose answer would be another, before it is saved.

Every query is asked twice, of the notes as they are and of the notes with the edited text, and the
answers are compared. No file is touched, and nothing but the edited note is embedded.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from eval_sets.asking import Asking, Progress, ask_all
from eval_sets.labelling.keywords import with_keywords
from eval_sets.metrics import depth, distinct, first_rank, measure
from eval_sets.rows import mean
from eval_sets.running import default_workers
from eval_sets.types import Case, Mean, Row, Variant
from eval_sets.variants import open_variant
from retrieval.editing import EditedBase
from retrieval.errors import InvalidInput, UnknownSource
from retrieval.knowledge_base import KnowledgeBase

METRIC = "nDCG@10"
LEAST_DEPTH = 10
AS_SET = Variant(name="as the settings say")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a comparison looks at in one answer."""

    ranking: tuple[str, ...]
    """Sources, best first, without those that the case excludes."""
    matched: bool
    """True when the edited note is an L0 match."""
    category: str | None
    """The category that the filter derived from the hints, if any."""
    rank: int | None
    """1-based rank of the edited note; None when it is not among those retrieved."""
    score: float | None
    """The metric; None for a query without a relevant note."""
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A query that is answered otherwise after the edit."""

    case: Case
    before: Answer
    after: Answer

    @property
    def match(self) -> Literal["gained", "lost"] | None:
        """Whether the query gained or lost the edited note as an L0 match."""
        if self.before.matched == self.after.matched:
            return None
        return "gained" if self.after.matched else "lost"

    @property
    def filter_changed(self) -> bool:
        return self.before.category != self.after.category

    @property
    def change(self) -> float | None:
        """The metric after minus before; None without a label."""
        if self.before.score is None or self.after.score is None:
            return None
        return self.after.score - self.before.score

    @property
    def moved(self) -> dict[str, tuple[int | None, int | None]]:
        """Relevant source → its ranks before and after, where they differ."""
        found = {
            source: (_rank(self.before.ranking, source), _rank(self.after.ranking, source))
            for source in self.case.positives
        }
        return {source: ranks for source, ranks in found.items() if ranks[0] != ranks[1]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """All that an edit of one note changes, among the queries that were asked."""

    source: str
    metric: str
    asked: int
    effects: tuple[Effect, ...]
    """The queries that change: by the metric, the worst first, then those without a label."""
    before: Mean
    after: Mean

    @property
    def worse(self) -> int:
        return sum((effect.change or 0.0) < 0 for effect in self.effects)

    @property
    def better(self) -> int:
        return sum((effect.change or 0.0) > 0 for effect in self.effects)


def keyword_effects(
    kb: KnowledgeBase,
    source: str,
    cases: Sequence[Case],
    *,
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    metric: str = METRIC,
    variant: Variant = AS_SET,
    progress: Progress | None = None,
) -> Effects:
    """What keywords that are added to or removed from a note change; see `preview_edit`.

    L0 matches with them, the filter follows L0, and full text reads them with the whole note; the
    vectors do not hold them.
    """
    text = with_keywords(kb.get(source), source, kb.settings.knowledge, add=add, remove=remove)
    return preview_edit(kb, source, text, cases, metric=metric, variant=variant, progress=progress)


def preview_edit(
    kb: KnowledgeBase,
    source: str,
    text: str | None,
    cases: Sequence[Case],
    *,
    metric: str = METRIC,
    variant: Variant = AS_SET,
    progress: Progress | None = None,
) -> Effects:
    """Which of the queries would be answered otherwise with `text` as the note's whole file.

    A source that is no note yet is added; None deletes the note. A note that changed since the
    index was built is compared as it is in the folder. A query counts as changed when its ranking
    down to the metric's depth (at least 10), its filter, or the L0 match of the note differs.

    Raises `NoteRefused` for a text that cannot be read as a note, and `InvalidInput` for an
    unknown metric, without queries, or for None where there is no note.
    """
    measured = measure(metric)
    if not cases:
        raise InvalidInput(
            "There is no query to ask.", next_action="Name a set with queries, or ask logged ones."
        )
    deep = max(depth([metric]) or LEAST_DEPTH, LEAST_DEPTH)
    with open_variant(kb, variant) as base:
        unindexed = _unindexed(base, source)
        now = EditedBase(base, unindexed) if unindexed else base
        if text is None and source not in {entry.source for entry in now.entries}:
            base.get(source)  # raises what there is to say
        then = EditedBase(base, {source: text})
        asked = []
        for name, asks in (("before", now), ("after", then)):
            asking = Asking(variant=name, depth=deep, workers=default_workers())
            asked.append(ask_all(asks, cases, asking, progress=progress))

    def answer(row: Row, case: Case) -> Answer:
        ranking = distinct(row.sources, case.exclude)
        return Answer(
            ranking=ranking[:deep],
            matched=source in row.l0_sources,
            category=row.filter.category if row.filter else None,
            rank=_rank(ranking[:deep], source),
            score=measured(ranking, case.relevant),
            failed=row.status == "failed",
        )

    pairs = [
        Effect(case=case, before=answer(first, case), after=answer(second, case))
        for case, first, second in zip(cases, *asked, strict=True)
    ]
    changed = [effect for effect in pairs if _differs(effect)]
    changed.sort(key=lambda e: (e.change is None, e.change or 0.0, e.case.id))
    return Effects(
        source=source,
        metric=metric,
        asked=len(cases),
        effects=tuple(changed),
        before=mean(effect.before.score for effect in pairs),
        after=mean(effect.after.score for effect in pairs),
    )


def _differs(effect: Effect) -> bool:
    first, second = effect.before, effect.after
    return (
        first.ranking != second.ranking
        or first.category != second.category
        or first.matched != second.matched
        or first.failed != second.failed
    )


def _unindexed(base: KnowledgeBase, source: str) -> dict[str, str | None]:
    """The note as it is in the folder, where lookups see it otherwise; empty where they do not."""
    seen = {entry.source: entry.content_hash for entry in base.entries}.get(source)
    try:
        text = base.get(source)
    except UnknownSource:
        return {} if seen is None else {source: None}
    same = hashlib.sha256(text.encode()).hexdigest() == seen
    return {} if same else {source: text}


def _rank(ranking: Sequence[str], source: str) -> int | None:
    return first_rank(ranking, (source,))
