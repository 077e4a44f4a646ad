"""BEIR folders: `corpus.jsonl` or a folder of notes, `queries.jsonl`, and `qrels`.

Beyond BEIR, a query may name in `sources` the documents to take out of its ranking, and an export
keeps under `metadata` what a case says beyond BEIR, so that nothing is lost on the way back.
"""

import json
import shutil
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from eval_sets.errors import Problem, SetError
from eval_sets.interchange.beir_files import BEYOND, CORPUS_NAME, QUERIES_NAME, read_drafts
from eval_sets.interchange.documents import write_notes
from eval_sets.loading import CASES_NAME, SET_NAME, find_sources, save_cases
from eval_sets.types import Case, EvalSet, Split
from retrieval.atomic import write_atomic
from retrieval.errors import InvalidInput
from retrieval.settings import CONFIG_NAME
from retrieval.types import Entry

NOTES_NAME = "knowledge"
IDS_NAME = "ids.json"
_INCLUDED = (".md", ".markdown")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import wrote, and what it left out."""

    folder: Path
    notes: int
    cases: int
    labels: int
    unlabelled: tuple[str, ...]
    """Ids of queries that were left out for want of a label."""
    dropped: tuple[Problem, ...]
    """Labels and exclusions that were left out, and why."""


def import_beir(folder: Path, target: Path, *, name: str | None = None) -> ImportReport:
    """Writes a labelled set made from a BEIR folder to `target`, which must not hold one.

    Notes are copied from `knowledge/` when there is one, else made from `corpus.jsonl`, and then
    `ids.json` keeps document id → source. Labels come from `qrels.tsv`, else from `qrels/`, where
    `test.tsv` and `dev.tsv` give the splits. `knowledge.toml` makes files with other endings
    notes as well, when a label names one.

    Raises `SetError` for files that are not usable, `InvalidInput` when the target is in use.
    """
    if (target / SET_NAME).exists() or (target / NOTES_NAME).exists():
        raise InvalidInput(
            f"{target} holds a labelled set already.",
            next_action="Name another folder, or remove this one first.",
        )
    problems: list[Problem] = []
    drafts = read_drafts(folder, problems)
    if not (folder / NOTES_NAME).is_dir() and not (folder / CORPUS_NAME).is_file():
        message = f"neither {NOTES_NAME}/ nor {CORPUS_NAME} is there"
        problems.append(Problem(file=".", message=message))
    if problems:
        raise SetError(str(folder), problems)
    ids = _write_knowledge(folder, target)
    _write_config(target, drafts.cases)
    _, sources = find_sources(target)
    known = ids or {source: source for source in sources}
    dropped = list(drafts.dropped)
    cases = [_with_sources(case, known, dropped) for case in drafts.cases]
    save_cases(target / CASES_NAME, cases)
    about = {"name": name or folder.resolve().name, "knowledge": NOTES_NAME}
    write_atomic(target / SET_NAME, yaml.safe_dump(about, allow_unicode=True, sort_keys=False))
    return ImportReport(
        folder=target,
        notes=len(sources),
        cases=len(cases),
        labels=sum(len(case.relevant) for case in cases),
        unlabelled=drafts.unlabelled,
        dropped=tuple(dropped),
    )


def export_beir(eval_set: EvalSet, entries: Iterable[Entry], target: Path) -> None:
    """Writes a set as a BEIR folder: corpus, queries, `qrels/test.tsv` and `dev.tsv`, and notes.

    `corpus.jsonl` holds title and text for other tools; `knowledge/` the files as they are, which
    an import prefers. Raises `InvalidInput` when the target holds such files already.
    """
    if (target / QUERIES_NAME).exists() or (target / NOTES_NAME).exists():
        raise InvalidInput(
            f"{target} holds a BEIR folder already.",
            next_action="Name another folder, or remove this one first.",
        )
    documents = tuple(entries)
    # A labelled note that cannot be read now is no document, but its label must not be lost.
    labelled = {source for case in eval_set.cases for source in case.relevant}
    unread = {source for source in labelled if (eval_set.root / source).is_file()}
    for source in sorted({entry.source for entry in documents} | unread):
        copy = target / NOTES_NAME / source
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(eval_set.root / source, copy)
    write_atomic(target / CORPUS_NAME, _jsonl(_document(entry) for entry in documents))
    write_atomic(target / QUERIES_NAME, _jsonl(_query(case) for case in eval_set.cases))
    splits: tuple[Split, ...] = ("test", "dev")
    for split in splits:
        lines = [
            f"{case.id}\t{source}\t{grade}\n"
            for case in eval_set.split(split)
            for source, grade in case.relevant.items()
        ]
        text = "".join(["query-id\tcorpus-id\tscore\n", *lines])
        write_atomic(target / "qrels" / f"{split}.tsv", text)


def _write_knowledge(folder: Path, target: Path) -> dict[str, str]:
    """Document id → source; empty when the notes were there and keep their paths."""
    notes = folder / NOTES_NAME
    if notes.is_dir():
        shutil.copytree(notes, target / NOTES_NAME, symlinks=True)
        return {}
    ids = write_notes(folder / CORPUS_NAME, target / NOTES_NAME)
    write_atomic(target / IDS_NAME, json.dumps(ids, ensure_ascii=False, indent=0) + "\n")
    return {unicodedata.normalize("NFC", identifier): source for identifier, source in ids.items()}


def _write_config(target: Path, cases: Iterable[Case]) -> None:
    endings = {
        PurePosixPath(source).suffix: None
        for case in cases
        for source in (*case.relevant, *case.exclude)
        if (target / NOTES_NAME / source).is_file()
    }
    patterns = [f"**/*{ending}" for ending in dict.fromkeys((*_INCLUDED, *endings))]
    text = f'root = "{NOTES_NAME}"\n\n[knowledge]\ninclude = {json.dumps(patterns)}\n'
    write_atomic(target / CONFIG_NAME, text)


def _with_sources(case: Case, known: Mapping[str, str], dropped: list[Problem]) -> Case:
    """The case with sources for document ids, without those that are no note."""
    for document in (*case.relevant, *case.exclude):
        if document not in known:
            message = f"{document!r} for query {case.id!r} is no document"
            dropped.append(Problem(file="qrels", message=message))
    return replace(
        case,
        relevant={known[d]: grade for d, grade in case.relevant.items() if d in known},
        exclude=tuple(known[d] for d in case.exclude if d in known),
    )


def _document(entry: Entry) -> dict[str, Any]:
    return {
        "_id": entry.source,
        "title": entry.title,
        "text": "\n\n".join(passage.text for passage in entry.passages),
        "category": entry.category,
        "keywords": list(entry.keywords),
    }


def _query(case: Case) -> dict[str, Any]:
    beyond = {key: getattr(case, key) for key in BEYOND} | {"split": case.split}
    return {
        "_id": case.id,
        "text": case.query,
        "sources": list(case.exclude),
        "metadata": {key: value for key, value in beyond.items() if value not in ("", None)},
    }


def _jsonl(records: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
