"""A step of an experiment is bounded, in tokens through all layers, however long the text is."""

import random

import pytest
from torch.nn.modules.module import register_module_forward_pre_hook

from mha.engine import experiments, writing
from mha.engine.answers import SharedExperiment
from mha.intervention.subject import subject
from mha.maps import HeadId, Reading
from mha.models.files.loading import load

STEP = 1200  # tokens through all layers of MiniLM: under half a second, with what is worked out of their maps
WORDS = ["saw", "dog", "near", "river", "because", "was", "hungry", "friend", "some", "food", "in", "red", "house"]
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
    """Return how many tokens went through MiniLM or a copy of it since the last call, counted block by block."""
    experiment = subject(minilm)
    seen, kind = [0], type(experiment.blocks[0])

    def count(module, args):
        if isinstance(module, kind):
            seen[0] += args[0].shape[0] * args[0].shape[1]

    def since():
        found, seen[0] = seen[0] / experiment.n_layers, 0
        return found

    handle = register_module_forward_pre_hook(count)
    yield since
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


QUESTIONS = {
    "leaning": lambda: experiments.leaning.__wrapped__(LONG, BOTH),
    "patched": lambda: experiments.patched.__wrapped__(LONG, OTHER, BOTH),
    "swept": lambda: experiments.swept.__wrapped__(LONG, BOTH, "zero"),
    "scores": lambda: experiments.scores.__wrapped__(LONG, BOTH, ((), *((HeadId(0, n),) for n in range(12)))),
}
WITHOUT_A_LONG_TEXT = {  # and without MiniLM's passes over one: why nothing of them is counted here
    "neutral_words": "a table of words is looked up, and no text goes through the model",
    "ablated": "one pass of a text with heads changed; tests/intervention looks at it",
    "generate_text": "a pass for each token of a model that writes; tests/models looks at them",
    "record_with_target": "one pass of an encoder–decoder",
    "masked": "one pass, as a recording",
    "_changed_attention": "one pass of a model that predicts words; tests/intervention looks at it",
    "cut_ranks": "two passes of a model that predicts words; tests/intervention looks at them",
    "effects": "a few passes of a model that predicts words; tests/intervention looks at them",
    "first_words": "one pass of a model that predicts words; tests/intervention looks at it",
    "predicted_step": "one pass of a model that writes; tests/views looks at it",
    "translated": "the translator writes up to 64 tokens; tests/intervention looks at it",
    "word_changes": "a sweep of the translator in one pass a batch; tests/intervention counts its rows",
    "predicted": "two passes of a model that predicts words; tests/models and tests/intervention look at them",
}


def test_every_experiment_is_held_here_or_says_why_not():
    held = [*QUESTIONS, "one_cell", *WITHOUT_A_LONG_TEXT]
    homes = (experiments, writing)
    there = {one.__name__ for home in homes for one in vars(home).values() if isinstance(one, SharedExperiment)}
    assert sorted(held) == sorted(there)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", slow_but(QUESTIONS, "leaning"))
def test_no_step_of_a_question_about_120_words_is_long(name, passed):
    each, _ = every_step(QUESTIONS[name](), passed, most=12)
    assert len(each) > 2
    assert max(each) <= STEP
    assert sum(each) > 0


@pytest.mark.slow
def test_what_is_asked_in_one_step_about_120_words_is_short(passed):
    passed()
    experiments.one_cell.__wrapped__(LONG, "minilm", None, HeadId(1, 2), 1, 2)
    assert 0 < passed() <= STEP
