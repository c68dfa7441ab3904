"""What stands in a page's first answer is what the page says itself, whatever the link."""

from urllib.parse import parse_qs

import pytest

from mha.link.pages import page_row
from mha.link.view import DEFAULT_TEXT
from mha.readers.first import first
from mha.readers.links import opened_link
from mha.ui.bound import models
from tests.pages.conftest import _all

HEBREW = "ראיתי את האיש עם הטלסקופ"
LINKS = {
    "": (
        "",
        "units=tokens&sinks=false",
        "pins=L3H1&pins=L2H1&lock=-1",
        "pins=none",
        "text=All+is+well",
        "text=money+bank",
        "reveal=0",
        "text=…",
        "heads_weights=What+it+brings",
        "heads_cell=L5H3+3+4",
        "model=trained",
        "model=copier&text=I+saw+the+man",
        f"text={HEBREW}",
        "layer=99&pins=L9H9&units=nonsense",
    ),
    "readings": (
        "",
        "reveal=0",
        "readings_pivot=3",
        "readings_kind=nonsense",
        "text=…",
        f"text={DEFAULT_TEXT}&reveal=0",
        "text=Time+flies+like+an+arrow",
    ),
    "compare": (
        "",
        "text=All+is+well",
        "text=!!&compare_second=…",
        "text=The+dog+barked&compare_second=The+cat+barked",
        f"text={HEBREW}&compare_second={HEBREW}+ו",
        "compare_against=the+scrambled+twin",
        "model=toy&compare_against=the+scrambled+twin",
        "compare_against=another+model&compare_other=toy",
        "model=copier&text=I+saw+the+man",
        "compare_second=" + "dog+" * 60,
        "compare_against=nonsense",
    ),
    "steps": (
        "",
        "v=1",
        "steps_step=7+Weights&steps_layer=original+paper,+8+heads",
        "steps_step=Mix&steps_seed=3&steps_edits=Q0.1.2=-0.5",
        "steps_step=nonsense&steps_layer=nonsense",
        "steps_words=my+sentence&text=the+dog+saw+the+dog+and+it+barked+at+it",
        f"steps_words=my+sentence&text={HEBREW}",
        "steps_words=my+sentence&text=…",
        "steps_numbers=model&steps_step=4+Scores",
        "steps_numbers=model&text=…",
        "steps_numbers=model&model=copier&text=I+saw+the+man",
    ),
    "training": (
        "",
        "training_at=0",
        "training_readings=3&training_heads_right=3+in+a+width+of+11",
        "training_heads_left=4&training_start_left=identical&training_heads_right=4&training_at=31",
        "training_heads_left=nonsense",
    ),
    "atlas": (
        "",
        "atlas_head=L2H8",
        "atlas_head=L9H9",
        "atlas_over=this+sentence",
        "atlas_over=this+sentence&text=…",
        "atlas_over=your+own",
        "atlas_over=two+readings&atlas_head=L2H8",
        "model=toy",
        "model=trained",
    ),
    "questions": ("", "questions_open=scaling", "questions_open=nonsense", "reveal=0"),
    "about": ("", "text=…"),
}


def of(page, query):
    return first(opened_link(page, parse_qs(query, keep_blank_values=True), models())[0])


def strings(data):
    """Return every text in what a component was sent: spans and words of a line put together, slots filled."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for run in data.get("told", ()) if "runs" in data else ():
            for place, joint, steps in run["at"]:
                said = "".join(span[1] for span in run["sentences"][place])
                yield said.replace("{joint}", joint).replace("{steps}", steps)
        for value in data.values():
            yield from strings(value)
    elif isinstance(data, list | tuple):
        if data and all(isinstance(each, str) for each in data):
            yield " ".join(data)
        if data and all(isinstance(each, list | tuple) and len(each) > 1 and isinstance(each[1], str) for each in data):
            yield "".join(each[1] for each in data)
        if data and all(isinstance(each, dict) and "space" in each for each in data):
            yield "".join(" " * each["space"] + each["text"] for each in data if not each.get("special")).strip()
        for value in data:
            yield from strings(value)


def drawn(page):
    """Return every text that stands on a page."""
    test, found = page.test, []
    for element in _all(test.main):
        value = getattr(element, "value", None)
        found += [value] if isinstance(value, str) else []
    for name in ("overview", "blocks", "sentence", "training", "flow", "pinned", "cell", "writing"):
        found += strings(page.components(name))
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("page", "query"), [(page, query) for page, queries in LINKS.items() for query in queries])
def test_what_is_said_first_is_said_by_the_page(visit, page, query):
    class Opened(visit):
        def run(self):
            if page:
                self.test.switch_page(f"{page}.py")
            return super().run()

    opens = of(page, query)
    there = drawn(Opened(**parse_qs(query, keep_blank_values=True)))
    for text in (*opens.texts, *opens.said):
        assert text == page_row(page).about or any(text in each for each in there), (text, there)
