"""Numbers of a model over many texts: measured, and bundled."""

import numpy as np

from mha.analysis.whole import KEYS, one_text
from mha.engine import atlas
from mha.engine.atlas import Atlas, Silenced, bundled_atlas, silenced_of
from mha.intervention.outcomes import Threes
from mha.models.files.catalog import model_row
from mha.models.watch.attending import attend
from mha.pairs import corpus
from studies.atlas import measure_atlas
from studies.files import write_atlas


def test_a_measurement_leaves_out_texts_without_words():
    texts = ("Money Bank", "...", "All is well", "Money Bank well")
    found = measure_atlas("toy", texts)
    assert (found.n_texts, found.n_left_out, found.n_answered) == (4, 1, 3)
    each = [one_text(attend(text, "toy")).values for text in texts if text != "..."]
    for key in ("same_word", "entropy"):
        np.testing.assert_allclose(found.mean[key], np.mean([one[key] for one in each], axis=0), atol=1e-5)
    assert found.low == {}  # too few texts for an interval
    assert found.alike.twin is None
    assert found.alike.n_texts == 3
    assert len(found.looks) == 2


def test_what_comes_with_the_program_is_of_exactly_these_weights(monkeypatch):
    found = bundled_atlas("minilm")
    assert found.revision == model_row("minilm").revision
    assert tuple(found.mean) == KEYS
    assert (found.n_texts, found.n_answered) == (len(corpus()), len(corpus()))
    assert all((found.low[key] <= found.mean[key] + 1e-6).all() for key in ("next_word", "entropy"))
    assert bundled_atlas("toy") is None
    assert silenced_of("minilm").moved.shape == (6, 12)


def test_an_atlas_comes_back_from_its_file(tmp_path):
    found, silenced = bundled_atlas("minilm"), silenced_of("minilm")
    heads, share = np.arange(18).reshape(6, 1, 3), np.full((4, 6, 1), 0.25)
    write_atlas(tmp_path / "one.npz", found, silenced, Threes(heads, share))
    with np.load(tmp_path / "one.npz", allow_pickle=False) as stored:
        again = atlas.read({name: stored[name] for name in stored.files})
    assert isinstance(again.atlas, Atlas)
    assert isinstance(again.silenced, Silenced)
    np.testing.assert_array_equal(again.atlas.alike.divergence, found.alike.divergence)
    assert again.atlas.looks == found.looks
    np.testing.assert_array_equal(again.threes.heads, heads)
    assert again.atlas.alike.here == found.alike.here
