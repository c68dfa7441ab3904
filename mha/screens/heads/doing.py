"""What each head does, in plain words: the names under the thumbnails, their counts, and the rule that gives them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.analysis.roles import NEIGHBOURS_ONLY, HeadRoles, RoleRow, head_roles, n_texts
from mha.analysis.usual import FEWEST_WORDS
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


def as_sent(told: HeadRoles | None) -> dict[str, Any] | None:
    """Return the roles as they travel: rows by number, −1 where nothing is known; None where no role is told at all."""
    if told is None:
        return None
    return {
        "rows": [[row.key, row.name, row.short] for row in told.rows],
        "usual": told.usual.ravel().tolist(),
        "here": told.here.ravel().tolist(),
        "near": np.flatnonzero(told.near).tolist(),
        "about": about(told),
        "rule": rule(told.rows),
    }


def about(told: HeadRoles) -> tuple[Span, ...]:
    """Return the line under the thumbnails: what the words under them are taken from."""
    if (told.usual >= 0).any():
        return say("Label: usual pattern over the sample sentences.")
    return say("Label: pattern in this sentence. The usual pattern is not measured for this model yet.")


def rule_lines(rows: Sequence[RoleRow]) -> tuple[tuple[Span, ...], ...]:
    """Return the rule, a line for each role in its order."""
    return tuple(
        say(f"{{name}}: at least {percent(row.threshold)} of {row.of}. ({row.source})", name=row.name)
        for row in rows[:-1]
    )


@functools.lru_cache(maxsize=16)  # nearly all texts have the same
def rule(rows: tuple[RoleRow, ...]) -> tuple[tuple[Span, ...], ...]:
    """Return the rule as Heads tells it: what is mixed, and what it is to look at neighbours only, after its lines."""
    mixed = (
        "mixed: no other pattern fits. A pattern describes where a head looks, not what it means. Usual ones are taken "
        f"over {n_texts()} sample sentences of {FEWEST_WORDS} words or more. In left-to-right models, shares count "
        "beyond those of an even head."
    )
    near = (
        f"Dimmed: heads that give at least {percent(NEIGHBOURS_ONLY)} of their attention between words to the word "
        "before, the word itself or the next."
    )
    return (*rule_lines(rows), say(mixed), say(near))
