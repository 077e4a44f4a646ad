"""The default against its peers and without its parts, on one small indexed set."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from eval_sets.ablation import Ablation, ablate, ablation_to_json, build_ablation
from eval_sets.ablation.baselines import BASELINES
from eval_sets.ablation.parts import OURS, PARTS
from eval_sets.cli.group import evaluate
from eval_sets.harness import run
from eval_sets.report import print_document
from eval_sets.types import EvalSet
from retrieval.errors import IndexMissing, InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.lab import indexed, labelled

METRIC = "nDCG@10"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> EvalSet:
    return labelled(tmp_path_factory.mktemp("set"))


@pytest.fixture(scope="module")
def base(small: EvalSet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with indexed(small, tmp_path_factory.mktemp("state")) as opened:
        yield opened


@pytest.fixture(scope="module")
def ablation(small: EvalSet, base: KnowledgeBase) -> Ablation:
    return ablate([(small, base), (replace(small, name="again"), base)], resamples=200)


def test_every_way_is_measured_on_every_set_and_on_all_together(ablation: Ablation) -> None:
    names = [*BASELINES, *(part.name for part in PARTS)]
    for measured in (*(one.measured for one in ablation.sets), ablation.pooled):
        assert [one.name for one in measured] == names
    pooled = {one.name: one for one in ablation.pooled}
    first = ablation.sets[0]
    assert pooled[OURS].mean.n == 2 * first.of(OURS).mean.n
    assert pooled["rrf"].mean.value == pytest.approx(first.of("rrf").mean.value)


def test_its_ways_are_those_of_a_run(
    ablation: Ablation, small: EvalSet, base: KnowledgeBase
) -> None:
    """The same lookups as `eval run` makes, with the same scores."""
    variants = {
        OURS: "l0+l1",
        "off": "l0+l1:filter=off",
        "strict": "l0+l1:filter=strict",
        "l0": "l0",
        "no L0": "l1",
        "no BM25": "l0+l1:l1=dense",
    }
    report = run(
        small,
        base,
        list(variants.values()),
        metrics=[METRIC],
        faults=(),
        resamples=200,
        cache=False,
    )
    for name, variant in variants.items():
        found = ablation.sets[0].of(name)
        assert found.mean == report.score(variant, METRIC).mean, name
        if name == OURS:
            assert ablation.sets[0].filters[OURS] == report.filters[variant]
        else:
            comparison = found.comparison
            assert comparison is not None
            assert (comparison.a, comparison.b) == (name, OURS)


def test_a_part_that_is_left_out_changes_the_ranking(base: KnowledgeBase, small: EvalSet) -> None:
    """Else a row of the table would show that a part adds nothing where it was never left out."""
    view = base.view
    weights = {part.name: part.change(view).weights for part in PARTS}
    assert weights["no overlap"].overlap == weights["no note BM25"].entry == 0
    assert weights["no passage BM25"].passage == weights["no passage BM25"].second == 0
    for part in PARTS:
        changed = part.change(view)
        assert changed.retriever.weights == changed.weights
        differs = changed.weights != view.weights or changed.l0 is not view.l0 or part.options
        assert bool(differs) is (part.name != OURS), part.name


def test_peers_and_parts_are_corrected_apart(ablation: Ablation) -> None:
    measured = ablation.sets[0].measured
    for is_peer in (True, False):
        tested = [one.comparison for one in measured if one.is_peer is is_peer and one.comparison]
        lowest = min(tested, key=lambda c: c.p.value)
        assert lowest.p_adjusted == pytest.approx(min(1.0, len(tested) * lowest.p.value))


def test_json_and_tables_tell_the_same(ablation: Ablation, capsys) -> None:
    data = ablation_to_json(ablation)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    one = data["sets"][ablation.sets[0].name]
    assert one["measured"][OURS].keys().isdisjoint({"difference", "p"})
    assert set(one["filters"]) == {OURS, "strict"}
    print_document(build_ablation(ablation), width=80)
    shown = capsys.readouterr().out
    assert f"{one['measured']['rrf']['mean']:.4f}" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_what_cannot_be_measured_is_refused(
    small: EvalSet, base: KnowledgeBase, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match="No labelled set"):
        ablate([])
    with pytest.raises(InvalidInput, match=repr(small.name)):
        ablate([(small, base), (small, base)])
    with pytest.raises(InvalidInput, match="MAP"):
        ablate([(small, base)], metric="MAP")
    settings = {"state_dir": str(tmp_path), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(small.root, settings) as bare, pytest.raises(IndexMissing):
        ablate([(small, bare)])


def test_the_command_writes_what_it_prints(small: EvalSet, tmp_path: Path) -> None:
    out = tmp_path / "ablation.json"
    config = 'root = "{}"\nstate_dir = "{}"\n[embedding]\nmodel = "hash:64"\n'
    folder = tmp_path / "set"
    folder.mkdir()
    for name in ("set.yaml", "cases.jsonl"):
        (folder / name).write_bytes((small.folder / name).read_bytes())
    (folder / "knowledge.toml").write_text(config.format(small.root, tmp_path / "state"))
    arguments = ["ablate", str(folder), "--resamples", "200", "--out", str(out), "--json"]
    result = CliRunner().invoke(evaluate, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json.loads(out.read_text())
