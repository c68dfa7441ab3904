"""Models that whoever runs the server offers, in a real browser: their weights, their links, and names it has not."""

import numpy as np
import pytest

from mha.models.files.loading import load_snapshot
from mha.models.watch.attending import attend
from tests.browser.test_heads import open_page, read_by_keys, type_text
from tests.models.snapshots import SNAPSHOTS

pytestmark = pytest.mark.browser
SENTENCE = "The man saw the dog"


# Without a browser, tests/pages/test_offered.py looks at all three.
@pytest.mark.parametrize(
    "name", [name if name == "tiny-causal" else pytest.param(name, marks=pytest.mark.slow) for name in SNAPSHOTS]
)
def test_a_cold_link_shows_the_weights_of_the_offered_model(page, server_with_models, name, snapshots):
    open_page(page, server_with_models, f"?model={name}&pins=L2H4&sinks=false")
    type_text(page, SENTENCE)
    expected = attend(SENTENCE, load_snapshot(snapshots[name])).merged()
    n_seen = 1 if expected.causal else expected.n_keys
    assert np.allclose(read_by_keys(page, n_seen), 100 * expected[2, 4][0][:n_seen], atol=0.51)
