"""Pages that open at once take turns: how many at a time, whose turn it is, and what those who leave cost. No clock."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from mha.guard.door import Door
from mha.guard.limits import Limits
from mha.guard.turns import Turns
from mha.streamlit_facts import LAST_BYTES, ends_run
from tests.apart import run_apart
from tests.guard.asgi import rerun, stream

AGES = 1e6  # seconds that no test waits for


async def calm() -> None:
    """Let everything go on that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def asked(turns: Turns, line: str, had: list[str]) -> list[asyncio.Task]:
    """Let clients, a letter each, ask for a turn in this order, and note in ``had`` who gets one."""

    async def one(who: str):
        turn = turns.now() or await turns.later(who)
        had.append(who)
        return turn

    tasks = []
    for who in line:
        tasks.append(asyncio.create_task(one(who)))
        await calm()
    return tasks


def test_so_many_at_a_time_and_the_next_when_one_ends():
    async def run() -> None:
        had: list[str] = []
        tasks = await asked(Turns(2, AGES), "abcde", had)
        assert had == ["a", "b"]
        (await tasks[1]).give()
        await calm()
        assert had == ["a", "b", "c"]
        (await tasks[1]).give()  # a second time does nothing
        await calm()
        assert had == ["a", "b", "c"]
        (await tasks[0]).give()
        (await tasks[2]).give()
        await calm()
        assert had == ["a", "b", "c", "d", "e"]

    run_apart(run())


def test_of_several_clients_each_has_a_turn_in_turn():
    async def run() -> None:
        had: list[str] = []
        tasks = await asked(Turns(1, AGES), "aaaaabcb", had)
        for _ in tasks[1:]:
            done = [task for task in tasks if task.done() and not task.result().over]
            done[0].result().give()
            await calm()
        assert "".join(had) == "aabcabaa"

    run_apart(run())


def test_who_leaves_the_line_takes_nobodys_turn():
    async def run() -> None:
        had: list[str] = []
        turns = Turns(1, AGES)
        tasks = await asked(turns, "abbc", had)
        tasks[1].cancel()
        tasks[3].cancel()
        tasks[0].result().give()
        await calm()
        assert had == ["a", "b"]
        tasks[2].result().give()
        assert turns.now(), "nobody is left"

    run_apart(run())


def test_who_leaves_as_they_are_called_lets_the_next_one_come():
    async def run() -> None:
        had: list[str] = []
        tasks = await asked(Turns(1, AGES), "abc", had)
        tasks[0].result().give()
        tasks[1].cancel()  # called, but not there yet
        await calm()
        assert had == ["a", "c"]

    run_apart(run())


def test_who_is_sent_to_the_line_as_the_last_turn_ends_does_not_wait_for_nobody():
    async def run() -> None:
        turns = Turns(1, AGES)
        first = turns.now()
        coming = asyncio.ensure_future(turns.later("b"))  # begins a moment later
        first.give()
        await calm()
        assert coming.done()
        assert turns.now() is None

    run_apart(run())


def test_a_turn_ends_by_itself():
    async def run() -> None:
        had: list[str] = []
        tasks = await asked(Turns(1, 0.001), "abcd", had)
        await asyncio.gather(*tasks)
        assert had == ["a", "b", "c", "d"]

    run_apart(run())


def ended(kind: int = ForwardMsg.FINISHED_SUCCESSFULLY) -> bytes:
    message = ForwardMsg(hash="0" * 32)
    message.script_finished = kind
    return message.SerializeToString()


def drawn() -> bytes:
    message = ForwardMsg()
    message.delta.new_element.text.body = "a picture"
    return message.SerializeToString()


@pytest.mark.parametrize("kind", ForwardMsg.ScriptFinishedStatus.values())
def test_the_message_that_ends_a_run_is_known_whatever_the_end(kind):
    assert ends_run(ended(kind))
    assert len(ended(kind)) < LAST_BYTES


def test_other_messages_end_no_run():
    assert not ends_run(drawn())
    assert not ends_run(b"")


class Runs:
    """Stands for Streamlit: a run for each rerun, which ends when the test says so."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}

    async def __call__(self, scope, receive, send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        who, running = scope["client"][0], []
        while (await receive())["type"] == "websocket.receive":
            self.begun.append(who)
            running.append(asyncio.create_task(self._run(who, send)))
        for one in running:
            one.cancel()

    async def _run(self, who, send) -> None:
        await send({"type": "websocket.send", "bytes": drawn()})
        await self.ends.setdefault(who, asyncio.Event()).wait()
        await send({"type": "websocket.send", "bytes": ended()})


class Tab:
    """A page in a browser: it says what the test lets it say."""

    def __init__(self, guard: Door, who: str) -> None:
        self.says: asyncio.Queue = asyncio.Queue()
        self.says.put_nowait({"type": "websocket.connect"})
        self.hears: list[dict] = []
        self.socket = asyncio.create_task(guard(stream(who=who), self.says.get, self._hear))
        self.rerun()

    async def _hear(self, message) -> None:
        self.hears.append(message)

    def rerun(self) -> None:
        self.says.put_nowait({"type": "websocket.receive", "bytes": rerun()})

    def leave(self) -> None:
        self.says.put_nowait({"type": "websocket.disconnect", "code": 1001})


@contextlib.asynccontextmanager
async def house(opening: int, running: int = 9):
    """A door with runs behind it, and a function that opens a page."""
    runs, tabs = Runs(), []
    guard = Door(runs, Limits(opening=opening, running=running, turn_seconds=AGES))

    async def opened(who: str) -> Tab:
        tabs.append(Tab(guard, who))
        await calm()
        return tabs[-1]

    yield runs, opened
    for tab in tabs:
        tab.leave()
    await asyncio.gather(*(tab.socket for tab in tabs))
    assert guard.sockets == 0


def test_first_runs_wait_for_each_other_and_later_runs_for_none_of_them():
    async def run() -> None:
        async with house(opening=1) as (runs, opened):
            first = await opened("a")
            await opened("b")
            assert runs.begun == ["a"], "b is in line, with its socket open"
            runs.ends["a"].set()
            await calm()
            assert runs.begun == ["a", "b"]
            first.rerun()
            await calm()
            assert runs.begun == ["a", "b", "a"], "a came before, and does not wait for b"

    run_apart(run())


def test_later_runs_take_turns_too_and_nobody_waits_for_a_run_of_their_own():
    async def run() -> None:
        async with house(opening=3, running=1) as (runs, opened):
            one, other = [await opened(who) for who in "ab"]
            for who in "ab":
                runs.ends[who].set()
                await calm()
                runs.ends[who].clear()
            one.rerun()
            await calm()
            other.rerun()
            await calm()
            assert runs.begun == ["a", "b", "a"], "b waits until the run of a has ended"
            one.rerun()
            await calm()
            assert runs.begun == ["a", "b", "a", "a"], "it is asked to begin anew"
            runs.ends["a"].set()
            await calm()
            assert runs.begun == ["a", "b", "a", "a", "b"]

    run_apart(run())


def test_a_page_that_is_closed_in_line_costs_no_run_and_one_closed_in_its_turn_gives_it_back():
    async def run() -> None:
        async with house(opening=1) as (runs, opened):
            first, gone, _ = [await opened(who) for who in "abc"]
            gone.leave()
            await gone.socket
            first.leave()
            await first.socket
            await calm()
            assert runs.begun == ["a", "c"]

    run_apart(run())


def test_what_is_said_in_line_is_heard_afterwards():
    async def run() -> None:
        async with house(opening=1) as (runs, opened):
            await opened("a")
            hasty = await opened("b")
            hasty.rerun()
            await calm()
            assert runs.begun == ["a"]
            runs.ends["a"].set()
            await calm()
            assert runs.begun == ["a", "b", "b"]

    run_apart(run())


def test_a_class_behind_one_address_is_let_in_whole_and_somebody_else_is_not_last():
    async def run() -> None:
        async with house(opening=2) as (runs, opened):
            for _ in range(40):
                await opened("school")
            await opened("home")
            assert runs.begun == ["school"] * 2
            runs.ends["school"].set()  # each run of theirs ends at once from here on
            await calm()
            for _ in range(40):
                await calm()
            assert sorted(runs.begun) == ["home", *["school"] * 40]
            assert runs.begun.index("home") < 6

    run_apart(run())
