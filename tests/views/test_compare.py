"""Sentences and component data of Change a word, on changes made by hand and on texts outside the examples."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.changes import NAMED_BEYOND, ChangeLimit, Changes, align
from mha.engine.experiments import compared
from mha.errors import NotComparable
from mha.intervention.comparing import Comparison, Neutral
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.views import compare
from mha.words import words

ROW = model_row("minilm")
TEXTS = ("a b c", "a b d")
CONTROLS = Neutral(("x", "y", "z"), ("a", "b"))
# Heads L0H0 and L0H1 over the pairs a, b and c/d with one key for the rest. In L0H0 b moves 0.4 from c to d's column.
FIRST = np.zeros((1, 2, 3, 4))
FIRST[..., 3] = 1
SECOND = FIRST.copy()
FIRST[0, 0, 1] = [0.1, 0.2, 0.02, 0.68]
SECOND[0, 0, 1] = [0.1, 0.2, 0.42, 0.28]


def case_of(mean=(0.042, 0.004), floor=(0.008, 0.005), by_swap=(0, 0, 0), texts=TEXTS, **more):
    """Return a comparison of two heads with these mean changes, and control limits unless ``floor`` is None."""
    alignment = align(*map(words, texts))
    counted = np.array(alignment.same)
    values = np.array([mean], dtype=float)
    n = len(alignment.pairs)
    changes = Changes(FIRST[..., :n, :], SECOND[..., :n, :], np.zeros((1, 2, n)), counted, values, values)
    limit = None
    if floor is not None:
        limits = np.array([floor], dtype=float)
        swaps = np.repeat(limits[None], 3, axis=0)
        limit = ChangeLimit(changes, swaps, limits, values > limits, values > NAMED_BEYOND * limits, by_swap)
    return Comparison(texts, alignment, changes, limit, CONTROLS, **more)


def test_a_named_head_is_the_finding_with_its_control_limit():
    case = case_of()
    assert (
        compare.finding(case)
        == "In head `L0H0`, *b* gives 2\xa0% of its attention to *c*, and 42\xa0% to *d* in its place."
    )
    assert compare.explanation(case) == (
        "`L0H0` changes by 0.042\xa0bits. With control words in place of *c*: 0.008\xa0bits at most."
    )
    caption = compare.grid_caption(case)
    assert "1 of 2 heads exceeds its control limit (by chance about 1), 1 twofold." in caption
    assert "One control word changes at most 0 heads that far beyond the limits of the others." in caption
    assert caption.endswith("Control words: *x*, *y* and *z*.")


def test_no_head_is_named_if_a_control_word_changes_as_many():
    case = case_of(by_swap=(1, 0, 0))
    assert compare.finding(case) == "No head stands out from what control words do."
    assert "`" not in compare.explanation(case), "no head is named next to it"
    assert "One control word changes at most 1 head that far beyond" in compare.grid_caption(case)
    assert compare.map_heads(case, []) == ()
    assert compare.arc_connection(case, ()) is None


def test_a_pinned_head_is_shown_instead_of_the_sentence_that_none_stands_out():
    case, heads = case_of(by_swap=(1, 0, 0)), [HeadId(0, 0)]
    assert compare.finding(case, heads).startswith("In head `L0H0`, *b* gives 2\xa0%")
    assert compare.explanation(case, heads).endswith("This head is pinned; the change singles out none.")
    unlimited = case_of(floor=None)
    assert compare.finding(unlimited, heads).startswith("In head `L0H0`")
    assert compare.explanation(unlimited, heads).startswith("`L0H0` changes by 0.042\xa0bits.")


def test_no_head_beyond_twice_its_limit_has_no_arcs():
    assert NAMED_BEYOND == 2
    case = case_of(mean=(0.016, 0.004))
    assert compare.finding(case) == "No head changes by more than twice its control limit."
    assert "Largest change: 0.016\xa0bits, in a head with a control limit of 0.008\xa0bits." in compare.explanation(
        case
    )
    assert compare.arc_connection(case, ()) is None
    assert compare.arc_connection(case, [HeadId(0, 0)]) == (HeadId(0, 0), 1, 2), "but those of a pinned head"


def test_a_small_change_with_a_low_limit_is_called_small():
    assert "with a control word, 1 of 2 heads change more" not in compare.explanation(case_of(floor=(0.008, 0.05)))
    case = case_of(mean=(0.004, 0.004), floor=(0.001, 0.05))
    assert compare.named_connection(case) is not None
    assert "changes by 0.004" in compare.explanation(case)


def test_without_a_control_limit_no_head_is_named():
    case = case_of(floor=None)
    assert compare.finding(case) == "Heads change by up to 0.042\xa0bits."
    assert "Without a control limit no head is named." in compare.explanation(case)
    assert "One of three control words found" in compare.explanation(replace(case, controls=Neutral(("x",))))
    data = compare.grid_data(case)
    assert (data["states"], data["texts"]) == (["changes", "changes"], ["42", "4"])


@pytest.mark.parametrize(
    ("texts", "mean", "sentence"),
    [
        (("a b", "a b"), (0, 0), "Both sentences are identical, so nothing changes."),
        (("a b", "a c"), (0, 0), "No head changes on the words that stayed."),
        (("a", "b"), (np.nan, np.nan), "Every word changed, so there is nothing to compare."),
    ],
)
def test_what_cannot_change_is_not_a_finding(texts, mean, sentence):
    case = case_of(mean, None, texts=texts)
    assert compare.finding(case) == sentence
    assert "bits" not in compare.explanation(case)


def test_no_common_word_and_words_without_a_match():
    case = Comparison(("a b", "c d e"), align(("a", "b"), ("c", "d", "e")), None)
    assert compare.finding(case) == "The two sentences have no words in common, so there is nothing to compare."
    assert compare.explanation(case) == "0 of 2 words stayed."
    assert not case.is_measured


def test_ablated_heads_are_stated():
    heads = (HeadId(0, 0), HeadId(0, 1))
    one = "The model runs without `L0H1`: each output is replaced by its mean over the sample sentences."
    assert compare.explanation(case_of(ablated=heads[1:])).startswith(one)
    both = "The model runs without `L0H0` and `L0H1`: each output is replaced"
    assert compare.explanation(case_of(floor=None, ablated=heads)).startswith(both)


def test_words_of_a_text_are_escaped():
    case = case_of(texts=("a *b* c", "a *b* d"))
    assert "*b*" in compare.finding(case)
    hostile = case_of(texts=("a b [x](y)", "a b :red[z]"))
    assert r"*x\]\(y*" in compare.finding(hostile)
    assert "red[" not in compare.finding(hostile)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(0.02, 0.43, ("2\xa0%", "43\xa0%")), (0.001, 0.004, ("0.1\xa0%", "0.4\xa0%")), (0, 1, ("0\xa0%", "100\xa0%"))],
)
def test_shares_differ_as_printed(before, after, expected):
    assert compare.shares(before, after) == expected


def test_grid_has_a_number_beyond_the_limit_and_its_details_everywhere():
    data = compare.grid_data(case_of(), [HeadId(0, 0)])
    assert (data["states"], data["texts"], data["shades"]) == (["changes", "within"], ["42", ""], {0: 1.0})
    assert data["details"][1] == "0.004\xa0bits, control limit 0.005"
    assert data["pinned"] == ["L0H0"]
    assert compare.grid_data(case_of(mean=(0.042, 0)))["states"] == ["changes", "within"]


def test_sentence_has_one_row_of_a_head_in_both_texts():
    data = compare.sentence_data(case_of(), (HeadId(0, 0), 1, 2))
    assert data["columns"] == [("a", "a", True), ("b", "b", True), ("c", "d", False)]
    assert (data["query"], data["key"]) == (1, 2)
    assert data["rows"] == [[(0, 0.1), (2, 0.02)], [(0, 0.1), (2, 0.42)]]
    assert data["texts"] == ["2\xa0%", "42\xa0%"]
    assert data["label"].startswith("In head L0H0, b gives 2")
    assert "rows" not in compare.sentence_data(case_of())


def test_columns_keep_words_without_a_match():
    case = case_of(floor=None, texts=("a b x c", "a c d"))
    columns, position = compare.columns_of(case)
    assert columns == [("a", "a", True), ("b", None, False), ("x", None, False), ("c", "c", True), (None, "d", False)]
    assert position == {0: 0, 1: 3}


def test_map_has_both_sides_and_the_difference_in_points():
    (panels,) = compare.map_data(case_of(), HeadId(0, 0))["lines"]
    assert [panel["columns"][2] for panel in panels] == ["c", "d", "changed"]
    assert {tuple(panel["rows"]) for panel in panels} == {("a", "b", "changed")}
    assert [panel["values"][1] for panel in panels] == [[0.1, 0.2, 0.02], [0.1, 0.2, 0.42], [0, 0, 40]]
    assert {panel["cell"] for panel in panels} == {(1, 2)}
    sentence = "In head `L0H0`, *b* gives 2\xa0% of its attention to *c*, and 42\xa0% to *d* in its place."
    assert compare.map_title(case_of(), HeadId(0, 0)).endswith(sentence)
    assert compare.map_data(case_of(), HeadId(0, 1))["lines"][0][0]["cell"] is None
    assert compare.map_title(case_of(), HeadId(0, 1)).endswith("This head does not change.")


def test_table_has_each_control_word_and_the_ablated_heads():
    table = compare.table(case_of(ablated=(HeadId(0, 1),)), ROW, "http://x/compare")
    assert list(table.columns)[:4] == ["head", "change_bits_mean", "change_bits_largest_row", "control_limit_bits"]
    assert len(table.columns["head"]) == 2
    assert "without L0H1" in table.provenance.scale
    assert table.provenance.texts == TEXTS


PAIRS = [
    ("The dog slept", "The dog barked"),
    ("word", "other"),
    ("word", "word"),
    ("Hello.", "hello"),
    ("one two", "three four five"),
    ("She ate the soup with a spoon.", "She ate the soup with a friend."),
    ("He put the money in the bank", "He put the boat in the bank"),
    ("The king met her when he was late", "The king met her when she was late"),
    ("The bank of the river was steep", "The bank of the town was flat"),
    ("I saw the man", "I saw the very old man in town"),
    ("a b c", "a c b"),
    ("The bat flew out", "the BAT flew out"),
    ("Dogs bark", "Dogs bark!"),
    ("漢字 と 山", "漢字 と 川"),
    ("אכל את האוכל", "אכל את הלחם"),
    ("<b>bold</b> [SEP] x", "=1+1 <script>x</script> x"),
    ("It was big because it was big", "It was big because it was small"),
    ("Because he waited, the clerk thanked him", "Because she waited, the clerk thanked him"),
    ("The old man the boat", "The old men the boat"),
    ("no no no no", "no no yes no"),
    ("A  dog\n barked", "A dog barked"),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0])
def test_any_two_sentences_get_a_true_sentence(pair):
    case = compared(*pair)
    sentence = compare.finding(case)
    assert sentence.endswith(".")
    look = compare.arc_connection(case, compare.map_heads(case, []))
    if look is None:
        assert "In head" not in sentence
    else:
        head, query, key = look
        before, after = (float(side[head][query, key]) for side in (case.changes.first, case.changes.second))
        told = sentence + compare.explanation(case)
        assert all(share in told for share in compare.shares(before, after))
        assert before != after
        assert case.limit.twice[head]
    if case.is_measured:
        assert len(compare.grid_data(case)["states"]) == 72
        for panel in compare.map_data(case, HeadId(3, 1))["lines"][0][:2]:
            assert all(sum(row) <= 1.0001 and len(row) == len(panel["columns"]) for row in panel["values"])
    if sentence.startswith("Both sentences are identical"):
        assert " ".join(pair[0].split()) == " ".join(pair[1].split())


def test_typed_control_words_count_only_if_they_are_one_word():
    case = compared("The dog slept", "The dog barked", controls=["two words", "sat", "ran", "!", "ate", "ate"])
    assert case.controls.words == ("sat", "ran", "ate")
    assert case.limit is not None
    assert "Control words: *sat*, *ran* and *ate*." in compare.grid_caption(case)


def test_ablation_applies_to_both_sentences_and_the_control_words():
    full = compared("The dog slept", "The dog barked")
    ablated = compared("The dog slept", "The dog barked", without=(HeadId(0, 1),))
    assert ablated.controls.words == full.controls.words
    assert np.allclose(ablated.changes.mean[0], full.changes.mean[0], atol=1e-6), "layer 0 reads the words alone"
    assert not np.allclose(ablated.changes.mean[1:], full.changes.mean[1:])
    assert not np.allclose(ablated.limit.values[1:], full.limit.values[1:])


def test_a_causal_model_refuses_a_change_after_every_word_that_stayed(tiny_offered):
    with pytest.raises(NotComparable, match="reads from left to right"):
        compared("I saw the man", "I saw the dog", "tiny-causal")
    case = compared("I saw the man", "I heard the man", "tiny-causal")
    assert case.changes.counted.tolist() == [False, False, True, True]
    assert "the mean over two of the three words that stayed, whose attention can change" in compare.grid_caption(case)


def test_a_long_text_is_refused_with_its_length():
    assert compare.refusal("a " * 48, "a") == ""
    assert compare.refusal("a", "a " * 60) == ("This page compares texts of up to 48 words; one of these has 60.")
