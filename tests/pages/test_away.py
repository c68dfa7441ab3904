"""Take away: every page offers its own numbers, and says where they come from."""

import json

import pytest

from mha.ui.away import dialog, gathered

PAGES = {
    "heads.py": {"Every head in numbers", "All weights, before anything is set aside"},
    "readings.py": {"Where every head leans"},
    "compare.py": {"Every head's change", "One head over the variants"},
    "atlas.py": {"Every number of every head", "The distance of every two heads"},
    "steps.py": {"The numbers of every step"},
    "training.py": {"One head", "Two heads"},
    "questions.py": set(),
    "about.py": set(),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("page", "numbers"), PAGES.items())
def test_every_page_offers_its_numbers_and_itself(visit, monkeypatch, page, numbers):
    seen = []
    monkeypatch.setattr(dialog, "button", lambda title, view, drawn: seen.append((title, view, drawn)))
    opened = visit()
    if page != "heads.py":
        opened.test.switch_page(page)
        opened.run()
    title, view, found = seen[-1]
    assert set(found.numbers) == numbers
    for files in found.numbers.values():
        for file in files:
            assert len(file.make()) > 200, file.name
    assert found.parts
    made = dialog._page(title, view, found, dialog.share.of_page(title))["page"]["html"]
    assert made.startswith("<!doctype html>")
    tables = opened.test.dataframe if page != "heads.py" else [None]
    assert len(found.tables) >= len(tables), "each table of the page stands in the file"
    for table in found.tables:
        (block,) = table.content["blocks"]
        assert block["kind"] == "rows"
        assert block["rows"]
        assert json.dumps(block["rows"][0], separators=(",", ":")) in made
    assert isinstance(found, gathered.Gathered)
