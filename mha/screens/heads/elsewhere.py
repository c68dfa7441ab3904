"""What a view asks for that the maps on the page have not: heads, layers."""

from __future__ import annotations

from mha.formats import listed
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId


def elsewhere(view: View, maps: AttentionMaps) -> str:
    """Return what is said of pinned heads and of a layer that these maps have not; "" where all are there."""
    there = set(maps.heads)
    missing = [str(head) for head in view.pins or () if head not in there]
    if view.layer is not None and view.layer >= maps.n_layers:
        missing.append(f"layer {view.layer}")
    if not missing:
        return ""
    last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
    here, stay = ("is", "It stays") if len(missing) == 1 else ("are", "They stay")
    named = listed(missing)
    return (
        f"{named[0].upper()}{named[1:]} {here} not here: what is drawn has L0H0 to {last}. {stay} chosen, for "
        "attention that has such."
    )
