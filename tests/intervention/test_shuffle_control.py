"""`mha.shuffle_control` with real models: the same statistic in the sentence and in its copies."""

import numpy as np
import pytest

import mha
from mha.analysis.shuffles import BATCH, N_TO_STOP, distinct_orders, largest_share, pair_share, reorder_words_in_place
from mha.analysis.shuffles import n_reached as count_reached
from mha.intervention import shuffles
from mha.intervention.shuffles import control_steps, shuffle_control

TEXT = "The ship sank because it had hit an iceberg in the dark."


def test_control_equals_copies_attended_alone():
    control = shuffle_control(TEXT, n_copies=19)
    maps = mha.attend(TEXT)
    assert control.share == pytest.approx(float(maps.merged()[control.head][1 + control.query, 1 + control.key]))
    orders = distinct_orders(TEXT, 19)
    copies = [mha.attend(reorder_words_in_place(TEXT, order)) for order in orders]
    expected = [largest_share(copy, control.nearest)[0] for copy in copies]
    np.testing.assert_allclose(control.maxima, expected, atol=1e-4)
    pair = [
        pair_share(copy.merged(), order.index(control.query), order.index(control.key), control.nearest)
        for copy, order in zip(copies, orders, strict=True)
    ]
    np.testing.assert_allclose(control.pair_maxima, pair, atol=1e-4)
    assert control.n_reached == count_reached(np.array(expected), control.share)
    assert control.p == (1 + control.n_reached) / 20


def test_control_is_of_the_opening_by_default():
    control, opening = shuffle_control(TEXT), mha.opening(mha.attend(TEXT))
    assert (control.n_copies, control.share) == (39, pytest.approx(max(opening.weights), abs=1e-4))
    assert control.head in opening.heads
    np.testing.assert_array_equal(control.maxima, shuffle_control(TEXT).maxima)


def test_control_of_a_chosen_connection():
    control = shuffle_control(TEXT, "L3H1", "it", "ship", n_copies=19)
    assert (str(control.head), control.query, control.key, control.nearest) == ("L3H1", 4, 1, 2)
    best = shuffle_control(TEXT, query="it", key="ship", n_copies=19)
    assert best.share >= control.share
    assert shuffle_control(TEXT, "L3H1", 5, 4, n_copies=19).nearest == 1


def test_a_causal_control_keeps_the_first_word(monkeypatch):
    texts = []
    real = shuffles.maps_in_batches
    monkeypatch.setattr(shuffles, "maps_in_batches", lambda some, model: texts.extend(some) or real(some, model))
    shuffle_control("rope table bird lamp rope table bird", model="copier", n_copies=19)
    assert len(set(texts)) == 19
    assert all(text.startswith("rope ") for text in texts)


def test_few_orders_have_no_control_and_a_reason():
    short = shuffle_control("All is well")
    assert (short.n_copies, short.p) == (0, None)
    assert short.note == "These words have 5 other orders; a control needs 19. Type a longer sentence."
    causal = shuffle_control("rope table bird lamp", model="copier")
    assert causal.note.startswith("These words have 5 other orders if the first stays in place;")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("Dogs",), "needs two words; “Dogs” has 1"),
        (("no no no",), "no two different words"),
        (("?!",), "no words"),
        ((TEXT, "L3H1"), "Give the words of L3H1"),
        ((TEXT, "L3H1", "it"), "Give both words"),
        ((TEXT, "L9H1", "it", "ship"), "heads L0H0 to L5H11; you asked for L9H1"),
        ((TEXT, "L3H1", "it", "boat"), "no word 'boat'"),
    ],
)
def test_bad_connections_are_refused(given, message):
    with pytest.raises(mha.InputError, match=message):
        shuffle_control(*given)


@pytest.mark.parametrize("model", ["minilm", pytest.param("smollm2", marks=pytest.mark.slow)])
def test_a_sequential_control_measures_the_first_copies_of_the_fixed_one(model):
    fixed = shuffle_control(TEXT, query="it", key="ship", model=model)
    steps, batches = control_steps(TEXT, query="it", key="ship", model=model, sequential=True), []
    while True:
        try:
            batches.append(next(steps))
        except StopIteration as end:
            control = end.value
            break
    n_copies = control.n_copies
    np.testing.assert_allclose(control.maxima, fixed.maxima[:n_copies], atol=1e-4)
    assert (control.n_reached == N_TO_STOP and control.stopped) or (n_copies == 39 and not control.stopped)
    assert n_copies <= sum(batches) < n_copies + BATCH, "no further batch begins"
    assert sum(batches[:1]) <= N_TO_STOP, "five copies may end it"
    assert (control.p <= 0.05) == (fixed.p <= 0.05)


def test_a_share_that_every_copy_reaches_takes_five_copies():
    maps = mha.attend(TEXT)
    weights = maps.merged()["L0H0"]
    query, key = np.unravel_index(weights[1:-2, 1:-2].argmin(), weights[1:-2, 1:-2].shape)
    steps = control_steps(TEXT, "L0H0", int(query), int(key), sequential=True, maps=maps)
    assert list(steps) == [N_TO_STOP]
