"""One number of each step worked out by hand: lines of (what, number, how). Pure."""

from __future__ import annotations

import numpy as np

from mha.formats import bracketed, number, percent
from mha.screens.steps.formulas import sizes
from mha.screens.steps.lesson import Lesson, labelled

Line = tuple[str, str, str]
MOST_TERMS = 6  # of a sum that is written out


def product(left: np.ndarray, right: np.ndarray, decimals: int = 2) -> str:
    """Return a sum of products written out, ``1.77×(−0.12) + …``."""
    terms = [f"{bracketed(a, decimals)}×{bracketed(b, decimals)}" for a, b in zip(left, right, strict=True)]
    rest = f" + … ({len(terms)} products)" if len(terms) > MOST_TERMS else ""
    return " + ".join(terms[:MOST_TERMS]) + rest


def size_lines(lesson: Lesson) -> tuple[Line, ...]:
    """Return the lines for the sizes of the layer."""
    n, d, w, heads = sizes(lesson)
    return (
        ("words", f"{n}", "what comes in"),
        ("numbers a word", f"{d:,}", "called d_model"),
        ("heads", f"{heads}", f"each with {w:,} numbers a word, called d_head"),
        ("numbers out", f"{d:,}", "for each word again, so that layers can be stacked"),
    )


def input_lines(lesson: Lesson) -> tuple[Line, ...]:
    """Return the lines for the first number of the followed word."""
    e, p, x = (lesson.steps[name][lesson.query, 0] for name in ("embeddings", "positions", "input"))
    lines: tuple[Line, ...] = (("E", number(e), "the word’s own first number"),)
    if lesson.choices.positions:
        return (
            *lines,
            ("P", number(p), f"sin({lesson.query}), from its place"),
            ("X", number(x), f"{number(e)} + {bracketed(p)}"),
        )
    return (*lines, ("X", number(x), "the same: positions are off"))


def projection_lines(lesson: Lesson) -> tuple[Line, ...]:
    """Return the lines for the first numbers of its q, k and v."""
    x, lines = lesson.steps["input"][lesson.query], []
    for name, step in (("q", "query"), ("k", "key"), ("v", "value")):
        matrix = lesson.numbers.heads.of_head(f"w_{step}", lesson.head)
        lines.append((f"first number of {name}", number(lesson.of(step)[lesson.query, 0]), product(x, matrix[:, 0])))
    return tuple(lines)


def cell_lines(lesson: Lesson, until: int) -> tuple[Line, ...]:
    """Return q·k, scaling, mask, exp and share of the followed cell, as far as the step has come."""
    c, names = lesson.by_hand, labelled(lesson.words)
    lines: list[Line] = [("q · k", number(c.score), product(c.query, c.key))]
    scaled = c.score * c.scale
    if until >= 5:
        how = (
            f"{number(c.score)} ÷ {np.sqrt(lesson.d_head):.3g}"
            if lesson.choices.scale
            else "not divided: the switch is off"
        )
        lines.append((f"÷ √{lesson.d_head}", number(scaled), how))
    if until >= 6:
        hidden = not np.isfinite(c.row[lesson.key])
        how = "hidden: the word comes later" if hidden else "visible, nothing added"
        lines.append(("mask", "−∞" if hidden else number(scaled), how))
    if until >= 7:
        heat = lesson.choices.temperature
        at = f"{number(c.row[lesson.key])}" + (f" = {number(scaled)} ÷ {heat:g}" if heat != 1 else "")
        powers = np.exp(c.row)
        lines.append(("exp", number(powers[lesson.key]), f"exp({at})"))
        others = [f"{names[k]} {number(powers[k])}" for k in range(len(powers)) if k != lesson.key]
        lines.append(("the others", number(powers.sum() - powers[lesson.key]), ", ".join(others[:MOST_TERMS])))
        sum_of = f"{number(powers[lesson.key])} ÷ {number(powers.sum())}"
        lines.append(("share", percent(c.weight), sum_of))
    return tuple(lines)


def values_lines(lesson: Lesson) -> tuple[Line, ...]:
    """Return the lines for the first number of what the head gathers."""
    row, value = lesson.of("weights")[lesson.query], lesson.of("value")
    names = labelled(lesson.words)
    lines: list[Line] = [
        (names[k], percent(row[k]), f"× its value’s first number, {number(value[k, 0])}") for k in range(len(row))
    ]
    return (*lines, ("sum", number(lesson.of("heads")[lesson.query, 0]), product(row, value[:, 0])))


def side_lines(lesson: Lesson) -> tuple[Line, ...]:
    """Return the lines for how the heads' findings stand side by side."""
    z = lesson.steps["heads"][:, lesson.query, 0]
    lines = [(f"head {head}", number(z[head]), "its first number for this word") for head in lesson.shown_heads]
    width = lesson.n_heads * lesson.d_head
    return (*lines, ("together", f"{width:,}", f"{lesson.n_heads} × {lesson.d_head:,} numbers, none of them changed"))


def mix_lines(lesson: Lesson) -> tuple[Line, ...]:
    """Return the lines for the first number of the output."""
    parts = lesson.steps["contributions"][:, lesson.query, 0]
    lines = []
    for head in lesson.shown_heads:
        z, own = lesson.steps["heads"][head, lesson.query], lesson.numbers.heads.of_head("w_output", head)[:, 0]
        lines.append((f"head {head}", number(parts[head]), product(z, own)))
    rest = parts.sum() - sum(parts[head] for head in lesson.shown_heads)
    if lesson.n_heads > len(lesson.shown_heads):
        lines.append(("other heads", number(rest), f"{lesson.n_heads - len(lesson.shown_heads)} more, in the same way"))
    return (*lines, ("output", number(lesson.steps["output"][lesson.query, 0]), "their sum"))
