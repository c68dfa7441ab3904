"""The engine on Ray as a page's process asks it; run by `test_serve.py` with a Python that has Ray: two minutes."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks.bench_serve import asked, started, texts
from mha.engine.experiments import neutral_words, one_cell, swept
from mha.engine.recordings import LocalEngine, Request, record
from mha.engine.remote import DISPATCHER, Away, Cluster, Dispatcher, InPieces
from mha.engine.writing import generate_text
from mha.errors import InputError
from mha.maps import HeadId, Reading
from mha.models.files.catalog import model_row
from mha.stepwise import finished
from tests.browser.conftest import free_port

DOG = "Tom fed the dog because it was hungry"
READINGS = (Reading("dog", (("it", "dog"),)), Reading("Tom", (("it", "Tom"),)))
pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own


@pytest.fixture(scope="module")
def running():
    with started(free_port(), 1) as running:
        yield running


@pytest.fixture
def there(running, monkeypatch):
    """Let every question of this process go to the cluster, and none be answered here."""
    monkeypatch.setattr(DISPATCHER, "cluster", running.engine.cluster)
    monkeypatch.setattr(DISPATCHER, "alone", True)
    assert running.engine.cluster.joined.wait(60)
    return running


def test_recordings_and_experiments_come_as_this_process_finds_them(running):
    request = Request("The bank of the river was wet", keep=("query",))
    there, here = running.engine.record(request), record(request)
    np.testing.assert_allclose(there.maps.weights, here.maps.weights, atol=5e-6)
    np.testing.assert_allclose(there.query, here.query, atol=5e-5)
    swaps = neutral_words.question("A bird sang", 1)
    assert finished(running.engine.cluster.ask(swaps)) == neutral_words("A bird sang", 1)
    with pytest.raises(InputError, match="has no words"):
        finished(running.engine.cluster.ask(one_cell.question("…", "minilm", None, HeadId(0, 0), 0, 0)))


def test_what_comes_in_steps_comes_from_there(there):
    found = swept(DOG, READINGS, "zero")
    own = swept.__wrapped__(DOG, READINGS, "zero")
    np.testing.assert_allclose(found.effect, finished(own).effect, atol=1e-4)
    assert generate_text(model_row("copier").example, "copier", 5, None).n_read == 13


def test_a_question_that_nobody_waits_for_ends_there(there):
    from mha.engine.replica import BEAT_SECONDS

    cluster = there.engine.cluster
    steps = cluster.ask(InPieces(_endless, ()))
    assert next(steps) == 0
    steps.close()
    time.sleep(2 * BEAT_SECONDS)
    begin = time.monotonic()
    assert finished(cluster.ask(neutral_words.question("A bird sang", 1))).words
    assert time.monotonic() - begin < 5, "the one worker is free again"


def _endless():
    while True:
        time.sleep(0.2)
        yield 0


def test_questions_of_a_killed_replica_are_answered_by_its_replacement_and_a_sweep_goes_on(there):
    asking = ThreadPoolExecutor(1)
    run = asking.submit(swept, DOG, READINGS, "zero", "minilm")
    (only,) = there.processes("ray::ServeReplica")
    ends = asked(there.engine, texts("lone", 8), lambda: there.tell(signal.SIGKILL, only))["ends"]
    assert ends == {"ok": 8}
    there.tell(signal.SIGKILL, *there.processes("ray::ServeReplica"))
    assert asked(there.engine, texts("next", 1))["ends"] == {"ok": 1}, "the question after it, with nothing under way"
    assert np.isfinite(run.result(120).effect[:5]).all()


def test_a_cluster_that_is_stopped_for_a_while_answers_afterwards(there):
    assert there.engine.cluster.joined.wait(60)
    every = there.processes()
    there.tell(signal.SIGSTOP, *every)
    going_on = threading.Timer(5, there.tell, (signal.SIGCONT, *every))
    going_on.start()
    try:
        assert asked(there.engine, texts("stopped", 4))["ends"] == {"ok": 4}
    finally:
        going_on.join()
    assert there.engine.cluster.joined.wait(90)


def test_questions_of_an_engine_that_has_ended_are_answered_here(there):
    there.stop()
    ways = Dispatcher({})
    ways.cluster = there.engine.cluster
    engine = LocalEngine(**ways.engine(record, lambda: None))
    assert asked(engine, texts("ended", 4))["ends"] == {"ok": 4}


def test_where_nobody_listens_it_is_away_at_once():
    cluster = Cluster(f"127.0.0.1:{free_port()}")
    cluster.join()
    assert cluster.tried.wait(5)
    with pytest.raises(Away):
        finished(cluster.ask(Request("Nobody is there")))
