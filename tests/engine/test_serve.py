"""The engine on Ray Serve under a page, killed in part, stopped, ended and started again: minutes, and Ray needed."""

import subprocess
from argparse import Namespace
from pathlib import Path

import pytest

from benchmarks import bench_serve
from benchmarks.bench_serve import python_with_ray

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(python_with_ray() is None, reason="Ray is not installed; `make serve` brings it"),
]


def test_every_question_is_answered_on_the_cluster():
    command = [str(python_with_ray()), "-m", "pytest", "-x", "-p", "no:cacheprovider", "tests/engine/with_ray.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore")  # of Ray's own, where this Python has it
def test_a_page_has_its_sentence_whatever_happens_to_its_engine():
    found = bench_serve.run(Namespace(quick=False, parts=["faults"]))["faults"]
    assert set(found["replica_killed"]["ends"]) == {"ok"}
    steps = ("as_it_is", "page_then", "all_stopped", "going_on", "ended", "started_again")
    assert {step: found[step]["stands"] for step in steps} == dict.fromkeys(steps, "sentence")
