"""Control texts: unfinished plain English sentences, cut so that their lengths in tokens spread evenly over a band."""

from __future__ import annotations

import re
from pathlib import Path

from mha.intervention.subject import Subject

SENTENCES = Path(__file__).with_name("control_sentences.txt")  # written for this; none is a sample sentence or example


def control_sentences() -> tuple[str, ...]:
    """Return the sentences, each of more than 32 tokens, that control texts are cut from."""
    return tuple(SENTENCES.read_text(encoding="utf-8").splitlines())


def control_texts(experiment: Subject, band: tuple[int, int]) -> tuple[str, ...]:
    """Return one beginning of each sentence for a band of lengths: lengths go through the band in turn.

    A beginning ends after a whole word, never after a mark. If a sentence has none of the intended length, the one in
    the band that is nearest in length is taken, the shorter of two.
    """
    low, high = band
    lengths = range(low, high + 1)
    return tuple(
        _beginning(experiment, sentence, low + number % len(lengths), lengths)
        for number, sentence in enumerate(control_sentences())
    )


def _beginning(experiment: Subject, sentence: str, wanted: int, lengths: range) -> str:
    ends = [match.end() for match in re.finditer(r"[^\W_](?=\s)", sentence)]  # a letter before a space
    beginnings = [sentence[:end] for end in ends[: 2 * lengths[-1]]]
    counted = ((len(experiment.encoded(text).tokens), text) for text in beginnings)
    in_band = [(abs(count - wanted), count, text) for count, text in counted if count in lengths]
    return min(in_band)[2]
