"""What each head does, in plain words: the names under the thumbnails, their counts, and the rule that gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mha.analysis.habit import FEWEST_WORDS, Habit
from mha.analysis.roles import NEIGHBOURS_ONLY, Role, RoleRow, n_texts, neighbours_only, roles, rows_for
from mha.brief import once_of_each
from mha.formats import percent
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.screens.blocks import Span, say
from mha.screens.shown import Shown


@dataclass(frozen=True)
class Doing:
    """The rule as it reads in this text, and what every head does, layer by layer."""

    rows: tuple[RoleRow, ...]
    roles: tuple[Role, ...]

    @property
    def told(self) -> bool:
        """Whether anything is known of any head."""
        return any(role.usual or role.here for role in self.roles)

    def columns(self, heads: Sequence[HeadId]) -> dict[str, list[str]]:
        """Return the roles of some heads as columns of a table: what they usually do, and what they do here."""
        by_head = {role.head: role for role in self.roles}
        usual, here = ([getattr(by_head[head], which) for head in heads] for which in ("usual", "here"))
        found = {"Usually": usual, "Here": here}
        return {name: [row.name if row else "" for row in rows] for name, rows in found.items() if any(rows)}


def doing(shown: Shown) -> Doing:
    """Return what the heads do, nothing where roles, which are of looks, are not told."""
    looks = shown.full.kind == "self" and shown.full.measure == ATTENTION
    return _doing(shown.full, shown.habit) if looks else Doing((), ())


@once_of_each
def _doing(maps: AttentionMaps, habit: Habit | None) -> Doing:
    """Return what the heads do, found once as long as the maps are kept: a click does not change it."""
    return Doing(rows_for(maps), roles(maps, habit))


def as_sent(told: Doing) -> dict[str, Any] | None:
    """Return the roles as they travel: rows by number, −1 where nothing is known; None where no role is told at all."""
    if not told.told:
        return None
    number = {row.key: place for place, row in enumerate(told.rows)}

    def numbers(which: Sequence[RoleRow | None]) -> list[int]:
        return [-1 if row is None else number[row.key] for row in which]

    return {
        "rows": [[row.key, row.name, row.short] for row in told.rows],
        "usual": numbers([role.usual for role in told.roles]),
        "here": numbers([role.here for role in told.roles]),
        "near": [place for place, role in enumerate(told.roles) if neighbours_only(role)],
        "about": about(told),
        "rule": rule(told.rows),
    }


def about(told: Doing) -> tuple[Span, ...]:
    """Return the line under the thumbnails: what the words under them are taken from."""
    usual, here = any(role.usual for role in told.roles), any(role.here for role in told.roles)
    sample = "Label: usual pattern over the sample sentences."
    if usual:
        return say(f"{sample} {'Dot: different in this sentence.' if here else 'This text is too short to compare.'}")
    return say("Label: pattern in this sentence. The usual pattern is not measured for this model yet.")


def rule_lines(rows: Sequence[RoleRow]) -> tuple[tuple[Span, ...], ...]:
    """Return the rule, a line for each role in its order."""
    return tuple(
        say(f"{{name}}: at least {percent(row.threshold)} of {row.of}. ({row.source})", name=row.name)
        for row in rows[:-1]
    )


def rule(rows: Sequence[RoleRow]) -> tuple[tuple[Span, ...], ...]:
    """Return the rule as Heads tells it: what is mixed, and what it is to look at neighbours only, after its lines."""
    mixed = (
        "mixed: no other pattern fits. A pattern describes where a head looks, not what it means. Usual ones are taken "
        f"over {n_texts()} sample sentences of {FEWEST_WORDS} words or more."
    )
    near = (
        f"Dimmed: heads that give at least {percent(NEIGHBOURS_ONLY)} of their attention between words to the word "
        "before, the word itself or the next."
    )
    return (*rule_lines(rows), say(mixed), say(near))
