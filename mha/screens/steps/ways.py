"""Next to the toy's walk: another order or width, other numbers, W_O, one head against two. Pure."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from functools import partial

import numpy as np

from mha.core import (
    PRESETS,
    Preset,
    Trace,
    attend,
    attend_by_loop,
    average_weights,
    shuffle,
    sinusoidal_positions,
    trace,
    width_effect,
)
from mha.formats import percent
from mha.link.acts import Say
from mha.link.steps import STEPS
from mha.screens.arrays import Array, Arrow, Flow, Node, array, box, column, row
from mha.screens.blocks import Block, Said, caption, heading, say, word
from mha.screens.inputs import Choose, Press
from mha.screens.places import More, Place, Row, Side, Together
from mha.screens.steps.lesson import Lesson, labelled
from mha.screens.steps.toy import what_w_o_does
from mha.screens.steps.toy_arrays import last_matrix

WIDTHS = (1, 4, 16, 64, 256, 512)
SMALL = 8  # numbers of a word
WIDTH = 420  # px


def beside(made: Lesson) -> Iterator[Block]:
    """Yield what stands under the walk, in the order of the page."""
    mix = (Together((last_matrix(made),)),), (Together((what_w_o_does(made),)),)
    if made.choices.number == len(STEPS):
        yield Place("steps_last", (More("What the last matrix is for", (Side(mix, (3, 2), align="center"),)),))
    if made.d_model <= SMALL:
        yield Place("steps_edit", (_seeds(made),))
    one, so = one_against_two()
    said = (caption(ONE_OR_MANY), caption(stacked_or_separate()))
    yield Place("steps_many", (More("One head or two?", (Together((one,)), Together((so,)), *said)),))


def under_step(made: Lesson) -> Iterator[Block]:
    """Yield what can be tried at the step that is shown."""
    extra = {2: _shuffled, 5: _widths}.get(made.choices.number)
    if extra is not None:
        yield Place("steps_extra", tuple(extra(made)))


def _shuffled(made: Lesson) -> Iterator[Block]:
    """Yield what the order of the words changes, with and without positions."""
    yield heading("What if the words are shuffled?")
    yield Together((shuffled(made),))
    yield caption(SHUFFLED, style="sub")


def _widths(made: Lesson) -> Iterator[Block]:
    """Yield how the variance of scores grows with the width of a head."""
    yield heading("Why the square root?")
    yield Choose("steps_width", width=WIDTH)
    yield Together((widths(made.choices.width),))
    yield caption(widths_said(made.choices.width), style="sub")


def _seeds(made: Lesson) -> Row:
    """Return the buttons for other random numbers and for those of the layer."""
    own = made.choices
    buttons = (
        Press("New random numbers", (Say("steps_seed", (own.seed or 0) + 1),)),
        Press("Reset", (Say("steps_seed", None),), off=own.seed is None),
    )
    return Row(buttons, left=True, align="center")


def shuffled(lesson: Lesson) -> Flow:
    """Return the outputs of the words in reverse order beside the reversed outputs, without positions and with them."""
    order = tuple(reversed(range(len(lesson.words))))
    names = [labelled(lesson.words)[at] for at in order]
    one = partial(array, decimals=2, rows=names, most_columns=6)
    lines: list[Node] = []
    for on, positions in (("off", None), ("on", sinusoidal_positions(len(order), lesson.d_model))):
        of_shuffled, shuffled_of = shuffle(lesson.heads, lesson.embeddings, order, positions)
        difference = np.abs(of_shuffled - shuffled_of).max(initial=0)
        verdict = say(f"positions {on}: largest difference {difference:.2f}")
        first = one(of_shuffled, "output of the words in reverse order", name=f"of_shuffled_{on}")
        second = one(shuffled_of, "first output, rows reversed", name=f"shuffled_of_{on}")
        lines.append(column(Said("sub", verdict), row(first, second)))
    return Flow(column(*lines), "outputs when the words are shuffled")


SHUFFLED = (
    "Without positions, shuffling the words shuffles the outputs the same way ([[equivariance]]). With positions, each "
    "row also depends on its place."
)


def one_against_two() -> tuple[Flow, Flow]:
    """Return "All is well" with one head, with two, and with two that must share one weighting; and a sentence.

    Drawn is the word whose weights the averaging moves most.
    """
    single, double = PRESETS["one_head"], PRESETS["two_heads"]
    names = labelled(tuple(double.text.split()))
    one, two = _traced(single), _traced(double)
    weights, output = average_weights(double.heads(), two)
    moved = np.abs(two["weights"] - weights)  # [head, query, key]
    place = int(np.unravel_index(moved.argmax(), moved.shape)[1])

    def line(values: np.ndarray, title: str, name: str) -> Array:
        rows = [f"{names[place]} looks at"]
        return array(values[place], title, name=name, shares=True, rows=rows, columns=names, shape="")

    def out(values: np.ndarray, name: str) -> Array:
        title = say("output for {word}", word=word(names[place]))
        return array(values[place], title, name=name, decimals=2, shape="")

    root = row(
        box("one head", column(line(one["weights"][0], "one weighting", "one_head"), out(one["output"], "one_out"))),
        box(
            "two heads",
            column(
                line(two["weights"][0], "head 0", "two_heads_0"),
                line(two["weights"][1], "head 1", "two_heads_1"),
                out(two["output"], "two_out"),
            ),
        ),
        Arrow("averaged"),
        box(
            "two heads made one",
            column(line(weights, "the mean of both", "shared"), out(output, "shared_out")),
        ),
    )
    first, second = (int(looks.argmax()) for looks in two["weights"][:, place])
    before = [percent(float(two["weights"][head, place, at])) for head, at in enumerate((first, second))]
    after = [percent(float(weights[place, at])) for at in (first, second)]
    changed = float(np.abs(output[place] - two["output"][place]).max())
    sentence = say(
        f"One head gives {{word}} one set of shares; two heads give it two. Head 0 looks at {{first}} ({before[0]}), "
        f"head 1 at {{second}} ({before[1]}). Averaged into one head, they blur to {after[0]} and {after[1]}, and the "
        f"output changes by up to {changed:.2f}.",
        word=word(names[place]),
        first=word(names[first]),
        second=word(names[second]),
    )
    return Flow(root, "one head against two"), Flow(Said("finding", sentence), "one head against two, in a sentence")


def stacked_or_separate() -> str:
    """Return the largest difference between heads with separate matrices and with one stacked matrix."""
    heads, embeddings = PRESETS["two_heads"].heads(), PRESETS["two_heads"].embeddings()
    difference = np.abs(attend(heads, embeddings)[0] - attend_by_loop(heads, embeddings)[0]).max()
    return f"Head by head or in one product: same result (difference at most {difference:.1e})."


ONE_OR_MANY = "To step through this: *Layer* → “All is well”."


def _traced(preset: Preset) -> Trace:
    return trace(preset.heads(), preset.embeddings())


_effect = functools.lru_cache(maxsize=64)(width_effect)  # a few numbers each


def widths(d_head: int) -> Flow:
    """Return how the variance of q·k and the largest of eight weights change with the width of a head."""
    shown = tuple(sorted({*WIDTHS, d_head}))
    effects = [_effect(width) for width in shown]
    variance = np.array([[e.variance for e in effects], [e.variance_scaled for e in effects]])
    largest = np.array([[e.largest_raw for e in effects], [e.largest_scaled for e in effects]])
    one = partial(
        array,
        rows=("q · k", "q · k ÷ √d_head"),
        columns=[str(width) for width in shown],
        shape="",
        cell=(0, shown.index(d_head)),
    )
    root = row(
        one(variance, "variance, by d_head", name="variance"),
        one(largest, "largest of eight weights", name="largest", shares=True),
    )
    return Flow(root, "variance of scores by the width of a head")


def widths_said(d_head: int) -> str:
    """Return what the slider shows, in a caption."""
    e = _effect(d_head)
    return (
        f"Without scaling, the top word of eight gets {percent(e.largest_raw)} of the attention; with scaling, "
        f"{percent(e.largest_scaled)}. (Variance {e.variance:.1f}, scaled {e.variance_scaled:.2f}; 512 random "
        f"queries of "
        f"width {d_head}, eight keys each.)"
    )
