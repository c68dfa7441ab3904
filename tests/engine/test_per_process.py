"""A process that was forked answers by itself: of the threads that answered its parent it has none."""

import multiprocessing
import sys

import pytest

from mha.engine.answers import few_passes
from mha.engine.recordings import Request, record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing forks there")
SECONDS = 20.0


@few_passes
def doubled(number: int) -> int:
    return 2 * number


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
@pytest.mark.parametrize(
    "ask", [lambda text: record(Request(text, "toy")), lambda text: doubled(len(text))], ids=["record", "experiment"]
)
def test_a_forked_process_waits_for_no_thread_of_its_parent(ask):
    ask("one two")
    child = multiprocessing.get_context("fork").Process(target=ask, args=("three four five",))
    child.start()
    child.join(SECONDS)
    ended = child.exitcode
    child.kill()
    assert ended == 0, "it waits" if ended is None else "it failed"
