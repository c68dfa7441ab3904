"""Texts of every task have the answer that their deciding words give, and the changed text has the other one."""

import numpy as np
import pytest

from mha.errors import InputError
from mha.training.settings import NOUNS
from studies.truth.tasks import AGREE_NOUNS, GRAMMAR, N_COPIED, N_REVERSED, N_WORDS, NOTHING, TASKS, task


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
    chosen = task(request.param)
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


def test_words_and_places_are_those_that_the_model_has(drawn):
    chosen, texts = drawn
    assert texts.tokens.shape[1] <= chosen.n_tokens
    for words in (texts.tokens, texts.changed, texts.answers, texts.others):
        assert 0 <= words.min() <= words.max() < chosen.n_words
    assert ((texts.targets == NOTHING) | texts.visible).all()
    rows = np.arange(len(texts))
    assert (texts.targets[rows, texts.asked] == texts.answers).all()


def test_brackets_never_close_what_is_not_open_and_all_depths_are_asked():
    texts = task("brackets").texts(500, np.random.default_rng(0))
    for tokens in (texts.tokens, texts.changed):
        steps = (tokens == 0).astype(int) - (tokens == 1)
        assert (np.cumsum(steps, axis=1) >= 0).all()
    assert set(texts.answers) == {4, 5, 6, 7, 8}


def test_the_place_of_a_word_does_not_tell_the_answer():
    texts = task("copier").texts(500, np.random.default_rng(0))
    back = texts.asked - texts.sources.argmax(axis=1)
    assert len(set(back)) > 3
    assert texts.tokens.max() < N_WORDS


def test_a_task_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(InputError, match="copier, reverser, two nouns"):
        task("sorter")
