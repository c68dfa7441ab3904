"""The toy's whole layer at a glance, its words and first sentence, and what the last matrix makes. Pure."""

from __future__ import annotations

from mha.screens.steps.arrays import Node, Span, array, arrow, box, column, row, say, sentence, tree
from mha.screens.steps.lesson import Lesson, labelled
from mha.screens.steps.words import finding

W_O: tuple[Span, ...] = (("plain", "W"), ("sub", "O"))
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
NARROW = 4  # columns of a wide layer that the overview shows


def hero(lesson: Lesson) -> Node:
    """Return the words, large, and the first sentence of the page."""
    names = labelled(lesson.words)
    return tree(column(sentence(names, lesson.query, lesson.key), say(*finding(lesson))), "the words of the walk")


def overview(lesson: Lesson) -> Node:
    """Return the whole layer, from the words to the output, with the arrays of the current step framed."""
    framed = FRAMED[lesson.choices.number]
    wide = lesson.d_model > 8

    def one(step: str, title: tuple[Span, ...] | str, head: int | None = None, shares: bool = False) -> Node:
        name = step if head is None else f"{step}_{head}"
        followed = (lesson.query, lesson.key) if head == lesson.head and step in ("scaled", "weights") else None
        source = "masked" if step == "scaled" else step
        return array(
            lesson.of(source, head),
            title,
            name=name,
            shares=shares,
            now=step in framed,
            cell=followed,
            most_columns=NARROW if wide else 8,
        )

    first: list[Node] = []
    if lesson.choices.positions:
        first = [one("embeddings", "E"), one("positions", "+ P")]
    x = one("input", (("plain", "X"), ("muted", " words,")) if not first else "= X")
    divided = f"scores ÷ √{lesson.d_head}" if lesson.choices.scale else "scores, not divided"
    boxes = [
        box(
            f"head {head}",
            row(
                column(one("query", "Q", head), one("key", "K", head), one("value", "V", head)),
                arrow(),
                column(one("scaled", divided, head), one("weights", "weights", head, shares=True)),
                arrow(),
                one("heads", "weights × V", head),
            ),
        )
        for head in lesson.shown_heads
    ]
    more = lesson.n_heads - len(lesson.shown_heads)
    if more:
        boxes.append(say(("plain", f"and {more} more heads, each with its own matrices"), style="caption"))
    last = column(
        one("concatenation", "side by side"),
        row(
            array(
                lesson.numbers.heads.w_output,
                (("plain", "× "), *W_O),
                name="w_output",
                now="w_output" in framed,
                most_columns=NARROW if wide else 8,
            ),
            arrow(),
            one("output", "output"),
        ),
    )
    root = row(column(*first, x), arrow(), column(*boxes), arrow(), last, spread=True)
    flow = tree(root, f"the layer from {len(lesson.words)} words to the output; step {lesson.choices.step} is framed")
    return {**flow, "compact": len(lesson.words) > COMPACT_FROM}


def last_matrix(lesson: Lesson) -> Node:
    """Return what W_O does with the followed word: what each head says, what its rows make of it, and the sum."""
    word = labelled(lesson.words)[lesson.query]
    about: tuple[Span, ...] = (("muted", " about "), ("word", word))
    halves = {0: "upper", 1: "lower"} if lesson.n_heads == 2 else {}
    most = NARROW if lesson.d_model > 8 else 8
    lines, parts = [], lesson.steps["contributions"][:, [lesson.query]]  # [head, 1, d_model]
    for head in lesson.shown_heads:
        found = lesson.of("heads", head)[[lesson.query]]
        rows = f"{halves[head]} half of W" if halves else f"rows of head {head} in W"
        says = array(found, (("plain", f"head {head} says"), *about), name=f"says_{head}", shape="", most_columns=most)
        makes = array(
            parts[head], (("plain", f"× {rows}"), ("sub", "O")), name=f"makes_{head}", shape="", most_columns=most
        )
        lines.append(row(says, arrow(), makes))
    output = array(lesson.of("output")[[lesson.query]], (("plain", "output"), ("muted", " for "), ("word", word)),
                   name="mixed", shape="", now=True, most_columns=most)  # fmt: skip
    sign = arrow("added up" if lesson.n_heads == len(lesson.shown_heads) else "all heads added up")
    return tree(row(column(*lines), sign, output), "what W_O makes of the heads")
