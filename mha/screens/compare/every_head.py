"""How far every head moved beside its floor, which moved beyond it, the pinned ones on both sides, and a table."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import numpy as np

from mha.analysis.changes import N_SWAPS, Changes
from mha.brief import with_arrays
from mha.export.provenance import Provenance, provenance_of
from mha.export.tables import Table
from mha.formats import counted, number, percent
from mha.link.view import query
from mha.maps import ATTENTION, HeadId, heads_of, ranked
from mha.screens.blocks import Block, Columns, Said, Span, heading, joined, said, say, word
from mha.screens.compare.blocks import ChangeMap, ChangePin, ChangeRank, ChangeScale, MovedHead
from mha.screens.compare.comparison import Comparison, labels_of, moved_row
from mha.screens.compare.sides import Both, rows_of
from mha.screens.compare.sides import about as about_brought
from mha.screens.compare.sides import told as told_brought

SHOWN = 9  # named heads in the list
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
    n = len(case.found.mean.ravel())
    label = f"Change of {n} heads; the list has the largest." if floor is not None else f"Change of {n} heads."
    drawn = ChangeMap(case.found.mean, floor, case.top, [str(pin) for pin in case.pins], label)
    left: list[Block] = [heading("How much each head changed", style="first"), drawn]
    return [Columns((left, _rank(case)), (62, 36), 56), *_swaps(case)] if case.floor is not None else left


def _rank(case: Comparison) -> list[Block]:
    assert case.found is not None
    assert case.floor is not None
    rows = []
    names = labels_of(case.words[0])
    for head in case.floor.ranked[:SHOWN]:
        swaps = [float(one[head]) for one in case.floor.swaps]
        moved = names[case.alignment.pairs[moved_row(case, head)][0]]
        rows.append(MovedHead(str(head), float(case.found.mean[head]), float(case.floor.floor[head]), swaps, moved))
    n, beyond, twice = case.floor.floor.size, int(case.floor.beyond.sum()), int(case.floor.twice.sum())
    chance = said(
        "cap",
        "{beyond} of {n} heads exceed their control limit (by chance about {expected}), {twice} twofold. {swaps} "
        "{most} that far, so {named}.",
        beyond=str(beyond), n=str(n), expected=f"{case.floor.expected:.0f}", twice=str(twice) if twice else "none",
        swaps=f"Any of {len(case.floor.swaps)} control words, against the limits of the others, moves",
        most="none" if case.floor.by_swap[0] == 0 else f"at most {counted(case.floor.by_swap[0], 'head')}",
        named=("this head is named" if twice == 1 else "these heads are named")
        if case.floor.named.any()
        else "no head is named",
    )  # fmt: skip
    if not rows:
        return [heading("Heads that changed most", "h3"), chance]
    return [
        heading("Heads that changed most", "h3", "first"),
        ChangeRank(rows, case.top, f"The {len(rows)} heads that exceed twice their control limit most."),
        chance,
    ]


def _swaps(case: Comparison) -> list[Block]:
    named: list[Span] = [word(one) for one in case.neutral.words]
    if case.choices.swaps:
        return [said("cap", "Your control words: {words}.", words=joined(named))]
    rest = len(named) - N_SWAPS
    few = named if rest < 2 else [*named[:N_SWAPS], ("plain", f"{counted(rest)} more")]
    return [said("cap", "Control words: {words}.", words=joined(few))]


def pin_blocks(case: Comparison, found: Both | str | None = None, weighed: Both | None = None) -> list[Block]:
    """Return the pinned heads in the first, in the second, and the difference.

    ``found`` is what `brings` returns, ``weighed`` what is drawn in the place of attention.
    """
    if case.found is None:
        return []
    if not case.pins:
        return [
            heading("Original, copy, difference" if case.twin else "Before, after, difference"),
            said("sub", "Click a head in the map to compare it here."),
        ]
    sub = f"Per cent of all attention; {GREY}{about_brought(found)}"
    drawn = case.found
    if weighed is not None:
        first, second = rows_of(weighed, case)
        drawn = replace(case.found, first=first, second=second)
        sub = (
            "Per cent of all that a word receives ([[contribution]]). Grey bar: everything else, with words without a "
            "match. Changes and limits above still use attention."
        )
    pins = [_pin(case, head, place + 1, found, drawn, weighed is not None) for place, head in enumerate(case.pins)]
    return [
        heading("Original, copy, difference" if case.twin else "Before, after, difference"),
        said("sub", sub),
        *pins,
        ChangeScale(),
    ]


def _pin(
    case: Comparison, head: HeadId, place: int, found: Both | str | None, drawn: Changes, weighed: bool
) -> ChangePin:
    assert case.found is not None
    first, second = drawn.first[head], drawn.second[head]  # [pair, pair + 1]
    names = [labels_of(case.words[side]) for side in (0, 1)]
    keys = [[names[side][pair[side]] for pair in case.alignment.pairs] for side in (0, 1)]
    alone = len(case.alignment.changed) == 1
    both = [
        one if same else "changed" if alone else f"{one} / {other}"
        for one, other, same in zip(*keys, case.alignment.same, strict=True)
    ]
    cell = drawn.strongest(head)
    before, after = percent(float(first[cell])), percent(float(second[cell]))
    asked = "the changed word" if alone and not case.alignment.same[cell[1]] else ""
    spans = say(
        (LARGEST_COPY if case.twin else LARGEST[weighed]),
        query=word(keys[0][cell[0]]), key=("plain", asked) if asked else word(both[cell[1]]),
        before=before, after=after,
    )  # fmt: skip
    if weighed:
        looks = (percent(float(side[head][cell])) for side in (case.found.first, case.found.second))
        spans = (
            *spans,
            *say(" In attention: {before} before, {after} after.", before=next(looks), after=next(looks)),
        )
    elif cell[0] != cell[1]:
        spans = (*spans, *told_brought(found, case, head, cell, keys[0][cell[0]]))
    if np.array_equal(first, second):
        spans = say(SAME[weighed])
    floor = f", control limit {number(case.floor.floor[head], 3)}" if case.floor is not None else ""
    badge = f"{bits(case.found.mean[head])}{floor}" if case.found.counted.any() else ""
    return ChangePin(
        str(head), place, badge, both, keys[0], keys[1], both, first[:, :-1], second[:, :-1], first[:, -1],
        second[:, -1], cell, spans, f"Head {head}: {OF[weighed]} on both sides, and the difference",
        case.rtl, weighed or None, case.twin or None,
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
        "its word": [names[case.alignment.pairs[moved_row(case, head)][0]] for head in heads],
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


@with_arrays
class ChangesNumbers:
    """Every head's change, to be taken away; ``base`` is the address of the page without its words."""

    case: Comparison
    base: str = ""

    def table(self) -> Table:
        """Return every head's change beside its floor, in bits, of a case in which something could be compared."""
        case = self.case
        assert case.found is not None
        mean, largest = case.found.mean, case.found.largest  # [layer, head]
        heads = heads_of(*mean.shape)
        columns: dict[str, list[str] | np.ndarray] = {
            "head": [str(head) for head in heads],
            "change_bits_mean": mean.ravel(),
            "change_bits_largest_row": largest.ravel(),
        }
        controls = "none"
        if case.floor is not None:
            columns["floor_bits"] = case.floor.floor.ravel()
            names = case.neutral.words
            columns |= {f"swap_{place + 1}_bits": swap.ravel() for place, swap in enumerate(case.floor.swaps)}
            columns["beyond_floor"] = case.floor.beyond.ravel().astype(np.int64)
            columns["named"] = case.floor.named.ravel().astype(np.int64)
            moved = ", ".join(map(str, case.floor.by_swap))
            controls = (
                f"{len(names)} control words in the changed place: {', '.join(names)}; heads that each moves beyond "
                f"twice the limit of the others, most first: {moved}"
            )
        told = changed_from(case, self.base, controls)
        second = f"{case.texts[1]} (scrambled copy, seed {case.choices.seed})" if case.twin else case.texts[1]
        return Table(columns, replace(told, texts=(case.texts[0], second)))


def changed_from(case: Comparison, base: str, controls: str, measure: str = ATTENTION) -> Provenance:
    return provenance_of(
        replace(case.first, measure=measure),
        model_sha256=case.row.sha256,
        scale="nothing rescaled; over the words and one key for the rest, a divergence of rows in bits",
        controls=controls,
        link=f"{base}?{urlencode([*query(case.view), *case.choices.pairs()])}",
    )
