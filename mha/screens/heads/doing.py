"""The pattern of each head, as the table of heads names it, and the rule behind the names."""

from __future__ import annotations

from collections.abc import Sequence

from mha.analysis.roles import HeadRoles, RoleRow, head_roles
from mha.brief import once_of_each
from mha.formats import percent
from mha.maps import ATTENTION, HeadId
from mha.screens.blocks import Span, say
from mha.screens.shown import Shown

_of_maps = once_of_each(head_roles)  # as long as the maps are kept: a click does not change it


def doing(shown: Shown) -> HeadRoles | None:
    """Return what the heads do; None where roles, which are of looks, are not told, or nothing is known of any head."""
    if shown.full.kind != "self" or shown.full.measure != ATTENTION:
        return None
    told = _of_maps(shown.full, shown.habit)
    return told if (told.usual >= 0).any() or (told.here >= 0).any() else None


def role_columns(told: HeadRoles | None, heads: Sequence[HeadId]) -> dict[str, list[str]]:
    """Return the roles of some heads as columns of a table: what they usually do, and what they do here."""
    if told is None:
        return {}
    known = {name: places for name, places in (("Usually", told.usual), ("Here", told.here)) if (places >= 0).any()}
    return {name: [told.rows[places[head]].name for head in heads] for name, places in known.items()}


def rule_lines(rows: Sequence[RoleRow]) -> tuple[tuple[Span, ...], ...]:
    """Return the rule, a line for each role in its order."""
    return tuple(
        say(f"{{name}}: at least {percent(row.threshold)} of {row.of}. ({row.source})", name=row.name)
        for row in rows[:-1]
    )
