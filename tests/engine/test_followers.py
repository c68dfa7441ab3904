"""Work ends with its visitor: who follows what, who is gone, and what goes on when one comes back."""

import threading

import pytest

from mha.engine import jobs
from mha.engine.answers import Answers
from mha.engine.followers import AFTER_REQUEST, AFTER_RUN, FOLLOWERS, MOST, MOST_BUSY, MOST_OF_ADDRESS, Followers
from mha.engine.jobs import Job
from mha.engine.queue import Queue
from mha.errors import Busy
from tests.engine.waiting import until


class Endless(Job):
    """A job without end, a step whenever it is let."""

    def __init__(self):
        self.gate = threading.Semaphore(0)
        super().__init__(queue=Queue())

    def steps(self):
        while True:
            self.gate.acquire()
            self.n_done += 1
            yield


@pytest.fixture
def job():
    made = []

    def make():
        made.append(Endless())
        return made[-1]

    yield make
    for each in made:
        each.stop()
        each.gate.release(1000)
        assert each.wait(5)


@pytest.fixture
def followers(monkeypatch):
    """Return followers whose visitors are there as long as they stand in ``there``."""
    monkeypatch.setattr("mha.engine.followers.GRACE", -1)
    one = Followers()
    one.there = {"anna", "bert"}
    one.present = lambda visitor: visitor in one.there
    return one


def test_a_job_that_nobody_follows_any_more_ends_and_goes_on_with_the_next(followers, job):
    one = job()
    followers.follow("anna", one)
    followers.check(one)
    assert one.running
    followers.there.remove("anna")
    followers.check(one)
    assert one.was_left
    assert not one.running
    one.gate.release()
    assert one.wait(5)
    assert one.state == "stopped"
    followers.follow("bert", one)
    assert one.running
    assert not one.was_left


def test_a_shared_job_goes_on_while_one_follows(followers, job):
    one = job()
    for visitor in ("anna", "bert"):
        followers.follow(visitor, one)
    followers.there.remove("anna")
    followers.check(one)
    assert one.running
    assert one.followers.keys() == {"bert"}
    followers.leave("bert", one)
    assert one.was_left


def test_a_short_absence_is_none(followers, job, monkeypatch):
    monkeypatch.setattr("mha.engine.followers.GRACE", 60)
    one = job()
    followers.follow("anna", one)
    followers.there.remove("anna")
    followers.check(one)
    assert one.running


def test_what_was_stopped_by_hand_does_not_go_on_by_itself(followers, job):
    one = job()
    followers.follow("anna", one)
    one.stop()
    followers.follow("anna", one)
    assert not one.running


def test_a_visitor_follows_two_long_jobs_at_most(followers, job):
    jobs = [job() for _ in range(MOST + 1)]
    for one in jobs[:MOST]:
        followers.follow("anna", one)
    with pytest.raises(Busy, match="already have two long runs"):
        followers.follow("anna", jobs[MOST])
    followers.follow("bert", jobs[MOST])
    jobs[0].stop()
    followers.follow("anna", jobs[MOST])


def test_one_address_begins_four_long_jobs_at_most(followers, job):
    visitors = [f"visitor {number}" for number in range(MOST_OF_ADDRESS + 2)]
    followers.there |= {*visitors}
    followers.address = lambda: "10.0.0.7"
    for visitor in visitors:
        with followers.turn(visitor):
            pass
    jobs = [job() for _ in visitors]
    for visitor, one in zip(visitors[:MOST_OF_ADDRESS], jobs, strict=False):
        followers.follow(visitor, one)
    with pytest.raises(Busy, match="Four long runs from your network"):
        followers.follow(visitors[-1], jobs[-1])
    jobs[-1].cost = 1.0
    followers.follow(visitors[-1], jobs[-1])  # a short one
    followers.follow(visitors[-2], jobs[0])  # one that the address follows already
    followers.address = lambda: "10.0.0.8"
    with followers.turn("anna"):
        followers.follow("anna", jobs[-2])


def test_an_idle_job_waits_for_its_visitor_and_for_the_requests_of_others(monkeypatch, followers, job):
    now = [100.0]
    monkeypatch.setattr("mha.engine.followers.time.monotonic", lambda: now[0])
    one = job()
    one.idle = True
    with followers.turn("anna"):
        followers.follow("anna", one)
        assert followers.idle_seconds(one) == AFTER_RUN, "the page is being drawn"
    now[0] += 1.0
    assert followers.idle_seconds(one) == AFTER_RUN - 1.0
    followers.note_request("anna")
    now[0] += 1.0
    assert followers.idle_seconds(one) == 0, "its own visitor's request does not count"
    followers.note_request("bert")
    now[0] += 4.0
    assert followers.idle_seconds(one) == AFTER_REQUEST - 4.0
    now[0] += 7.0
    assert followers.idle_seconds(one) == 0
    followers.note_request("bert")
    followers.there.remove("anna")
    assert followers.idle_seconds(one) == 0, "its next step ends it"


def test_an_answer_behind_texts_waits_for_a_pause_only_while_others_type(monkeypatch, followers, job):
    now = [100.0]
    monkeypatch.setattr("mha.engine.followers.time.monotonic", lambda: now[0])
    one = job()
    with followers.turn("anna"):
        followers.follow("anna", one)
        followers.note_request("anna")
        assert 0 < followers.pause_seconds(one) < 0.1, "nobody else has asked, but the page is being drawn"
        now[0] += 0.1
    assert followers.pause_seconds(one) == 0
    with followers.turn("anna"):
        followers.follow("anna", one)
        followers.note_request("bert")
        assert followers.pause_seconds(one) == AFTER_RUN, "the page is being drawn"
    now[0] += 1.0
    assert followers.pause_seconds(one) == AFTER_RUN - 1.0
    now[0] += AFTER_RUN - 1.0
    followers.note_request("bert")
    assert followers.pause_seconds(one) == 0, "its visitor has paused"
    for name in ("carl", "dora"):
        followers.note_request(name)
    assert followers.pause_seconds(one) == pytest.approx(2 * AFTER_RUN), "the more visitors type, the longer"
    for name in ("emil", "fred", "gina"):
        followers.note_request(name)
    assert followers.pause_seconds(one) == pytest.approx((MOST_BUSY - 1) * AFTER_RUN)


def test_another_page_lets_go_of_what_it_does_not_follow(followers, job):
    first, second, third = job(), job(), job()
    with followers.turn("anna"):
        followers.follow("anna", first)
        followers.follow("anna", second)
    with followers.turn("anna"):
        followers.follow("anna", second)
        followers.follow("anna", third)  # no third: the first one is not followed again
    assert first.was_left
    assert second.running
    assert third.running


@pytest.mark.parametrize(("error", "left"), [(ValueError, True), (KeyboardInterrupt, False)])
def test_a_page_that_is_broken_off_comes_again_and_one_that_failed_does_not(followers, job, error, left):
    one = job()
    followers.follow("anna", one)
    with pytest.raises(error), followers.turn("anna"):
        raise error
    assert one.was_left == left


def test_a_step_ends_a_job_whose_followers_are_gone(monkeypatch, followers, job):
    monkeypatch.setattr(jobs, "FOLLOWERS", followers)
    one = job()
    followers.follow("anna", one)
    followers.there.remove("anna")
    one.gate.release(2)
    assert one.wait(5)
    assert (one.state, one.was_left, one.followers) == ("stopped", True, {})


def test_a_question_whose_visitor_has_left_is_not_asked(monkeypatch, job):
    asked, there = [], {"anna"}
    before = job()
    monkeypatch.setattr(FOLLOWERS, "visitor", lambda: "anna")
    monkeypatch.setattr(FOLLOWERS, "present", lambda visitor: visitor in there)
    answers = Answers(before._queue)
    until(lambda: before.begun)
    there.clear()
    with pytest.raises(Busy, match="connection was lost"):
        answers.answer("why", lambda: asked.append(1))
    before.stop()
    before.gate.release()
    assert before.wait(5)
    there.add("anna")
    assert answers.answer("what", lambda: 7) == 7
    assert asked == []
