"""A model over many texts as a job: what is known meanwhile, Stop and going on, and what comes with the program."""

import numpy as np
import pytest

from mha.analysis.whole import KEYS, one_text
from mha.engine import atlas
from mha.engine.atlas import Atlas, AtlasRun, Silenced, bundled_atlas, silenced_of
from mha.intervention.outcomes import Threes
from mha.models.files.catalog import model_row
from mha.models.watch.attending import attend
from mha.pairs import corpus
from studies.files import write_atlas

TEXTS = ("Money Bank", "...", "All is well", "Money Bank well")


@pytest.fixture
def run():
    found = AtlasRun("toy", TEXTS)
    assert found.wait(60)
    return found


def test_a_run_measures_every_text_and_leaves_out_what_has_no_word(run):
    found = run.so_far()
    assert (run.state, found.n_measured, found.n_left_out, found.n_answered) == ("done", 4, 1, 3)
    assert found.whole
    each = [one_text(attend(text, "toy")).values for text in TEXTS if text != "..."]
    for key in ("same_word", "entropy"):
        np.testing.assert_allclose(found.mean[key], np.mean([one[key] for one in each], axis=0), atol=1e-5)
    assert found.low == {}  # too few texts for an interval
    assert found.alike.twin is None
    assert found.alike.n_texts == 3
    assert len(found.looks) == 2


def test_a_stopped_run_keeps_what_it_has_and_goes_on(monkeypatch):
    monkeypatch.setattr(atlas, "AT_ONCE", 1)
    seen = []
    real = atlas.one_text

    def stopping(maps):
        seen.append(maps.text)
        if len(seen) == 1:
            run.stop()
        return real(maps)

    monkeypatch.setattr(atlas, "one_text", stopping)
    run = AtlasRun.__new__(AtlasRun)
    run.__init__("toy", ("Money Bank", "All is well", "Money well"))
    assert run.wait(60)
    assert run.state == "stopped"
    assert 1 <= run.so_far().n_measured < 3
    assert run.so_far().alike is None
    run.go_on()
    assert run.wait(60)
    assert run.so_far().whole
    assert sorted(seen) == ["All is well", "Money Bank", "Money well"]  # none twice


def test_own_texts_are_measured_once_and_known_by_model(run):
    mine = ("Money Bank",)
    assert AtlasRun.of("toy", mine).answer() is None
    first = AtlasRun.of("toy", mine).begin()
    assert AtlasRun.of("toy", mine).begin() is first
    assert AtlasRun.of("toy", mine).answer() is first
    assert AtlasRun.of("trained", mine).answer() is None
    assert first.wait(60)


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
