"""Results of experiments as dataclasses without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np

from mha.cuts import Cut, link_name
from mha.errors import InputError
from mha.intervention.calibrated import Floor, agree
from mha.maps import HeadId, Token
from mha.memo import array_dataclass
from mha.tokens import visible_tokens
from mha.words import next_word_text

NAMED_FROM = 0.10  # a head that carries this share is named, and is not a control
TYPICAL_BELOW = NAMED_FROM / 2  # where a typical head carries more, the difference itself is noise
SMALLEST = 1e-6  # a difference below this cannot be divided


def passing(carried: np.ndarray, separation: float, floor: Floor) -> np.ndarray:
    """Return which parts of a difference are at least a tenth and pass the floor of one head, as bool; NaN does not."""
    return np.nan_to_num(carried) >= max(NAMED_FROM, floor.head_bar / max(abs(separation), SMALLEST))


def heads_where(is_chosen: np.ndarray, sizes: np.ndarray) -> tuple[HeadId, ...]:
    """Return the heads that are chosen, bool [layer, head], those with the most of something, [layer, head], first."""
    heads = (HeadId(int(layer), int(head)) for layer, head in np.argwhere(is_chosen))
    return tuple(sorted(heads, key=lambda head: -sizes[head]))


def _nothing() -> np.ndarray:
    return np.full((0, 0), np.nan)


@array_dataclass
class Sweep:
    """Effect of ablating each head on the score.

    ``effect`` is float64 [layer, head]: the score with that head ablated minus ``score``, that with all heads on; NaN
    from layer ``n_acting_layers`` on, which cannot act, and if not measured yet. ``direct`` marks the heads of the
    block ``score_layer``, whose output is read: they mix the two compared vectors by construction and are not named.
    ``cross`` is the effect of the heads of the cross-attention, float64 [layer, head], if two targets are compared.
    """

    text: str
    kind: str
    score_layer: int
    n_acting_layers: int
    score: float
    effect: np.ndarray
    direct: np.ndarray
    cross: np.ndarray = field(default_factory=_nothing)

    @property
    def acting(self) -> np.ndarray:
        """Which heads have an effect of their own, as bool [layer, head]: measured and not direct."""
        return np.isfinite(self.effect) & ~self.direct

    @property
    def waiting(self) -> np.ndarray:
        """Which heads could act but are not measured, as bool [layer, head]."""
        return np.isnan(self.effect) & (np.arange(len(self.effect)) < self.n_acting_layers)[:, None]

    @property
    def n_measured(self) -> int:
        """The number of heads that are measured."""
        return int(np.isfinite(self.effect).sum() + np.isfinite(self.cross).sum())

    @property
    def n_planned(self) -> int:
        """The number of heads that can act: measured or still to be measured."""
        return self.n_measured + int(self.waiting.sum() + np.isnan(self.cross).sum())

    @property
    def typical(self) -> float:
        """Median size of the effects of the acting heads."""
        return float(np.median(np.abs(self.effect[self.acting]))) if self.acting.any() else float("nan")

    def rank(self, head: tuple[int, int]) -> int:
        """Return the place of a head among all measured ones, by size of the effect, from 1."""
        sizes = np.abs(self.effect[np.isfinite(self.effect)])
        return 1 + int((sizes > abs(self.effect[head])).sum())


@array_dataclass
class WordSweep:
    """Next words, and their change when each head alone is ablated.

    ``ids`` are the token ids of the words, ``log_probability`` float64 [word] in nats with all heads on, and ``change``
    float64 [layer, head, word] that log-probability with the head ablated minus with all heads on. ``likeliest`` is the
    id of the likeliest word with the head ablated, int [layer, head]. Heads that are not measured have NaN and −1.
    ``cross_change`` and ``cross_likeliest`` are those of the cross-attention of an encoder–decoder.
    ``raws`` has the tokenizer's string and ``texts`` the text with its spaces, of every id in ``ids`` and
    ``likeliest``; ``special`` are the ids of special tokens. ``kind`` is the kind of ablation, and ``positions`` are
    those at which heads are ablated, "all" or "predicting".
    """

    text: str
    tokens: tuple[Token, ...]
    place: int
    kind: str
    ids: tuple[int, ...]
    raws: dict[int, str]
    texts: dict[int, str]
    special: frozenset[int]
    log_probability: np.ndarray
    change: np.ndarray
    likeliest: np.ndarray
    model: str = ""
    revision: str = ""
    notes: tuple[str, ...] = ()
    positions: str = "all"
    cross_change: np.ndarray = field(default_factory=_nothing)
    cross_likeliest: np.ndarray = field(default_factory=_nothing)

    @property
    def words(self) -> tuple[str, ...]:
        """The words as pages show them."""
        return self.names(self.ids)

    def names(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return how one list of words is shown, by their token ids: `mha.tokens.visible_tokens`."""
        return visible_tokens([self.texts[number] for number in ids], [number in self.special for number in ids])

    @property
    def probability(self) -> np.ndarray:
        """The probability of each word with all heads on, float64 [word]."""
        return np.exp(self.log_probability)

    @property
    def ablated_probability(self) -> np.ndarray:
        """The probability of each word with one head ablated, float64 [layer, head, word]; NaN if not measured."""
        return np.exp(self.log_probability + self.change)

    @property
    def n_measured(self) -> int:
        """The number of heads that are measured."""
        return int((self.likeliest >= 0).sum())

    @property
    def missing(self) -> tuple[HeadId, ...]:
        """The heads that are not measured."""
        return tuple(HeadId(int(layer), int(head)) for layer, head in np.argwhere(self.likeliest < 0))

    def index_of(self, word: str) -> int | None:
        """Return the position of a word among ``words`` as it is typed behind the text, or None; the first for ""."""
        if not word:
            return 0
        texts = [self.texts[number] for number in self.ids]
        exact, loose = next_word_text(self.text, word), word.strip()
        if exact not in texts and loose[:1].isalnum():  # of a tokenizer without spaces, or the first word of a target
            exact, texts = loose, [text.strip() for text in texts]
        names = [name if not text.strip() else text for name, text in zip(self.words, texts, strict=True)]
        return next((position for position, name in enumerate(names) if name in (exact, word)), None)

    def change_of(self, word: int, versus: int | None = None, cross: bool = False) -> np.ndarray:
        """Return the change of a word without each head, float64 [layer, head]: probability, −1 to 1.

        For the difference of two words it is the change of ln(P(word) / P(versus)), in nats. With ``cross`` the heads
        are those of the cross-attention of an encoder–decoder.
        """
        change = self.cross_change if cross else self.change
        if versus is not None:
            return np.asarray(change[..., word] - change[..., versus])
        return np.asarray(np.exp(self.log_probability[word] + change[..., word]) - self.probability[word])


@array_dataclass
class NextWords:
    """The likeliest next words of a text and their probabilities, with all heads and with some ablated together.

    ``sweep`` has the words; `mha.iter_word_sweep` measures their change with each head ablated alone. ``after`` is the
    probability of each word with all of ``ablated`` ablated and the links of ``cut`` cut, float64 [word], or None
    without both, and ``likeliest_after`` the likeliest word of the vocabulary then.
    """

    sweep: WordSweep
    ablated: tuple[HeadId, ...] = ()
    after: np.ndarray | None = None
    likeliest_after: str = ""
    cut: tuple[Cut, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words: the likeliest first, then the given ones."""
        return self.sweep.words

    @property
    def probability(self) -> np.ndarray:
        """The probability of each word with all heads on, float64 [word]."""
        return self.sweep.probability

    def link_name(self, cut: Cut) -> str:
        """Return a cut by its tokens, as plain text: her → Ruth."""
        return link_name(cut, self.sweep.tokens, self.sweep.tokens)

    @property
    def last_token(self) -> str:
        """The token whose attention predicts the word."""
        return self.sweep.tokens[self.sweep.place].text

    def log_ratio(self, word: str, versus: str) -> tuple[float, float]:
        """Return ln(P(word) / P(versus)) with all heads on and with the heads ablated, in nats. The second is NaN
        without ablation.

        Raises:
            InputError: one of the two is not among the words.
        """
        a, b = (self.sweep.index_of(name) for name in (word, versus))
        if a is None or b is None:
            missing = word if a is None else versus
            raise InputError(f"{missing!r} is not among these words. Pass it in words= to have its probability.")
        rows = (self.probability, np.full(len(self.words), np.nan) if self.after is None else self.after)
        ratio, ablated_ratio = (float(np.log(row[a]) - np.log(row[b])) for row in rows)
        return ratio, ablated_ratio


@array_dataclass
class WordRanks:
    """Rank and log-probability of one next word in every layer, by the logit lens.

    ``rank`` is int [layer], 1 for the likeliest word of the vocabulary, and ``log_probability`` float64 [layer], in
    nats, after each whole layer; the last one is the model's own. ``attention_rank`` and ``attention_log_probability``
    are those after the layer's attention alone, with nothing from its feed-forward part, or None if they were not
    computed. ``place`` is the position that predicts, ``id`` the token id of ``word`` and ``vocabulary`` the number of
    ids.
    """

    text: str
    tokens: tuple[Token, ...]
    place: int
    word: str
    id: int
    vocabulary: int
    rank: np.ndarray
    log_probability: np.ndarray
    attention_rank: np.ndarray | None = None
    attention_log_probability: np.ndarray | None = None
    model: str = ""
    revision: str = ""
    notes: tuple[str, ...] = ()


@array_dataclass
class Patch:
    """The share of the difference between two versions that each head carries.

    ``carried`` is float64 [layer, head], a part of 1, NaN if the layer cannot act: the mean of both directions,
    ``into_text`` (the head's output from the changed version) and ``into_changed_version``. Parts may be negative, pass
    1, and need not add up. ``cross`` has the means of both directions of the heads of the cross-attention if two
    targets are the score. ``control`` is float64 [layer, draw]: the share of three other
    heads of the layer together, 15 draws from all but ``left_out``, the named heads; NaN if fewer than three are left.
    ``direct`` marks the heads of the block ``score_layer``, which is read. ``scores`` are those of text and changed
    version, which differ in ``changed_words``. ``model``, ``revision`` and ``origin`` are those of
    `mha.maps.AttentionMaps`. ``n_measured`` of ``n_planned`` heads and draws are measured; the others are NaN.
    """

    text: str
    changed_version: str
    score_layer: int
    scores: tuple[float, float]
    carried: np.ndarray
    control: np.ndarray
    direct: np.ndarray
    changed_words: tuple[int, ...] = ()
    into_text: np.ndarray = field(default_factory=_nothing)
    into_changed_version: np.ndarray = field(default_factory=_nothing)
    cross: np.ndarray = field(default_factory=_nothing)
    model: str = ""
    revision: str = ""
    origin: str = "unknown origin"
    left_out: tuple[HeadId, ...] = ()
    n_measured: int = 0
    n_planned: int = 0

    @property
    def separation(self) -> float:
        """The score of the text minus that of the changed version."""
        return self.scores[0] - self.scores[1]

    @property
    def typical(self) -> float:
        """Median size of the shares of the acting heads, without direct ones."""
        acting = np.abs(self.carried[np.isfinite(self.carried) & ~self.direct])
        return float(np.median(acting)) if acting.size else float("nan")

    @property
    def too_close(self) -> bool:
        """Whether the difference is too small to share out: a typical head already moves the margin by a twentieth."""
        return not self.typical < TYPICAL_BELOW

    @property
    def named_heads(self) -> tuple[HeadId, ...]:
        """The heads that carry at least a tenth, without direct ones, the largest first; () if `too_close`."""
        if self.too_close:
            return ()
        return heads_where(~self.direct & (np.nan_to_num(self.carried) >= NAMED_FROM), self.carried)

    @property
    def both_ways(self) -> np.ndarray:
        """Where both directions agree, in sign and within a factor of two, as bool [layer, head]."""
        return agree(self.into_text, self.into_changed_version)

    def named_beyond(self, floor: Floor) -> tuple[HeadId, ...]:
        """Return the heads that may be named, the largest share first; () below the control limit.

        A named head is not direct, carries a tenth, moves the score further than the largest head does in nine of ten
        swaps, and its two directions agree.
        """
        if not floor.passes(self.separation):
            return ()
        return tuple(head for head in self.large(floor) if self.both_ways[head])

    def large(self, floor: Floor) -> tuple[HeadId, ...]:
        """Return the heads that carry a tenth and pass the floor of one head, whether their directions agree or not."""
        return heads_where(~self.direct & passing(self.carried, self.separation, floor), self.carried)


@array_dataclass
class ScoreChange:
    """The closeness score of a text and its changed version, and the part of the change that each head carries.

    ``second_scores`` use a second word for reading A and one for B; NaN if there is none. ``patch`` is None if
    the change is within its control limit, or for the reason ``no_shares``.
    """

    scores: tuple[float, float]
    second_scores: tuple[float, float]
    patch: Patch | None = None
    no_shares: str = ""

    @property
    def change(self) -> float:
        """The score of the text minus that of the changed version."""
        return self.scores[0] - self.scores[1]


@array_dataclass
class Direct:
    """Parts of the score of a next word A over a word B, float64, in logits (nats before the softmax).

    ``heads`` [layer, head] is the part of each head, ``rest`` that of all other parts (embeddings, MLPs, biases, and
    the mean outputs of heads if these are the baseline); they sum to ``total``, the model's own logit of A less that of
    B. ``words`` are the two tokens that are compared, "␣Paris" with a space before it, "␣Nad…" of a longer word.
    """

    heads: np.ndarray
    rest: float
    total: float
    words: tuple[str, str]
    ids: tuple[int, int]
    notes: tuple[str, ...] = ()


@array_dataclass
class Prediction:
    """The likeliest words at one position, by the full model and with heads ablated.

    ``words`` are the likeliest first, as `mha.tokens.visible_tokens` names them, ``raws`` and ``ids`` their raw tokens
    and numbers in the vocabulary; ``probabilities`` float64 [word].
    ``ablated_probabilities`` is float64 [word], the same words with all of ``heads`` ablated together by ``kind``, and
    ``ablated_word`` is the likeliest word then. ``probabilities_in_turn`` [head, word] has each head of
    ``ablated_in_turn`` ablated alone. All three are None or empty if nothing was ablated. ``tokens`` is the axis that
    was read, ``place`` the row that predicts. Heads were ablated at ``positions``, "all" or "predicting", and the links
    of ``cut`` together with ``heads``.
    """

    words: tuple[str, ...]
    ids: tuple[int, ...]
    probabilities: np.ndarray
    tokens: tuple[Token, ...]
    place: int
    vocabulary: int
    heads: tuple[HeadId, ...] = ()
    ablated_probabilities: np.ndarray | None = None
    ablated_word: str = ""
    ablated_in_turn: tuple[HeadId, ...] = ()
    probabilities_in_turn: np.ndarray | None = None
    kind: str = "mean"
    notes: tuple[str, ...] = ()
    raws: tuple[str, ...] = ()
    positions: str = "all"
    cut: tuple[Cut, ...] = ()


def join_sweeps(older: WordSweep, newer: WordSweep) -> WordSweep:
    """Return one sweep with the heads that either of two sweeps of equal words has measured; the newer one wins."""
    is_measured, is_cross_measured = newer.likeliest >= 0, newer.cross_likeliest >= 0
    if is_cross_measured.size:
        newer = replace(
            newer,
            cross_change=np.where(is_cross_measured[..., None], newer.cross_change, older.cross_change),
            cross_likeliest=np.where(is_cross_measured, newer.cross_likeliest, older.cross_likeliest),
        )
    return replace(
        newer,
        change=np.where(is_measured[..., None], newer.change, older.change),
        likeliest=np.where(is_measured, newer.likeliest, older.likeliest),
        raws=older.raws | newer.raws,
        texts=older.texts | newer.texts,
        special=older.special | newer.special,
    )


@array_dataclass
class LinkSweep:
    """Next words, and their change when one link of the predicting token is cut.

    ``sweep`` has the words, with no head measured. ``links`` are in the order of their ``weight``, float64 [link], the
    largest first. ``change`` is float64 [link, word], in nats: log-probability with the link cut minus with none; NaN
    if it is not measured.
    """

    sweep: WordSweep
    links: tuple[Cut, ...]
    weight: np.ndarray
    change: np.ndarray

    @property
    def n_measured(self) -> int:
        """The number of links that are measured."""
        return int(np.isfinite(self.change[:, 0]).sum())


@array_dataclass
class PositionEffects:
    """The change of next words when one head is ablated at single positions of a text.

    ``change`` is float64 [position, word], in nats: log-probability with ``head`` ablated at that position alone minus
    with all heads on. ``positions`` are the measured ones, the predicting one first; ``everywhere`` float64
    [word] is the change with the head ablated at all positions, and ``log_probability`` [word] that with all heads on.
    """

    head: HeadId
    tokens: tuple[Token, ...]
    ids: tuple[int, ...]
    positions: tuple[int, ...]
    log_probability: np.ndarray
    change: np.ndarray
    everywhere: np.ndarray

    def effects(self, word: int, versus: int | None = None) -> tuple[float, np.ndarray]:
        """Return the change of a word's probability: ablated everywhere, and at each of ``positions``, [position].

        With ``versus`` it is the change of ln(P(word) / P(versus)), in nats.
        """
        change = np.concatenate([self.everywhere[None], self.change])  # [everywhere and position, word]
        if versus is None:
            changes = np.exp(self.log_probability[word]) * np.expm1(change[:, word])
        else:
            changes = change[:, word] - change[:, versus]
        return float(changes[0]), np.asarray(changes[1:])
