"""Download: every page offers its numbers with their source; Heads offers one HTML file."""

import pytest

from mha.readers.files import files_of, heads_file

PAGES = {
    "heads.py": {"Every head in numbers", "All weights, nothing excluded"},
    "readings.py": {"Every head’s lean"},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("page", "numbers"), PAGES.items())
def test_download_offers_numbers_and_heads_file(visit, taken, page, numbers):
    opened = visit()
    if page != "heads.py":
        opened.test.switch_page(page)
        opened.run()
    read = taken[-1]
    assert set(files_of(read)) == numbers
    for files in files_of(read).values():
        for file in files:
            assert len(file.of.made()) > 200, file.file
    html = heads_file(read)
    assert html.startswith("<!doctype html>") if page == "heads.py" else html is None
