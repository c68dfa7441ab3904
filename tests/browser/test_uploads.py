"""Files that come in, in a browser: why one is refused, and that none stays after its field or its page."""

import time

import numpy as np
import pytest
from playwright.sync_api import expect

from mha.guard.uploads import MUCH
from mha.maps import AttentionMaps, Token
from mha.saved import save_maps
from mha.ui.uploads import GONE
from tests.browser.conftest import UPLOAD_MB, counted
from tests.browser.conftest import UPLOAD_SECONDS as SOON

pytestmark = pytest.mark.browser

AWAY = """(() => {
  const Real = WebSocket, open = new Set();
  window.WebSocket = class extends Real {
    constructor(address, ...more) { super(window.away ? "ws://127.0.0.1:9/" : address, ...more); open.add(this); }
  };
  window.leave = () => { window.away = true; for (const socket of open) socket.close(); };
})()"""  # a page whose connection breaks off, until it may come back


@pytest.fixture(scope="module")
def context(browser):
    """Yield one context for all tests, so that Streamlit's own files are read once and not each time."""
    made = browser.new_context(bypass_csp=True)
    made.add_init_script(AWAY)
    yield made
    made.close()


@pytest.fixture
def small(server):
    """Return the address of the server, which takes few files and keeps them for a short while."""
    return server


@pytest.fixture
def field(context, small):
    """Return a page with an open field for maps, of a server that has no file."""
    page = context.pages[0] if context.pages else context.new_page()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(small)
    page.locator(".overview[data-ready]").wait_for(timeout=60_000)
    until(lambda: kept(small) == 0)  # the page before has gone, and its file soon
    page.get_by_text("Open your own maps").click()
    page.locator('input[type="file"]').wait_for(state="attached")
    return page


def choose(page, file):
    page.locator('input[type="file"]').set_input_files(file)


@pytest.fixture
def noise(tmp_path):
    """Return the file of 1.5 MB that holds no maps."""
    file = tmp_path / "noise.npz"
    file.write_bytes(np.random.default_rng(3).bytes(1_500_000))
    return file


@pytest.fixture
def maps(tmp_path):
    """Return a small file of maps."""
    weights = np.random.default_rng(5).dirichlet(np.ones(5), size=(2, 3, 5))
    tokens = tuple(Token(f"word{number}", word=number) for number in range(5))
    file = tmp_path / "maps.npz"
    save_maps(AttentionMaps(weights, tokens, text="", model="mine", origin="imported", units="words"), file)
    return file


def kept(url):
    return counted(url, "parallax_upload_bytes")


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


def test_a_file_that_is_refused_says_why_below_its_field_until_another_one_is_taken(field, noise, maps, small):
    note = field.locator(".refused-file")
    for number in range(2):
        another = noise.rename(noise.with_stem(f"noise{number}"))
        choose(field, another)
        expect(field.get_by_text(f"{another.name}: ").first).to_be_visible()  # it is read, and holds no maps
        expect(note).to_have_count(0)
        noise = another
        until(lambda: 0 < kept(small) < 2_000_000)  # the one before has gone
    choose(field, noise.rename(noise.with_stem("noise2")))
    expect(note).to_have_text(MUCH.format(UPLOAD_MB))
    expect(note).to_be_visible()
    choose(field, maps)
    expect(field.get_by_role("button", name="Back to the sentence")).to_be_visible()
    expect(note).to_have_count(0)


@pytest.mark.slow
def test_what_the_field_itself_refuses_is_said_too(field, tmp_path):
    file = tmp_path / "large.npz"
    file.write_bytes(b"\0" * (20 * 2**20 + 1))
    choose(field, file)
    expect(field.locator(".refused-file")).to_contain_text("20")


@pytest.mark.slow
def test_a_file_that_its_reader_removes_is_gone(field, noise, small):
    choose(field, noise)
    until(lambda: kept(small) > 1_000_000)
    field.get_by_role("button", name="Remove noise.npz").click()
    until(lambda: kept(small) == 0)


@pytest.mark.slow
def test_a_file_goes_after_its_page_without_anybody_elses_visit(field, noise, small):
    choose(field, noise)
    until(lambda: kept(small) > 1_000_000)
    field.wait_for_timeout(2 * SOON * 1000)
    assert kept(small) > 1_000_000, "it stays while its page is open"
    field.close()
    until(lambda: kept(small) == 0)


@pytest.mark.slow
def test_a_file_goes_after_another_page_was_chosen(field, noise, small):
    choose(field, noise)
    until(lambda: kept(small) > 1_000_000)
    field.get_by_test_id("stTopNavSection").click()
    field.get_by_role("menuitem", name="Questions").click()
    until(lambda: kept(small) == 0)


@pytest.mark.slow
def test_a_page_that_was_away_for_long_says_that_its_file_is_gone(field, maps, small):
    choose(field, maps)
    expect(field.get_by_role("button", name="Back to the sentence")).to_be_visible()
    field.evaluate("leave()")
    until(lambda: kept(small) == 0)
    field.evaluate("window.away = false")
    field.locator('[data-testid="stApp"][data-test-connection-state="CONNECTED"]').wait_for(timeout=60_000)
    field.get_by_role("radio", name="the hungry dog").click()
    expect(field.get_by_text(GONE)).to_be_visible()
    with field.expect_file_chooser() as chooser:  # as a reader does: the same file in the same field is no change
        field.get_by_role("button", name="Add files").click()
    chooser.value.set_files(maps)
    expect(field.get_by_role("button", name="Back to the sentence")).to_be_visible()
    expect(field.get_by_text(GONE)).to_have_count(0)
