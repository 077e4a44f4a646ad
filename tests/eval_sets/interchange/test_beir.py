import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval_sets.errors import SetError
from eval_sets.interchange import export_beir, import_beir
from eval_sets.loading import load_set
from eval_sets.types import Case
from retrieval.errors import InvalidInput
from retrieval.knowledge import load_knowledge
from retrieval.settings import load_settings
from tests.eval_sets.samples import NOTES, case, write_set

HEADER = "query-id\tcorpus-id\tscore"


def _folder(
    root: Path,
    queries: Iterable[Mapping[str, Any]],
    qrels: Mapping[str, Iterable[str]],
    notes: Mapping[str, str] | None = None,
    corpus: Iterable[Mapping[str, Any]] = (),
) -> Path:
    files = {"queries.jsonl": "\n".join(json.dumps(query) for query in queries) + "\n"}
    files |= {name: "\n".join(lines) + "\n" for name, lines in qrels.items()}
    files |= {f"knowledge/{source}": text for source, text in (notes or {}).items()}
    if corpus:
        files["corpus.jsonl"] = "\n".join(json.dumps(document) for document in corpus) + "\n"
    for name, text in files.items():
        path = root / "beir" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "beir"


def test_a_folder_of_notes_becomes_a_set(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        [
            {"_id": "q1", "text": "refund?", "sources": ["billing/invoice.md"], "categories": [""]},
            {"_id": "q2", "text": "unlabelled"},
        ],
        {"qrels.tsv": [HEADER, "q1\tbilling/refund.md\t2", "q1\taccess/token.md\t0"]},
        notes=NOTES,
    )
    report = import_beir(folder, tmp_path / "set", name="small")
    assert (report.notes, report.cases, report.labels) == (3, 1, 2)
    assert report.unlabelled == ("q2",)
    assert report.dropped == ()
    loaded = load_set(tmp_path / "set")
    assert loaded.name == "small"
    assert loaded.knowledge_base == tmp_path / "set"
    assert loaded.cases == (
        Case(
            id="q1",
            query="refund?",
            relevant={"billing/refund.md": 2, "access/token.md": 0},
            exclude=("billing/invoice.md",),
        ),
    )
    assert (loaded.root / "billing/refund.md").read_text() == NOTES["billing/refund.md"]


def test_a_corpus_becomes_notes_and_keeps_its_ids(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        [{"_id": "1", "text": "alpha", "metadata": {"url": "x"}}],
        {"qrels/test.tsv": [HEADER, "1\tdoc one\t1.0", "1\t22\t1"]},
        corpus=[
            {"_id": "doc one", "title": "One", "text": "Alpha."},
            {"_id": "22", "title": "Two", "text": "Beta."},
        ],
    )
    report = import_beir(folder, tmp_path / "set")
    ids = json.loads((tmp_path / "set" / "ids.json").read_text())
    assert ids["22"] == "22.md"
    loaded = load_set(tmp_path / "set")
    assert loaded.name == "beir"
    assert loaded.cases[0].relevant == {ids["doc one"]: 1, "22.md": 1}
    assert report.notes == 2


def test_splits_come_from_the_names_of_the_files(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        [{"_id": q, "text": q} for q in ("a", "b", "c")],
        {
            "qrels/test.tsv": [HEADER, "a\taccess/token.md\t1", "c\taccess/token.md\t1"],
            "qrels/dev.tsv": [HEADER, "b\taccess/token.md\t1", "c\tbilling/refund.md\t1"],
            "qrels/train.tsv": [HEADER, "a\tbilling/refund.md\t1"],
        },
        notes=NOTES,
    )
    import_beir(folder, tmp_path / "set")
    cases = load_set(tmp_path / "set").cases
    assert [c.split for c in cases] == ["test", "dev", "test"]
    assert cases[0].relevant == {"access/token.md": 1}


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        [{"_id": "q1", "text": "x", "sources": ["access/token.md", "gone.md", "gone.md"]}],
        {
            "qrels.tsv": [
                HEADER,
                "q1\taccess/token.md\t1",
                "q1\tbilling/refund.md\t1",
                "q1\tbilling/refund.md\t2",
                "q1\tmissing.md\t1",
                "q9\tbilling/refund.md\t1",
            ]
        },
        notes=NOTES,
    )
    report = import_beir(folder, tmp_path / "set")
    assert [str(problem) for problem in report.dropped] == [
        "qrels.tsv:4: 'billing/refund.md' for query 'q1' is judged already",
        "qrels.tsv:2: 'access/token.md' for query 'q1' "
        "is among the query's sources, which are excluded",
        "qrels.tsv:6: 'billing/refund.md' for query 'q9' belongs to a query that is not there",
        "qrels: 'missing.md' for query 'q1' is no document",
        "qrels: 'gone.md' for query 'q1' is no document",
    ]
    (labelled,) = load_set(tmp_path / "set").cases
    assert labelled.relevant == {"billing/refund.md": 1}
    assert labelled.exclude == ("access/token.md",)


def test_notes_with_other_endings_are_notes_when_a_label_names_one(tmp_path: Path) -> None:
    notes = {"a.html.md.erb": "# A\n", "b.erb": "# B\n", "c.md": "# C\n", "d.txt": "D\n"}
    folder = _folder(
        tmp_path,
        [{"_id": "q1", "text": "x"}],
        {"qrels.tsv": ["q1\ta.html.md.erb\t1"]},
        notes=notes,
    )
    assert import_beir(folder, tmp_path / "set").notes == 3
    settings, _ = load_settings(tmp_path / "set")
    assert settings.knowledge.include == ("**/*.md", "**/*.markdown", "**/*.erb")


def test_an_unusable_folder_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path,
        [
            {"_id": "q1", "text": "x"},
            {"_id": "q1", "text": "y"},
            {"_id": "q2", "text": "?"},
            {"query": "x"},
        ],
        {"qrels.tsv": [HEADER, "q1 a.md 1", "q1\ta.md\t1.5", "q1\ta.md\t99"]},
    )
    with pytest.raises(SetError) as caught:
        import_beir(folder, tmp_path / "set")
    assert [str(problem) for problem in caught.value.problems] == [
        "qrels.tsv:2: no line of query, document and a grade of at most 10 by tabs",
        "qrels.tsv:3: no line of query, document and a grade of at most 10 by tabs",
        "qrels.tsv:4: no line of query, document and a grade of at most 10 by tabs",
        "queries.jsonl:2: the id 'q1' is there already",
        "queries.jsonl:3: query: the query is empty: it holds no letter or digit",
        "queries.jsonl:4: no object with '_id' and 'text'",
        ".: neither knowledge/ nor corpus.jsonl is there",
    ]
    assert not (tmp_path / "set").exists()


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "beir").mkdir()
    with pytest.raises(SetError) as caught:
        import_beir(tmp_path / "beir", tmp_path / "set")
    assert [problem.file for problem in caught.value.problems] == ["qrels", "queries.jsonl", "."]


def test_an_export_comes_back_with_everything(tmp_path: Path) -> None:
    cases = (
        case("q1", relevant={"billing/refund.md": 3, "access/token.md": 0}, split="dev"),
        case(
            "q2",
            relevant={"access/token.md": 1},
            exclude=("billing/invoice.md",),
            stratum="exact",
            expected_category="Access",
            expect_filter="applied",
            origin="written",
            judged_by="authors",
            judged_at="2026-12-01",
            note="keyword",
        ),
        case("q3", expect_no_answer=True, split="dev"),
    )
    loaded = load_set(write_set(tmp_path / "set", [{"id": "q", "query": "x"}]))
    eval_set = replace(loaded, cases=cases)
    knowledge = load_knowledge(
        loaded.root,
        load_settings(loaded.knowledge_base)[0].knowledge,
        window=256,
        measure=lambda text: len(text.split()),
    )
    export_beir(eval_set, knowledge.entries, tmp_path / "beir")
    import_beir(tmp_path / "beir", tmp_path / "again")
    assert load_set(tmp_path / "again").cases == cases
    qrels = (tmp_path / "beir" / "qrels" / "dev.tsv").read_text().split("\n")
    assert qrels == [HEADER, "q1\tbilling/refund.md\t3", "q1\taccess/token.md\t0", ""]
    corpus = (tmp_path / "beir" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(corpus[0])
    assert first["_id"] == "access/token.md"
    assert (first["title"], first["category"]) == ("Login tokens", "Access")
    assert "Eight hours." in first["text"]


def test_an_export_without_the_notes_comes_back_under_the_same_paths(tmp_path: Path) -> None:
    source = write_set(
        tmp_path / "set", [{"id": "q", "query": "x", "relevant": {"access/token.md": 1}}]
    )
    loaded = load_set(source)
    settings, _ = load_settings(loaded.knowledge_base)
    knowledge = load_knowledge(loaded.root, settings.knowledge, window=256, measure=len)
    export_beir(loaded, knowledge.entries, tmp_path / "beir")
    (tmp_path / "beir" / "knowledge").rename(tmp_path / "unused")
    import_beir(tmp_path / "beir", tmp_path / "again")
    assert load_set(tmp_path / "again").cases == loaded.cases


def test_a_folder_in_use_is_not_written_to(tmp_path: Path) -> None:
    source = write_set(tmp_path / "set", [{"id": "q", "query": "x"}])
    with pytest.raises(InvalidInput, match="holds a labelled set already"):
        import_beir(tmp_path / "nowhere", source)
    with pytest.raises(InvalidInput, match="holds a BEIR folder already"):
        export_beir(load_set(source), (), source)


def test_files_that_are_no_text_or_no_json_are_told(tmp_path: Path) -> None:
    folder = _folder(tmp_path, [], {"qrels.tsv": [HEADER]}, notes=NOTES)
    (folder / "queries.jsonl").write_text("{\n")
    with pytest.raises(SetError, match=r"queries\.jsonl:1: no JSON: "):
        import_beir(folder, tmp_path / "set")
    (folder / "queries.jsonl").write_bytes(b"\xff\n")
    with pytest.raises(SetError, match=r"queries\.jsonl: is not UTF-8: invalid start byte"):
        import_beir(folder, tmp_path / "set")
