"""The overview of maps and what was set aside of them, without a view that chooses."""

import numpy as np

from mha.analysis.opening import Opening
from mha.screens.heads.overview import overview_of
from mha.screens.shown import Shown


def overview_spec(
    maps, share, *, raw=None, mass=None, pins=(), lock=None, look="at", named=None, habit=None, scale="all",
    aside=True, sinks=(), **more,
):  # fmt: skip
    """Return the overview of maps as drawn; ``named`` are the looks that the opening heads were picked for."""
    raw, named = raw or maps, named or {}
    mass = np.zeros(maps.weights.shape[:3]) if mass is None else mass
    given = {"opening": Opening(tuple(named), lock, tuple(named.values())), "chosen_pins": False} | more
    shown = Shown(
        raw, maps, raw, tuple(range(maps.n_keys)), mass, share, tuple(sinks), None, aside, tuple(pins),
        lock, look, chosen_lock=bool(named), habit=habit, **given,
    )  # fmt: skip
    return overview_of(shown, scale)
