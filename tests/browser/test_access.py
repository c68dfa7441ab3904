"""What axe-core finds on every page and in every state: nothing of ours, in both themes and at both widths.

`make soak` looks at all of them; `test_frame.py` looks at Heads on a phone in every run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from mha.maps import AttentionMaps, Token
from mha.saved import save_maps
from tests.browser.conftest import SCREENS, settled, wider_than

pytestmark = pytest.mark.browser

# What Streamlit draws and we cannot change: the rule, a part of the element, and why it stays.
STREAMLITS = (
    ("scrollable-region-focusable", 'class="katex-display"', "a formula in Markdown that is wider than its column"),
    ("presentation-role-conflict", 'data-testid="stFileUploaderDropzone"', "the field for a file, around its button"),
    ("list", 'data-testid="stSidebarNavItems"', "the section of pages behind More, within the list of pages"),
    ("region", "data-floating-ui-portal", "a popover, which stands outside the landmarks"),
    ("listitem", '<li class="st-emotion-cache-', "the pages of that section"),
)
SHOWN = {  # by page: what is there once it is drawn
    "": ".overview[data-ready]",
    "readings": ".next-sentence[data-ready], .versions[data-ready]",
    "next": ".heads[data-ready]",
    "matters": ".js-plotly-plot",
    "write": ".next-sentence[data-ready]",
    "translate": ".heads[data-ready], .st-key-finding h1",
    "compare": ".matrices[data-ready]",
    "steps": ".matrices[data-ready]",
    "training": ".runs[data-ready]",
    "questions": ".js-plotly-plot",
    "atlas": ".heads[data-ready], .st-key-connections li",
    "yours": ".st-key-finding h1",
    "lesson": ".lesson-sheet .teaching",
}


@dataclass(frozen=True)
class State:
    """A page as it can stand: its address, what is done there before it is looked at, and what stands there then.

    ``first`` is what is there once it is drawn, where that is not what its page usually has.
    """

    path: str
    then: tuple[Callable[[Page], None], ...] = ()
    shown: str = "h1:visible"
    first: str = ""


def press(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=name, exact=True).first.click()


def click(selector: str) -> Callable[[Page], None]:
    return lambda page: page.locator(selector).first.click()


def focus(selector: str) -> Callable[[Page], None]:
    return lambda page: page.locator(selector).first.focus()


def show_last(page: Page) -> None:
    page.get_by_role("button", name="Show answer", exact=True).last.click()


def open_disclosures(page: Page) -> None:
    for summary in page.locator("[data-testid=stExpander] summary").all():
        summary.click()
        settled(page)


def own_maps(page: Page) -> None:
    weights = np.random.default_rng(5).dirichlet(np.ones(5), size=(2, 3, 5))
    tokens = tuple(Token(f"word{n}", word=n) for n in range(5))
    maps = AttentionMaps(weights, tokens, text="", model="mine", origin="imported", units="words")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "maps.npz"
        save_maps(maps, file)
        page.locator('input[type="file"]').set_input_files(file)
        page.locator(".overview[data-ready]").wait_for()


HEADINGS = ":is(h1, h2, h3, h4, h5, h6):visible"
DRAWN = """() => !document.querySelector('[data-stale="true"]') &&
  !document.getAnimations().some((animation) => animation instanceof CSSTransition)"""  # nothing fades in or out
STATES = {
    "heads": State(""),
    "heads, a preview by keyboard": State("", (focus(".head"), lambda page: page.keyboard.press("ArrowRight"))),
    "heads, options": State("", (press("Options"),)),
    "heads, more examples": State("", (press("More"),)),
    "heads, guess first": State("?reveal=0", first=".st-key-guesses"),
    "heads, tokens": State("?text=They+are+hunting+dogs&pins=L2H3&pins=L0H1&units=tokens"),
    "heads, sinks, large": State("?sinks=false&lock=3&large=true"),
    "heads, ablated": State("?ablate=L2H3&pins=L2H3"),
    "heads, a wrong link": State("?pins=L9H9&scale=foo&layer=77"),
    "heads, a long text": State("?text=" + "The+dog+saw+the+cat+in+the+garden+behind+the+house,+" * 12),
    "heads, a selected word": State("", (click(".hero [data-at]"),), ".ask h3"),
    "heads, numbers and method": State("", (open_disclosures,)),
    "heads, what is taken away": State("", (press("Download"),), ".export-list li"),
    "heads, share": State("", (press("Share"),)),
    "readings": State("readings"),
    "readings, change": State("readings?tab=What+carries+it"),
    "readings, matter": State("readings?tab=Does+it+matter%3F"),
    "readings, guess first": State("readings?reveal=0", first=".st-key-guesses"),
    "readings, a text without readings": State("readings?text=They+are+hunting+dogs", first="h1:visible"),
    "readings, the telescope": State("readings?text=I+saw+the+man+with+the+telescope&readings_kind=attachment"),
    "readings, hardly moved": State("readings?text=We+met+the+friend+of+the+sisters+who+was+late&tab=What+carries+it"),
    "readings, options": State("readings", (press("Change words"),)),
    "next": State("next"),
    "next, ablated": State("next?ablate=L23H4&head=L0H4"),
    "next, options": State("next", (press("Options"),)),
    "matters": State("matters?guess=none"),
    "write": State("write?step=2"),
    "translate": State("translate"),
    "translate, both heads ablated": State("translate?without=E0H7&without=E2H1"),
    "translate, a link cut": State("translate?cut=E0H7:1-6"),
    "compare": State("compare", (), ".matrices"),
    "steps": State("steps"),
    "steps, a word of several tokens": State(
        "steps?model=smollm2&text=An+antidisestablishmentarian+slept&query=2&key=0"
    ),
    "steps, a toy": State("steps?toy=Money+Bank,+full&toy_step=7&toy_mask=true"),
    "steps, eight heads": State("steps?toy=eight+heads&toy_step=10"),
    "training": State("training"),
    "training, four heads": State("training?experiment=identical+start"),
    "training, one head ablated": State("training?ablated_head=1&progress=50"),
    "questions": State("questions"),
    "questions, formulas": State("questions?questions_open=formula", (show_last,)),
    "questions, claims": State("questions", (press("Show answer"), press("Show answer"), press("Show answer"))),
    "questions, a figure": State("questions?questions_open=scaling", (show_last,)),
    "atlas, a head": State("atlas?model=smollm2&head=L23H4", (), ".st-key-connections li"),
    "atlas, this sentence": State("atlas?model=tiny-causal"),
    "questions, conclusions": State("questions?section=limits", (), "h2#limits"),
    "yours": State("yours"),
    "yours, a file": State("yours", (own_maps,)),
    "lesson": State("lesson", (), ".lesson-sheet .teaching h2"),
}


def opened(page: Page, url: str, state: State) -> None:
    """Open a page, wait until it is drawn, and do what makes the state."""
    page.goto(f"{url}/{state.path}")
    page.locator(state.first or SHOWN[state.path.split("?")[0]]).first.wait_for(timeout=60_000)
    settled(page)
    for step in state.then:
        step(page)
        settled(page)
    page.locator(state.shown).first.wait_for(timeout=60_000)  # a run may begin after the page was settled
    settled(page)


def violations(page: Page) -> list[str]:
    """Return what axe-core finds on a page that is ours: the rule, the element, and what is wrong with it."""
    page.wait_for_function(DRAWN, timeout=60_000)
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in Axe().run(page).response["violations"]
        for node in rule["nodes"]
        if not any(rule["id"] == name and part in node["html"] for name, part, _ in STREAMLITS)
    ]


def accessible(page: Page) -> None:
    """Check that axe-core finds nothing of ours, and that a page has a title, and one first heading with all levels."""
    assert violations(page) == []
    expect(page.locator("h1:visible")).to_have_count(1)
    levels = [int(name[1]) for name in page.locator(HEADINGS).evaluate_all("all => all.map((one) => one.tagName)")]
    assert all(level <= before + 1 for before, level in pairwise(levels)), levels
    assert page.title().endswith(" · Parallax")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", STATES)
def test_axe_finds_nothing_of_ours_and_the_page_has_one_first_heading(page, server, name, width, theme):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    opened(page, server, STATES[name])
    accessible(page)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), SCREENS)
@pytest.mark.parametrize("name", ["heads", "steps", "steps, a toy", "steps, eight heads", "training"])
def test_nothing_overflows_sideways_at_first_and_when_the_window_changes(page, server, name, width, scheme):
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, server, STATES[name])
    for now in (width, *(another for another, _ in SCREENS[:2])):
        assert wider_than(page, now, scheme) <= 1, now
