"""What is said at each step of the toy's walk: idea, formula, one number by hand, one sentence.

Pure; a row of `SAID` is a step. Ideas are captions (terms of the glossary in double brackets); the numbers come from a
`Lesson`, which has them from `mha.core.trace`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mha.formats import percent
from mha.screens.steps.arrays import Span
from mha.screens.steps.by_hand import (
    Line,
    cell_lines,
    input_lines,
    mix_lines,
    projection_lines,
    side_lines,
    size_lines,
    values_lines,
)
from mha.screens.steps.formulas import (
    input_formula,
    mask_formula,
    mix_formula,
    projection_formula,
    scale_formula,
    scores_formula,
    side_formula,
    values_formula,
    weights_formula,
    words_formula,
)
from mha.screens.steps.lesson import STEPS, Lesson, labelled


@dataclass(frozen=True)
class Said:
    """The words of one step; ``formula`` is LaTeX."""

    title: str
    idea: str
    formula: Callable[[Lesson], str]
    by_hand: Callable[[Lesson], tuple[Line, ...]]
    so: Callable[[Lesson], tuple[Span, ...]]


def of_step(lesson: Lesson) -> Said:
    """Return the words of the lesson's step."""
    return SAID[lesson.choices.number - 1]


def finding(lesson: Lesson) -> tuple[Span, ...]:
    """Return the first sentence of the page: where two heads let the followed word look."""
    names, spans = labelled(lesson.words), []
    for place, head in enumerate(lesson.shown_heads):
        row = lesson.steps["weights"][head, lesson.query]
        key = int(row.argmax())
        at: Span = ("plain", "itself") if key == lesson.query else ("word", names[key])
        asking: Span = ("plain", "it") if place else ("word", names[lesson.query])
        look = " look at " if place else " look mostly at "
        spans += [("plain", f"Head {head} lets "), asking, ("plain", look), at, ("plain", f" ({percent(row[key])}). ")]
    numbers = "those two numbers come" if len(lesson.shown_heads) > 1 else "that number comes"
    of = "them" if len(lesson.shown_heads) > 1 else "it"
    return (*spans, ("plain", f"Here is how {numbers} about, and what becomes of {of}."))


def _plain(text: str) -> Callable[[Lesson], tuple[Span, ...]]:
    return lambda lesson: (("plain", text),)


def _weights_so(lesson: Lesson) -> tuple[Span, ...]:
    names = labelled(lesson.words)
    at: Span = ("plain", "itself") if lesson.key == lesson.query else ("word", names[lesson.key])
    return (
        ("plain", f"In head {lesson.head}, "),
        ("word", names[lesson.query]),
        ("plain", f" gives {percent(lesson.by_hand.weight)} of its attention to "),
        at,
        ("plain", "; each row adds up to 100 %, so more for one word is less for another."),
    )


def _heads_so(lesson: Lesson) -> tuple[Span, ...]:
    if lesson.n_heads == 1:
        return (
            ("plain", "With one head there is nothing to set side by side: one weighting, one answer for each word."),
        )
    return (
        (
            "plain",
            f"Nothing is mixed yet: {lesson.n_heads} heads leave {lesson.n_heads * lesson.d_head:,} numbers for "
            "each word, ",
        ),
        ("plain", "each head’s answer in its own place."),
    )


def _out_so(lesson: Lesson) -> tuple[Span, ...]:
    said = f"Out comes one row of {_counted(lesson.d_model)} numbers for each word, as came in: every head has put "
    return (("plain", said), ("plain", "its part into it, and the next layer can start from there."))


def _counted(count: int) -> str:
    names = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return names[count - 1] if count <= len(names) else f"{count:,}"


def mix_so(lesson: Lesson) -> tuple[Span, ...]:
    """Return what W_O does, in one sentence with the reader's sizes."""
    left, out = lesson.n_heads * lesson.d_head, lesson.d_model
    heads = {1: "One head leaves", 2: "Two heads leave"}.get(lesson.n_heads, f"{lesson.n_heads} heads leave")
    brings = f"brings them back to {_counted(out)}" if left != out else f"makes {_counted(out)} new ones of them"
    return (
        ("plain", f"{heads} {_counted(left)} numbers for each word. W"),
        ("sub", "O"),
        ("plain", f" {brings}: it sets how much of each head’s finding goes where, and adds them up. "),
        ("plain", _WITHOUT[lesson.n_heads > 1]),
    )


_WITHOUT = {
    True: "Without it, what the heads found would only stand side by side and never meet in one number.",
    False: "With one head there is nothing to mix; it only turns the finding into numbers for the next layer.",
}

_MASK_SO = {
    "none": "No mask: every word may look at every word, also at those after it.",
    "causal": "Hatched cells do not exist for this word: not a small weight, none.",
}

SAID = (
    Said(
        STEPS[0],
        "Words cannot be added up, numbers can. Attention takes one row of numbers for each word and gives one row of "
        "the same length back, in which the word has gathered something from the others. Several [[heads|head]] do "
        "this "
        "at once, each in its own way.",
        words_formula,
        size_lines,
        _plain("In come words, out comes one row of numbers for each of them: that is all a layer of attention does."),
    ),
    Said(
        STEPS[1],
        "Each word has a row of numbers of its own, its [[embedding]]; the same word always has the same row. That row "
        "does not know where the word stands: with positions on, a second row that depends on the place only is added.",
        input_formula,
        input_lines,
        _plain(
            "Without positions a word is the same wherever it stands; with them, place becomes part of the numbers."
        ),
    ),
    Said(
        STEPS[2],
        "Each head makes three rows out of each word: a [[query]] (what it asks for), a [[key]] (what it can be found "
        "by) and a [[value]] (what it hands over). Each comes from one matrix, and every head has its own three.",
        projection_formula,
        projection_lines,
        _plain("The words are the same for all heads; what differs from head to head is the three matrices."),
    ),
    Said(
        STEPS[3],
        "Every query meets every key: multiply their numbers pairwise and add up. A large [[score]] means that what "
        "this word asks for is what that word offers. The two need not be alike: this is no similarity.",
        scores_formula,
        lambda lesson: cell_lines(lesson, 4),
        _plain("One score for each pair of words, and two directions: what A asks of B is not what B asks of A."),
    ),
    Said(
        STEPS[4],
        "A sum of more products strays further from 0. Dividing by the square root of the head’s width keeps scores of "
        "wide heads as large as those of narrow ones; without it softmax would give nearly everything to one word.",
        scale_formula,
        lambda lesson: cell_lines(lesson, 5),
        _plain("Same order, smaller distances: dividing changes how sharply a head chooses, not what it prefers."),
    ),
    Said(
        STEPS[5],
        "A model that writes must not look at words that are still to come. A causal [[mask]] sets those scores to "
        "minus infinity, of which softmax makes exactly 0. Without a mask every word sees every word.",
        mask_formula,
        lambda lesson: cell_lines(lesson, 6),
        lambda lesson: (("plain", _MASK_SO[lesson.choices.mask]),),
    ),
    Said(
        STEPS[6],
        "Scores can be anything; [[weights|weight]] are shares. [[Softmax|softmax]] makes every row positive and "
        "lets it "
        "add up to 100 %, so each word spends all of its attention and no more. A high temperature evens the "
        "shares out.",
        weights_formula,
        lambda lesson: cell_lines(lesson, 7),
        _weights_so,
    ),
    Said(
        STEPS[7],
        "Now each word gathers: it takes the [[values|value]] of all words, each as much as its weight says, and adds "
        "them up. What is looked at more is handed over more.",
        values_formula,
        values_lines,
        _plain("What a head finds for a word is a mixture of values; the weights are its recipe."),
    ),
    Said(
        STEPS[8],
        "Each head has found something for each word. The findings are set side by side, in the order of the heads: "
        "this is called [[concatenation]], and it computes nothing.",
        side_formula,
        side_lines,
        _heads_so,
    ),
    Said(
        STEPS[9],
        "One last matrix, [[W_O]], makes a row of the first length out of what the heads left. Each head has its "
        "own rows "
        "of it: they say into which of the output’s numbers this head’s finding goes, how strongly and with which "
        "sign.",
        mix_formula,
        mix_lines,
        _out_so,
    ),
)
