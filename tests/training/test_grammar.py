"""The small language: what its sentences look like, and that the test pairs are never trained on."""

import numpy as np
import pytest

from mha.training.settings import ANIMALS, NOUNS, PREDICATES, THINGS, Grammar


def drawn(grammar: Grammar, held_out: bool = False, count: int = 499):
    return grammar.sentences(count, np.random.default_rng(3), held_out)


def test_the_vocabulary_has_sixty_two_words_and_no_word_twice():
    vocabulary = Grammar().vocabulary
    assert len(vocabulary) == len(set(vocabulary)) == 62
    assert vocabulary[:40] == NOUNS
    assert set(vocabulary) < set(Grammar(n_readings=3).vocabulary)


def test_a_quarter_of_the_ordered_pairs_is_held_out():
    grammar = Grammar(seed=2)
    shown, hidden = ({tuple(pair) for pair in grammar.pairs(held_out).tolist()} for held_out in (False, True))
    assert (len(shown), len(hidden)) == (1170, 390)
    assert not shown & hidden
    assert all(first != second for first, second in shown | hidden)
    for place in (0, 1):  # every noun is trained in both places, so that only the pair is new
        assert {pair[place] for pair in shown} == set(range(40))


@pytest.mark.parametrize("held_out", [False, True])
def test_sentences_use_only_pairs_of_their_kind(held_out):
    grammar = Grammar(seed=5)
    allowed = {tuple(pair) for pair in grammar.pairs(held_out).tolist()}
    assert {tuple(pair) for pair in drawn(grammar, held_out).answers[:, :2].tolist()} <= allowed


@pytest.mark.parametrize("n_readings", [2, 3])
def test_positions_point_at_the_pivot_and_at_the_nouns_to_be_named(n_readings):
    grammar = Grammar(n_readings)
    sentences = drawn(grammar)
    for index in range(len(sentences)):
        words = grammar.words(sentences, index)
        pivot = words[sentences.pivot[index]]
        nouns = [words[place] for place in sentences.nouns[index]]
        assert nouns == [grammar.vocabulary[answer] for answer in sentences.answers[index]]
        assert nouns[:2] == [word for word in words if word in NOUNS][:2]
        assert words[-1] == "."
        assert pivot in THINGS if "with" in words else (pivot == "it" and words[-2] in PREDICATES)
        if n_readings == 3:
            assert words[sentences.nouns[index, 2] - 2 : sentences.nouns[index, 2] + 1] == ("near", "the", nouns[2])
            assert nouns[2] in ANIMALS


def test_words_move_left_and_padding_gathers_on_the_right():
    sentences = drawn(Grammar())
    assert (np.diff(sentences.visible.astype(int), axis=1) <= 0).all()
    lengths = sentences.visible.sum(axis=1)
    assert (lengths.min(), lengths.max()) == (9, 13)


@pytest.mark.parametrize(("n_readings", "length"), [(2, 10), (3, 13)])
def test_the_example_is_a_sentence_never_trained_on(n_readings, length):
    grammar = Grammar(n_readings, seed=3)
    example = grammar.example()
    words = grammar.words(example, 0)
    assert len(words) == length
    assert words[example.pivot[0]] == "telescope"
    assert [words[place] for place in example.nouns[0]] == [NOUNS[answer] for answer in example.answers[0]]
    assert example.answers[0, :2].tolist() in grammar.pairs(held_out=True).tolist()
