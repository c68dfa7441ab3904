"""The Heads page as a file, and in a notebook: the sentence, every head, and the pinned ones, without a server.

Drawn by the same modules from the same specs as in the app. Weights are kept to a tenth of a per cent; of more than 128
rows or columns, neighbours share a cell as they do on the page, its largest weight shown.
"""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mha import outputs
from mha.analysis.looks import HeadLooks
from mha.analysis.opening import example_readings
from mha.errors import InputError
from mha.export.provenance import MEASURED, Provenance, provenance_of
from mha.export.standalone import PagePart, standalone
from mha.figures.thumbnails import displayed
from mha.link.acts import RELEASED
from mha.link.view import MAX_PINS, SCALES, View
from mha.maps import AttentionMaps, HeadId, Recording, Token, maps_of
from mha.readers.faces import BLOCKS, sheets_of_blocks
from mha.screens.blocks import Drawing, Spans, as_data, caption
from mha.screens.heads import findings
from mha.screens.heads.arcs import arcs, named_looks
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import SCALE_OF
from mha.screens.heads.pinned import Pins, pinned_spec
from mha.screens.heads.side_by_side import pins_of
from mha.screens.legends import LEGENDS
from mha.screens.shown import Shown, shown_for
from mha.views.envelope import seal

STEPS = 1000  # a weight travels as one of so many, and 0
BESIDE = 0.3  # of a step, by which half a per cent stands beside itself, on its own side
ROUNDED = "Numbers in this file are rounded to a tenth of a per cent."
TITLE = 80  # characters of the text in the title
HEIGHT = 900  # px of the frame in a notebook
SCALED = {
    one: f"{own}, in tenths of a per cent"
    for one, own in zip(SCALES, ("one scale, 0 to 100 %", "each head's own scale", "each row's own scale"), strict=True)
}


@dataclasses.dataclass(frozen=True)
class HeadsPage:
    """A page that a notebook shows in a frame, and that `save` writes to a file which opens anywhere."""

    html: str
    about: str = ""  # what it shows, in a sentence
    maps: AttentionMaps | None = dataclasses.field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str:
        source = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{source}" width="100%" height="{HEIGHT}" style="border:0" title="Parallax"></iframe>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        forms = {} if self.maps is None else displayed(self.maps)
        said = {"text/plain": self.about} if self.about else {}
        return {"text/plain": repr(self)} | forms | said | {"text/html": self._repr_html_()}

    def _ipython_display_(self) -> None:
        outputs.publish(outputs.framed(self.html, HEIGHT, self._repr_mimebundle_()))

    def __repr__(self) -> str:
        return f"HeadsPage({len(self.html):,} characters of HTML)"

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page as an HTML file and return its path."""
        file = Path(path)
        file.write_text(self.html, encoding="utf-8")
        return file


def show(maps: AttentionMaps | Recording, pins: Sequence[tuple[int, int] | str] | None = None) -> HeadsPage:
    """Return maps as a page with every head, to look at in a notebook or to save as a file that opens offline.

    Of a recording it shows the text's own maps; ``recording.attention("cross")`` and so on are its others.

    ``pins`` are heads such as ``"L5H3"`` or ``(5, 3)``, at most four; chosen for the text unless given.

    Raises:
        InputError: these are no maps, a head is not one there is, or the file would be too large.
    """
    maps = maps_of(maps)
    maps.check_every_row()
    heads = None if pins is None else tuple(map(HeadId.of, pins))
    if len(heads or ()) > MAX_PINS:
        raise InputError(f"At most {MAX_PINS} heads are pinned; {len(heads or ())} were asked for.")
    for head in heads or ():
        maps[head]  # raises InputError with the heads there are
    return HeadsPage(heads_page(maps, View(text=maps.text, pins=heads, units=maps.units)), maps=maps)


def heads_page(
    maps: AttentionMaps,
    view: View,
    provenance: Provenance | None = None,
    drawn: Drawing | None = None,
    pins: Pins | None = None,
) -> str:
    """Return the Heads page of maps as one HTML file: the sentence, every head, and the pinned heads.

    ``provenance`` says where the numbers come from, ``drawn`` is the overview as the page has it, ``pins`` what its
    pinned heads are drawn of: each is made here unless it is given.

    Raises:
        InputError: the file would be too large.
    """
    maps = _writable(maps)
    shown = shown_for(view, maps, example_readings(maps))
    sinks = "excluded, rows rescaled; how much is shown" if shown.aside and shown.sinks else ""
    given = provenance or provenance_of(shown.full)
    scale = "; ".join(filter(None, (MEASURED[maps.measure], SCALED[view.scale])))
    given = dataclasses.replace(given, scale=scale, sinks=sinks or given.sinks)
    overview = _still(drawn or overview_of(shown, SCALE_OF[view.scale], view.large, asks=False))
    header = overview.header
    pins = pins or pins_of(shown, view)
    looks = arcs(shown.raw, shown.lock, shown.look, named_looks(shown)).looks  # of all heads, whichever is pinned
    return standalone(
        maps.text[:TITLE] or maps.model or "Heads",
        (
            PagePart("heads/overview.js", ("overview",), seal(overview.header, overview.arrays), "overview"),
            *([PagePart(BLOCKS, sheets_of_blocks(), {"blocks": [as_data(caption(pins.note))]})] if pins.note else ()),
            PagePart("heads/pinned.js", ("pinned",), seal(*_parts(_every_head(pins, header, view))), "pinned"),
        ),
        given,
        LEGENDS,
        {
            "pins": header["pins"],
            "heads": [str(head) for head in maps.heads],
            "sentences": {str(head): _sentence(shown, looks, [head]) for head in maps.heads},
            "nothing": _sentence(shown, looks, []),
            "released": RELEASED,
            "lock": pins.lock,
            "look": shown.look,
        },
    )


def _parts(drawn: Drawing) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    return drawn.header, drawn.arrays


def _sentence(shown: Shown, looks: HeadLooks, pins: Sequence[HeadId]) -> Spans:
    """Return what is said while these heads, one or none, are pinned."""
    return findings.pins_finding(shown.raw, pins, looks, shown.lock, shown.look)[0]


def _writable(maps: AttentionMaps) -> AttentionMaps:
    """Return maps without halves of letters, which no file can hold; their text is the reader's own."""

    def clean(text: str) -> str:
        return text.encode("utf-8", "replace").decode("utf-8")

    def cleaned(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        return tuple(dataclasses.replace(token, text=clean(token.text)) for token in tokens)

    tokens, keys = cleaned(maps.tokens), cleaned(maps.key_tokens)
    if (tokens, keys) == (maps.tokens, maps.key_tokens) and clean(maps.text) == maps.text:
        return maps
    return dataclasses.replace(maps, tokens=tokens, key_tokens=keys, text=clean(maps.text))


def _still(drawn: Drawing) -> Drawing:
    """Return an overview as a file has it: no word and no cell of it opens, and its numbers are rounded."""
    header = drawn.header
    note = [span for span in header["note"] if span[0] != "next"]
    said = [
        tuple((kind, text.removesuffix(f" {findings.ASK}").removesuffix(findings.TOKENS)) for kind, text in spans)
        for spans in header["finding"]
    ]
    still = {"asks": False, "cells": False, "note": note, "finding": said, "lead": f"{header['lead']} {ROUNDED}"}
    return Drawing({**header, **still}, drawn.arrays)


def _every_head(pins: Pins, overview: Mapping[str, Any], view: View) -> Drawing:
    """Return the drawing of pinned heads with every head in it, one a row of its arrays."""
    sides = (overview["readings"] or {}).get("sides")
    one_by_one = [
        pinned_spec(
            dataclasses.replace(pins, heads=[head]), scale=overview["scale"], large=view.large,
            sides=sides,
        )
        for head in pins.maps.heads
    ]  # fmt: skip
    first, free = one_by_one[0], dataclasses.replace(pins, heads=pins.maps.heads, lock=None)
    entries = [entry for one in one_by_one for entry in one.header["heads"]]
    header = first.header | {
        "heads": [entry | {"free": free.caption(head)} for entry, head in zip(entries, free.heads, strict=True)],
        "free": pinned_spec(dataclasses.replace(free, heads=free.heads[:1]), scale=overview["scale"]).header["about"],
    }
    arrays = {name: np.concatenate([one.arrays[name] for one in one_by_one]) for name in first.arrays}
    return Drawing(header, arrays | {"weights": _in_steps(arrays["weights"])})


def _in_steps(weights: np.ndarray) -> np.ndarray:
    """Return weights, 65535 a weight of 1, at a tenth of a per cent, which compress to a fifth.

    Half a per cent stays on its side, so that a cell says the whole per cents that the page says.
    """
    full = np.iinfo(np.uint16).max
    exact = weights * (STEPS / full)
    steps = np.floor(exact + 0.5)
    half = steps % 10 == 5
    steps += np.where(half, np.where(exact < steps, -BESIDE, BESIDE), 0)
    return np.rint(steps * (full / STEPS)).astype(np.uint16)
