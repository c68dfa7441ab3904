"""Who answers while a cluster is there, breaks off, falls silent, comes back: it, again, this process, nobody yet."""

import threading

import pytest

from mha.engine import remote
from mha.engine.answers import Answers
from mha.engine.experiments import neutral_words
from mha.engine.queue import Queue
from mha.engine.recordings import LocalEngine, Request, record
from mha.engine.remote import Away, Dispatcher, InPieces
from mha.errors import Busy, InputError, ModelUnavailable
from mha.stepwise import finished
from tests.engine.waiting import until

BROKE, GONE, FAULT = Away("killed"), Away("stopped"), Away("it failed with KeyError")


class There:
    """A cluster that does what the list says, once each: pieces, then an answer, or what is raised."""

    def __init__(self, *does, joined=True):
        self.does, self.asked = list(does), []
        self.joined, self.tried = threading.Event(), threading.Event()
        self.tried.set()
        if joined:
            self.joined.set()

    def join(self):
        pass

    def ask(self, question):
        self.asked.append(question)
        *pieces, end = self.does.pop(0) if self.does else [GONE]
        yield from pieces
        if end is GONE:
            self.joined.clear()
        if isinstance(end, Exception):
            raise end
        return end


@pytest.fixture
def ways(monkeypatch):
    """Return ways to a cluster that does what is said, with a model here that loads at once, or never."""
    monkeypatch.setattr(remote, "PATIENCE", 5.0)
    monkeypatch.setattr(remote, "PAUSE", 0.01)

    def of(there, alone=False, load=lambda: None):
        found = Dispatcher({"PARALLAX_ENGINE_FALLBACK": "off" if alone else "on"})
        found.cluster = there
        found.engine(lambda request: "a pass here", load)
        return found

    return of


def answer(ways, here=lambda: "here"):
    return finished(ways.answer(Request("A bird sang"), here))


def test_without_the_setting_nothing_is_asked_elsewhere():
    ways = Dispatcher({})
    assert ways.engine(record, lambda: None) == {}
    assert ways.answer(Request("A bird sang"), lambda: "here") == "here"
    assert (ways.threads, ways.able) == (1, True)


def test_an_address_that_is_none_is_told_at_the_start():
    for wrong in ("http://127.0.0.1:8700", "127.0.0.1", "127.0.0.1:8700/engine"):
        with pytest.raises(InputError, match="PARALLAX_ENGINE takes an address"):
            Dispatcher({"PARALLAX_ENGINE": wrong})


def test_a_question_of_a_killed_replica_is_answered_by_its_replacement(ways):
    there = There([BROKE], [BROKE], ["from another replica"])
    assert answer(ways(there, alone=True)) == "from another replica"


def test_a_question_waits_for_its_replacement_or_this_process_whichever_is_first(ways):
    never, there = threading.Event(), There(*[[BROKE]] * 20, ["from another replica"])
    assert answer(ways(there, load=lambda: never.wait(5) and None)) == "from another replica"
    never.set()
    assert answer(ways(There(*[[BROKE]] * 200))) == "here"


def test_without_any_answer_it_is_busy_in_the_end(ways, monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 0.1)
    gone = There(*[[BROKE]] * 99)
    with pytest.raises(Busy, match="does not answer"):
        answer(ways(gone, alone=True, load=lambda: pytest.fail("a load here")))
    assert len(gone.asked) > 2


def test_while_it_is_away_this_process_answers_and_it_again_once_it_is_joined(ways):
    loads = []
    there = There([GONE])
    one = ways(there, load=lambda: loads.append(1))
    assert [answer(one) for _ in range(3)] == ["here"] * 3
    assert (loads, one.able) == ([1], True)
    there.joined.set()
    there.does.append(["well again"])
    assert answer(one) == "well again"


def test_what_the_cluster_refuses_is_no_reason_to_ask_here_but_a_fault_of_its_is(ways):
    with pytest.raises(InputError, match="no such head"):
        answer(ways(There([InputError("no such head")])))
    there = There(*[[FAULT]] * 9)
    assert answer(ways(there)) == "here"


def test_pieces_that_break_off_go_on_with_what_is_missing(ways):
    there = There(["a", "b", BROKE], ["c", "d", "e", None])
    one, known = ways(there, alone=True), []
    for piece in one.pieces(lambda: InPieces(_rest_of, (tuple(known),))):
        known.append(piece)
    assert known == ["a", "b", "c", "d", "e"]
    assert [asked.arguments for asked in there.asked] == [((),), (("a", "b"),)]


def _rest_of(known):
    yield from "abcde"[len(known) :]


class Gated(There):
    """A cluster that says something each time the gate is opened, and then the answer."""

    def __init__(self):
        self.gate = threading.Semaphore(0)
        super().__init__()

    def ask(self, question):
        self.asked.append(question)
        assert self.gate.acquire(timeout=20)
        yield 1
        return "the answer"


def test_a_question_that_nobody_waits_for_lets_the_cluster_go_and_is_asked_again(ways, monkeypatch):
    there, question = Gated(), Request("A bird sang")
    monkeypatch.setattr("mha.engine.jobs.DISPATCHER", ways(there))
    answers = Answers(Queue())

    def ask():
        return ways(there).answer(question, lambda: pytest.fail("here"))

    with pytest.raises(Busy, match="too long"):
        answers.answer(question, ask, seconds=0.05)
    there.gate.release()
    until(lambda: answers._pending[question].state == "stopped")
    there.gate.release()
    assert answers.answer(question, ask) == "the answer"
    assert there.asked == [question] * 2


def test_waking_waits_for_the_cluster_or_loads_the_model_here(ways):
    loads = []
    ways(There(), load=lambda: loads.append(1)).wake()
    assert loads == []
    ways(There(joined=False), load=lambda: loads.append(1)).wake()
    assert loads == [1]
    with pytest.raises(ModelUnavailable, match="does not answer"):
        ways(There(joined=False), alone=True).wake()


def test_pages_ask_elsewhere_once_and_keep_what_they_got(ways):
    known = record(Request("A bird sang"))
    one = ways(There([known]), alone=True)
    engine = LocalEngine(**one.engine(lambda request: pytest.fail("a pass here"), lambda: None))
    request = Request("Nobody else has asked for this sentence")
    assert engine.record(request) is known
    assert engine.record(request) is known
    answers, there = Answers(Queue()), There([("link",)])
    counts = neutral_words.question("A bird sang", 1)
    for _ in range(2):
        assert answers.answer(counts, lambda: ways(there).answer(counts, lambda: pytest.fail("here"))) == ("link",)
    assert there.asked == [counts]
