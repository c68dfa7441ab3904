"""``python -m studies.language_model EXPERIMENT`` measures one experiment, prints its numbers and stores them."""

import argparse
import json
from collections.abc import Callable

from mha.assets import ASSETS
from mha.models.watch.attending import load_model
from studies.language_model.drinks import indirect_object, write_effects
from studies.language_model.lab import Lab, Row
from studies.language_model.places import capitals, places_and_facts
from studies.language_model.repetition import composition, induction
from studies.language_model.sink_and_number import agreement, sink

MODEL = "smollm2"
FILE = ASSETS / "language_model.json"
EXPERIMENTS: dict[str, Callable[[Lab], Row]] = {
    "effects": write_effects,
    "indirect_object": indirect_object,
    "capitals": capitals,
    "places_and_facts": places_and_facts,
    "induction": induction,
    "composition": composition,
    "sink": sink,
    "agreement": agreement,
}


def stored_results() -> Row:
    """Return the stored results by experiment."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


def store(name: str, results: Row) -> None:
    """Put the results of an experiment into the file, in the order of `EXPERIMENTS`."""
    results = stored_results() | {name: results}
    ordered = {experiment: results[experiment] for experiment in EXPERIMENTS if experiment in results}
    FILE.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Measure experiments with SmolLM2, print their numbers and store them in assets/language_model.json."""
    parser = argparse.ArgumentParser(prog="python -m studies.language_model", description=main.__doc__)
    parser.add_argument(
        "experiments", nargs="*", metavar="experiment", help=f"{', '.join(EXPERIMENTS)}; all if not given"
    )
    options = parser.parse_args()
    lab = Lab.for_model(load_model(MODEL))
    for name in options.experiments or EXPERIMENTS:
        results = EXPERIMENTS[name](lab)
        print(name, json.dumps(results, indent=1))
        store(name, results)


if __name__ == "__main__":
    main()
