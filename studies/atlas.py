"""Numbers of every head over many texts, and the similarity of heads, also in the model's scrambled copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mha.analysis.alike import Alike, between_heads
from mha.analysis.usual import FEWEST_WORDS, N_DISTANCES, SHARES, column, word_looks
from mha.analysis.whole import KEYS, Extreme, one_text, words_of
from mha.engine.atlas import TWIN_SEED, Atlas
from mha.engine.text_maps import watching
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.stepwise import finished
from studies.over_texts import OverCorpus

N_LOOKS = 10  # connections of a head's profile
TOGETHER = 64  # texts that are measured together


class Divergences:
    """The mean divergence of every two heads over the rows of all texts that were added."""

    def __init__(self, n_heads: int) -> None:
        self._sum = np.zeros((n_heads, n_heads))
        self.n_rows = 0

    def add(self, divergence: np.ndarray, n_rows: int) -> None:
        """Add one text's."""
        self._sum += divergence * n_rows
        self.n_rows += n_rows

    @property
    def mean(self) -> np.ndarray:
        """The mean so far, float64 [head, head]."""
        return self._sum / max(self.n_rows, 1)


class BeyondHabit:
    """Each text's look of every head that is furthest beyond the head's habit at that distance."""

    def __init__(self, habit: np.ndarray) -> None:
        self._habit = habit.reshape(-1, N_DISTANCES)  # [head of all, distance]
        self._found: list[tuple[int, np.ndarray, list[str]]] = []  # text, [head of all, 4], its words

    def add(self, number: int, maps: AttentionMaps) -> None:
        """Look through one text; a word's look at itself is no look at another."""
        merged, words = words_of(maps)
        between = word_looks(merged)
        query, key = np.nonzero(between.counts & (between.distance != 0))
        if not len(query):
            return
        looks = between.weights[:, :, query, key].reshape(len(self._habit), -1)  # [head, look]
        usual = self._habit[:, column(between.distance[query, key])]
        best = (looks - usual).argmax(axis=-1)
        head = np.arange(len(best))
        numbers = [merged.tokens[place].word or 0 for place in words]
        found = np.stack(
            [np.take(numbers, query[best]), np.take(numbers, key[best]), looks[head, best], usual[head, best]], axis=-1
        )
        said = [merged.tokens[place].text.casefold() for place in words]
        by_number = dict(zip(numbers, said, strict=True))
        self._found.append((number, found, [by_number.get(n, "") for n in range(max(numbers) + 1)]))

    def strongest(self, head: int, count: int = N_LOOKS) -> tuple[Extreme, ...]:
        """Return a head's looks furthest beyond its habit: one a text, no two words twice."""
        ordered = sorted(self._found, key=lambda one: float(one[1][head, 3] - one[1][head, 2]))
        found: list[Extreme] = []
        seen: set[tuple[str, str]] = set()
        for number, rows, said in ordered:
            query, key, weight, usual = rows[head]
            pair = said[int(query)], said[int(key)]
            if weight > usual and pair not in seen and len(found) < count:
                seen.add(pair)
                found.append(Extreme(number, int(query), int(key), float(weight), float(usual)))
        return tuple(found)


def measure_atlas(model: str, texts: Sequence[str], progress: Callable[[int], None] = lambda _done: None) -> Atlas:
    """Return the numbers of all heads over some texts; ``progress`` is passed the number of measured texts."""
    row = model_row(model)
    shape = row.n_layers, row.n_heads
    over = OverCorpus(len(texts), shape)
    far, pairs = np.zeros((*shape, N_DISTANCES)), np.zeros(N_DISTANCES)
    sums = {name: np.zeros(shape) for name in SHARES}
    counts = {name: np.zeros(shape) for name in SHARES}
    readable = []
    for number, maps in _recorded(model, texts):
        if maps is None:
            over.add(number, dict.fromkeys(KEYS, np.full(shape, np.nan)))
            continue
        readable.append(number)
        text = one_text(maps)
        far += text.far
        pairs += text.pairs
        for name, share in text.shares.items() if text.n_words >= FEWEST_WORDS else ():
            sums[name] += np.nan_to_num(share)
            counts[name] += np.isfinite(share)
        over.add(number, text.values)
        progress(over.n_measured)
    means = {
        name: np.divide(sums[name], count, out=np.full(shape, np.nan), where=count > 0)
        for name, count in counts.items()
        if any(map(np.any, counts.values()))
    }
    usual = far / np.maximum(pairs, 1)
    intervals = {key: interval for key in KEYS if (interval := over.interval(key)) is not None}
    alike, looks = compare_heads(model, {number: texts[number] for number in sorted(readable)}, usual)
    return Atlas(
        model, row.revision, len(texts), len(texts) - len(readable),
        {key: over.mean(key) for key in KEYS},
        {key: low for key, (low, _) in intervals.items()},
        {key: high for key, (_, high) in intervals.items()},
        usual, means, alike, looks,
    )  # fmt: skip


def compare_heads(
    model: str, texts: dict[int, str], usual: np.ndarray
) -> tuple[Alike, tuple[tuple[Extreme, ...], ...]]:
    """Return the similarity of heads over numbered texts, and each head's connections furthest above ``usual``."""
    row = model_row(model)
    n_heads = row.n_layers * row.n_heads
    here, without_sinks, scrambled = Divergences(n_heads), Divergences(n_heads), Divergences(n_heads)
    beyond = BeyondHabit(usual)
    numbers, sentences = list(texts), list(texts.values())
    for place, maps in _recorded(model, sentences):
        if maps is not None:
            here.add(*finished(between_heads(maps)))
            without_sinks.add(*finished(between_heads(maps, aside=True)))
            beyond.add(numbers[place], maps)
    for _, maps in _recorded(model, sentences, TWIN_SEED) if row.kind == "transformer" else ():
        if maps is not None:
            scrambled.add(*finished(between_heads(maps)))
    control = scrambled.mean if scrambled.n_rows else None
    looks = tuple(beyond.strongest(head) for head in range(n_heads))
    return Alike.of(len(texts), row.n_heads, here.mean, without_sinks.mean, control), looks


def _recorded(model: str, texts: Sequence[str], twin: int | None = None) -> Iterator[tuple[int, AttentionMaps | None]]:
    """Yield the number of each text and its maps, None if it cannot be read or is too long."""
    record = watching(model, twin)
    for start in range(0, len(texts), TOGETHER):
        for together in record(texts[start : start + TOGETHER]):
            for place, maps in together:
                yield start + place, maps
