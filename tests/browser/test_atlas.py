"""Whole model in a real browser: similar heads, and a cell that goes to Heads."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_likes_are_clicked_and_a_cell_goes_to_heads(page, server):
    page.goto(f"{server}/atlas?text=All+is+well")
    expect(page.locator("h1")).to_have_text("Counting similar heads as one, the 72 heads look in 3.9 different ways.")
    expect(page.locator(".atlas_map .head-button")).to_have_count(72)

    similar = page.locator(".atlas-likes [data-act]").nth(1)
    name = similar.get_attribute("data-act")
    similar.click()
    expect(page.get_by_role("heading", name=f"Most similar to {name}")).to_be_visible()
    expect(page).to_have_url(re.compile(f"atlas_like={name}"))

    page.locator('.atlas_map [data-act="L2H8"]').click()
    expect(page).to_have_url(re.compile(r"/\?.*pins=L2H8"))
    expect(page).to_have_url(re.compile("text=All"))
    expect(page.locator("h1").first).to_contain_text("L2H8")


@pytest.mark.slow
def test_the_shares_of_a_connection_stay_in_its_line(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server}/atlas?atlas_head=L2H8")
    page.locator(".sheet-line").first.wait_for(timeout=60_000)
    settled(page)
    beyond = """lines => lines.map(line => {
      const range = document.createRange();
      range.selectNodeContents(line.querySelector(".sheet-figures"));
      return range.getBoundingClientRect().right - line.getBoundingClientRect().right;
    })"""
    assert max(page.locator(".sheet-line").evaluate_all(beyond)) < 1
