"""What is said at each step of the toy's walk, and around it. Pure.

A row of `SAID` is a step. The numbers come from a `Lesson`, which has them from `mha.core.trace`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mha.formats import bracketed, counted, many, number, percent
from mha.screens.arrays import W_O, Flow, Line
from mha.screens.blocks import Said, Spans, say, word
from mha.screens.steps import toy_arrays as arrays
from mha.screens.steps.lesson import Lesson, labelled
from mha.screens.steps.step import MOST_TERMS, Step, StepText, product

PLAIN = (-2.0, 12.0)  # largest scores of a row whose exponentials can be read as they are


def said(lesson: Lesson) -> Step:
    """Return what the lesson's step says and shows."""
    title = lesson.choices.step
    row, compact = SAID[lesson.choices.number - 1], len(lesson.words) > arrays.COMPACT_FROM
    return row.step(title, lesson, _slots(lesson), f"the arrays of step {title}", compact=compact)


def where_you_are(lesson: Lesson) -> Spans:
    """Return the caption under the layer at a glance."""
    here = f"Blue: positive. Grey: negative. Frame: this step (seed {lesson.seed}). "
    return ("plain", here), ("next", "Click a share to follow it.")


def source(lesson: Lesson) -> str:
    """Return the caption that says where the toy's numbers come from."""
    n, d, w, heads = len(lesson.words), lesson.d_model, lesson.d_head, lesson.n_heads
    return (
        f"[[Toy example|toy example]] with random numbers (seed {lesson.seed}): the steps are real, the result has no "
        f"meaning. {many(n, 'word')}, {d:,} numbers each, {heads} {'head' if heads == 1 else 'heads'} of {w:,}."
    )


def what_w_o_does(lesson: Lesson) -> Flow:
    """Return what W_O does, in one sentence with the reader's sizes."""
    left, out = lesson.n_heads * lesson.d_head, lesson.d_model
    heads = {1: "One head leaves", 2: "Two heads leave"}.get(lesson.n_heads, f"{lesson.n_heads} heads leave")
    brings = f"combines them into {counted(out)}" if left != out else f"turns them into {counted(out)} new ones"
    without = (
        "With one head there is nothing to mix; it only makes numbers for the next layer."
        if lesson.n_heads == 1
        else "Without it, the results of the heads would never mix."
    )
    spans = say(
        f"{heads} {counted(left)} numbers per word. {{w_o}} {brings}. {without}",
        w_o=W_O,
    )
    return Flow(Said("finding", spans), "what W_O does, in a sentence")


def _slots(lesson: Lesson) -> dict[str, object]:
    """Return what the formulas leave open: sizes, and the parts that the switches change."""
    heads, choices = lesson.n_heads, lesson.choices
    inner = r" \mid ".join(f"Z_{head}" for head in range(min(heads, 3))) + (r" \mid \dots" if heads > 3 else "")
    return {
        "n": len(lesson.words),
        "words": rf"{len(lesson.words)}\ \text{{{'word' if len(lesson.words) == 1 else 'words'}}}",
        "d": lesson.d_model,
        "w": lesson.d_head,
        "heads": heads,
        "all": heads * lesson.d_head,
        "input": r"E + P \qquad (<n> \times <d>) +" if choices.positions else r"E \qquad",
        "divided": r"\frac{S_h}{\sqrt{d_\text{head}}} = \frac{S_h}{\sqrt{<w>}}"
        if choices.scale
        else r"S_h \quad \text{(the division by } \sqrt{<w>} \text{ is off)}",
        "scaled": r"\frac{Q_h K_h^\top}{\sqrt{<w>}}" if choices.scale else r"Q_h K_h^\top",
        "mask": r"_{qk} = \begin{cases} 0 & k \le q \\ -\infty & k > q \end{cases}"
        if lesson.masked
        else r" = 0 \ \text{everywhere}",
        "masked": " + M" if lesson.masked else "",
        "heat": rf"\frac{{1}}{{{choices.temperature:g}}}" if choices.temperature != 1 else "",
        "findings": inner,
    }


def _sizes(lesson: Lesson) -> tuple[Line, ...]:
    d = f"{lesson.d_model:,}"
    return (
        ("words", f"{len(lesson.words)}", "what comes in"),
        ("numbers a word", d, "called d_model"),
        ("heads", f"{lesson.n_heads}", f"each with {lesson.d_head:,} numbers a word, called d_head"),
        ("numbers out", d, "for each word again, so that layers can be stacked"),
    )


def _input(lesson: Lesson) -> tuple[Line, ...]:
    e, p, x = (lesson.steps[name][lesson.query, 0] for name in ("embeddings", "positions", "input"))
    own = ("E", number(e), "the word’s own first number")
    if not lesson.choices.positions:
        return own, ("X", number(x), "the same: positions are off")
    place = ("P", number(p), f"sin({lesson.query}), from its place")
    return own, place, ("X", number(x), f"{number(e)} + {bracketed(p)}")


def _projections(lesson: Lesson) -> tuple[Line, ...]:
    x, heads = lesson.steps["input"][lesson.query], lesson.heads
    return tuple(
        (
            f"first number of {name}",
            number(lesson.of(array)[lesson.query, 0]),
            product(x, heads.of_head(f"w_{array}", lesson.head)[:, 0]),
        )
        for name, array in (("q", "query"), ("k", "key"), ("v", "value"))
    )


def _cell(lesson: Lesson, until: int = 7) -> tuple[Line, ...]:
    """Return q·k, scaling, mask, exp and share of the followed cell, as far as the step has come."""
    c, names, key = lesson.by_hand, labelled(lesson.words), lesson.key
    scaled, hidden, heat = c.score * c.scale, not np.isfinite(c.row[key]), lesson.choices.temperature
    divided = f"{number(c.score)} ÷ {np.sqrt(lesson.d_head):.3g}"
    off = 0.0 if PLAIN[0] <= c.peak <= PLAIN[1] else c.peak
    powers = np.exp(c.row - off)
    others = [f"{names[k]} {number(powers[k])}" for k in range(len(powers)) if k != key]
    heated = f"{number(scaled)} ÷ {heat:g}" if heat != 1 and not hidden else ""
    at = f"{number(c.row[key])}" + (f" = {heated}" if heated and not off else "")
    made = f"exp({at})"
    if off:
        made = f"exp({at} − {bracketed(off)}), the row’s largest taken off{f'; {at} = {heated}' if heated else ''}"
    lines: tuple[Line, ...] = (
        ("q · k", number(c.score), product(c.query, c.key)),
        (f"÷ √{lesson.d_head}", number(scaled), divided if lesson.choices.scale else "not divided: scaling is off"),
        (
            "mask",
            "−∞" if hidden else number(scaled),
            "hidden: a later word" if hidden else "visible, nothing added",
        ),
        ("exp", number(powers[key]), made),
        ("the others", number(powers.sum() - powers[key]), ", ".join(others[:MOST_TERMS])),
        ("share", percent(c.weight), f"{number(powers[key])} ÷ {number(powers.sum())}"),
    )
    return lines if until == 7 else lines[: until - 3]


def _values(lesson: Lesson) -> tuple[Line, ...]:
    weights, value, names = lesson.of("weights")[lesson.query], lesson.of("value"), labelled(lesson.words)
    lines = [
        (name, percent(w), f"× its value’s first number, {number(v)}")
        for name, w, v in zip(names, weights, value[:, 0], strict=True)
    ]
    return (*lines, ("sum", number(lesson.of("heads")[lesson.query, 0]), product(weights, value[:, 0])))


def _side_by_side(lesson: Lesson) -> tuple[Line, ...]:
    first, w = lesson.steps["heads"][:, lesson.query, 0], lesson.d_head
    lines = [(f"head {head}", number(first[head]), "its first number for this word") for head in lesson.shown_heads]
    all_of_them = f"{lesson.n_heads} × {w:,} numbers, none of them changed"
    return (*lines, ("together", f"{lesson.n_heads * w:,}", all_of_them))


def _mix(lesson: Lesson) -> tuple[Line, ...]:
    parts, w_o = lesson.steps["contributions"][:, lesson.query, 0], lesson.heads  # [head]
    found = lesson.steps["heads"][:, lesson.query]  # [head, d_head]
    lines = [
        (f"head {head}", number(parts[head]), product(found[head], w_o.of_head("w_output", head)[:, 0]))
        for head in lesson.shown_heads
    ]
    more = lesson.n_heads - len(lesson.shown_heads)
    if more:
        rest = parts.sum() - sum(parts[head] for head in lesson.shown_heads)
        lines.append(("other heads", number(rest), f"{more} more, in the same way"))
    return (*lines, ("output", number(lesson.steps["output"][lesson.query, 0]), "their sum"))


def _weight_so(lesson: Lesson) -> Spans:
    names = labelled(lesson.words)
    return say(
        f"In head {lesson.head}, {{asking}} gives {percent(lesson.by_hand.weight)} of its attention to {{asked}}. More "
        "for one word means less for another.",
        asking=word(names[lesson.query]),
        asked="itself" if lesson.key == lesson.query else word(names[lesson.key]),
    )


def _side_by_side_so(lesson: Lesson) -> str:
    if lesson.n_heads == 1:
        return "With one head there is nothing to put side by side."
    return f"Nothing is mixed yet: {lesson.n_heads} heads, {lesson.n_heads * lesson.d_head:,} numbers for each word."


def _mix_so(lesson: Lesson) -> str:
    return f"Each word again has {counted(lesson.d_model)} numbers, ready for the next layer."


_MASK_SO = {
    "none": "No mask: every word can look at every word.",
    "causal": "Hatched: hidden from this word, exactly 0 %.",
}


SAID = (
    StepText(
        "Each word becomes a row of numbers. Attention mixes information from other words into each row. Several "
        "[[heads|head]] do this side by side.",
        r"<words> \;\to\; X \;\to\; \text{output} \qquad X \text{ and output: } <n> \times <d>",
        _sizes,
        "Words in, one row of numbers per word out.",
        arrays.words,
    ),
    StepText(
        "Each word has a fixed row of numbers, its [[embedding]]. If positions are on, a second row for the place is "
        "added.",
        r"X = <input> (<n> \times <d>)",
        _input,
        "With positions, the same word has different numbers in different places.",
        arrays.numbers,
    ),
    StepText(
        "Each head makes three rows from every word: a [[query]] (what it searches for), a [[key]] (what matches it) "
        "and a [[value]] (what it passes on).",
        r"Q_h = X\,W_{Q,h} \quad K_h = X\,W_{K,h} \quad V_h = X\,W_{V,h} "
        r"\qquad (<n> \times <d>)(<d> \times <w>) \to <n> \times <w>",
        _projections,
        "All heads read the same words, through different matrices.",
        arrays.projections,
    ),
    StepText(
        "Multiply a query by a key, number by number, and add up. A large [[attention score]] means that they match. "
        "The words themselves need not be similar.",
        r"S_h = Q_h K_h^\top \qquad (<n> \times <w>)(<w> \times <n>) \to <n> \times <n>",
        partial(_cell, until=4),
        "Attention has a direction: A to B differs from B to A.",
        arrays.scores,
    ),
    StepText(
        "Wide heads add up more products, so their scores grow. Dividing by √width keeps scores comparable. Otherwise "
        "one word could get nearly all the attention.",
        r"<divided> \qquad <n> \times <n>",
        partial(_cell, until=5),
        "Scaling keeps the order and softens the differences.",
        arrays.scale,
    ),
    StepText(
        "A model that writes must not see later words. A causal [[mask]] sets their scores to −∞, which softmax turns "
        "into exactly 0 %.",
        r"<scaled> + M, \qquad M<mask>",
        partial(_cell, until=6),
        lambda lesson: _MASK_SO[lesson.choices.mask],
        arrays.mask,
    ),
    StepText(
        "[[Softmax|softmax]] turns each row of scores into shares that add up to 100 %. A higher temperature makes "
        "them "
        "more even.",
        r"A_h = \operatorname{softmax}\!\left(<heat><scaled><masked>\right) "
        r"\qquad (<n> \times <w>)(<w> \times <n>) \to <n> \times <n>",
        _cell,
        _weight_so,
        arrays.weights,
    ),
    StepText(
        "Each word adds up the [[values|value]] of all words, weighted by attention.",
        r"Z_h = A_h V_h \qquad (<n> \times <n>)(<n> \times <w>) \to <n> \times <w>",
        _values,
        "The result is a mixture of values; attention is the recipe.",
        arrays.values,
    ),
    StepText(
        "The results of all heads are put next to each other ([[concatenation]]). Nothing is computed.",
        r"Z = [\,<findings>\,] \qquad <heads> \cdot (<n> \times <w>) \to <n> \times <all>",
        _side_by_side,
        _side_by_side_so,
        arrays.side_by_side,
    ),
    StepText(
        "One last matrix, [[W_O]], combines the heads into a row of the original length. It sets how much of each head "
        "goes into each number.",
        r"\text{output} = Z\,W_O = \sum_h Z_h W_{O,h} \qquad (<n> \times <all>)(<all> \times <d>) \to <n> \times <d>",
        _mix,
        _mix_so,
        arrays.mix,
    ),
)
