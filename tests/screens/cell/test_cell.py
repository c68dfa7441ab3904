"""What is said of one cell: every number is the cell's, and what is not there is told as such."""

from __future__ import annotations

import numpy as np
import pytest

from mha.formats import number, percent
from mha.link.heads import CellPlace
from mha.link.view import View
from mha.maps import HeadId
from mha.models.watch.any_cell import cell
from mha.models.watch.attending import attend
from mha.screens.blocks import as_data, as_text
from mha.screens.cell import keys, page, score
from mha.screens.cell.keys import Keys
from mha.screens.cell.recorded import RecordedCell, picked
from mha.screens.cell.score import turning_pairs
from mha.screens.shown import shown_for
from tests.screens.cell.cases import case


def text_of(blocks: object) -> str:
    """All spans of blocks, however deep, as text."""

    def walk(value: object) -> str:
        if isinstance(value, dict):
            return "\n".join(walk(own) for own in value.values())
        if (
            isinstance(value, list)
            and value
            and isinstance(value[0], list)
            and all(isinstance(x, str) for x in value[0])
        ):
            return "".join(span[1] for span in value)
        if isinstance(value, list):
            return "\n".join(walk(own) for own in value)
        return value if isinstance(value, str) else ""

    return walk(as_data(blocks))


def steps_of(blocks: object) -> list[tuple[str, str, str]]:
    """The steps of a calculation: what, number, why."""
    (flow,) = [block for block in blocks if block.kind == "flow"]
    return [(as_text(what), value, note) for what, value, note in flow.root.lines]


def test_the_sentence_of_the_view() -> None:
    one = case()
    assert as_text(page.finding(one).spans) == (
        f"In head L0H1, saw gives {percent(one.cell.weight)} of its attention to dog. These four steps produce that "
        "number."
    )
    assert "of its attention to itself" in as_text(page.finding(case(key=2)).spans)
    scores = np.array([0.3, -np.inf, 0.1, -np.inf, -np.inf])
    weights = np.array([0.55, 0, 0.45, 0, 0])
    hidden = case(hidden=True, scores=scores, weights=weights)
    assert as_text(page.finding(hidden).spans) == "In head L0H1, saw cannot look at dog, because a mask hides it."
    assert "dog is hidden and has no score" in text_of(keys.keys(hidden))
    assert [step[1:] for step in steps_of(score.score_steps(hidden))[-2:]] == [
        ("−∞", "hidden"),
        ("0\u00a0%", "hidden: 0\u00a0%"),
    ]


def step_of(one: RecordedCell, title: str) -> tuple[str, str]:
    """What stands beside a step, and why."""
    every = (*steps_of(score.score_steps(one)), *steps_of(score.absent_steps(one)))
    return next(step[1:] for step in every if title in step[0])


def test_a_mask_says_why_it_hides() -> None:
    gone = {"hidden": True, "causal": True, "window": 2}
    assert step_of(case(key=4, **gone), "mask") == ("−∞", "later token: hidden, this model reads left to right")
    assert step_of(case(query=4, key=2, **gone), "mask") == ("−∞", "outside the window of 2 tokens")
    assert step_of(case(query=4, key=3, **gone), "mask") == ("−∞", "hidden")
    assert step_of(case(window=2), "mask") == ("0", "inside the window of 2 tokens")
    assert step_of(case(), "mask") == ("0", "visible")


def test_a_position_bias_says_what_it_hangs_on() -> None:
    bias = "position bias"
    assert step_of(case(), bias) == ("none", "0 for these two positions")
    assert step_of(case(placed=True), bias)[1] == "added to the words before the first layer"
    assert step_of(case(rotated=True, placed=True), bias)[1] == "encoded by rotation instead"
    assert step_of(case(position=0.0625), bias) == ("+0.0625", "depends on their positions and words")
    assert step_of(case(position=-2.5, by_distance=True), bias)[1] == "depends on their distance only"


def test_the_products_stand_largest_first_and_their_sum_is_the_cells() -> None:
    one = case()
    picture, _ = score.dims(one)
    assert list(picture.products) == sorted(one.cell.products, reverse=True)
    assert [int(name) for name in picture.numbers] == list(np.argsort(-one.cell.products))
    assert picture.total == number(one.cell.dot)
    assert picture.wash == min(5, int((one.cell.products > 0).sum()))
    ordered, _ = score.dims(case(by_number=True))
    assert ordered.numbers == tuple("0123456")
    assert ordered.wash == 0
    five = np.sort(one.cell.products)[-5:].sum()
    assert (
        f"The five largest products add up to {number(five, 2)}; all 7 add up to {number(one.cell.dot, 2)}."
        in text_of(score.fits(one))
    )
    assert "largest products" not in text_of(score.fits(case(d_head=2)))


def test_a_wide_head_keeps_the_ends_and_puts_the_others_together() -> None:
    one = case(d_head=131)
    picture, caption = score.dims(one)
    assert len(picture.numbers) == 24 + 1 + 7
    assert picture.numbers[24] == "100 more"
    assert np.isnan(picture.q[24])
    order = np.sort(one.cell.products)[::-1]
    np.testing.assert_allclose(picture.products[:24], order[:24])
    np.testing.assert_allclose(picture.products[25:], order[-7:])
    assert picture.products.sum() == pytest.approx(one.cell.dot)
    assert "“100 more” adds up the rest" in as_text(caption.spans)
    assert len(score.dims(case(d_head=131, by_number=True))[0].numbers) == 131
    assert len(score.dims(case(d_head=61))[0].numbers) == 61


def test_steps_that_are_missing_are_told_apart_and_say_why() -> None:
    there = [step[0] for step in steps_of(score.score_steps(case()))]
    assert there == ["sum of 7 products", "→ ÷ √7", "→ exp, ÷ sum over 5 keys"]
    alone = steps_of(score.score_steps(case(n_keys=1, query=0, key=0)))
    assert alone[-1][0] == "→ exp, ÷ sum over 1 key"
    absent = steps_of(score.absent_steps(case()))
    assert [step[0] for step in absent] == ["turned by place", "soft cap", "+ position bias", "+ mask"]
    assert all(step[2] for step in absent)
    own = case(scale=1.0, cap=50.0, position=-0.25, rotated=True)
    told = {what: (value, note) for what, value, note in steps_of(score.score_steps(own))}
    assert told["→ ÷ 1"][1] == "this layer does not divide"
    assert told["→ soft cap"][0] == number(50 * np.tanh(own.cell.dot / 50))
    assert told["+ position bias"][0] == "−0.25"
    assert told["turned by place"][1] == "earlier numbers not available"
    assert step_of(case(rotated=True), "+ position bias")[1] == "encoded by rotation instead"
    assert "→ × 0.5" in [step[0] for step in steps_of(score.score_steps(case(scale=0.5)))]
    beside = steps_of(score.score_steps(case(sink=0.3)))[-1]
    assert beside[0].endswith("plus a learned sink that takes part of the 100\u00a0%")
    assert "sink" in as_text(keys.keys(case(sink=0.3))[0].spans)


def test_the_weight_is_told_as_a_share_of_exponentials() -> None:
    one = case()
    powers = np.exp(one.cell.scores)
    assert (
        steps_of(score.score_steps(one))[-1][2] == f"{powers[1]:.1f} of {powers.sum():.1f} = {percent(one.cell.weight)}"
    )
    large = case(scores=np.array([900.0, 901, 0, 0, 0]))
    assert steps_of(score.score_steps(large))[-1][2] == ""


def table(one) -> Keys:
    (found,) = [block for block in keys.keys(one) if isinstance(block, Keys)]
    return found


def test_all_keys_stand_in_the_table_with_what_they_bring() -> None:
    one = case()
    found = table(one)
    assert [row.name for row in found.rows] == ["the", "dog", "saw", "a", "cat"]
    assert [row.style for row in found.rows] == ["", "chosen", "", "", ""]
    np.testing.assert_allclose([row.weight[0] for row in found.rows], one.cell.weights)
    assert found.reach == (min(0, one.cell.scores.min()), max(0, one.cell.scores.max()))
    assert found.rows[1].brought[1] == number(float(np.linalg.norm(one.cell.brought)))
    untold = case(through=None, brought=None, added=None, along=None)
    assert not table(untold).told
    assert "4 · Contribution" not in text_of(keys.keys(untold))
    assert "Contributions are not available" in text_of(keys.keys(untold))
    assert "The contribution is not available" in text_of(keys.reaches(untold))
    assert "The result after WO is not available" in text_of(keys.carries(untold))


def test_of_many_keys_those_that_count_stand_by_themselves() -> None:
    one = case(n_keys=29, causal=True)
    found = table(one)
    kept = keys.rows_of(one)
    assert set(np.argsort(-one.cell.weights)[:12]) | {0, 1, 2} == set(kept)
    last = found.rows[-1]
    assert last.name == f"{29 - len(kept)} others, together"
    assert sum(row.weight[0] for row in found.rows) == pytest.approx(1)
    assert "The 12 largest are listed" in text_of(keys.compared(one))
    assert len(table(case(n_keys=23)).rows) == 23


def test_a_key_that_takes_attention_and_brings_nothing_is_named() -> None:
    through = np.array([0.02, 1.0, 1.1, 0.9, 1.0])
    weights = np.array([0.4, 0.3, 0.1, 0.1, 0.1])
    lesson = text_of(keys.compared(case(through=through, weights=weights)))
    assert "the gets 40\u00a0% of the attention and contributes 0.01: its value has size 0.0 after WO" in lesson
    assert "contributes" not in text_of(keys.compared(case(through=through + 1, weights=weights)))


def test_what_reaches_the_word_adds_up() -> None:
    one = case()
    (flow,) = [block for block in keys.reaches(one) if block.kind == "flow"]
    bars = [value for value, _ in flow.root.bars]
    assert bars[0] == 13
    assert bars[1] == pytest.approx(np.linalg.norm(one.cell.added))
    assert bars[2] == pytest.approx(one.cell.along[1])
    assert len(keys.reaches(case(incoming=None))[1].root.bars) == len(bars) - 1
    wide = case(brought=np.arange(1301.0))
    strip = keys.carries(wide)[1].root.parts[1]
    assert len(strip.values[1]) <= 512
    assert max(strip.values[1]) == 1300
    assert "one bar for each 3 numbers" in text_of(keys.carries(wide))


def test_numbers_that_turn_together_are_found() -> None:
    rng = np.random.default_rng(1)
    before = rng.normal(size=(2, 6))
    angles = np.array([1.0, 0.4, 0.1])

    def turned(one: np.ndarray, first: list[int], second: list[int]) -> np.ndarray:
        found = one.copy()
        found[first] = one[first] * np.cos(angles) - one[second] * np.sin(angles)
        found[second] = one[first] * np.sin(angles) + one[second] * np.cos(angles)
        return found

    halves = tuple(turned(one, [0, 1, 2], [3, 4, 5]) for one in before)
    assert turning_pairs(tuple(before), halves) == [0, 3, 1, 4, 2, 5]
    beside = tuple(turned(one, [0, 2, 4], [1, 3, 5]) for one in before)
    assert turning_pairs(tuple(before), beside) == [0, 1, 2, 3, 4, 5]
    assert turning_pairs(tuple(before), tuple(before)) is None


def test_a_click_on_joined_words_opens_their_strongest_tokens() -> None:
    maps = attend("The trophy would not fit in the suitcase.")
    shown = shown_for(View(text=maps.text), maps)
    names = [token.text for token in shown.maps.tokens]
    head = HeadId(5, 3)
    place = picked(maps, shown, head, names.index("trophy"), names.index("suitcase"), (1, 1))
    assert maps.tokens[place.query].text == "trophy"
    group = [at for at, token in enumerate(maps.tokens) if token.word == maps.tokens[place.key].word]
    assert place.key in group
    assert maps[head][place.query, place.key] == maps[head][place.query, group].max()
    tokens = shown_for(View(text=maps.text, units="tokens", sinks=False), maps)
    assert picked(maps, tokens, head, 2, 3, (1, 1)) == CellPlace(head, 2, 3)
    block = maps[head][2:4, 3:5]
    row, column = np.unravel_index(int(block.argmax()), (2, 2))
    assert picked(maps, tokens, head, 2, 3, (2, 2)) == CellPlace(head, 2 + int(row), 3 + int(column))


def test_the_sentence_runs_as_the_text_does_wherever_it_is_cut() -> None:
    one = case()
    assert "rtl" not in page.hero(one).pieces[0]
    for text in ("הכלב אכל", " ".join(["הכלב"] * 50)):
        maps = attend(text)
        at = maps.n_keys - 2
        found = page.hero(type(one)(cell(text, (2, 8), at, at), maps, one.row))
        assert found.pieces[0]["rtl"]
        assert found.cut[0] == (len(text) > 100)


def test_the_dog_is_as_the_picture_of_the_design_has_it() -> None:
    text = "A dog ate the food because it was hungry."
    one = case()
    found = cell(text, (2, 8), 7, 9)
    maps = attend(text)
    dog = type(one)(found, maps, one.row)
    assert as_text(page.finding(dog).spans).startswith("In head L2H8, it gives 84\u00a0% of its attention to hungry.")
    assert [step[1] for step in steps_of(score.score_steps(dog))] == [
        "37.38", "6.61", "84\u00a0%",
    ]  # fmt: skip
    said_of_keys = text_of(keys.compared(dog))
    assert "was has a score of 4.6 (2.0 lower) and gets 11\u00a0% of the attention." in said_of_keys
    assert "[CLS] gets 3\u00a0% of the attention and contributes 0.00" in said_of_keys
    assert "hungry accounts for 100\u00a0% of what this head adds to it, biases excluded." in text_of(keys.reaches(dog))
    assert page.hero(dog).cut == (False, False)
