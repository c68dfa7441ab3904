"""The numbers of the page on what may be concluded, each computed when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.looks import strongest_look
from mha.analysis.opening import opening_heads
from mha.analysis.sinks import set_aside
from mha.brief import with_arrays
from mha.core import PRESETS, attend, sinusoidal_positions, trace
from mha.engine.bundled import RUNS_FILE, read_runs
from mha.formats import labels
from mha.intervention.calibrated import calibration
from mha.maps import AttentionMaps, HeadId, Reading
from mha.models.toy import trained_toy
from mha.training.settings import Settings

TRAINED_SENTENCE = "the tall man saw the dog with the telescope ."
PIVOT, NOUNS = 8, (2, 5)  # telescope; man, dog


@dataclass(frozen=True)
class Directed:
    """One head's strongest look from a word to another, and how much of it comes back."""

    head: HeadId
    query: str
    key: str
    there: float
    back: float


def directed(maps: AttentionMaps, readings: Sequence[Reading] | None = None) -> Directed:
    """Return the first opening head's strongest look, sinks set aside, beside the look in the other direction."""
    shown = set_aside(maps.merged()).maps
    head = opening_heads(maps, readings)[0]
    look = strongest_look(shown, head)
    if look is None:
        raise ValueError("an opening head has a look worth a sentence")
    names = labels(shown.tokens)
    return Directed(head, names[look.query], names[look.key], look.weight, float(shown[head][look.key, look.query]))


@dataclass(frozen=True)
class Near:
    """What a word of a toy gives another word and itself, and how near the other's vector is, as a cosine."""

    text: str
    query: str
    key: str
    there: float
    itself: float
    cosine: float


def near() -> Near:
    """Return it for the last word of "All is well" and the first, in the toy with one head."""
    row = PRESETS["one_head"]
    words, vectors = row.text.split(), row.embeddings()
    weights = trace(row.heads(), vectors)["weights"][0, -1]
    lengths = np.linalg.norm(vectors, axis=1)
    cosine = float(vectors[-1] @ vectors[0] / (lengths[-1] * lengths[0]))
    return Near(row.text, words[-1], words[0], float(weights[0]), float(weights[-1]), cosine)


@with_arrays
class Trained:
    """The trained toy on one sentence.

    ``looks`` [head, noun] are the weights from the pivot to each noun; ``sure`` [noun] how sure each reader is of its
    own noun; ``silenced`` [head, noun] the same with one head switched off.
    """

    looks: np.ndarray
    sure: np.ndarray
    silenced: np.ndarray


def trained() -> Trained:
    """Return what the trained toy's two heads do on one sentence of its language."""
    model, words = trained_toy(), TRAINED_SENTENCE.split()
    answers = [model.answers.index(words[noun]) for noun in NOUNS]

    def sure(off: tuple[int, ...] = ()) -> np.ndarray:
        named = model.name(words, PIVOT, off)  # [reading, answer]
        return named[np.arange(len(answers)), answers]

    looks = model.trace(words)["weights"][:, PIVOT, list(NOUNS)]  # [head, noun]
    return Trained(looks, sure(), np.array([sure((head,)) for head in range(model.heads.n_heads)]))


def without_head(head: int) -> tuple[float, ...]:
    """Return how often each reading is right, of new sentences, once a head of the two trained here is switched off.

    The same numbers as on Watch heads learn, of the run that came with the app.
    """
    return tuple(read_runs(RUNS_FILE)[Settings(n_heads=2)].silenced[-1, head].tolist())


def right_with(n_heads: int) -> float:
    """Return how often both readings are right, of new sentences, in the bundled run with so many heads."""
    return float(read_runs(RUNS_FILE)[Settings(n_heads=n_heads)].joint[-1])


def half_carry_less() -> tuple[float, int] | None:
    """Return the median size of what one head of MiniLM carries over the pronoun test pairs, and how many pairs.

    Heads of the layer where the score is taken, and after it, are left out; see `mha.intervention.calibrated.Carrying`.
    None where the file with it is missing.
    """
    found = calibration()
    if found is None:
        return None
    carrying = found.kinds["pronoun"].carrying
    return float(np.median(np.abs(carrying.share[: carrying.at - 1]))), carrying.n_pairs


def numbers_read() -> tuple[int, int, int]:
    """Return how many numbers of a word every head of the trained toy draws on, how many a word has, and d_head."""
    heads = trained_toy().heads
    drawn = [heads.of_head("w_query", head).any(axis=1).sum() for head in range(heads.n_heads)]
    return int(min(drawn)), heads.d_model, heads.d_head


def shuffled_differences() -> tuple[float, float]:
    """Return how far outputs are from merely changing places when the words do, without positions and with them."""
    row = PRESETS["two_heads"]
    heads, x = row.heads(), row.embeddings()
    order = np.roll(np.arange(len(x)), 1)
    positions = sinusoidal_positions(*x.shape)
    found = []
    for added in (np.zeros_like(x), positions):
        before, _ = attend(heads, x + added)
        after, _ = attend(heads, x[order] + added)
        found.append(float(np.abs(after - before[order]).max()))
    return found[0], found[1]
