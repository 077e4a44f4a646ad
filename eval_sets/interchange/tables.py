"""Cases and rows as CSV and as pandas frames (`pip install 'knowledge-lookup-workbench[eval]'`)."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from eval_sets.errors import Problem, SetError
from eval_sets.metrics import DEFAULT_METRICS, score_row
from eval_sets.schema import CaseLine, case_fields, case_from
from eval_sets.types import Case, Row
from retrieval.errors import MissingExtra

if TYPE_CHECKING:
    import pandas as pd

_FLAG = "expect_no_answer"
_JSON_FIELDS = ("relevant", "exclude", _FLAG)


def cases_to_csv(cases: Iterable[Case]) -> str:
    """One line for each case below a header; labels and lists stand as JSON in their cell."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(CaseLine.model_fields), lineterminator="\n")
    writer.writeheader()
    writer.writerows(_cells(case) for case in cases)
    return out.getvalue()


def cases_from_csv(text: str, *, name: str = "cases.csv") -> tuple[Case, ...]:
    """The cases of a CSV with the columns of `cases.jsonl`; a missing column has its default.

    Raises `SetError` that lists every line which is no case, and every repeated id.
    """
    problems: list[Problem] = []
    cases: dict[str, Case] = {}
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), restkey="(no column)")
    for record in reader:
        try:
            case = case_from(_fields(record))
        except ValueError as error:
            problems.append(Problem(file=name, line=reader.line_num, message=str(error)))
            continue
        if case.id in cases:
            message = f"the id {case.id!r} is there already"
            problems.append(Problem(file=name, line=reader.line_num, message=message))
        cases[case.id] = case
    if problems:
        raise SetError(name, problems)
    return tuple(cases.values())


def cases_to_frame(cases: Iterable[Case]) -> "pd.DataFrame":
    """One row for each case, with the columns of `cases.jsonl` and its values as Python objects."""
    records = [case_fields(case) for case in cases]
    frame: pd.DataFrame = _pandas().DataFrame(records, columns=list(CaseLine.model_fields))
    return frame


def cases_from_frame(frame: "pd.DataFrame", *, name: str = "frame") -> tuple[Case, ...]:
    """The cases of a frame with the columns of `cases_to_frame`; missing cells have defaults.

    Raises `SetError` that lists every record which is no case, numbered from 1.
    """
    problems: list[Problem] = []
    cases: list[Case] = []
    # As objects, so that numbers and flags are Python's own and an empty cell can be None.
    filled = frame.astype(object).where(frame.notna(), None)
    for number, record in enumerate(filled.to_dict("records"), start=1):
        try:
            cases.append(case_from({str(k): v for k, v in record.items() if v is not None}))
        except ValueError as error:
            problems.append(Problem(file=name, line=number, message=str(error)))
    if problems:
        raise SetError(name, problems)
    return tuple(cases)


def rows_to_frame(
    rows: Iterable[Row],
    cases: Mapping[str, Case],
    metrics: Iterable[str] = DEFAULT_METRICS,
) -> "pd.DataFrame":
    """One row for each query and variant: case, status, filter, relevance, and every metric.

    A metric is missing (NaN, the frame's own sign for it) where the query has no relevant note.
    """
    names = tuple(metrics)
    records = [_record(row, cases[row.case_id], names) for row in rows]
    frame: pd.DataFrame = _pandas().DataFrame(records)
    return frame


def _record(row: Row, case: Case, metrics: Iterable[str]) -> dict[str, Any]:
    return {
        "case_id": row.case_id,
        "variant": row.variant,
        "query": case.query,
        "stratum": case.stratum,
        "split": case.split,
        "status": row.status,
        "outcome": row.outcome,
        "retrieval_layer": row.retrieval_layer,
        "blocks": len(row.ranking),
        "first": row.ranking[0].source if row.ranking else None,
        "l0_matches": row.l0_matches,
        "l1_status": row.l1_status,
        "filter_category": row.filter.category if row.filter else None,
        "relaxed": row.relaxed,
        "level": row.relevance.level if row.relevance else None,
        "confidence": row.relevance.confidence if row.relevance else None,
        "latency_ms": row.latency_ms,
        "error": row.error.message if row.error else None,
        **score_row(row, case, metrics),
    }


def _cells(case: Case) -> dict[str, Any]:
    fields = case_fields(case)
    return fields | {key: json.dumps(fields[key], ensure_ascii=False) for key in _JSON_FIELDS}


def _fields(record: Mapping[str, Any]) -> dict[str, Any]:
    fields = {key: value for key, value in record.items() if value not in ("", None)}
    if _FLAG in fields:
        # Spreadsheets write TRUE.
        fields[_FLAG] = fields[_FLAG].casefold()
    for key in _JSON_FIELDS:
        if key in fields:
            try:
                fields[key] = json.loads(fields[key])
            except json.JSONDecodeError as error:
                raise ValueError(f"{key}: no JSON: {error.msg}") from None
    return fields


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("A pandas frame", "eval") from None
    return pd
