"""What every tab of the readings page draws from."""

from __future__ import annotations

from dataclasses import dataclass

from mha.link.view import View
from mha.maps import AttentionMaps
from mha.models.files.catalog import ModelRow
from mha.screens.readings.ambiguity import Ambiguity


@dataclass(frozen=True, eq=False)
class Picture:
    """The view, the ambiguity, the maps of its sentence as recorded, and the model's row of the catalog."""

    view: View
    ambiguity: Ambiguity
    maps: AttentionMaps
    row: ModelRow
