"""The ways to an engine elsewhere, as the environment has them, under what pages ask."""

import pytest

from mha.engine.answers import Answers
from mha.engine.elsewhere import EngineWays
from mha.engine.recordings import LocalEngine, Request, record
from mha.errors import MHAError
from tests.engine.elsewhere.conftest import TOKEN
from tests.engine.elsewhere.same import equal


def test_without_the_setting_nothing_is_asked_elsewhere():
    ways = EngineWays({})
    assert ways.engine(record, lambda: None) == {}
    assert ways.experiment("leaning", {}, lambda: "here") == "here"
    assert not ways.away


def test_pages_ask_elsewhere_and_keep_what_they_got(desk):
    ways = EngineWays({"PARALLAX_ENGINE": desk.url, "PARALLAX_ENGINE_TOKEN": TOKEN, "PARALLAX_ENGINE_FALLBACK": "off"})
    engine = LocalEngine(**ways.engine(lambda request: pytest.fail("a pass here"), lambda: pytest.fail("a load here")))
    request = Request("Nobody else has asked for this sentence")
    first = engine.record(request)
    assert equal(first.maps, record(request).maps)
    assert engine.record(request) is first
    counts = ways.experiment("token_counts", {"several": ("dog",), "model": "minilm"}, lambda: pytest.fail("here"))
    assert counts == (1,)
    with pytest.raises(MHAError):
        engine.record(Request("…" * 3))


def test_an_answer_from_elsewhere_is_asked_for_once(desk):
    asked = []
    answers = Answers()
    for _ in range(2):
        answers.answer("q", lambda: asked.append(1) or desk.experiment("token_counts", ("dog",)))
    assert asked == [1]
