"""One text on two models: rows by depth, each head beside the nearest of the other; no head-by-head difference."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mha.analysis.changes import Nearest, at_depth, nearest_at_depth
from mha.brief import with_arrays
from mha.engine.experiments import all_brought
from mha.engine.question import ADDRESS, Ask
from mha.errors import InputError, MHAError
from mha.export.provenance import provenance_of
from mha.export.tables import Table
from mha.formats import many, number
from mha.link.acts import Pin
from mha.link.compare import CompareWords
from mha.link.heads import BROUGHT
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, heads_of, ranked
from mha.models.files.catalog import ModelRow, model_row
from mha.screens.blocks import Block, CopyLink, HeadDiscs, Said, caption, heading, said, word
from mha.screens.compare.comparison import PINS, TOP, Both, recorded
from mha.screens.compare.over_variants import ChangeVariants, WordVariant
from mha.screens.places import End, More, Notice, Together
from mha.screens.takings import Numbers, OnRequest
from mha.words import right_to_left, words

SHARES = {  # by whether what looks bring is drawn
    False: "Per cent of all attention",
    True: "Per cent of all that a word receives ([[contribution]])",
}
BELOW = {
    False: "Percentages: attention from {query} to {key}. Over all words the two heads differ by {bits} bits.",
    True: "Percentages: contribution from {key} to {query}. In attention the heads differ by {bits} bits.",
}


SAME = "Both models are the same. Choose another second model."
OTHER_WORDS = "Both models must read the same words. Choose another model, or change the sentence."


def page(view: View, text: str, chosen: CompareWords, ask: Ask) -> Iterator[Block]:
    """Yield what is said of both, a map of each, the pinned heads beside their nearest, and where it comes from."""
    if chosen.other == view.model:
        yield from (Notice(SAME), End())
        return
    try:
        maps = (yield from recorded(text, view.model, ask)), (yield from recorded(text, chosen.other, ask))
        read = [{token.word for token in side.merged().tokens if token.word is not None} for side in maps]
        pairs = [(place, place) for place in sorted(read[0] & read[1])]
        nearest = nearest_at_depth(*maps, pairs), nearest_at_depth(*maps[::-1], pairs)
    except InputError as error:
        yield from (Notice(f"{error} {OTHER_WORDS}"), End())
        return
    case = TwoModels(view, (model_row(view.model), model_row(chosen.other)), maps, nearest)
    yield Together(top_blocks(case))
    yield Together(map_blocks(case), {str(head): (Pin(head, case.pins),) for head in case.maps[0].heads})
    brought = None
    if case.pins and chosen.weights == BROUGHT:
        try:
            first, second = (ask(all_brought.of(one.text, row.name)) for one, row in zip(maps, case.rows, strict=True))
            brought = first.as_maps(), second.as_maps()
        except MHAError as error:
            yield Notice(f"{error} Showing attention instead.")
    yield Together(pin_blocks(case, brought))
    yield More("How is this measured?", (caption(_measured(case)),))
    yield Numbers("Every head and its nearest", "parallax-models", of=OnRequest(nearest_table, (case, ask(ADDRESS))))
    yield CopyLink()


@with_arrays
class TwoModels:
    """Both models' rows of the catalog and maps of one text, and for the heads of each the nearest of the other."""

    view: View
    rows: tuple[ModelRow, ModelRow]
    maps: tuple[AttentionMaps, AttentionMaps]
    nearest: tuple[Nearest, Nearest]

    @property
    def names(self) -> tuple[str, ...]:
        """The models' short names, told apart where they are the same."""
        one, other = (row.short for row in self.rows)
        return (one, other) if one != other else (f"{one} (first)", f"{other} (second)")

    @property
    def pins(self) -> tuple[HeadId, ...]:
        """The heads of the first model that are drawn: the reader's, or those furthest from any of the second."""
        if self.view.pins is not None:
            return self.view.pins
        return ranked(self.nearest[0].bits)[:PINS]


def top_blocks(case: TwoModels) -> list[Block]:
    """Return what is said of both at once."""
    bits, (first, second) = case.nearest[0].bits, case.names
    furthest = ranked(bits)[0]
    slots = {"head": furthest, "first": first, "second": second, "bits": f"{number(bits.max(), 3)} bits"}
    sentence = (
        "Of all heads of {first}, {head} differs most from {second}: by {bits} from its nearest head there, {nearest}."
    )
    return [
        said("verdict", sentence, **slots, nearest=case.nearest[0].of(furthest)),
        said(
            "sub",
            "Layers are matched by depth, heads by where they look. Similar attention does not mean the same function. "
            "There is no control for this comparison.",
        ),
    ]


def map_blocks(case: TwoModels) -> list[Block]:
    """Return a map of each model: how far each head is from the nearest of the other."""
    top = float(max(TOP, *(side.bits.max() for side in case.nearest)))
    blocks: list[Block] = [heading("Distance to the nearest head in the other model")]
    for side, (row, nearest) in enumerate(zip(case.rows, case.nearest, strict=True)):
        there = case.rows[1 - side]
        layers = at_depth(row.n_layers - 1, row.n_layers, there.n_layers)
        matched = (
            f"its last layer is matched with layer{'s' if len(layers) > 1 else ''} {layers[0]}"
            f"{f' to {layers[-1]}' if len(layers) > 1 else ''} of {case.names[1 - side]}"
        )
        title = f"{case.names[side]}, {many(row.n_layers, 'layer')} × {row.n_heads}"
        label = f"{title}: each head's distance from the nearest of {case.names[1 - side]}; {matched}"
        blocks += [
            heading(title, "h3"),
            said("cap", "Rows by depth: {matched}.", matched=matched),
            HeadDiscs("changes", nearest.bits, None, top, [] if side else [str(pin) for pin in case.pins], label=label),
        ]
    return blocks


def pin_blocks(case: TwoModels, weighed: Both | None = None) -> list[Block]:
    """Return each pinned head of the first model beside the nearest of the second, each as it is.

    ``weighed`` are the maps of what looks bring, which are drawn in the place of attention.
    """
    if not case.pins:
        return [heading("Side by side"), Said("sub", (("next", "Click a head in the first map to see it here."),))]
    blocks: list[Block] = [
        heading("Pinned heads beside their nearest"),
        said("sub", f"{SHARES[weighed is not None]}. Framed: the row that differs most."),
    ]  # fmt: skip
    read = [_rows(side) for side in weighed or case.maps]
    labels, rtl = words(case.maps[0].text), right_to_left(case.maps[0].text) or None
    for head in case.pins:
        near = case.nearest[0].of(head)
        pair = read[0][head], read[1][near]
        count = min(map(len, pair))
        apart = np.abs(pair[0][:count, :count] - pair[1][:count, :count])
        row = int(apart.sum(axis=1).argmax())
        key = int(apart[row].argmax())
        variants = [
            WordVariant(f"{name} {one}", rows, row, float(rows[row, key]))
            for name, one, rows in zip(case.names, (head, near), pair, strict=True)
        ]
        blocks += [
            ChangeVariants(variants, rtl, label=f"{case.names[0]} {head} and {case.names[1]} {near}"),
            said(
                "cap",
                BELOW[weighed is not None],
                query=word(labels[row]), key=word(labels[key]), bits=number(case.nearest[0].bits[head], 3),
            ),
        ]  # fmt: skip
    return blocks


def _rows(maps: AttentionMaps) -> np.ndarray:
    """Return the weights between words, [layer, head, word, word]."""
    merged = maps.merged()
    places = [place for place, token in enumerate(merged.tokens) if token.word is not None]
    return merged.weights[:, :, places][..., places].astype(np.float64)


def _measured(case: TwoModels) -> str:
    """Return where the numbers come from and how they were treated."""
    each = "; ".join(f"{row.short} ({row.source}), {row.origin_said}" for row in case.rows)
    return (
        "Distance: Jensen–Shannon [[divergence]] between a word’s attention in both heads, in bits, averaged over the "
        "words that both models read. Nothing is rescaled, and everything else counts as one. The nearest head is "
        f"looked for in the layers at the same depth. {each}."
    )


def nearest_table(case: TwoModels, link: str) -> Table:
    """Return every head of the first model with its nearest of the second; ``link`` is the address of the view."""
    near = case.nearest[0]
    heads = heads_of(*near.bits.shape)
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(head) for head in heads],
        "nearest_of_the_other": [str(near.of(head)) for head in heads],
        "bits": near.bits.ravel(),
    }
    told = provenance_of(
        case.maps[0],
        model_sha256=case.rows[0].sha256,
        scale="nothing rescaled; divergence in bits over the words that both have read and one key for the rest",
        controls=f"nearest head of {case.rows[1].short} ({case.rows[1].revision}) in layers at the same depth",
        link=link,
    )
    return Table(columns, told)
