"""What Change a word shows of one head over several words in the changed place, or over whole sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from mha.formats import counted, cut, whole_percent
from mha.maps import HeadId
from mha.screens.blocks import Block, heading, joined, said, word
from mha.screens.compare.blocks import ChangeVariants, WordVariant
from mha.screens.compare.comparison import Comparison, labels_of
from mha.words import words as split

SENTENCE = 60  # characters of a variant above its map
UNDER = {  # by whether what looks bring is drawn
    False: "how much of its attention {query} gives to that word.",
    True: "how much of all that comes to {query} that word brings, by ‖weight · value · W_O‖.",
}
HARDEST = {
    False: "the hardest look at another word in the framed row, of all attention.",
    True: "the other word that brings the framed row most, of all that comes to it, by ‖weight · value · W_O‖.",
}


def variant_blocks(
    case: Comparison,
    head: HeadId | None,
    drawn: list[tuple[str, np.ndarray]],
    dropped: Sequence[str] = (),
    weighed: bool = False,
) -> list[Block]:
    """Return one head over several words in the changed place; ``drawn`` has each word's rows [word, word + 1].

    ``dropped`` are words that were typed and cannot stand there; ``weighed`` says that the rows are shares of what the
    head brings.
    """
    if head is None or case.swap is None or case.found is None:
        return []
    words = joined([word(one) for one in dropped])
    without = [said("cap", "Not one word, or none that the model can read: {words}.", words=words)] if dropped else []
    if not drawn:
        return list(without)
    query, _ = case.found.strongest(head) if case.found.counted.any() else (0, 0)
    row = case.alignment.pairs[query][0]
    looks = labels_of(case.words[0])[row]
    variants: list[WordVariant] = [
        {
            "word": one,
            "cells": rows[:, :-1],
            "share": float(rows[row, case.swap]),
            "percent": whole_percent(rows[row, case.swap]),
        }
        for one, rows in drawn
    ]
    order = (
        "in the order typed"
        if case.choices.variants
        else "the words of both sentences" + (", then the neutral ones" if case.neutral.words else "")
    )
    return [
        heading(f"One head over {counted(len(drawn))} variants" if len(drawn) > 1 else "One head, one variant"),
        said("sub", f"{{head}}, {{order}}, on one scale. Under each: {UNDER[weighed]}",
             head=head, order=order, query=word(looks)),
        ChangeVariants(variants, row, f"head {head} over {len(drawn)} words", case.rtl),
        *without,
    ]  # fmt: skip


def sentence_blocks(
    case: Comparison,
    head: HeadId,
    drawn: list[tuple[str, np.ndarray]],
    dropped: Sequence[str] = (),
    weighed: bool = False,
) -> list[Block]:
    """Return one head over whole sentences; ``drawn`` has each text's rows [word, word + 1].

    The framed row is that of the word which the first sentence's largest change belongs to, where a sentence has it;
    else its first row. ``dropped`` could not be read; ``weighed`` as above.
    """
    without = [said("cap", "Not read: {words}.", words=joined([word(cut(one)) for one in dropped]))] if dropped else []
    if not drawn:
        return list(without)
    query, _ = case.found.strongest(head) if case.found is not None and case.found.counted.any() else (0, 0)
    wanted = case.words[0][case.alignment.pairs[query][0]] if case.alignment.pairs else case.words[0][0]
    variants: list[WordVariant] = []
    for text, rows in drawn:
        own = list(split(text))
        row = own.index(wanted) if wanted in own else 0
        others = [value if place != row else -1 for place, value in enumerate(rows[row, :-1])]
        key = int(np.argmax(others)) if len(own) > 1 else row
        at = f"{labels_of(own)[row]} → {labels_of(own)[key]}"
        share = float(rows[row, key])
        title = textwrap.shorten(text, SENTENCE, placeholder=" …")
        variants.append(
            {
                "word": title,
                "share": share,
                "percent": whole_percent(share),
                "cells": rows[:, :-1],
                "row": row,
                "at": at,
            }
        )
    return [
        heading(f"One head over {counted(len(drawn), 'sentence')}"),
        said("sub", f"{{head}}, in the order typed, on one scale. Under each: {HARDEST[weighed]}", head=head),
        ChangeVariants(variants, 0, f"head {head} over {counted(len(drawn), 'sentence')}", case.rtl),
        *without,
    ]  # fmt: skip
