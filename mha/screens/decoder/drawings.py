"""What is drawn of a model that writes: the component "writing", and below it all heads with roles and shared keys.

"writing" has the text with the looks of one step, all heads at it, one head at all steps.
"""

from __future__ import annotations

import numpy as np

from mha.formats import whole_percent
from mha.maps import HeadId, Recording
from mha.screens.blocks import Span, say
from mha.screens.decoder import sentences
from mha.screens.decoder.writing import Writing, shown_text
from mha.screens.drawing import Drawing
from mha.words import right_to_left

SPACES = ("Ġ", "▁", " ")  # that tokenizers write for white space before a token
FEW_HEADS = 16  # of a model whose heads all say that no role stands out


def drawing(written: Writing) -> Drawing:
    """Return everything that the slider moves through: it needs no server."""
    found, back, maps = written.found, written.back, written.maps
    n_heads = maps.n_layers * maps.n_heads
    first = written.hidden
    columns = back.columns[first:]
    names = written.names
    unit = written.unit
    header = {
        "layers": maps.n_layers,
        "heads": maps.n_heads,
        "unit": unit,
        "texts": [shown_text(maps.tokens[place]) for place in columns],
        "columns": list(columns),
        "names": list(names),
        "plain": [shown_text(token) for token in maps.tokens],
        "spaces": [_spaced(written, place) for place in columns],
        "rows": list(back.rows),
        "n_read": found.n_read,
        "steps": found.n_steps,
        "step": written.step,
        "pin": written.head.layer * maps.n_heads + written.head.head,
        "chosen": written.chosen,
        "ended": found.ended,
        "chances": [sentences.chance(float(chance)) for chance in found.probabilities],
        "windows": list(found.recording.layouts["self"].windows) if "self" in found.recording.layouts else [],
        "large": written.view.large,
        "rtl": right_to_left(maps.text),
        "roles": [sentences.role_text(written, head, short=False) for head in maps.heads],
        "say": {
            "looks": sentences.templates(written),
            "writes": sentences.writes(written),
            "title": f"All {n_heads} heads at this step" if n_heads > 1 else "The head at this step",
            "stairs": f"at all {found.n_steps} steps" if found.n_steps > 1 else "at its one step",
            "caption": sentences.stairs_caption(written),
            "aside": f"to {sentences.sink_of(written)}" if written.view.sinks else "",
            "absent": "not written yet",
            "hidden": sentences.not_drawn(written),
            "label": sentences.alternative(written),
            "chosen": "picked for you",
        },
    }
    shares = _percents(back.shares[..., first:]).reshape(found.n_steps, n_heads, len(columns))
    looks = np.zeros((found.n_steps, n_heads, 3), dtype=np.uint16)
    for step in range(found.n_steps):
        for number, head in enumerate(maps.heads):
            looks[step, number] = _look(written, step, head)
    mass = _percents(back.mass).reshape(found.n_steps, n_heads)
    return Drawing(header, {"shares": shares, "mass": mass, "looks": looks})


def _look(written: Writing, step: int, head: HeadId) -> tuple[int, int, int]:
    """Return the strongest look of a head at a step: a place of all tokens, whole per cents, how it is told."""
    row = written.back.shares[step, head.layer, head.head]
    empty = bool(written.back.empty[step, head.layer, head.head])
    place = written.back.columns[int(row.argmax())]
    return place, whole_percent(float(row.max())), sentences.case_of(written, step, place, empty)


def _spaced(written: Writing, place: int) -> bool:
    """Return whether white space stands before a token: of one word, or not, its pieces touch."""
    if place == 0:
        return False
    token, before = written.maps.tokens[place], written.maps.tokens[place - 1]
    if token.end <= token.start:  # where it stands in the text is not known
        return token.special or token.raw[:1] in SPACES
    return before.special or token.start > before.end


def _percents(shares: np.ndarray) -> np.ndarray:
    return np.floor(100 * np.clip(shares, 0, 1) + 0.5).astype(np.uint8)


def alone(drawing: Drawing, about: tuple[Span, ...] = (), texts: tuple[str, ...] = ()) -> Drawing:
    """Return the overview without its sentence and finding, which another component has."""
    return Drawing(
        {**drawing.header, "alone": True, "texts": list(texts), "about": about, "roles": None}, drawing.arrays
    )


def bracketed(drawing: Drawing, recording: Recording, stack: str = "self") -> Drawing:
    """Return the overview with brackets over heads that share a key and a value, where a stack has such.

    Where nothing else is said under it, it says so, and how far its layers look back.
    """
    layout = recording.layouts.get(stack)
    header = dict(drawing.header)
    told = sentences.laid_out(layout, recording.maps.causal or stack != "self")
    if told and not header.get("about"):
        header["about"] = say(told)
    if layout is not None and layout.n_groups < layout.n_heads and layout.n_heads % layout.n_groups == 0:
        header["groups"] = layout.n_groups
    return Drawing(header, drawing.arrays)


def with_roles(drawing: Drawing, written: Writing) -> Drawing:
    """Return the overview of what was read and written, with the role of each head on this text."""
    few = len(written.maps.heads) <= FEW_HEADS
    texts = tuple(sentences.role_text(written, head, short=not few) for head in written.maps.heads)
    return alone(drawing, sentences.roles_about(written), texts)
