"""Watch heads learn in a real browser: the result at once, playing, the link."""

import re

import pytest
from playwright.sync_api import expect

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
    assert "Two heads take one noun each" in finding(page)
    assert arcs(page)[-1] > 0.97 * 14
    sent = len(frames)
    page.get_by_role("button", name="Play training").click()
    assert arcs(page)[-1] < 0.5 * 14, "at the start the heads attend to every word"
    assert "after" in finding(page)
    page.get_by_role("button", name="Stop", exact=True).click()
    assert arcs(page)[-1] > 0.97 * 14
    assert len(frames) == sent


@pytest.mark.slow
def test_the_link_follows_an_experiment_and_opens_it_cold(page, server):
    open_page(page, server)
    page.get_by_role("radio", name="identical start").click()
    expect(page.locator(".runs .finding")).to_contain_text("Four heads, identical start")
    page.wait_for_url(re.compile("experiment=identical"))
    text, link = finding(page), page.url
    page.goto("about:blank")
    page.goto(link)
    page.locator(".runs[data-ready]").wait_for(timeout=60_000)
    settled(page)
    assert finding(page) == text
    assert page.url == link
