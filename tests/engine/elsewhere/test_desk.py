"""The desk answers as this process does, and refuses what is no question and who does not know the token."""

import pytest

from mha.analysis.statistics import head_statistics
from mha.engine.elsewhere import Elsewhere
from mha.engine.elsewhere.client import Away
from mha.engine.elsewhere.desk import MOST_BYTES, Desk
from mha.engine.inprocess import ENGINE
from mha.engine.recordings import Request, record
from mha.errors import InputError, MHAError
from mha.maps import Reading
from tests.engine.elsewhere.same import equal

DOG = "Tom fed the dog because it was hungry"
READINGS = (Reading("dog", (("it", "dog"),)), Reading("Tom", (("it", "Tom"),)))


def test_the_desk_answers_as_this_process_does(desk):
    request = Request(DOG, keep=("query",))
    assert equal(desk.record(request).maps, record(request).maps)
    assert equal(desk.statistics(request), dict(head_statistics(record(request).maps)))
    found = desk.experiment("leaning", text=DOG, readings=READINGS)
    assert equal(found, ENGINE.experiment("leaning", DOG, READINGS))
    assert equal(desk.experiment("token_counts", ("dog", "telescope")), (1, 1))
    assert desk.health().ready


def test_what_an_engine_refuses_is_refused_by_the_same_kind_of_error(desk):
    with pytest.raises(InputError, match="There is no experiment “tea”"):
        desk.experiment("tea")
    with pytest.raises(InputError, match="does not take this"):
        desk.experiment("leaning", sugar=2)
    with pytest.raises(MHAError) as here:
        ENGINE.experiment("leaning", "Nobody is here", READINGS)
    with pytest.raises(type(here.value)) as there:
        desk.experiment("leaning", text="Nobody is here", readings=READINGS)
    assert str(there.value) == str(here.value)


def test_who_does_not_know_the_token_hears_nothing(desk, caplog):
    with pytest.raises(Away, match="401"):
        Elsewhere(desk.url, "guessed").health()
    assert "does not take this token" in caplog.text
    with pytest.raises(InputError, match="needs a token"):
        Desk("")


def test_questions_that_are_none_are_refused(desk):
    with pytest.raises(InputError, match="text, model, pair and keep"):
        desk._ask("record", "", {"text": 3}, 5)
    with pytest.raises(InputError, match="text, model, pair and keep"):
        desk._ask("record", "", {"text": "a", "model": "minilm", "pair": None, "keep": ["secrets"]}, 5)
    with pytest.raises(Away, match="404"):
        desk._ask("tea", "", {}, 5)
    with pytest.raises(Away):
        desk._ask("record", "", {"text": "a" * MOST_BYTES}, 5)
