"""Control texts of one band of lengths: 16 of each of three sources, and a copy of each with its words shuffled.

    sample sentences  consecutive sample sentences, which are left out of the means of their own ablations
    plain sentences   sentences in `control_sentences.txt`
    other texts       questions, speech, lists, names and facts in `control_other_texts.txt`

The first two sources are cut after a whole word, so that their lengths in tokens spread evenly over the band.
"""

import random
import re
from dataclasses import dataclass
from pathlib import Path

from mha.analysis.ablation_control import BANDS, band_of
from mha.intervention.subject import Subject
from mha.pairs import corpus

SENTENCES = Path(__file__).with_name("control_sentences.txt")  # written for this; none is a sample sentence or example
OTHER_TEXTS = SENTENCES.with_name("control_other_texts.txt")
N_TEXTS = 16  # of each source and band
N_JOINED = 4  # sample sentences, the fewest that always have 32 tokens, of every six


@dataclass(frozen=True)
class ControlText:
    """A control text, its source, and the sample sentences that it begins with."""

    text: str
    source: str
    sample_sentences: tuple[str, ...] = ()


def control_sentences() -> tuple[str, ...]:
    """Return the sentences, each of more than 32 tokens, that plain control texts are cut from."""
    return tuple(SENTENCES.read_text(encoding="utf-8").splitlines())


def control_texts(experiment: Subject, band: tuple[int, int]) -> tuple[ControlText, ...]:
    """Return the control texts of a band, in the order of their sources."""
    numbers = range(N_TEXTS)
    runs = [corpus()[6 * start :][:N_JOINED] for start in range(BANDS.index(band), len(BANDS) * N_TEXTS, len(BANDS))]
    joined = [
        _beginning(experiment, f"{' '.join(run)} ", number, band) for number, run in zip(numbers, runs, strict=True)
    ]
    plain = [_beginning(experiment, control_sentences()[number], number, band) for number in numbers]
    further_texts = [
        text for text in OTHER_TEXTS.read_text(encoding="utf-8").splitlines() if _is_in(experiment, text, band)
    ]
    return (
        *(ControlText(text, "sample sentences", run) for text, run in zip(joined, runs, strict=True)),
        *(ControlText(text, "plain sentences") for text in plain),
        *(ControlText(text, "other texts") for text in further_texts),
    )


def shuffled_copy(experiment: Subject, text: str) -> str:
    """Return a text with its words in a seeded random order; the copy is in the same band of lengths."""
    band, words, generator = band_of(len(experiment.encoded(text).tokens)), text.split(), random.Random(text)
    while True:
        copy = " ".join(generator.sample(words, len(words)))
        if copy != text and _is_in(experiment, copy, band):
            return copy


def _is_in(experiment: Subject, text: str, band: tuple[int, int] | None) -> bool:
    return band_of(len(experiment.encoded(text).tokens)) == band


def _beginning(experiment: Subject, sentence: str, number: int, band: tuple[int, int]) -> str:
    """Return the beginning whose length is nearest to that of this number, the shorter of two; lengths take turns."""
    lengths = range(band[0], band[1] + 1)
    length = lengths[number % len(lengths)]
    ends = [match.end() for match in re.finditer(r"[^\W_](?=\s)", sentence)]  # a letter before a space
    beginnings = [sentence[:end] for end in ends[: 2 * lengths[-1]]]
    lengths_of_texts = ((len(experiment.encoded(text).tokens), text) for text in beginnings)
    in_band = [(abs(count - length), count, text) for count, text in lengths_of_texts if count in lengths]
    return min(in_band)[2]
