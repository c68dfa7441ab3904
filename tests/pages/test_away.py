"""Download: every page that is not plain offers its numbers with their source."""

import pytest

from mha.readers.files import files_of

PAGES = {
    "readings.py": {"Every head’s lean"},
}


@pytest.mark.parametrize(("page", "numbers"), PAGES.items())
def test_download_offers_numbers(visit, taken, page, numbers):
    opened = visit()
    opened.test.switch_page(page)
    opened.run()
    read = taken[-1]
    assert set(files_of(read)) == numbers
    for files in files_of(read).values():
        for file in files:
            assert len(file.of.made()) > 200, file.file
