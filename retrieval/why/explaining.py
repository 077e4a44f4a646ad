"""The conductor: one lookup, run, and followed for one note."""

from collections.abc import Sequence
from typing import Unpack, get_args

from retrieval.budget import fit_budget
from retrieval.errors import EmptyQuery
from retrieval.evidence import merge_evidence
from retrieval.filtering import admits
from retrieval.knowledge_base import KnowledgeBase
from retrieval.options import (
    MOST_BLOCKS,
    CallOptions,
    refuse_unknown,
    settle_options,
    spell_out,
)
from retrieval.text import is_blank
from retrieval.types import LookupResult
from retrieval.why.following import UNBOUNDED, Followed, ask_alone
from retrieval.why.presence import find_note
from retrieval.why.remedies import find_remedies
from retrieval.why.stages import caller_filter_stage, follow
from retrieval.why.types import Absence, Remedy, Stage, StageName


@spell_out
def explain_absence(
    kb: KnowledgeBase,
    query: str,
    source: str,
    **options: Unpack[CallOptions],
) -> Absence:
    """Which stage of the lookup lost the note `source`, or where it stands in the answer.

    The options are those of `KnowledgeBase.lookup`; nothing is recorded. `source` may be written
    with backslashes or a leading `./`. Of a note that the caller's filters exclude, nothing is told
    but that, and its category when that is what excludes it.

    Raises `EmptyQuery` for a query without a word, `UnknownSource` for a note that the folder and
    the index do not have, and what `lookup` raises.
    """
    refuse_unknown("explain_absence", options, CallOptions)
    if isinstance(query, str) and is_blank(query):
        raise EmptyQuery(
            "The query is blank or holds punctuation only.",
            next_action="Ask with at least one word.",
        )
    view = kb.view
    settled = settle_options(kb.settings.lookup, view.entries.values(), **options)
    untrimmed: CallOptions = {**options, "budget": UNBOUNDED}
    full = kb.lookup(query, **untrimmed)
    answer = full if settled.budget is None else fit_budget(full, settled.budget)
    name, found = find_note(kb, view, source, settled.conditions)

    def conclude(stages: Sequence[Stage], remedies: tuple[Remedy, ...] = ()) -> Absence:
        return _conclude(name, answer, stages=stages, remedies=remedies)

    if any(stage.state == "lost" for stage in found):
        return conclude(found)
    entry = view.entries[name]
    admitted = caller_filter_stage(entry, settled.conditions)
    if not admits(entry, settled.conditions):
        return conclude((*found, admitted))
    ranking, _ = merge_evidence(
        query=query,
        hints=full.l0_hints,
        l1=full.l1,
        entries=view.entries,
        rarity=view.l0.headlines.rarity,
        top_k=max(len(view.entries), MOST_BLOCKS),
        min_score=settled.min_score,
    )
    followed = Followed(
        entry=entry,
        view=view,
        options=settled,
        full=full,
        answer=answer,
        ranking=ranking,
        own=view.l0.match(query, lambda other: other.source == name),
        alone=ask_alone(query, entry, view, settled, full.l1),
    )
    stages = (*found, admitted, *follow(followed))
    return conclude(stages, find_remedies(kb, query, followed, stages, options))


def _conclude(
    source: str, answer: LookupResult, *, stages: Sequence[Stage], remedies: tuple[Remedy, ...]
) -> Absence:
    sources = [block.source for block in answer.evidence_blocks]
    rank = sources.index(source) + 1 if source in sources else None
    reached = {stage.name for stage in stages}
    rest = [
        Stage(name=name, state="not_reached", text="Not reached.")
        for name in get_args(StageName)
        if name not in reached
    ]
    lost = next((stage for stage in stages if stage.state == "lost"), None)
    if lost is not None:
        headline = f"{source} is not in the answer: {lost.text[0].lower()}{lost.text[1:]}"
    else:
        headline = f"{source} is in the answer, at rank {rank} of {len(sources)}."
    return Absence(
        query=answer.query,
        source=source,
        rank=rank,
        lost_at=lost.name if lost else None,
        headline=headline,
        stages=(*stages, *rest),
        remedies=remedies,
        result=answer,
    )
