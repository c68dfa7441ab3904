"""Download: every page offers its own numbers, and says where they come from."""

import pytest

from mha.readers.files import files_of, written

PAGES = {
    "heads.py": {"Every head in numbers", "All weights, nothing excluded"},
    "readings.py": {"Every head’s lean"},
    "compare.py": {"Every head's change", "One head, several words"},
    "atlas.py": {"Every number of every head", "The distance of every two heads"},
    "steps.py": {"The numbers of every step"},
    "training.py": {"One head", "Two heads"},
    "questions.py": set(),
    "about.py": set(),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("page", "numbers"), PAGES.items())
def test_every_page_offers_its_numbers_and_itself(visit, taken, page, numbers):
    opened = visit()
    if page != "heads.py":
        opened.test.switch_page(page)
        opened.run()
    found = taken[-1]
    assert set(files_of(found)) == numbers
    for files in files_of(found).values():
        for file in files:
            assert len(file.of.made()) > 200, file.file
    made = written(found)
    assert made.startswith("<!doctype html>")
    tables = opened.test.dataframe if page != "heads.py" else [None]
    assert made.count('"kind":"rows"') >= len(tables), "each table of the page stands in the file"
