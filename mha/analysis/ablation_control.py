"""Control for ablations: how far ablating a head changes the likeliest next word of ordinary, unrelated texts.

A large change is common: among 270 heads some head nearly always changes a text's next word. So a change is compared
with the same ablations on control texts of similar length, from several sources. Every head is ablated in turn, and the
change of the log-probability of the text's own likeliest next word is kept; the same for a copy of each text with its
words shuffled, which shows how often the rule names a head where a text means nothing.
`python -m studies.bundled MODEL control` measures and writes the file; nothing here needs a model.

The translator's control is of sentences about things, and of the first written article: ``change`` is that of
ln(P(A) / P(O)) towards the article that it writes, and the two layers of the cross-attention follow the six of the
encoder.
"""

import math
from typing import Any

import numpy as np

from mha import assets
from mha.errors import InputError, ShapeError
from mha.formats import in_words
from mha.maps import HeadId
from mha.memo import array_dataclass, memoise

BANDS = ((4, 8), (9, 16), (17, 32))  # tokens of a text, both ends included
SHARE_WITHIN = 0.9  # of all ablations of control texts stay within the limit
TIMES_CONTROL = 2.0  # a change mainly on this text is more than so many times the head's largest on a control text
HIGHEST_NAMING_RATE = 0.2  # where the rule names a head on more control texts or copies than this, no head is named
Z_95 = 1.959964  # standard deviations on either side of a 95 % interval
NAMES = ("texts", "sources", "words", "shuffled_texts")  # strings in the file, one a text


@array_dataclass
class NamingRate:
    """On how many of ``n_texts`` texts the rule names a head; 0 texts if this was not measured."""

    n_named: int
    n_texts: int

    @property
    def share(self) -> float:
        """The share of texts, 0 to 1; NaN if it was not measured."""
        return self.n_named / self.n_texts if self.n_texts else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share (Wilson 1927), (0, 1) without texts; it redraws texts, not their authors."""
        if not self.n_texts:
            return 0.0, 1.0
        n, z = self.n_texts, Z_95
        middle = (self.share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(self.share * (1 - self.share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return middle - half, middle + half


@array_dataclass
class AblationControl:
    """Ablations of every head on the control texts of one band of lengths.

    ``change`` is float64 [text, layer, head]: log-probability, in nats, of the text's likeliest next word with the head
    ablated minus with all heads on. ``words`` are these words as the tokenizer writes them, ``log_probability`` float64
    [text] theirs with all heads on, ``n_tokens`` int [text], ``sources`` where each text is from. ``shuffled_texts``
    are copies of the texts with their words shuffled, ``shuffled_change`` [text, layer, head] their changes, NaN if not
    measured. ``kind`` is the kind of ablation; ``band`` the lengths.
    """

    model: str
    revision: str
    kind: str
    band: tuple[int, int]
    texts: tuple[str, ...]
    sources: tuple[str, ...]
    n_tokens: np.ndarray
    words: tuple[str, ...]
    log_probability: np.ndarray
    change: np.ndarray
    shuffled_texts: tuple[str, ...]
    shuffled_change: np.ndarray

    @property
    def limit(self) -> float:
        """The control limit in nats: the smallest |change| that at least 90 of 100 ablations stay within."""
        return _limit(self.change)

    def n_texts_changed(self, change: float) -> int:
        """Return on how many control texts some head changes the likeliest word at least as much, up or down."""
        largest = np.abs(self.change).max(axis=(1, 2))  # [text]
        return int((largest >= abs(change)).sum())

    def mainly_here(self, change: np.ndarray) -> np.ndarray:
        """Return which heads change a word mainly in this text, bool [layer, head], from ``change`` in nats.

        Such a change, up or down, is past the limit and more than twice the largest change by the same head on any
        control text. Heads that are not measured (NaN) are False.
        """
        self._check(change)
        return _mainly_here(change, self.change)

    @property
    def naming_rates(self) -> tuple[NamingRate, NamingRate]:
        """How often the head with the largest change is named: on the control texts, and on their shuffled copies.

        Each text, and each copy, is judged against the control texts of the other sources: nothing by its own author
        has a part in its limits, as nothing by a visitor has. Shuffled copies have no part in any limit. These are
        fewer control texts than a visitor's text is compared with, so the rates are rather too high.
        """
        return naming_rates(self)

    @property
    def may_name(self) -> bool:
        """Whether the rule names a head rarely enough, on control texts and on shuffled copies alike."""
        return all(rate.share <= HIGHEST_NAMING_RATE for rate in self.naming_rates)

    def _check(self, change: np.ndarray) -> None:
        if change.shape != self.change.shape[1:]:
            raise ShapeError(f"The control has heads {self.change.shape[1:]}; these changes are {change.shape}.")


@memoise
def naming_rates(control: AblationControl) -> tuple[NamingRate, NamingRate]:
    """Return `AblationControl.naming_rates`, computed once."""
    sources = np.array(control.sources)
    others_changes = [control.change[sources != source] for source in control.sources]

    def rate(changes: np.ndarray) -> NamingRate:
        pairs = zip(changes, others_changes, strict=True)
        head_indices = [
            _named_head(change, controls) for change, controls in pairs if len(controls) and not np.isnan(change).any()
        ]
        return NamingRate(sum(head is not None for head in head_indices), len(head_indices))

    return rate(control.change), rate(control.shuffled_change)


def _limit(control: np.ndarray) -> float:
    return float(np.quantile(np.abs(control), SHARE_WITHIN, method="inverted_cdf"))


def _mainly_here(change: np.ndarray, control: np.ndarray) -> np.ndarray:
    usual = np.abs(control).max(axis=0)  # [layer, head]
    return np.abs(change) > np.maximum(_limit(control), TIMES_CONTROL * usual)


def _named_head(change: np.ndarray, control: np.ndarray) -> HeadId | None:
    """Return the head with the largest change of all, up or down, if it is mainly in this text, else None."""
    if np.isnan(change).any():
        return None
    largest = np.unravel_index(int(np.abs(change).argmax()), change.shape)
    return HeadId(int(largest[0]), int(largest[1])) if _mainly_here(change, control)[largest] else None


def band_of(n_tokens: int) -> tuple[int, int] | None:
    """Return the band of lengths that a text belongs to, or None if it has no control."""
    return next(((low, high) for low, high in BANDS if low <= n_tokens <= high), None)


def ablation_control(model: str, revision: str, n_tokens: int) -> AblationControl:
    """Return the control for texts of this many tokens, of exactly these weights.

    Raises:
        InputError: the control lacks this model, or texts of this length.
    """
    stored = assets.optional(assets.model_file("ablation_control", model), _read)
    if not stored or not revision or stored[0].revision != revision:
        raise InputError(f"No control was measured for {model}: its changes are numbers alone.")
    for control in stored:
        if control.band == band_of(n_tokens):
            return control
    raise InputError(
        f"There is no control for a text of {in_words(n_tokens, 'token')}: control texts have {stored[0].band[0]} to "
        f"{stored[-1].band[1]}. Its changes are numbers alone."
    )


def _read(content: bytes) -> tuple[AblationControl, ...]:
    stored = assets.arrays(content)
    n_texts, n_tokens = len(stored["texts"]), stored["n_tokens"].astype(int)
    change, shuffled_change, log_probability = (
        stored[name].astype(np.float64) for name in ("change", "shuffled_change", "log_probability")
    )
    if (
        change.ndim != 3
        or change.shape != shuffled_change.shape
        or any(len(stored[name]) != n_texts for name in (*NAMES, "n_tokens", "change", "log_probability"))
    ):
        raise ShapeError("A control needs a length, a word and two changes of every head for each text.")
    controls = []
    for low, high in BANDS:
        rows = np.flatnonzero((n_tokens >= low) & (n_tokens <= high))
        if not len(rows):  # a file may lack a band
            continue
        names: dict[str, Any] = {name: tuple(map(str, stored[name][rows])) for name in NAMES}
        controls.append(
            AblationControl(
                str(stored["model"]), str(stored["revision"]), str(stored["kind"]), (low, high),
                n_tokens=n_tokens[rows], log_probability=log_probability[rows], change=change[rows],
                shuffled_change=shuffled_change[rows], **names,
            )
        )  # fmt: skip
    return tuple(controls)
