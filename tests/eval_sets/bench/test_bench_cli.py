"""`lookup-knowledge bench` as a user types it, small, with all that it writes."""

import json
from pathlib import Path

import click
import pytest

from eval_sets.bench import PARTS, Plan, load_results, run_parts
from eval_sets.bench.plans import QUICK
from eval_sets.bench.plots import write_plots
from eval_sets.bench.results import RESULTS_NAME
from eval_sets.bench.tables import as_markdown, part_blocks, targets_table
from eval_sets.cli.bench import bench
from retrieval.cli import main

SMALL = {**QUICK, "sizes": (100,), "peers": ("bm25s",)}
RUN = tuple(part for part in PARTS if part != "cold")
"""A start of the whole program is measured only by hand: it takes some seconds."""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run of nearly all parts, with one tool besides ours."""
    out = tmp_path_factory.mktemp("bench")
    told: list[str] = []
    results = run_parts(RUN, Plan(**SMALL), out, told.append)
    assert told
    assert results == load_results(out / RESULTS_NAME)
    write_plots(results, out)
    return out


def test_each_part_has_a_section_with_its_machine_and_plan(out: Path) -> None:
    document = json.loads((out / RESULTS_NAME).read_text(encoding="utf-8"))
    assert set(document["parts"]) == set(RUN)
    for section in document["parts"].values():
        assert section["plan"]["quick"] is True
        assert section["machine"]["cores"] >= 1
        assert section["machine"]["packages"]["chromadb"]
        assert len(section["machine"]["load_average_at_start"]) == 3


def test_indexing_has_a_row_for_each_tool_and_says_which_notes(out: Path) -> None:
    found = load_results(out / RESULTS_NAME).parts["indexing"].found
    rows = {row["key"]: row for row in found["rows"]}
    assert list(rows) == ["ours", "bare", "bm25s"]
    assert found["corpus"]["name"] == "starter"
    assert "bundled handbook" in found["corpus"]["note"]
    assert set(found["ratios"]) == {"bare"}
    assert rows["ours"]["chunks"] == rows["bare"]["chunks"] > 0
    assert rows["bm25s"]["read_share"] is None
    assert 0.9 < rows["ours"]["read_share"] <= 1


def test_a_changed_note_costs_its_own_passages_only(out: Path) -> None:
    found = load_results(out / RESULTS_NAME).parts["reindex"].found
    assert found["passages"] == 200
    assert (found["whole_note"]["passages"], found["one_passage"]["passages"]) == (10, 1)
    assert set(found["ratios"]) == {"whole_note", "one_passage"}


def test_lookups_are_filtered_where_they_should_be(out: Path) -> None:
    found = load_results(out / RESULTS_NAME).parts["lookup"].found
    filtered = found["filtered"]
    assert filtered["no_filter"] == filtered["bare"] == 0
    assert filtered["caller_filter"] == found["queries"]
    assert filtered["derived_filter"] > 0
    assert set(found["ratios"]) == {"no_filter", "caller_filter", "derived_filter"}


def test_l0_and_scale_have_their_sizes(out: Path) -> None:
    parts = load_results(out / RESULTS_NAME).parts
    assert parts["l0"].found["entries"] == [1000, 5000]
    assert [row["passages"] for row in parts["scale"].found["rows"]] == [100]
    assert parts["scale"].found["ratios"]["peak_gb"]["median"] > 0


def test_without_data_the_quality_of_peers_is_skipped_with_a_reason(out: Path) -> None:
    found = load_results(out / RESULTS_NAME).parts["peers-quality"].found
    assert list(found) == ["skipped"]
    assert "--data" in found["skipped"]


def test_the_plots_show_what_was_measured_and_follow_no_page_colour(out: Path) -> None:
    scale = (out / "bench-scale.svg").read_text(encoding="utf-8")
    indexing = (out / "bench-indexing.svg").read_text(encoding="utf-8")
    assert "later lookup" in scale
    assert "peak while indexing" in scale
    assert "this project" in indexing
    for svg in (scale, indexing):
        assert "currentColor" not in svg
        assert "#808080" in svg


def test_tables_come_from_the_file(out: Path) -> None:
    results = load_results(out / RESULTS_NAME)
    targets = as_markdown(targets_table(results))
    assert "≥ 2.5" in targets
    assert "not judged: small sizes" in targets
    assert "not judged: not measured" in targets  # cold
    median = results.parts["l0"].found["ratios"]["constant_matches"]["median"]
    for part in results.parts:
        assert as_markdown(*part_blocks(results, part)).strip()
    assert f"{median:#.3g}" in as_markdown(*part_blocks(results, "l0"))


def test_another_run_of_one_part_leaves_the_others(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = json.loads((out / RESULTS_NAME).read_text(encoding="utf-8"))["parts"]
    arguments = ["bench", "--quick", "--parts", "l0", "--repeat", "2", "--out", str(out), "--json"]
    assert main(arguments) == 0
    after = json.loads(capsys.readouterr().out)["parts"]
    assert len(after["l0"]["found"]["ratios"]["constant_matches"]["values"]) == 2
    assert {k: v for k, v in after.items() if k != "l0"} == {
        k: v for k, v in before.items() if k != "l0"
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--parts", "speed"], "Choose from: indexing, reindex"),
        (["--parts", ","], "No part is named"),
        (["--peers", "lucene"], "Choose from: llama-index"),
        (["--repeat", "0"], "repeat"),
        (["--megabytes", "0"], "megabytes"),
        (["--data", "missing"], "does not exist"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_runs(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out"
    assert main(["bench", *arguments, "--out", str(target), "--json"]) == 2
    assert words in capsys.readouterr().out
    assert not target.exists()


def test_a_folder_that_cannot_be_made_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--quick", "--out", __file__, "--json"]) == 2
    assert "cannot be made" in capsys.readouterr().out


def test_an_unknown_labelled_set_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data" / "docs" / "knowledge").mkdir(parents=True)
    (tmp_path / "data" / "docs" / "queries.jsonl").write_text("")
    arguments = ["--data", str(tmp_path / "data"), "--sets", "other", "--parts", "peers-quality"]
    assert main(["bench", *arguments, "--out", str(tmp_path / "out"), "--json"]) == 2
    assert "no labelled set 'other'" in capsys.readouterr().out


def test_the_help_has_an_example_and_names_every_part() -> None:
    text = bench.get_help(click.Context(bench, info_name="bench"))
    assert "lookup-knowledge bench" in text.partition("Example")[2]
    assert all(part in text for part in PARTS)
