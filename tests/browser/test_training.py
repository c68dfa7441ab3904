"""Watch heads learn in a real browser: the result at once, playing, the link."""

import pytest

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


def open_page(page, url, query=""):
    page.goto(f"{url}/training{query}")
    page.locator(".runs[data-ready]").wait_for(timeout=60_000)
    settled(page)


def finding(page):
    return page.locator(".runs .finding").inner_text()


def arcs(page):
    """Return the widths of the arcs, widest last."""
    widths = (
        "hero => [...hero.querySelectorAll('svg path[stroke-width]')].map((path) => +path.getAttribute('stroke-width'))"
    )
    return sorted(page.locator(".runs .hero").evaluate(widths))


@pytest.mark.slow
def test_the_page_opens_with_arcs_and_plays_without_the_server(page, server):
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: frames.append(data)))
    open_page(page, server)
    assert "Two heads, one noun each" in finding(page)
    assert arcs(page)[-1] > 0.97 * 14
    sent = len(frames)
    page.get_by_role("button", name="Play training").click()
    assert arcs(page)[-1] < 0.5 * 14, "at the start the heads attend to every word"
    assert "after" in finding(page)
    page.get_by_role("button", name="Stop", exact=True).click()
    assert arcs(page)[-1] > 0.97 * 14
    assert len(frames) == sent
