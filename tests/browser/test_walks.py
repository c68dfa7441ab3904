"""Whatever a stranger does to the pages, they live: random walks, and that a walk sees a death and tells it shortly."""

import pytest

from tests.browser.walk import Death, Deed, Step, Stranger, shortest, told, walked

pytestmark = pytest.mark.browser
SEEDS, DEEDS = (1, 2, 3), 2_000  # of the soak, shared out among the seeds


@pytest.mark.flaky(reruns=0)  # a walk that fails once has found something
def test_sixty_deeds_kill_no_page(browser, house):
    assert walked(browser, house, seed=1, deeds=60) >= 60


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
    "the apology": "<div data-testid='stText'>Something went wrong on our side; it has been logged.</div>",
}


@pytest.mark.parametrize("death", DEATHS)
def test_a_death_on_the_page_is_seen(stranger, death):
    stranger.lives()
    stranger.page.evaluate("(html) => document.body.insertAdjacentHTML('beforeend', html)", DEATHS[death])
    with pytest.raises(Death, match=death):
        stranger.lives()


def test_a_traceback_in_the_log_is_seen_once(stranger, house):
    with open(house.log, "ab") as log:
        log.write(b"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nKeyError: 'model'\n")
    with pytest.raises(Death, match="KeyError: 'model'"):
        stranger.lives()
    stranger.lives()


def test_a_script_that_throws_is_seen(stranger):
    stranger.page.evaluate("setTimeout(() => { throw new Error('no such head'); })")
    stranger.page.wait_for_timeout(100)
    with pytest.raises(Death, match="no such head"):
        stranger.lives()


def test_a_deed_is_done_again_by_its_words_and_left_out_where_it_cannot_be(stranger):
    stranger.page.get_by_label("Your sentence").wait_for(timeout=60_000)  # what is not drawn yet cannot be typed in
    stranger.lives()
    stranger.rest()
    sentence = Deed("type", "textbox", "Your sentence", value="The dog barked")
    assert any(stranger.do(sentence) for _ in range(5))  # a stranger waits a second, and a busy machine takes longer
    assert "The+dog+barked" in stranger.address
    stranger.lives()
    assert any(stranger.do(Deed("click", "button", "View expand_more")) for _ in range(5))
    assert not stranger.do(Deed("click", "button", "No such button"))


def steps(*names):
    return [Step("/", Deed("click", "button", name)) for name in names]


@pytest.mark.parametrize("needed", [["f"], ["b", "f"], ["a", "c", "f"], ["a", "b", "c", "d", "e", "f"]])
def test_a_walk_is_shortened_to_what_still_fails(needed):
    whole = steps(*"abcdef")
    fails = [step for step in whole if step.deed.name in needed]
    found = shortest(whole, lambda fewer: all(step in fewer for step in fails))
    assert list(found) == fails


def test_what_was_asked_often_enough_is_told_as_short_as_it_is():
    asked = []

    def fails(fewer):
        asked.append(fewer)
        if len(asked) > 6:
            raise StopIteration
        return "a" in [step.deed.name for step in fewer]

    found = shortest(steps(*"abcdefgh"), fails)
    assert 1 <= len(found) < 8
    assert "open /\n  click button 'a'" in told(found)
