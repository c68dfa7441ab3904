"""One head over several words in the changed place, or over whole sentences, and which head that is."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mha.analysis.changes import N_SWAPS, paired_rows
from mha.analysis.swaps import with_word
from mha.brief import with_arrays
from mha.engine import Request
from mha.engine.experiments import all_brought
from mha.engine.question import Ask, Here
from mha.errors import InputError
from mha.export.tables import Table
from mha.formats import counted, cut, whole_percent
from mha.link.compare import CompareWords
from mha.link.heads import BROUGHT
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.maps import BROUGHT as BROUGHT_MEASURE
from mha.screens.blocks import Block, heading, joined, said, word
from mha.screens.compare.blocks import ChangeVariants, WordVariant
from mha.screens.compare.comparison import MOST_VARIANTS, Comparison, labels_of, largest_look, lines, listed
from mha.screens.compare.every_head import changed_from
from mha.screens.compare.sides import brings, in_place, weighed
from mha.screens.inputs import Pick
from mha.screens.places import Row, Together
from mha.screens.takings import Numbers
from mha.words import accept, words
from mha.words import words as split

WIDTH = 180  # px of the choice of a head
Drawn = list[tuple[str, np.ndarray]]  # of each word, or sentence, its rows
SENTENCE = 60  # characters of a variant above its map
UNDER = {  # by whether contributions are drawn
    False: "Percentages: attention from {query} to each word, in {head}.",
    True: "Percentages: contribution of each word, of all that {query} receives in {head}.",
}
LARGEST = {
    False: "Percentages: largest attention of the framed row to another word, in {head}.",
    True: "Percentages: largest contribution of another word to the framed row, in {head}.",
}


def over_variants(case: Comparison, ask: Ask) -> Iterator[Block]:
    """Yield the chosen head, the first pinned or the one of the sentence, over the variants."""
    look = largest_look(case)
    head = case.pins[0] if case.pins else look[0] if look else None
    if case.choices.head is not None:
        head = HeadId.parse(case.choices.head)
    if head is None or case.twin:
        return
    brought = case.choices.weights == BROUGHT and weighed(brings(case, ask), BROUGHT)[0] is not None

    def rows(maps: AttentionMaps, numbers: Sequence[int]) -> np.ndarray:
        """Return the head's rows over some words of a text and all else, of attention or of what it brings."""
        drawn = ask(all_brought.of(maps.text, case.row.name)).as_maps() if brought else maps
        return paired_rows(drawn, numbers)[head]

    whole = lines(case.choices.variants)
    if whole:
        drawn, dropped = _sentences(case, whole, rows, ask)
        blocks, texts = sentence_blocks(case, head, drawn, dropped, brought), drawn
    elif case.swap is not None:
        drawn, dropped = _words(case, case.swap, rows, ask)
        blocks = variant_blocks(case, head, drawn, dropped, brought)
        texts = [(with_word(case.texts[0], case.swap, word), one) for word, one in drawn]
    else:
        return
    if blocks:
        heads = tuple(map(str, case.first.heads))
        name = CompareWords.of("head").name
        yield Row((Pick(name, "Head to show", heads, str(head), width=WIDTH),), "compare_head_bar")
        yield Together(blocks)
    if texts:
        measure, base = BROUGHT_MEASURE if brought else ATTENTION, ask(Here()).partition("?")[0]
        of = VariantsNumbers(case, head, texts, base, measure)
        yield Numbers("One head, several words", "parallax-variants", of=of)


def _words(
    case: Comparison, place: int, rows: Callable[[AttentionMaps, Sequence[int]], np.ndarray], ask: Ask
) -> tuple[Drawn, list[str]]:
    """Return the rows of each word in the changed place, and the typed words that cannot stand there."""
    own = [case.words[0][place], case.words[1][case.alignment.changed[0][1]]]
    typed = listed(case.choices.variants, MOST_VARIANTS)
    drawn, dropped = [], []
    for one in typed or list(dict.fromkeys([*own, *case.neutral.words[:N_SWAPS]])):
        maps = in_place(case.texts[0], place, one, case.view.model, ask)
        if maps is not None:
            drawn.append((one, rows(maps, range(len(case.words[0])))))
        elif typed:
            dropped.append(one)
    return drawn, dropped


def _sentences(
    case: Comparison, typed: Sequence[str], rows: Callable[[AttentionMaps, Sequence[int]], np.ndarray], ask: Ask
) -> tuple[Drawn, list[str]]:
    """Return the rows of each sentence, over its own words, and the sentences that could not be read."""
    drawn, dropped = [], []
    for text in typed:
        try:
            maps = ask(Request(accept(text).text, case.view.model)).maps.merged()
            drawn.append((maps.text, rows(maps, range(len(words(maps.text))))))
        except InputError:
            dropped.append(text)
    return drawn, dropped


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
    without = (
        [said("cap", "Not usable (not a single word, or unknown to the model): {words}.", words=words)]
        if dropped
        else []
    )
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
    return [
        heading(f"One head, {counted(len(drawn), 'word')}"),
        said("sub", UNDER[weighed], head=head, query=word(looks)),
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
        heading(f"One head, {counted(len(drawn), 'sentence')}"),
        said("sub", LARGEST[weighed], head=head),
        ChangeVariants(variants, 0, f"head {head} over {counted(len(drawn), 'sentence')}", case.rtl),
        *without,
    ]  # fmt: skip


@with_arrays
class VariantsNumbers:
    """The looks of a head over some texts, to be taken away; ``drawn`` has each text's rows [word, word + 1].

    ``base`` is the address of the page without its words, ``measure`` what the shares are of.
    """

    case: Comparison
    head: HeadId
    drawn: Sequence[tuple[str, np.ndarray]]
    base: str = ""
    measure: str = ATTENTION

    def table(self) -> Table:
        """Return every look, a row each."""
        columns: dict[str, list[str]] = {"text": [], "looking_word": [], "looked_at_word": []}
        for text, _ in self.drawn:
            names = labels_of(words(text))
            for looking in names:
                for looked_at in [*names, "everything else"]:
                    for column, value in zip(columns.values(), (text, looking, looked_at), strict=True):
                        column.append(value)
        shares = np.concatenate([rows.ravel() for _, rows in self.drawn])
        controls = f"none; head {self.head} over {len(self.drawn)} texts"
        return Table(columns | {"share": shares}, changed_from(self.case, self.base, controls, self.measure))
