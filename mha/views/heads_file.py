"""Heads as one HTML file that opens offline, and in a notebook: the sentence, all heads, and the pinned heads.

The file has the data and the modules of the page. Weights are rounded to a tenth of a per cent; of more than 128 rows
or columns, neighbours share a cell, as on the page.
"""

import dataclasses
import html
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mha import outputs
from mha.errors import InputError
from mha.export.provenance import Provenance, provenance_of
from mha.export.standalone import PagePart, standalone
from mha.figures.thumbnails import displayed
from mha.maps import AttentionMaps, HeadId, Recording, Token, maps_of
from mha.views import heads_pictures as pictures
from mha.views.component_data import PictureData, seal
from mha.views.heads import MAX_PINS, HeadsCase, HeadsChoice, select
from mha.views.heads_sentences import Spans

STEPS = 1000  # a weight is one of so many steps, or 0
NUDGE = 0.3  # of a step, by which half a per cent stays on its side
ROUNDED = "Numbers in this file are rounded to a tenth of a per cent."
SCALE = "shares of all attention, in tenths of a per cent"
EXCLUDED = "excluded; their share is shown"
RELEASED = f"{MAX_PINS} heads can be pinned; {{head}} was released."
NO_PIN: Spans = (("plain", "Click a head to pin it."),)
TITLE = 80  # characters of the text in the title
HEIGHT = 900  # px of the frame in a notebook


@dataclasses.dataclass(frozen=True)
class HeadsPage:
    """A page that a notebook shows in a frame, and that `save` writes to a file which opens anywhere."""

    html: str
    maps: AttentionMaps | None = dataclasses.field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str:
        source = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{source}" width="100%" height="{HEIGHT}" style="border:0" title="Parallax"></iframe>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        forms = {} if self.maps is None else displayed(self.maps)
        return {"text/plain": repr(self)} | forms | {"text/html": self._repr_html_()}

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
    heads = tuple(map(HeadId.of, pins or ()))
    if len(heads) > MAX_PINS:
        raise InputError(f"At most {MAX_PINS} heads are pinned; {len(heads)} were asked for.")
    for head in heads:
        maps[head]  # raises InputError with the heads there are
    case = select(_without_surrogates(maps), HeadsChoice(pins=heads, units=maps.units))
    return HeadsPage(heads_file(case, pinned=heads if pins is not None else case.pins), maps=maps)


def heads_file(
    case: HeadsCase,
    provenance: Provenance | None = None,
    *,
    pinned: Sequence[HeadId] | None = None,
    large: bool = False,
) -> str:
    """Return what Heads shows of a recording as one HTML file, in which every head can be pinned.

    ``provenance`` is the source of the numbers, by default that of the maps. ``pinned`` heads open, by default those of
    the case.

    Raises:
        InputError: the file would be too large.
    """
    case = _without_answer(case)
    maps, heads = case.maps, case.pins if pinned is None else tuple(pinned)
    source = provenance or provenance_of(case.full)
    source = dataclasses.replace(source, scale=SCALE, sinks=EXCLUDED if case.excludes else source.sinks)
    overview, every_head = _overview(case, large), _every_head(case, large)
    return standalone(
        maps.text[:TITLE] or maps.model or "Heads",
        (
            PagePart("heads/overview.js", ("overview",), seal(*overview), "overview"),
            PagePart("heads/pinned.js", ("pinned",), seal(*every_head), "pinned"),
        ),
        source,
        {"pins": [str(head) for head in heads], "nothing": NO_PIN, "released": RELEASED},
    )


def _without_answer(case: HeadsCase) -> HeadsCase:
    """Return the case with its word framed: a file lists no heads that answer for a word."""
    if case.look != "ask":
        return case
    choice = dataclasses.replace(case.choice, look=case.direction, pins=case.pins)
    return select(case.recorded, choice, case.readings, case.usual_shares)


def _overview(case: HeadsCase, large: bool) -> PictureData:
    """Return the sentence and all heads; no word can be selected."""
    header, arrays = pictures.overview(case, large=large, asks=False)
    note = [span for span in header["note"] if span[0] != "next"]
    return PictureData({**header, "note": note, "lead": f"{header['lead']} {ROUNDED}"}, arrays)


def _every_head(case: HeadsCase, large: bool) -> PictureData:
    """Return all heads as large maps, each with its caption without a selected word, too."""
    header, arrays = pictures.pinned(case, large=large, heads=case.maps.heads)
    free_case = dataclasses.replace(case, word=None)
    free = [pictures.pinned(free_case, heads=[head]).header for head in case.maps.heads]
    heads = [
        entry | {"free": free_entry["heads"][0]["caption"]}
        for entry, free_entry in zip(header["heads"], free, strict=True)
    ]
    weights = {"weights": _in_steps(arrays["weights"])}
    return PictureData({**header, "heads": heads, "free": free[0]["about"]}, {**arrays, **weights})


def _in_steps(weights: np.ndarray) -> np.ndarray:
    """Return weights, 65535 a weight of 1, to a tenth of a per cent, which compresses them to a fifth.

    Half a per cent stays on its side, so that a cell has the whole per cents of the page.
    """
    exact = weights * (STEPS / pictures.FULL)
    steps = np.floor(exact + 0.5)
    is_half = steps % 10 == 5
    steps += np.where(is_half, np.where(exact < steps, -NUDGE, NUDGE), 0)
    return np.rint(steps * (pictures.FULL / STEPS)).astype(np.uint16)


def _without_surrogates(maps: AttentionMaps) -> AttentionMaps:
    """Return maps without halves of letters, which no file can hold."""

    def clean(text: str) -> str:
        return text.encode("utf-8", "replace").decode("utf-8")

    def cleaned(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        return tuple(dataclasses.replace(token, text=clean(token.text)) for token in tokens)

    tokens, keys = cleaned(maps.tokens), cleaned(maps.key_tokens)
    if (tokens, keys) == (maps.tokens, maps.key_tokens) and clean(maps.text) == maps.text:
        return maps
    return dataclasses.replace(maps, tokens=tokens, key_tokens=keys, text=clean(maps.text))
