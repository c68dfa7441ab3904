"""What the component "writing" draws: the text with the looks of one step, all heads at it, one head at all steps."""

from __future__ import annotations

import numpy as np

from mha.formats import whole_percent
from mha.maps import HeadId
from mha.screens.decoder import sentences
from mha.screens.decoder.writing import Writing, shown_text
from mha.screens.drawing import Drawing
from mha.words import right_to_left

SPACES = ("Ġ", "▁", " ")  # that tokenizers write for white space before a token


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
            "title": f"Where all {n_heads} heads looked back for this {unit}"
            if n_heads > 1
            else f"Where the head looked back for this {unit}",
            "stairs": f"all {found.n_steps} steps" if found.n_steps > 1 else "its one step",
            "caption": sentences.stairs_caption(written),
            "aside": f"set aside, on {sentences.sink_of(written)}" if written.view.sinks else "",
            "absent": "not there yet: absent, not zero",
            "hidden": sentences.not_drawn(written),
            "label": sentences.alternative(written),
            "chosen": "chosen for you",
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
