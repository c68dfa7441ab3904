"""Eight claims that lessons make, each beside what is measured here when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.looks import strongest_look
from mha.analysis.opening import opening_heads
from mha.analysis.sinks import set_aside
from mha.core import PRESETS, shuffle, sinusoidal_positions, trace
from mha.engine.bundled import RUNS_FILE, read_runs
from mha.formats import accuracy, labels, number, percent
from mha.intervention.calibrated import calibration
from mha.maps import AttentionMaps, HeadId, Reading
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.toy import trained_toy
from mha.training.settings import Settings

TRAINED_SENTENCE = "the tall man saw the dog with the telescope ."
PIVOT, NOUNS = 8, (2, 5)  # telescope; man, dog
DirectedLook = tuple[HeadId, str, str, float, float]


@dataclass(frozen=True)
class LessonClaim:
    """What lessons say, the one-line answer, what is measured here, and the pages that show it, the best one first.

    ``step`` is where Step by step opens, where it is not its first.
    """

    said: str
    answer: str
    measured: str
    pages: tuple[str, ...]
    step: str = ""


def lessons(look: DirectedLook) -> tuple[LessonClaim, ...]:
    """Return the eight lessons beside their numbers; ``look`` is from the example sentence, not from the reader's."""
    head, query, key, there, back = look
    toy, (to_first, to_itself, cosine) = PRESETS["one_head"].text.split(), near()
    own = noun_looks().max(axis=1)  # [head]
    drawn, width, d_head = numbers_read()
    one, two = (read_runs(RUNS_FILE)[Settings(n_heads=n_heads)] for n_heads in (1, 2))  # those of Watch heads learn
    hurt, kept = sorted(two.silenced[-1, 1].tolist())
    half = half_carry_less()
    without, with_positions = shuffled_differences()
    return (
        LessonClaim(
            "Heads look at similar words.",
            f"No: attention has a direction. In {head}, *{query}* gives *{key}* {percent(there)} of its attention to "
            f"words; the other way, it is {percent(back)}.",
            "A similarity would be the same both ways. Attention is a directed weighting. In the toy sentence "
            f"“{' '.join(toy)}”, *{toy[-1]}* gives *{toy[0]}* {percent(to_first)} and itself {percent(to_itself)}; its "
            f"vector has a cosine of {number(cosine, 2)} with *{toy[0]}* and of 1 with itself.",
            ("heads.py",),
        ),
        LessonClaim(
            "Each head captures a meaning.",
            "Only where trained to: in the small model here, each head looks at one noun.",
            f"At *telescope* in “{TRAINED_SENTENCE.removesuffix(' .')}”, head 0 gives one noun {percent(own[0])} of "
            f"its attention, and head 1 gives the other noun {percent(own[1])}. Nothing here shows that of a "
            "pretrained model, and the leans of one sentence do not show which reading is meant.",
            ("readings.py", "training.py", "heads.py"),
        ),
        LessonClaim(
            "Each head reads a part of the embedding.",
            f"No: each reads all {drawn} numbers and projects them to {d_head}."
            if drawn == width
            else f"No: each reads {drawn} of {width} numbers and projects them to {d_head}.",
            "This is the standard design, as in the model trained here. What is split is the projected space. Heads "
            "that read only a part are another design; Step by step has it.",
            ("steps.py", "heads.py"),
        ),
        LessonClaim(
            "Heads are an ensemble.",
            "In part: many heads carry little on their own, but some cannot be spared. Without head 1, one answer "
            f"falls to {accuracy(hurt)}; the other is at {accuracy(kept)}.",
            f"{'' if half is None else _for_ensembles(*half)}Against it: each of the two heads trained here names "
            "one noun, in new sentences too. An ensemble averages models that answer alone; heads are parts of one "
            "sum.",
            ("training.py", "readings.py", "heads.py"),
        ),
        LessonClaim(
            "Several heads improve downstream performance.",
            f"On one small task here: two heads are right in {accuracy(float(two.joint[-1]))} of new sentences, "
            f"one head of the same total size in {accuracy(float(one.joint[-1]))}.",
            "One task, one layer, and one run of each. It does not show that more heads help elsewhere.",
            ("training.py", "questions.py"),
        ),
        LessonClaim(
            "W_O keeps the dominant perspective.",
            "No: W_O is fixed after training, the same for every sentence.",
            "It adds up what all heads contribute, in one way for all texts. How much they contribute depends on "
            "the text; how it is added does not.",
            ("steps.py",),
        ),
        LessonClaim(
            "Word order does not matter to attention.",
            "Without positions, outputs move along with the words; with positions, they also change.",
            f"Moving along is called equivariance (largest difference {_tiny(without)} without positions, "
            f"{with_positions:.2f} with them). An invariant layer would give the same output in every order.",
            ("steps.py", "heads.py"),
            "2 Numbers",
        ),
        LessonClaim(
            "One head can never do two jobs.",
            "In one layer it failed on new pairs here; it can memorise, and two layers of one head can manage.",
            "Within one attention layer, one head finds the two candidates but did not, in the runs made here, keep "
            "apart which belongs to which reading on new word pairs. Two heads of the same total size did.",
            ("training.py", "questions.py"),
        ),
    )


def _for_ensembles(half: float, n_pairs: int) -> str:
    return (
        f"For it: in {model_row(DEFAULT).short}, half of the heads carry less than {percent(half)} each of the score "
        f"change in {n_pairs} pronoun test pairs. "
    )


def _tiny(value: float) -> str:
    return "0" if value == 0 else "below 10⁻¹²" if value < 1e-12 else f"{value:.1g}"


def directed(maps: AttentionMaps, readings: Sequence[Reading] | None = None) -> DirectedLook:
    """Return the first opening head's strongest look from a word to another, sinks set aside, and what comes back.

    That is the head, both words, and both shares.
    """
    shown = set_aside(maps.merged()).maps
    head = opening_heads(maps, readings)[0]
    look = strongest_look(shown, head)
    if look is None:
        raise ValueError("an opening head has a look worth a sentence")
    names = labels(shown.tokens)
    return head, names[look.query], names[look.key], look.weight, float(shown[head][look.key, look.query])


def near() -> tuple[float, float, float]:
    """Return what the last word of "All is well" gives the first and itself, in the toy with one head.

    The third is how near the vectors of the two words are, as a cosine.
    """
    row = PRESETS["one_head"]
    vectors = row.embeddings()
    weights = trace(row.heads(), vectors)["weights"][0, -1]
    lengths = np.linalg.norm(vectors, axis=1)
    return float(weights[0]), float(weights[-1]), float(vectors[-1] @ vectors[0] / (lengths[-1] * lengths[0]))


def noun_looks() -> np.ndarray:
    """Return what the trained toy's two heads give from the pivot to each noun, float64 [head, noun]."""
    return trained_toy().trace(TRAINED_SENTENCE.split())["weights"][:, PIVOT, list(NOUNS)]


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
    order = np.roll(np.arange(len(x)), 1).tolist()

    def difference(positions: np.ndarray | None) -> float:
        of_shuffled, shuffled_of = shuffle(heads, x, order, positions)
        return float(np.abs(of_shuffled - shuffled_of).max())

    return difference(None), difference(sinusoidal_positions(*x.shape))
