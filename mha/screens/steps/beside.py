"""What lies beside the toy's walk: an order and a width to try, tables to edit, W_O, the ways to make heads."""

from __future__ import annotations

from collections.abc import Iterator

from mha.link.acts import Say
from mha.link.steps import STEPS
from mha.screens.blocks import Block, caption
from mha.screens.inputs import Choose, Matrices, Press
from mha.screens.places import More, Place, Row, Side, SortableTable, Title, Together
from mha.screens.steps import toy, toy_arrays, ways
from mha.screens.steps.lesson import Lesson, labelled
from mha.screens.steps.toy import EDITING

WIDTH, HEADS = 420, 320  # px


def beside(made: Lesson) -> Iterator[Block]:
    """Yield what stands under the walk, in the order of the page."""
    mix = (Together((toy_arrays.last_matrix(made),)),), (Together((toy.what_w_o_does(made),)),)
    if made.choices.number == len(STEPS):
        yield Place("steps_last", (More("What the last matrix is for", (Side(mix, (3, 2), align="center"),)),))
    if made.editable:
        yield Place("steps_edit", tuple(_tables(made)))
    parts = tuple(_three_ways(made.choices.heads))
    yield Place("steps_ways", (More(ways.ways_heading(made.choices.heads), parts),))
    one, so = ways.one_against_two()
    said = caption(ways.ONE_OR_MANY)
    yield Place("steps_many", (More("One head or two?", (Together((one,)), Together((so,)), said)),))


def under_step(made: Lesson) -> Iterator[Block]:
    """Yield what can be tried at the step that is shown."""
    extra = {2: _shuffled, 5: _widths}.get(made.choices.number)
    if extra is not None:
        yield Place("steps_extra", tuple(extra(made)))


def _shuffled(made: Lesson) -> Iterator[Block]:
    """Yield what the order of the words changes, with and without positions."""
    yield Title("What if the words are shuffled?")
    yield Together((ways.shuffled(made),))
    yield caption(ways.SHUFFLED, style="sub")


def _widths(made: Lesson) -> Iterator[Block]:
    """Yield how the variance of scores grows with the width of a head."""
    yield Title("Why the square root?")
    yield Choose("steps_width", width=WIDTH)
    yield Together((ways.widths(made.choices.width),))
    yield caption(ways.widths_said(made.choices.width), style="sub")


def _tables(made: Lesson) -> Iterator[Block]:
    """Yield the tables in which the toy's numbers can be edited, or the button that opens them."""
    own = made.choices
    other = Say("steps_seed", (own.seed or 0) + 1), Say("steps_edits", "")
    back = Say("steps_seed", None), Say("steps_edits", "")
    buttons = (
        Press("Done" if own.editing else "Edit numbers", (Say("steps_editing", not own.editing),)),
        Press("New random numbers", other),
        Press("Reset", back, off=not (own.edits or own.seed is not None)),
    )
    yield Row(buttons, left=True, align="center")
    if own.editing:
        about = (own.seed, own.layer, own.words, own.text)
        yield Matrices("steps_edits", made.seeded, labelled(made.words), own.edits, about)
        yield caption(EDITING)


def _three_ways(n_heads: int) -> Iterator[Block]:
    """Yield the three ways to make heads on the same words, with what each costs, here and in the original paper."""
    yield Choose("steps_heads", width=HEADS)
    yield Side(tuple(tuple(_way(one)) for one in ways.three_ways(n_heads)), (1, 1, 1), "medium")
    yield _costs(n_heads, 2, 4)
    yield caption(ways.COSTS_HERE)
    yield Title("The original paper: 8 heads, d_model 512, d_head 64", 3)
    yield _costs(8, 10, 512)
    yield caption(ways.COSTS_THERE)


def _way(one: ways.HeadsWay) -> Iterator[Block]:
    yield Title(ways.WAYS[one.split], 3)
    yield Together((ways.way_arrays(one),))
    if one.heads is not None:
        yield caption(ways.by_loop(one))


def _costs(n_heads: int, n_tokens: int, d_model: int) -> SortableTable:
    columns = dict(zip(ways.COSTS, zip(*ways.costs(n_heads, n_tokens, d_model), strict=True), strict=True))
    alt = f"three ways to make {n_heads} heads from {d_model} numbers"
    return SortableTable("", columns, {}, alt, f"parallax-costs-{d_model}", right=ways.COSTS[1:])
