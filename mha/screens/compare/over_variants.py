"""One head over several words in the changed place, or over whole sentences, and which head that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mha.analysis.changes import paired_rows
from mha.analysis.swaps import with_word
from mha.engine import Request
from mha.engine.asking import Here
from mha.engine.opened import all_brought
from mha.engine.question import Ask
from mha.errors import InputError
from mha.link.compare import CompareWords
from mha.link.pinned import BROUGHT
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.maps import BROUGHT as BROUGHT_MEASURE
from mha.screens.blocks import Block
from mha.screens.compare.brings import brings, weighed
from mha.screens.compare.comparison import MOST_VARIANTS, Comparison, largest_look, lines, listed
from mha.screens.compare.sides import in_place
from mha.screens.compare.tables import VariantsNumbers
from mha.screens.compare.variants import sentence_blocks, variant_blocks
from mha.screens.places import Numbers, Pick, Row, Together
from mha.words import accept, words

WIDTH = 180  # px of the choice of a head
Drawn = list[tuple[str, np.ndarray]]  # of each word, or sentence, its rows


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
        heads = tuple(str(HeadId(layer, at)) for layer in range(case.row.n_layers) for at in range(case.row.n_heads))
        word = CompareWords.of("head").name
        yield Row((Pick(word, "Head over the variants", heads, str(head), width=WIDTH),), "compare_head_bar")
        yield Together(blocks)
    if texts:
        measure, base = BROUGHT_MEASURE if brought else ATTENTION, ask(Here()).partition("?")[0]
        of = VariantsNumbers(case, head, texts, base, measure)
        yield Numbers("One head over the variants", "parallax-variants", of=of)


def _words(
    case: Comparison, place: int, rows: Callable[[AttentionMaps, Sequence[int]], np.ndarray], ask: Ask
) -> tuple[Drawn, list[str]]:
    """Return the rows of each word in the changed place, and the typed words that cannot stand there."""
    own = [case.words[0][place], case.words[1][case.alignment.changed[0][1]]]
    typed = listed(case.choices.variants, MOST_VARIANTS)
    drawn, dropped = [], []
    for word in typed or list(dict.fromkeys([*own, *case.neutral.words])):
        maps = in_place(case.texts[0], place, word, case.view.model, ask)
        if maps is not None:
            drawn.append((word, rows(maps, range(len(case.words[0])))))
        elif typed:
            dropped.append(word)
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
