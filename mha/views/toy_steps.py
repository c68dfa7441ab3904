"""Step by step: the ten steps of a small layer, with their formulas, arrays and one number by hand. Pure."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mha.core import PRESETS, attend, attend_by_loop, average_weights, trace
from mha.formats import in_brackets, in_figures, number, percent
from mha.views.component_data import Array, array, picture
from mha.views.toy_layer import MOST_WORDS, SHOWN_HEADS, ToyCase, word_of

MOST_TERMS = 6  # of a sum that is written out


class Step(NamedTuple):
    """One step: title, idea and conclusion (Markdown), formula (LaTeX), one number by hand, and its arrays."""

    title: str
    idea: str
    formula: str
    by_hand: str
    conclusion: str
    arrays: dict[str, Any]


TITLES = dict(enumerate((
    "1 Words", "2 Numbers", "3 Q, K, V", "4 Scores", "5 Scale", "6 Mask", "7 Weights", "8 Values", "9 Side by side",
    "10 Mix with W_O",
), start=1))  # fmt: skip
IDEAS = (
    "Each word becomes a row of numbers. Attention mixes information from other words into each row. Several heads do "
    "this side by side.",
    "Each word has a fixed row of numbers, its embedding. If positions are on, a second row for the place is added.",
    "Each head makes three rows from every word: a query (what it searches for), a key (what matches it) and a value "
    "(what it passes on).",
    "Multiply a query by a key, number by number, and add up. A large score means that they match. The words "
    "themselves need not be similar.",
    "Wide heads add up more products, so their scores grow. Dividing by √width keeps scores comparable. Otherwise one "
    "word could get nearly all the attention.",
    "A model that writes must not see later words. A causal mask sets their scores to −∞, which softmax turns into "
    "exactly 0 %.",
    "Softmax turns each row of scores into shares that add up to 100 %.",
    "Each word adds up the values of all words, weighted by attention.",
    "The results of all heads are put next to each other (concatenation). Nothing is computed.",
    "One last matrix, W_O, combines the heads into a row of the original length. It sets how much of each head goes "
    "into each number.",
)


def step_of(case: ToyCase, step: int) -> Step:
    """Return a step by its number, from 1."""
    title = TITLES[step]
    formulas, arrays = _formulas(case), _arrays(case, step)
    lines = ["| step | number | how |", "|---|--:|---|"]
    lines += [f"| {name} | {value} | {note} |" for name, value, note in _by_hand(case, step)]
    return Step(
        title, IDEAS[step - 1], formulas[step - 1], "\n".join(lines), _conclusion(case, step),
        picture(f"The arrays of step {step}, {title}", *arrays),
    )  # fmt: skip


def _formulas(case: ToyCase) -> tuple[str, ...]:
    n, d, w, h = len(case.words), case.heads.d_model, case.heads.d_head, case.heads.n_heads
    scaled = rf"\frac{{Q_h K_h^\top}}{{\sqrt{{{w}}}}}" if case.is_scaled else r"Q_h K_h^\top"
    mask = r"_{qk} = \begin{cases} 0 & k \le q \\ -\infty & k > q \end{cases}" if case.is_masked else r" = 0"
    masked = " + M" if case.is_masked else ""
    inner = r" \mid ".join(f"Z_{head}" for head in range(min(h, 3))) + (r" \mid \dots" if h > 3 else "")
    return (
        rf"X: {n} \times {d} \;\to\; \text{{output}}: {n} \times {d}",
        r"X = E + P" if case.has_positions else r"X = E",
        rf"Q_h = X W_{{Q,h}},\; K_h = X W_{{K,h}},\; V_h = X W_{{V,h}} \quad ({n} \times {d})({d} \times {w})",
        rf"S_h = Q_h K_h^\top \quad ({n} \times {w})({w} \times {n})",
        rf"\frac{{S_h}}{{\sqrt{{{w}}}}}" if case.is_scaled else r"S_h \;\text{(not divided)}",
        rf"{scaled} + M, \quad M{mask}",
        rf"A_h = \operatorname{{softmax}}\left({scaled}{masked}\right)",
        rf"Z_h = A_h V_h \quad ({n} \times {n})({n} \times {w})",
        rf"Z = [\,{inner}\,] \quad {n} \times {h * w}",
        rf"\text{{output}} = Z W_O = \sum_h Z_h W_{{O,h}} \quad ({n} \times {h * w})({h * w} \times {d})",
    )  # fmt: skip


def _conclusion(case: ToyCase, step: int) -> str:
    names, heads = case.names, case.heads
    target, share = "itself" if case.key == case.query else word_of(case, case.key), percent(case.by_hand.weight)
    return (
        f"{in_figures(len(names), 'word')} in, {in_figures(len(names), 'row')} of {heads.d_model} numbers out.",
        "Without positions, shuffled words give shuffled outputs (equivariance); with positions, order counts.",
        "All heads read the same words, through different matrices."
        if heads.reads is None
        else f"Each head reads its own {int(heads.reads[0].sum())} of {heads.d_model} numbers; the parts may overlap. "
        "Rows of 0 in its matrices belong to numbers that it does not read.",
        "Attention has a direction: A to B differs from B to A.",
        "Scaling keeps the order of the scores and changes how far the shares differ.",
        "Hatched: hidden from this word, exactly 0 %." if case.is_masked else "No mask: every word sees every word.",
        f"In head {case.head}, {word_of(case, case.query)} gives {share} of its attention to {target}.",
        "The result is a mixture of values; attention is the recipe.",
        "With one head there is nothing to put side by side."
        if heads.n_heads == 1
        else f"Nothing is mixed yet: {heads.n_heads} heads, {heads.n_heads * heads.d_head} numbers for each word.",
        f"Each word again has {heads.d_model} numbers, ready for the next layer.",
    )[step - 1]  # fmt: skip


def _by_hand(case: ToyCase, step: int) -> Sequence[tuple[str, str, str]]:
    steps, heads, query = case.steps, case.heads, case.query
    if step == 1:
        return (
            ("words", str(len(case.words)), "what comes in"),
            ("numbers a word", str(heads.d_model), "d_model"),
            ("heads", str(heads.n_heads), f"each with {heads.d_head} numbers a word, d_head"),
        )
    if step == 2:
        embedding, place, x = (steps[name][query, 0] for name in ("embeddings", "positions", "input"))
        positions = [("P", number(place), f"sin({query}), from its place")] if case.has_positions else []
        note = "their sum" if positions else "the same"
        return [("E", number(embedding), "the word’s own first number"), *positions, ("X", number(x), note)]
    if step == 3:
        x, names = steps["input"][query], ("query", "key", "value")
        columns = [heads.of_head(f"w_{name}", case.head)[:, 0] for name in names]
        return [
            (f"first number of {name}", number(case.array_of(name)[query, 0]), product(x, column))
            for name, column in zip(names, columns, strict=True)
        ]
    if step <= 7:
        return _weight(case)[: {4: 1, 5: 2, 6: 3, 7: 6}[step]]
    if step == 8:
        weights, value = case.array_of("weights")[query], case.array_of("value")[:, 0]
        return [("first number", number(case.array_of("heads")[query, 0]), product(weights, value))]
    if step == 9:
        first = steps["heads"][:, query, 0]
        return [(f"head {head}", number(first[head]), "its first number for this word") for head in case.shown_heads]
    parts, gathered = steps["contributions"][:, query, 0], steps["heads"][:, query]
    lines = [
        (f"head {head}", number(parts[head]), product(gathered[head], heads.of_head("w_output", head)[:, 0]))
        for head in case.shown_heads
    ]
    n_more = heads.n_heads - len(lines)
    remainder = parts.sum() - parts[list(case.shown_heads)].sum()
    more = [("other heads", number(remainder), f"{n_more} more, in the same way")] if n_more else []
    return [*lines, *more, ("output", number(steps["output"][query, 0]), "their sum")]


def _weight(case: ToyCase) -> list[tuple[str, str, str]]:
    """Return q·k, scale, mask, exponential, sum and share of the followed cell."""
    by_hand, width = case.by_hand, case.heads.d_head
    scaled, hidden = by_hand.score * by_hand.scale, not np.isfinite(by_hand.row[case.key])
    power, total = by_hand.powers[case.key], by_hand.powers.sum()
    score, largest = number(by_hand.row[case.key]), in_brackets(by_hand.peak)
    divided = f"{number(by_hand.score)} ÷ {np.sqrt(width):.3g}"
    return [
        ("q · k", number(by_hand.score), product(by_hand.query, by_hand.key)),
        (f"÷ √{width}", number(scaled), divided if case.is_scaled else "scaling is off"),
        ("mask", "−∞" if hidden else number(scaled), "hidden: a later word" if hidden else "visible, nothing added"),
        ("exp", number(power), f"exp({score} − {largest}), the row’s largest score taken off"),
        ("all words", number(total), "the same for each word, added up"),
        ("share", percent(by_hand.weight), f"{number(power)} ÷ {number(total)}"),
    ]  # fmt: skip


def product(first: np.ndarray, second: np.ndarray) -> str:
    """Return a sum of products written out.

    >>> product(np.array([1.0, -2.0]), np.array([0.5, 0.25]))
    '1.00×0.50 + (−2.00)×0.25'
    """
    terms = [f"{in_brackets(a)}×{in_brackets(b)}" for a, b in zip(first, second, strict=True)]
    ending = f" + … ({len(terms)} products)" if len(terms) > MOST_TERMS else ""
    return " + ".join(terms[:MOST_TERMS]) + ending


# ---- arrays


def _step_array(case: ToyCase, step: str, title: str, head: int | None = None, **look: Any) -> Array:
    return array(case.array_of(step, head), title, **{"rows": case.names, **look})


def _square(case: ToyCase, step: str, title: str, head: int | None = None, **look: Any) -> Array:
    """Return an array with words on both axes; a click on a cell follows it."""
    head = case.head if head is None else head
    framed = {"cell": (case.query, case.key)} if head == case.head else {}
    look = {"columns": case.names, "most_columns": MOST_WORDS, "sends": head, **framed, **look}
    return _step_array(case, step, title, head, **look)


def _arrays(case: ToyCase, step: int) -> list[list[Array | str]]:
    heads, head = case.heads, case.head
    plain, square = partial(_step_array, case), partial(_square, case)
    if step == 1:
        return [[plain("input", "X"), "→", plain("output", "output", is_result=True)]]
    if step == 2:
        places: list[Array | str] = ["+", plain("positions", "P")] if case.has_positions else []
        return [[plain("input", "X", is_result=True), "=", plain("embeddings", "E"), *places]]
    if step == 3:
        letters = (("query", "Q"), ("key", "K"), ("value", "V"))
        results: list[Array | str] = [
            plain(name, f"{letter} = X × W_{letter}", is_result=True) for name, letter in letters
        ]
        matrices = [array(heads.of_head(f"w_{name}", head), f"W_{letter} of head {head}") for name, letter in letters]
        return [results, [plain("input", "X"), "×", *matrices]]
    if step == 4:
        turned = array(case.array_of("key").T, "K, transposed", columns=case.names, most_columns=MOST_WORDS)
        return [[square("scores", "scores", is_result=True), "=", plain("query", "Q"), "×", turned]]
    if step == 5:
        sign = f"÷ √{heads.d_head} of" if case.is_scaled else "="
        return [[square("scaled", "scaled", is_result=True), sign, square("scores", "scores")]]
    if step == 6:
        return [[square("masked", "with the mask", is_result=True), "←", square("scaled", "scaled")]]
    if step == 7:
        unfollowed = [other_head for other_head in case.shown_heads if other_head != head]
        other_weights: list[Array | str] = [
            square("weights", f"weights of head {other_head}", other_head, shares=True) for other_head in unfollowed
        ]
        results = [
            square("weights", f"weights of head {head}", shares=True, is_result=True),
            "= softmax of",
            square("masked", "scores"),
        ]
        return [results, other_weights]
    if step == 8:
        looks = square("weights", "weights", shares=True)
        return [[plain("heads", f"result of head {head}", is_result=True), "=", looks, "×", plain("value", "V")]]
    side = plain("concatenation", "side by side", is_result=step == 9)
    if step == 9:
        parts = [
            part for other_head in case.shown_heads for part in ("|", plain("heads", f"head {other_head}", other_head))
        ][1:]
        return [[side, "=", *parts, *(["| …"] if heads.n_heads > SHOWN_HEADS else [])]]
    owners = [f"head {place // heads.d_head}" for place in range(heads.n_heads * heads.d_head)]
    return [[plain("output", "output", is_result=True), "=", side, "×", array(heads.w_output, "W_O", rows=owners)]]


# ---- one head or two


def one_or_two() -> tuple[dict[str, Any], str]:
    """Return *All is well* with one head, with two, and with two that share one weighting, and a sentence about it.

    The sentence names the text, because another layer may be open. The row is that of the word whose weights the
    averaging moves most.
    """
    one_head, two_heads = (
        trace(PRESETS[name].heads(), PRESETS[name].embeddings()) for name in ("one_head", "two_heads")
    )
    shared, output = average_weights(PRESETS["two_heads"].heads(), two_heads)
    names, changes = PRESETS["two_heads"].text.split(), np.abs(two_heads["weights"] - shared)  # [head, query, key]
    query = int(np.unravel_index(changes.argmax(), changes.shape)[1])
    row = partial(array, shares=True, rows=[f"{names[query]} looks at"], columns=names, shape="")
    line: list[Array | str] = [
        row(one_head["weights"][0, query], "one head"), row(two_heads["weights"][0, query], "two heads: head 0"),
        row(two_heads["weights"][1, query], "head 1"), "averaged", row(shared[query], "two heads made one"),
    ]  # fmt: skip
    first, second = (int(weights.argmax()) for weights in two_heads["weights"][:, query])
    separate_shares = [
        percent(float(two_heads["weights"][head, query, key])) for head, key in enumerate((first, second))
    ]
    averaged_shares = [percent(float(shared[query, key])) for key in (first, second)]
    changed = float(np.abs(output[query] - two_heads["output"][query]).max())
    text = PRESETS["two_heads"].text
    return picture(f"One head against two on {text}", line), (
        f"On *{text}* (random numbers, no positions, no mask), one head gives *{names[query]}* one set of shares; two "
        f"heads give it two. Head 0 looks at *{names[first]}* ({separate_shares[0]}), head 1 at *{names[second]}* "
        f"({separate_shares[1]}). Averaged into one head, they blur to {averaged_shares[0]} and {averaged_shares[1]}, "
        f"and the output changes by up to {changed:.2f}."
    )


def stacked_or_separate() -> str:
    """Return the largest difference between heads with separate matrices and with one stacked matrix."""
    heads, embeddings = PRESETS["two_heads"].heads(), PRESETS["two_heads"].embeddings()
    difference = np.abs(attend(heads, embeddings)[0] - attend_by_loop(heads, embeddings)[0]).max()
    return (
        "Stacked or separate: one product with the matrices of both heads side by side gives the same output as head "
        f"by head (difference at most {difference:.1e}). In *Money Bank, overlap* heads read parts of a word that may "
        "overlap."
    )
