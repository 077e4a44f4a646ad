import numpy as np
import pytest

from eval_sets.statistics import (
    Comparison,
    PValue,
    compare,
    correct,
    detectable_difference,
    effect_size,
    holm,
)


def _scores(values: list[float | None]) -> dict[str, float | None]:
    return {f"q{number:03}": value for number, value in enumerate(values)}


def _compare(a: list[float | None], b: list[float | None]) -> Comparison:
    return compare(_scores(a), _scores(b), names=("l0", "l0+l1"), metric="nDCG@10")


def test_only_queries_with_both_scores_are_compared() -> None:
    result = _compare([0.5, None, 0.2, 1.0], [0.7, 0.9, None, 1.0, 0.4])
    assert (result.n, result.of) == (2, 5)
    assert result.mean_a == pytest.approx(0.75)
    assert result.mean_b == pytest.approx(0.85)
    assert result.difference == pytest.approx(0.1)
    assert (result.wins, result.ties, result.losses) == (1, 1, 0)


def test_order_of_storage_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    a, b = _scores(list(rng.random(40))), _scores(list(rng.random(40)))
    turned = dict(reversed(a.items())), dict(reversed(b.items()))
    assert compare(a, b, names=("a", "b"), metric="MRR") == compare(
        *turned, names=("a", "b"), metric="MRR"
    )


def test_a_clear_difference_is_said() -> None:
    result = _compare([0.2, 0.3] * 15, [0.7, 0.6] * 15)
    assert result.distinguishable
    assert result.wins == 30
    assert result.sentence() == (
        "l0+l1 is better than l0 by 0.400 nDCG@10 "
        "(95% interval +0.367 to +0.433, p < 0.001, 30 queries)."
    )
    assert (
        "l0+l1 is worse than l0 by 0.400" in _compare([0.7, 0.6] * 15, [0.2, 0.3] * 15).sentence()
    )


def test_no_difference_is_said_with_what_could_have_been_seen() -> None:
    result = _compare([0.0, 1.0] * 10, [1.0, 0.0] * 10)
    assert not result.distinguishable
    assert result.p == PValue(value=1.0, exact=False)
    assert result.detectable == pytest.approx((1.959964 + 0.841621) * 1.025978 / 20**0.5, rel=1e-5)
    assert result.sentence().startswith(
        "l0+l1 and l0 are not distinguishable in nDCG@10: difference +0.000 (95% interval "
    )
    assert result.sentence().endswith(
        "20 queries would show a difference of 0.643 or more with 80 % power."
    )


def test_equal_variants_are_not_distinguishable() -> None:
    result = _compare([0.3, 0.4], [0.3, 0.4])
    assert result.p == PValue(value=1.0, exact=True)
    assert result.effect_size == 0.0
    assert result.sentence() == (
        "l0+l1 and l0 are not distinguishable in nDCG@10: difference +0.000 "
        "(95% interval +0.000 to +0.000, p 1.000, 2 queries)."
    )


def test_one_pair_has_no_spread() -> None:
    result = _compare([0.3], [0.8])
    assert result.interval is None
    assert result.effect_size is None
    assert result.detectable is None
    assert result.sentence() == (
        "l0+l1 and l0 are not distinguishable in nDCG@10: difference +0.500 (p 1.000, 1 query)."
    )


def test_nothing_in_common_is_said() -> None:
    result = _compare([None, 0.3], [0.8, None])
    assert (result.n, result.of, result.difference, result.p) == (0, 2, None, None)
    assert not result.distinguishable
    assert result.sentence() == ("l0+l1 and l0 have no scored query in common: nothing to compare.")


def test_holm_steps_down_and_keeps_the_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([0.5, 0.9]) == (1.0, 1.0)
    assert holm([0.02]) == (0.02,)
    assert holm([]) == ()


def test_a_family_is_corrected_and_the_corrected_p_decides() -> None:
    near = _compare([0.0] * 6, [0.1, 0.2, 0.1, 0.3, 0.1, 0.2])
    none = _compare([0.1, 0.2], [0.2, 0.1])
    empty = _compare([None], [None])
    assert near.p == PValue(value=2 / 64, exact=True)
    assert near.distinguishable
    corrected = correct([near, none, empty])
    assert [c.p_adjusted for c in corrected] == [4 / 64, 1.0, None]
    assert not corrected[0].distinguishable
    assert "Holm-corrected p 0.062" in corrected[0].sentence()
    assert correct([near]) == (near,)
    assert correct([near, empty]) == (near, empty)


def test_effect_size_is_the_mean_in_standard_deviations() -> None:
    differences = [0.1, 0.2, 0.3, 0.0]
    assert effect_size(differences) == pytest.approx(0.15 / np.std(differences, ddof=1))
    assert effect_size([0.0, 0.0]) == 0.0
    assert effect_size([0.1, 0.1]) is None
    assert effect_size([0.1]) is None


def test_detectable_difference_is_found_four_times_in_five() -> None:
    rng = np.random.default_rng(2)
    size, n = detectable_difference(list(rng.normal(0, 1, 50_000))), 50_000
    assert size is not None
    # The same spread with 50 queries; the z-test rejects when |mean| > 1.96 sd / √n.
    shift = size * (n / 50) ** 0.5
    means = rng.normal(shift, 1, (4_000, 50)).mean(axis=1)
    assert np.mean(means > 1.959964 / 50**0.5) == pytest.approx(0.8, abs=0.02)
    assert detectable_difference([0.2]) is None
