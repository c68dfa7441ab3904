"""Parameters of 0.2 that no page reads: the sentence with which a page opens an old link."""

from __future__ import annotations

from collections.abc import Collection

_HIDDEN = "Hidden heads left Heads in 0.3. “ablate=L5H3” on Next word runs the model without a head."
_STRENGTH = "The strength of a head left Two readings in 0.3; chosen heads are ablated together."
_TWO_HEADS = "“Two heads in detail” left Two readings in 0.3; pinned heads on Heads have arcs and heatmaps."
REMOVED = {
    "off": _HIDDEN,
    "on": _HIDDEN,
    "readings_left": _TWO_HEADS,
    "readings_measure": "Other measures of a lean left Two readings in 0.3; `mha.lean(…, measure=…)` has them.",
    "readings_right": _TWO_HEADS,
    "readings_steered": _STRENGTH,
    "readings_strength": _STRENGTH,
    "readings_weights": "Contributions left Two readings in 0.3. `mha.brought` has them.",
}


def removed(query: Collection[str], prefix: str) -> dict[str, str]:
    """Return the sentence of each removed parameter in a link; one with a prefix belongs to that page alone."""
    return {name: REMOVED[name] for name in query if name in REMOVED and ("_" not in name or name.startswith(prefix))}
