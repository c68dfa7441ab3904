"""What Whole model shows: what was measured over some texts, what is typed, the head looked at; its tables."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from urllib.parse import urlencode

import numpy as np

from mha.analysis.alike import MOST_DRAWN
from mha.analysis.patterns import Shade
from mha.analysis.roles import ROLES, RoleRow, rows_for, usual_rows
from mha.analysis.whole import shade
from mha.brief import with_arrays
from mha.engine.atlas import Atlas, Silenced
from mha.export.provenance import UNITS, Provenance, provenance_of, without_maps
from mha.export.tables import Table
from mha.formats import number, percent, whole_percent
from mha.link.atlas import HERE, SHADE_NAMES, AtlasWords
from mha.link.view import View, query
from mha.maps import AttentionMaps, HeadId, heads_of, ranked
from mha.models.files.catalog import ModelRow

EPSILON = 5e-4  # of a share: a filter takes what is written


@with_arrays
class WholeModel:
    """``atlas`` is over the chosen texts, ``here`` over the typed text alone (None where it cannot be looked at).

    ``maps`` are those of the typed text, by word; ``silenced`` is over the bundled sentences, where it is known.
    """

    view: View
    choices: AtlasWords
    row: ModelRow
    atlas: Atlas
    here: Atlas | None
    maps: AttentionMaps | None
    silenced: Silenced | None = None

    @property
    def alone(self) -> bool:
        """Whether one sentence is all that was measured."""
        return self.choices.over == HERE

    @property
    def n_heads(self) -> int:
        """How many heads the model has."""
        return self.row.n_layers * self.row.n_heads

    @property
    def heads(self) -> tuple[HeadId, ...]:
        """All heads, layer by layer."""
        return heads_of(self.row.n_layers, self.row.n_heads)

    def index(self, head: HeadId) -> int:
        """Return the number of a head among all."""
        return head.layer * self.row.n_heads + head.head

    @property
    def shade(self) -> Shade:
        """What the map is coloured by; a causal model never looks at the next word, so it opens with the previous."""
        return shade(self.choices.colour or ("previous_word" if self.row.causal else "next_word"))

    @property
    def values(self) -> np.ndarray:
        """What the map shows, float64 [layer, head]."""
        return self.atlas.mean[self.shade.key]

    @property
    def rule(self) -> tuple[RoleRow, ...]:
        """The rule of patterns; sinks have their names in the typed text, or none without its maps."""
        if self.maps is not None and self.maps.kind == "self":
            return rows_for(self.maps)
        return ROLES

    @cached_property
    def patterns(self) -> list[list[RoleRow]]:
        """The pattern of each head, by layer and head; none at all where the texts are too short to tell."""
        return usual_rows(self.atlas.shares, self.rule) if self.atlas.shares else []

    @cached_property
    def focus(self) -> HeadId:
        """The head that is looked at: chosen, pinned, or the one with most."""
        if self.choices.like is not None:
            return HeadId.parse(self.choices.like)
        pins = [pin for pin in self.view.pins or () if pin.layer < self.row.n_layers and pin.head < self.row.n_heads]
        if pins:
            return pins[0]
        return ranked(np.nan_to_num(self.values, nan=-1))[0]

    @property
    def layer(self) -> int:
        """The layer that is drawn with intervals."""
        return self.focus.layer if self.choices.layer is None else self.choices.layer

    @property
    def kept(self) -> np.ndarray:
        """Which heads the filter keeps, bool [layer, head]; one without an answer is kept by no filter."""
        low, high = self.choices.least, self.choices.most
        if low <= 0 and high is None:
            return np.ones(self.values.shape, dtype=bool)
        factor = 100 if self.shade.unit == "share" else 1
        values, slack = self.values * factor, EPSILON * factor
        above = values >= low - slack
        return above if high is None else above & (values <= high + slack)

    @property
    def texts_said(self) -> str:
        """What was measured, for sentences."""
        if self.alone:
            return "this sentence"
        done = self.atlas.n_answered
        return f"{done:,} sample sentence{'s' if done != 1 else ''}"


def title_of(row: Shade) -> str:
    """Return what a number of a head is called on the page."""
    return SHADE_NAMES.get(row.title, row.title)


def as_number(value: float, unit: str) -> str:
    """Return a value of the map as a cell has it, without its unit.

    >>> as_number(0.634, "share"), as_number(1.52, "bits"), as_number(float("nan"), "bits")
    ('63', '1.5', '–')
    """
    if np.isnan(value):
        return "–"
    return str(whole_percent(value)) if unit == "share" else number(value, 1)


def with_unit(value: float, unit: str) -> str:
    """Return a value as a sentence has it.

    >>> with_unit(0.634, "share"), with_unit(1.52, "bits")
    ('63\\xa0%', '1.5\\xa0bits')
    """
    return percent(value) if unit == "share" else f"{number(value, 1)}\u00a0{unit}" if np.isfinite(value) else "–"


def distances_table(case: WholeModel, base: str = "") -> Table | None:
    """Return the distance of every two heads, a row and a column a head; None where none are drawn."""
    alike = case.atlas.alike
    if not 2 <= case.n_heads <= MOST_DRAWN:
        return None
    names = [str(head) for head in case.heads]
    columns = {"head": names} | {name: alike.distance[:, place] for place, name in enumerate(names)}
    scale = "square root of the mean Jensen–Shannon divergence, base 2; rows of words; nothing rescaled"
    return Table(columns, _told(case, scale, base))


def numbers_table(case: WholeModel, base: str = "") -> Table:
    """Return every number of every head: means, and intervals where there are any; ``base`` is the page's address."""
    columns: dict[str, list[str] | np.ndarray] = {"head": [str(head) for head in case.heads]}
    if case.patterns:
        columns["pattern"] = [row.name for layer in case.patterns for row in layer]
    for key, values in case.atlas.mean.items():
        columns[f"{key}_mean"] = values.ravel()
        if key in case.atlas.low:
            columns |= {f"{key}_low": case.atlas.low[key].ravel(), f"{key}_high": case.atlas.high[key].ravel()}
    if case.silenced is not None:
        columns["silenced_turns_vector_by"] = case.silenced.moved.ravel()
    scale = "nothing rescaled; rows of words alone; means over texts, 95 % bootstrap intervals over texts"
    return Table(columns, _told(case, scale, base))


def _told(case: WholeModel, scale: str, base: str) -> Provenance:
    """Return where numbers of the chosen texts come from; only of the typed text there are maps to name."""
    alike = case.atlas.alike
    twin = "none" if alike.twin is None else f"scrambled copy: {alike.twin.whole:.2f} effective heads"
    link = f"{base}?{urlencode([*query(case.view), *case.choices.pairs()])}"
    if case.alone and case.maps is not None:
        return provenance_of(case.maps, model_sha256=case.row.sha256, scale=scale, controls=twin, link=link)
    row = case.row.short, case.row.revision, case.row.origin
    told = without_maps((case.texts_said,), row, scale, model_sha256=case.row.sha256, link=link)
    return replace(told, tokens=UNITS["words"], sinks="kept; the excluded share has its own column", controls=twin)
