import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eval_sets.answerability import Asked, ask_answerable, fit_weights, measure
from eval_sets.loading import load_set
from eval_sets.statistics import auroc, auroc_interval
from eval_sets.types import EvalSet, Row
from retrieval.cli import main
from retrieval.knowledge_base import KnowledgeBase
from retrieval.relevance import DEFAULT_THRESHOLDS
from tests.eval_sets.samples import block, relevance, row, write_set

CONFIG = 'root = "knowledge"\n\n[embedding]\nmodel = "hash:64"\n'
CASES = [
    {
        "id": "r",
        "query": "refund window",
        "relevant": {"billing/refund.md": 2},
        "exclude": ["billing/invoice.md"],
    },
    {"id": "t", "query": "login tokens", "relevant": {"access/token.md": 1}},
    {"id": "open", "query": "not judged"},
]
OTHER = [{"id": "z", "query": "zebra stripes", "relevant": {"access/token.md": 1}}]


def _write(folder: Path, cases: list[dict[str, object]]) -> EvalSet:
    write_set(folder, cases)
    (folder / "set.yaml").write_text(f"name: {folder.name}\n", encoding="utf-8")
    (folder / "knowledge.toml").write_text(CONFIG, encoding="utf-8")
    return load_set(folder)


@pytest.fixture
def sets(tmp_path: Path) -> tuple[EvalSet, EvalSet]:
    return _write(tmp_path / "small", CASES), _write(tmp_path / "other", OTHER)


@pytest.fixture
def base(sets: tuple[EvalSet, EvalSet]) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(sets[0].knowledge_base) as knowledge:
        knowledge.reindex()
        yield knowledge


def test_answers_and_excluded_notes_are_taken_out(
    sets: tuple[EvalSet, EvalSet], base: KnowledgeBase
) -> None:
    asked = ask_answerable(sets[0], base, [sets[1]], queries=10)
    answered, out = ({r.case_id: r for r in rows} for rows in (asked.answered, asked.taken_out))
    assert list(answered) == list(out) == ["r", "t"]
    assert answered["r"].sources[0] == "billing/refund.md"
    assert "billing/invoice.md" not in answered["r"].sources
    assert not {"billing/refund.md", "billing/invoice.md"} & set(out["r"].sources)
    assert "access/token.md" not in out["t"].sources
    assert [r.case_id for r in asked.wrong_base] == ["other: z"]
    assert asked.right == {"r", "t"}
    # The notes themselves are as they were.
    assert base.lookup("refund window").primary.source == "billing/refund.md"  # type: ignore[union-attr]


def test_the_sample_is_drawn_by_the_seed(
    sets: tuple[EvalSet, EvalSet], base: KnowledgeBase
) -> None:
    drawn = {
        ask_answerable(sets[0], base, [], queries=1, seed=seed).answered[0].case_id
        for seed in range(8)
    }
    assert drawn == {"r", "t"}


def _drawn(name: str, seed: int, overlap: float, noise: float = 0.1) -> Asked:
    """Rows whose overlap tells both kinds, and whose cosine tells only the wrong base."""
    rng = np.random.default_rng(seed)

    def rows(kind: str, cosine: float, share: float) -> tuple[Row, ...]:
        found = []
        for number in range(40):
            similar, headline = rng.normal(cosine, 0.08), rng.normal(share, noise)
            point = {"coverage": 0.7, "overlap": float(np.clip(headline, 0, 1))}
            score = float(np.clip(similar, 0, 1))
            confidence = DEFAULT_THRESHOLDS.confidence(score, 0.7, point["overlap"])
            found.append(
                row(
                    f"{kind}{number}",
                    block("a", score=score),
                    l1_status="ok",
                    relevance=relevance(round(confidence, 4)),
                    **point,
                )
            )
        return tuple(found)

    answered = rows("q", 0.6, overlap)
    return Asked(
        name=name,
        answered=answered,
        wrong_base=rows("w", 0.3, 0.1),
        taken_out=rows("t", 0.57, 0.1),
        right=frozenset(r.case_id for r in answered),
    )


def test_confidence_is_held_against_the_best_cosine() -> None:
    one, two = measure([_drawn("one", 1, 0.6), _drawn("two", 2, 0.6)])
    assert one.wrong_base is not None
    assert one.wrong_base.account.auroc == pytest.approx(1.0, abs=0.01)
    assert one.taken_out.top_similarity == pytest.approx(0.6, abs=0.1)
    assert one.taken_out.account.auroc is not None
    assert one.taken_out.account.auroc > 0.9
    assert one.taken_out.gain is not None
    assert one.taken_out.gain.low > 0.1
    assert one.taken_out.fitted_elsewhere is not None
    assert one.taken_out.fitted_elsewhere > 0.9
    assert two.fitted is not None
    assert two.fitted.overlap_weight > 0


def test_one_set_alone_has_no_wrong_base_and_no_weights_from_elsewhere() -> None:
    (only,) = measure([replace(_drawn("one", 1, 0.6), wrong_base=())])
    assert only.wrong_base is None
    assert only.fitted is None
    assert only.taken_out.fitted_elsewhere is None


def test_a_set_weighs_the_same_however_many_queries_it_has() -> None:
    small, large = _drawn("small", 1, 0.6, noise=0.3), _drawn("large", 2, 0.2, noise=0.3)
    many = replace(large, **{k: getattr(large, k) * 9 for k in ("answered", "wrong_base")})
    alone, once, often = (
        fit_weights(sets).overlap_weight for sets in ([large], [small, large], [small, many])
    )
    # The ridge alone depends on the number.
    assert often == pytest.approx(once, rel=0.02)
    assert alone != pytest.approx(once, rel=0.2)


def test_the_interval_of_a_difference_is_over_the_same_draws() -> None:
    rng = np.random.default_rng(0)
    high, low = rng.normal(1, 1, 80).tolist(), rng.normal(0, 1, 80).tolist()
    same = auroc_interval(high, low, over=(high, low))
    assert same is not None
    assert (same.low, same.high) == (0.0, 0.0)
    noise = rng.normal(0, 1, 160).tolist()
    found = auroc_interval(high, low, over=(noise[:80], noise[80:]))
    difference = (auroc(high, low) or 0) - (auroc(noise[:80], noise[80:]) or 0)
    assert found is not None
    assert found.low < difference < found.high


def test_the_command_writes_what_it_prints(
    sets: tuple[EvalSet, EvalSet], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "figures.json"
    folders = [str(one.folder) for one in sets]
    assert main(["eval", "no-answer", *folders, "--out", str(out), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(out.read_text(encoding="utf-8"))
    assert [one["name"] for one in printed["sets"]] == ["small", "other"]
    assert printed["sets"][0]["queries"] == 2
    assert main(["eval", "no-answer", folders[0]]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "small, taken out" in told
    assert "wrong base" not in told.partition("Operating points")[2]


def test_a_set_is_no_other_set_of_itself(
    sets: tuple[EvalSet, EvalSet], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(sets[0].folder)
    assert main(["eval", "no-answer", folder, folder, "--json"]) == 2
    assert "named 'small'" in json.loads(capsys.readouterr().out)["error"]["message"]
