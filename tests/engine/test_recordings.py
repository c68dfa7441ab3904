"""The engine: single flight, a bounded cache, a breaker, and a result that belongs to its text."""

import dataclasses
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest

from mha.engine import recordings as breaker
from mha.engine import recordings as local
from mha.engine import waiting
from mha.engine.cache import Cache, size
from mha.engine.recordings import LocalEngine, Request
from mha.errors import AttentionUnavailable, Busy, InputError, ModelUnavailable, NowhereToWrite, UnknownModel
from mha.maps import AttentionMaps, Recording, Token
from mha.models.files import catalog, loading
from mha.models.files.catalog import CATALOG
from mha.models.files.loading import load
from tests.engine.waiting import until


def recording(text: str, n_tokens: int = 3) -> Recording:
    tokens = tuple(Token(f"{text}{position}") for position in range(n_tokens))
    weights = np.full((1, 2, n_tokens, n_tokens), 1 / n_tokens, dtype=np.float32)
    return Recording(AttentionMaps(weights, tokens, text=text), {"self": weights})


def engine(run=None, load=lambda: None, cache=None) -> LocalEngine:
    return LocalEngine(run or (lambda request: recording(request.text)), load, cache=cache)


def test_equal_requests_share_one_run_and_later_ones_the_cache():
    runs, gate = [], threading.Event()

    def run(request):
        runs.append(request)
        gate.wait(5)
        return recording(request.text)

    one = engine(run)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(one.record(Request("same")))) for _ in range(5)]
    for thread in threads:
        thread.start()
    until(lambda: runs)
    gate.set()
    for thread in threads:
        thread.join()
    assert len(runs) == 1
    assert len({id(answer) for answer in answers}) == 1
    assert one.record(Request("same")) is answers[0]
    assert len(runs) == 1


def test_a_result_belongs_to_its_text_also_when_many_ask_at_once():
    one = engine(lambda request: (time.sleep(0.002), recording(request.text))[1])
    wrong = []

    def ask(text):
        if one.record(Request(text)).maps.text != text:
            wrong.append(text)

    threads = [threading.Thread(target=ask, args=(f"text {number % 7}",)) for number in range(23)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_cache_is_bounded_by_bytes():
    one = engine(cache=Cache(3 * size(recording("x"))))
    for number in range(7):
        one.record(Request(f"text {number}"))
    assert len(one._cache._results) == 3
    small, names = Cache(2 * size(recording("x"))), ["text 0", "text 1", "text 2", "big", "next"]

    def kept():
        return [name for name in names if small.get(name) is not None]

    for name in names[:3]:
        small.put(name, recording(name))
    assert kept() == ["text 1", "text 2"]
    small.put("big", recording("big", 300))  # larger than the cache: alone in it
    assert kept() == ["big"]
    small.put("next", recording("next"))
    assert kept() == ["next"]


def test_only_what_is_asked_for_is_recorded_and_each_once(monkeypatch):
    load("minilm")  # by itself: on a busy machine that takes longer than a visitor waits
    text, kept = "A short text that nobody bundled", ("query", "key", "value", "hidden")
    run, runs = local._engine._run, []
    monkeypatch.setattr(local._engine, "_run", lambda request: (runs.append(request), run(request))[1])
    plain, whole = local.record(Request(text)), local.record(Request(text, keep=kept))
    assert [getattr(plain, what) for what in kept] == [None] * 4
    assert all(getattr(whole, what) is not None for what in kept)
    assert np.abs(plain.maps.weights - whole.maps.weights).max() < 1e-6
    assert size(plain) < 200_000 < size(whole) < 1_100_000
    assert (local.record(Request(text)), local.record(Request(text, keep=kept))) == (plain, whole)
    assert len(runs) == 2


def test_a_request_accepts_its_text_once_and_says_what_was_changed():
    one = engine()
    request = Request("two\u200b words")
    assert request.text == "two words"
    assert request == Request("two words")
    assert one.record(request).notes == ("Unreadable characters were removed.",)
    assert one.record(Request("two words")).notes == ()
    with pytest.raises(InputError, match="has no words"):
        Request("...")


def test_an_error_reaches_the_one_who_asked_and_is_not_cached():
    runs = []

    def run(request):
        runs.append(request)
        raise InputError("Type a sentence or choose an example.")

    one = engine(run)
    for _ in range(2):
        with pytest.raises(InputError, match="Type a sentence"):
            one.record(Request("x"))
    assert len(runs) == 2


def test_a_failing_load_is_told_and_tried_again_only_after_a_while(monkeypatch):
    loads = []

    def load():
        loads.append(1)
        if len(loads) == 1:
            raise ModelUnavailable("The weights of MiniLM are not the official ones.")

    monkeypatch.setattr(breaker, "RETRY_SECONDS", (0.2,))
    one = engine(load=load)
    one.start()
    until(lambda: one.state().phase == "failed")
    with pytest.raises(ModelUnavailable, match="not the official ones"):
        one.record(Request("x"))
    assert len(loads) == 1
    time.sleep(0.25)
    assert one.record(Request("x")).maps.text == "x"
    assert one.state().phase == "ready"


def test_for_want_of_a_directory_nobody_waits_any_longer_than_it_is_wanted(monkeypatch, caplog):
    there = []

    def load():
        if not there:
            raise NowhereToWrite("There is no directory.")

    monkeypatch.setattr(breaker, "RETRY_SECONDS", (60.0,))
    one, before = engine(load=load), threading.active_count()
    for _ in range(5):
        with pytest.raises(ModelUnavailable, match=r"There is no directory\."):
            one.record(Request("x"))
    assert [(record.exc_info, "no directory" in record.message) for record in caplog.records] == [(False, True)]
    until(lambda: threading.active_count() < before + 5)  # one of them is to try again when nobody asks
    there.append(True)
    assert one.record(Request("x")).maps.text == "x"


def test_a_slow_run_is_given_up(monkeypatch):
    for name in ("ANSWER_SECONDS", "WAKING_SECONDS"):
        monkeypatch.setattr(local, name, 0.05)
    gate = threading.Event()
    one = engine(lambda request: (gate.wait(5), recording(request.text))[1])
    with pytest.raises(Busy, match="took too long"):
        one.record(Request("slow"))
    gate.set()


def test_a_model_that_is_not_on_offer_is_refused_before_anything_runs():
    one = engine(lambda request: pytest.fail("it was run"), lambda: pytest.fail("it was loaded"))
    for name in ("org/name", "/etc", "", "MiniLM"):
        with pytest.raises(UnknownModel, match="The models on offer are 'minilm'"):
            one.record(Request("x", model=name))


@pytest.fixture
def another(monkeypatch):
    """Put one more model on offer, by the name "other"; what happens when it is asked is the test's business."""
    row = dataclasses.replace(CATALOG[0], name="other", sha256="", folder=Path("nowhere"))
    monkeypatch.setattr(catalog, "offered", lambda: (*CATALOG, row))


def test_another_model_waits_for_no_other_and_wakes_none(another):
    one = engine(load=lambda: pytest.fail("the default model was not asked for"))
    assert one.record(Request("All is well", model="other")).maps.text == "All is well"
    assert one.state().phase == "asleep"


def test_another_model_that_fails_leaves_the_engine_well_and_is_tried_again_after_a_while(another, monkeypatch):
    runs = []

    def run(request):
        runs.append(request.model)
        if runs == ["other"]:
            raise ModelUnavailable("Some of the model's weights are missing.")
        return recording(request.text)

    monkeypatch.setattr(breaker, "RETRY_SECONDS", (0.2,))
    one = engine(run)
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match=r"^Some of the model's weights are missing\."):
            one.record(Request("x", model="other"))
    assert runs == ["other"]
    assert one.record(Request("x")).maps.text == "x"
    assert one.state().phase == "ready"
    time.sleep(0.25)
    assert one.record(Request("x", model="other")).maps.text == "x"
    assert runs == ["other", "minilm", "other"]


def test_what_a_model_cannot_show_is_no_failing_load(another):
    def run(request):
        raise AttentionUnavailable("No head looks anywhere.")

    one = engine(run)
    for _ in range(2):
        with pytest.raises(AttentionUnavailable, match=r"^No head looks anywhere\.$"):
            one.record(Request("x", model="other"))


def test_what_a_page_lets_go_of_while_it_is_looked_for_is_recorded_again(monkeypatch):
    one = engine()
    held = [one.record(Request("so it is seen", "minilm"))]
    while one._cache.drop_oldest():
        pass
    assert len(one._live) == 1, "a page holds it still"
    contains = type(one._live).__contains__

    def there(kept, key):
        found = contains(kept, key)
        if found:
            held.clear()
        return found

    monkeypatch.setattr(type(one._live), "__contains__", there)
    assert one.record(Request("so it is seen", "minilm")).maps.text == "so it is seen"


def test_a_text_whose_flight_breaks_off_is_recorded_for_the_next_who_asks(monkeypatch):
    one = engine()
    one.record(Request("awake", "minilm"))

    def broken(_visitor):
        raise RuntimeError("Set changed size during iteration")

    with monkeypatch.context() as patched:
        patched.setattr(breaker.FOLLOWERS, "waits", broken)
        with pytest.raises(RuntimeError, match="changed size"):
            one.record(Request("a sentence", "minilm"))
    assert one.record(Request("a sentence", "minilm")).maps.text == "a sentence"


@pytest.fixture
def slow_load(monkeypatch):
    """Let the copier's load end when the test completes the future that this returns."""
    gate = Future()
    monkeypatch.setattr(loading, "load_in_background", lambda name: None if gate.done() else gate)
    monkeypatch.setattr(loading, "load_progress", lambda name: "Copier is converted: 40 %.")
    return gate


def test_a_load_delays_no_other_model(slow_load, monkeypatch):
    monkeypatch.setattr(waiting, "AFTER", 0.0)
    one, told, landed = LocalEngine(load=lambda: None), [], []
    request = Request("apple boat", model="copier")

    def wait_for_copier():
        with waiting.show_waits(told.append):
            landed.append(one.record(request))

    thread = threading.Thread(target=wait_for_copier)
    thread.start()
    until(lambda: told)
    assert one.record(Request("All is well", model="toy")).maps.text == "All is well"
    assert (told, landed) == (["Copier is converted: 40 %."], [])
    slow_load.set_result(None)
    thread.join()
    assert landed[0].maps.model == "Copier"
    assert told[-1] == ""


def test_a_failed_load_is_the_answer(monkeypatch):
    failed, loads = Future(), []
    failed.set_exception(ModelUnavailable("The model's weights are damaged."))
    monkeypatch.setattr(loading, "load_in_background", lambda name: loads.append(name) or failed)
    one = LocalEngine(load=lambda: None)
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="weights are damaged"):
            one.record(Request("apple boat", model="copier"))
    assert loads == ["copier"], "the breaker keeps the next visitors from trying at once"
