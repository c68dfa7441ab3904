"""A model over texts: bundled numbers of the sample sentences, and the same numbers of one text.

Every number of `mha.analysis.whole`, and the similarity of heads, which is compared with that in the model's scrambled
copy. ``python -m studies.bundled`` writes the files of the sample sentences.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mha import assets
from mha.analysis.alike import Alike, Different, between_heads
from mha.analysis.roles import FEWEST_WORDS as FEWEST_HERE
from mha.analysis.usual import habit
from mha.analysis.whole import Extreme, one_text
from mha.assets import ASSETS
from mha.brief import with_arrays
from mha.engine.answers import FEW, in_steps
from mha.engine.recordings import Request, record
from mha.engine.text_maps import MOST_WORDS, watching
from mha.errors import InputError
from mha.intervention.outcomes import Threes
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.stepwise import Steps

TWIN_SEED = 1


@with_arrays
class Atlas:
    """Numbers of every head of a model over some texts.

    ``mean`` is float64 [layer, head] by key of `mha.analysis.whole.SHADES`; ``low`` and ``high`` its interval, empty
    below 30 texts. ``habit`` is the mean weight by distance, [layer, head, distance]. ``shares`` are those that
    patterns are read off, as `mha.analysis.usual.looking` has them, over texts of six words or more; empty if there
    are none. ``looks`` has a tuple for each head, in the order of heads; empty for one text.
    """

    model: str
    revision: str
    n_texts: int
    n_left_out: int
    mean: dict[str, np.ndarray]
    low: dict[str, np.ndarray]
    high: dict[str, np.ndarray]
    habit: np.ndarray
    shares: dict[str, np.ndarray]
    alike: Alike
    looks: tuple[tuple[Extreme, ...], ...] = ()

    @property
    def n_answered(self) -> int:
        """The number of texts that the numbers are over."""
        return self.n_texts - self.n_left_out


def alone(maps: AttentionMaps, twin: AttentionMaps | None = None) -> Steps[Atlas]:
    """Find the numbers of one text, and how alike heads look in it, beside its maps in the model's twin."""
    one = one_text(maps)
    yield 1
    here = (yield from between_heads(maps))[0]
    aside = (yield from between_heads(maps, aside=True))[0]
    beside = None if twin is None else (yield from between_heads(twin))[0]
    return Atlas(
        maps.model, maps.revision, 1, 0, one.values, {}, {}, one.far / np.maximum(one.pairs, 1),
        one.shares if one.n_words >= FEWEST_HERE else {},
        Alike.of(1, maps.n_heads, here, aside, beside),
    )  # fmt: skip


@with_arrays
class Silenced:
    """How far silencing each head turns a text, 1 − cosine, mean over ``n_texts``, float64 [layer, head].

    ``goes_with_looking`` is `looking_and_doing`, NaN where it is not known.
    """

    n_texts: int
    moved: np.ndarray
    goes_with_looking: float


@in_steps(lambda _: FEW)
def atlas_of_text(text: str, model: str) -> Steps[Atlas]:
    """Find `alone` of a text, beside its looks in the model's scrambled twin, if it has one.

    Raises:
        InputError: the text has more than 128 words and marks, or none that can be looked at.
    """
    maps = record(Request(text, model)).maps.merged()
    if maps.n_queries > MOST_WORDS:
        raise InputError(f"Heads are compared over texts of up to {MOST_WORDS} words; this one has {maps.n_queries}.")
    twin = None
    if model_row(model).kind == "transformer":
        ((_, twin),) = chain.from_iterable(watching(model, TWIN_SEED)([text]))
    yield 1
    return (yield from alone(maps, twin))


def file_of(model: str) -> Path:
    """Return where a model's atlas is kept, by its name in the catalog."""
    return ASSETS / f"atlas_{model.replace('/', '--')}.npz"


def bundled_atlas(model: str) -> Atlas | None:
    """Return the atlas that comes with the program for exactly these weights, or None."""
    known = of_program(model)
    return known.atlas if known else None


def silenced_of(model: str) -> Silenced | None:
    """Return how far ablating each head turns the sample sentences, if that comes with the program; else None."""
    known = of_program(model)
    return known.silenced if known else None


def threes_of(model: str) -> Threes | None:
    """Return what three heads of a layer carry together, where that comes with the program; else None."""
    known = of_program(model)
    return known.threes if known else None


class Bundled(NamedTuple):
    """What comes with the program for one model."""

    atlas: Atlas
    silenced: Silenced | None
    threes: Threes | None


def of_program(model: str) -> Bundled | None:
    row, known = model_row(model), assets.optional(file_of(model), lambda content: read(assets.arrays(content)))
    usual = habit(model)  # patterns are read off what Heads reads them off
    if known is None or not row.revision or known.atlas.revision != row.revision:
        return None
    return known if usual is None else known._replace(atlas=replace(known.atlas, shares=usual.shares))


def read(stored: dict[str, np.ndarray]) -> Bundled:
    numbers, keys = stored["numbers"].astype(np.float64), [str(key) for key in stored["keys"]]
    mean, low, high = ({key: part[place] for place, key in enumerate(keys)} for part in numbers)
    n_layers, n_heads = numbers.shape[2:]
    divergence = np.zeros((n_layers * n_heads,) * 2)
    divergence[np.triu_indices(len(divergence), 1)] = stored["divergence"]
    own, left, beside = (Different(float(row[0]), tuple(float(one) for one in row[1:])) for row in stored["different"])
    n_texts, n_left_out, n_compared = (int(one) for one in stored["counts"])
    looks: list[list[Extreme]] = [[] for _ in range(len(divergence))]
    for head, text, query, key, weight, usual in stored["looks"]:
        looks[int(head)].append(Extreme(int(text), int(query), int(key), float(weight), float(usual)))
    atlas = Atlas(
        str(stored["model"]), str(stored["revision"]), n_texts, n_left_out, mean, low, high,
        stored["habit"].astype(np.float64), {},
        Alike(n_compared, divergence + divergence.T, own, left, beside),
        tuple(tuple(some) for some in looks),
    )  # fmt: skip
    silenced = threes = None
    if "silenced" in stored:
        n_silenced, goes = stored["silencing"]
        silenced = Silenced(int(n_silenced), stored["silenced"].astype(np.float64), float(goes))
    if "threes" in stored:
        threes = Threes(stored["threes"].astype(int), stored["threes_share"].astype(np.float64))
    return Bundled(atlas, silenced, threes)
