"""Models that whoever runs the server offers, in a real browser: their weights, their links, and names it has not."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from mha.models.files.catalog import offered_on_pages
from mha.models.files.loading import load_snapshot
from mha.models.watch.attending import attend
from mha.ui.controls import OTHERS_TITLE
from tests.browser.conftest import settled
from tests.browser.test_heads import open_page, read_by_keys, ready, thumbnail, type_text
from tests.models.snapshots import SNAPSHOTS

pytestmark = pytest.mark.browser
SENTENCE = "The man saw the dog"


# Without a browser, tests/pages/test_offered.py looks at all three.
@pytest.mark.parametrize(
    "name", [name if name == "tiny-causal" else pytest.param(name, marks=pytest.mark.slow) for name in SNAPSHOTS]
)
def test_a_cold_link_shows_the_weights_of_the_offered_model(page, server_with_models, name, snapshots):
    open_page(page, server_with_models, f"/?model={name}&pins=L2H4&sinks=false")
    type_text(page, SENTENCE)
    expected = attend(SENTENCE, load_snapshot(snapshots[name])).merged()
    n_seen = 1 if expected.causal else expected.n_keys
    assert np.allclose(read_by_keys(page, n_seen), 100 * expected[2, 4][0][:n_seen], atol=0.51)


@pytest.mark.slow
def test_the_picker_offers_every_model_and_the_link_follows(page, server_with_models):
    open_page(page, server_with_models)
    page.get_by_role("combobox", name="Model", exact=True).first.click()
    options = page.get_by_role("option").all_inner_texts()
    titles = [*(row.title for row in offered_on_pages()), *SNAPSHOTS, OTHERS_TITLE]
    assert [option.split(" · ")[0] for option in options] == [title.split(" · ")[0] for title in titles]
    page.get_by_role("option", name=re.compile("^tiny-causal")).click()
    expect(page).to_have_url(re.compile("model=tiny-causal"))
    settled(page)
    thumbnail(page, "L2H3").click()
    settled(page)
    expect(page).to_have_url(re.compile("pins=.*L2H3"))
    link = page.url
    page.goto(link)
    ready(page)
    expect(thumbnail(page, "L2H3")).to_have_attribute("aria-label", re.compile("pinned"))
