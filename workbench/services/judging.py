"""Judging the blocks of an answer into a labelled set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from eval_sets.labelling import (
    SetSummary,
    create_set,
    grade_scale,
    judge,
    list_sets,
    mark_no_answer,
    read_judgements,
    remove_judgement,
    writable_set,
)
from retrieval.knowledge_base import KnowledgeBase

Verdict = Literal["relevant", "partly", "not"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
ORIGIN = "workbench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What a set says about one query, and what is needed to change it."""

    folder: Path
    name: str
    query: str
    token: str
    """Proof of what was shown; a judgement on something older is refused."""
    scale: Mapping[str, int]
    grades: Mapping[str, int] = field(default_factory=dict)
    no_answer: bool = False

    def verdict(self, source: str) -> Verdict | None:
        """The verdict on a note; None when nobody judged it."""
        grade = self.grades.get(source)
        if grade is None:
            return None
        if grade <= 0:
            return "not"
        return "partly" if grade <= self.scale["partly"] else "relevant"


def judgeable_sets(base: KnowledgeBase) -> tuple[SetSummary, ...]:
    """The sets that labels of these notes can be added to."""
    return tuple(found for found in list_sets(base) if found.problem is None)


def open_board(chosen: SetSummary, query: str) -> Board:
    """What a set says about a query. Raises `SetError` when it cannot be read."""
    judgements = read_judgements(chosen.folder, query)
    case = judgements.case
    return Board(
        folder=chosen.folder,
        name=chosen.name,
        query=query,
        token=judgements.token,
        scale=grade_scale(chosen.folder),
        grades=dict(case.relevant) if case else {},
        no_answer=bool(case and case.expect_no_answer),
    )


def give_verdict(
    base: KnowledgeBase,
    board: Board,
    source: str,
    verdict: Verdict | None,
    judged_by: str,
    *,
    origin: str = ORIGIN,
) -> None:
    """Writes a verdict, or takes it back with None; a bundled set is copied first.

    Raises `SetChanged` when the set is not what the board shows any more; nothing is written then.
    """
    folder = writable_set(board.folder, base)
    if verdict is None:
        remove_judgement(folder, board.query, source, token=board.token)
        return
    judge(
        folder,
        board.query,
        source,
        board.scale[verdict],
        judged_by=judged_by,
        origin=origin,
        token=board.token,
    )


def say_no_answer(
    base: KnowledgeBase, board: Board, expected: bool, judged_by: str, *, origin: str = ORIGIN
) -> None:
    """Writes that no note answers the query, or takes it back. Raises as `give_verdict`."""
    mark_no_answer(
        writable_set(board.folder, base),
        board.query,
        expected,
        judged_by=judged_by,
        origin=origin,
        token=board.token,
    )


def make_set(base: KnowledgeBase, name: str) -> Path:
    """A new, empty set for these notes. Raises `InvalidInput` for an unusable or taken name."""
    return create_set(name, base)
