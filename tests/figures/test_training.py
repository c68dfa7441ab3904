"""Curves and bars: the numbers of the run, the guesser's line, colours of the readings, a text for each picture."""

import json
from dataclasses import replace

import numpy as np
import plotly
import plotly.graph_objects as go
import pytest

from mha.figures import training as figures
from mha.theme import THEMES, colours
from mha.training.settings import Curves, Settings

STEPS, N_HEADS, N_NOUNS, N_WORDS = 5, 3, 2, 7
SETTINGS = Settings(n_heads=3, d_head=11, n_steps=400)


def made(settings=SETTINGS, n_heads=N_HEADS, n_nouns=N_NOUNS, steps=STEPS) -> Curves:
    draw = np.random.default_rng(7)
    looks = draw.random((steps, n_heads, n_nouns))
    return Curves(
        settings=settings,
        step=np.linspace(0, settings.n_steps, STEPS).astype(int)[:steps],
        joint=np.linspace(0, 0.9, steps),
        joint_seen=np.linspace(0, 1.0, steps),
        readings=draw.random((steps, n_nouns)),
        looks=looks / looks.sum(axis=-1, keepdims=True),
        ablated=draw.random((steps, n_heads, n_nouns)),
        diverse_weights=np.full(steps, np.nan) if n_heads == 1 else np.linspace(0, 1, steps),
        weights=np.full((steps, settings.n_layers, n_heads, N_WORDS, N_WORDS), 1 / N_WORDS),
    )


def checked(plain):
    """The same figure with every field validated, after a look that what is sent is the same."""
    sent = plotly.tools.return_figure_from_figure_or_data(plain, validate_figure=True)  # as Streamlit does it
    figure = go.Figure(plain._spec)
    assert json.loads(plotly.io.to_json(sent, validate=False)) == json.loads(figure.to_json())
    return figure


def named(figure):
    return {trace.name: trace for trace in checked(figure).data}


@pytest.mark.parametrize("theme", THEMES)
def test_accuracy_has_both_curves_the_guesser_and_thin_siblings(theme):
    curves, other = made(), made(replace(SETTINGS, seed=5))
    lines = named(figures.accuracy_curves(curves, [other], theme, moment=2))
    np.testing.assert_array_equal(lines["unseen pairs"].y, curves.joint)
    np.testing.assert_array_equal(lines["training pairs"].y, curves.joint_seen)
    assert list(lines["guess"].y) == [0.5, 0.5]
    assert lines["guess"].line.dash == "dot"
    assert lines["seed 5"].line.width < lines["unseen pairs"].line.width
    assert lines["unseen pairs"].line.color == colours(theme)["text"]


def test_the_moment_is_marked_unless_it_is_the_last():
    assert len(checked(figures.accuracy_curves(made(), moment=2)).layout.shapes) == 1
    assert checked(figures.accuracy_curves(made(), moment=2)).layout.shapes[0].x0 == 200
    assert not checked(figures.accuracy_curves(made(), moment=STEPS - 1)).layout.shapes
    assert not checked(figures.accuracy_curves(made())).layout.shapes


def test_labels_at_the_ends_stay_apart():
    for curves in (made(), made(steps=2)):
        labels = [note for note in checked(figures.accuracy_curves(curves)).layout.annotations if "pairs" in note.text]
        assert len(labels) == 2
        assert abs(labels[0].y - labels[1].y) >= figures.LABEL_GAP - 1e-9
    assert {label.xanchor for label in labels} == {"left"}, "a run that has just begun is labelled to its right"


def test_texts_give_the_numbers_of_the_pictures():
    curves = made()
    assert "right in 90\u00a0% of sentences" in figures.describe_accuracy(curves, "x")
