"""What two readings mark on the sentence: the ambiguous word, its candidates, and the heads picked for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mha.analysis.opening import LEAST
from mha.formats import labels
from mha.maps import ATTENTION, HeadId
from mha.screens.heads import findings
from mha.screens.heads.arcs import named_looks
from mha.screens.shown import Shown

POINTS = round(100 * LEAST)


@dataclass(frozen=True)
class Marked:
    """Positions on the shown axis, of all pieces of a word: ``pivot``, and the candidates ``a`` and ``b``.

    ``sides`` has the reading, "a" or "b", for which each of the opening heads was picked, while it is told by that;
    ``lacking`` is what is said of a candidate for which no head was.
    """

    pivot: tuple[int, ...] = ()
    a: tuple[int, ...] = ()
    b: tuple[int, ...] = ()
    sides: Mapping[HeadId, str] = field(default_factory=dict)
    lacking: tuple[findings.Sentence, ...] = ()

    def as_sent(self) -> dict[str, Any] | None:
        """Return it as it travels; None where nothing is marked."""
        if not self.pivot:
            return None
        sides = {str(head): side for head, side in self.sides.items()}
        return {"pivot": list(self.pivot), "a": list(self.a), "b": list(self.b), "sides": sides}


UNMARKED = Marked()


def marked_of(shown: Shown) -> Marked:
    """Return what the readings of a view mark; nothing where it has none, or one picture is of another measure."""
    if not shown.readings or shown.full.kind != "self":
        return UNMARKED
    first, second = shown.readings
    a, b = ({partner for _, partner in reading.links} for reading in (first, second))
    a, b = a - b or a, b - a or b  # a word that both name is told by the reading that adds nothing
    pivots = {pivot for reading in (first, second) for pivot, _ in reading.links}

    def places(numbers: set) -> tuple[int, ...]:
        return tuple(place for place, token in enumerate(shown.maps.key_tokens) if token.word in numbers)

    told = named_looks(shown) if shown.full.measure == ATTENTION else {}
    opens = shown.opening
    sides = {head: side for head, side in zip(opens.heads, opens.sides, strict=bool(opens.sides)) if head in told}
    return Marked(places(pivots), places(a), places(b), sides, _lacking(shown, a, b, pivots))


def _lacking(shown: Shown, a: set, b: set, pivots: set) -> tuple[findings.Sentence, ...]:
    """Return what is said of candidates without a head, while the opening is the app's."""
    if not (shown.chosen_pins and shown.chosen_lock) or shown.full.measure != ATTENTION:
        return ()
    merged = shown.full.merged()
    called = {token.word: label for token, label in zip(merged.tokens, labels(merged.tokens), strict=True)}
    without = [numbers for side, numbers in (("a", a), ("b", b)) if side not in shown.opening.sides]
    names = [" or ".join(called[number] for number in sorted(numbers)) for numbers in without]
    return findings.lacking(" or ".join(called[one] for one in sorted(pivots)), names, POINTS, shown.habit is not None)
