"""What is found of one cell: its sentence, at the top of its view, and what reaches the word, at the end.

Every sentence is worked out from the cell, so that it holds for any model and any two tokens.
"""

from __future__ import annotations

import numpy as np

from mha.formats import labels, number, percent
from mha.maps import piece_groups
from mha.models.watch.cell import HALF_SLACK, SLACK
from mha.screens.blocks import Columns, Heading, Said, Span, as_text, heading, joined, say, word
from mha.screens.cell.blocks import Hero, Length, Lengths, Strips, VectorStrip
from mha.screens.cell.recorded import RecordedCell
from mha.screens.pieces import Piece, sentence_pieces

AROUND = 30  # pieces of a long text before and behind the two words
MOST_BARS = 512  # of one strip
HIDDEN = {True: "later tokens.", False: "it."}  # whether the token that is hidden comes later
W_O: tuple[Span, ...] = (("plain", "W"), ("sub", "O"))


def share(weight: float) -> str:
    """Return a weight as whole per cents, below half a per cent as such.

    >>> share(0.003), share(0.0), share(0.84)
    ('less than 1\\xa0%', '0\\xa0%', '84\\xa0%')
    """
    return "less than 1\u00a0%" if 0 < weight < 0.005 else percent(weight)


def decimals(values: np.ndarray) -> int:
    """Return how many decimals tell such numbers apart.

    >>> decimals(np.array([3.2, -0.1])), decimals(np.array([0.02]))
    (1, 3)
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max()) if len(finite) else 1.0
    return 1 if largest >= 1 else 2 if largest >= 0.1 else 3


def finding(case: RecordedCell) -> Said:
    """Return the sentence of the view."""
    found = case.cell
    if case.cut_off:
        return Said(
            "cell-lead lead",
            say(
                "In head {head}, {query} cannot look at {key}, because a mask hides "
                + HIDDEN[found.causal and found.key > found.query],
                head=found.head,
                query=case.query,
                key=case.key,
            ),
        )
    at = (("plain", "itself"),) if case.itself else (case.key,)
    return Said(
        "cell-lead lead",
        say(
            f"In head {{head}}, {{query}} gives {share(found.weight)} of its attention to {{at}}. "
            "These four steps produce that number.",
            head=found.head,
            query=case.query,
            at=at,
        ),
    )


def hero(case: RecordedCell) -> Hero:
    """Return the sentence with the two tokens; of a long text what stands around them."""
    found, pieces = case.cell, _pieces(case)
    query, key = case.looking_at, found.key
    places = [place for place, piece in enumerate(pieces) if piece["at"] in (query, key)]
    first, last = max(0, min(places) - AROUND), max(places) + AROUND + 1
    if max(places) - min(places) > 4 * AROUND:  # too far apart to stand in one text
        near = [range(max(0, place - AROUND // 2), place + AROUND // 2) for place in (min(places), max(places))]
        kept = [piece for place, piece in enumerate(pieces) if any(place in one for one in near)]
        gap = len([place for place in near[0] if place < len(pieces)])
        dots: Piece = {"text": "…", "at": None, "space": True}
        kept.insert(gap, dots)
        first, last = near[0].start, near[1].stop
    else:
        kept = pieces[first:last]
    said = f"{share(found.weight)} of the attention of {as_text((case.query,))} goes to {as_text((case.key,))}"
    return Hero(tuple(kept), query, key, percent(found.weight), found.weight, (first > 0, last < len(pieces)), said)


def _pieces(case: RecordedCell) -> list[Piece]:
    """Return the text's pieces; where another text looks at it, that one's tokens behind it, numbered on."""
    pieces = sentence_pieces(case.maps)
    if not case.crosses:
        return pieces
    n_keys = len(case.cell.key_tokens)
    apart: Piece = {"text": "←", "at": None, "space": True}
    names = labels(case.cell.tokens)
    target: list[Piece] = [{"text": name, "at": n_keys + at, "space": True} for at, name in enumerate(names)]
    return [*pieces, apart, *target]


def parts(case: RecordedCell) -> tuple[Said, ...]:
    """Return what the two tokens are parts of, where words have several."""
    tokens = case.cell.tokens, case.cell.key_tokens
    lines: list[Span] = []
    for place, own, name in zip((case.cell.query, case.cell.key), tokens, (case.query, case.key), strict=True):
        group = next(group for group in piece_groups(own) if place in group)
        if len(group) == 1 or own[place].word is None or (lines and case.itself):
            continue
        source = (case.maps.pair or "") if own[place].segment else case.maps.text
        whole = source[own[group[0]].start : own[group[-1]].end]
        lines += say(f"{{name}} is one of {len(group)} tokens in {{whole}}. ", name=name, whole=word(whole))
    return (Said("cap", tuple(lines)),) if lines else ()


def reaches(case: RecordedCell) -> tuple[Heading | Lengths | Said, ...]:
    """Return how long is what the layer got of the token that looks, what this head adds, and what of it is whose."""
    found = case.cell
    title = Heading(say("What {query} receives", query=case.query))
    if found.added is None or found.along is None or found.through is None:
        return (
            title,
            Said("sub", say("The contribution is not available: this model has no matrix directly after its heads.")),
        )
    whole = float(np.linalg.norm(found.added))
    rows = []
    if found.stream is not None:
        rows.append(
            Length(say("{query} before this layer", query=case.query), found.stream, number(found.stream), "aside")
        )
    rows.append(Length(say("added by {head}", head=found.head), whole, number(whole), "whole"))
    keys = [found.key, *([case.other] if case.other is not None else [])]
    for key in keys:
        along = float(found.along[key])
        rows.append(Length(say("of that, from {key}", key=case.name(key)), along, number(along), "part", indent=True))
    label = "; ".join(f"{as_text(row.spans)}: {row.text}" for row in rows)
    return (title, Lengths(tuple(rows), label), Said("cap", _reach_caption(case, whole)))


def _reach_caption(case: RecordedCell, whole: float) -> tuple[Span, ...]:
    found = case.cell
    assert found.along is not None
    assert found.through is not None
    line = say("Sizes after {wo}, before normalisation. ", wo=W_O)
    if whole > 0:
        part = float(found.along[found.key]) / whole
        line += say(
            f"{{key}} accounts for {percent(part)} of what this head adds to {{query}}, biases excluded.",
            query=case.query,
            key=case.key,
        )
    other = case.other
    if other is not None and whole > 0:
        size = float(found.weights[other] * found.through[other])
        if size >= 0.005 * whole and abs(float(found.along[other])) < 0.5 * size:
            line += say(
                f" {{other}} contributes {number(size)}, but mostly in another direction.",
                other=case.name(other),
            )
    return line


def carries(case: RecordedCell) -> tuple[Heading | Strips | Said, ...]:
    """Return the value of the key, and what the weight and W_O make of it, number by number."""
    found = case.cell
    title = heading("What is passed on")
    own = VectorStrip(
        say("[[value]] of {key}:", key=case.key),
        f"{len(found.value):,} numbers, size {number(float(np.linalg.norm(found.value)))}",
        *_pooled(found.value),
    )
    if found.brought is None:
        return (
            title,
            Strips((own,), "the value"),
            Said("cap", say("The result after {wo} is not available for this model.", wo=W_O)),
        )
    n = len(found.brought)
    after = VectorStrip(
        say(f"after × {share(found.weight)} and {{wo}}:", wo=W_O),
        f"{n:,} numbers, size {number(float(np.linalg.norm(found.brought)))}",
        *_pooled(found.brought),
    )
    each = -(-n // MOST_BARS)
    bars = "one bar for each number" if each == 1 else f"one bar for each {each} numbers"
    said = say(
        f"Each strip has its own scale. The lower strip is added to {{query}}, {bars}.",
        query=case.query,
    )
    label = f"{own.note}; after W_O {after.note}"
    return (title, Strips((own, after), label), Said("cap", said))


def arrives(case: RecordedCell) -> Columns:
    """Return what reaches the word beside what the value carries."""
    return Columns((reaches(case), carries(case)))


def _pooled(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and the largest of neighbours (and 0), so that there are at most `MOST_BARS`."""
    each = -(-len(values) // MOST_BARS)
    starts = np.arange(0, len(values), each)
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.minimum(low, 0), np.maximum(high, 0)


def foot(case: RecordedCell) -> tuple[str | tuple[Span, ...], ...]:
    """Return where the numbers come from."""
    row, found = case.row, case.cell
    group = found.group
    shared: tuple[Span, ...] = ()
    if len(group) > 1:
        names = joined([("head", f"L{found.head.layer}H{other}") for other in group])
        shared = say(" {names} share one key and one value (grouped queries).", names=names)
    near = HALF_SLACK if case.maps.half_precision else SLACK
    return (
        f"{row.short} ({row.source}), {row.origin}, {row.n_layers} {'layer' if row.n_layers == 1 else 'layers'} × "
        f"{row.n_heads} [[heads|head]] of {case.d_head} numbers. All numbers come from the model. Recomputed here, the "
        f"attention differs by less than {f'{near:.5f}'.rstrip('0')}.",
        shared,
        " Blue is positive, grey is negative.",
    )
