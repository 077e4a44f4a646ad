"""Experiments as a user runs them: kept, resumed, compared over time."""

import csv
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from eval_sets.errors import SetError
from eval_sets.experiments import load_experiment, load_results, run_experiment
from eval_sets.labelling import judge
from retrieval.cli import main
from retrieval.errors import InvalidInput
from tests.eval_sets.samples import write_set

FILE = """
name: layers
sets: [small]
variants: [l0, "l1:top_k=3"]
metrics: [MRR, nDCG@10]
resamples: 200
"""
CASES = [
    {"id": "r", "query": "refund window", "relevant": {"billing/refund.md": 2}},
    {"id": "i", "query": "invoices", "relevant": {"billing/invoice.md": 1}},
    {"id": "n", "query": "parental leave", "expect_no_answer": True},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = write_set(tmp_path / "small", CASES)
    config = 'root = "knowledge"\n[embedding]\nmodel = "hash:64"\n'
    (folder / "knowledge.toml").write_text(config, encoding="utf-8")
    (tmp_path / "layers.yaml").write_text(FILE, encoding="utf-8")
    return tmp_path / "layers.yaml"


def test_an_interrupted_run_goes_on_where_it_stopped(path: Path) -> None:
    experiment = load_experiment(path)
    first = next(run_experiment(experiment))
    assert not first.kept
    outcomes = list(run_experiment(experiment))
    assert [outcome.kept for outcome in outcomes] == [True, False]
    assert outcomes[0].result == first.result
    assert [outcome.kept for outcome in run_experiment(experiment)] == [True, True]
    assert [outcome.kept for outcome in run_experiment(experiment, again=True)] == [False, False]


def test_what_changed_is_run_again_and_the_old_result_stays(path: Path) -> None:
    experiment = load_experiment(path)
    before = list(run_experiment(experiment))
    judge(path.parent / "small", "refund window", "billing/invoice.md", 1)
    after = list(run_experiment(experiment))
    assert not any(outcome.kept for outcome in after)
    assert before[0].result.fingerprints.cases != after[0].result.fingerprints.cases
    assert before[0].result.fingerprints.index == after[0].result.fingerprints.index
    (path.parent / "small" / "knowledge" / "new.md").write_text("# New\n", encoding="utf-8")
    assert not any(outcome.kept for outcome in run_experiment(experiment))
    stored, problems = load_results(experiment.results)
    assert (len(stored), problems) == (6, ())
    assert [r.created_at for r in stored] == sorted(r.created_at for r in stored)


def test_a_result_holds_every_query_and_the_denominator(path: Path) -> None:
    first = next(run_experiment(load_experiment(path))).result
    figures = first.metrics["MRR"]
    assert figures.by_case == {"r": 1.0, "i": 1.0, "n": None}
    assert (figures.value, figures.n, figures.of) == (1.0, 2, 3)


def test_a_damaged_result_is_named_and_the_others_are_read(path: Path) -> None:
    experiment = load_experiment(path)
    done = list(run_experiment(experiment))
    done[0].path.write_text("{", encoding="utf-8")
    stored, problems = load_results(experiment.results)
    assert [result.variant for result in stored] == ["l1:top_k=3"]
    assert [problem.file for problem in problems] == [str(done[0].path)]
    again = list(run_experiment(experiment))
    assert [outcome.kept for outcome in again] == [False, True]


def test_the_command_writes_tables_and_charts(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "experiment", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "small  l0  MRR 1.0000" in shown
    assert main(["eval", "experiment", str(path)]) == 0
    assert "kept from" in capsys.readouterr().out
    judge(path.parent / "small", "invoices", "billing/refund.md", 2)
    assert main(["eval", "experiment", str(path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    results = path.parent / "results"
    with (results / "history.csv").open(encoding="utf-8", newline="") as file:
        history = list(csv.DictReader(file))
    assert len(history) == 2 * len(rows) == 8
    for name in ("summary", "history-small"):
        assert ElementTree.parse(results / f"{name}.svg").getroot().tag.endswith("svg")
    assert main(["eval", "experiment", str(path), "--history"]) == 0
    assert "changed: cases" in capsys.readouterr().out


@pytest.mark.parametrize("library", ["altair", "vl_convert"])
def test_a_missing_extra_is_named_before_anything_is_run(
    path: Path,
    library: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    assert main(["eval", "experiment", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "needs the extra 'eval'" in captured.err
    assert not (path.parent / "results").exists()
    assert main(["eval", "experiment", str(path), "--history"]) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: a\nsets: [s]\nvariants: [l0]\nsplits: x\n", "unknown field 'splits'"),
        ("name: a\nsets: []\nvariants: [l0]\n", "sets"),
        ("name: a\nsets: [s]\nvariants: [l0, l0]\n", "twice"),
        ("name: [", "experiment.yaml"),
    ],
)
def test_an_unusable_file_is_refused_by_name(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "experiment.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SetError, match=said):
        load_experiment(tmp_path / "experiment.yaml")


def test_unknown_variants_and_metrics_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text('name = "a"\nsets = ["s"]\nvariants = ["l2"]\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match="l2"):
        load_experiment(path)
    path.write_text(
        'name = "a"\nsets = ["s"]\nvariants = ["l0"]\nmetrics = ["wow"]\n', encoding="utf-8"
    )
    with pytest.raises(InvalidInput, match="wow"):
        load_experiment(path)
    with pytest.raises(SetError, match="cannot be read"):
        load_experiment(tmp_path / "none.yaml")
