"""What goes over to a cluster and comes back, under a handle that is none of Ray's; with Ray it is `with_ray.py`."""

import asyncio
import inspect
import pickle
import threading

import numpy as np
import pytest

from mha import errors
from mha.engine import remote as module
from mha.engine.answers import Experiment
from mha.engine.experiments import one_cell
from mha.engine.recordings import Request, record
from mha.engine.remote import ANSWER, FAULT, PIECE, REFUSAL, Away, Cluster, read, write
from mha.engine.writing import predicted
from mha.errors import Busy, InputError, MHAError
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.stepwise import finished
from tests.engine.waiting import until

DOG = "Tom fed the dog because it was hungry"


class Stream:
    """What a handle gives: each of what is told, an error as it is, and None for silence."""

    def __init__(self, told):
        self.told, self.cancelled, self.raised = list(told), False, None

    async def __anext__(self):
        one = self.told.pop(0)
        if one is None:
            await asyncio.sleep(60)
        if isinstance(one, Exception):
            self.raised = one
            raise one
        return write(*one)

    def cancel(self):
        self.cancelled = True
        if self.raised:
            raise self.raised


class Handle:
    """As much of Ray's handle as is asked here."""

    def __init__(self, *told):
        self.stream, self.model = Stream(told), None
        self.answer = self

    def options(self, stream, multiplexed_model_id):
        self.model = multiplexed_model_id
        return self

    def remote(self, question):
        self.question = pickle.loads(pickle.dumps(question))
        return self.stream


@pytest.fixture
def joined(monkeypatch):
    """Return a cluster with a handle of ours, which is not joined again."""
    monkeypatch.setattr(module, "SILENT_SECONDS", 0.2)
    made = []

    def of(handle):
        cluster = Cluster("127.0.0.1:8700")
        made.append(cluster)
        monkeypatch.setattr(cluster, "_join", lambda: None)
        cluster.join()
        cluster._handle = handle
        cluster.joined.set()
        return cluster

    yield of
    for cluster in made:
        cluster._loop.call_soon_threadsafe(cluster._loop.stop)
        until(lambda loop=cluster._loop: not loop.is_running())
        cluster._loop.close()


def test_pieces_come_one_by_one_and_the_answer_at_the_end(joined):
    handle = Handle((PIECE, 0), (PIECE, "some"), (ANSWER, "all"))
    steps = joined(handle).ask(Request(DOG))
    assert [next(steps), next(steps)] == [0, "some"]
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == "all"
    assert (handle.model, handle.question) == ("minilm", Request(DOG))
    assert handle.stream.cancelled


def test_a_question_that_is_left_is_cancelled(joined):
    handle = Handle((PIECE, 0), None)
    steps = joined(handle).ask(Request(DOG))
    next(steps)
    steps.close()
    assert handle.stream.cancelled


class BackPressureError(Exception):
    """As Ray calls it."""


class DeploymentUnavailableError(Exception):
    """As Ray calls it, where an engine was ended."""


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ((REFUSAL, InputError("no such head")), InputError),
        ((FAULT, "KeyError"), Away),
        (None, Away),
        (RuntimeError("the actor died"), Away),
        (BackPressureError(), Busy),
        (DeploymentUnavailableError(), Away),
    ],
    ids=["refused", "failed", "silent", "broke off", "full", "ended"],
)
def test_what_is_no_answer_is_told_apart(joined, told, kind):
    cluster = joined(Handle(told))
    with pytest.raises(kind):
        finished(cluster.ask(Request(DOG)))
    lost = told is None or isinstance(told, DeploymentUnavailableError)
    assert cluster.joined.is_set() is not lost, "only one that fell silent, or ended, is joined again"


def test_before_it_is_joined_it_is_away():
    with pytest.raises(Away):
        finished(Cluster("127.0.0.1:8700").ask(Request(DOG)))


def test_a_recording_travels_bit_for_bit_with_arrays_of_its_own():
    whole = record(Request(DOG, keep=("query", "key", "value", "hidden")))
    _, there = read(write(ANSWER, whole))
    for name in ("query", "key", "value", "hidden"):
        np.testing.assert_array_equal(getattr(there, name), getattr(whole, name))
    np.testing.assert_array_equal(there.maps.weights, whole.maps.weights)
    assert there.maps.tokens == whole.maps.tokens


KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, MHAError)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_travels(kind):
    error = kind("what it says")
    _, there = read(write(REFUSAL, error))
    assert (type(there), str(there), vars(there)) == (kind, "what it says", vars(error))


@pytest.mark.parametrize(
    ("experiment", "given"),
    {
        one_cell: ("The dog saw a bird", "minilm", None, HeadId(1, 2), 1, 2),
        predicted: (model_row("copier").example, "copier"),
    }.items(),
)
def test_what_experiments_are_asked_and_answer_travels(experiment, given):
    question = experiment.question(*given)
    assert pickle.loads(pickle.dumps(question)) == question
    assert isinstance(question, Experiment)
    assert question.model in ("minilm", "copier")
    assert type(read(write(ANSWER, question.answer()))[1]) is type(question.answer())


def test_a_cluster_that_ends_as_it_is_joined_is_joined_again(monkeypatch):
    cluster, reached = Cluster("127.0.0.1:1"), []

    class Lock:
        """Hands over to another thread as the one that joins has the handle."""

        def __init__(self):
            self.lock = threading.Lock()

        def __enter__(self):
            return self.lock.__enter__()

        def __exit__(self, *problem):
            self.lock.__exit__(*problem)
            if cluster._handle == 1 and threading.current_thread() is not threading.main_thread():
                has_it.set()
                assert lost.wait(5)

    has_it, lost = threading.Event(), threading.Event()
    monkeypatch.setattr(cluster, "_lock", Lock())
    monkeypatch.setattr(cluster, "_reached", lambda: reached.append(1) or len(reached))
    cluster.join()
    assert has_it.wait(5)
    cluster._lost(1)
    lost.set()
    until(lambda: len(reached) == 2 and cluster.joined.is_set())
    assert cluster._loop is not None
    cluster._loop.call_soon_threadsafe(cluster._loop.stop)
    until(lambda: not cluster._loop.is_running())
    cluster._loop.close()
