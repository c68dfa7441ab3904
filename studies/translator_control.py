"""The control of the translator's heads: 48 sentences about things, whose written article does not depend on a person.

Every head is ablated in turn, and the change of ln(P(A) / P(O)), the feminine article against the masculine one as the
first written word, is kept: its sign is that of the article which the translator writes. A head whose effect on a typed
sentence is no larger than on these sentences about other nouns is not named. ``python -m studies.bundled translator
control`` measures the sentences and their shuffled copies and writes the file.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from tqdm import tqdm

from mha.analysis.ablation_control import AblationControl
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.subject import Subject
from studies.control_texts import shuffled_copy
from studies.files import WorkFolder

BAND = (9, 16)  # tokens of every sentence
ARTICLES = ("A", "O")
FRAMES = {  # each is a source: a sentence is judged against those of the other frames
    "fell": "The {} fell to the ground because it was very heavy.",
    "bought": "The {} was not for sale because it was too old.",
    "garden": "The {} in the garden did not move because it was wet.",
    "photo": "The {} in the photograph looks small because it is far away.",
}
NOUNS = {
    "fell": ("table", "lamp", "book", "chair", "mirror", "box", "clock", "bottle", "picture", "stone", "bag", "bell"),
    "bought": (
        "house", "car", "boat", "bicycle", "piano", "guitar", "bed", "carpet", "coat", "watch", "camera", "bridge",
    ),
    "garden": (
        "tree", "flower", "bench", "gate", "swing", "tent", "ladder", "hammock", "chain", "rope", "flag", "ball",
    ),
    "photo": (
        "mountain", "island", "church", "tower", "castle", "ship", "star", "moon", "river", "road", "farm", "village",
    ),
}  # fmt: skip


def control_sentences() -> dict[str, str]:
    """Return the 48 sentences and the frame of each."""
    return {FRAMES[frame].format(noun): frame for frame, nouns in NOUNS.items() for noun in nouns}


def article_effects(experiment: Subject, text: str) -> dict[str, np.ndarray]:
    """Return the ablations of every head for the first written article, as the arrays of one control text.

    ``change`` is float64 [layer, head], in nats; the layers of the cross-attention follow those of the encoder.
    """
    *_, sweep = iter_word_sweep(text, experiment.loaded, ARTICLES)
    word = int(sweep.log_probability.argmax())
    return {
        "n_tokens": np.array(len(experiment.encoded(text).tokens)),
        "word": np.array(ARTICLES[word]),
        "log_probability": sweep.log_probability[word],
        "change": np.concatenate([sweep.change_of(word, 1 - word, cross) for cross in (False, True)]),
    }


def measure_translator_control(experiment: Subject, work: WorkFolder) -> AblationControl:
    """Return the control of the translator; measured texts are kept in a work folder."""
    texts, row = control_sentences(), experiment.loaded.row
    copies = [shuffled_copy(experiment, text) for text in texts]
    originals, shuffled = (
        [work.load_or_measure("article", text, partial(article_effects, experiment, text)) for text in tqdm(group)]
        for group in (texts, copies)
    )
    return AblationControl(
        row.name, row.revision, "mean", BAND,
        texts=tuple(texts),
        sources=tuple(texts.values()),
        n_tokens=np.array([int(arrays["n_tokens"]) for arrays in originals]),
        words=tuple(str(arrays["word"]) for arrays in originals),
        log_probability=np.array([float(arrays["log_probability"]) for arrays in originals]),
        change=np.array([arrays["change"] for arrays in originals]),
        shuffled_texts=tuple(copies),
        shuffled_change=np.array([arrays["change"] for arrays in shuffled]),
    )  # fmt: skip
