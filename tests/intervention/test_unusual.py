"""The rule for one sentence, tried on sentences whose words force a reading: what is bundled comes out again."""

import numpy as np
import pytest

from mha.analysis.leaning import ShuffleSummary
from mha.intervention.calibrated import rule_trial
from mha.intervention.subject import subject
from mha.pairs import KINDS
from studies.unusual_rate import in_other_orders, tried_pairs, unusual_side


def test_what_is_bundled_is_of_the_forced_pairs():
    found = rule_trial()
    assert found.sentences == {kind: 2 * len(tried_pairs(kind)) for kind in KINDS}
    assert (found.n, len(found.found), found.right) == (324, 3, 2)
    texts = {text for kind in KINDS for pair in tried_pairs(kind) for text in (pair.a, pair.b)}
    assert all(one.text in texts for one in found.found)
    assert rule_trial("toy") is None


def test_a_side_is_named_where_at_most_nine_of_199_orders_reach_as_far():
    leans = np.zeros((199, 1, 2))
    leans[:9, 0, 1] = 0.6
    lean = np.array([[0.1, -0.5]])
    assert unusual_side(ShuffleSummary(lean, leans)) == "B"
    assert unusual_side(ShuffleSummary(-lean, leans)) == "A"
    leans[9, 0, 0] = -0.5
    assert unusual_side(ShuffleSummary(lean, leans)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pytest.param("he/she", marks=pytest.mark.slow), "relative clause"])
def test_a_sentence_that_was_unusual_is_so_again_and_its_other_version_as_bundled(kind):
    found, experiment = {one.text: one.leans for one in rule_trial().found}, subject("minilm")
    pair = next(pair for pair in tried_pairs(kind) if pair.a in found or pair.b in found)
    for text in (pair.a, pair.b):
        assert unusual_side(in_other_orders(experiment, text, pair.readings)) == found.get(text, "")
