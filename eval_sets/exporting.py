"""A labelled set, and the rankings of a report on it, as files for other tools."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from eval_sets.interchange import (
    cases_to_csv,
    export_beir,
    to_ranx_qrels,
    to_ranx_run,
    write_qrels,
    write_run,
)
from eval_sets.interchange.trec import encode
from eval_sets.types import EvalSet
from retrieval.atomic import write_atomic
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from eval_sets.results import Report

Form = Literal["beir", "trec", "ranx", "csv"]


def export_set(
    eval_set: EvalSet, target: Path, form: Form, *, report: "Report | None" = None
) -> tuple[Path, ...]:
    """Writes the set into the folder `target`, and says which files or folders.

        beir   a BEIR folder with the notes
        trec   qrels.txt, queries.tsv, and run-VARIANT.txt for each variant of the report
        ranx   qrels.json, and run-VARIANT.json
        csv    cases.csv, and rows.csv with the scores

    Raises `InvalidInput` when the report is on another set, or the form holds no rankings.
    """
    if report is not None and report.set_digest != eval_set.digest():
        raise InvalidInput(
            f"The report is on another set than {eval_set.name!r}, or on other labels of it.",
            next_action="Run it again, then export.",
        )
    if form == "beir":
        if report is not None:
            raise InvalidInput(
                "A BEIR folder holds no rankings.", next_action="Use --format trec, ranx or csv."
            )
        from retrieval.knowledge_base import KnowledgeBase

        with KnowledgeBase.open(eval_set.knowledge_base) as knowledge:
            export_beir(eval_set, knowledge.entries, target)
        return (target,)
    return tuple(
        _written(target / name, text) for name, text in _texts(eval_set, form, report).items()
    )


def _texts(eval_set: EvalSet, form: Form, report: "Report | None") -> dict[str, str]:
    cases = eval_set.cases
    runs = {} if report is None else {v.name: report.of_variant(v.name) for v in report.variants}
    by_id = {case.id: case for case in cases}
    if form == "csv":
        from eval_sets.report import report_to_csv

        rows = {} if report is None else {"rows.csv": report_to_csv(report)}
        return {"cases.csv": cases_to_csv(cases), **rows}
    if form == "ranx":
        return {
            "qrels.json": _json(to_ranx_qrels(cases)),
            **{
                f"run-{_file_name(name)}.json": _json(to_ranx_run(rows, by_id))
                for name, rows in runs.items()
            },
        }
    return {
        "qrels.txt": write_qrels(cases),
        "queries.tsv": "".join(f"{encode(case.id)}\t{_line(case.query)}\n" for case in cases),
        **{
            f"run-{_file_name(name)}.txt": write_run(rows, by_id, tag=name)
            for name, rows in runs.items()
        },
    }


def _written(path: Path, text: str) -> Path:
    write_atomic(path, text)
    return path


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split())


def _file_name(variant: str) -> str:
    """The variant without what file systems treat specially."""
    return re.sub(r"[^\w.+=-]+", "_", variant)
