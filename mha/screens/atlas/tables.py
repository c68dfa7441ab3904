"""The numbers of Whole model to take away: a row a head, with where they come from."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import numpy as np

from mha.analysis.alike_over import MOST_DRAWN
from mha.export.provenance import UNITS, Provenance, provenance_of, without_maps
from mha.export.tables import Table
from mha.link.view import query
from mha.maps import HeadId
from mha.screens.atlas.whole_model import WholeModel


def distances_table(case: WholeModel, base: str = "") -> Table | None:
    """Return the distance of every two heads, a row and a column a head; None where none are drawn."""
    alike = case.atlas.alike
    if alike is None or not 2 <= case.n_heads <= MOST_DRAWN:
        return None
    names = [str(HeadId(*divmod(place, case.row.n_heads))) for place in range(case.n_heads)]
    columns = {"head": names} | {name: alike.distance[:, place] for place, name in enumerate(names)}
    told = _told(
        case, "square root of the mean Jensen–Shannon divergence, base 2; rows of words; nothing rescaled", base
    )
    return Table(columns, told)


def heads_table(case: WholeModel, base: str = "") -> Table:
    """Return every number of every head: mean, interval where there is one; ``base`` is the page's address."""
    shape = case.row.n_layers, case.row.n_heads
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(HeadId(layer, head)) for layer in range(shape[0]) for head in range(shape[1])],
        "mark": [mark for layer in case.marks for mark in layer],
    }
    for key, values in case.atlas.mean.items():
        columns[f"{key}_mean"] = values.ravel()
        if key in case.atlas.low:
            columns[f"{key}_low"], columns[f"{key}_high"] = case.atlas.low[key].ravel(), case.atlas.high[key].ravel()
    if case.silenced is not None:
        columns["silenced_turns_vector_by"] = case.silenced.moved.ravel()
    scale = "nothing rescaled; rows of words alone; means over texts, 95 % bootstrap intervals over texts"
    return Table(columns, _told(case, scale, base))


def _told(case: WholeModel, scale: str, base: str) -> Provenance:
    """Return where numbers of the chosen texts come from; only of the typed text there are maps to name."""
    alike = case.atlas.alike
    twin = "none" if alike is None or alike.twin is None else f"scrambled twin: {alike.twin.whole:.2f} heads in effect"
    link = f"{base}?{urlencode([*query(case.view), *case.choices.pairs()])}"
    if case.alone and case.maps is not None:
        return provenance_of(case.maps, model_sha256=case.row.sha256, scale=scale, controls=twin, link=link)
    row = case.row.short, case.row.revision, case.row.origin
    told = without_maps((case.texts_said,), row, scale, model_sha256=case.row.sha256, link=link)
    return replace(
        told, tokens=UNITS["words"], sinks="kept; the share set aside has a column of its own", controls=twin
    )
