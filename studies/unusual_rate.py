"""How often the rule for one sentence calls the furthest lean of a head unusual: ``python -m studies.unusual_rate``.

The rule is tried on sentences whose words force a reading, some ten minutes of work.
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from mha import assets
from mha.analysis.leaning import MANY, UNUSUAL_AT, ShuffleSummary, move_reading, orders, reordered
from mha.analysis.readings import leans
from mha.intervention.bank import iter_text_maps
from mha.intervention.calibrated import MEASURE, RuleTrial, UnusualSentence
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId, Reading
from mha.models.files.catalog import DEFAULT
from mha.models.watch.attending import attend
from mha.pairs import KINDS, Pair, pairs_of
from mha.words import words
from studies.forced import pairs_with_leans

MOST_PAIRS = 41  # of a kind; of more, every other one is tried


def tried_pairs(kind: str) -> tuple[Pair, ...]:
    """Return the forced pairs of a kind that the rule is tried on."""
    pairs = pairs_of(kind)
    return pairs[:: math.ceil(len(pairs) / MOST_PAIRS)]


def leans_of(experiment: Subject, texts: Sequence[str], readings: Sequence[Sequence[Reading]]) -> np.ndarray:
    """Return the lean of every head in every text, each with its own readings, as float64 [text, layer, head].

    Raises:
        InputError: as `mha.analysis.readings.lean`.
    """
    values = np.empty((len(texts), experiment.n_layers, experiment.n_heads))
    for number, maps in iter_text_maps(experiment, texts):
        values[number] = leans(maps, readings[number]).lean
    return values


def in_other_orders(experiment: Subject, text: str, readings: Sequence[Reading]) -> ShuffleSummary:
    """Return the leans of a text and those of its words in other orders."""
    permutations = orders(len(words(text)), MANY, fixed=int(experiment.causal))
    texts = [reordered(text, order) for order in permutations]
    followed = [tuple(move_reading(reading, text, order) for reading in readings) for order in permutations]
    lean = leans(attend(text, experiment.loaded), readings, MEASURE).lean
    return ShuffleSummary(lean, leans_of(experiment, texts, followed))


def unusual_side(summary: ShuffleSummary) -> str:
    """Return the reading that the furthest lean goes to, "A" or "B", where it is unusual; "" where it is not."""
    if summary.p > UNUSUAL_AT:
        return ""
    return "A" if summary.lean.flat[np.abs(summary.lean).argmax()] > 0 else "B"


def tried_on(experiment: Subject, kinds: Sequence[str] = KINDS) -> RuleTrial:
    """Return the rule tried on both versions of the forced pairs of some kinds."""
    rows, n_sentences = [], {}
    for kind in kinds:
        pairs = pairs_with_leans(experiment, tried_pairs(kind))
        n_sentences[kind] = 2 * len(pairs)
        for pair in pairs:
            for text, forces in ((pair.a, "A"), (pair.b, "B")):
                summary = in_other_orders(experiment, text, pair.readings)
                if side := unusual_side(summary):
                    furthest = HeadId(*divmod(int(np.abs(summary.lean).argmax()), summary.lean.shape[1]))
                    rows.append(UnusualSentence(kind, text, str(furthest), side, forces))
    return RuleTrial(experiment.loaded.row.name, experiment.loaded.row.revision, n_sentences, tuple(rows))


def main(model: str = DEFAULT) -> None:
    """Try the rule with a model and write its results."""
    results = tried_on(subject(model))
    assets.model_file("unusual", results.model, "json").write_text(
        json.dumps(asdict(results), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m studies.unusual_rate", description=main.__doc__)
    parser.add_argument("model", nargs="?", default=DEFAULT)
    main(parser.parse_args().model)
