"""One client's long questions over HTTP hold up nobody: turns, ends with its client, so many of one address."""

import asyncio
import json
import threading
from itertools import pairwise

import pytest

from mha.api import limits, routes
from mha.engine import answers, experiments, queue
from mha.engine.queue import Queue
from mha.intervention import bank
from mha.models.files.loading import load
from tests.apart import run_apart

BOTH = {
    name: {"name": name, "ambiguous_word": 4, "candidates": [candidate]} for name, candidate in (("a", 0), ("b", 2))
}
SHORT = "Tom fed the dog she saw"
SECONDS = 60


def long_text(name):
    return f"Tom fed {name} while she saw " + "the old dog near the red house " * 6


class Client:
    """One client at an address, and its one question."""

    def __init__(self, address, text):
        self.text, self.left = text, asyncio.Event()
        self.scope = {
            "type": "http", "method": "POST", "path": "/api/readings", "raw_path": b"/api/readings", "root_path": "",
            "query_string": b"", "headers": [(b"content-type", b"application/json"), (b"host", b"localhost")],
            "client": (address, 5), "server": ("localhost", 80), "scheme": "http", "http_version": "1.1",
            "asgi": {"version": "3.0"},
        }  # fmt: skip
        self.asked, self.sent = False, []
        self.task = asyncio.ensure_future(routes.alone(self.scope, self._receive, self._send))

    async def _receive(self):
        if not self.asked:
            self.asked = True
            return {"type": "http.request", "body": json.dumps({"text": self.text, **BOTH}).encode()}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        self.sent.append(message)

    async def answer(self):
        """Return the status and the body."""
        await asyncio.wait_for(self.task, SECONDS)
        body = b"".join(one.get("body", b"") for one in self.sent)
        return self.sent[0]["status"], json.loads(body)


class Passes:
    """Every batch of the experiments, by the text that it is of; each waits until it is let."""

    def __init__(self, monkeypatch):
        self.begun, self._gate = [], threading.Semaphore(0)
        batch = bank._batch

        def held(experiment, texts, encoded, group, hidden):
            kind = "long" if len(encoded[group[0]].tokens) > 40 else "short"
            self.begun.append(kind)
            assert self._gate.acquire(timeout=SECONDS)
            return batch(experiment, texts, encoded, group, hidden)

        monkeypatch.setattr(bank, "_batch", held)

    def let(self, count):
        self._gate.release(count)

    async def reach(self, count):
        """Wait until so many batches have begun."""
        async with asyncio.timeout(SECONDS):
            while len(self.begun) < count:
                await asyncio.sleep(0.01)


@pytest.fixture
def passes(monkeypatch):
    load("minilm")
    monkeypatch.setattr(limits, "RATES", limits.Rates(10_000))
    monkeypatch.setattr(experiments, "N_SHUFFLES", 24)  # orders of the words
    monkeypatch.setattr(queue, "LONG_COST", 1000)
    monkeypatch.setattr(answers, "_answers", answers.Answers(Queue()))
    found = Passes(monkeypatch)
    yield found
    found.let(10_000)


def test_what_a_client_who_has_gone_asked_for_ends_after_the_step_under_way(passes):
    async def scenario():
        long = Client("1.1.1.1", long_text("rats"))
        await passes.reach(2 if passes.let(1) else 1)
        long.left.set()
        status, found = await long.answer()  # to nobody: the place that it took is free
        assert status == 503
        assert "lost" in found["detail"]
        begun = len(passes.begun)
        passes.let(10_000)
        await asyncio.sleep(1.0)
        assert len(passes.begun) <= begun + 1

    run_apart(scenario())


def test_one_address_has_one_long_question_under_way_and_another_goes_on_beside_it(passes, monkeypatch):
    order = []
    step = answers.AnswerJob.step

    def noted(self):
        order.append(next(iter(self.owners()), None))
        return step(self)

    monkeypatch.setattr(answers.AnswerJob, "step", noted)
    monkeypatch.setattr(queue, "PATIENCE", float("inf"))  # a slow machine does not break the alternation

    async def scenario():
        first = Client("1.1.1.1", long_text("dogs"))
        await passes.reach(1)
        second, other = Client("1.1.1.1", long_text("owls")), Client("2.2.2.2", long_text("bees"))
        await asyncio.sleep(0.3)
        assert len(answers._answers._pending) == 3
        passes.let(10_000)
        clients = {"first": first, "second": second, "other": other}
        ends = asyncio.as_completed([named(client, name) for name, client in clients.items()])
        assert [await one for one in ends][-1] == "second"

    async def named(client, name):
        status, _ = await client.answer()
        assert status == 200
        return name

    run_apart(scenario())
    mine, theirs = "1.1.1.1", "2.2.2.2"
    beside = order[order.index(theirs) : len(order) - order[::-1].index(theirs)]
    assert all(one != after for one, after in pairwise(beside)), "the two addresses take turns"
    assert beside.count(mine) > 2


def test_so_many_experiments_of_one_address_and_others_find_room(passes):
    async def scenario():
        many = [Client("1.1.1.1", long_text(f"pet{n}")) for n in range(limits.OF_ONE)]
        await passes.reach(1)
        status, found = await Client("1.1.1.1", long_text("toads")).answer()
        assert status == 503
        assert found["detail"] == limits.ENOUGH
        other = Client("2.2.2.2", SHORT)
        await asyncio.sleep(0.3)
        passes.let(10)
        assert (await other.answer())[0] == 200
        for one in many:
            one.left.set()
        passes.let(10_000)
        for one in many:
            await one.answer()
        again = Client("1.1.1.1", SHORT + " them")
        assert (await again.answer())[0] == 200

    run_apart(scenario())
