"""Step by step: a small layer with every number on its way, and one weight by hand. Pure.

The numbers of most layers are random: the steps are real, the result has no meaning. Two layers are set by hand.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.core import (
    PRESETS,
    CellByHand,
    MultiHead,
    Trace,
    causal_mask,
    cell,
    sinusoidal_positions,
    trace,
)
from mha.export.provenance import without_maps
from mha.export.tables import Table, arrays_table
from mha.formats import in_figures, labels, markdown, percent
from mha.maps import Token
from mha.memo import array_dataclass
from mha.models import toy

LAYERS = {  # the names of the link: presets of `mha.core`
    "All is well, one head": "one_head",
    "All is well, two heads": "two_heads",
    "Money Bank, full": "money_bank",
    "Money Bank, slices": "slices",
    "Money Bank, overlap": "overlap",
    "eight heads": "eight_heads",
}
BY_HAND = {  # text, and three words with a number of their own: head 0 joins first and last, head 1 second and last
    "dog or food": ("A dog ate the food because it was hungry", ("dog", "food", "it")),
    "man or astronomer": (toy.HAND_SET, ("man", "astronomer", "telescope")),
}
TITLES = {
    "": "Real model",
    "All is well, one head": "All is well, 1 head",
    "All is well, two heads": "2 heads",
    "eight heads": "8 heads",
    "Money Bank, full": "Money Bank",
    "Money Bank, slices": "in slices",
    "Money Bank, overlap": "overlapping",
    "dog or food": "dog or food",
    "man or astronomer": "man or astronomer",
}
LONG_TITLES = TITLES | {
    "All is well, one head": "All is well, one head",
    "All is well, two heads": "All is well, two heads",
    "eight heads": "All is well, eight heads",
    "Money Bank, slices": "Money Bank in slices",
    "Money Bank, overlap": "Money Bank, overlapping parts",
}
MOST_WORDS = 10
SHOWN_HEADS = 2  # of a layer with more, the first and the followed head are drawn
SMALLEST_ARC = 0.06  # a smaller share has no arc
SAME = 1e-9  # weights that differ by less are equal


@array_dataclass
class ToyCase:
    """A layer on some words, everything on its way, and one cell: ``query`` looks at ``key`` in ``head``."""

    words: tuple[str, ...]
    heads: MultiHead
    embeddings: np.ndarray
    steps: Trace
    by_hand: CellByHand
    head: int
    query: int
    key: int
    seed: int | None
    is_scaled: bool
    is_masked: bool
    has_positions: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The words as they are named: cut, and numbered if one occurs more than once."""
        return labels([Token(word, raw=word, word=place) for place, word in enumerate(self.words)])

    @property
    def shown_heads(self) -> tuple[int, ...]:
        """The heads that are drawn."""
        n_heads = self.heads.n_heads
        return tuple(range(n_heads)) if n_heads <= SHOWN_HEADS else tuple(sorted({0, self.head or 1}))

    def array_of(self, step: str, head: int | None = None) -> np.ndarray:
        """Return the array of a step [row, column], of the followed head unless another is given."""
        values = self.steps[step]
        return values[self.head if head is None else head] if values.ndim == 3 else values


def toy_case(
    layer: str,
    *,
    seed: int | None = None,
    is_scaled: bool = True,
    is_masked: bool = False,
    has_positions: bool = False,
    cell_choice: Sequence[int | None] = (None, None, None),
) -> ToyCase:
    """Return the case of a layer.

    ``cell_choice`` are head, query and key; the automatic cell is the largest weight of the last head in the row of the
    word that is set by hand, of the last word under a mask, else of the first word.
    """
    if layer in BY_HAND:
        sentence, special = BY_HAND[layer]
        names, heads, used_seed = tuple(sentence.split()), toy.heads(), None
        numbers = [special.index(word.casefold()) if word.casefold() in special else 3 for word in names]
        embeddings, first = np.eye(toy.D_MODEL)[numbers], numbers.index(2)
    else:
        preset = PRESETS[LAYERS[layer]]
        used_seed = preset.seed if seed is None else seed
        preset = dataclasses.replace(preset, seed=used_seed)
        names, heads, embeddings, first = tuple(preset.text.split()), preset.heads(), preset.embeddings(), 0
    positions = sinusoidal_positions(len(names), heads.d_model) if has_positions else None
    options: dict[str, Any] = {
        "mask": causal_mask(len(names)) if is_masked else None, "scale": None if is_scaled else 1.0
    }  # fmt: skip
    steps = trace(heads, embeddings, positions, **options)
    head = _valid_choice(cell_choice[0], heads.n_heads, 0 if layer in BY_HAND else heads.n_heads - 1)
    query = _valid_choice(cell_choice[1], len(names), len(names) - 1 if is_masked else first)
    key = _valid_choice(cell_choice[2], len(names), int(steps["weights"][head, query].argmax()))
    by_hand = cell(steps["query"][head], steps["key"][head], (query, key), **options)
    return ToyCase(
        names, heads, embeddings, steps, by_hand, head, query, key, used_seed, is_scaled, is_masked, has_positions,
    )  # fmt: skip


def _valid_choice(choice: int | None, count: int, automatic: int) -> int:
    return automatic if choice is None or not 0 <= choice < count else choice


def finding(case: ToyCase) -> str:
    """Return where the followed word looks in each shown head."""
    if case.is_masked and not case.query:
        return f"{word_of(case, 0)} sees no other word: the mask hides all later ones."
    sentences: list[str] = []
    for head in case.shown_heads:
        row = case.steps["weights"][head, case.query]
        key = int(row.argmax())
        equal = int((row >= row[key] - SAME).sum())
        target = "itself" if key == case.query else word_of(case, key)
        does = f"gives {percent(row[key])} to each of {equal} words" if equal > 1 else f"looks most at {target}"
        subject, share = (
            "it" if sentences else word_of(case, case.query),
            "" if equal > 1 else f" ({percent(row[key])})",
        )
        sentences.append(f"in head {head}, {subject} {does}{share}")
    return f"I{'; '.join(sentences)[1:]}."


def question(case: ToyCase) -> str:
    """Return the question for a class that guesses first."""
    return f"Which word will {word_of(case, case.query)} look at most in head {case.head}? Make a guess first."


def sentence_data(case: ToyCase, has_arcs: bool = True) -> dict[str, Any]:
    """Return the words, with the arcs of the followed head from the followed word."""
    tokens = [{"text": word, "space": True} for word in case.words]
    data: dict[str, Any] = {"tokens": tokens, "gap": "none", "mask": None, "candidates": [], "title": "", "hint": ""}
    if has_arcs:
        data["attention"] = {
            "head": f"head {case.head}", "query": case.query, "from": case.names[case.query], "first": None,
            "shares": [round(float(share), 4) for share in case.array_of("weights")[case.query]], "least": SMALLEST_ARC,
        }  # fmt: skip
    return data


def names(case: ToyCase) -> dict[str, dict[int, str]]:
    """Return the options of head, query and key by their parameters."""
    heads = {head: str(head) for head in range(case.heads.n_heads)}
    return {"cell_head": heads, "cell_query": dict(enumerate(case.names)), "cell_key": dict(enumerate(case.names))}


def origin(case: ToyCase) -> str:
    """Return where the numbers come from, and the sizes of the layer."""
    heads, size = case.heads, in_figures(case.heads.n_heads, "head")
    sizes = f"{in_figures(len(case.words), 'word')}, {heads.d_model} numbers each, {size} of {heads.d_head}."
    if case.seed is None:
        return f"Toy with numbers set by hand. {sizes}"
    return f"Toy with random numbers (seed {case.seed}): the steps are real, the result has no meaning. {sizes}"


def word_of(case: ToyCase, place: int) -> str:
    """Return a word as Markdown."""
    return f"*{markdown(case.names[place])}*"


def table(case: ToyCase, link: str = "") -> Table:
    """Return the arrays of every step."""
    model_facts = "Toy", "set by hand" if case.seed is None else f"seed {case.seed}", "toy"
    source = without_maps((" ".join(case.words),), model_facts, "words are tokens", link=link)
    return arrays_table({step.name: step.array for step in case.steps}, source)
