"""How the engine of this process is."""

from mha.engine.health import health
from mha.engine.recordings import Request, record
from mha.pairs import corpus


def test_it_says_how_it_is():
    record(Request(corpus()[0]))
    found = health()
    assert found.ready
    assert found.kept >= 1
    assert found.kept_bytes > 0
