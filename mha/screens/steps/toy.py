"""What is said at each step of the toy's walk, and around it. Pure.

A row of `SAID` is a step: its idea (terms of the glossary in double brackets), its formula (LaTeX, with slots in angle
brackets), one number by hand, the sentence under its arrays, and the arrays. The numbers come from a `Lesson`, which
has them from `mha.core.trace`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from mha.formats import bracketed, counted, number, percent
from mha.screens.arrays import W_O, Flow, Line, Node, SayLine, Spans
from mha.screens.blocks import say, word
from mha.screens.steps.lesson import Lesson, labelled
from mha.screens.steps.overview import StepArrays
from mha.screens.steps.step import MOST_TERMS, Step, filled, product, step


def said(lesson: Lesson) -> Step:
    """Return what the lesson's step says and shows."""
    now, title = SAID[lesson.choices.number - 1], lesson.choices.step
    so = now.so if isinstance(now.so, str) else now.so(lesson)
    return step(
        title,
        now.idea,
        filled(now.formula, _slots(lesson)),
        now.by_hand(lesson),
        now.arrays(StepArrays(lesson)),
        say(so) if isinstance(so, str) else so,
        f"the arrays of step {title}",
    )


def where_you_are(lesson: Lesson) -> str:
    """Return the caption under the layer at a glance."""
    edits = f", {len(lesson.choices.edits.split())} of them edited" if lesson.choices.edits else ""
    return (
        f"Every number is the [[toy]]’s own (seed {lesson.seed}{edits}), shown to one place here and to two places "
        "below. Blue is positive, grey is negative; the framed arrays are where you are; click a weight to follow it."
    )


def source(lesson: Lesson) -> str:
    """Return the caption that says where the toy's numbers come from."""
    n, d, w, heads = len(lesson.words), lesson.d_model, lesson.d_head, lesson.n_heads
    return (
        f"[[Toy|toy]]: {lesson.title}. Hand-sized attention, not a language model. For these words its numbers are "
        f"random (seed {lesson.seed}): the shape is real, the meaning is not. {n} words, {d:,} numbers each, "
        f"{heads} {'head' if heads == 1 else 'heads'} of {w:,}."
    )


EDITING = (
    "Type a number and everything after it follows at once. The link carries the seed and what you changed. While the "
    "tables are open the arrow keys move in them, not between steps."
)


def what_w_o_does(lesson: Lesson) -> Flow:
    """Return what W_O does, in one sentence with the reader's sizes."""
    left, out = lesson.n_heads * lesson.d_head, lesson.d_model
    heads = {1: "One head leaves", 2: "Two heads leave"}.get(lesson.n_heads, f"{lesson.n_heads} heads leave")
    brings = f"brings them back to {counted(out)}" if left != out else f"makes {counted(out)} new ones of them"
    without = (
        "With one head there is nothing to mix; it only turns the finding into numbers for the next layer."
        if lesson.n_heads == 1
        else "Without it, what the heads found would only stand side by side and never meet in one number."
    )
    spans = say(
        f"{heads} {counted(left)} numbers for each word. {{w_o}} {brings}: it sets how much of each head’s finding "
        f"goes where, and adds them up. {without}",
        w_o=W_O,
    )
    return Flow(SayLine(spans), "what W_O does, in a sentence")


def _slots(lesson: Lesson) -> dict[str, object]:
    """Return what the formulas leave open: sizes, and the parts that the switches change."""
    heads, choices = lesson.n_heads, lesson.choices
    inner = r" \mid ".join(f"Z_{head}" for head in range(min(heads, 3))) + (r" \mid \dots" if heads > 3 else "")
    return {
        "n": len(lesson.words),
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
    x, heads = lesson.steps["input"][lesson.query], lesson.numbers.heads
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
    powers = np.exp(c.row)
    others = [f"{names[k]} {number(powers[k])}" for k in range(len(powers)) if k != key]
    at = f"{number(c.row[key])}" + (f" = {number(scaled)} ÷ {heat:g}" if heat != 1 else "")
    lines: tuple[Line, ...] = (
        ("q · k", number(c.score), product(c.query, c.key)),
        (f"÷ √{lesson.d_head}", number(scaled), divided if lesson.choices.scale else "not divided: the switch is off"),
        (
            "mask",
            "−∞" if hidden else number(scaled),
            "hidden: the word comes later" if hidden else "visible, nothing added",
        ),
        ("exp", number(powers[key]), f"exp({at})"),
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
    parts, w_o = lesson.steps["contributions"][:, lesson.query, 0], lesson.numbers.heads  # [head]
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
        f"In head {lesson.head}, {{asking}} gives {percent(lesson.by_hand.weight)} of its attention to {{asked}}; each "
        "row adds up to 100 %, so more for one word is less for another.",
        asking=word(names[lesson.query]),
        asked="itself" if lesson.key == lesson.query else word(names[lesson.key]),
    )


def _side_by_side_so(lesson: Lesson) -> str:
    if lesson.n_heads == 1:
        return "With one head there is nothing to set side by side: one weighting, one answer for each word."
    left = f"{lesson.n_heads} heads leave {lesson.n_heads * lesson.d_head:,} numbers for each word"
    return f"Nothing is mixed yet: {left}, each head’s answer in its own place."


def _mix_so(lesson: Lesson) -> str:
    return (
        f"Out comes one row of {counted(lesson.d_model)} numbers for each word, as came in: every head has put its "
        "part into it, and the next layer can start from there."
    )


_MASK_SO = {
    "none": "No mask: every word may look at every word, also at those after it.",
    "causal": "Hatched cells do not exist for this word: not a small weight, none.",
}


@dataclass(frozen=True)
class ToyStepText:
    """One row of the table; ``so`` is one sentence, whatever the numbers, or made of them."""

    idea: str
    formula: str
    by_hand: Callable[[Lesson], tuple[Line, ...]]
    so: str | Callable[[Lesson], Spans | str]
    arrays: Callable[[StepArrays], Node]


SAID = (
    ToyStepText(
        "Words cannot be added up, numbers can. Attention takes one row of numbers for each word and gives one row of "
        "the same length back, in which the word has gathered something from the others. Several [[heads|head]] do "
        "this at once, each in its own way.",
        r"<n>\ \text{words} \;\to\; X \;\to\; \text{output} \qquad X \text{ and output: } <n> \times <d>",
        _sizes,
        "In come words, out comes one row of numbers for each of them: that is all a layer of attention does.",
        StepArrays.words,
    ),
    ToyStepText(
        "Each word has a row of numbers of its own, its [[embedding]]; the same word always has the same row. That row "
        "does not know where the word stands: with positions on, a second row that depends on the place only is added.",
        r"X = <input> (<n> \times <d>)",
        _input,
        "Without positions a word is the same wherever it stands; with them, place becomes part of the numbers.",
        StepArrays.numbers,
    ),
    ToyStepText(
        "Each head makes three rows out of each word: a [[query]] (what it asks for), a [[key]] (what it can be found "
        "by) and a [[value]] (what it hands over). Each comes from one matrix, and every head has its own three.",
        r"Q_h = X\,W_{Q,h} \quad K_h = X\,W_{K,h} \quad V_h = X\,W_{V,h} "
        r"\qquad (<n> \times <d>)(<d> \times <w>) \to <n> \times <w>",
        _projections,
        "The words are the same for all heads; what differs from head to head is the three matrices.",
        StepArrays.projections,
    ),
    ToyStepText(
        "Every query meets every key: multiply their numbers pairwise and add up. A large [[score]] means that what "
        "this word asks for is what that word offers. The two need not be alike: this is no similarity.",
        r"S_h = Q_h K_h^\top \qquad (<n> \times <w>)(<w> \times <n>) \to <n> \times <n>",
        partial(_cell, until=4),
        "One score for each pair of words, and two directions: what A asks of B is not what B asks of A.",
        StepArrays.scores,
    ),
    ToyStepText(
        "A sum of more products strays further from 0. Dividing by the square root of the head’s width keeps scores of "
        "wide heads as large as those of narrow ones; without it softmax would give nearly everything to one word.",
        r"<divided> \qquad <n> \times <n>",
        partial(_cell, until=5),
        "Same order, smaller distances: dividing changes how sharply a head chooses, not what it prefers.",
        StepArrays.scale,
    ),
    ToyStepText(
        "A model that writes must not look at words that are still to come. A causal [[mask]] sets those scores to "
        "minus infinity, of which softmax makes exactly 0. Without a mask every word sees every word.",
        r"<scaled> + M, \qquad M<mask>",
        partial(_cell, until=6),
        lambda lesson: _MASK_SO[lesson.choices.mask],
        StepArrays.mask,
    ),
    ToyStepText(
        "Scores can be anything; [[weights|weight]] are shares. [[Softmax|softmax]] makes every row positive and lets "
        "it add up to 100 %, so each word spends all of its attention and no more. A high temperature evens the shares "
        "out.",
        r"A_h = \operatorname{softmax}\!\left(<heat><scaled><masked>\right) "
        r"\qquad (<n> \times <w>)(<w> \times <n>) \to <n> \times <n>",
        _cell,
        _weight_so,
        StepArrays.weights,
    ),
    ToyStepText(
        "Now each word gathers: it takes the [[values|value]] of all words, each as much as its weight says, and adds "
        "them up. What is looked at more is handed over more.",
        r"Z_h = A_h V_h \qquad (<n> \times <n>)(<n> \times <w>) \to <n> \times <w>",
        _values,
        "What a head finds for a word is a mixture of values; the weights are its recipe.",
        StepArrays.values,
    ),
    ToyStepText(
        "Each head has found something for each word. The findings are set side by side, in the order of the heads: "
        "this is called [[concatenation]], and it computes nothing.",
        r"Z = [\,<findings>\,] \qquad <heads> \cdot (<n> \times <w>) \to <n> \times <all>",
        _side_by_side,
        _side_by_side_so,
        StepArrays.side_by_side,
    ),
    ToyStepText(
        "One last matrix, [[W_O]], makes a row of the first length out of what the heads left. Each head has its own "
        "rows of it: they say into which of the output’s numbers this head’s finding goes, how strongly and with which "
        "sign.",
        r"\text{output} = Z\,W_O = \sum_h Z_h W_{O,h} \qquad (<n> \times <all>)(<all> \times <d>) \to <n> \times <d>",
        _mix,
        _mix_so,
        StepArrays.mix,
    ),
)
