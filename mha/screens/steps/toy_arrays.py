"""The toy's arrays: its words, the layer at a glance, those of each step, and what the last matrix makes. Pure.

What a step makes stands first, and what it is made of behind it, as in its formula.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mha.core import PRESETS, default_scale, softmax
from mha.formats import many, percent
from mha.link.steps import ITS_OWN, LAYERS
from mha.screens.arrays import W_O, Array, Arrow, Flow, Node, Sentence, array, box, column, row
from mha.screens.blocks import Said, Spans, say, word
from mha.screens.steps.lesson import Lesson, labelled
from mha.words import right_to_left

# Which arrays of the overview are framed at which step.
FRAMED = {
    1: ("input",),
    2: ("embeddings", "positions", "input"),
    3: ("query", "key", "value"),
    4: ("query", "key", "scaled"),
    5: ("scaled",),
    6: ("scaled",),
    7: ("weights",),
    8: ("weights", "value", "heads"),
    9: ("heads", "concatenation"),
    10: ("concatenation", "w_output", "output"),
}
COMPACT_FROM = 4  # words, from which on the overview's cells are smaller
NARROW, NEAR = 4, 6  # columns of a wide layer that the overview shows, and those that a step shows


def hero(lesson: Lesson) -> Flow:
    """Return the words, large, and the first sentence of the page."""
    rtl = right_to_left(" ".join(lesson.words)) or None
    words = Sentence(labelled(lesson.words), lesson.query, lesson.key, rtl=rtl)
    return Flow(
        column(words, Said("finding lead", finding(lesson)), Said("caption", say(whose(lesson)))),
        "the words of the walk",
    )


def whose(lesson: Lesson) -> str:
    """Return whose words these are, and how the reader's own come here."""
    if lesson.choices.words == ITS_OWN:
        return "These words belong to the toy example. Choose *my sentence* to use yours."
    if lesson.words == tuple(PRESETS[LAYERS[lesson.choices.layer]].text.split()):
        return "These words belong to the toy example."
    return "Your words with the toy’s random numbers: the steps are real, the result has no meaning."


def finding(lesson: Lesson) -> Spans:
    """Return the first sentence of the page: where two heads let the followed word look."""
    names = labelled(lesson.words)
    spans: Spans = ()
    for place, head in enumerate(lesson.shown_heads):
        weights = lesson.steps["weights"][head, lesson.query]
        key = int(weights.argmax())
        spans += say(
            "In head {head}, {asking} looks {mostly}at {asked} ({share} of its attention). ",
            head=str(head),
            asking="it" if place else word(names[lesson.query]),
            mostly="" if place or weights[key] <= 0.5 else "mostly ",
            asked="itself" if key == lesson.query else word(names[key]),
            share=percent(weights[key]),
        )
    several = len(lesson.shown_heads) > 1
    return (*spans, *say(f"Follow {'these numbers' if several else 'this number'} step by step."))


def overview(lesson: Lesson) -> Flow:
    """Return the whole layer, from the words to the output, with the arrays of the current step framed.

    A click on a weight or a score follows its cell.
    """
    framed, most = FRAMED[lesson.choices.number], _most(lesson)

    def one(step: str, title: Spans | str, head: int | None = None, shares: bool = False) -> Array:
        followed = head is not None and step in ("scaled", "weights")
        return array(
            lesson.of("masked" if step == "scaled" else step, head),
            title,
            name=step if head is None else f"{step}_{head}",
            shares=shares,
            now=step in framed,
            cell=(lesson.query, lesson.key) if followed and head == lesson.head else None,
            picks=head if followed else None,
            most_columns=most,
        )

    divided = f"scores ÷ √{lesson.d_head}" if lesson.choices.scale else "scores, not divided"
    heads: list[Node] = [
        box(
            f"head {head}",
            row(
                column(one("query", "Q", head), one("key", "K", head), one("value", "V", head)),
                Arrow(),
                column(one("scaled", divided, head), one("weights", "weights", head, shares=True)),
                Arrow(),
                one("heads", "weights × V", head),
            ),
        )
        for head in lesson.shown_heads
    ]
    more = lesson.n_heads - len(lesson.shown_heads)
    if more:
        heads.append(Said("caption", say(f"and {more} more heads, each with its own matrices")))
    first = [one("input", (("plain", "X"), ("muted", " words,")))]
    if lesson.choices.positions:
        first = [one("embeddings", "E"), one("positions", "+ P"), one("input", "= X")]
    title: Spans = (("plain", "× "), *W_O)
    matrix = array(lesson.heads.w_output, title, name="w_output", now="w_output" in framed, most_columns=most)
    last = column(one("concatenation", "side by side"), row(matrix, Arrow(), one("output", "output")))
    n = len(lesson.words)
    return Flow(
        row(column(*first), Arrow(), column(*heads), Arrow(), last, spread=True),
        f"the layer from {many(n, 'word')} to the output; step {lesson.choices.step} is framed",
        compact=n > COMPACT_FROM,
    )


def last_matrix(lesson: Lesson) -> Flow:
    """Return what W_O does with the followed word: what each head says, what its rows make of it, and the sum."""
    name = labelled(lesson.words)[lesson.query]
    one = partial(array, shape="", most_columns=_most(lesson))
    lines, parts = [], lesson.steps["contributions"][:, lesson.query]  # [head, d_model]
    for head in lesson.shown_heads:
        rows = f"{('upper', 'lower')[head]} half of" if lesson.n_heads == 2 else f"rows of head {head} in"
        about: Spans = (("plain", f"result of head {head}"), ("muted", " for "), ("word", name))
        says = one(lesson.of("heads", head)[lesson.query], about, name=f"says_{head}")
        lines.append(row(says, Arrow(), one(parts[head], (("plain", f"× {rows} "), *W_O), name=f"makes_{head}")))
    title: Spans = (("plain", "output"), ("muted", " for "), ("word", name))
    output = one(lesson.of("output")[lesson.query], title, name="mixed", now=True)
    sign = Arrow("added up" if lesson.n_heads == len(lesson.shown_heads) else "all heads added up")
    return Flow(row(column(*lines), sign, output), "what W_O makes of the heads")


def words(lesson: Lesson) -> Node:
    """Return what comes in and what goes out."""
    return row(_one(lesson, "input", "in: X"), Arrow(), _one(lesson, "output", "out"))


def numbers(lesson: Lesson) -> Node:
    """Return where X comes from."""
    own, x = _one(lesson, "embeddings", "E, one row a word"), _one(lesson, "input", "X", now=True)
    places = (Arrow("+"), _one(lesson, "positions", "P, one row a place")) if lesson.choices.positions else ()
    return row(x, Arrow("="), own, *places)


def projections(lesson: Lesson) -> Node:
    """Return what X becomes by each of the three matrices, and X with the three."""
    letters = (("query", "Q"), ("key", "K"), ("value", "V"))
    made, matrices = list[Node](), list[Node]()
    for step, letter in letters:
        rows = () if made else labelled(lesson.words)
        about: Spans = (("plain", f"{letter} = X × W"), ("sub", letter), ("muted", ", "))
        made.append(array(lesson.of(step), about, name=f"step_{step}", now=True, rows=rows, **_wide(lesson)))
        title: Spans = (("plain", "W"), ("sub", letter), ("muted", f" of head {lesson.head}, "))
        matrix = lesson.heads.of_head(f"w_{step}", lesson.head)
        matrices.append(array(matrix, title, name=f"step_w_{step}", **_wide(lesson)))
    return column(row(*made), row(_one(lesson, "input", "X"), Arrow("×"), *matrices))


def scores(lesson: Lesson) -> Node:
    """Return every query with every key."""
    turned = array(lesson.of("key").T, "K, turned", name="step_key", columns=labelled(lesson.words), **_wide(lesson))
    made = _square(lesson, "scores", "scores", now=True)
    return row(made, Arrow("="), _one(lesson, "query", "Q"), Arrow("×"), turned)


def scale(lesson: Lesson) -> Node:
    """Return the division, and what mask and softmax, as they are set, would make of both."""
    scores, divided_by = lesson.of("scores"), (Arrow(f"÷ √{lesson.d_head}"),) if lesson.choices.scale else ()
    visible = np.isfinite(lesson.of("masked"))

    def shares(scores: np.ndarray, title: str, name: str) -> Array:
        made, names = softmax(np.where(visible, scores, -np.inf), lesson.choices.temperature), labelled(lesson.words)
        return array(made, title, name=name, shares=True, decimals=2, rows=names, columns=names)

    divided = shares(scores * default_scale(lesson.d_head), "weights with it", "step_divided")
    scaled = _square(lesson, "scaled", "scaled", now=True)
    return column(
        row(scaled, Arrow("="), _square(lesson, "scores", "scores"), *divided_by),
        Said("caption", say("Shares with and without scaling:")),
        row(divided, shares(scores, "weights without it", "step_undivided")),
    )


def mask(lesson: Lesson) -> Node:
    """Return the scores after and before the mask."""
    return row(
        _square(lesson, "masked", "with the mask", now=True), Arrow("←"), _square(lesson, "scaled", "without: scaled")
    )


def weights(lesson: Lesson) -> Node:
    """Return softmax, and the other heads' weights."""
    of, names = "weights of head {}".format, labelled(lesson.words)
    others = [
        _one(lesson, "weights", of(h), h, f"weights_{h}", shares=True, columns=names, most_columns=8)
        for h in lesson.shown_heads
        if h != lesson.head
    ]
    made = _square(lesson, "weights", of(lesson.head), now=True, shares=True, sums="sum")
    return column(
        row(made, Arrow("= softmax of"), _square(lesson, "masked", f"scores of head {lesson.head}")), row(*others)
    )


def values(lesson: Lesson) -> Node:
    """Return the weights times the values."""
    found = _one(lesson, "heads", f"result of head {lesson.head}", now=True)
    looks = _square(lesson, "weights", "weights", shares=True)
    return row(found, Arrow("="), looks, Arrow("×"), _one(lesson, "value", "V"))


def side_by_side(lesson: Lesson) -> Node:
    """Return the heads' findings beside each other."""
    parts = [p for h in lesson.shown_heads for p in (Arrow("|"), _one(lesson, "heads", f"head {h}", h, f"heads_{h}"))]
    return row(_one(lesson, "concatenation", "side by side", now=True), Arrow("="), *parts[1:])


def mix(lesson: Lesson) -> Node:
    """Return the findings times W_O."""
    owners = [f"head {place // lesson.d_head}" for place in range(lesson.n_heads * lesson.d_head)]
    matrix = array(lesson.heads.w_output, W_O, name="step_w_output", rows=owners, **_wide(lesson))
    beside = _one(lesson, "concatenation", "side by side", columns=owners)
    return row(_one(lesson, "output", "output", now=True), Arrow("="), beside, Arrow("×"), matrix)


def _one(lesson: Lesson, step: str, title: Spans | str, head: int | None = None, name: str = "", **more: Any) -> Array:
    """Return an array of a step, of the followed head unless given, in two decimals with words on its axis."""
    look = {"name": f"step_{name or step}", "rows": labelled(lesson.words), **_wide(lesson), **more}
    return array(lesson.of(step, head), title, **look)


def _square(lesson: Lesson, step: str, title: str, **more: Any) -> Array:
    """Return an array of a step with words on both axes, the followed cell framed."""
    names = labelled(lesson.words)
    return _one(lesson, step, title, **{"columns": names, "cell": (lesson.query, lesson.key), **more})


def _wide(lesson: Lesson) -> dict[str, Any]:
    return {"decimals": 2, "most_columns": NEAR if lesson.d_model > 8 else 16}


def _most(lesson: Lesson) -> int:
    return NARROW if lesson.d_model > 8 else 8
