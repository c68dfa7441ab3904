"""The engine on Ray Serve under a page, killed in part, stopped, ended and started again: minutes, and Ray needed."""

import signal

import pytest

from benchmarks.bench_serve import Again, asked, cluster, faults, python_with_ray, texts
from mha.engine.recordings import Request, record
from tests.browser.conftest import free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(python_with_ray() is None, reason="Ray is not installed; `make serve` brings it"),
]


def test_a_page_is_served_busy_or_answered_here_whatever_happens_to_its_engine():
    found = faults(free_port())
    assert found["as_it_is"]["stands"] == found["page_then"]["stands"] == "sentence"
    assert set(found["replica_killed"]["ends"]) <= {"ok", "Busy"}
    assert found["replica_killed"]["ends"]["ok"] > 0
    assert found["all_stopped"]["stands"] in ("busy", "sentence")
    assert found["ended"]["stands"] == found["started_again"]["stands"] == "sentence"


def test_a_replica_that_is_killed_is_replaced_and_the_numbers_stay():
    text = Request("The bank of the river was wet")
    with cluster(free_port(), 1) as running:
        before = running.engine.record(text).maps.weights
        assert abs(before - record(text).maps.weights).max() < 5e-6
        (only,) = running.processes("ray::ServeReplica")
        ends = asked(Again(running.engine), texts("lone", 8), lambda: running.tell(signal.SIGKILL, only))["ends"]
        assert set(ends) <= {"ok", "Busy"}
        while running.processes("ray::ServeReplica") in ([], [only]) or not running._ready():
            pass
        assert (running.engine.record(text).maps.weights == before).all()
