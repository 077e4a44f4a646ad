"""TREC qrels and runs, as trec_eval reads them.

Ids must not hold blanks there, so blanks and `%` in ids are percent-encoded (UTF-8) on the way out
and decoded on the way in; all else stays readable.
"""

import math
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote

from eval_sets.errors import Problem, SetError
from eval_sets.metrics import distinct
from eval_sets.types import Case, Row

Qrels = dict[str, dict[str, int]]
Ranking = dict[str, tuple[tuple[str, float], ...]]
"""Query id → (source, score), best first."""


def write_qrels(cases: Iterable[Case]) -> str:
    """One line for each label: query id, 0, source, grade.

    A query without labels, such as one without an answer, has no line.
    """
    return "".join(
        f"{encode(case.id)} 0 {encode(source)} {grade}\n"
        for case in cases
        for source, grade in case.relevant.items()
    )


def read_qrels(text: str, *, name: str = "qrels") -> Qrels:
    """Query id → source → grade. A negative grade (spam, in some tracks) becomes 0.

    Raises `SetError` that lists every line which is no qrel or judges a pair again.
    """
    problems: list[Problem] = []
    qrels: Qrels = {}
    for number, fields in _rows(text, 4, name, problems):
        query, _, source, grade = fields
        if not re.fullmatch(r"[+-]?\d+", grade):
            message = f"the grade {grade!r} is no whole number"
            problems.append(Problem(file=name, line=number, message=message))
            continue
        labels = qrels.setdefault(decode(query), {})
        if decode(source) in labels:
            message = f"{decode(source)!r} is judged twice for query {decode(query)!r}"
            problems.append(Problem(file=name, line=number, message=message))
        labels[decode(source)] = max(int(grade), 0)
    if problems:
        raise SetError(name, problems)
    return qrels


def write_run(rows: Iterable[Row], cases: Mapping[str, Case], *, tag: str) -> str:
    """One line for each block: query id, Q0, source, rank, score, tag.

    Excluded sources are left out. The scores are places counted from the end: tools sort by
    score, and equal ones would let them choose another order than the lookup's. A query that
    found nothing has no line; trec_eval counts it as 0 with `-c`, ir_measures always.
    """
    lines = []
    for row in rows:
        ranking = distinct(row.sources, cases[row.case_id].exclude)
        for rank, source in enumerate(ranking, start=1):
            score = len(ranking) + 1 - rank
            lines.append(
                f"{encode(row.case_id)} Q0 {encode(source)} {rank} {score} {encode(tag)}\n"
            )
    return "".join(lines)


def read_run(text: str, *, name: str = "run") -> Ranking:
    """Query id → (source, score) in trec_eval's order: by score, equal ones by id backwards.

    The rank column is not read, as trec_eval does not. Raises `SetError` that lists every line
    which is no result or names a source again.
    """
    problems: list[Problem] = []
    found: dict[str, dict[str, float]] = {}
    for number, fields in _rows(text, 6, name, problems):
        query, source = decode(fields[0]), decode(fields[2])
        score = _number(fields[4])
        if score is None:
            message = f"the score {fields[4]!r} is no number"
            problems.append(Problem(file=name, line=number, message=message))
            continue
        results = found.setdefault(query, {})
        if source in results:
            message = f"{source!r} is there twice for query {query!r}"
            problems.append(Problem(file=name, line=number, message=message))
        results[source] = score
    if problems:
        raise SetError(name, problems)
    return {query: by_score(results) for query, results in found.items()}


def by_score(results: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The results in trec_eval's order: by score, equal ones by id backwards."""
    return tuple(sorted(results.items(), key=lambda item: (item[1], item[0]), reverse=True))


def encode(identifier: str) -> str:
    """The id without blanks: each blank and `%` becomes `%` and the hex of its UTF-8 bytes."""
    return re.sub(r"[\s%]", lambda match: quote(match[0], safe=""), identifier)


def decode(identifier: str) -> str:
    """The id that `encode` was given; any other percent sequence is decoded as well."""
    return unquote(identifier)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _rows(
    text: str, columns: int, name: str, problems: list[Problem]
) -> Iterable[tuple[int, list[str]]]:
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        fields = line.split()
        if len(fields) == columns:
            yield number, fields
        elif fields:
            message = f"{len(fields)} columns, not {columns}"
            problems.append(Problem(file=name, line=number, message=message))
