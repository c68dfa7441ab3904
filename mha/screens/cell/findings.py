"""What is found of one cell: its sentence, at the top of its view, and what reaches the word, at the end.

Every sentence is worked out from the cell, so that it holds for any model and any two tokens.
"""

from __future__ import annotations

import numpy as np

from mha.formats import labels, number, percent
from mha.maps import piece_groups
from mha.screens.arrays import MOST_BARS, W_O, Calculation, Flow, column, strip
from mha.screens.blocks import Block, Columns, Heading, Said, Span, as_text, heading, say, word
from mha.screens.cell.recorded import RecordedCell, lead, share
from mha.screens.pieces import Piece, sentence_pieces

AROUND = 30  # pieces of a long text before and behind the two words


class Hero(Block, kind="cell_hero"):
    """The sentence with two words and one arc; ``cut`` says that words before or behind were left out."""

    pieces: tuple[Piece, ...]
    query: int
    key: int
    share: str
    weight: float
    cut: tuple[bool, bool]
    label: str


def finding(case: RecordedCell) -> Said:
    """Return the sentence of the view."""
    return Said("cell-lead lead", lead(case.maps, case.place, case.cut_off, "These four steps"))


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


def reaches(case: RecordedCell) -> tuple[Heading | Flow | Said, ...]:
    """Return how long is what the layer got of the token that looks, what this head adds, and what of it is whose."""
    found = case.cell
    title = Heading(say("What {query} receives", query=case.query))
    if found.added is None or found.along is None or found.through is None:
        line = say("The contribution is not available: this model has no matrix directly after its heads.")
        return title, Said("sub", line)
    whole = float(np.linalg.norm(found.added))
    bars = [(say("added by {head}", head=found.head), whole, "whole")]
    if found.stream is not None:
        bars.insert(0, (say("{query} before this layer", query=case.query), found.stream, "aside"))
    for key in (found.key, case.other):
        if key is not None:
            bars.append((say("of that, from {key}", key=case.name(key)), float(found.along[key]), "part"))
    lines = tuple((what, number(value), "") for what, value, _ in bars)
    label = "; ".join(f"{as_text(what)}: {text}" for what, text, _ in lines)
    drawn = Calculation(lines, "lengths", tuple((value, tone) for _, value, tone in bars))
    return title, Flow(drawn, label), Said("cap", _reach_caption(case, whole))


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


def carries(case: RecordedCell) -> tuple[Heading | Flow | Said, ...]:
    """Return the value of the key, and what the weight and W_O make of it, number by number."""
    found, title = case.cell, heading("What is passed on")
    own = strip(found.value, say("[[value]] of {key}:", key=case.key))
    if found.brought is None:
        line = say("The result after {wo} is not available for this model.", wo=W_O)
        return title, Flow(own, "the value"), Said("cap", line)
    after = strip(found.brought, say(f"after × {share(found.weight)} and {{wo}}:", wo=W_O))
    each = -(-len(found.brought) // MOST_BARS)
    bars = "one bar for each number" if each == 1 else f"one bar for each {each} numbers"
    line = say(f"Each strip has its own scale. The lower strip is added to {{query}}, {bars}.", query=case.query)
    return title, Flow(column(own, after), f"{own.shape}; after W_O {after.shape}"), Said("cap", line)


def arrives(case: RecordedCell) -> Columns:
    """Return what reaches the word beside what the value carries."""
    return Columns((reaches(case), carries(case)))
