"""Micro-batches: who is taken together, what a bad one does to its neighbours, and what nobody waits for."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mha.engine import recordings
from mha.engine.followers import FOLLOWERS
from mha.engine.queue import FunctionTask
from mha.engine.recordings import LocalEngine, Request
from mha.engine.waiting import BATCH_SIZE, LIMIT, PendingRequests
from mha.errors import Busy, InputError, MHAError
from mha.models.files.catalog import DEFAULT
from mha.models.watch.attending import record_text
from mha.models.watch.recording import ON_REQUEST
from tests.engine.test_recordings import recording
from tests.engine.waiting import until


def joined(*requests):
    waiting = PendingRequests()
    for request in requests:
        waiting.join(request, None, 10)
    return waiting


def texts(batch):
    return [pending.request.text for pending in batch]


def batches(waiting):
    return list(filter(None, map(waiting.take, list(waiting.requests.values()))))


def test_those_of_about_one_length_are_taken_together_shortest_first():
    waiting = joined(*(Request("a" * length) for length in (7, 50, 2, 11, 3, 5, 13, 19, 23, 17)))
    lengths = [[len(text) for text in texts(batch)] for batch in batches(waiting)]
    assert lengths == [[2, 3, 5, 7, 11, 13, 17, 19], [23, 50]]
    assert batches(waiting) == []
    assert len(waiting.requests) == 10, "under way until they land"


def test_another_model_and_another_thing_to_keep_are_another_batch_and_pairs_go_alone():
    waiting = joined(
        Request("a"), Request("b", "toy"), Request("c", keep=("query",)), Request("d", pair="e"), Request("f")
    )
    assert list(map(texts, batches(waiting))) == [["a", "f"], ["b"], ["c"], ["d"]]


def test_equal_ones_share_a_place_and_too_many_are_told():
    waiting = joined(*(Request(f"text {number}") for number in range(LIMIT)))
    assert not waiting.join(Request("text 0"), "anna", 1)[1]
    with pytest.raises(Busy, match="Busy right now"):
        waiting.join(Request("another"), None, 1)


def test_a_sentence_of_heads_waits_for_no_pass_of_a_larger_model():
    began, gate = threading.Event(), threading.Event()

    def run(request):
        if request.model != DEFAULT:
            began.set()
            assert gate.wait(20)
        return recording(request.text)

    engine = LocalEngine(run, lambda: None)
    engine.start()
    until(lambda: engine.state().phase == "ready")
    with ThreadPoolExecutor(2) as askers:
        large = askers.submit(engine.record, Request("of another model", "smollm2"))
        assert began.wait(20)
        small = askers.submit(engine.record, Request("a sentence of Heads"))
        try:
            assert small.result(20).maps.text == "a sentence of Heads"
            assert not large.done()
        finally:
            gate.set()
        assert large.result(20).maps.text == "of another model"


class Held:
    """An engine whose worker waits until it is let, so that requests pile up before it."""

    def __init__(self, run, run_many=None):
        self.engine = LocalEngine(run, lambda: None, run_many)
        self.engine.start()
        until(lambda: self.engine.state().phase == "ready")
        self.gate = threading.Event()
        self.engine._queue.put(FunctionTask(self.gate.wait))
        self.outcomes = {}

    def ask(self, *several):
        def one(text):
            try:
                self.outcomes[text] = self.engine.record(Request(text)).maps.text
            except MHAError as error:
                self.outcomes[text] = str(error)

        with ThreadPoolExecutor(len(several)) as askers:
            asked = [askers.submit(one, text) for text in several]
            until(lambda: len(self.engine._pending.requests) == len(several))
            self.gate.set()
            for each in asked:
                each.result()
        return self.outcomes


def test_what_waits_is_answered_in_batches_and_each_gets_its_own():
    batches = []

    def run_many(requests):
        batches.append(len(requests))
        return [recording(request.text) for request in requests]

    held = Held(lambda request: recording(request.text), run_many)
    every = [f"text {number}" for number in range(11)]
    assert held.ask(*every) == {text: text for text in every}
    assert batches == [BATCH_SIZE, 3]


def test_a_bad_one_in_a_batch_fails_nobody_else():
    def run(request):
        if request.text == "bad":
            raise InputError("It is bad.")
        return recording(request.text)

    def run_many(_requests):
        raise RuntimeError("one of them broke all")

    assert Held(run, run_many).ask("one", "bad", "two") == {"one": "one", "bad": "It is bad.", "two": "two"}


def test_what_nobody_waits_for_any_more_is_not_run(monkeypatch):
    runs = []

    def run(request):
        runs.append(request.text)
        return recording(request.text)

    there = {"anna"}
    monkeypatch.setattr(FOLLOWERS, "visitor", lambda: "anna")
    monkeypatch.setattr(FOLLOWERS, "present", lambda visitor: visitor in there)
    held = Held(run)
    held.engine._put(Request("of one who left"), 10.0)
    there.clear()
    held.gate.set()
    until(lambda: not held.engine._pending.requests)
    assert runs == []
    there.add("anna")
    assert held.engine.record(Request("of one who left")).maps.text == "of one who left"


def test_what_waited_too_long_is_not_run(monkeypatch):
    runs = []
    monkeypatch.setattr(recordings, "ANSWER_SECONDS", 0.01)
    held = Held(lambda request: (runs.append(request.text), recording(request.text))[1])
    with pytest.raises(Busy, match="took too long"):
        held.engine.record(Request("late"))
    held.gate.set()
    until(lambda: not held.engine._pending.requests)
    assert runs == []


SENTENCES = (
    "I saw the man with the telescope",
    "Dogs bark",
    "Tom fed the cat because it was hungry, and the dog slept",
    "The bank by the river",
    "Flying planes can be dangerous",
    "日本 dogs",
)


def test_several_texts_in_one_pass_are_as_each_is_alone():
    """To the precision of float32: a text alone is itself 1.4e-6 from the same pass in float64."""
    record_text("Good morning")
    requests = [Request(text, keep=ON_REQUEST) for text in SENTENCES]
    together = recordings._record_texts(requests)
    for request, found in zip(requests, together, strict=True):
        assert not isinstance(found, MHAError)
        alone = record_text(request.text, keep=ON_REQUEST)
        assert found.maps.tokens == alone.maps.tokens
        assert found.notes == alone.notes
        assert (found.maps.model, found.maps.revision, found.maps.origin, found.maps.causal) == (
            alone.maps.model, alone.maps.revision, alone.maps.origin, alone.maps.causal,
        )  # fmt: skip
        assert found.maps.weights.base is None or found.maps.weights.base.nbytes == found.maps.weights.nbytes
        assert abs(found.maps.weights - alone.maps.weights).max() < 4e-6
        assert abs(found.maps.weights - alone.maps.weights).mean() < 1e-7
        for what in ON_REQUEST:
            one, other = getattr(found, what), getattr(alone, what)
            assert one.shape == other.shape
            assert abs(one - other).max() < 1e-6 * max(10, abs(other).max())
