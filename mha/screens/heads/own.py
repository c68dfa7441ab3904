"""Maps of the reader's own, from a file: checked, and drawn as the maps of a model are."""

from __future__ import annotations

import io
from dataclasses import replace

from mha.errors import InputError
from mha.link.view import MAX_POSITION, View, fitted
from mha.maps import AttentionMaps, Recording
from mha.models.files.rows import ModelRow
from mha.saved import load_maps
from mha.screens.heads.picture import Picture
from mha.screens.shown import shown_for
from mha.words import shown

MEGABYTES = 20  # of a file
MOST_BYTES = 48 * 2**20  # of its weights, once they are read
MOST_HEADS = 1024
MOST_LETTERS = 20_000  # of its texts and its tokens; two typed texts have 8,000
LONGEST = 300  # letters of a text that are said above the picture
NAME = 60  # and of a model's name
KIND = "imported"


def own_maps(content: bytes) -> AttentionMaps:
    """Return the maps in a file that `maps.save` wrote, or that was taken away from this page.

    Raises:
        InputError: it is no such file, or holds more than this page can draw.
        ShapeError: its numbers are no attention weights.
    """
    maps = load_maps(io.BytesIO(content), MOST_BYTES, MAX_POSITION + 1)
    maps.check_every_row()
    if maps.kind == "cross" or maps.key_tokens != maps.tokens:
        raise InputError(
            "These maps connect two texts; this page shows one text. Use `mha.head_heatmap` in a notebook."
        )
    if maps.n_layers * maps.n_heads > MOST_HEADS:
        raise InputError(
            f"This file is too large for the page: it has {maps.n_layers * maps.n_heads:,} heads; the limit is "
            f"{MOST_HEADS:,}."
        )
    letters = len(maps.text) + len(maps.pair or "") + sum(len(token.text) for token in maps.tokens)
    if letters > MOST_LETTERS:
        raise InputError(
            f"This file is too large for the page: its text and tokens have {letters:,} letters; the limit is "
            f"{MOST_LETTERS:,}."
        )
    return _readable(maps)


def _readable(maps: AttentionMaps) -> AttentionMaps:
    """Return the maps with a sign for each character that could turn the page around it, or shows nothing."""
    tokens = tuple(replace(token, text=shown(token.text), raw=shown(token.raw)) for token in maps.tokens)
    pair = None if maps.pair is None else shown(maps.pair)
    return replace(maps, tokens=tokens, key_tokens=tokens, text=shown(maps.text), pair=pair, model=shown(maps.model))


def own_picture(view: View, maps: AttentionMaps, name: str) -> Picture:
    """Return the picture of maps from a file of that name; what the view says of heads that are not there is left."""
    units = view.units if maps.units == "tokens" else maps.units
    fitting = replace(
        fitted(view, maps.n_layers, maps.n_heads),
        units=units,
        lock=None if view.lock is None or view.lock >= maps.n_keys else view.lock,
    )
    name = shown(name)
    row = ModelRow(
        name="own",
        title=name,
        short=maps.model[:NAME] or "Your maps",
        kind=KIND,
        architecture="",
        n_layers=maps.n_layers,
        n_heads=maps.n_heads,
        d_head=0,
        licence="",
        revision=maps.revision[:NAME],
        origin=maps.origin,
        source=f"from the file {name}",
        causal=maps.causal,
    )
    return Picture(fitting, Recording(maps), shown_for(fitting, maps), row)


def drawn_instead(name: str, maps: AttentionMaps) -> str:
    """Return what is said above the picture of a file."""
    name = shown(name)
    text = maps.text if len(maps.text) <= LONGEST else f"{maps.text[:LONGEST]}…"
    said = f" Its text: “{text}”." if text else ""
    return f"Shown: the file {name}, not your sentence.{said} Links cannot include it."
