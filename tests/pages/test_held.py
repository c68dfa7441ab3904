"""A page that stands open keeps no maps in memory: what a click needs of them is recorded again."""

import gc

import pytest

from mha.engine import recordings
from mha.engine.jobs import RUNS
from mha.maps import AttentionMaps
from tests.pages.conftest import Page

TEXT = "seven old engineers painted a bridge"
PLACES = {
    "heads": ("heads.py", {}),
    "compare": ("compare.py", {}),
    "steps": ("steps.py", {}),
    "readings": ("readings.py", {}),
}


def held() -> list[AttentionMaps]:
    for run in list(RUNS._runs.values()):
        run.wait(60)  # a background job holds the maps of its text while it runs
    Page()  # somebody else's: Streamlit keeps the names of the script that ran last, whoever's it was
    recordings._engine._cache._results.clear()
    gc.unfreeze()  # the model woke, and froze what was there, while the page was drawn
    gc.collect()
    return [one for one in gc.get_objects() if type(one) is AttentionMaps and one.text == TEXT]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("place", PLACES)
def test_an_open_page_keeps_no_maps(place):
    file, link = PLACES[place]
    page = Page(text=TEXT, **link)
    if file != "heads.py":
        page.test.switch_page(file)
        page.run()
    assert held() == []
