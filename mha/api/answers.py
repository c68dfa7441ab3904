"""From a question to its answer: the engine asked, its arrays written as JSON or as NPZ."""

from __future__ import annotations

import functools
import io
import logging
import math
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel

from mha.analysis.habit import habit
from mha.analysis.proposals import suggested
from mha.analysis.sinks import SetAside, set_aside
from mha.api import bodies, questions
from mha.api.experiments import check_size, sweep_now
from mha.api.problems import RefusedQuestion
from mha.engine import Request, record
from mha.engine.experiments import LINK_MARGIN, leaning, patched
from mha.engine.sweeps import SweepRequest
from mha.engine.writing import beside
from mha.errors import InputError, MHAError
from mha.export.figure import figure as print_figure
from mha.figures.print import PaperFigure
from mha.intervention.outcomes import Patch
from mha.link.view import DEFAULT_TEXT, View
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.models.files.catalog import offered
from mha.saved import save_maps
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import picture_of

log = logging.getLogger(__name__)
JSON_TOKENS = 64  # 300,000 numbers of MiniLM
MOST_TOKENS = 128
DIGITS = 6
UNDRAWN = "The opening sentence cannot be drawn; why is in the log."


def attended(asked: questions.Attend) -> tuple[AttentionMaps, tuple[str, ...]]:
    """Return the maps of a text, in the units that were asked for, and what was changed of it.

    Raises:
        InputError: it has more tokens than an answer holds.
    """
    if asked.target is None:
        recording = record(Request(asked.text, asked.model, asked.pair))
    elif asked.pair is None:
        recording = beside(asked.text, asked.target, asked.model)
    else:
        raise InputError("Give a pair or a target, not both.")
    maps = recording.attention(asked.stack) if asked.stack else recording.maps
    maps = maps.merged() if asked.units == "words" else maps
    check_size(maps, MOST_TOKENS)
    return maps, recording.notes


def as_npz(maps: AttentionMaps) -> bytes:
    """Return maps as the file that `mha.load_maps` reads."""
    file = io.BytesIO()
    save_maps(maps, file)
    return file.getvalue()


def _tokens(tokens: Sequence[Token]) -> list[bodies.TokenBody]:
    return [bodies.TokenBody.model_validate(token, from_attributes=True) for token in tokens]


def as_json(maps: AttentionMaps, notes: tuple[str, ...]) -> bodies.Attended:
    """Return maps as nested lists."""
    if max(len(maps.tokens), len(maps.key_tokens)) > JSON_TOKENS:
        raise RefusedQuestion(406, f"JSON holds up to {JSON_TOKENS} {maps.units}; ask with Accept: application/x-npz.")
    return bodies.Attended(
        text=maps.text,
        pair=maps.pair,
        model=maps.model,
        revision=maps.revision,
        units=maps.units,
        causal=maps.causal,
        tokens=_tokens(maps.tokens),
        key_tokens=_tokens(maps.key_tokens) if maps.kind == "cross" else None,
        weights=np.round(maps.weights.astype(np.float64), DIGITS).tolist(),
        notes=list(notes),
    )


def as_body(found: Any, body: type[BaseModel]) -> BaseModel:
    """Return what an experiment found as the body that tells it; of a recording its maps alone."""
    if isinstance(found, Recording):
        return as_json(found.maps, found.notes)
    if body is bodies.Preference:
        return bodies.Preference(value=found)
    if body is bodies.BroughtBody:
        return bodies.BroughtBody(maps=as_json(found.maps, ()), lengths=_plain(found.lengths))
    return body.model_validate({name: _plain(getattr(found, name)) for name in body.model_fields})


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: null for what is no number, a head by its name."""
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, HeadId):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def read(asked: questions.Readings) -> bodies.Read:
    """Return what was wanted of two readings.

    Raises:
        InputError: a reading does not fit the text, or the contrast does not.
        Busy: the sweep took too long.
    """
    if "carried" in asked.want and asked.contrast is None:
        raise InputError("“carried” needs a contrast: the same sentence with another deciding word.")
    text = Request(asked.text).text
    return bodies.Read(
        text=text,
        model=asked.model,
        suggested=asked.a is None,
        readings=[bodies.Joined(name=one.name, links=list(one.links)) for one in asked.both()],
        leans=_leans(asked, text) if "leans" in asked.want else None,
        carried=_carried(asked, text) if "carried" in asked.want else None,
        sweep=_sweep(asked, text) if "sweep" in asked.want else None,
    )


def figure(asked: questions.WantedPrint) -> tuple[PaperFigure, tuple[str, ...]]:
    """Return a figure for print of a text, and what was changed of the text.

    Raises:
        InputError: the text is too long, nothing is suggested for it, or as `mha.figure`.
    """
    notes: tuple[str, ...] = ()
    contrast = None
    of: AttentionMaps | SetAside | Patch
    if asked.kind == "bars" and asked.contrast is not None:
        text = Request(asked.text).text
        of = patched(text, Request(asked.contrast).text, suggested(text), asked.model)
    else:
        of, notes = _drawn_of(asked, asked.text)
        if asked.contrast is not None:
            contrast, more = _drawn_of(asked, asked.contrast)
            notes += more
    drawn = print_figure(
        of,
        asked.kind,
        asked.heads,
        asked.width,
        asked.font,
        asked.size,
        asked.colours,
        word=asked.word,
        contrast=contrast,
        sentence=asked.sentence,
    )
    return drawn, notes


def _drawn_of(asked: questions.WantedPrint, text: str) -> tuple[AttentionMaps | SetAside, tuple[str, ...]]:
    maps, notes = attended(questions.Attend(text=text, model=asked.model))
    return set_aside(maps.merged()) if asked.aside else maps, notes


def models() -> bodies.Models:
    """Return the models on offer."""
    return bodies.Models(models=[bodies.ModelRowBody.model_validate(row, from_attributes=True) for row in offered()])


@functools.cache
def _opens() -> None:
    """Draw what a bare address opens with; raise what keeps it from being drawn."""
    view = View()
    recording = record(Request(DEFAULT_TEXT, view.model))
    overview_of(picture_of(view, recording, DEFAULT_TEXT, habit(view.model)).shown, "all")


def undrawn() -> str:
    """Return why the opening sentence cannot be drawn, "" where it can; once it could it is not drawn again."""
    try:
        _opens()
    except MHAError as error:
        return str(error)
    except Exception:
        log.exception("the opening sentence cannot be drawn")
        return UNDRAWN
    return ""


def _grid(values: np.ndarray) -> bodies.Grid:
    """Return [layer][head] with null for what is not a number."""
    return [[None if not np.isfinite(one) else round(float(one), 9) for one in row] for row in values]


def _leans(asked: questions.Readings, text: str) -> bodies.Leaned:
    found = leaning(text, asked.both(), asked.model, asked.measure)
    return bodies.Leaned(
        lean=_grid(found.here.lean),
        towards_a=_grid(found.here.a),
        towards_b=_grid(found.here.b),
        no_opinion=found.here.no_opinion.tolist(),
        mean_of_shuffles=_grid(found.summary.mean),
        orders=len(found.shuffles),
        reached=found.summary.reach,
    )


def _carried(asked: questions.Readings, text: str) -> bodies.Carried:
    found = patched(text, Request(asked.contrast or "").text, asked.both(), asked.model)
    return bodies.Carried(
        at=found.at,
        margins=found.margins,
        carried=_grid(found.carried),
        control=_grid(found.control),
        direct=found.direct.tolist(),
        changed=list(found.changed),
        into_text=_grid(found.into_text),
        into_contrast=_grid(found.into_contrast),
        named=[str(head) for head in found.named],
        model=found.model,
        revision=found.revision,
        origin=found.origin,
    )


def _sweep(asked: questions.Readings, text: str) -> bodies.Swept:
    found = sweep_now(SweepRequest(text, asked.both(), asked.silenced, asked.model, LINK_MARGIN))
    return bodies.Swept(
        silenced=found.kind,
        at=found.at,
        untouched=round(found.untouched, 9),
        effect=_grid(found.effect),
        direct=found.direct.tolist(),
    )
