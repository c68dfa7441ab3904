"""The sweep of Next word as a job: an answer first, then idle work, ordered for the selected word."""

import time

import numpy as np
import pytest

from mha.engine import word_sweeps
from mha.engine.followers import FOLLOWERS
from mha.engine.jobs import RUNS
from mha.engine.word_sweeps import WordSweepRequest, head_positions
from mha.engine.writing import next_words
from mha.intervention import trunk
from mha.intervention.outcomes import join_sweeps
from mha.intervention.predicting import iter_word_sweep
from mha.maps import HeadId

TEXT = "moon fish table moon fish"


@pytest.fixture
def gate(monkeypatch):
    """Hold idle steps, those after the first head, until the gate is open."""
    seconds = [0.3]
    monkeypatch.setattr(word_sweeps, "N_ANSWER", 1)
    monkeypatch.setattr(trunk, "N_FIRST", 1)
    monkeypatch.setattr(FOLLOWERS, "idle_seconds", lambda _job: seconds[0])
    return seconds


def request_of(text, word=0):
    ids = next_words(text, "copier").sweep.ids
    return WordSweepRequest(text, "copier", ids, word_id=ids[word])


def wait_for(run, n_measured):
    for _ in range(200):
        if run.n_done >= n_measured:
            return
        time.sleep(0.02)
    raise AssertionError(f"{run.n_done} heads are measured")


def test_the_first_heads_are_an_answer_and_the_rest_is_idle(gate):
    run = RUNS.go_on(request_of(f"{TEXT} table"))
    wait_for(run, 1)
    assert run.idle
    assert run.state == "running"
    assert run.n_done < run.total, "idle steps wait"
    gate[0] = 0.0
    assert run.wait(10)
    assert (run.state, run.n_done) == ("done", run.total)
    *_, live = iter_word_sweep(f"{TEXT} table", "copier")
    np.testing.assert_allclose(run.result.change, live.change, atol=1e-5)
    assert [ranks.id for ranks in run.ranks] == list(run.request.ids)


def test_another_word_orders_the_rest_of_the_same_run(gate, monkeypatch):
    started = []
    live = word_sweeps.iter_heads
    monkeypatch.setattr(word_sweeps, "iter_heads", lambda *given: started.append(given) or live(*given))
    text = f"{TEXT} table moon"
    first, second = request_of(text), request_of(text, word=1)
    run = RUNS.go_on(first)
    wait_for(run, 1)
    assert RUNS.go_on(second) is run
    gate[0] = 0.0
    assert run.wait(10)
    assert run.state == "done"
    assert [word_id for _, _, word_id in started] == [first.word_id, second.word_id]
    assert len(started[1][1]) < run.total, "measured heads are not measured again"
    RUNS.forget(first)


def test_an_encoder_decoder_has_the_reason_without_ranks():
    ids = next_words("moon fish", "reverser").sweep.ids
    run = RUNS.go_on(WordSweepRequest("moon fish", "reverser", ids))
    assert run.wait(30)
    assert not run.ranks
    assert run.no_ranks.startswith("Reverser predicts in its decoder")


def test_a_cost_of_few_passes_makes_the_answer_short():
    run = RUNS.go_on(request_of(TEXT))
    assert not run.long
    assert run.wait(30)


def test_joined_sweeps_have_the_heads_of_both():
    (*_, whole), heads = iter_word_sweep(TEXT, "copier"), [HeadId(0, 0), HeadId(1, 1)]
    *_, some = iter_word_sweep(TEXT, "copier", heads=heads)
    *_, others = iter_word_sweep(TEXT, "copier", heads=some.missing)
    joined = join_sweeps(some, others)
    assert joined.missing == ()
    np.testing.assert_allclose(joined.change, whole.change, atol=1e-5)
    assert (joined.likeliest == whole.likeliest).all()
    assert set(joined.likeliest.ravel()) <= set(joined.texts)


def test_ranks_and_positions_of_a_new_text_are_computed():
    sweep, run = next_words(TEXT, "copier").sweep, RUNS.go_on(request_of(TEXT))
    assert run.wait(30)
    assert list(run.ranks[0].rank) == [32, 1]
    assert head_positions(TEXT, "copier", HeadId(1, 0), sweep.ids, 0).ids == sweep.ids
