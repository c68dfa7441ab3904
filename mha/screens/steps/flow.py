"""The arrays of one step of the toy's walk, of the followed head, in two decimals. Pure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mha.core import default_scale, softmax
from mha.screens.steps.arrays import Node, Span, array, arrow, column, row, say, tree
from mha.screens.steps.lesson import Lesson, labelled

W_O: tuple[Span, ...] = (("plain", "W"), ("sub", "O"))
NEAR = 6  # columns of a wide layer that are shown


def step_arrays(lesson: Lesson) -> Node:
    """Return the arrays of the current step, of the followed head, in two decimals with words on the axes."""
    root = _STEP_TREES[lesson.choices.number - 1](lesson)
    return tree(root, f"the arrays of step {lesson.choices.step}")


def _near(
    lesson: Lesson, values: np.ndarray, title: tuple[Span, ...] | str, name: str, words: str = "rows", **more: object
) -> Node:
    names = labelled(lesson.words)
    options: dict = {"decimals": 2, "most_columns": NEAR if lesson.d_model > 8 else 16, **more}
    if words in ("rows", "both"):
        options["rows"] = names
    if words in ("columns", "both"):
        options["columns"] = names
    return array(values, title, name=f"step_{name}", **options)


def _first(lesson: Lesson) -> Node:
    return row(
        _near(lesson, lesson.of("input"), "in: X", "input"),
        arrow(),
        _near(lesson, lesson.of("output"), "out", "output"),
    )


def _second(lesson: Lesson) -> Node:
    x = _near(lesson, lesson.of("input"), "X", "input", now=True)
    embeddings = _near(lesson, lesson.of("embeddings"), "E, one row a word", "embeddings")
    if not lesson.choices.positions:
        return row(embeddings, arrow("="), x)
    return row(
        embeddings, arrow("+"), _near(lesson, lesson.of("positions"), "P, one row a place", "positions"), arrow("="), x
    )


def _third(lesson: Lesson) -> Node:
    heads, lines = lesson.numbers.heads, []
    for step, letter in (("query", "Q"), ("key", "K"), ("value", "V")):
        title: tuple[Span, ...] = (("plain", "W"), ("sub", letter), ("muted", f" of head {lesson.head}, "))
        lines.append(
            row(
                _near(lesson, lesson.of("input"), "X", f"x_{step}"),
                arrow("×"),
                _near(lesson, heads.of_head(f"w_{step}", lesson.head), title, f"w_{step}", words=""),
                arrow("="),
                _near(lesson, lesson.of(step), letter, step, now=True),
            )
        )
    return column(*lines)


def _fourth(lesson: Lesson) -> Node:
    return row(
        _near(lesson, lesson.of("query"), "Q", "query"),
        arrow("×"),
        _near(lesson, lesson.of("key").T, "K, turned", "key", words="columns"),
        arrow("="),
        _square(lesson, "scores", "scores", now=True),
    )


def _fifth(lesson: Lesson) -> Node:
    scores, names = lesson.of("scores"), labelled(lesson.words)
    sign = f"÷ √{lesson.d_head}" if lesson.choices.scale else "as they are"
    shares = [
        array(softmax(kept), how, name=f"step_{name}", shares=True, decimals=2, rows=names, columns=names)
        for kept, how, name in (
            (scores * default_scale(lesson.d_head), "weights with it", "divided"),
            (scores, "weights without it", "undivided"),
        )
    ]
    return column(
        row(_square(lesson, "scores", "scores"), arrow(sign), _square(lesson, "scaled", "scaled", now=True)),
        say(("plain", "What softmax would make of them, with the division and without it:"), style="caption"),
        row(*shares),
    )


def _sixth(lesson: Lesson) -> Node:
    return row(_square(lesson, "scaled", "scaled"), arrow(), _square(lesson, "masked", "with the mask", now=True))


def _seventh(lesson: Lesson) -> Node:
    rest = [
        array(
            lesson.of("weights", head),
            f"weights of head {head}",
            name=f"step_weights_{head}",
            shares=True,
            decimals=2,
            rows=labelled(lesson.words),
            columns=labelled(lesson.words),
        )
        for head in lesson.shown_heads
        if head != lesson.head
    ]
    return row(
        _square(lesson, "masked", f"scores of head {lesson.head}"),
        arrow("softmax"),
        _square(lesson, "weights", f"weights of head {lesson.head}", now=True, shares=True, sums="sum"),
        *rest,
    )


def _eighth(lesson: Lesson) -> Node:
    return row(
        _square(lesson, "weights", "weights", shares=True),
        arrow("×"),
        _near(lesson, lesson.of("value"), "V", "value"),
        arrow("="),
        _near(lesson, lesson.of("heads"), f"what head {lesson.head} found", "heads", now=True),
    )


def _ninth(lesson: Lesson) -> Node:
    found = [_near(lesson, lesson.of("heads", head), f"head {head}", f"heads_{head}") for head in lesson.shown_heads]
    parts = [part for one in found for part in (one, arrow("|"))][:-1]
    return row(*parts, arrow("="), _near(lesson, lesson.of("concatenation"), "side by side", "concatenation", now=True))


def _tenth(lesson: Lesson) -> Node:
    owners = [f"head {place // lesson.d_head}" for place in range(lesson.n_heads * lesson.d_head)]
    return row(
        _near(lesson, lesson.of("concatenation"), "side by side", "concatenation", columns=owners),
        arrow("×"),
        _near(lesson, lesson.numbers.heads.w_output, W_O, "w_output", words="", rows=owners),
        arrow("="),
        _near(lesson, lesson.of("output"), "output", "output", now=True),
    )


def _square(lesson: Lesson, step: str, title: str, **more: object) -> Node:
    return _near(lesson, lesson.of(step), title, step, words="both", cell=(lesson.query, lesson.key), **more)


_STEP_TREES: tuple[Callable[[Lesson], Node], ...] = (
    *(_first, _second, _third, _fourth, _fifth),
    *(_sixth, _seventh, _eighth, _ninth, _tenth),
)
