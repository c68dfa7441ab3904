"""How far every head moved beside its floor, which moved beyond it, the pinned ones on both sides, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

import numpy as np

from mha.analysis.changes import N_SWAPS, BesideFloor, Changes, paired_rows
from mha.export.provenance import Provenance, provenance_of
from mha.export.tables import Table
from mha.formats import counted, many, number, percent
from mha.link.view import query
from mha.maps import ATTENTION, HeadId, heads_of, ranked
from mha.screens.blocks import (
    Block,
    ChartRow,
    Columns,
    HeadDiscs,
    Key,
    LabelledPicture,
    NumberRow,
    NumberRows,
    RowChart,
    RowMark,
    Said,
    Span,
    heading,
    joined,
    said,
    say,
    word,
)
from mha.screens.compare.comparison import TOP, Both, Comparison, labels_of, moved_row, told_brought


class ChangePin(LabelledPicture, kind="change_pin"):
    """One head on both sides and the difference: shares [row, place], and of everything else [row].

    ``words`` are what a place is called on both sides, ``keys_first`` and ``keys_second`` on each. ``cell`` is the row
    and place of the largest change; ``spans`` the line below; ``brought`` says that shares are of what comes to a word,
    not of attention; ``copy`` that the second side is the scrambled copy.
    """

    head: str
    number: int
    badge: str
    words: Sequence[str]
    keys_first: Sequence[str]
    keys_second: Sequence[str]
    first: NumberRows
    second: NumberRows
    rest_first: NumberRow
    rest_second: NumberRow
    cell: tuple[int, int]
    spans: tuple[Span, ...]
    rtl: bool | None = None
    brought: bool | None = None
    copy: bool | None = None


SHOWN = 9  # named heads in the list
AXIS = "change in bits · grey: control limit · ticks: control words"
GREY = "grey: excluded or unmatched words."
LARGEST = {  # by whether what looks bring is drawn
    False: "Largest change: {query} → {key}, {before} before, {after} after.",
    True: "Largest change: {key} supplies {before} of what {query} receives before, {after} after.",
}
LARGEST_COPY = "Largest difference: {query} → {key}, {before} here, {after} in the copy."
SAME = {
    False: "This head does not change.",
    True: "The contributions in this head do not change.",
}
OF = {False: "attention", True: "contribution"}


def bits(value: float) -> str:
    """Return bits as the page writes them."""
    return f"{number(value, 3)}\u00a0bits"


def why_no_floor(case: Comparison) -> str:
    if case.swap is None:
        return "A control limit needs exactly one changed word."
    if case.choices.swaps:
        return "Some control words do not work here. Each must be a single word the model can read; three are needed."
    n = len(case.neutral.words)
    found = f"Only {counted(n)} of three control words" if n else "No control word"
    return f"{found} found for this place. Type your own under *Options*."


def map_blocks(case: Comparison) -> list[Block]:
    """Return every head's change beside its floor, and the list of those beyond it."""
    if case.found is None or not case.found.counted.any():
        return []
    floor = None if case.floor is None else case.floor.floor
    top = float(max(TOP, case.found.mean.max(), 0 if floor is None else floor.max()))
    label = f"Change of {many(case.found.mean.size, 'head')}{'' if floor is None else '; the list has the largest'}."
    drawn = HeadDiscs("changes", case.found.mean, floor, top, [str(pin) for pin in case.pins], label=label)
    left: list[Block] = [heading("How much each head changed", style="first"), drawn]
    if case.floor is None:
        return left
    named: list[Span] = [word(one) for one in case.neutral.words]
    rest = len(named) - N_SWAPS
    if not case.choices.swaps and rest >= 2:
        named = [*named[:N_SWAPS], ("plain", f"{counted(rest)} more")]
    swaps = said("cap", f"{'Your control' if case.choices.swaps else 'Control'} words: {{words}}.", words=joined(named))
    return [Columns((left, _rank(case, case.found, case.floor, top)), (62, 36), 56), swaps]


def _rank(case: Comparison, found: Changes, floor: BesideFloor, top: float) -> list[Block]:
    """Return the heads that moved furthest beyond their floors, and how many do by chance."""
    names = labels_of(case.words[0])
    rows = []
    for head in floor.ranked[:SHOWN]:
        change, limit = float(found.mean[head]), float(floor.floor[head])
        swaps = [RowMark("tick", float(one[head])) for one in floor.swaps]
        marks = (RowMark("grey", 0, limit), *swaps, RowMark("line", limit, change), RowMark("dot", change))
        rows.append(ChartRow(str(head), marks, names[case.alignment.pairs[moved_row(found, head)][0]]))
    beyond, twice = int(floor.beyond.sum()), int(floor.twice.sum())
    chance = said(
        "cap",
        "{beyond} of {n} {exceed} control limit (by chance about {expected}), {twice} twofold{so}",
        beyond=str(beyond), n=many(floor.floor.size, "head"),
        exceed="exceeds its" if beyond == 1 else "exceed their", expected=number(floor.expected, 0),
        twice=str(twice) if twice else "none", so=_named(floor, twice),
    )  # fmt: skip
    title = "Heads that changed most"
    if not rows:
        return [heading(title, "h3"), chance]
    named = "head" if len(rows) == 1 else many(len(rows), "head")
    label = f"The {named} furthest beyond twice the control limit."
    drawn = RowChart("moved", rows, top, "bits", column="changed most", axis=AXIS, label=label)
    return [heading(title, "h3", "first"), drawn, chance]


def _named(floor: BesideFloor, twice: int) -> str:
    """Return whether the heads beyond twice their limit are named, and why, after their number."""
    most, words = floor.by_swap[0], f"of the {len(floor.swaps)} control words moves"
    far = "that far beyond the limits of the others, so"
    if not twice:
        return ", so no head is named."
    if not floor.named.any():
        return f". One {words} {counted(most, 'head')} {far} no head is named."
    heads = f"more than {counted(most, 'head')}" if most else "any head"
    return f". None {words} {heads} {far} {'this head is' if twice == 1 else 'these heads are'} named."


def pin_blocks(case: Comparison, found: Both | str | None = None, weighed: Both | None = None) -> list[Block]:
    """Return the pinned heads in the first, in the second, and the difference.

    ``found`` is what `brings` returns, ``weighed`` what is drawn in the place of attention.
    """
    if case.found is None or not (case.pins or case.found.counted.any()):  # there is no map to click a head in
        return []
    title = heading("Original, copy, difference" if case.twin else "Before, after, difference")
    if not case.pins:
        return [title, Said("sub", (("next", "Click a head in the map to compare it here."),))]
    why = f" No contributions available: {found}" if isinstance(found, str) else ""
    sub, drawn = f"Per cent of all attention; {GREY}{why}", case.found
    if weighed is not None:
        first, second = (
            paired_rows(maps, [pair[side] for pair in case.alignment.pairs]) for side, maps in enumerate(weighed)
        )
        drawn = replace(case.found, first=first, second=second)
        sub = (
            "Per cent of all that a word receives ([[contribution]]). Grey bar: everything else, with words without a "
            "match. Changes and limits above still use attention."
        )
    pins = [_pin(case, head, place, found, case.found, drawn) for place, head in enumerate(case.pins, start=1)]
    return [title, said("sub", sub), *pins, Key("change_scale")]


def _pin(
    case: Comparison, head: HeadId, place: int, found: Both | str | None, looks: Changes, drawn: Changes
) -> ChangePin:
    """Return one head on both sides; ``drawn`` are its ``looks``, or what is drawn in their place."""
    first, second, weighed = drawn.first[head], drawn.second[head], drawn is not looks  # [pair, pair + 1]
    names = [labels_of(own) for own in case.words]
    keys = [[names[side][pair[side]] for pair in case.alignment.pairs] for side in (0, 1)]
    alone = len(case.alignment.changed) == 1
    both = [
        one if same else "changed" if alone else f"{one} / {other}"
        for one, other, same in zip(*keys, case.alignment.same, strict=True)
    ]
    cell = drawn.strongest(head)
    spans = say(
        LARGEST_COPY if case.twin else LARGEST[weighed],
        query=word(keys[0][cell[0]]),
        key="the changed word" if alone and not case.alignment.same[cell[1]] else word(both[cell[1]]),
        before=percent(first[cell]), after=percent(second[cell]),
    )  # fmt: skip
    if weighed:
        before, after = (percent(side[head][cell]) for side in (looks.first, looks.second))
        spans += say(" In attention: {before} before, {after} after.", before=before, after=after)
    elif cell[0] != cell[1]:
        spans += told_brought(found, case, head, cell, keys[0][cell[0]])
    if np.array_equal(first, second):
        spans = say(SAME[weighed])
    floor = f", control limit {number(case.floor.floor[head], 3)}" if case.floor is not None else ""
    badge = f"{bits(looks.mean[head])}{floor}" if looks.counted.any() else ""
    return ChangePin(
        str(head), place, badge, both, keys[0], keys[1], first[:, :-1], second[:, :-1], first[:, -1],
        second[:, -1], cell, spans, case.rtl, weighed or None, case.twin or None,
        label=f"Head {head}: {OF[weighed]} on both sides, and the difference",
    )  # fmt: skip


FORMATS = {"mean change": "%.3f", "largest row": "%.3f", "control limit": "%.3f"}


def table_columns(case: Comparison) -> dict[str, list[str] | np.ndarray]:
    """Return every head with its change in bits, the largest mean first; none where no row can be counted."""
    if case.found is None or not case.found.counted.any():
        return {}
    mean = case.found.mean
    heads = ranked(mean)
    names = labels_of(case.words[0])
    at = tuple(np.array(heads).T)
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(head) for head in heads],
        "mean change": mean[at],
        "largest row": case.found.largest[at],
        "its word": [names[case.alignment.pairs[moved_row(case.found, head)][0]] for head in heads],
    }
    if case.floor is not None:
        columns |= {"control limit": case.floor.floor[at], "more than twice its limit": case.floor.twice[at]}
    return columns


def table_said(case: Comparison) -> Said:
    """Return what the columns of the table are."""
    assert case.found is not None
    rows = counted(int(case.found.counted.sum()), "row")
    floor = (
        ""
        if case.floor is None
        else f" Control limit: the largest mean change with {len(case.floor.swaps)} control words."
    )
    return said(
        "cap", "Jensen–Shannon divergence of a row between both sides, in bits: its mean over the {rows} whose word "
               "stayed, and the largest of them.{floor}", rows=rows, floor=floor,
    )  # fmt: skip


def changes_table(case: Comparison, base: str = "") -> Table:
    """Return every head's change beside its floor, in bits, of a case in which something could be compared.

    ``base`` is the address of the page without its words.
    """
    assert case.found is not None
    mean = case.found.mean  # [layer, head]
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(head) for head in heads_of(*mean.shape)],
        "change_bits_mean": mean.ravel(),
        "change_bits_largest_row": case.found.largest.ravel(),
    }
    controls = "none"
    if case.floor is not None:
        columns["floor_bits"] = case.floor.floor.ravel()
        columns |= {f"swap_{place}_bits": swap.ravel() for place, swap in enumerate(case.floor.swaps, start=1)}
        columns["beyond_floor"] = case.floor.beyond.ravel().astype(np.int64)
        columns["named"] = case.floor.named.ravel().astype(np.int64)
        names = case.neutral.words
        controls = (
            f"{len(names)} control words in the changed place: {', '.join(names)}; heads that each moves beyond "
            f"twice the limit of the others, most first: {', '.join(map(str, case.floor.by_swap))}"
        )
    second = f"{case.texts[1]} (scrambled copy, seed {case.choices.seed})" if case.twin else case.texts[1]
    return Table(columns, replace(changed_from(case, base, controls), texts=(case.texts[0], second)))


def changed_from(case: Comparison, base: str, controls: str, measure: str = ATTENTION) -> Provenance:
    return provenance_of(
        replace(case.first, measure=measure),
        model_sha256=case.row.sha256,
        scale="nothing rescaled; over the words and one key for the rest, a divergence of rows in bits",
        controls=controls,
        link=f"{base}?{urlencode([*query(case.view), *case.choices.pairs()])}",
    )
