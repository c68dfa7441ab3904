"""Who is next: short before long, owners in turns, one long experiment each, and nothing for those who have left."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from mha.engine import queue, waiting
from mha.engine.answers import Answers
from mha.engine.followers import FOLLOWERS
from mha.engine.queue import LONG_COST, FunctionTask, Queue, Task
from mha.engine.waiting import EXPERIMENTS_FIRST
from mha.errors import Busy, InputError
from tests.engine.waiting import until


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Listed(Task):
    """A task of so many steps, which writes its name down at each."""

    def __init__(self, name, done, steps=1, cost=1.0, owner=None, lasts=0.0, clock=None):
        self.name, self.done, self.left, self.cost, self.owner = name, done, steps, cost, owner
        self.lasts, self.clock = lasts, clock

    def owners(self):
        return super().owners() if self.owner is None else (self.owner,)

    def step(self):
        self.done.append(self.name)
        self.left -= 1
        if self.clock is not None:
            self.clock.now += self.lasts
        return self.left > 0


class Held(Task):
    """A step that lasts until it is let go, so that others come meanwhile."""

    cost = 0.0

    def __init__(self):
        self.began, self.gate = threading.Event(), threading.Event()

    def step(self):
        self.began.set()
        assert self.gate.wait(20)
        return False


@pytest.fixture
def order():
    """Return what runs tasks that come at one moment, and in which order their steps were done."""
    clock = Clock()

    def run(*given, seconds=0.0):
        one, held, done = Queue(clock=clock), Held(), []
        one.put(held)
        assert held.began.wait(20)
        for given_task in given:
            given_task.done, given_task.clock, given_task.lasts = done, clock, seconds
            one.put(given_task)
        held.gate.set()
        until(lambda: not one._runners and not one._waiting)
        return done

    return run


def long(name, steps, owner=None):
    return Listed(name, None, steps, LONG_COST + 1, owner)


def short(name, cost=1.0, owner=None, steps=1):
    return Listed(name, None, steps, cost, owner)


def test_short_questions_go_first_and_the_cheapest_of_them(order):
    assert order(long("L", 2, "a"), short("7", 7.0), short("3", 3.0), short("5", 5.0)) == ["3", "5", "7", "L", "L"]


def test_a_short_question_waits_behind_one_step_of_a_long_one():
    one, done, gate = Queue(), [], threading.Semaphore(0)
    began = threading.Semaphore(0)

    class Long(Listed):
        def step(self):
            began.release()
            gate.acquire()
            return super().step()

    one.put(Long("L", done, 5, LONG_COST + 1, "a"))
    assert began.acquire(timeout=20)
    one.put(Listed("s", done, 1, 1.0, "b"))
    gate.release(5)
    until(lambda: not one._runners)
    assert done == ["L", "s", "L", "L", "L", "L"]


def test_no_long_step_begins_beside_a_short_task_for_a_while(monkeypatch):
    monkeypatch.setattr(queue, "SHORTEST_WAIT", 0.01)
    clock, done, recording = Clock(), [], Held()
    recording.lane = "recording"
    one = Queue(clock=clock)
    one.put(Listed("L", done, 1, LONG_COST + 1, "a"))
    until(lambda: not one._runners)
    one.put(recording)
    assert recording.began.wait(20)
    one.put(Listed("L", done, 1, LONG_COST + 1, "a"))
    one.put(Listed("s", done))
    until(lambda: done == ["L", "s"])
    until(lambda: one._runners == 1)
    assert done == ["L", "s"], "the long step waits for the recording"
    clock.now = queue.LONG_STEP_PAUSE
    until(lambda: done == ["L", "s", "L"])  # a recording may take long: a timer looks again
    one.put(Listed("L", done, 1, LONG_COST + 1, "a"))
    recording.gate.set()
    until(lambda: done == ["L", "s", "L", "L"])
    until(lambda: not one._runners)


def test_a_task_behind_texts_waits_for_the_text_that_is_read_and_no_long_one_passes_it():
    clock, done, recording = Clock(), [], Held()
    recording.lane = "recording"
    one = Queue(clock=clock)
    one.put(recording)
    assert recording.began.wait(20)
    behind = Listed("b", done)
    behind.yields_to_texts = True
    one.put(behind)
    one.put(Listed("L", done, 1, LONG_COST + 1, "a"))
    until(lambda: one._runners == 1)
    assert done == []
    one.put(Listed("s", done))
    until(lambda: done == ["s"])
    recording.gate.set()
    until(lambda: done == ["s", "b", "L"])
    until(lambda: not one._runners)


def test_a_task_behind_texts_waits_for_a_pause_while_others_and_long_ones_go_on(monkeypatch):
    monkeypatch.setattr(queue, "SHORTEST_WAIT", 0.01)
    clock, done = Clock(), []
    one, behind = Queue(clock=clock), Listed("b", done)
    behind.yields_to_texts, behind.pause_seconds = True, lambda: 1.0 - clock.now
    one.put(behind)
    one.put(Listed("s", done))
    one.put(Listed("L", done, 1, LONG_COST + 1, "a"))
    until(lambda: done == ["s", "L"])
    clock.now = 1.0
    until(lambda: done == ["s", "L", "b"])  # a timer looks again
    until(lambda: not one._runners)


def test_two_long_ones_of_two_addresses_alternate_and_those_of_one_come_one_after_the_other(order):
    assert order(long("a1", 3, "a"), long("a2", 2, "a"), long("b1", 3, "b")) == [
        "a1", "b1", "a1", "b1", "a1", "b1", "a2", "a2",
    ]  # fmt: skip


def test_what_a_page_stands_still_for_goes_before_what_its_visitor_watches(order):
    job = long("job", 2, "a")
    job.watched = True
    assert order(job, long("page", 2, "a")) == ["page", "page", "job", "job"]


class Idle(Listed):
    """An idle task that is due at a moment of the clock."""

    idle = True

    def __init__(self, name, done, steps=1, due=0.0, clock=None):
        super().__init__(name, done, steps)
        self.due, self.clock = due, clock

    def idle_seconds(self):
        return self.due - self.clock.now if self.clock else 0.0


def test_idle_tasks_go_last_one_step_at_a_time(order):
    assert order(Idle("i", None, 2), Idle("j", None, 1), long("L", 2, "a"), short("s")) == [
        "s", "L", "L", "i", "j", "i",
    ]  # fmt: skip


def test_new_idle_tasks_share_a_timer_that_waits_until_their_visitors_are_known(monkeypatch):
    started = []

    class Timer(threading.Timer):
        def start(self):
            started.append(self.interval)

    monkeypatch.setattr(threading, "Timer", Timer)
    one = Queue(clock=Clock())
    for name in "ij":
        one.put(Idle(name, []))
    assert started == [queue.FIRST_LOOK]


@pytest.mark.parametrize("lane", queue.LANES)
def test_no_idle_step_begins_while_another_task_runs(lane):
    queue, held, idle_steps = Queue(), Held(), []
    held.lane = lane
    queue.put(held)
    assert held.began.wait(20)
    queue.put(Idle("i", idle_steps))
    until(lambda: queue._runners == 1)
    assert not idle_steps
    held.gate.set()
    until(lambda: idle_steps == ["i"])


def test_a_text_waits_for_no_further_idle_step():
    """A text that comes during an idle step is recorded before the next idle step begins."""
    queue, done, began, gate = Queue(), [], threading.Semaphore(0), threading.Semaphore(0)

    class Slow(Idle):
        def step(self):
            began.release()
            assert gate.acquire(timeout=20)
            return super().step()

    queue.put(Slow("idle", done, 2))
    assert began.acquire(timeout=20)
    queue.put(FunctionTask(lambda: done.append("text")))
    until(lambda: done == ["text"])
    gate.release(2)
    until(lambda: not queue._runners)
    assert done == ["text", "idle", "idle"]


def test_a_timer_starts_an_idle_task_when_it_is_due(monkeypatch):
    monkeypatch.setattr("mha.engine.queue.SHORTEST_WAIT", 0.001)
    clock, done = Clock(), []
    queue = Queue(clock=clock)
    queue.put(Idle("i", done, due=1e-3, clock=clock))
    until(lambda: not queue._runners)
    assert not done
    clock.now = 1.0
    until(lambda: done == ["i"])


def test_a_text_asks_no_waiting_idle_task_whether_it_is_due():
    """Each of fifty visitors may have an idle task: a text of one of them must not look at all of theirs."""
    queue, asked, clock = Queue(), [], Clock()

    class Asked(Idle):
        def idle_seconds(self):
            asked.append(self.name)
            return super().idle_seconds()

    for number in range(50):
        queue.put(Asked(number, [], due=100.0 + number, clock=clock))
    assert asked == list(range(50)), "each once, when it came"
    read = threading.Event()
    queue.put(FunctionTask(read.set))
    assert read.wait(20)
    until(lambda: not queue._runners)
    assert len(asked) == 50


def test_a_timer_says_nothing_while_the_program_ends():
    queue = Queue()
    queue._pool.shutdown()
    queue._wake()


def test_a_task_that_becomes_due_earlier_is_looked_at_again(monkeypatch):
    monkeypatch.setattr("mha.engine.queue.SHORTEST_WAIT", 0.001)
    queue, clock, done = Queue(), Clock(), []
    task = Idle("i", done, due=100.0, clock=clock)
    queue.put(task)
    task.due = 0.0
    queue.expect(task)
    until(lambda: done == ["i"])


def test_recordings_and_steps_do_not_wait_for_each_other():
    queue, step, recording, called = Queue(), Held(), threading.Event(), []
    queue.put(step)
    assert step.began.wait(20)
    queue.put(FunctionTask(recording.set))
    assert recording.wait(20)
    second = Held()
    queue.put(second)
    queue.put(FunctionTask(lambda: called.append(second.began.is_set())))
    until(lambda: bool(called))
    assert called == [False], "one step at a time"
    for held in (step, second):
        held.gate.set()
    assert second.began.wait(20)


class Stepwise:
    """Steps that are counted, each let by its own release."""

    def __init__(self, count=9):
        self.count, self.done, self.begun = count, 0, threading.Semaphore(0)
        self.gate = threading.Semaphore(0)

    def __call__(self):
        for _ in range(self.count):
            self.begun.release()
            assert self.gate.acquire(timeout=20)
            self.done += 1
            yield 1
        return self.done


def ask(answers, question, make, address, **more):
    """Ask in a thread, for a client over HTTP; return the client, and what comes of it."""
    there, come = threading.Event(), Future()

    def run():
        with FOLLOWERS.client(address) as client:
            come.client = client
            there.set()
            try:
                come.set_result(answers.answer(question, make, **more))
            except Exception as error:
                come.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    assert there.wait(20)
    return come


def leave(asked):
    """Close the connection of a client who asked."""
    asked.client.was_left = True
    with pytest.raises(Busy, match="connection was lost"):
        asked.result(20)


@pytest.fixture
def answers(monkeypatch):
    monkeypatch.setattr(waiting, "LOOK", 0.01)
    monkeypatch.setattr(waiting, "AWAY", 0.02)
    return Answers(Queue())


def test_no_step_begins_once_nobody_waits_and_the_next_question_begins_again(answers):
    steps = Stepwise(3)
    first = ask(answers, "q", steps, "1.1.1.1")
    assert steps.begun.acquire(timeout=20)
    leave(first)
    steps.gate.release()
    until(lambda: answers._pending["q"].state == "stopped")
    assert not steps.begun.acquire(timeout=0.3), "another step began"
    assert steps.done == 1
    assert answers.answer("q", lambda: 7) == 7


def test_a_question_that_is_asked_again_during_the_step_under_way_goes_on(answers):
    steps = Stepwise(2)
    first = ask(answers, "q", steps, "1.1.1.1")
    assert steps.begun.acquire(timeout=20)
    leave(first)
    second = ask(answers, "q", lambda: pytest.fail("it was under way"), "1.1.1.1")
    until(lambda: len(answers._pending["q"].waiting) == 1)
    steps.gate.release(2)
    assert second.result(20) == 2


def test_what_waits_for_its_turn_is_never_begun_once_nobody_waits(answers):
    before, mine = Stepwise(1), Stepwise(1)
    theirs = ask(answers, "theirs", before, "1.1.1.1")
    assert before.begun.acquire(timeout=20)
    left = ask(answers, "mine", mine, "2.2.2.2")
    until(lambda: "mine" in answers._pending)
    leave(left)
    before.gate.release()
    assert theirs.result(20) == 1
    assert not mine.begun.acquire(timeout=0.3)


def test_a_second_long_question_of_one_address_waits_while_anothers_goes_on(answers, monkeypatch):
    monkeypatch.setattr(waiting, "AFTER", 0.0)
    said, cost = [], lambda: LONG_COST + 1.0
    mine, second, theirs = Stepwise(2), Stepwise(1), Stepwise(1)
    first = ask(answers, "mine", mine, "1.1.1.1", cost=cost)
    assert mine.begun.acquire(timeout=20)

    def tell():
        with FOLLOWERS.client("1.1.1.1"), waiting.show_waits(said.append):
            return answers.answer("second", second, cost=cost)

    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(tell)
        until(lambda: bool(said))
        other = ask(answers, "theirs", theirs, "2.2.2.2", cost=cost)
        until(lambda: "theirs" in answers._pending)
        mine.gate.release()
        theirs.gate.release()
        until(lambda: theirs.done == 1)
        assert mine.done == 1, "another address does not wait for the end of mine"
        assert not second.begun.acquire(blocking=False), "and my other one does"
        mine.gate.release()
        assert first.result(20) == 2
        assert other.result(20) == 1
        second.gate.release()
        assert waits.result(20) == 1
    assert said == [EXPERIMENTS_FIRST, ""]


def test_whoever_draws_a_page_ends_the_wait_by_raising(answers):
    class Rerun(BaseException):
        pass

    def look():
        raise Rerun

    steps = Stepwise(1)
    with pytest.raises(Rerun), waiting.show_waits(lambda _: None, look):
        answers.answer("q", steps)
    steps.gate.release()
    until(lambda: answers._pending["q"].state == "stopped")


def test_what_fails_in_a_later_step_is_raised_and_asked_anew(answers):
    def fails():
        yield 1
        raise InputError("no such word")

    with pytest.raises(InputError, match="no such word"):
        answers.answer("q", fails)
    assert answers.answer("q", lambda: 7) == 7
