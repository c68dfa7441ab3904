"""Is a share unusual? The same words in other orders, and the largest share that any head reaches in them.

A head and two words that were chosen for their large share need a control that chooses as freely: the best of all heads
and pairs of words in each shuffled copy (Westfall & Young 1993). The maps of the copies come from
`mha.intervention.shuffles`; this module knows no model. The controls of the examples are bundled for MiniLM and written
by ``python -m studies.unusual``.

A sequential control ends when the fifth copy reaches the share (Besag & Clifford 1991): a share that many copies reach
needs few copies. Its verdict at p ≤ .05 equals that of `N_COPIES` fixed copies: at least five of at most 39 copies
is p ≥ 5 / 39 = .13, so a stopped control is never unusual.
"""

import json
import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np

from mha import assets
from mha.analysis.usual import DISTANT, distant_pairs, word_looks
from mha.assets import ASSETS
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId
from mha.memo import array_dataclass
from mha.words import split, words

BUNDLED = ASSETS / "shuffles_minilm.json"
DECIMALS = 5  # of bundled shares
N_COPIES = 39  # p can be as small as 1/40
FEWEST_COPIES = 19  # fewer cannot reach p ≤ .05
SEED = 7
N_TO_STOP = 5  # copies that reach the share end a sequential control
BATCH = 8  # copies of one batch of a sequential control at most
TOLERANCE = 1e-5  # of shares: one text in two batches differs by less


@array_dataclass
class ShuffleControl:
    """A share, and the largest shares in shuffled copies of the sentence.

    ``head``, ``query`` and ``key`` (word numbers) name the connection, and ``share`` is its share of all attention.
    ``maxima`` has the largest share of all heads and pairs of words in each copy, float64 [copy]; ``pair_maxima`` the
    largest share of all heads between the same two words, in either direction, NaN if they are fewer than
    ``nearest`` words apart in that copy. Pairs are of different words at least ``nearest`` words apart; sinks are
    excluded. Without copies,
    ``note`` has the reason.

    ``p`` answers whether a share of this size is remarkable for these words. ``pair_p`` answers whether these two words
    get such a share in any order; it holds only if the pair was not chosen for its share.

    ``stopped``: a sequential control ended at the fifth copy that reaches the share. Later copies are dropped. Then
    ``p`` is n_reached / n_copies, and ``pair_p`` is None, because the stopping rule ignores the pair.
    """

    head: HeadId
    query: int
    key: int
    share: float
    nearest: int
    maxima: np.ndarray
    pair_maxima: np.ndarray
    text: str
    model: str = ""
    revision: str = ""
    note: str = ""
    stopped: bool = False

    @property
    def n_copies(self) -> int:
        """Number of shuffled copies."""
        return len(self.maxima)

    @property
    def n_reached(self) -> int:
        """Number of copies in which some head gives some pair of words at least this share."""
        return n_reached(self.maxima, self.share)

    @property
    def p(self) -> float | None:
        """n_reached / n_copies if ``stopped``, else (1 + n_reached) / (1 + n_copies); None without copies."""
        if self.stopped:
            return self.n_reached / self.n_copies
        return (1 + self.n_reached) / (1 + self.n_copies) if self.n_copies else None

    @property
    def n_pairs(self) -> int:
        """Number of copies in which the two words are at least ``nearest`` apart."""
        return int(np.isfinite(self.pair_maxima).sum())

    @property
    def pair_p(self) -> float | None:
        """(1 + copies in which the pair reaches the share) / (1 + n_pairs); None if ``stopped`` or n_pairs is 0."""
        if self.stopped or not self.n_pairs:
            return None
        return (1 + n_reached(self.pair_maxima, self.share)) / (1 + self.n_pairs)


def n_copies_to_stop(maxima: np.ndarray, share: float) -> int:
    """Return the number of copies up to the fifth that reaches the share; 0 if fewer than five do."""
    reached = np.flatnonzero(maxima >= share - TOLERANCE)
    return int(reached[N_TO_STOP - 1]) + 1 if len(reached) >= N_TO_STOP else 0


def next_batch_size(maxima: np.ndarray, share: float) -> int:
    """Return the size of the next batch: the expected number of copies until the fifth that reaches the share.

    The rate is that of the copies so far, which have these ``maxima``. The first batch has 5 copies, no batch has more
    than 8. The result of the control does not depend on the batches.

    >>> next_batch_size(np.array([]), 0.5), next_batch_size(np.array([0.6, 0.7, 0.4, 0.6, 0.9]), 0.5)
    (5, 2)
    """
    reached = n_reached(maxima, share)
    if not reached:
        return BATCH if len(maxima) else N_TO_STOP
    return min(BATCH, math.ceil((N_TO_STOP - reached) * len(maxima) / reached))


def n_reached(maxima: np.ndarray, share: float) -> int:
    """Return how many of the largest shares are at least as large as a share."""
    return int((maxima >= share - TOLERANCE).sum())


def reorder_words_in_place(text: str, order: Sequence[int]) -> str:
    """Return a text with its words in another order; punctuation and white space stay in place.

    ``order`` has the old number of the word at each place.

    >>> reorder_words_in_place("Yes, dogs bark.", (2, 0, 1))
    'bark, Yes dogs.'

    Raises:
        InputError: the order does not name every word once.
    """
    runs = [run for run in split(text) if run.word is not None]
    if sorted(order) != list(range(len(runs))):
        raise InputError(f"An order of this text has its words 0 to {len(runs) - 1} once each.")
    ends = [0, *(run.end for run in runs)]
    gaps = [text[end : run.start] for end, run in zip(ends, runs, strict=False)]
    permuted = "".join(gap + runs[number].text for gap, number in zip(gaps, order, strict=True))
    return permuted + text[ends[-1] :]


def distinct_orders(text: str, n_copies: int = N_COPIES, seed: int = SEED, fixed: int = 0) -> list[tuple[int, ...]]:
    """Return seeded orders of the words that give texts different from each other and from the text itself.

    The first ``fixed`` words keep their places. There are ``n_copies`` orders, or all if there are fewer. Capital
    letters make no difference: "No no" has no other order.
    """
    plain = [word.casefold() for word in words(text)]
    movable = list(range(fixed, len(plain)))
    repeats = math.prod(math.factorial(count) for count in Counter(plain[fixed:]).values())
    n_orders = min(n_copies, math.factorial(len(movable)) // repeats - 1)
    generator, orders = random.Random(seed), dict[tuple[str, ...], tuple[int, ...]]()
    original = tuple(plain)
    while len(orders) < n_orders:
        generator.shuffle(movable)
        order = (*range(fixed), *movable)
        copy = tuple(plain[number] for number in order)
        if copy != original:
            orders.setdefault(copy, order)
    return list(orders.values())


def largest_share(maps: AttentionMaps, min_distance: int = DISTANT) -> tuple[float, HeadId, int, int]:
    """Return the largest share between words of one text: share, head, query and key (word numbers).

    Pairs are `distant_pairs`. Without such a pair the result is 0.0, L0H0, 0, 0.
    """
    looks = word_looks(maps)
    pairs = distant_pairs(looks, min_distance)
    if not pairs.any():
        return 0.0, HeadId(0, 0), 0, 0
    query, key = np.nonzero(pairs)
    shares = looks.weights[:, :, query, key]  # [layer, head, pair]
    layer, head, pair = np.unravel_index(shares.argmax(), shares.shape)
    return float(shares[layer, head, pair]), HeadId(int(layer), int(head)), int(query[pair]), int(key[pair])


def pair_share(maps: AttentionMaps, first: int, second: int, min_distance: int = DISTANT) -> float:
    """Return the largest share of all heads between two words (word numbers), in either direction.

    It is NaN if the words are fewer than ``min_distance`` words apart: heads that look at neighbours would reach any
    share there. A causal mask leaves one direction: the later word looks at the earlier one.
    """
    if abs(first - second) < min_distance:
        return float("nan")
    looks = word_looks(maps)
    return float(np.maximum(looks.weights[:, :, first, second], looks.weights[:, :, second, first]).max())


def min_distance_of(maps: AttentionMaps, query: int, key: int) -> int:
    """Return the smallest distance of the pairs that are compared with a connection: 1 word for neighbours, else 2.

    Raises:
        InputError: the maps lack a word, or no copy has such a connection: hidden by the mask, to a sink, or to the
            same word.
    """
    word_maps = maps.merged()
    looks = word_looks(word_maps)
    texts = [word_maps.tokens[place].text for place in looks.places]
    for number in (query, key):
        if not 0 <= number < len(texts):
            raise InputError(f"There is no word {number}; this text has words 0 to {len(texts) - 1}.")
    min_distance = min(DISTANT, abs(query - key))
    if min_distance and distant_pairs(looks, min_distance)[query, key]:
        return min_distance
    reason = (
        "a word is not compared with itself"
        if texts[query].casefold() == texts[key].casefold()
        else "a causal model hides later words"
        if not word_maps.visible[looks.places[query], looks.places[key]]
        else f"“{texts[key]}” is an attention sink"
    )
    raise InputError(f"“{texts[query]}” → “{texts[key]}” has no control: {reason}. Choose two other words.")


def bundled_control(text: str, model: str, connection: tuple[HeadId, int, int]) -> ShuffleControl | None:
    """Return the bundled control of a connection (head, query, key) of an example, or None."""
    controls = assets.optional(BUNDLED, read_controls) or {} if model == "minilm" else {}
    return controls.get((text, *connection))


def read_controls(content: bytes) -> dict[tuple[str, HeadId, int, int], ShuffleControl]:
    """Return controls by text, head, query and key, from the JSON that `python -m studies.unusual` writes."""
    stored = json.loads(content)
    controls = {}
    for row in stored["controls"]:
        head, maxima, pair_maxima = (
            HeadId.parse(row["head"]),
            np.array(row["maxima"]),
            np.array(row["pair_maxima"], dtype=float),
        )
        fields = {name: row[name] for name in ("query", "key", "share", "nearest", "text", "note")}
        control = ShuffleControl(
            head=head,
            maxima=maxima,
            pair_maxima=pair_maxima,
            **fields,
            model=stored["model"],
            revision=stored["revision"],
        )
        controls[control.text, head, control.query, control.key] = control
    return controls
