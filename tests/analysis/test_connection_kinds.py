"""Kinds of keys are counted; a part of speech needs nearly all sentences."""

from mha.analysis.roles import main_kind, parts_of_speech

CAT = "The dog saw the black cat near Rome."


def test_a_kind_needs_more_than_half():
    two = [(CAT, 1, 1), (CAT, 2, 2)]
    assert main_kind([*two, (CAT, 4, 2)]) == ("the word itself", 2)
    assert main_kind([*two, (CAT, 4, 2), (CAT, 2, 4)]) is None
    assert main_kind([]) is None


def test_a_noun_is_named_if_nearly_all_are_and_not_the_word_itself():
    assert parts_of_speech(CAT)[1] == "N"
    nouns = [(CAT, 3, 5)] * 9
    assert main_kind([*nouns, (CAT, 6, 4)]) == ("a noun", 9)
    assert main_kind([*nouns[:8], (CAT, 6, 4), (CAT, 6, 4)]) is None
    assert main_kind([(CAT, 6, 4)] * 3) is None, "few sentences"
    assert main_kind([(CAT, 5, 5)] * 10) == ("the word itself", 10)


def test_of_equal_numbers_the_position_is_named():
    assert main_kind([(CAT, 4, 5)] * 10) == ("the next word", 10)
    assert main_kind([(CAT, 4, 7)] * 10) == ("a capitalised word", 10)
