"""Files in a browser: a refused one is explained below its field, and a reconnected page asks for its file again."""

import numpy as np
import pytest
from playwright.sync_api import expect

from mha.maps import AttentionMaps, Token
from mha.saved import save_maps
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


@pytest.fixture
def field(page, server):
    """Return a page with an open field for maps."""
    page.goto(f"{server}/yours")
    page.get_by_role("heading", name="Open attention maps of any tool").wait_for(timeout=60_000)
    settled(page)
    page.locator('input[type="file"]').wait_for(state="attached")
    return page


def choose(page, file):
    page.locator('input[type="file"]').set_input_files(file)


@pytest.fixture
def maps(tmp_path):
    """Return a small file of maps."""
    weights = np.random.default_rng(5).dirichlet(np.ones(5), size=(2, 3, 5))
    tokens = tuple(Token(f"word{number}", word=number) for number in range(5))
    file = tmp_path / "maps.npz"
    save_maps(AttentionMaps(weights, tokens, text="", model="mine", origin="imported", units="words"), file)
    return file


def test_refused_file_is_explained_until_the_next(field, maps, tmp_path):
    large = tmp_path / "large.npz"
    large.write_bytes(b"\0" * (20 * 2**20 + 1))
    choose(field, large)
    expect(field.locator(".refused-file")).to_contain_text("20")
    noise = tmp_path / "noise.npz"
    noise.write_bytes(np.random.default_rng(3).bytes(1_500_000))
    choose(field, noise)
    expect(field.get_by_role("heading", name="noise.npz cannot be drawn")).to_be_visible()
    choose(field, maps)
    expect(field.locator(".overview[data-ready]")).to_be_visible()
    expect(field.locator(".refused-file")).to_have_count(0)
