"""One hostile client of each kind beside honest ones: those get their own sentence, and the server says it lives."""

import asyncio
import threading

import pytest
from playwright.sync_api import expect

from benchmarks.bench_class import opened
from tests.apart import run_apart
from tests.browser.abuse import handshake, rerun
from tests.browser.conftest import Server

pytestmark = pytest.mark.browser


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
