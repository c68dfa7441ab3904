"""Intervals of shares and rank correlations, against textbook values and scipy."""

import numpy as np
import pytest
from scipy import stats

from mha.analysis.calibration import FEWEST_HEADS, rank_correlation, wilson


def test_wilson_is_the_textbook_interval() -> None:
    low, high = wilson(58, 82)
    assert (round(low, 3), round(high, 3)) == (0.601, 0.795)
    expected = stats.binomtest(7, 11).proportion_ci(method="wilson")
    assert wilson(7, 11) == pytest.approx((expected.low, expected.high))
    assert wilson(0, 0) == (0, 1)


def test_rank_correlation_is_spearman_and_leaves_out_what_is_missing() -> None:
    x, y = np.random.default_rng(23).normal(size=(2, 31))
    rho, low, high = rank_correlation(x, x + y)
    assert rho == pytest.approx(stats.spearmanr(x, x + y).statistic)
    assert low < rho < high
    with_gap = np.append(x, np.nan)
    assert rank_correlation(with_gap, np.append(x + y, 1.0))[0] == pytest.approx(rho)
    assert np.isnan(rank_correlation(np.ones(31), np.arange(31))).all()
    few = np.arange(FEWEST_HEADS - 1)
    assert np.isnan(rank_correlation(few, few)).all()
