"""How cross-attention joins a target to its source: the lines of one head, and the numbers of every head."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mha.brief import with_arrays
from mha.export.provenance import Provenance
from mha.export.tables import Table
from mha.formats import labels, listed, percent, whole_percent, whole_percents
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Drawing, Span, say, word
from mha.screens.decoder.writing import shown_text
from mha.screens.heads.picture import Picture
from mha.screens.heads.stacks import first_heads
from mha.screens.shown import Shown
from mha.words import right_to_left


@with_arrays
class CrossLooks:
    """One head's looks from the words to be written at those of the source; ``lock`` is a row, None for none."""

    shown: Shown
    head: HeadId
    lock: int | None
    chosen: bool
    large: bool = False

    @cached_property
    def weights(self) -> np.ndarray:
        """Float64 [row, source word], each row rescaled to what it gives to those that stand there."""
        return self.shown.maps[self.head].astype(np.float64)

    @cached_property
    def left(self) -> np.ndarray:
        """Which rows have anything left once sinks are set aside."""
        return self.weights.sum(axis=-1) > 0

    @cached_property
    def strongest(self) -> np.ndarray:
        """The place of each row's strongest look."""
        return self.weights.argmax(axis=-1)


def alignment_of(picture: Picture) -> CrossLooks:
    """Return the alignment of the first pinned head; a locked column leaves no row locked."""
    shown = picture.shown
    head = shown.pins[0] if shown.pins else first_heads(shown.full)[0]
    return CrossLooks(shown, head, None if shown.look == "at" else shown.lock, shown.chosen_pins, picture.view.large)


def finding(made: CrossLooks, row: int | None) -> tuple[Span, ...]:
    """Return what one row shows; without one, the strongest look of all."""
    targets, sources = labels(made.shown.maps.tokens), labels(made.shown.maps.key_tokens)
    row = int(made.weights.max(axis=-1).argmax()) if row is None else row
    if not made.left[row]:
        return say(
            "To write {target}, {head} hardly looks at input words; its attention goes to excluded tokens.",
            target=word(targets[row]),
            head=made.head,
        )
    place = int(made.strongest[row])
    of = "of its attention to input words" if made.shown.aside and made.shown.sinks else "of its attention"
    return say(
        f"To write {{target}}, {{head}} gives {{source}} {percent(made.weights[row, place])} {of}.",
        target=word(targets[row]),
        head=made.head,
        source=word(sources[place]),
    )


def about(made: CrossLooks) -> tuple[Span, ...]:
    """Return what the lines show together: looks at the word that is written, their order, and what was set aside."""
    said = []
    maps, rows = made.shown.maps, np.flatnonzero(made.left)
    same = sum(
        maps.tokens[row].text.casefold() == maps.key_tokens[int(made.strongest[row])].text.casefold() for row in rows
    )
    if same > len(rows) / 2:
        said.append(f"In {same} of {maps.n_queries} positions it looks most at the word it writes.")
    steps = np.diff(made.strongest[rows])
    if len(steps) > 1 and (steps < 0).all():
        said.append("All strong lines cross: this head reads the input backwards.")
    elif len(steps) > 1 and (steps > 0).all():
        said.append("No strong lines cross: this head reads the input in order.")
    if made.shown.sinks and made.shown.aside:
        named = listed(list(dict.fromkeys(token.text for token in made.shown.sinks)))
        share = float(made.shown.share[made.head])
        much = percent(share) if whole_percent(share) else "Almost none"
        said.append(f"{much} of this head’s attention goes to {{named}} and is excluded.")
        return say(" ".join(said), named=named)
    return say(" ".join(said) or "Nothing is excluded.")


def drawing(made: CrossLooks) -> Drawing:
    """Return what the component "crossing" draws: source above, target below, a line for each look from 4 % up."""
    maps = made.shown.maps
    header = {
        "head": str(made.head),
        "chosen": made.chosen,
        "sources": [shown_text(token) for token in maps.key_tokens],
        "targets": [shown_text(token) for token in maps.tokens],
        "lock": made.lock,
        "large": made.large,
        "rtl": [right_to_left(maps.text), right_to_left(maps.pair or "")],
        "findings": [finding(made, row) for row in range(maps.n_queries)],
        "finding": finding(made, None),
        "about": about(made),
        "say": {
            "source": "source",
            "target": f"output, one {unit_of_target(maps)} at a time",
            "output": "output",  # where there is no room for more
            "scale": "Thicker line: more attention (4 % or more)",
            "locked": "Click an output word to isolate its lines.",
            "chosen": "picked for you",
            "label": alternative(made),
        },
    }
    return Drawing(header, {"shares": whole_percents(made.weights)})


def unit_of_target(maps: AttentionMaps) -> str:
    """Return what a piece of the target is called."""
    return "word" if maps.units == "words" else "token"


def alternative(made: CrossLooks) -> str:
    """Return the picture's text alternative: every row's strongest look."""
    targets, sources = labels(made.shown.maps.tokens), labels(made.shown.maps.key_tokens)
    looks = [
        f"{target}: "
        + (
            f"{sources[int(made.strongest[row])]} {whole_percent(float(made.weights[row].max()))}\u00a0%"
            if made.left[row]
            else "all excluded"
        )
        for row, target in enumerate(targets)
    ]
    return f"Head {made.head}, from each output word to the input word it looks at most: {'; '.join(looks)}."


def grid_about(maps: AttentionMaps) -> tuple[Span, ...]:
    """Return the line under all cross-attention heads."""
    unit = unit_of_target(maps)
    return say(
        f"Rows: output {unit}s. Columns: input. A diagonal down to the right is a copy in order; down to the left, a "
        "reversal."
    )


TITLE = "Cross-attention in numbers"
PER_CENT = "%.0f\u00a0%%"


COLUMNS = {  # of each number its label, what explains it, and how it is written, by its key in a file
    "sharpest": ("Largest attention", "The largest weight of each row, averaged over the rows.", PER_CENT),
    "same": ("Looks at the written word", "Rows that look most at a word that reads like the one to write.", PER_CENT),
    "onwards": (
        "Moves forward",
        "Of the steps from row to row, those whose largest attention moves forward in the input.",
        PER_CENT,
    ),
    "back": ("Moves back", "The same for steps back in the input; the rest stay at their place.", PER_CENT),
    "entropy": (
        "Spread (bits)",
        "How spread a row is, on average: 0 for one word, log₂ n for n equal ones.",
        "%.2f",
    ),
    "set_aside": (
        "To excluded tokens",
        "Share of all attention to what can be excluded in the input, shown or not.",
        PER_CENT,
    ),
}


def numbers(shown: Shown) -> dict[str, np.ndarray]:
    """Return each number of `COLUMNS` as float64 [layer, head], over what is drawn; NaN where there is none.

    Rows of which nothing is left are left out. Shares are parts of 1, entropy -sum_k w_k log2 w_k is in bits.
    """
    weights = shown.maps.weights.astype(np.float64)  # [layer, head, row, source]
    left = weights.sum(axis=-1) > 0
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    target, source = (
        np.array([token.text.casefold() for token in tokens]) for tokens in (shown.maps.tokens, shown.maps.key_tokens)
    )
    strongest = weights.argmax(axis=-1)  # [layer, head, row]
    steps = np.diff(strongest, axis=-1)
    known = left[..., 1:] & left[..., :-1]
    return {
        "sharpest": _mean(weights.max(axis=-1), left),
        "same": _mean(source[strongest] == target, left),
        "onwards": _mean(steps > 0, known),
        "back": _mean(steps < 0, known),
        "entropy": _mean(np.abs((weights * logs).sum(axis=-1)), left),
        "set_aside": np.asarray(shown.share, dtype=np.float64),
    }


def _mean(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the mean over the last axis of those that count, NaN where none does."""
    count = counted.sum(axis=-1)
    total = np.where(counted, values, 0).sum(axis=-1, dtype=np.float64)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def table_columns(shown: Shown) -> dict[str, list[str] | np.ndarray]:
    """Return the columns as they stand on the page, by label; shares are in per cents."""
    found = numbers(shown)
    names: dict[str, list[str] | np.ndarray] = {"Head": [str(head) for head in shown.maps.heads]}
    return names | {
        label: (100 if how == PER_CENT else 1) * found[key].ravel() for key, (label, _, how) in COLUMNS.items()
    }


def table_of(shown: Shown, source: Provenance) -> Table:
    """Return the same as a table to take away; shares are parts of 1."""
    columns: dict[str, Sequence[str] | np.ndarray] = {"head": [str(head) for head in shown.maps.heads]}
    return Table(columns | {key: values.ravel() for key, values in numbers(shown).items()}, source)


def table_alternative(maps: AttentionMaps) -> str:
    """Return the text alternative of the table."""
    return f"Numbers of {maps.n_layers * maps.n_heads} heads of cross-attention, one row each; the file has the same."


def table_caption(shown: Shown) -> tuple[Span, ...]:
    """Return the line under the table."""
    maps = shown.maps
    rest = ", [[attention sinks|attention sink]] left out" if shown.aside and shown.sinks else ""
    rows = f"the {maps.n_queries} {unit_of_target(maps)}s to be written" if maps.n_queries > 1 else "the one row"
    return say(f"Averages over {rows}{rest}. Repeated input words count as one.")
