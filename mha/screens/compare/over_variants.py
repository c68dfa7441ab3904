"""One head over several words in the changed place, or over whole sentences, and which head that is."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from mha.analysis.changes import N_SWAPS, paired_rows
from mha.brief import with_arrays
from mha.engine import Request
from mha.engine.experiments import all_brought
from mha.engine.question import ADDRESS, Ask
from mha.errors import InputError
from mha.export.tables import Table
from mha.formats import counted, cut
from mha.link.compare import CompareWords
from mha.link.heads import BROUGHT
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.maps import BROUGHT as BROUGHT_MEASURE
from mha.screens.blocks import Block, LabelledPicture, NumberRows, heading, joined, said, word
from mha.screens.compare.comparison import (
    MOST_VARIANTS,
    Comparison,
    brings,
    in_place,
    labels_of,
    largest_look,
    lines,
    listed,
)
from mha.screens.compare.every_head import changed_from
from mha.screens.inputs import Pick
from mha.screens.places import Row, Together
from mha.screens.takings import Numbers, OnRequest
from mha.words import accept, with_word, words


@with_arrays
class WordVariant:
    """A word in the changed place, or a sentence: its shares [row, place], the framed row, and the share that is told.

    A sentence says ``at`` which words that is.
    """

    word: str
    cells: NumberRows
    row: int
    share: float
    at: str = ""


class ChangeVariants(LabelledPicture, kind="change_variants"):
    """One head over several words in one place, or over sentences."""

    variants: Sequence[WordVariant]
    rtl: bool | None = None


WIDTH = 180  # px of the choice of a head
Drawn = list[tuple[str, np.ndarray]]  # of each word, or sentence, its rows [word, word + 1]
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
    look, whole = largest_look(case), lines(case.choices.variants)
    head = case.pins[0] if case.pins else look[0] if look else None
    if case.choices.head is not None:
        head = HeadId.parse(case.choices.head)
    if head is None or case.twin or not (whole or case.swap is not None):
        return
    brought = case.choices.weights == BROUGHT and isinstance(brings(case, ask), tuple)
    typed = whole or listed(case.choices.variants, MOST_VARIANTS)
    drawn, dropped = Drawn(), []
    for one in typed or _usual(case):
        found = _drawn(case, head, one, bool(whole), brought, ask)
        if found is not None:
            drawn.append(found)
        elif typed:
            dropped.append(word(cut(one) if whole else one))
    shown = (_sentences if whole else _words)(case, head, drawn, brought) if drawn else []
    if dropped:
        why = "Not read" if whole else "Not usable (not a single word, or unknown to the model)"
        shown.append(said("cap", f"{why}: {{words}}.", words=joined(dropped)))
    if shown:
        names = tuple(map(str, case.first.heads))
        pick = Pick(CompareWords.of("head").name, "Head to show", names, str(head), width=WIDTH)
        yield from (Row((pick,), "compare_head_bar"), Together(shown))
    if drawn:
        if not whole:
            drawn = [(with_word(case.texts[0], case.swap or 0, one), rows) for one, rows in drawn]
        measure, base = BROUGHT_MEASURE if brought else ATTENTION, ask(ADDRESS).partition("?")[0]
        given = case, head, drawn, base, measure
        yield Numbers("One head, several words", "parallax-variants", of=OnRequest(variants_table, given))


def _usual(case: Comparison) -> list[str]:
    """Return the words of both sides in the changed place, and what may stand there neutrally."""
    first, second = case.alignment.changed[0]
    own = case.words[0][first], case.words[1][second]
    return list(dict.fromkeys((*own, *case.neutral.words[:N_SWAPS])))


def _drawn(
    case: Comparison, head: HeadId, one: str, whole: bool, brought: bool, ask: Ask
) -> tuple[str, np.ndarray] | None:
    """Return a ``whole`` sentence, or a word in the changed place, and its rows; None where that cannot be read."""

    def rows(maps: AttentionMaps) -> np.ndarray:
        of = ask(all_brought.of(maps.text, case.row.name)).as_maps() if brought else maps
        return paired_rows(of, range(len(words(maps.text))))[head]

    if not whole:
        maps = in_place(case.texts[0], case.swap or 0, one, case.view.model, ask)
        return None if maps is None else (one, rows(maps))
    try:
        maps = ask(Request(accept(one).text, case.view.model)).maps.merged()
        return maps.text, rows(maps)
    except InputError:
        return None


def _framed(case: Comparison, head: HeadId) -> int:
    """Return the number of the word of the first sentence which the largest change of a head belongs to."""
    if not case.alignment.pairs or case.found is None:
        return 0
    query, _ = case.found.strongest(head) if case.found.counted.any() else (0, 0)
    return case.alignment.pairs[query][0]


def _words(case: Comparison, head: HeadId, drawn: Drawn, brought: bool) -> list[Block]:
    """Return one head over several words in the changed place."""
    row, key = _framed(case, head), case.swap or 0
    variants = [WordVariant(one, rows[:, :-1], row, float(rows[row, key])) for one, rows in drawn]
    return [
        heading(f"One head, {counted(len(drawn), 'word')}"),
        said("sub", UNDER[brought], head=head, query=word(labels_of(case.words[0])[row])),
        ChangeVariants(variants, case.rtl, label=f"head {head} over {len(drawn)} words"),
    ]


def _sentences(case: Comparison, head: HeadId, drawn: Drawn, brought: bool) -> list[Block]:
    """Return one head over whole sentences.

    The framed row is that of the word which the first sentence's largest change belongs to, where a sentence has it;
    else its first row.
    """
    wanted = case.words[0][_framed(case, head)]
    variants = []
    for text, rows in drawn:
        own = words(text)
        names, row = labels_of(own), own.index(wanted) if wanted in own else 0
        others = np.where(np.arange(len(own)) == row, -1, rows[row, :-1])
        key = int(others.argmax())
        title, at = textwrap.shorten(text, SENTENCE, placeholder=" …"), f"{names[row]} → {names[key]}"
        variants.append(WordVariant(title, rows[:, :-1], row, float(rows[row, key]), at))
    many = counted(len(drawn), "sentence")
    return [
        heading(f"One head, {many}"),
        said("sub", LARGEST[brought], head=head),
        ChangeVariants(variants, case.rtl, label=f"head {head} over {many}"),
    ]


def variants_table(case: Comparison, head: HeadId, drawn: Drawn, base: str = "", measure: str = ATTENTION) -> Table:
    """Return every look of a head over some texts, a row each; ``drawn`` has each text's rows [word, word + 1].

    ``base`` is the address of the page without its words, ``measure`` what the shares are of.
    """
    looks: list[tuple[str, str, str]] = []
    for text, _ in drawn:
        names = labels_of(words(text))
        looks += [(text, looking, looked_at) for looking in names for looked_at in [*names, "everything else"]]
    texts, looking, looked_at = map(list, zip(*looks, strict=True))
    columns: dict[str, list[str] | np.ndarray] = {
        "text": texts,
        "looking_word": looking,
        "looked_at_word": looked_at,
        "share": np.concatenate([rows.ravel() for _, rows in drawn]),
    }
    controls = f"none; head {head} over {len(drawn)} texts"
    return Table(columns, changed_from(case, base, controls, measure))
