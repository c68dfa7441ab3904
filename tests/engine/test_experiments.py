"""The experiments behind the page: the measured figures of the opening sentence, and a sweep as a job."""

import numpy as np
import pytest

from mha.analysis.readings import N_SHUFFLES, lean, move_reading, orders, reorder_words
from mha.engine import experiments
from mha.engine.experiments import Score
from mha.maps import HeadId, Reading
from mha.models.watch.attending import attend
from mha.words import words

DOG = "A dog ate the food because it was hungry."
BOTH = (Reading("A", ((6, 1),), 8), Reading("B", ((6, 4),), 8))


def test_the_leans_of_the_dog_beside_their_controls():
    this = experiments.leaning(DOG, BOTH)
    assert this.furthest == (HeadId(3, 1), HeadId(5, 6))
    assert (this.summary.n_reached, len(this.shuffles)) == (132, 199)
    assert experiments.leaning(DOG, BOTH) is this


@pytest.mark.sampled(4)
@pytest.mark.parametrize("model", ["minilm", "tiny-causal", "tiny-masked", "tiny-encoder-decoder"])
@pytest.mark.parametrize("measure", ["default", "raw"])
def test_controls_in_batches_are_controls_one_text_at_a_time(model, measure, tiny_offered):
    this = experiments.leaning(DOG, BOTH, model, measure)
    np.testing.assert_allclose(this.sentence_leans.lean, lean(attend(DOG, model), BOTH, measure), atol=1e-5)
    found = orders(len(words(DOG)), N_SHUFFLES, fixed=int(model == "tiny-causal"))  # whose first word is a sink
    assert len(this.shuffles) == len(found) == 199
    for order, shuffle in zip(found[:5], this.shuffles, strict=False):
        followed = [move_reading(reading, DOG, order) for reading in BOTH]
        maps = attend(reorder_words(DOG, order), model)
        np.testing.assert_allclose(shuffle.lean, lean(maps, followed, measure), atol=1e-5)


def test_the_toy_has_orders_too():
    assert len(experiments.leaning(DOG, BOTH, model="toy").shuffles) == 199


def test_swept_as_the_package_sweeps():
    from mha.intervention.sweep import sweep

    whole, found = sweep(DOG, BOTH), experiments.swept(DOG, BOTH, score=Score(score_layer=5))
    np.testing.assert_allclose(found.effect, whole.effect, atol=1e-5)
    assert (found.direct == whole.direct).all()
    assert found.n_acting_layers == whole.n_acting_layers
    assert found.score == pytest.approx(whole.score, abs=1e-6)


def test_a_sweep_goes_on_with_single_heads():
    from mha.intervention.readout import TextScore
    from mha.intervention.sweep import sweep, sweep_steps

    missing = [HeadId(1, 3), HeadId(4, 11), HeadId(5, 0)]  # the last one cannot act
    *_, found = sweep_steps(TextScore.from_text(DOG, BOTH), kind="zero", heads=missing, rows=1)
    assert [HeadId(*map(int, head)) for head in np.argwhere(np.isfinite(found.effect))] == missing[:2]
    whole = sweep(DOG, BOTH, kind="zero").effect
    np.testing.assert_allclose(found.effect[1, 3], whole[1, 3], atol=1e-5)
    np.testing.assert_allclose(found.effect[4, 11], whole[4, 11], atol=1e-5)


def test_swept_says_why_it_cannot_be():
    with pytest.raises(ValueError, match="no word"):
        experiments.swept("A dog.", BOTH)


def test_means_that_do_not_come_with_the_program_are_gathered_first(tiny_offered, monkeypatch):
    monkeypatch.setattr("mha.intervention.bank.corpus", lambda: ("I saw the man.", "It was a dog.", "I saw it."))
    score = Score("continuations", "It was hungry.", "It was delicious.")
    found = experiments.swept(DOG, BOTH, "mean", "tiny-causal", score)
    assert np.isfinite(found.effect).sum() == 15  # all layers act on a continuation
    assert not found.direct.any()


@pytest.mark.parametrize(
    ("model", "score"),
    [
        ("tiny-causal", Score("continuations", "It was hungry.", "It was delicious.")),
        ("tiny-masked", Score("fills", "dog", "food")),
        ("tiny-encoder-decoder", Score("targets", "the dog was hungry", "the food was hungry")),
    ],
)
def test_every_score_is_ablated(model, score, tiny_offered):
    from mha.intervention.sweep import preference

    head, readout = HeadId(1, 2), score.readout(DOG, BOTH, model).readout
    as_it_is, without = experiments.scores(DOG, BOTH, ((), (head,)), "zero", model, score)
    assert as_it_is == pytest.approx(preference(DOG, BOTH, readout, model=model), abs=1e-3)
    silent = preference(DOG, BOTH, readout, ablated=(head,), kind="zero", model=model)
    assert without == pytest.approx(silent, abs=1e-3)


def test_a_model_of_the_hub_is_asked_by_its_id(snapshots, monkeypatch):
    import mha

    monkeypatch.setattr("mha.models.files.loading.cached_folder", lambda name: snapshots["tiny-causal"])
    text = "I saw the man with the telescope"
    pair = (Reading("used", ((6, 1),)), Reading("had", ((6, 3),)))
    swept = mha.sweep(text, pair, kind="zero", model="somebody/tiny-causal")
    assert swept.effect.shape == (3, 5)
    with pytest.raises(mha.MHAError, match="on offer"):
        experiments.scores(text, pair, model="tiny-causal")  # no id of the hub, and nobody offers it
