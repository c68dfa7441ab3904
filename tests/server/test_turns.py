"""Turns of script runs: how many at a time, in which order, and after cancellation. Without a clock."""

import asyncio
import contextlib

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from mha.server.middleware import Guard, Limits, Turns
from mha.streamlit_facts import LAST_BYTES, ends_run
from tests.apart import run_apart
from tests.server.asgi import rerun, stream

AGES = 1e6  # seconds that no test waits for


async def calm() -> None:
    """Let all tasks run until they wait."""
    for _ in range(20):
        await asyncio.sleep(0)


async def take_turns(turns: Turns, clients: str, order: list[str]) -> list[asyncio.Task]:
    """Let clients, a letter each, request a turn in this order; append each to ``order`` when it has one."""

    async def take(client: str):
        turn = await turns.take(client)
        order.append(client)
        return turn

    tasks = []
    for client in clients:
        tasks.append(asyncio.create_task(take(client)))
        await calm()
    return tasks


def test_next_turn_begins_when_one_ends():
    async def run() -> None:
        order: list[str] = []
        tasks = await take_turns(Turns(2, AGES), "abcde", order)
        assert order == ["a", "b"]
        for _ in range(2):  # the second release of one turn does nothing
            tasks[1].result().release()
            await calm()
            assert order == ["a", "b", "c"]
        tasks[0].result().release()
        tasks[2].result().release()
        await calm()
        assert order == ["a", "b", "c", "d", "e"]

    run_apart(run())


def test_clients_are_served_in_rotation():
    async def run() -> None:
        order: list[str] = []
        tasks = await take_turns(Turns(1, AGES), "aaaaabcb", order)
        for _ in tasks[1:]:
            next(task for task in tasks if task.done() and not task.result().is_over).result().release()
            await calm()
        assert "".join(order) == "aabcabaa"

    run_apart(run())


@pytest.mark.parametrize("is_called", [False, True])
def test_cancelled_requests_take_no_turn(is_called):
    """Also if the request is cancelled just after its call."""

    async def run() -> None:
        order: list[str] = []
        turns = Turns(1, AGES)
        tasks = await take_turns(turns, "abc", order)
        if is_called:
            tasks[0].result().release()
        tasks[1].cancel()
        if not is_called:
            await calm()
            tasks[0].result().release()
        await calm()
        assert order == ["a", "c"]
        tasks[2].result().release()
        assert (await asyncio.wait_for(turns.take("d"), 5)).is_over is False

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
def test_end_of_run_is_recognised(kind):
    assert ends_run(ended(kind))
    assert len(ended(kind)) < LAST_BYTES


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

    def __init__(self, guard: Guard, who: str) -> None:
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
    guard = Guard(runs, Limits(opening=opening, running=running, turn_seconds=AGES))

    async def opened(who: str) -> Tab:
        tabs.append(Tab(guard, who))
        await calm()
        return tabs[-1]

    yield runs, opened
    for tab in tabs:
        tab.leave()
    await asyncio.gather(*(tab.socket for tab in tabs))
    assert guard.sockets.total() == 0


def test_opening_pages_queue_apart_from_reruns():
    async def run() -> None:
        async with house(opening=1) as (runs, opened):
            first = await opened("a")
            await opened("b")
            assert runs.begun == ["a"], "b waits, with its socket open"
            runs.ends["a"].set()
            await calm()
            assert runs.begun == ["a", "b"]
            first.rerun()
            await calm()
            assert runs.begun == ["a", "b", "a"], "a rerun does not wait for pages that open"

    run_apart(run())


def test_reruns_take_turns():
    async def run() -> None:
        async with house(opening=3, running=1) as (runs, opened):
            pages = [await opened(who) for who in "ab"]
            for who in "ab":
                runs.ends[who].set()
                await calm()
                runs.ends[who].clear()
            for page in pages:
                page.rerun()
                await calm()
            assert runs.begun == ["a", "b", "a"]
            pages[0].rerun()  # a run that begins again keeps its turn
            await calm()
            assert runs.begun == ["a", "b", "a", "a"]
            for _ in range(2):
                runs.ends["a"].set()
                await calm()
            assert runs.begun == ["a", "b", "a", "a", "b"]

    run_apart(run())


def test_closed_sockets_release_their_turn():
    async def run() -> None:
        async with house(opening=1) as (runs, opened):
            first = await opened("a")
            await opened("b")
            first.leave()
            await calm()
            assert runs.begun == ["a", "b"]

    run_apart(run())


def test_class_behind_one_address_does_not_delay_others():
    async def run() -> None:
        async with house(opening=2) as (runs, opened):
            for _ in range(40):
                await opened("school")
            await opened("home")
            assert runs.begun == ["school"] * 2
            runs.ends["school"].set()  # each of their runs ends at once from here on
            for _ in range(40):
                await calm()
            assert sorted(runs.begun) == ["home", *["school"] * 40]
            assert runs.begun.index("home") < 6

    run_apart(run())
