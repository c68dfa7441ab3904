"""A step of an experiment is bounded, in tokens through all layers, however long the text is."""

import random

import numpy as np
import pytest

from mha.analysis.own_readings import OwnReading
from mha.analysis.readings import leans
from mha.analysis.shuffles import MANY, moved, orders, reordered
from mha.engine import experiments, opened
from mha.engine.answers import WORK
from mha.engine.atlas import AtlasRun
from mha.engine.jobs import SweepRequest, SweepRun
from mha.engine.own_readings import ReadingsRun
from mha.intervention.calibrate import calibrating
from mha.intervention.subject import subject
from mha.maps import HeadId, Reading
from mha.models.files.loading import load
from mha.models.watch.attending import attend
from mha.words import words

STEP = 1200  # tokens through all layers of MiniLM: under half a second, with what is worked out of their maps
WORDS = [
    "saw",
    "dog",
    "near",
    "river",
    "because",
    "was",
    "hungry",
    "his",
    "friend",
    "had",
    "some",
    "food",
    "in",
    "red",
    "house",
]
BOTH = (Reading("x", ((4, 0),)), Reading("y", ((4, 2),)))


def text_of(count):
    chosen = random.Random(count)
    return " ".join(["Tom", "fed", "cat", "while", "she", *(chosen.choice(WORDS) for _ in range(count - 5))])


LONG = text_of(120)
OTHER = LONG.replace("she", "he", 1)


@pytest.fixture
def minilm():
    return load("minilm")


@pytest.fixture
def passed(minilm):
    """Return how many tokens went through MiniLM since it was asked last, counted block by block."""
    experiment = subject(minilm)
    seen = [0]

    def count(_block, args, options):
        hidden = args[0] if args else options["hidden_states"]
        seen[0] += hidden.shape[0] * hidden.shape[1]

    handles = [block.register_forward_pre_hook(count, with_kwargs=True) for block in experiment.blocks]

    def since():
        found, seen[0] = seen[0] / experiment.n_layers, 0
        return found

    yield since
    for handle in handles:
        handle.remove()


def every_step(steps, passed, most=10_000):
    """Take steps one by one, so many at most; return the tokens of each, and what they found at the end."""
    passed()
    each = []
    for _ in range(most):
        try:
            next(steps)
        except StopIteration as end:
            return [*each, passed()], end.value
        each.append(passed())
    return each, None


def slow_but(kinds, *quick):
    """Return the kinds as parameters: all but a few are for the soak alone."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in kinds]


HEADS = (HeadId(2, 1), HeadId(2, 3))
QUESTIONS = {
    "leaning": lambda: experiments.leaning.__wrapped__(LONG, BOTH),
    "patched": lambda: experiments.patched.__wrapped__(LONG, OTHER, BOTH),
    "followed": lambda: experiments.followed.__wrapped__(LONG, OTHER, BOTH, HEADS, HeadId(4, 11)),
    "scores": lambda: experiments.scores.__wrapped__(LONG, BOTH, ((), *((HeadId(0, n),) for n in range(12)))),
    "kept": lambda: experiments.kept.__wrapped__(LONG, OTHER, BOTH, HEADS),
    "steered": lambda: experiments.steered.__wrapped__(LONG, BOTH, HEADS),
    "brought": lambda: opened.all_brought.__wrapped__(text_of(120), "minilm", text_of(110)),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", slow_but(QUESTIONS, "leaning", "brought"))
def test_no_step_of_a_question_about_120_words_is_long(name, passed):
    each, _ = every_step(QUESTIONS[name](), passed, most=12)
    assert len(each) > 2
    assert max(each) <= STEP
    assert sum(each) > 0


JOBS = {
    "sweep": lambda: SweepRun(SweepRequest(LONG, BOTH, "zero", "minilm", experiments.LINK_MARGIN)),
    "own sentences": lambda: ReadingsRun("minilm", (OwnReading(1, LONG, 4, 0, 2),)),
    "own texts": lambda: AtlasRun("minilm", [text_of(n) for n in (120, 119, 118, 117, 116, 120, 120, 120, 120, 120)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_but(JOBS, "sweep"))
def test_no_step_of_a_job_over_120_words_is_long(name, passed, monkeypatch):
    monkeypatch.setattr(WORK, "put", lambda _job: None)  # this test takes the steps
    job = JOBS[name]()
    each, _ = every_step(job.steps(), passed, most=12)
    assert len(each) > 4
    assert max(each) <= STEP
    assert sum(each) > 0


def test_no_step_of_a_calibration_is_long(passed, minilm):
    each, _ = every_step(calibrating(subject(minilm)), passed, most=12)
    assert max(each) <= STEP


def test_in_steps_a_lean_stands_beside_the_same_orders(minilm):
    text = "The old man saw a dog near the river"
    both = (Reading("x", ((4, 2),)), Reading("y", ((4, 7),)))
    steps = experiments.leaning.__wrapped__(text, both)
    _, found = every_step(steps, lambda: 0)
    ways = orders(len(words(text)), MANY)
    for number in (0, 17, MANY - 1):
        alone = attend(reordered(text, ways[number]), minilm)
        expected = leans(alone, [moved(one, text, ways[number]) for one in both]).lean
        np.testing.assert_allclose(found.shuffles[number].lean, expected, atol=1e-5)
