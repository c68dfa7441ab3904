"""Two readings: a second word for each reading in the place of the changed one, and whether both agree."""

from __future__ import annotations

import functools

from mha.analysis.ambiguity_kinds import HE_SHE
from mha.analysis.floor import TwoWordsRates
from mha.formats import markdown, percent, signed
from mha.intervention.outcomes import ScoreChange
from mha.pairs import matched_swaps_of
from mha.views.readings_words import AmbiguousText
from mha.words import with_word, words


def second_texts(found: AmbiguousText) -> tuple[str, str]:
    """Return the text with the second word for A and with that for B in the place of the changed one, "" for none."""
    number = found.replaced_word
    first, second = (with_word(found.text, number, word) if word else "" for word in found.second_words)
    return first, second


def scores_text(found: AmbiguousText, change: ScoreChange, rates: TwoWordsRates | None) -> str:
    """Return the scores with the second words, and whether both words for each reading agree."""
    number = found.replaced_word
    scores = dict(zip("AB", change.second_scores, strict=True))
    given = {side: word for side, word in zip("AB", found.second_words, strict=True) if word}
    sentence = " ".join(f"With *{markdown(word)}*: {signed(scores[side])}." for side, word in given.items())
    if len(given) < 2 or not found.forces or words(found.text)[number] in given.values():
        return sentence
    own = change.scores if found.forces == "B" else change.scores[::-1]
    is_agreeing = min(own[0], scores["A"]) > max(own[1], scores["B"])
    first, second = found.candidate_names
    verb = "score" if is_agreeing else "do not both score"
    shares = _rates_text(rates) if rates else ""
    return f"{sentence} Both words for {first} {verb} above both words for {second}. {shares}".strip()


def _rates_text(rates: TwoWordsRates) -> str:
    return (
        f"Among {rates.n} test pairs both score above in {percent(rates.right)} and both below in "
        f"{percent(rates.wrong)}; by chance {percent(1 / 6)} each."
    )


def second_fields(found: AmbiguousText) -> list[tuple[str, str, str]]:
    """Return parameter, label and placeholder of the fields for a second word for each reading, if they have a meaning.

    The placeholder is the word of the example, or one that control swaps exchange with the first word.
    """
    if not found.compared_kind or found.kind == HE_SHE or not found.changes_in_place or not found.forces:
        return []
    number = found.replaced_word
    own = [words(text)[number].casefold() for text in (found.text, found.changed_version)]
    taken, fields = {*own, *(word.casefold() for word in found.second_words)}, []
    order = own if found.forces == "B" else own[::-1]
    for side, first, known in zip("AB", order, found.second_words, strict=True):
        offered = next((word for word in _exchanged(found.kind).get(first, ()) if word.casefold() not in taken), "")
        placeholder = known or (f"for example {offered}" if offered else "none")
        fields.append(
            (
                f"readings_word_{side.lower()}",
                f"Another word for {found.candidate_name(side).replace('*', '')}",
                placeholder,
            )
        )
    return fields


@functools.cache
def _exchanged(kind: str) -> dict[str, list[str]]:
    """Return the words that the control swaps of a kind exchange with each word."""
    exchanged: dict[str, list[str]] = {}
    for swap in matched_swaps_of(kind):
        first, second = words(swap.text)[swap.word], words(swap.other)[swap.word]
        exchanged.setdefault(first.casefold(), []).append(second)
        exchanged.setdefault(second.casefold(), []).append(first)
    return exchanged
