"""One hostile client of each kind beside honest ones: those get their own sentence, and the server says it lives."""

import asyncio
import random
import threading
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from benchmarks.bench_class import opened
from benchmarks.bench_load import sentence
from benchmarks.visitor import Visitor
from tests.apart import run_apart
from tests.browser.abuse import KINDS, handshake, idle, rerun
from tests.browser.conftest import Server

pytestmark = pytest.mark.browser
MANY = {"foreign origins": 200, "idle": 55, "large frames": 5, "leaves": 50, "half-open": 300, "slow bodies": 300}
ENDS = {  # what must have happened to the hostile client, of which something may also have come through
    "garbage": "closed 1002", "text frames": "closed 1003", "large frames": "closed 1009", "foreign origins": "refused",
}  # fmt: skip


def alive(url):
    with urllib.request.urlopen(f"{url}/api/health", timeout=10) as answer:
        return answer.status == 200


async def honest(url, number, sentences):
    """Type sentences; check that each answer holds the visitor's own last word, and no other visitor's."""
    chance, visitor = random.Random(number), Visitor(url)
    await visitor.open()
    for _ in range(sentences):
        text = sentence(chance)
        answer = await visitor.type(text)
        assert text.split()[-1].encode() in answer.drawn
        await asyncio.sleep(0)
    await visitor.close()


async def beside(url, kind, count, people, sentences):
    """Let a hostile client loose on honest ones; return how it fared, and how often the server said it lives."""
    abuse = asyncio.create_task(KINDS[kind](url, count))
    lives, done = [], asyncio.Event()

    async def looking():
        while not done.is_set():
            lives.append(await asyncio.to_thread(alive, url))
            await asyncio.sleep(0.2)

    looks = asyncio.create_task(looking())
    await asyncio.gather(*(honest(url, number, sentences) for number in range(people)))
    fared = await abuse
    done.set()
    await looks
    return fared, lives


def checked(kind, fared, lives):
    assert lives
    assert all(lives)
    assert not fared["ACCEPTED"]
    if kind in ENDS:
        assert fared[ENDS[kind]] >= 1
    else:
        assert fared.total() >= 1


@pytest.fixture(scope="module")
def besieged():
    running = Server(PARALLAX_SOCKETS_PER_CLIENT="1000")
    try:
        running.wait()
        yield running.url
    finally:
        running.stop()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_long_siege(besieged, kind):
    checked(kind, *run_apart(beside(besieged, kind, MANY.get(kind, 300), 5, 4)))


async def crowd(url, count):
    """Return how many idle pages come in, and what a newcomer gets while they are there."""
    coming = asyncio.create_task(idle(url, count))
    statuses = []
    while not coming.done():
        statuses.append(await asyncio.to_thread(asked, url))
        await asyncio.sleep(0.1)
    return await coming, statuses


def asked(url):
    """Return the status and the text of the page that a newcomer gets."""
    try:
        with urllib.request.urlopen(url + "/", timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.slow
def test_of_three_hundred_idle_pages_a_hundred_and_twenty_come_in(besieged):
    fared, pages = run_apart(crowd(besieged, 300))
    assert fared == {"open": 120, "refused": 180}
    full = [text for status, text in pages if status == 503]
    assert full
    assert all("Parallax is full" in text and 'http-equiv="refresh"' in text for text in full)
    assert alive(besieged)


@pytest.mark.slow
def test_a_full_house_takes_the_next_one_as_soon_as_a_place_is_free(browser):
    running = Server(PARALLAX_SOCKETS="2")
    context = browser.new_context(bypass_csp=True)
    come, go = threading.Event(), threading.Event()

    async def stay():
        async with handshake(running.url) as one, handshake(running.url) as other:
            for socket in (one, other):
                await socket.send(rerun("stays"))
                await socket.recv()
            come.set()
            await asyncio.to_thread(go.wait)

    staying = threading.Thread(target=lambda: asyncio.run(stay()))
    try:
        running.wait()
        staying.start()
        assert come.wait(60)
        page = context.new_page()
        assert page.goto(f"{running.url}/?text=The+link+is+kept").status == 503
        expect(page.get_by_role("heading")).to_have_text("Parallax is full")
        go.set()
        page.locator(".overview[data-ready]").wait_for(timeout=90_000)  # it tried again by itself
        assert "text=The+link+is+kept" in page.url
    finally:
        go.set()
        staying.join(20)
        context.close()
        running.stop()


@pytest.mark.slow
def test_class_that_opens_one_link_is_answered(server):
    assert len(run_apart(opened(server, "", "the class looks at one sentence alone", 12, 0.5))) == 12
