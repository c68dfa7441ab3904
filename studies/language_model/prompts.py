"""Prompts of the experiments, drawn with a seed from the lists in `prompts.json`; no model is needed."""

import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("prompts.json")
EXAMPLE = "When Mary and John went to the store, John gave a drink to"


@cache
def lists() -> dict[str, Any]:
    """Return the lists."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


@dataclass(frozen=True)
class DrinkPrompt:
    """A sentence in which one of two persons gives something to the other, or a third person does."""

    text: str
    recipient: str
    giver: str


def drink_prompts(count: int, seed: int, third_giver: bool = False) -> list[DrinkPrompt]:
    """Return different prompts; the giver is named first in one half, second in the other.

    A third giver makes both names equally likely: ``recipient`` and ``giver`` are then the first and the second
    name of one half, and the reverse in the other. `EXAMPLE` is not among them.

    >>> drink_prompts(1, 0)[0].recipient in drink_prompts(1, 0)[0].text
    True
    """
    generator, data = random.Random(repr((seed, third_giver))), lists()["drinks"]
    prompts: dict[str, DrinkPrompt] = {}
    while len(prompts) < count:
        recipient, giver, third = generator.sample(lists()["names"], 3)
        first, second = (recipient, giver) if len(prompts) % 2 else (giver, recipient)
        text = generator.choice(data["templates"]).format(
            a=first, b=second, giver=third if third_giver else giver, place=generator.choice(data["places"]),
            object=generator.choice(data["objects"]),
        )  # fmt: skip
        if text != EXAMPLE:
            prompts[text] = DrinkPrompt(text, recipient, giver)
    return list(prompts.values())


def agreement_prompts(count: int, seed: int) -> dict[tuple[str, str], list[str]]:
    """Return prompts by the number of the subject and of the other noun, "singular" or "plural", from the same pairs.

    >>> agreement_prompts(1, 0)["singular", "plural"][0].split()[0]
    'The'
    """
    data = lists()["agreement"]
    pairs = [(subject, attractor) for subject in data["subjects"] for attractor in data["attractors"]]
    sample = random.Random(seed).sample(pairs, count)
    numbers = ("singular", "plural")
    return {
        (number, other_number): [
            f"The {subject[column]} {data['prepositions'][subject[0]]} the {attractor[other_column]}"
            for subject, attractor in sample
        ]
        for column, number in enumerate(numbers)
        for other_column, other_number in enumerate(numbers)
    }


@dataclass(frozen=True)
class FactPrompt:
    """An unfinished sentence with the word that fits; intervals redraw each ``group`` (a country or city) whole."""

    text: str
    word: str
    group: str


def capital_prompts(sample: str) -> list[FactPrompt]:
    """Return every form of the question for the countries of a sample, "selection" or "test".

    >>> len(capital_prompts("selection")) == 3 * len(lists()["capitals"]["selection"])
    True
    """
    data = lists()["capitals"]
    return [
        FactPrompt(template.format(country=country), capital, country)
        for country, capital in data[sample]
        for template in data["templates"]
    ]


def fact_prompts() -> dict[str, list[FactPrompt]]:
    """Return prompts about places and about other things, by their kind."""
    return {
        kind: [
            FactPrompt(template.format(name), word, name)
            for name, word in data["items"]
            for template in data["templates"]
        ]
        for kind, data in lists()["places_and_facts"].items()
    }
