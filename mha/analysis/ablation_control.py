"""Control for ablations: how far ablating a head changes the likeliest next word of ordinary, unrelated texts.

A large change is common: among 270 heads some head nearly always changes a text's next word. So a change is compared
with the same ablations on control texts of similar length. Each control text is unfinished plain English, written for
this purpose; every head is ablated in turn, and the change of the log-probability of the text's own likeliest next word
is kept. `python -m studies.bundled MODEL` measures and writes the file; nothing here needs a model.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mha import assets
from mha.assets import ASSETS
from mha.brief import once_of_each, with_arrays
from mha.errors import InputError, ShapeError
from mha.formats import counted
from mha.maps import HeadId

FOLDER = ASSETS
BANDS = ((4, 8), (9, 16), (17, 32))  # tokens of a text, both ends included
SHARE_WITHIN = 0.9  # of all ablations of control texts stay within the limit
TIMES_CONTROL = 2.0  # a change mainly on this text is more than so many times the head's largest on a control text
HIGHEST_NAMING_RATE = 0.2  # where the rule names a head on more control texts than this, no head is named


@with_arrays
class AblationControl:
    """Ablations of every head on the control texts of one band of lengths.

    ``change`` is float64 [text, layer, head]: log-probability, in nats, of the text's likeliest next word with the head
    ablated minus with all heads on. ``words`` are these words as the tokenizer writes them, ``log_probability`` float64
    [text] theirs with all heads on, ``n_tokens`` int [text]. ``kind`` is the kind of ablation; ``band`` the lengths.
    """

    model: str
    revision: str
    kind: str
    band: tuple[int, int]
    texts: tuple[str, ...]
    n_tokens: np.ndarray
    words: tuple[str, ...]
    log_probability: np.ndarray
    change: np.ndarray

    @property
    def limit(self) -> float:
        """The control limit in nats: the smallest |change| that at least 90 of 100 ablations stay within."""
        return _limit(self.change)

    def n_texts_changed(self, change: float) -> int:
        """Return on how many control texts some head changes the likeliest word at least as much, up or down."""
        largest = np.abs(self.change).max(axis=(1, 2))  # [text]
        return int((largest >= abs(change)).sum())

    def mainly_here(self, change: np.ndarray) -> np.ndarray:
        """Return which heads lower a word mainly in this text, bool [layer, head], from ``change`` in nats.

        Such a change is a fall, past the limit, and more than twice the largest change by the same head on any control
        text. Heads that are not measured (NaN) are False.
        """
        self._check(change)
        return _mainly_here(change, self.change)

    def named_head(self, change: np.ndarray) -> HeadId | None:
        """Return the head with the largest change of all if that change is mainly in this text, else None.

        It is None while a head is not measured. A page names it only if `naming_rate` is at most 20 %.
        """
        self._check(change)
        return _named_head(change, self.change)

    @property
    def naming_rate(self) -> float:
        """The share of control texts on which `named_head` names a head, each text against all others of the band."""
        return naming_rate(self)

    @property
    def may_name(self) -> bool:
        """Whether the rule names a head rarely enough on control texts."""
        return self.naming_rate <= HIGHEST_NAMING_RATE

    def _check(self, change: np.ndarray) -> None:
        if change.shape != self.change.shape[1:]:
            raise ShapeError(f"The control has heads {self.change.shape[1:]}; these changes are {change.shape}.")


@once_of_each
def naming_rate(control: AblationControl) -> float:
    """Return `AblationControl.naming_rate`, computed once."""
    numbers = range(len(control.change))
    named = [_named_head(control.change[number], np.delete(control.change, number, axis=0)) for number in numbers]
    return sum(head is not None for head in named) / len(named)


def _limit(control: np.ndarray) -> float:
    return float(np.quantile(np.abs(control), SHARE_WITHIN, method="inverted_cdf"))


def _mainly_here(change: np.ndarray, control: np.ndarray) -> np.ndarray:
    usual = np.abs(control).max(axis=0)  # [layer, head]
    return (change < -_limit(control)) & (-change > TIMES_CONTROL * usual)


def _named_head(change: np.ndarray, control: np.ndarray) -> HeadId | None:
    if np.isnan(change).any():
        return None
    largest = np.unravel_index(int(np.abs(change).argmax()), change.shape)
    return HeadId(int(largest[0]), int(largest[1])) if _mainly_here(change, control)[largest] else None


def band_of(n_tokens: int) -> tuple[int, int] | None:
    """Return the band of lengths that a text belongs to, or None if it has no control."""
    return next(((low, high) for low, high in BANDS if low <= n_tokens <= high), None)


def file_of(model: str) -> Path:
    """Return the file of a model's control, by its name in the catalogue."""
    return FOLDER / f"ablation_control_{model.replace('/', '--')}.npz"


def ablation_control(model: str, revision: str, n_tokens: int) -> AblationControl:
    """Return the control for texts of this many tokens, of exactly these weights.

    Raises:
        InputError: there is no control for this model, or for texts of this length.
    """
    known = assets.optional(file_of(model), _read)
    if not known or not revision or known[0].revision != revision:
        raise InputError(f"No control was measured for {model}: its changes are numbers alone.")
    band = band_of(n_tokens)
    if band is None:
        raise InputError(
            f"There is no control for a text of {counted(n_tokens, 'token')}: control texts have {BANDS[0][0]} to "
            f"{BANDS[-1][1]}. Its changes are numbers alone."
        )
    return next(control for control in known if control.band == band)


def _read(content: bytes) -> tuple[AblationControl, ...]:
    stored = assets.arrays(content)
    texts, words, n_tokens = stored["texts"], stored["words"], stored["n_tokens"].astype(int)
    change, log_probability = stored["change"].astype(np.float64), stored["log_probability"].astype(np.float64)
    if change.ndim != 3 or any(len(part) != len(texts) for part in (words, n_tokens, change, log_probability)):
        raise ShapeError("A control needs a length, a word and a change of every head for each text.")
    controls = []
    for low, high in BANDS:
        rows = np.flatnonzero((n_tokens >= low) & (n_tokens <= high))
        if not len(rows):
            raise ShapeError(f"A control needs texts of {low} to {high} tokens.")
        controls.append(
            AblationControl(
                str(stored["model"]), str(stored["revision"]), str(stored["kind"]), (low, high),
                tuple(str(text) for text in texts[rows]), n_tokens[rows], tuple(str(word) for word in words[rows]),
                log_probability[rows], change[rows],
            )
        )  # fmt: skip
    return tuple(controls)
