"""Labelled sets and rankings in the forms of other tools: BEIR, TREC, ranx, CSV, pandas."""

from eval_sets.interchange.beir import ImportReport, export_beir, import_beir
from eval_sets.interchange.ranx import from_ranx_run, to_ranx_qrels, to_ranx_run
from eval_sets.interchange.tables import (
    cases_from_csv,
    cases_from_frame,
    cases_to_csv,
    cases_to_frame,
    rows_to_frame,
)
from eval_sets.interchange.trec import read_qrels, read_run, write_qrels, write_run

__all__ = [
    "ImportReport",
    "cases_from_csv",
    "cases_from_frame",
    "cases_to_csv",
    "cases_to_frame",
    "export_beir",
    "from_ranx_run",
    "import_beir",
    "read_qrels",
    "read_run",
    "rows_to_frame",
    "to_ranx_qrels",
    "to_ranx_run",
    "write_qrels",
    "write_run",
]
