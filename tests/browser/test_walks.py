"""Whatever a stranger does to the pages, they live: random walks, which see a death and tell the way to it."""

import json
from typing import ClassVar

import pytest

from tests.browser import walk
from tests.browser.walk import Death, Deed, Step, Stranger, walked

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


def seen(name, opens=False):
    return {
        "role": "button", "name": name, "nth": 0, "shows": True, "can": True, "opens": opens, "inside": True,
        "path": "", "file": False,
    }  # fmt: skip


BUTTONS = [seen(letter * 3) for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"]
VIEW = seen("View", opens=True)


class Fake:
    """A stranger without a browser, whose page dies once *View* was opened."""

    came: ClassVar[list["Fake"]] = []

    def __init__(self, _browser=None, _server=None, address="/"):
        self.address, self.done, self.there = address, [], True
        self.came.append(self)

    def sights(self):
        return [*BUTTONS, VIEW]

    def do(self, deed):
        self.done.append(deed)
        return True

    def lives(self):
        if any(deed.name == "View" for deed in self.done):
            raise Death("the apology")

    def close(self):
        self.there = False


def test_a_walk_that_fails_is_told_by_its_seed_and_a_way_that_fails_again(monkeypatch):
    monkeypatch.setattr(walk, "Stranger", Fake)
    monkeypatch.setattr(Fake, "came", [])
    with pytest.raises(Death) as death:
        walked(None, None, 2, 500)
    what, where, *way = str(death.value).splitlines()
    assert what == "the apology"
    assert where.startswith(f"seed 2, step {len(Fake.came[0].done)}; ")
    again = [Step(address, Deed(*deed)) for address, *deed in json.loads(way[-1])]
    assert [step.deed for step in again] == Fake.came[0].done
    assert way[:-1] == ["open /", *(f"  {step.deed}" for step in again)]
    assert walk.dies(None, None, again) == "the apology"
    assert not any(one.there for one in Fake.came)
