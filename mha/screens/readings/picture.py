"""What every tab of the readings page draws from."""

from __future__ import annotations

from dataclasses import dataclass

from mha.maps import AttentionMaps
from mha.models.catalog import ModelRow
from mha.permalink import View
from mha.ui.readings_choice import Ambiguity


@dataclass(frozen=True, eq=False)
class Picture:
    """The view, the ambiguity, the maps of its sentence as recorded, and the model's row of the catalog."""

    view: View
    ambiguity: Ambiguity
    maps: AttentionMaps
    row: ModelRow
