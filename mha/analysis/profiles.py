"""Every head of a model, over the sample sentences or in one text: its measures, its examples, its effect."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mha import assets
from mha.analysis.roles import PATTERNS, Shade
from mha.analysis.sinks import EMPTY_BELOW, on_tokens, sink_columns
from mha.errors import InputError, ShapeError
from mha.maps import AttentionMaps, HeadId
from mha.memo import array_dataclass
from mha.pairs import corpus

SHADES: tuple[Shade, ...] = (
    *PATTERNS,
    Shade("broad", "Broad", "share", "entropy of a row, as a share of the largest possible", "Clark et al. 2019",
          False),
    Shade("sink_share", "Set aside", "share",
          "share of attention to attention sinks: special tokens, final punctuation, in causal models the first token",
          "Clark et al. 2019; Kovaleva et al. 2019", False),
    Shade("largest_weight", "Largest weight", "share", "largest share of a row, attention sinks excluded",
          "Voita et al. 2019"),
    Shade("entropy", "Entropy", "bits", "entropy of a row, in bits", "Clark et al. 2019", False),
    Shade("mean_distance", "Mean distance", "places",
          "how far a row looks on average, in places; punctuation and special tokens are places, too",
          "Vig & Belinkov 2019", False),
)  # fmt: skip
KEYS = tuple(row.key for row in SHADES)


@array_dataclass
class OneText:
    """The numbers of every head in one text: by key float64 [layer, head], NaN if there is no value; ``n_words``."""

    values: dict[str, np.ndarray]
    n_words: int


def one_text(maps: AttentionMaps) -> OneText:
    """Return every number of `SHADES`, and the looks by distance, of one text; tokens are merged first.

    Raises:
        InputError: the text has no words, or the maps have two texts.
    """
    word_maps, words = words_of(maps)
    weights = word_maps.weights[:, :, words]  # [layer, head, word, key]
    rows = np.nan_to_num(on_tokens(weights))
    visible = word_maps.visible[words]  # [word, key]
    special = np.array([token.special for token in word_maps.tokens])
    masks = {row.key: row.mask(word_maps)[words] & visible for row in SHADES if row.mask is not None}
    sinks = sink_columns(word_maps)
    words_as_sinks = sinks & np.array([token.word is not None for token in word_maps.tokens])
    for key in ("previous_word", "next_word", "same_word", "elsewhere", "induction"):
        masks[key] = masks[key] & ~words_as_sinks  # attention to a sink is not a pattern of words
    for key in ("previous_word", "next_word"):
        masks[key] = masks[key] & ~special  # [CLS] is not a word before the first
    place = np.arange(word_maps.n_keys)
    linear = np.stack(
        [
            *(_mean_over(mask) for mask in masks.values()),
            np.abs(words[:, None] - place) / len(words),
        ]
    )  # [number, word, key]
    flat = rows.reshape(rows.shape[0] * rows.shape[1], -1)  # [head of all, word · key]
    sums = (flat @ linear.reshape(len(linear), -1).T.astype(np.float32)).astype(np.float64)
    sums = sums.reshape(*rows.shape[:2], -1)  # [layer, head, number]
    values = {
        key: np.clip(sums[..., number], 0, 1) if mask.any() else np.full(rows.shape[:2], np.nan)
        for number, (key, mask) in enumerate(masks.items())
    }
    logs = np.log2(np.maximum(rows, np.finfo(np.float32).tiny))
    entropy = np.maximum(-np.einsum("lhqk,lhqk->lhq", rows, logs), 0).astype(np.float64)
    largest_entropy = np.log2(np.maximum(visible.sum(axis=-1), 1))  # [word]
    wide = largest_entropy > 0
    kept_weights = rows[..., ~sinks]
    total = kept_weights.sum(axis=-1)
    counted_rows = (total >= EMPTY_BELOW) & ~sinks[words]
    largest = np.divide(kept_weights.max(axis=-1, initial=0), total, out=np.zeros_like(total), where=counted_rows)
    n_kept = counted_rows.sum(axis=-1)
    sink_shares = 1 - weights[..., ~sinks].sum(axis=-1, dtype=np.float64).mean(axis=-1)
    has_sinks = sinks.any() or word_maps.absent_mass.max() > EMPTY_BELOW  # or sink logits (GPT-OSS); else 0 by rounding
    values |= {
        "broad": np.minimum((entropy[..., wide] / largest_entropy[wide]).mean(axis=-1), 1)
        if wide.any()
        else np.full(rows.shape[:2], np.nan),
        "sink_share": np.clip(sink_shares, 0, 1) if has_sinks else np.full(rows.shape[:2], np.nan),
        "largest_weight": np.where(n_kept > 0, largest.sum(axis=-1) / np.maximum(n_kept, 1), np.nan),
        "entropy": entropy.mean(axis=-1),
        "mean_distance": sums[..., len(masks)],
    }
    return OneText({key: values[key] for key in KEYS}, len(words))


def words_of(maps: AttentionMaps) -> tuple[AttentionMaps, np.ndarray]:
    """Return merged maps and the places of their words."""
    if maps.kind != "self":
        raise InputError("A model is measured where words and keys are of one text; these maps join two.")
    maps.check_every_row()
    word_maps = maps.merged()
    words = np.array([place for place, token in enumerate(word_maps.tokens) if token.word is not None], dtype=int)
    if not len(words):
        raise InputError("There is no word in this text.")
    return word_maps, words


def _mean_over(mask: np.ndarray) -> np.ndarray:
    """Return the coefficients of the mean mass on a mask over the rows where it can occur."""
    rows = mask.any(axis=-1)
    return mask / max(int(rows.sum()), 1)


N_SENTENCES = 10  # strongest sentences of a head
N_SIMILAR = 5
N_MATCHED = 10  # heads of similar size
LAYERS_APART = 3  # between a head and those of similar size
TIMES_EVEN = 2  # a strong connection has more than this many times an even share of its row
CONTRIBUTIONS = ("previous_word", "next_word", "same_word", "first_token", "elsewhere", "induction", "sinks")


@dataclass(frozen=True)
class Connection:
    """One connection in a sample sentence: the number of the sentence, its query and key word, and the share."""

    sentence: int
    query: int
    key: int
    share: float


class SimilarHead(NamedTuple):
    """A head and the cosine of its connections with those of another head."""

    head: HeadId
    cosine: float


@array_dataclass
class Profiles:
    """Numbers of every head of one model, float64 [layer, head] each, over some sentences.

    ``measures`` are means over ``n_sentences`` by key of `mha.analysis.profiles.SHADES`, without those that no sentence
    can have. Over the sample sentences there are three more: ``contribution``, the share of a head's contribution that
    comes from words other than sinks; ``deviation``, the mean length of its output minus its mean, after W_O;
    ``effect``, the effect of ablation over ``n_ablated`` sentences and ``n_places`` predicted tokens (0 for a sentence
    encoder, whose effect is 1 − cosine of the text's vector). ``contributions`` are mean shares by `CONTRIBUTIONS`.
    ``connections`` and ``similar`` have an entry for each head of all. ``median_cosine`` is over all pairs of heads;
    ``different`` has the effective number of heads of the model, the same without sinks, and that of its scrambled
    copy, or is empty.
    """

    texts: tuple[str, ...]
    n_words: int
    measures: dict[str, np.ndarray]
    contributions: dict[str, np.ndarray]
    connections: tuple[tuple[Connection, ...], ...]
    similar: tuple[tuple[SimilarHead, ...], ...]
    median_cosine: float
    n_ablated: int = 0
    n_places: int = 0
    different: tuple[float, ...] = ()
    revision: str = ""

    @property
    def n_sentences(self) -> int:
        """The number of sentences."""
        return len(self.texts)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of layers, and of heads in a layer."""
        n_layers, n_heads = next(iter(self.measures.values())).shape
        return n_layers, n_heads

    @property
    def is_bundled(self) -> bool:
        """Whether the numbers are over the sample sentences."""
        return "effect" in self.measures

    def index(self, head: HeadId) -> int:
        """Return the number of a head among all."""
        return head.layer * self.shape[1] + head.head

    def sentence_of(self, head: HeadId) -> str:
        """Return the sentence with the strongest connection of a head, else the first of all."""
        connections = self.connections[self.index(head)]
        return self.texts[connections[0].sentence if connections else 0]


def size_matched(deviation: np.ndarray, head: HeadId, count: int = N_MATCHED) -> tuple[HeadId, ...]:
    """Return the heads nearest to a head in length of deviation, at most three layers away, nearest first.

    >>> size_matched(np.array([[1.0, 2.0], [5.0, 1.5]]), HeadId(0, 0), count=2)
    (HeadId(layer=1, head=1), HeadId(layer=0, head=1))
    """
    low, high = max(0, head.layer - LAYERS_APART), head.layer + LAYERS_APART + 1
    distance = np.abs(deviation[low:high] - deviation[head])
    order = np.argsort(distance, axis=None, kind="stable")
    heads = (HeadId(low + int(place) // deviation.shape[1], int(place) % deviation.shape[1]) for place in order)
    return tuple([candidate for candidate in heads if candidate != head][:count])


def word_weights(maps: AttentionMaps) -> np.ndarray:
    """Return the weights from word to word without sinks, float32 [layer, head, word, word]; sinks have 0."""
    word_maps, words = words_of(maps)
    weights = word_maps.weights[:, :, words[:, None], words].copy()
    weights[..., sink_columns(word_maps)[words]] = 0
    return weights


def telling_connections(maps: AttentionMaps) -> np.ndarray:
    """Return each head's largest connection from word to word, sinks excluded, float64 [head of all, 3].

    A row has the word numbers of query and key, and the share; NaN if no share exceeds twice an even share of its row.
    """
    word_maps, words = words_of(maps)
    weights = word_weights(maps).astype(np.float64)
    n_visible = word_maps.visible[words].sum(axis=-1)  # [word]
    is_telling = weights > TIMES_EVEN / n_visible[:, None]
    flat = np.where(is_telling, weights, 0).reshape(weights.shape[0] * weights.shape[1], -1)
    query, key = np.unravel_index(flat.argmax(axis=-1), weights.shape[-2:])
    numbers = np.array([word_maps.tokens[place].word for place in words], dtype=np.float64)
    share = flat.max(axis=-1, initial=0)
    connections = np.stack([numbers[query], numbers[key], share], axis=-1)
    connections[share == 0] = np.nan
    return connections


def profiles_of_text(maps: AttentionMaps) -> Profiles:
    """Return the profiles of every head in one text: no contributions, and no effect of ablation."""
    text, weights = one_text(maps), word_weights(maps)
    flat = weights.reshape(-1, *weights.shape[2:])  # [head of all, word, word]
    cosine = cosines(flat.reshape(len(flat), -1).astype(np.float64))
    similar = [most_similar(cosine, head) for head in range(len(cosine))]
    telling = telling_connections(maps)
    return Profiles(
        (maps.text,),
        text.n_words,
        {key: values for key, values in text.values.items() if np.isfinite(values).any()},
        {},
        tuple(
            () if np.isnan(share) else (Connection(0, int(query), int(key), float(share)),)
            for query, key, share in telling
        ),
        tuple(
            tuple(
                SimilarHead(HeadId(*divmod(neighbour, maps.n_heads)), float(cosine[head, neighbour]))
                for neighbour in neighbours
            )
            for head, neighbours in enumerate(similar)
        ),
        median_of_pairs(cosine),
    )


def cosines(vectors: np.ndarray) -> np.ndarray:
    """Return the cosine of every two rows, float64 [row, row]; 0 with a row of zeros.

    >>> cosines(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])).round(2).tolist()
    [[1.0, 0.71, 0.0], [0.71, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return unit @ unit.T


def most_similar(cosine: np.ndarray, head: int) -> list[int]:
    """Return the heads with the largest cosine with one, the most similar first."""
    return [int(neighbour) for neighbour in np.argsort(-cosine[head], kind="stable") if neighbour != head][:N_SIMILAR]


def median_of_pairs(cosine: np.ndarray) -> float:
    """Return the median cosine over all pairs of different heads, or NaN with one head."""
    pairs = cosine[np.triu_indices(len(cosine), 1)]
    return float(np.median(pairs)) if len(pairs) else float("nan")


def bundled_profiles(model: str, revision: str) -> Profiles | None:
    """Return the bundled profiles of a model for this revision of its weights, or None."""
    bundled = assets.optional(assets.model_file("profiles", model), read)
    return bundled if bundled is not None and revision and bundled.revision == revision else None


def read(content: bytes) -> Profiles:
    """Return the profiles of a file that `studies.profiles` wrote."""
    stored = assets.arrays(content)
    n_layers, n_heads = stored["effect"].shape
    connections: list[list[Connection]] = [[] for _ in range(n_layers * n_heads)]
    for (head, sentence, query, key), share in zip(stored["connections"].tolist(), stored["shares"], strict=True):
        connections[head].append(Connection(sentence, query, key, float(share)))
    similar = tuple(
        tuple(
            SimilarHead(HeadId(*divmod(neighbour, n_heads)), float(cosine))
            for neighbour, cosine in zip(*pair, strict=True)
        )
        for pair in zip(stored["similar"].tolist(), stored["cosines"], strict=True)
    )
    measures = dict(zip(map(str, stored["measure_keys"]), stored["measures"].astype(np.float64), strict=True))
    contributions = dict(
        zip(map(str, stored["contribution_keys"]), stored["contributions"].astype(np.float64), strict=True)
    )
    measures = {key: values for key, values in measures.items() if np.isfinite(values).any()}
    measures["contribution"] = 1 - contributions["sinks"]
    measures |= {key: stored[key].astype(np.float64) for key in ("deviation", "effect")}
    if len(similar) != n_layers * n_heads or any(values.shape != (n_layers, n_heads) for values in measures.values()):
        raise ShapeError("Profiles need measures, connections and similar heads of every head.")
    n_words, n_ablated, n_places = (int(count) for count in stored["counts"])
    return Profiles(
        corpus(), n_words, measures, contributions, tuple(map(tuple, connections)), similar,
        float(stored["median_cosine"]), n_ablated, n_places, tuple(stored["different"].tolist()),
        str(stored["revision"]),
    )  # fmt: skip
