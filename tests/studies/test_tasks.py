"""Texts of every task have the answer that their deciding words give, and the changed text has the other one."""

import numpy as np
import pytest

from mha.training.settings import NOUNS
from studies.truth.tasks import AGREE_NOUNS, GRAMMAR, N_COPIED, N_REVERSED, TASKS


def copier(tokens, asked):
    before = list(tokens[:N_COPIED])
    return before[before.index(tokens[asked]) + 1]


def reverser(tokens, asked):
    return tokens[2 * N_REVERSED - 1 - asked]


def two_nouns(tokens, asked):
    nouns = [token for token in tokens[:asked] if token < len(NOUNS)]
    return nouns[tokens[asked] - len(GRAMMAR.vocabulary)]


def agreement(tokens, asked):
    opened = tokens[0] == 2 * AGREE_NOUNS
    subject = tokens[5 if opened else 1]
    return 2 * AGREE_NOUNS + 4 + (subject >= AGREE_NOUNS)


def brackets(tokens, asked):
    return 4 + sum({0: 1, 1: -1}.get(token, 0) for token in tokens[:asked])


RULES = {"copier": copier, "reverser": reverser, "two nouns": two_nouns, "agreement": agreement, "brackets": brackets}


@pytest.fixture(params=TASKS)
def drawn(request):
    chosen = TASKS[request.param]
    return chosen, chosen.texts(300, np.random.default_rng(3))


def test_every_answer_is_the_one_that_the_rule_of_the_language_gives(drawn):
    chosen, texts = drawn
    rule = RULES[chosen.name]
    for row in range(len(texts)):
        assert rule(texts.tokens[row], texts.asked[row]) == texts.answers[row]
        assert rule(texts.changed[row], texts.asked[row]) == texts.others[row] != texts.answers[row]


def test_one_word_is_changed_and_what_decides_can_be_seen(drawn):
    chosen, texts = drawn
    assert ((texts.changed != texts.tokens).sum(axis=1) == 1).all()
    assert texts.visible[texts.sources].all()
    assert (texts.sources.any(axis=1) | (chosen.name == "brackets")).all()
    rows = np.arange(len(texts))
    assert texts.visible[rows, texts.asked].all()
    if chosen.causal:
        later = np.arange(texts.tokens.shape[1]) > texts.asked[:, None]
        assert not (texts.sources & later).any()
        assert not ((texts.changed != texts.tokens) & later).any()
