"""The words that can be selected, as the View menu lists them: "telescope (7th)"."""

from __future__ import annotations

from collections.abc import Sequence

from mha.formats import labels, ordinal
from mha.maps import Token
from mha.screens.shown import Shown

CHOSEN, NO_WORD = "", "-1"


def lockable(shown: Shown) -> dict[str, str]:
    """Return what can be locked: the word's place on the full axis as the link has it, and how a person calls it.

    First the app's own choice and no word; words that are set aside are not there to be locked.
    """
    tokens = shown.full.key_tokens
    names = dict(zip(shown.kept, _named([tokens[place] for place in shown.kept]), strict=True))
    own = names[shown.position(shown.lock)] if shown.chosen_lock and shown.lock is not None else ""
    chosen = {CHOSEN: f"picked for you: {own}" if own else "picked for you"}
    return chosen | {NO_WORD: "none"} | {str(place): name for place, name in names.items()}


def _named(tokens: Sequence[Token]) -> list[str]:
    """Return each piece by its text and its place among those of the text, "telescope (7th)"."""
    place, found = 0, []
    for token, label in zip(tokens, labels(tokens), strict=True):
        place += not token.special
        found.append(label if token.special else f"{label} ({ordinal(place)})")
    return found
