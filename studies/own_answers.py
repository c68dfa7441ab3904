"""How often a model's own answer orders the two versions of a test pair: writes `assets/own_answers.json`.

``python -m studies.own_answers`` takes about three minutes on one core. Only pairs whose candidates are one token each
are counted, as the page refuses others.
"""

import argparse
import json
from collections.abc import Iterator

import mha
from mha.analysis.proposals import FILE, KINDS, answer_prompt
from mha.errors import InputError
from mha.models.files.catalog import model_row
from mha.pairs import Pair, pairs_of
from mha.words import words

MODEL = "smollm2"


def orders(pairs: tuple[Pair, ...], model: str = MODEL) -> Iterator[bool]:
    """Yield for each pair with one-token candidates whether version A scores candidate A higher than version B does."""
    for pair in pairs:
        number = int(pair.readings[0].links[0][0])
        candidates = [words(pair.a)[int(reading.links[0][1])] for reading in pair.readings]
        scores = []
        for text in (pair.a, pair.b):
            prompt = answer_prompt(text, words(text)[number])
            try:
                prediction = mha.next_words(prompt, model, candidates)
            except InputError:
                break
            first, second = (prediction.sweep.index_of(candidate) for candidate in candidates)
            log_probability = prediction.sweep.log_probability
            scores.append(float(log_probability[first] - log_probability[second]))
        if len(scores) == 2:
            yield scores[0] > scores[1]


def main() -> None:
    """Measure the kinds of ambiguity and write the file."""
    argparse.ArgumentParser(prog="python -m studies.own_answers", description=main.__doc__).parse_args()
    ordered = {kind: list(orders(pairs_of(kind))) for kind in KINDS}
    kinds = {kind: {"n": len(row), "n_ordered": sum(row)} for kind, row in ordered.items()}
    content = {"model": MODEL, "revision": model_row(MODEL).revision, "kinds": kinds}
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
