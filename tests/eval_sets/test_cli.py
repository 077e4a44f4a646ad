"""The evaluation commands as a user types them, on a small set with the embedder for tests."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from eval_sets.cli import evaluate
from eval_sets.cli.arguments import split_variants
from eval_sets.sets import bundled_sets
from retrieval.cli import main
from retrieval.errors import InvalidInput
from tests.eval_sets.samples import write_set

CONFIG = 'root = "knowledge"\n\n[embedding]\nmodel = "hash:64"\n'
QUICK = ("--no-faults", "--resamples", "200")
CASES = [
    {"id": "r", "query": "refund window", "relevant": {"billing/refund.md": 2}, "stratum": "exact"},
    {"id": "i", "query": "invoices", "relevant": {"billing/invoice.md": 1}, "stratum": "exact"},
    {"id": "t", "query": "login tokens", "relevant": {"access/token.md": 1}, "stratum": "exact"},
    {"id": "h", "query": "hours", "relevant": {"access/token.md": 1}, "stratum": "body"},
    {"id": "n", "query": "parental leave", "expect_no_answer": True, "stratum": "no_answer"},
]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    folder = write_set(tmp_path / "small", CASES)
    (folder / "knowledge.toml").write_text(CONFIG, encoding="utf-8")
    return folder


def _json(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> Any:
    assert main([*map(str, arguments), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def _words(text: str) -> str:
    """The text on one line, wherever it was wrapped."""
    return " ".join(text.split())


def _commands() -> Iterator[tuple[str, click.Command]]:
    yield "eval", evaluate
    yield from ((f"eval {name}", command) for name, command in evaluate.commands.items())


@pytest.mark.parametrize(("name", "command"), list(_commands()))
def test_every_help_has_an_example(name: str, command: click.Command) -> None:
    text = command.get_help(click.Context(command, info_name=name))
    assert f"lookup-knowledge {name}" in text.partition("Example")[2]


def test_the_commands_are_those_of_the_design() -> None:
    assert list(evaluate.commands) == [
        "run",
        "compare",
        "calibrate",
        "no-answer",
        "import",
        "export",
        "list",
        "create",
        "judge",
        "preview",
        "suggest",
        "relabel",
        "queue",
        "experiment",
        "ablate",
    ]


def test_help_is_light() -> None:
    code = (
        "import sys\nfrom retrieval.cli import main\nassert main(['eval', 'run', '--help']) == 0\n"
        "heavy = {'altair', 'chromadb', 'llama_index', 'onnxruntime', 'pandas', 'numpy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("text", "variants"),
    [
        ("l0,l1,l0+l1", ("l0", "l1", "l0+l1")),
        (
            "l0+l1:filter=strict,l1=dense,l1=dense,l1",
            ("l0+l1:filter=strict,l1=dense,l1=dense", "l1"),
        ),
        ("l0+l1:filter=strict,l1=dense,l1", ("l0+l1:filter=strict,l1=dense", "l1")),
        ("l0, l1:top_k=5,fault=l1-raises ,", ("l0", "l1:top_k=5,fault=l1-raises")),
        ("l0,l1,filter=off", ("l0", "l1:filter=off")),
        ("l0+l1:filter=off,mine=a/b.toml,c.toml", ("l0+l1:filter=off", "mine=a/b.toml", "c.toml")),
    ],
)
def test_variants_keep_their_commas(text: str, variants: tuple[str, ...]) -> None:
    assert split_variants(text) == variants


def test_without_the_extra_the_other_files_are_written(
    labelled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for library in ("pandas", "vl_convert"):
        monkeypatch.setitem(sys.modules, library, None)
    run = ["eval", "run", str(labelled), "--variants", "l0", *QUICK, "--out", str(tmp_path / "a")]
    assert main(run) == 0
    assert "A report as csv or html needs the extra 'eval'" in capsys.readouterr().err
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"report.json", "report.md"}
    run[-1] = str(tmp_path / "b")
    assert main([*run, "--format", "json,html"]) == 1
    assert "html needs the extra 'eval'" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


def test_a_setting_without_a_variant_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'filter=off' has no variant before it"):
        split_variants("filter=off,l0")


def test_run_prints_scores_comparison_and_contract(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "run", str(labelled), "--resamples", "200"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Evaluation of small\n5 queries; variants l0, l1, l0+l1\n")
    for title in ("Scores", "Comparisons", "nDCG@10 by stratum", "Category filter", "Fallback"):
        assert f"\n{title}\n" in text
    assert "The fallback held under all 5 faults." in text
    assert max(map(len, text.splitlines())) <= 80


def test_run_builds_the_index_and_asks_what_it_is_told(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _json(
        capsys,
        "eval",
        "run",
        labelled,
        *QUICK,
        "--variants",
        "l0,l0+l1:filter=off,top_k=2",
        "--metrics",
        "MRR,recall@2",
        "--seed",
        3,
        "--against",
        "l0+l1:filter=off,top_k=2",
    )
    report = data["report"]
    assert [v["name"] for v in report["variants"]] == ["l0", "l0+l1:filter=off,top_k=2"]
    assert report["metrics"] == ["MRR", "recall@2"]
    assert (report["seed"], report["resamples"], report["split"]) == (3, 200, None)
    assert report["baseline"] == "l0+l1:filter=off,top_k=2"
    assert report["digests"]["index"]
    assert data["gate"] is None


def test_run_without_l1_builds_no_index(labelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = _json(capsys, "eval", "run", labelled, "--variants", "l0", *QUICK)["report"]
    assert "index" not in report["digests"]


def test_run_sees_an_edit_and_can_ask_other_notes(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def recall() -> float:
        report = _json(capsys, "eval", "run", labelled, "--variants", "l0+l1", *QUICK)["report"]
        values = report["values"]["l0+l1"]["hit@1"]
        return sum(value for value in values.values() if value is not None)

    before = recall()
    (labelled / "knowledge/billing/refund.md").write_text("# Other\n\nNothing.\n", "utf-8")
    assert recall() < before
    other = write_set(tmp_path / "other", CASES) / "knowledge"
    report = _json(capsys, "eval", "run", labelled, "--variants", "l0", "--kb", other, *QUICK)[
        "report"
    ]
    assert report["values"]["l0"]["hit@1"]["r"] == 1.0


def test_reports_are_written_and_compared(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["eval", "run", str(labelled), "--variants", "l0", *QUICK]
    assert main([*run, "--out", str(tmp_path / "a"), "--format", "json,markdown"]) == 0
    assert "Written: " in capsys.readouterr().out
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["report.json", "report.md"]
    (labelled / "knowledge/billing/refund.md").write_text("# Other\n\nNothing.\n", "utf-8")
    assert main([*run, "--json"]) == 0
    (tmp_path / "b.json").write_text(capsys.readouterr().out, encoding="utf-8")
    compared = _json(capsys, "eval", "compare", tmp_path / "a", tmp_path / "b.json")
    assert [(move["case_id"], move["before"], move["after"]) for move in compared["moves"]] == [
        ("r", 1.0, 0.0)
    ]
    assert main(["eval", "compare", str(tmp_path / "a"), str(tmp_path / "b.json")]) == 0
    text = capsys.readouterr().out
    assert "1 worse" in text
    assert "digest of notes" in text


def test_a_format_is_printed_alone(labelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["eval", "run", str(labelled), "--variants", "l0", *QUICK, "--format"]
    assert main([*arguments, "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("case_id,query,stratum")
    assert len(lines) == 1 + len(CASES)
    assert main([*arguments, "json,csv"]) == 2
    assert "Only one format can be printed" in capsys.readouterr().err
    assert main([*arguments, "pdf"]) == 2
    assert "no format 'pdf'" in capsys.readouterr().err


def test_the_gate_fails_with_code_3_and_names_the_queries(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = tmp_path / "baseline.json"
    run = ["eval", "run", str(labelled), "--variants", "l0", *QUICK, "--baseline", str(baseline)]
    assert main(run) == 2
    assert "--update-baseline" in capsys.readouterr().err
    assert main([*run, "--update-baseline"]) == 0
    assert f"Written: {baseline}" in capsys.readouterr().out
    assert main(run) == 0
    assert "The gate passed" in capsys.readouterr().out
    note = labelled / "knowledge/billing/refund.md"
    note.write_text(note.read_text("utf-8").replace("[refund]", "[payback]"), "utf-8")
    note.write_text(note.read_text("utf-8").replace("Refund window", "Payback"), "utf-8")
    assert main([*run, "--out", str(tmp_path / "out"), "--format", "markdown"]) == 3
    text = _words(capsys.readouterr().out)
    assert "The gate failed" in text
    assert "l0 nDCG@10 all 0.750 0.500 −0.250" in text
    assert "l0 nDCG@10 exact 1.000 0.667 −0.333" in text
    assert text.count("r l0 nDCG@10 1.000 0.000 refund window") == 1
    assert "## Gate" in (tmp_path / "out/report.md").read_text("utf-8")
    gate = _json(capsys, *run, code=3)["gate"]
    assert gate["passed"] is False
    assert {move["case_id"] for r in gate["regressions"] for move in r["moved"]} == {"r"}
    assert main([*run, "--tolerance", "1"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "nowhere"], "no labelled set 'nowhere'"),
        (["run", "starter", "--variants", "l9"], "'l9'"),
        (["run", "starter", "--variants", "l0", "--tolerance", "0.1"], "No baseline is named"),
        (["run", "starter", "--variants", "l0", "--update-baseline"], "No baseline is named"),
        (["compare", "a.json", "b.json"], "a.json cannot be read"),
        (["compare", "a.json", "b.json", "--variant-a", "l0"], "Only one variant is named"),
        (["export", "nowhere", "target"], "no labelled set"),
    ],
)
def test_wrong_input_is_told_as_json_too(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    error = _json(capsys, "eval", *arguments, code=2)["error"]
    assert said in error["message"]
    assert error["next_action"]


def test_list_counts_the_bundled_sets(capsys: pytest.CaptureFixture[str]) -> None:
    sets = {entry["name"]: entry for entry in _json(capsys, "eval", "list")["sets"]}
    assert list(sets) == list(bundled_sets())
    starter = sets["starter"]
    assert (starter["queries"], starter["dev"], starter["notes"]) == (354, 177, 96)
    assert main(["eval", "list"]) == 0
    assert "starter-zh" in capsys.readouterr().out


def test_export_and_import_bring_a_set_back(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, back = tmp_path / "beir", tmp_path / "back"
    assert _json(capsys, "eval", "export", labelled, target)["files"] == [str(target)]
    report = _json(capsys, "eval", "import", target, back, "--name", "again")
    assert (report["notes"], report["cases"], report["labels"]) == (3, 5, 4)
    assert main(["eval", "import", str(target), str(back)]) == 2
    assert "holds a labelled set already" in _words(capsys.readouterr().err)
    assert main(["eval", "import", str(target), str(tmp_path / "third")]) == 0
    assert "3 notes, 5 queries, 4 labels" in _words(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("trec", {"qrels.txt", "queries.tsv", "run-l0.txt", "run-l0+l1_filter=off.txt"}),
        ("ranx", {"qrels.json", "run-l0.json", "run-l0+l1_filter=off.json"}),
        ("csv", {"cases.csv", "rows.csv"}),
    ],
)
def test_rankings_are_exported_with_the_set(
    labelled: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    form: str,
    names: set[str],
) -> None:
    run = ["eval", "run", str(labelled), "--variants", "l0,l0+l1:filter=off", *QUICK]
    assert main([*run, "--out", str(tmp_path / "out"), "--format", "json"]) == 0
    capsys.readouterr()
    target = tmp_path / form
    report = tmp_path / "out/report.json"
    _json(capsys, "eval", "export", labelled, target, "--format", form, "--report", report)
    assert {path.name for path in target.iterdir()} == names
    if form == "trec":
        assert (target / "queries.tsv").read_text("utf-8").splitlines()[0] == "r\trefund window"
        assert (target / "qrels.txt").read_text("utf-8").splitlines()[0] == (
            "r 0 billing/refund.md 2"
        )


def test_rankings_of_another_set_are_refused(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    run = ["eval", "run", str(labelled), "--variants", "l0", *QUICK, "--out", str(out)]
    assert main([*run, "--format", "json"]) == 0
    capsys.readouterr()
    arguments = ["eval", "export", "starter", tmp_path / "x", "--report", out]
    assert "another set" in _json(capsys, *arguments, code=2)["error"]["message"]
    arguments = ["eval", "export", labelled, tmp_path / "x", "--report", out]
    assert "no rankings" in _json(capsys, *arguments, code=2)["error"]["message"]


def test_calibrate_refuses_too_few_labels(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = _json(capsys, "eval", "calibrate", labelled, code=2)["error"]
    assert error["code"] == "too_few_labels"
