import itertools

import numpy as np
import pytest
from scipy import stats

from eval_sets.statistics import (
    Interval,
    PValue,
    auroc,
    auroc_interval,
    bootstrap_mean,
    randomisation_test,
)

SKEWED = [0.0, 0.0, 0.0, 0.1, 0.1, 0.2, 0.3, 0.5, 0.9, -0.1, 0.0, 0.05]


def test_few_differences_are_tested_over_all_sign_patterns() -> None:
    differences = [0.3, -0.1, 0.2, 0.4, 0.1]
    observed = abs(sum(differences))
    extreme = [
        signs
        for signs in itertools.product((1, -1), repeat=5)
        if abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= observed - 1e-12
    ]
    assert randomisation_test(differences) == PValue(value=len(extreme) / 32, exact=True)


def test_all_in_one_direction_gives_the_smallest_exact_p() -> None:
    assert randomisation_test([0.1] * 6) == PValue(value=2 / 64, exact=True)


def test_ties_do_not_change_the_test_and_keep_it_exact() -> None:
    differences = [0.3, -0.1, 0.2, 0.4]
    assert randomisation_test([*differences, *[0.0] * 500]) == randomisation_test(differences)
    assert randomisation_test([0.0] * 30) == PValue(value=1.0, exact=True)
    assert randomisation_test([]) is None


def test_many_differences_are_sampled_and_agree_with_scipy() -> None:
    rng = np.random.default_rng(3)
    differences = rng.normal(0.1, 0.4, size=60)
    ours = randomisation_test(list(differences), resamples=20_000, seed=1)
    theirs = stats.permutation_test(
        (differences, np.zeros(60)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=2,
    )
    assert ours is not None
    assert not ours.exact
    assert ours.value == pytest.approx(theirs.pvalue, abs=0.01)


def test_a_sampled_p_is_never_zero() -> None:
    assert randomisation_test([0.5] * 200, resamples=999) == PValue(value=1 / 1000, exact=False)


def test_a_seed_repeats_the_numbers() -> None:
    differences = list(np.random.default_rng(0).normal(size=300))
    assert randomisation_test(differences, seed=5) == randomisation_test(differences, seed=5)
    assert bootstrap_mean(differences, seed=5) == bootstrap_mean(differences, seed=5)
    assert bootstrap_mean(differences, seed=5) != bootstrap_mean(differences, seed=6)


@pytest.mark.parametrize(("method", "name"), [("bca", "BCa"), ("percentile", "percentile")])
def test_intervals_agree_with_scipy(method: str, name: str) -> None:
    ours = bootstrap_mean(SKEWED, resamples=40_000, seed=1, method=method)  # type: ignore[arg-type]
    theirs = stats.bootstrap(
        (np.array(SKEWED),), np.mean, n_resamples=40_000, method=name, rng=2
    ).confidence_interval
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.005)


def test_interval_of_too_little() -> None:
    assert bootstrap_mean([]) is None
    assert bootstrap_mean([0.4]) is None
    assert bootstrap_mean([0.4] * 9) == Interval(low=0.4, high=0.4)
    assert bootstrap_mean([0.4] * 9, level=0.9) == Interval(low=0.4, high=0.4, level=0.9)


def test_a_large_set_is_sampled_in_chunks() -> None:
    values = list(np.random.default_rng(0).normal(0.2, 1.0, size=5_000))
    interval = bootstrap_mean(values, resamples=1_000)
    assert interval is not None
    assert interval.low < np.mean(values) < interval.high
    assert interval.high - interval.low == pytest.approx(2 * 1.96 / 5_000**0.5, rel=0.1)


def test_auroc_counts_ties_half() -> None:
    assert auroc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert auroc([0.1], [0.9]) == 0.0
    assert auroc([0.5, 0.5], [0.5]) == 0.5
    assert auroc([0.9, 0.5], [0.5, 0.1]) == 3.5 / 4
    assert auroc([], [0.5]) is None
    assert auroc([0.5], []) is None


def test_auroc_is_the_scaled_rank_sum() -> None:
    rng = np.random.default_rng(1)
    high, low = rng.integers(2, 9, size=40) / 10, rng.integers(0, 7, size=25) / 10
    statistic = stats.mannwhitneyu(high, low).statistic
    assert auroc(list(high), list(low)) == pytest.approx(statistic / (40 * 25))


def test_auroc_interval_holds_the_area_and_narrows_with_labels() -> None:
    rng = np.random.default_rng(1)
    few = auroc_interval(list(rng.normal(1, 1, 15)), list(rng.normal(0, 1, 15)))
    many = auroc_interval(list(rng.normal(1, 1, 300)), list(rng.normal(0, 1, 300)))
    assert few is not None
    assert many is not None
    assert many.low < stats.norm.cdf(1 / 2**0.5) < many.high
    assert many.high - many.low < (few.high - few.low) / 2
    assert auroc_interval([1.0, 1.0], [0.0, 0.0]) == Interval(low=1.0, high=1.0)
    assert auroc_interval([1.0], [0.0, 0.0]) is None
