"""Watch heads learn in a real browser: the result at once, playing, the link."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


def open_page(page, url, query=""):
    page.goto(f"{url}/training{query}")
    page.locator(".training[data-ready]").first.wait_for(timeout=60_000)
    settled(page)


def finding(page):
    return page.locator(".training .finding").first.inner_text()


def arcs(page):
    """Return the widths of the arcs, widest last."""
    hero = page.locator(".training .hero")
    widths = (
        "hero => [...hero.querySelectorAll('svg path[stroke-width]')].map((path) => +path.getAttribute('stroke-width'))"
    )
    return sorted(hero.evaluate(widths))


@pytest.mark.slow
def test_it_opens_with_arcs_curves_and_maps_and_plays_without_the_server(page, server):
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: frames.append(data)))
    open_page(page, server)
    assert "Two heads take one noun each" in finding(page)
    assert arcs(page)[-1] > 0.97 * 14
    expect(page.get_by_label("Your sentence")).to_be_hidden()
    maps = page.locator(".training .maps svg[role=img]")
    expect(maps).to_have_count(3)
    expect(maps.last).to_have_attribute("aria-label", re.compile("step 1200: telescope looks most at woman"))
    sent = len(frames)
    page.get_by_role("button", name="Play training").click()
    early, moved = arcs(page)[-1], maps.first.get_attribute("aria-label")
    assert early < 0.5 * 14, "at the start the heads look everywhere"
    assert "step 1200" not in moved
    page.get_by_role("button", name="Stop", exact=True).click()
    assert arcs(page)[-1] > 0.97 * 14
    assert len(frames) == sent
