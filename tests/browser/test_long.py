"""A long text in a real browser: pasted, surveyed, moved through by keys and by search; axe-core finds nothing."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.test_access import longer, violations
from tests.browser.test_heads import open_page

pytestmark = pytest.mark.browser
TEXT = "The dog saw the cat in the garden behind the house, and the cat saw the dog. " * 12


@pytest.mark.slow
def test_a_pasted_text_is_read_through_a_window(page, server):
    open_page(page, server, "/?model=tiny-causal")
    longer(page, TEXT)
    assert violations(page) == []
    page.get_by_role("button", name="Show this text").click()
    page.locator('.long-map canvas[aria-label$="columns"]').wait_for(timeout=60_000)
    settled(page)
    expect(page.get_by_text("Not read: the last 100.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("looks most at")
    assert violations(page) == []
    page.locator(".long-frame").focus()
    page.keyboard.press("End")
    expect(page.locator(".long-title .code")).to_have_text("64 to 127")
    search = page.get_by_label("Search in the text")
    search.fill("garden")
    search.press("Enter")
    expect(page.locator(".long-hits")).to_contain_text("garden, 7 places")
    settled(page)
    page.get_by_role("button", name="Next →").click()
    expect(page.get_by_text("1 of 7")).to_be_visible()
    page.get_by_role("button", name="← The sentence").click()
    page.locator(".overview[data-ready]").wait_for()


@pytest.mark.slow
def test_of_a_file_the_field_takes_what_can_be_read_and_the_same_file_again(page, server, tmp_path):
    open_page(page, server, "/?model=tiny-causal")
    longer(page, TEXT)
    file = tmp_path / "large.txt"
    file.write_text("a long text " * 2_000_000, encoding="utf-8")  # 24 MB
    field, opened = page.get_by_label("Long text", exact=True), page.get_by_label("Open a text file")
    for _ in range(2):
        field.fill("mine")
        opened.set_input_files(file)
        expect(field).to_have_value(re.compile("^a long text a long"))
    assert len(field.input_value()) == 200_000
    expect(page.get_by_text("only its first 100,000 characters will be read")).to_be_visible()
