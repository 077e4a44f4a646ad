"""Peers scored beside ours on a labelled folder."""

import json
from pathlib import Path

import pytest

from eval_sets.bench import Plan
from eval_sets.bench.part_tables import BLOCKS
from eval_sets.bench.parts.quality import measure_quality
from eval_sets.bench.tables import as_markdown

NOTES = {
    "billing/refund.md": "# Refunds\n\nA refund is paid back within thirty days.\n",
    "access/badge.md": "# Lost badge\n\nReport a lost door badge at the reception.\n",
    "faq.md": "# Questions\n\nA refund within thirty days? See refund, refund and refund.\n",
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A set of two queries, one of which a linking page would answer as well."""
    folder = tmp_path / "data" / "handbook"
    for source, text in NOTES.items():
        path = folder / "knowledge" / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    queries = [
        {"_id": "a", "text": "refund within thirty days", "sources": ["faq.md"]},
        {"_id": "b", "text": "lost door badge"},
    ]
    lines = "".join(json.dumps(query) + "\n" for query in queries)
    (folder / "queries.jsonl").write_text(lines, encoding="utf-8")
    rows = "a\tbilling/refund.md\t1\nb\taccess/badge.md\t1\n"
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}", encoding="utf-8")
    return tmp_path / "data"


def test_rankings_are_scored_without_the_linking_pages(data: Path, tmp_path: Path) -> None:
    plan = Plan(data=data, peers=("bm25s",))
    found = measure_quality(plan, tmp_path / "work", lambda _: None)
    one = found["sets"]["handbook"]
    ours, words = one["rows"]
    assert (ours["key"], ours["mean"], ours["n"], ours["of"]) == ("ours", 1.0, 2, 2)
    assert (words["key"], words["mean"], words["difference_to_ours"]) == ("bm25s", 1.0, 0.0)
    assert words["wins_ties_losses"] == [0, 2, 0]
    assert words["p_holm"] == 1
    text = as_markdown(*BLOCKS["peers-quality"](found))
    assert "handbook, 2 queries" in text
    assert "+0.000" in text


def test_a_large_set_is_left_out_unless_it_is_named(data: Path, tmp_path: Path) -> None:
    large = data / "large"
    (large / "knowledge").mkdir(parents=True)
    (large / "knowledge" / "a.md").write_text("x" * 5_100_000, encoding="utf-8")
    (large / "queries.jsonl").write_text("", encoding="utf-8")
    (data / "handbook" / "queries.jsonl").unlink()
    found = measure_quality(Plan(data=data, peers=("bm25s",)), tmp_path / "work", lambda _: None)
    assert found["sets"] == {}
    assert found["left_out"] == {"large": "5.1 MB of notes: name it with --sets to run it"}
