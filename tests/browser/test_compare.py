"""Change a word in a real browser: a disc pins, a click on two words pairs them, and the copy has its seed."""

import csv
import io
import json

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


def test_a_change_is_looked_at_and_paired_anew(page, server):
    page.goto(f"{server}/compare")
    picture = page.locator(".change_hero svg")
    expect(picture).to_contain_text("telescope")
    expect(page.locator(".change_pin .head-name")).to_have_text(["L1H0"])
    expect(page.locator(".change_scale .ramp")).to_have_count(3)

    page.locator('.head_discs [data-act="L3H1"]').click()
    expect(page.locator(".change_pin .head-name")).to_have_text(["L1H0", "L3H1"])

    page.get_by_text("Edit pairs", exact=True).click()
    page.locator('[data-act="first 3"]').click()
    expect(page.locator('[data-act="first 3"]')).to_have_attribute("aria-pressed", "true")
    page.locator('[data-act="second 6"]').click()
    expect(page.get_by_text("man is paired with beard")).to_be_visible()
    page.get_by_role("button", name="Pair automatically").click()
    expect(picture).to_contain_text("telescope")

    page.get_by_role("radio", name="a scrambled copy").click()
    expect(page.get_by_text("scrambled copy of seed 1")).to_be_visible()
    page.get_by_role("button", name="Options").click()
    seed = page.get_by_label("Seed of the scrambled copy")
    seed.fill("7")
    seed.press("Enter")
    expect(page.get_by_text("scrambled copy of seed 7")).to_be_visible()


@pytest.mark.slow
def test_the_numbers_of_a_change_are_taken_along(page, server, tmp_path):
    page.goto(f"{server}/compare")
    expect(page.locator(".change_pin .head-name")).to_have_text(["L1H0"])
    settled(page)
    read = {
        "CSV": lambda data: len(list(csv.DictReader(io.StringIO(data.decode())))),
        "JSON": lambda data: len(json.loads(data)["columns"]["head"]),
        "NPZ": lambda data: len(np.load(io.BytesIO(data))["column_0"]),
    }
    page.get_by_role("button", name="Download").click()
    page.locator(".away-list li").first.wait_for()
    settled(page)
    for title, rows in read.items():
        with page.expect_download() as taken:
            page.get_by_role(
                "button", name=title, exact=True
            ).last.click()  # of every head; the others are of the variants
        file = tmp_path / taken.value.suggested_filename
        taken.value.save_as(file)
        assert rows(file.read_bytes()) == 72
