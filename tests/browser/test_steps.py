"""Step by step in a real browser: a number of Heads leads to its arithmetic, a click follows a number of a toy."""

import re

import pytest
from playwright.sync_api import expect

import mha
from mha.formats import percent
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
DOG = "A dog ate the food because it was hungry."
LINK = f"text={DOG.replace(' ', '+')}"


def open_steps(page, url, query=""):
    page.goto(f"{url}/steps{query}")
    page.locator(".matrices[data-ready]").first.wait_for(timeout=60_000)
    settled(page)


def heading(page):
    return page.get_by_role("heading", level=1)


def test_number_of_heads_leads_to_its_arithmetic(page, server):
    page.goto(f"{server}/?{LINK}&pins=L2H8&lock=7")
    page.locator(".pinned-heads[data-ready]").wait_for(timeout=60_000)
    settled(page)
    words = page.locator(".pinned-heads [data-query]").all_inner_texts()
    it, hungry = words.index("it"), words.index("hungry")
    first, second = (page.locator(".pinned-heads [data-query]").nth(at).bounding_box() for at in (it, hungry))
    pitch = (second["y"] - first["y"]) / (hungry - it)
    page.locator(".pinned-heads canvas").first.click(position={"x": (hungry + 0.5) * pitch, "y": (it + 0.5) * pitch})
    share = percent(mha.attend(DOG)[2, 8][7, 9])
    expect(heading(page)).to_have_text(f"In head L2H8, it gives {share} of its attention to hungry.", timeout=60_000)
    settled(page)
    assert re.search(r"/steps\?.*layer=2&head=8&query=7&key=9$", page.url)


@pytest.mark.slow
def test_clicked_number_of_a_toy_is_followed(page, server):
    open_steps(page, server, "?toy=Money+Bank,+full&toy_step=7")
    page.locator(".matrices").first.locator("table").last.locator("td[data-cell]").nth(3).click()
    settled(page)
    assert "head=0&query=1&key=1" in page.url
    page.keyboard.press("ArrowRight")
    settled(page)
    expect(page.get_by_role("heading", name="8 Values")).to_be_visible()
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 2400
