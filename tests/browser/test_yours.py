"""Your file in a browser: a refused one is explained, maps answer clicks, and nothing of them is in the address."""

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


@pytest.fixture
def file(tmp_path):
    weights = np.random.default_rng(5).dirichlet(np.ones(5), size=(2, 3, 5)).astype(np.float32)
    path = tmp_path / "maps.npz"
    np.savez(path, weights=weights, tokens=np.array(["The", "Ġdog", "Ġran", "Ġaway", "."]))
    return path


def test_refused_files_are_explained_and_a_file_answers_clicks_and_is_closed(page, server, file, tmp_path):
    page.goto(f"{server}/yours")
    field = page.locator('input[type="file"]')
    field.wait_for(state="attached", timeout=60_000)
    settled(page)
    large, noise = tmp_path / "large.npz", tmp_path / "noise.npz"
    large.write_bytes(b"\0" * (20 * 2**20 + 1))
    noise.write_bytes(np.random.default_rng(3).bytes(1_500_000))
    field.set_input_files(large)
    expect(page.locator(".refused-file")).to_contain_text("20")
    field.set_input_files(noise)
    expect(page.get_by_role("heading", name="noise.npz cannot be drawn")).to_be_visible()
    field.set_input_files(file)
    expect(page.locator(".refused-file")).to_have_count(0)
    heads = page.locator(".overview [data-head]")
    expect(heads).to_have_count(6)
    settled(page)
    pins = page.locator(".pinned-heads .head-name")
    before = pins.all_inner_texts()
    name = next(name for name in ("L0H0", "L0H1", "L0H2") if name not in before)
    heads.nth(int(name[-1])).click()
    expect(pins).to_have_text([*before, name])
    page.locator(".pinned-heads").get_by_role("button", name=f"Unpin: {name}").click()
    expect(pins).to_have_text(before)
    page.locator(".hero [data-at]").filter(has_text="dog").first.click()
    expect(page.locator(".ask h3").first).to_be_visible()
    assert page.url == f"{server}/yours"
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 2400
    page.get_by_role("button", name="Close the file").click()
    expect(page.get_by_role("heading", name="Open attention maps of any tool")).to_be_visible()
    expect(page.locator(".overview")).to_have_count(0)
