"""The file: one section a part, merged, and refused when it is something else."""

from pathlib import Path

import pytest

from eval_sets.bench import Results, Section, load_results
from eval_sets.bench.results import RESULTS_NAME, save_section
from eval_sets.bench.targets import TARGETS, judge
from eval_sets.bench.types import ratios, summarise
from retrieval.errors import InvalidInput


def _section(found: dict[str, object], *, quick: bool = False) -> Section:
    return Section(found=found, plan={"quick": quick}, machine={"cores": 2}, seconds=1.0)


def _l0(ratio: float, *, quick: bool = False) -> Results:
    found = {"ratios": {"constant_matches": summarise([ratio])}}
    return Results(parts={"l0": _section(found, quick=quick)})


def _verdict(results: Results, part: str) -> tuple[str, str | None]:
    (outcome,) = (one for one in judge(results) if one.target.part == part)
    return outcome.verdict, outcome.why


def test_a_part_that_is_run_again_replaces_its_own_section_only(tmp_path: Path) -> None:
    path = tmp_path / RESULTS_NAME
    save_section(path, "l0", _section({"first": 1}))
    save_section(path, "cold", _section({"other": 2}))
    save_section(path, "l0", _section({"second": 3}))
    parts = load_results(path).parts
    assert {part: section.found for part, section in parts.items()} == {
        "l0": {"second": 3},
        "cold": {"other": 2},
    }


def test_without_a_file_there_are_no_results(tmp_path: Path) -> None:
    assert load_results(tmp_path / RESULTS_NAME) == Results()


@pytest.mark.parametrize("text", ["", "[1]", '{"parts": {"unknown": {}}}', '{"kills": {}}'])
def test_another_file_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / RESULTS_NAME
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"no file of this benchmark"):
        save_section(path, "l0", _section({}))
    assert path.read_text(encoding="utf-8") == text


def test_a_measurement_keeps_each_repetition_with_median_and_range() -> None:
    assert summarise([3.0, 1.00004, 2.0]) == {
        "values": [3.0, 1.0, 2.0],
        "median": 2.0,
        "low": 1.0,
        "high": 3.0,
    }
    with pytest.raises(ValueError, match="nothing was measured"):
        summarise([])


def test_ratios_are_of_one_repetition_each() -> None:
    assert ratios([2.0, 9.0], [1.0, 3.0])["values"] == [2.0, 3.0]


def test_a_target_is_met_at_its_bound_and_missed_beyond_it() -> None:
    assert _verdict(_l0(1.5), "l0") == ("met", None)
    assert _verdict(_l0(1.51), "l0") == ("missed", None)


def test_a_target_that_more_is_better_for_is_met_from_its_bound_on() -> None:
    def indexing(ratio: float, corpus: str, size: int = 3_000_000) -> Results:
        found = {
            "corpus": {"name": corpus, "bytes": size},
            "ratios": {"llama-index": summarise([ratio])},
        }
        return Results(parts={"indexing": _section(found)})

    def verdict(results: Results) -> tuple[str, str | None]:
        return next(
            (one.verdict, one.why) for one in judge(results) if one.target.key == "llama-index"
        )

    assert verdict(indexing(2.5, "opensearch")) == ("met", None)
    assert verdict(indexing(2.49, "opensearch")) == ("missed", None)
    assert verdict(indexing(9, "opensearch", 100_000)) == (
        "not judged",
        "0.1 MB of notes are too few",
    )
    assert verdict(indexing(9, "starter")) == (
        "not judged",
        "set for opensearch, measured on starter",
    )


def test_small_sizes_and_parts_without_figures_are_not_judged() -> None:
    assert _verdict(_l0(0.1, quick=True), "l0") == ("not judged", "small sizes")
    assert _verdict(Results(), "l0") == ("not judged", "not measured")
    skipped = Results(parts={"l0": _section({"skipped": "no notes"})})
    assert _verdict(skipped, "l0") == ("not judged", "no notes")
    assert len(judge(Results())) == len(TARGETS)
