"""About one word: every connection from it and to it, furthest above usual first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mha.analysis.looks import LEAST, AskedConnection, ask, impossible_connections
from mha.analysis.sinks import sink_columns
from mha.formats import labels, percent, whole_percent
from mha.screens.blocks import Span, joined, say, word
from mha.screens.shown import Shown

NAMED = 3  # words that the first line names; of more it names so many and says that there are others
NEAR = 2  # words away that are no distance worth a sentence
FAR_ABOVE = f"{round(100 * LEAST)} percentage points"
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
        why = "{word} is not a word here: it is punctuation or collects leftover attention. Choose another word."
        return {"title": say("About {word}", word=name), "about": say(why, word=name), "answers": []}
    first, second = ask(full, token.word, shown.habit, most=None)
    return {
        "title": say("About {word}", word=name),
        "about": _about(shown),
        "answers": [
            {
                "title": say(title, word=name),
                "line": _line(shown, rows, name, forth=forth),
                "count": len(rows),
                "rows": _rows(shown, rows[:MOST_ROWS]),
            }
            for title, rows, forth in (
                ("Where {word} looks", first, True),
                ("What looks at {word}", second, False),
            )
        ],
    }


def _about(shown: Shown) -> tuple[Span, ...]:
    units = "" if shown.full.units == "words" else " Measured on whole words."
    if shown.habit is None:
        return say("Strongest first. Percentages are shares of all attention from the word that looks." + units)
    return say(
        "Furthest above usual first. Bar: share of all attention from the word that looks; tick: usual share at this "
        "distance." + units
    )


def _line(shown: Shown, rows: Sequence[AskedConnection], name: Span, *, forth: bool) -> tuple[Span, ...]:
    """Return the first line of an answer, in words also where it is dull."""
    known = shown.habit is not None
    if not rows:
        if len({(other.segment, other.word) for other in shown.full.tokens if other.word is not None}) == 1:
            return say("There is no other word in this text.")
        token = shown.full.tokens[shown.position(shown.lock or 0)]
        if token.word is not None and (why := impossible_connections(shown.full, token.word)[0 if forth else 1]):
            return say(why, word=name)
        more = f"{FAR_ABOVE} more than usual" if known else f"as much as {percent(LEAST)} of its attention"
        if forth:
            return say(f"From {{word}}, no head gives another word {more}.", word=name)
        return say(f"In no head does another word give {{word}} {more}.", word=name)
    texts, merged = labels(shown.full.merged().tokens), list(dict.fromkeys(row.other for row in rows))
    named = [word(texts[place]) for place in merged[:NAMED]]
    others = joined([*named, ("plain", "others")] if len(merged) > NAMED else named)
    one, way = len(rows) == 1, "to" if forth else "from"
    lie = f" {'is' if one else 'are'} {FAR_ABOVE} or more above usual" if known else f" of {percent(LEAST)} or more"
    count = "1 connection" if one else f"{len(rows)} connections"
    return (*say(f"{count}{lie}: {way} {{others}}.", others=others), *_far(shown, rows))


def _far(shown: Shown, rows: Sequence[AskedConnection]) -> tuple[Span, ...]:
    """Return how many of the looks go further than two words, where some could."""
    tokens = shown.full.merged().tokens
    number = {place: count for count, place in enumerate(p for p, token in enumerate(tokens) if token.word is not None)}
    asked_word = shown.full.tokens[shown.position(shown.lock or 0)].word
    here = next(number[place] for place in number if tokens[place].word == asked_word)
    if max(abs(place - here) for place in number.values()) <= NEAR:
        return ()  # no word of this text is further away
    far = sum(abs(number[row.other] - here) > NEAR for row in rows)
    if far == 0:
        return say(" It is within two words." if len(rows) == 1 else " All are within two words.")
    if far == len(rows):
        return say(" It is more than two words away." if far == 1 else " All are more than two words away.")
    return say(f" {far} {'is' if far == 1 else 'are'} more than two words away.")


def _rows(shown: Shown, rows: Sequence[AskedConnection]) -> list[list[int | None]]:
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
