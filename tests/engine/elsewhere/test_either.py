"""Who answers while the engine elsewhere is away: it again, this process, or nobody for now."""

import threading
from types import SimpleNamespace

import pytest

from mha.engine.elsewhere.client import Away
from mha.engine.elsewhere.either import Either
from mha.errors import Busy, InputError, ModelUnavailable


class There:
    """An engine elsewhere that does what the list says, once each."""

    def __init__(self, *does):
        self.does, self.asked = list(does), 0

    def health(self):
        return self()

    def __call__(self):
        self.asked += 1
        done = self.does.pop(0)
        if isinstance(done, Exception):
            raise done
        return done


def test_what_broke_off_is_asked_again_but_not_for_ever(monkeypatch):
    monkeypatch.setattr("mha.engine.elsewhere.either.PAUSE", 0.01)
    there = There(Away("killed", again=True), Away("killed", again=True), "from another replica")
    assert Either(there, None).ask(there, lambda: "here") == "from another replica"
    gone = There(*[Away("killed", again=True)] * 9)
    with pytest.raises(Busy):
        Either(gone, None).ask(gone, lambda: "here")
    assert gone.asked == 3


def test_while_it_is_away_this_process_answers_and_asks_again_later(monkeypatch):
    there, loads = There(Away("stopped"), "well again"), []
    either = Either(there, lambda: loads.append(1))
    assert [either.ask(there, lambda: "here") for _ in range(3)] == ["here"] * 3
    assert (there.asked, loads, either.away) == (1, [1], True)
    monkeypatch.setattr(either._breaker, "retry_at", 0.0)
    assert either.ask(there, lambda: "here") == "well again"
    assert not either.away


def test_who_asks_before_the_model_is_loaded_here_is_told_in_time(monkeypatch):
    monkeypatch.setattr("mha.engine.elsewhere.either.PATIENCE", 0.05)
    loaded = threading.Event()
    either = Either(There(), lambda: loaded.wait(10) and None)
    with pytest.raises(Busy, match="does not answer"):
        either.ask(There(Away("stopped")), lambda: "here")
    loaded.set()
    assert either._awake.wait(10)
    assert either.ask(There(), lambda: "here") == "here"


def test_where_no_model_may_be_loaded_here_it_is_busy():
    with pytest.raises(Busy, match="does not answer"):
        Either(There(), None).ask(There(Away("stopped")), lambda: "here")


def test_what_the_engine_elsewhere_refuses_is_no_reason_to_ask_here():
    with pytest.raises(InputError, match="no such head"):
        Either(There(), lambda: None).ask(There(InputError("no such head")), lambda: "here")


def test_waking_waits_for_the_model_elsewhere_or_loads_it_here(monkeypatch):
    monkeypatch.setattr("mha.engine.elsewhere.either.POLL", 0.01)
    loads: list[int] = []
    waking, ready, failed = (SimpleNamespace(ready=is_it, phase=phase, message="") for is_it, phase in
                             ((False, "waking"), (True, "ready"), (False, "failed")))  # fmt: skip
    there = There(waking, ready)
    Either(there, lambda: loads.append(1)).wake()
    assert (there.asked, loads) == (2, [])
    Either(There(failed), lambda: loads.append(1)).wake()
    assert loads == [1]
    with pytest.raises(ModelUnavailable, match="does not answer"):
        Either(There(Away("nobody there")), None).wake()
