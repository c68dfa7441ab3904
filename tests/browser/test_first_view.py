"""What moves on a first view, with nothing in the browser's cache and a processor four times slower."""

import pytest

from benchmarks.bench_first_view import WATCH
from mha.link.pages import ROWS
from mha.link.view import DEFAULT_TEXT
from mha.server.previews import preview_of

pytestmark = pytest.mark.browser
SECONDS = 60_000
MOST = 0.1  # of Chromium's layout shift, https://web.dev/articles/cls
STANDS = """() =>
  document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning" &&
  document.querySelector("[data-testid=stMain] [class*=st-key-] [data-drawn]") &&
  document.querySelector(".st-key-share") && // comes with the run that follows the first picture
  !document.querySelector("[data-testid=stSkeleton], [data-waits]")"""
MOVED = f"() => ({STANDS})() ? shifts.reduce((sum, shift) => sum + shift.value, 0) : null"  # in one look


def shift(page, address: str) -> float:
    """Return by how much things moved until a page stands."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.add_init_script(WATCH)
    page.goto(address)
    for _ in range(20):  # what that run brings may wait for more
        page.wait_for_function(STANDS, timeout=SECONDS)
        page.wait_for_timeout(1500)
        if (moved := page.evaluate(MOVED)) is not None:
            return float(moved)
    raise AssertionError(f"{page.locator('[data-waits]').count()} parts still wait")


@pytest.mark.slow
@pytest.mark.parametrize("path", [row.path for row in ROWS if row.path != "lesson"])
@pytest.mark.parametrize("width", [1280, 390])
def test_little_moves_while_a_page_is_drawn(first_visit, server, path, width):
    first_visit.set_viewport_size({"width": width, "height": 800})
    assert shift(first_visit, f"{server}/{path}") < MOST


@pytest.mark.slow
def test_a_page_says_what_it_is_about_before_its_scripts_have_run(first_visit, server):
    first_visit.route("**/static/js/**", lambda route: route.abort())
    first_visit.goto(f"{server}/questions")
    told = first_visit.locator(".parallax-first")
    opens = preview_of("questions", "")
    assert told.locator("p").all_inner_texts() == ["Parallax · Questions", *opens.texts, opens.sentence]
    assert told.is_visible()
    first_visit.unroute_all()
    first_visit.goto(f"{server}/questions")
    told.wait_for(state="detached", timeout=SECONDS)


@pytest.mark.slow
def test_the_sentence_of_a_link_stands_until_it_is_drawn(first_visit, server):
    first_visit.route("**/js/heads/overview.js", lambda route: None)  # on its way
    first_visit.goto(f"{server}/?v=1", wait_until="commit")
    told = first_visit.locator(".parallax-first")
    first_visit.locator(".st-key-text textarea").wait_for(state="attached", timeout=SECONDS)
    assert told.locator(".text").inner_text() == DEFAULT_TEXT
    first_visit.unroute_all()
    first_visit.goto(server)
    first_visit.locator(".overview[data-ready]").wait_for(timeout=SECONDS)
    assert told.count() == 0


@pytest.mark.slow
def test_the_server_is_found_at_once(first_visit, server):
    asked = []
    first_visit.on("request", lambda request: asked.append(request.url.removeprefix(server)))
    first_visit.goto(f"{server}/questions")
    first_visit.get_by_role("button", name="Show answer").wait_for(timeout=SECONDS)
    assert [path for path in asked if path.endswith("/_stcore/health")] == ["/_stcore/health"]


@pytest.mark.slow
def test_who_does_something_is_not_kept_from_the_page(first_visit, server):
    first_visit.route("**/js/heads/overview.js", lambda route: None)
    first_visit.goto(server, wait_until="commit")
    first_visit.locator(".st-key-text textarea").wait_for(state="attached", timeout=SECONDS)
    first_visit.keyboard.press("Tab")
    assert first_visit.locator(".parallax-first").count() == 0


@pytest.mark.slow
def test_what_cannot_be_had_keeps_nothing_back(first_visit, server):
    first_visit.route("**/js/blocks/blocks.js", lambda route: route.abort())
    first_visit.goto(f"{server}/questions")
    first_visit.get_by_role("button", name="Show answer").wait_for(timeout=SECONDS)
