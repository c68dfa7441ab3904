"""Statistics on arrays small enough to work out by hand; 2 layers × 3 heads, so that swapped axes cannot pass."""

import numpy as np
import pytest

from mha.analysis.profiles import one_text
from mha.analysis.statistics import STATISTICS, head_statistics, undefined_statistics, word_statistics
from mha.maps import AttentionMaps, Token


def words(count: int) -> tuple[Token, ...]:
    return tuple(Token(f"w{number}", word=number) for number in range(count))


def one_head(rows: list[list[float]], causal: bool = False, tokens: tuple[Token, ...] | None = None) -> AttentionMaps:
    """Maps of one head whose weights are these rows."""
    weights = np.array(rows, dtype=np.float32)[None, None]
    return AttentionMaps(weights, tokens or words(len(rows)), causal=causal, units="words")


def statistic(maps: AttentionMaps, key: str) -> float:
    return float(head_statistics(maps)[key][0, 0])


def test_keys_are_those_of_the_definition_and_values_are_float64_by_layer_and_head():
    even = AttentionMaps(np.full((2, 3, 5, 5), 0.2, dtype=np.float32), words(5))
    values = head_statistics(even)
    assert list(values) == [
        "entropy", "focus", "mean_distance", "largest_weight", "sink_share", "previous_word", "next_word", "same_word",
    ]  # fmt: skip
    for value in values.values():
        assert value.shape == (2, 3)
        assert value.dtype == np.float64
    assert all(row.title and row.unit and row.range and row.source and row.formula for row in STATISTICS)


def test_an_even_head_has_the_largest_entropy_and_no_focus():
    even = one_head([[0.2] * 5] * 5)
    assert statistic(even, "entropy") == pytest.approx(np.log2(5), abs=1e-6)
    assert statistic(even, "focus") == pytest.approx(0, abs=1e-6)
    assert statistic(even, "mean_distance") == pytest.approx(40 / 25, abs=1e-6)  # sum of |q - k| over 5 × 5 is 40
    assert statistic(even, "largest_weight") == pytest.approx(0.2)
    assert statistic(even, "previous_word") == pytest.approx(0.2)


def test_a_head_that_looks_back_by_one():
    back = one_head([[1, 0, 0], [1, 0, 0], [0, 1, 0]])
    expected = {"entropy": 0, "focus": 1, "mean_distance": 2 / 3, "largest_weight": 1, "sink_share": 0,
                "previous_word": 1, "next_word": 0, "same_word": 1 / 3}  # fmt: skip
    for key, value in expected.items():
        assert statistic(back, key) == pytest.approx(value), key


def test_a_head_worked_out_by_hand():
    mixed = one_head([[0.5, 0.5, 0], [0.25, 0.25, 0.5], [0, 0, 1]])
    assert statistic(mixed, "entropy") == pytest.approx((1 + 1.5 + 0) / 3)
    assert statistic(mixed, "focus") == pytest.approx(1 - (1 + 1.5) / 3 / np.log2(3))
    assert statistic(mixed, "mean_distance") == pytest.approx((0.5 + 0.75 + 0) / 3)
    assert statistic(mixed, "largest_weight") == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert statistic(mixed, "previous_word") == pytest.approx((0.25 + 0) / 2)
    assert statistic(mixed, "next_word") == pytest.approx((0.5 + 0.5) / 2)
    assert statistic(mixed, "same_word") == pytest.approx((0.5 + 0.25 + 1) / 3)


def test_focus_under_a_causal_mask_counts_visible_keys_and_leaves_the_first_row_out():
    causal = one_head([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]], causal=True)
    assert statistic(causal, "focus") == pytest.approx((0 + 1) / 2)  # row 1 is even over two keys, row 2 looks at one
    assert statistic(causal, "entropy") == pytest.approx(1 / 3)


def test_next_word_is_undefined_under_a_causal_mask():
    causal = one_head([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]], causal=True)
    assert np.isnan(statistic(causal, "next_word"))
    assert np.isnan(word_statistics(causal)["next_word"]).all()
    assert undefined_statistics(causal) == {"next_word": "A left-to-right model cannot attend to a later word."}
    assert undefined_statistics(one_head([[1]])) == dict.fromkeys(
        ("previous_word", "next_word"), "The text has one word."
    )
    assert undefined_statistics(one_head([[0.5, 0.5]] * 2)) == {}


def test_only_the_largest_weight_sets_sinks_aside():
    tokens = (Token("[CLS]", special=True), Token("a", word=0), Token("b", word=1), Token(".", word=None))
    maps = one_head([[1, 0, 0, 0], [0.5, 0.125, 0.125, 0.25], [0.995, 0.005, 0, 0], [0, 1, 0, 0]], tokens=tokens)
    assert statistic(maps, "largest_weight") == pytest.approx(
        0.5
    )  # row a: 0.125 of 0.25; row b is empty; "." is a sink
    assert statistic(maps, "sink_share") == pytest.approx((0.75 + 0.995 + 0) / 3)
    assert statistic(maps, "same_word") == pytest.approx((1 + 0.125 + 0 + 0) / 4)


MARKED = (
    Token("[CLS]", special=True), Token("a", word=0), Token(","), Token("b", word=1), Token("[SEP]", special=True),
)  # fmt: skip
ROWS = [[1, 0, 0, 0, 0], [0.4, 0.3, 0, 0.2, 0.1], [0, 0, 1, 0, 0], [0, 0.5, 0.25, 0.25, 0], [0, 0, 0, 0, 1]]


def over_words(key: str, aside: bool = False, rows: list[list[float]] = ROWS) -> float:
    return float(word_statistics(one_head(rows, tokens=MARKED), aside)[key][0, 0])


def test_over_words_only_rows_of_words_count_and_a_mark_is_no_step():
    assert over_words("previous_word") == pytest.approx(0.5)  # a has no word before it, b none after it
    assert over_words("next_word") == pytest.approx(0.2)
    assert over_words("same_word") == pytest.approx((0.3 + 0.25) / 2)
    assert over_words("largest_weight") == pytest.approx((0.4 + 0.5) / 2)
    assert over_words("sink_share") == pytest.approx((0.5 + 0) / 2)
    assert over_words("mean_distance") == pytest.approx((0.4 + 0.4 + 0.3 + 1 + 0.25) / 2)
    assert over_words("entropy") == pytest.approx((1.8464393 + 1.5) / 2)
    assert over_words("focus") == pytest.approx(1 - (1.8464393 + 1.5) / 2 / np.log2(5))


def test_over_words_with_sinks_set_aside_what_is_left_counts():
    assert over_words("previous_word", aside=True) == pytest.approx(0.5)
    assert over_words("next_word", aside=True) == pytest.approx(0.4)
    assert over_words("largest_weight", aside=True) == pytest.approx((0.6 + 0.5) / 2)
    assert over_words("sink_share", aside=True) == over_words("sink_share")
    empty = [ROWS[0], [1, 0, 0, 0, 0], *ROWS[2:]]
    assert over_words("largest_weight", aside=True, rows=empty) == pytest.approx(0.5)  # the empty row takes no part
    assert over_words("previous_word", aside=True, rows=empty) == pytest.approx(0.5)


@pytest.mark.parametrize("causal", [False, True])
def test_rows_with_a_sink_logit_count_as_shares_of_the_attention_on_tokens(causal):
    full = np.random.default_rng(7).dirichlet(np.ones(5), (2, 3, 5)).astype(np.float32)
    full = np.tril(full) / np.tril(full).sum(axis=-1, keepdims=True) if causal else full
    taken = np.linspace(0.1, 0.9, 30).reshape(2, 3, 5, 1)  # by the sink logit
    whole, lacking = (AttentionMaps(weights, words(5), causal=causal) for weights in (full, full * (1 - taken)))
    for measured in (head_statistics, word_statistics):
        expected, found = measured(whole), measured(lacking)
        for key in expected.keys() - {"sink_share"}:
            assert found[key] == pytest.approx(expected[key], abs=1e-6, nan_ok=True), key
        assert (found["sink_share"] > expected["sink_share"]).all()
    expected, found = one_text(whole).values, one_text(lacking).values
    for key in expected.keys() - {"sink_share"}:
        assert found[key] == pytest.approx(expected[key], abs=1e-5, nan_ok=True), key
