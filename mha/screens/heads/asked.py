"""Ask a word: every look from it and at it, most above the head's habit first, and the first line of each answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mha.analysis.asking import LEAST, Asked, ask
from mha.analysis.sinks import sink_columns
from mha.formats import labels, percent, whole_percent
from mha.screens.blocks import Span, joined, say, word
from mha.screens.shown import Shown

NAMED = 3  # words that the first line names; of more it names so many and says that there are others
NEAR = 2  # words away that are no distance worth a sentence
POINTS = round(100 * LEAST)
MOST_ROWS = 120  # of an answer that travel; how many there are is said


def asked(shown: Shown) -> dict[str, Any] | None:
    """Return both answers about the locked word as they travel, or None where nothing was asked.

    ``count`` is how many looks there are, of which at most `MOST_ROWS` travel. A row is the head's number, the other
    word's place on the shown axis, its share and the head's habit there, both in whole per cents of all attention;
    without a habit the last is None and rows are ordered by share.
    """
    if shown.look != "ask" or shown.lock is None:
        return None
    full, place = shown.full, shown.position(shown.lock)
    name = word(labels(shown.maps.key_tokens)[shown.lock])
    token = full.tokens[place]
    if token.word is None or sink_columns(full)[place] or full.kind != "self":
        return {"title": say("Ask a word: {word}", word=name), "about": _no_word(name), "answers": []}
    first, second = ask(full, token.word, shown.habit, most=None)
    return {
        "title": say("Ask a word: {word}", word=name),
        "about": _about(shown),
        "answers": [
            {
                "title": say(title, word=name),
                "line": _line(shown, rows, name, forth=forth),
                "count": len(rows),
                "rows": _rows(shown, rows[:MOST_ROWS]),
            }
            for title, rows, forth in (
                ("Where does {word} look?", first, True),
                ("Who looks at {word}?", second, False),
            )
        ],
    }


def _no_word(name: Span) -> tuple[Span, ...]:
    return say("Only words can be asked, and {word} is a mark or serves as a sink.", word=name)


def _about(shown: Shown) -> tuple[Span, ...]:
    units = "" if shown.full.units == "words" else " Asked of whole words."
    if shown.habit is None:
        return say(
            "Strongest looks first. Bar: share of all attention. What these heads usually do is not known." + units
        )
    return say(
        "Looks furthest above each head’s habit. Bar: share of all attention. Tick: its habit at that distance." + units
    )


def _line(shown: Shown, rows: Sequence[Asked], name: Span, *, forth: bool) -> tuple[Span, ...]:
    """Return the first line of an answer, in words also where it is dull."""
    known = shown.habit is not None
    above = f"{POINTS} points or more above its habit" if known else f"with {percent(LEAST)} or more"
    if not rows:
        if len({(other.segment, other.word) for other in shown.full.tokens if other.word is not None}) == 1:
            return say("There is no other word here.")
        if forth:
            return say(f"No head looks from {{word}} at another word {above}.", word=name)
        return say(f"No head looks at {{word}} from another word {above}.", word=name)
    texts, merged = labels(shown.full.merged().tokens), list(dict.fromkeys(row.other for row in rows))
    others = joined([word(texts[place]) for place in merged[:NAMED]])
    if len(merged) > NAMED:
        others = (*(span for place in merged[:NAMED] for span in (word(texts[place]), ("plain", ", "))),)[:-1]
        others = (*others, ("plain", " and others"))
    one, few = len(rows) == 1, len(merged) <= NAMED
    lie = f"{'lies' if one else 'lie'} {POINTS} points or more above habit" if known else f"of {percent(LEAST)} or more"
    way = f"{', all' if few and not one else ':'} {'at' if forth else 'from'}"
    count = "1 look" if one else f"{len(rows)} looks"
    return (*say(f"{count} {lie}{way} {{others}}.", others=others), *_far(shown, rows))


def _far(shown: Shown, rows: Sequence[Asked]) -> tuple[Span, ...]:
    """Return how many of the looks go further than two words."""
    tokens = shown.full.merged().tokens
    number = {place: count for count, place in enumerate(p for p, token in enumerate(tokens) if token.word is not None)}
    asked_word = shown.full.tokens[shown.position(shown.lock or 0)].word
    here = next(number[place] for place in number if tokens[place].word == asked_word)
    far = sum(abs(number[row.other] - here) > NEAR for row in rows)
    if far == 0:
        return say(" No word more than two places away.")
    return (
        say(" All further than two places away.") if far == len(rows) else say(f" {far} further than two places away.")
    )


def _rows(shown: Shown, rows: Sequence[Asked]) -> list[list[int | None]]:
    """Return the rows with the other word's place on the shown axis; those of words that are not on it are left out."""
    tokens, n_heads = shown.full.merged().tokens, shown.full.n_heads
    place = {token.word: at for at, token in reversed(list(enumerate(shown.maps.key_tokens)))}
    return [
        [
            row.head.layer * n_heads + row.head.head,
            place[tokens[row.other].word],
            whole_percent(row.weight),
            None if row.usual is None else whole_percent(row.usual),
        ]
        for row in rows
        if tokens[row.other].word in place
    ]
