"""Whatever a stranger does to the pages, they live: random walks, which see a death and tell the way to it."""

import pytest

from tests.browser.walk import Death, Stranger, walked

pytestmark = pytest.mark.browser
SEEDS, DEEDS = (1, 2, 3), 2_000  # of the soak, shared out among the seeds


@pytest.mark.slow
@pytest.mark.flaky(reruns=0)
@pytest.mark.parametrize("seed", SEEDS)
def test_two_thousand_deeds_kill_no_page(browser, house, seed):
    share = -(-DEEDS // len(SEEDS))
    assert walked(browser, house, seed, share) >= share


@pytest.fixture
def stranger(browser, house):
    someone = Stranger(browser, house)
    yield someone
    someone.close()


DEATHS = {
    "a box of Streamlit's": "<div data-testid='stException'>This app has encountered an error.</div>",
    "the apology": "<div data-testid='stText'>Something went wrong on our side and was logged.</div>",
}


@pytest.mark.slow
@pytest.mark.parametrize("death", DEATHS)
def test_a_death_on_the_page_is_seen(stranger, death):
    stranger.lives()
    stranger.page.evaluate("(html) => document.body.insertAdjacentHTML('beforeend', html)", DEATHS[death])
    with pytest.raises(Death, match=death):
        stranger.lives()


@pytest.mark.slow
def test_a_traceback_in_the_log_is_seen_once(stranger, house):
    with open(house.log, "ab") as log:
        log.write(b"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nKeyError: 'model'\n")
    with pytest.raises(Death, match="KeyError: 'model'"):
        stranger.lives()
    stranger.lives()
