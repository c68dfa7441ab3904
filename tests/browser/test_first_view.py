"""What moves on a first view, with nothing in the browser's cache and a processor four times slower."""

import pytest

from benchmarks.bench_first_view import WATCH
from mha.navigation import ROWS

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
