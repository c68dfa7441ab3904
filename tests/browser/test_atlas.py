"""Whole model in a real browser: likes are clicked, a sheet opens and closes, and a cell goes to Heads."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_likes_are_clicked_and_a_cell_goes_to_heads(page, server):
    page.goto(f"{server}/atlas?text=All+is+well")
    expect(page.locator("h1")).to_have_text("By where they look, 72 heads count as 3.9 different ones.")
    expect(page.locator(".atlas_map .head-button")).to_have_count(72)

    page.locator('.atlas_plane [data-act="L3H3"]').click()
    expect(page.get_by_role("heading", name="Most like L3H3")).to_be_visible()
    expect(page).to_have_url(re.compile("atlas_like=L3H3"))

    page.locator('.atlas_map [data-act="L2H8"]').click()
    expect(page).to_have_url(re.compile(r"/\?.*pins=L2H8"))
    expect(page).to_have_url(re.compile("text=All"))
    expect(page.locator("h1").first).to_contain_text("L2H8")
