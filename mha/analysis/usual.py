"""Usual attention of a head from word to word, over the bundled corpus.

A connection counts only beyond the head's usual share: a head that always attends to the previous word is usual in
every text. `studies.bundled` measures usual shares; all weights here are shares of all attention, sinks kept, nothing
rescaled.
"""

import numpy as np

from mha import assets
from mha.analysis.sinks import EMPTY_BELOW, side_by_side, sink_columns
from mha.analysis.statistics import mean_of
from mha.errors import InputError, ShapeError
from mha.maps import AttentionMaps, parts, sink_places
from mha.memo import array_dataclass, memoise

FARTHEST = 9  # words nine and more apart count together, on either side
N_DISTANCES = 2 * FARTHEST + 1
DISTANT = 2  # words between which a connection is not one of neighbours
FEWEST_WORDS = 6  # of a corpus text whose shares count: on shorter ones neighbours are nearly all there is
MASKED = ("previous_word", "next_word", "same_word", "elsewhere", "one_word")  # shares that a causal mask raises
EVEN = {name: f"even_{name}" for name in MASKED}
SHARES = (
    "sinks", "previous_word", "next_word", "same_word", "elsewhere", "copies_from_others", "full_stop",
    "one_word", "evenness", *EVEN.values(),
)  # fmt: skip
FEWEST_COPIES = 2  # rows of words that occur again: one row is not a pattern


@array_dataclass
class WordLooks:
    """The connections between words in one text.

    ``weights`` is float32 [layer, head, word, word] before any rescaling, ``places`` the words' positions on the axis
    of the merged maps, ``distance`` int [word, word] the number of words from query to key, ``counts`` bool [word,
    word] the possible connections: not masked and not to a sink, ``repeats`` those to another occurrence of the word.
    """

    weights: np.ndarray
    places: np.ndarray
    distance: np.ndarray
    counts: np.ndarray
    repeats: np.ndarray


@array_dataclass
class Habit:
    """The usual attention of each head of a model.

    ``weights`` is float32 [layer, head, distance]: the mean weight from a word to the word −9, −8 … 8, 9 words on (at
    the ends: so far or further). ``shares`` has the mean over texts of each of `looking`, float32 [layer, head].
    """

    weights: np.ndarray
    shares: dict[str, np.ndarray]
    model: str = ""
    revision: str = ""
    largest: np.ndarray | None = None

    def at(self, distance: int) -> np.ndarray:
        """Return each head's mean weight at a distance between words, float32 [layer, head]."""
        return self.weights[..., column(distance)]


def column(distance: int | np.ndarray) -> np.ndarray:
    """Return the index of a distance on the last axis of a usual share."""
    return np.clip(distance, -FARTHEST, FARTHEST) + FARTHEST


def word_looks(maps: AttentionMaps, sinks: np.ndarray | None = None) -> WordLooks:
    """Return the looks from words to words; tokens are merged first. ``sinks`` are those of the merged axis, if known.

    Raises:
        InputError: the maps look from one text into another.
    """
    if maps.kind != "self":
        raise InputError("A usual share depends on the distance between words of one text; these maps join two.")
    maps.check_every_row()
    word_maps = maps.merged()
    places = np.array([place for place, token in enumerate(word_maps.tokens) if token.word is not None], dtype=int)
    index = side_by_side(places)
    weights = word_maps.weights[:, :, index][..., index]
    number = np.arange(len(places))
    distance = number - number[:, None]
    sinks = sink_columns(word_maps) if sinks is None else sinks
    counts = word_maps.visible[np.ix_(places, places)] & ~sinks[places]
    word_texts = np.array([word_maps.tokens[place].text.casefold() for place in places])
    repeats = (word_texts[:, None] == word_texts) & (distance != 0) & counts
    return WordLooks(weights, places, distance, counts, repeats)


def distant_pairs(looks: WordLooks, min_distance: int = DISTANT) -> np.ndarray:
    """Return the pairs of different words at least ``min_distance`` words apart, bool [query word, key word].

    Keys that the query cannot see and sinks are excluded.
    """
    return looks.counts & (np.abs(looks.distance) >= min_distance) & ~looks.repeats


def looking(maps: AttentionMaps) -> dict[str, np.ndarray]:
    """Return the shares of a head's attention by kind of key in one text, each float64 [layer, head] in [0, 1].

    All are means over word rows that see at least two words besides sinks: with fewer, the mask decides. ``sinks``
    is the share of all attention on special tokens (in a causal model on its first position, also if that is a mark,
    and on measured sinks); ``full_stop`` the share of the rest on final punctuation. Shares of the attention between
    words alone: ``previous_word``, ``next_word`` and ``same_word`` over the rows that can attend to that word (so
    ``next_word`` is NaN under a causal mask), ``elsewhere`` on other occurrences of the same word (two or more rows
    that have any), ``copies_from_others`` the share at these occurrences from all other words, ``one_word`` on the word
    looked at most, ``evenness`` the entropy over its largest possible value. ``even_…`` is the share of an even head
    under a causal mask, 0 without one. NaN if no row answers; rows with less than 1 % between words take part only in
    ``sinks``. Sources: Clark et al. 2019, sections 3 and 4; Voita et al. 2019.
    """
    axes, sinks = maps.merged_axes(), sink_columns(maps, merge=True)
    words = word_looks(axes, sinks)  # of no layer: a whole map is merged, and looked at, part by part
    if len(words.places) == 0:
        return dict.fromkeys((*SHARES, "even_sinks"), np.full((maps.n_layers, maps.n_heads), np.nan))
    shares_by_name = {name: np.empty((maps.n_layers, maps.n_heads)) for name in SHARES if name not in EVEN.values()}
    for part in parts(maps.weights):
        for name, shares in _looking(words, axes, sinks, maps.merged_weights(part)).items():
            shares_by_name[name][part] = shares
    visible = axes.visible[None, None]
    even = _looking(words, axes, sinks, (visible / visible.sum(axis=-1, keepdims=True)).astype(np.float32))
    evens = {f"even_{name}": axes.causal and even[name].item() for name in (*MASKED, "sinks")}
    return shares_by_name | {name: np.full_like(shares_by_name["sinks"], share) for name, share in evens.items()}


def _looking(words: WordLooks, axes: AttentionMaps, columns: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Return `looking` of some layers and heads; ``columns`` are the sinks, bool [key]."""
    marks = sink_places(axes.tokens) & [token.punctuation for token in axes.tokens]  # at the end, not at the start
    rows = weights[:, :, words.places]  # [layer, head, word, key]
    on_sinks = rows[..., columns & ~marks].sum(axis=-1, dtype=np.float64)  # [layer, head, word]
    on_stop = rows[..., columns & marks].sum(axis=-1, dtype=np.float64)
    index = side_by_side(words.places)
    looks = weights[:, :, index][..., index] * words.counts  # [layer, head, word, word], first of all attention
    total = looks.sum(axis=-1, dtype=np.float64)
    n_keys = words.counts.sum(axis=-1)  # [word]
    counted_rows = (total >= EMPTY_BELOW) & (n_keys > 1)
    looks *= np.divide(1, total, out=np.zeros_like(total), where=counted_rows)[..., None].astype(np.float32)
    entropy = -np.einsum("lhqk,lhqk->lhq", looks, np.log(np.maximum(looks, np.finfo(np.float32).tiny)))
    even = np.divide(entropy, np.log(np.maximum(n_keys, 1)), out=np.zeros_like(total), where=n_keys > 1)
    is_other_word = words.distance != 0
    has_copies = np.count_nonzero(words.repeats.any(axis=-1)) >= FEWEST_COPIES
    copied = words.repeats & has_copies
    is_from_others = copied.any(axis=0) & words.counts & is_other_word & ~words.repeats
    sees_stop = axes.visible[words.places][:, columns & marks].any(axis=-1)  # [word]
    largest_mean = looks.sum(axis=-2).max(axis=-1) / np.maximum(counted_rows.sum(axis=-1), 1)
    return {
        "sinks": mean_of(on_sinks, words.counts.any(axis=-1)),
        "previous_word": _mean_on(looks, counted_rows, words.counts & (words.distance == -1)),
        "next_word": _mean_on(looks, counted_rows, words.counts & (words.distance == 1)),
        "same_word": _mean_on(looks, counted_rows, words.counts & (words.distance == 0)),
        "elsewhere": _mean_on(looks, counted_rows, copied),
        "copies_from_others": _mean_on(looks, counted_rows, is_from_others),
        "full_stop": mean_of(
            np.divide(on_stop, on_stop + total, out=np.zeros_like(total), where=counted_rows), counted_rows & sees_stop
        ),
        "one_word": np.where(counted_rows.any(axis=-1), largest_mean, np.nan),
        "evenness": mean_of(even, counted_rows),
    }


def habit(model: str) -> Habit | None:
    """Return the habit that comes with the program for a model, by its name in the catalog, or None."""
    return assets.optional(assets.model_file("habit", model), _read)


def _read(content: bytes) -> Habit:
    stored = assets.arrays(content)
    weights, shares, largest = stored["weights"], {name: stored[name] for name in SHARES}, stored.get("largest")
    arrays = [*shares.values(), *([] if largest is None else [largest])]
    if weights.shape[2:] != (N_DISTANCES,) or any(share.shape != weights.shape[:2] for share in arrays):
        raise ShapeError("Usual shares need a weight for each distance, and a share for each head.")
    return Habit(weights, shares, str(stored["model"]), str(stored["revision"]), largest)


@memoise
def bundled(maps: AttentionMaps) -> Habit | None:
    """Return the habit that comes with the program for the very weights that these maps are of, or None.

    A scrambled copy has the revision of its model and other weights, so its usual attention is unknown here; so is that
    of some of a model's heads.
    """
    if maps.origin != "pretrained" or not maps.revision:
        return None
    habits = (assets.optional(file, _read) for file in sorted(assets.ASSETS.glob("habit_*.npz")))
    shape = (maps.n_layers, maps.n_heads)
    return next(
        (
            candidate
            for candidate in habits
            if candidate and (candidate.revision, candidate.weights.shape[:2]) == (maps.revision, shape)
        ),
        None,
    )


def _mass_on(looks: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return each row's mass on a mask [word, word], float64 [layer, head, word]."""
    return np.einsum("lhqk,qk->lhq", looks, mask.astype(np.float32)).astype(np.float64)


def _mean_on(looks: np.ndarray, rows: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the mean mass on a mask [word, word] over the ``rows`` that have a key in it, [layer, head]."""
    return mean_of(_mass_on(looks, mask), rows & mask.any(axis=-1))
