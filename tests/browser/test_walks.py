"""Whatever a stranger does to the pages, they live: random walks, which see a death and tell the way to it."""

import contextlib
import json
import random
from types import SimpleNamespace
from typing import ClassVar

import pytest
from playwright.sync_api import Error

from tests.browser import walk
from tests.browser.walk import Death, Deed, Step, Stranger, next_deeds, walked

pytestmark = pytest.mark.browser
SEEDS, DEEDS = (1, 2, 3), 2_000  # of the soak, shared out among the seeds


@pytest.mark.slow
@pytest.mark.flaky(reruns=0)  # a walk that fails once has found something
def test_ten_deeds_kill_no_page(browser, house):
    assert walked(browser, house, seed=1, deeds=10) >= 10


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


@pytest.mark.slow
def test_a_script_that_throws_is_seen(stranger):
    stranger.page.evaluate("setTimeout(() => { throw new Error('no such head'); })")
    stranger.page.wait_for_timeout(100)
    with pytest.raises(Death, match="no such head"):
        stranger.lives()


@pytest.mark.slow
def test_a_server_that_stops_is_seen(stranger, house):
    stranger.server = SimpleNamespace(said=house.said, process=SimpleNamespace(poll=lambda: 1), url=house.url)
    with pytest.raises(Death, match="the server stopped"):
        stranger.lives()


@pytest.mark.slow
def test_a_page_on_which_nothing_is_drawn_any_more_is_seen(stranger, monkeypatch):
    monkeypatch.setattr(walk, "EMPTY", 0.5)
    stranger.lives()
    stranger.page.evaluate("document.querySelector('[data-testid=stMain]').remove()")
    with pytest.raises(Death, match="an empty page"):
        stranger.lives()


@pytest.mark.slow
def test_a_tab_that_crashes_is_seen(stranger):
    with stranger.page.expect_event("crash", timeout=20_000), contextlib.suppress(Error):
        stranger.page.goto("chrome://crash", timeout=5_000)
    with pytest.raises(Death, match="the tab crashed"):
        stranger.lives()


@pytest.mark.slow
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


def test_what_opens_something_is_clicked_more_often_than_chance_would():
    chance, fake = random.Random(7), Fake()
    draws = [next_deeds(chance, fake) for _ in range(500)]
    opened = [deeds for deeds in draws if deeds[0].name == "View"]
    assert len(opened) > 50, "one of 41 by chance would be 12"
    closed = [deeds for deeds in opened if deeds[1:] == [Deed("press", value="Escape")]]
    assert len(closed) > len(opened) / 4
    assert len({deeds[0].name for deeds in draws}) > 30
