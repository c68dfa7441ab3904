"""The bundled shuffle controls are those of the examples as MiniLM opens with them today."""

import numpy as np
import pytest

import mha
from mha.analysis.opening import opening
from mha.analysis.shuffles import BUNDLED, bundled_control, read_controls
from mha.examples import OPENS_HEADS, examples
from mha.intervention.shuffles import shuffle_control
from mha.maps import HeadId
from studies.unusual import CANDIDATES, N_CHOICE


def test_bundled_controls_cover_the_examples():
    controls = read_controls(BUNDLED.read_bytes())
    shown = {example.text for example in examples() if opening(mha.attend(example.text)).looks}
    assert {text for text, *_ in controls} == {*shown, OPENS_HEADS}
    assert not any(control.note for control in controls.values())
    assert {control.n_copies for text, control in controls.items() if text[0] != OPENS_HEADS} == {39}
    revision = mha.attend("Red apples").revision
    assert {control.revision for control in controls.values()} == {revision}


def test_the_sentence_that_heads_opens_with_passes_its_control():
    """It is one of twenty, and connects *they* with *sailors*, which is not its first word."""
    assert len(set(CANDIDATES)) == 20
    assert OPENS_HEADS in CANDIDATES
    opens = opening(mha.attend(OPENS_HEADS))
    assert opens.sides == ("a", "b")
    stored = bundled_control(OPENS_HEADS, "minilm", (HeadId(3, 1), 9, 4))
    assert stored is not None
    assert (stored.n_reached, stored.n_copies) == (25, N_CHOICE)
    assert stored.p == pytest.approx(0.026)
    live = shuffle_control(OPENS_HEADS, n_copies=39)
    assert (live.head, live.query, live.key) == (stored.head, stored.query, stored.key)
    np.testing.assert_allclose(stored.maxima[:39], live.maxima, atol=1e-4)


def test_bundled_controls_are_measured_with_today_s_weights():
    text = examples()[1].text
    live = shuffle_control(text)
    stored = bundled_control(text, "minilm", (live.head, live.query, live.key))
    assert stored is not None
    assert stored.share == pytest.approx(live.share, abs=1e-4)
    np.testing.assert_allclose(stored.maxima, live.maxima, atol=1e-4)
    np.testing.assert_allclose(stored.pair_maxima, live.pair_maxima, atol=1e-4)
    assert (stored.n_reached, stored.p, stored.pair_p) == (live.n_reached, live.p, live.pair_p)
    assert bundled_control(text, "toy", (live.head, live.query, live.key)) is None
