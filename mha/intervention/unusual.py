"""Where every head leans between two readings, and how often the rule for one sentence calls its furthest lean unusual.

The rule is tried on sentences whose words force a reading: `python -m mha.intervention.unusual` measures it, some ten
minutes of work; bundled for MiniLM. Reading needs no torch.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mha import assets
from mha.analysis import readings as of_maps
from mha.analysis.leaning import MANY, UNUSUAL_AT, ShuffleSummary, moved, orders, reordered
from mha.analysis.readings import Readings, leans
from mha.archive import restored
from mha.assets import ASSETS
from mha.maps import AttentionMaps, HeadId, Reading
from mha.models.files.catalog import DEFAULT, model_row
from mha.pairs import KINDS, Pair, pairs_of
from mha.words import words

if TYPE_CHECKING:
    from mha.intervention.subject import Subject
    from mha.models.files.loading import LoadedModel

MEASURE = "default"  # what leans are measured on, a name of `mha.analysis.readings.lean`
MOST_PAIRS = 41  # of a kind; of more, every other one is tried


@dataclass(frozen=True)
class Found:
    """A sentence whose furthest lean was unusual: which head, to which reading, and which one the words force."""

    kind: str
    text: str
    head: str
    leans: str
    forces: str


@dataclass(frozen=True)
class Tried:
    """In how many sentences the rule was tried, by kind, and where it called a lean unusual."""

    model: str
    revision: str
    sentences: dict[str, int]
    found: tuple[Found, ...]

    @property
    def n(self) -> int:
        """How many sentences there were."""
        return sum(self.sentences.values())

    @property
    def right(self) -> int:
        """In how many of those that were found the lean goes to the reading that the words force."""
        return sum(one.leans == one.forces for one in self.found)


def tried_pairs(kind: str) -> tuple[Pair, ...]:
    """Return the forced pairs of a kind that the rule is tried on."""
    some = pairs_of(kind)
    return some[:: math.ceil(len(some) / MOST_PAIRS)]


def in_other_orders(experiment: Subject, text: str, readings: Sequence[Reading]) -> ShuffleSummary:
    """Return the leans of a text beside those of its words in other orders."""
    from mha.intervention.batches import leans_of
    from mha.models.watch.attending import attend

    some = orders(len(words(text)), MANY)
    texts = [reordered(text, order) for order in some]
    followed = [tuple(moved(reading, text, order) for reading in readings) for order in some]
    here = leans(attend(text, experiment.loaded), readings, MEASURE).lean
    return ShuffleSummary(here, leans_of(experiment, texts, followed))


def unusual_side(summary: ShuffleSummary) -> str:
    """Return the reading that the furthest lean goes to, "A" or "B", where it is unusual; "" where it is not."""
    if summary.p > UNUSUAL_AT:
        return ""
    return "A" if summary.lean.flat[np.abs(summary.lean).argmax()] > 0 else "B"


def tried_on(experiment: Subject, kinds: Sequence[str] = KINDS) -> Tried:
    """Return the rule tried on both versions of the forced pairs of some kinds."""
    found = []
    for kind in kinds:
        for pair in tried_pairs(kind):
            for text, forces in ((pair.a, "A"), (pair.b, "B")):
                summary = in_other_orders(experiment, text, pair.readings)
                if side := unusual_side(summary):
                    furthest = HeadId(*divmod(int(np.abs(summary.lean).argmax()), summary.lean.shape[1]))
                    found.append(Found(kind, text, str(furthest), side, forces))
    sentences = {kind: 2 * len(tried_pairs(kind)) for kind in kinds}
    return Tried(experiment.loaded.row.name, experiment.loaded.row.revision, sentences, tuple(found))


def file_of(model: str) -> Path:
    """Return where it is kept what the rule says with a model, by its name in the catalog."""
    return ASSETS / f"unusual_{model.replace('/', '--')}.json"


def tried(model: str = DEFAULT) -> Tried | None:
    """Return what comes with the program, or None where the rule was not tried with exactly these weights."""
    row = model_row(model)
    found: Tried | None = assets.optional(file_of(row.name), lambda content: restored(Tried, json.loads(content)))
    return found if found is not None and row.revision and found.revision == row.revision else None


def main(model: str = DEFAULT) -> None:
    """Try the rule with a model and write what it says."""
    from mha.intervention.subject import subject

    found = tried_on(subject(model))
    file_of(found.model).write_text(json.dumps(asdict(found), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def lean(
    text: str | AttentionMaps,
    readings: Readings | None = None,
    measure: str = "default",
    model: str | Path | LoadedModel = DEFAULT,
) -> np.ndarray:
    """Return each head's lean between two readings, positive towards the first, as float64 [layer, head].

    A text is read by ``model`` as `mha.attend` reads it, by words; maps are taken as they are. Without ``readings``
    they are those of the first of `mha.propose`, whose names say which is which: ``mha.propose(text)[0].readings``.

    Raises:
        InputError: there are not two readings, they are the same, a word is not in the text, nothing is suggested for
            it, or no such measure.
        UnknownModel: no such model is on offer.
        ModelUnavailable: it cannot be loaded here and now.
    """
    if isinstance(text, AttentionMaps):
        return of_maps.lean(text, readings, measure)
    from mha.models.watch.attending import attend  # torch, which maps do not need

    return of_maps.lean(attend(text, model).merged(), readings, measure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m mha.intervention.unusual", description=main.__doc__)
    parser.add_argument("model", nargs="?", default=DEFAULT)
    main(parser.parse_args().model)
