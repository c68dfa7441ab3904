"""Patching: what of the difference between two versions of a sentence each head carries.

A head's output, at every position, is taken from the other version; how far the link margin moves towards the other
version's, as a part of the difference between the two, is what it carries. Mean of both directions. The parts need not
add up to 1, since later heads pass on what earlier ones bring. Source: Vig et al. 2020; Wang et al. 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np
from torch import Tensor

from mha.analysis.floor import Floor, agree
from mha.brief import brief
from mha.errors import InputError
from mha.intervention.ablation import replaced
from mha.intervention.donors import outputs_of
from mha.intervention.growing import gathering, variants_in_parts
from mha.intervention.places import PlacedText, Readings, placed, tokens_of
from mha.intervention.readout import LinkMargin
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.stepwise import Progress, Steps, finished
from mha.words import accept, words

NAMED_FROM = 0.10  # a head that carries this part is named, and is no control
TYPICAL_BELOW = NAMED_FROM / 2  # where a typical head carries more, the difference itself is noise
DRAWS, TOGETHER, SEED = 15, 3, 0  # controls: draws, heads in each
SMALLEST = 1e-6  # a difference below this cannot be divided


def _nothing() -> np.ndarray:
    return np.full((0, 0), np.nan)


@dataclass(frozen=True, eq=False)
class Patch:
    """What each head carries of the difference between two versions.

    ``carried`` is float64 [layer, head], a part of 1, NaN where the layer cannot act: the mean of both directions,
    ``into_text`` (the head's output from the contrast) and ``into_contrast``. Parts may be negative, pass 1, and need
    not add up. ``control`` is float64 [layer, draw]: what three other heads of the layer carry together, 15 draws from
    all that are not `named`; NaN where fewer than three are left. ``direct`` marks the heads of the block that is
    read. ``margins`` are the link margins of text and contrast, ``changed`` the words in which they differ.
    """

    text: str
    contrast: str
    at: int
    margins: tuple[float, float]
    carried: np.ndarray
    control: np.ndarray
    direct: np.ndarray
    changed: tuple[int, ...] = ()
    into_text: np.ndarray = field(default_factory=_nothing)
    into_contrast: np.ndarray = field(default_factory=_nothing)

    __repr__ = brief

    @property
    def separation(self) -> float:
        """Link margin of the text minus that of the contrast."""
        return self.margins[0] - self.margins[1]

    @property
    def typical(self) -> float:
        """Median size of what the acting heads carry, direct ones left out."""
        acting = np.abs(self.carried[np.isfinite(self.carried) & ~self.direct])
        return float(np.median(acting)) if acting.size else float("nan")

    @property
    def too_close(self) -> bool:
        """Whether the difference is too small to share out: a typical head already moves the margin by a twentieth."""
        return not self.typical < TYPICAL_BELOW

    @property
    def named(self) -> tuple[HeadId, ...]:
        """The heads that carry at least a tenth, direct ones left out, the largest first; none where `too_close`."""
        if self.too_close:
            return ()
        acting = np.where(self.direct, np.nan, self.carried)
        found = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(np.nan_to_num(acting) >= NAMED_FROM)]
        return tuple(sorted(found, key=lambda head: -self.carried[head]))

    @property
    def both_ways(self) -> np.ndarray:
        """Where both directions agree, in sign and within a factor of two, as bool [layer, head]."""
        return agree(self.into_text, self.into_contrast)

    @property
    def largest_move(self) -> float:
        """The most that one head moves the margin, direct ones left out, in units of the score; NaN if none can."""
        sizes = np.abs(np.where(self.direct, np.nan, self.carried) * self.separation)
        return float(np.nanmax(sizes)) if np.isfinite(sizes).any() else float("nan")

    def named_beyond(self, floor: Floor) -> tuple[HeadId, ...]:
        """Return which heads may be told, the largest part first: none below the floor.

        A told head is not direct, carries a tenth, moves the score further than the largest head does in nine of ten
        swaps, and its two directions agree.
        """
        if not floor.passes(self.separation):
            return ()
        return tuple(head for head in self.large(floor) if self.both_ways[head])

    def large(self, floor: Floor) -> tuple[HeadId, ...]:
        """Return the heads that carry a tenth and pass the floor of one head, whether their directions agree or not."""
        acting = np.where(self.direct, np.nan, self.carried)
        beyond = np.nan_to_num(acting) >= max(NAMED_FROM, floor.head_bar / max(abs(self.separation), SMALLEST))
        found = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(beyond)]
        return tuple(sorted(found, key=lambda head: -self.carried[head]))


def patch(
    text: str,
    contrast: str,
    readings: Readings,
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
    progress: Progress | None = None,
    controls: bool = True,
    floor: Floor | None = None,
) -> Patch:
    """Return what each head carries of the difference between a text and its contrast sentence.

    The readings' word numbers are the same in both. ``at`` as in `mha.intervention.sweep.preference`;
    ``progress(done, all)`` may raise to cancel. With a ``floor`` the controls are drawn from all heads that are not
    told beyond it.

    Raises:
        InputError: the contrast is the text, has another number of tokens, or lacks a word of the readings.
        AttentionUnavailable: the model's heads cannot be reached.
    """
    versions = Versions.of(subject(model), text, contrast, readings, at)
    whole = 2 * versions.at * (versions.experiment.n_heads + (DRAWS if controls else 0))
    return finished(_patching(versions, controls, floor), progress, whole)


def patching(
    text: str, contrast: str, readings: Readings, model: str | LoadedModel = DEFAULT, floor: Floor | None = None
) -> Steps[Patch]:
    """Find what `patch` returns, some heads in each step."""
    found = yield from _patching(Versions.of(subject(model), text, contrast, readings, None), True, floor)
    return found


def _patching(versions: Versions, controls: bool, floor: Floor | None) -> Steps[Patch]:
    heads = tuple(head for head in versions.experiment.heads if head.layer < versions.at)
    margins, ways = yield from versions.ways([(head,) for head in heads])
    shape = versions.experiment.n_layers, versions.experiment.n_heads
    into = np.full((2, *shape), np.nan)
    into[:, : versions.at] = ways.reshape(2, versions.at, -1)
    direct = np.zeros(shape, dtype=bool)
    direct[versions.at - 1] = True
    found = Patch(
        text=versions.first.text,
        contrast=versions.second.text,
        at=versions.at,
        margins=margins,
        carried=into.mean(axis=0),
        control=np.full((shape[0], DRAWS), np.nan),
        direct=direct,
        changed=differing(versions.first.text, versions.second.text),
        into_text=into[0],
        into_contrast=into[1],
    )
    told = found.named if floor is None else found.named_beyond(floor)
    drawn = others(versions.at, shape[1], told) if controls else {}
    sets = [[HeadId(layer, head) for head in draw] for layer, draws in drawn.items() for draw in draws]
    if sets:
        _, shares = yield from versions.ways(sets)
        found.control[list(drawn)] = shares.mean(axis=0).reshape(len(drawn), DRAWS)
    return found


def others(n_layers: int, n_heads: int, named: Sequence[HeadId], seed: int = SEED) -> dict[int, np.ndarray]:
    """Return by layer draws of three heads that are not named, as int [draw, 3]; layers with too few are left out."""
    generator = np.random.default_rng(seed)
    rest = {layer: [head for head in range(n_heads) if (layer, head) not in named] for layer in range(n_layers)}
    return {
        layer: np.array([generator.choice(some, TOGETHER, replace=False) for _ in range(DRAWS)])
        for layer, some in rest.items()
        if len(some) >= TOGETHER
    }


def differing(text: str, contrast: str) -> tuple[int, ...]:
    """Return the numbers of the words in which two texts differ or that only one has; case is no difference."""
    both = zip_longest(*(words(accept(one).text) for one in (text, contrast)), fillvalue="")
    return tuple(number for number, (a, b) in enumerate(both) if a.casefold() != b.casefold())


@dataclass(frozen=True, eq=False)
class Versions:
    """Two versions of a sentence that patching can exchange parts of."""

    experiment: Subject
    first: PlacedText
    second: PlacedText
    at: int

    @classmethod
    def of(cls, experiment: Subject, text: str, contrast: str, readings: Readings, at: int | None) -> Versions:
        """Return both versions, checked; errors as `patch`."""
        first = placed(experiment, text, readings)
        check_contrast(experiment, first, accept(contrast).text)
        second = placed(experiment, contrast, first.readings)
        return cls(experiment, first, second, experiment.block_output(at))

    def ways(self, sets: Sequence[Sequence[HeadId]]) -> Steps[tuple[tuple[float, float], np.ndarray]]:
        """Find both untouched margins, and the part carried into the text and into the contrast, [direction, set]."""
        (first, second), moves = yield from self.moves(sets)
        separation = first - second
        return (first, second), moves / separation if abs(separation) >= SMALLEST else np.full(moves.shape, np.nan)

    def moves(self, sets: Sequence[Sequence[HeadId]]) -> Steps[tuple[tuple[float, float], np.ndarray]]:
        """Find both untouched margins, and how far each set moves one towards the other, float64 [direction, set].

        Direction 0 is into the text, with outputs from the contrast; 1 the other way.
        """
        one, other = self.outputs(self.first), self.outputs(self.second)
        yield 0
        first, moved = yield from self._moved(self.first, other, sets)
        second, back = yield from self._moved(self.second, one, sets)
        return (first, second), np.stack([first - moved, back - second])

    def outputs(self, place: PlacedText) -> Tensor:
        """Return every head's output before W_O, [layer, head, token, d_head]."""
        return outputs_of(self.experiment, place.encoded)

    def _moved(
        self, place: PlacedText, instead: Tensor, sets: Sequence[Sequence[HeadId]]
    ) -> Steps[tuple[float, np.ndarray]]:
        """Find the margin of one version, and with each set of heads taken from the other, float64 [set]."""
        (one,) = LinkMargin().passes(self.experiment, place, self.at)
        variants = [tuple(replaced(head, instead[head.layer, head.head]) for head in heads) for heads in sets]
        parts = variants_in_parts(self.experiment, one.inputs, variants, one.read, stop=one.stop)
        untouched, values = yield from gathering(parts, len(variants))
        return untouched, values.numpy()


def check_contrast(experiment: Subject, place: PlacedText, contrast: str) -> None:
    """Raise InputError unless a contrast sentence can be patched with the text."""
    if contrast == place.text:
        raise InputError("The contrast sentence is the text itself. Change one word of it, so that the readings part.")
    here, there = place.encoded, experiment.encoded(contrast)
    if len(here.tokens) == len(there.tokens):
        return
    said, other = words(place.text), words(contrast)
    unequal = [
        f"{a} is {_count(len(tokens_of(here, n)))} for this model, {b} {_count(len(tokens_of(there, n)), short=True)}"
        for n, (a, b) in enumerate(zip(said, other, strict=False))
        if len(said) == len(other) and len(tokens_of(here, n)) != len(tokens_of(there, n))
    ]
    why = f"{'; '.join(unequal)}." if unequal else f"The text has {len(here.tokens)}, the contrast {len(there.tokens)}."
    raise InputError(f"Patching needs versions of equal length in tokens. {why} Choose another word; the rest works.")


def _count(tokens: int, short: bool = False) -> str:
    number = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}.get(tokens, str(tokens))
    return number if short else f"{number} token{'' if tokens == 1 else 's'}"
