"""The sentences of the example pills, with their readings, cue and contrast; from `assets/examples.json`."""

import json
from dataclasses import dataclass
from typing import Any

from mha import assets
from mha.assets import ASSETS
from mha.errors import AssetError
from mha.maps import Reading
from mha.words import words

FILE = ASSETS / "examples.json"
ARITHMETIC = "arithmetic"  # the kind of examples without readings


@dataclass(frozen=True)
class Example:
    """One sentence; ``label`` is its pill.

    ``readings`` are two, A and B; an example of the arithmetic has no readings. ``cue`` is the index of the deciding
    word; ``contrast`` is the text with another deciding word, which allows only the reading ``forces`` ("A" or "B");
    ``others`` are alternatives for the deciding word, with that of ``contrast``. ``seconds`` are a second word for A
    and for B from the same-reading swaps, "" if no swap has one.
    """

    label: str
    kind: str
    text: str
    readings: tuple[Reading, ...] = ()
    cue: int | None = None
    contrast: str | None = None
    forces: str | None = None
    others: tuple[str, ...] = ()
    seconds: tuple[str, str] = ("", "")

    @property
    def sentence(self) -> str:
        """The text with a full stop, as the calibration pairs have theirs."""
        return self.text if self.text.endswith((".", "!", "?")) else self.text + "."


def example_for(text: str) -> Example | None:
    """Return the example with this text, with or without its full stop; any other text gives None."""
    sentence = text.strip().rstrip(".")
    return next((example for example in examples() if example.text == sentence), None)


def _example(row: dict[str, Any]) -> Example:
    cue = row.get("cue")
    readings = tuple(
        Reading(row[name]["name"], tuple((pivot, partner) for pivot, partner in row[name]["links"]), cue)
        for name in ("a", "b")
        if name in row
    )
    contrast = row.get("contrast")
    alternatives = tuple(row.get("others", ()))
    if contrast is not None and not alternatives:
        alternatives = tuple(b for a, b in zip(words(row["text"]), words(contrast), strict=True) if a != b)
    first, second = row.get("seconds", ("", ""))
    return Example(
        row["label"],
        row["kind"],
        row["text"],
        readings,
        cue,
        contrast,
        row.get("forces"),
        alternatives,
        (first, second),
    )


def examples() -> tuple[Example, ...]:
    """Return every example in the order of the file; an unreadable file gives an empty tuple."""
    return assets.optional(FILE, lambda content: tuple(map(_example, json.loads(content)["examples"]))) or ()


def needed(text: str) -> Example:
    """Return the example with this text, which cannot be done without; raise AssetError where it cannot be read."""
    example = example_for(text)
    if example is None:
        raise AssetError(f"{assets.short(FILE)} cannot be read. {assets.AGAIN}")
    return example


DEFAULT_TEXT = "I saw the man with the telescope"  # of links that name no text
OPENS_HEADS = "The crew rescued the sailors before the storm because they were brave"  # chosen by `studies.unusual`
OPENS_TWO_READINGS = "A dog ate the food because it was hungry."  # its sentence

NEXT_WORD_EXAMPLES = {  # unfinished texts by their labels; no sample sentence or control text is one of them
    "capital of France": "The capital of France is",
    "Mary and John": "When Mary and John went to the store, John gave a drink to",
    "the keys": "The keys to the cabinet",
    "words repeated": "The purple lamp sings to the tired fence. The purple lamp sings to the tired",
    "capital of Germany": "The capital of Germany is",
    "capital of Japan": "The capital of Japan is",
}

CUT_EXAMPLES: dict[str, dict[str, Any]] = {  # her → Ruth; the same link of L23H0 acts in the other direction
    "cut a link": {
        "text": "My grandmother's name is Ruth. Everyone calls her",
        "cut": ["L24H4:9-5"],
        "model": "smollm2",
    },
}

TRANSLATION_EXAMPLES = {  # English sentences by their labels; the translator gets the last two wrong
    "the teacher": "The teacher closed the window because she was cold.",
    "the singer": "I called the singer because she was late.",
    "the secretary": "Yesterday the secretary slept because she was very tired.",
    "the doctor · model is wrong": "The doctor finished the shift because she was tired.",
    "the cat · model is wrong": "The cat did not drink the water because it was tired.",
}

CHANGE_EXAMPLES = {  # two sentences by their labels; causal models need an early change
    # The page opens with it: in MiniLM six heads exceed twice their limit, at most three with any control word.
    "man or star": ("I saw the man with the telescope", "I saw the star with the telescope"),
    "telescope or beard": ("I saw the man with the telescope", "I saw the man with the beard"),
    "slept or barked": ("The dog slept", "The dog barked"),
    "too big or too small": (
        "The trophy didn't fit in the suitcase because it was too big.",
        "The trophy didn't fit in the suitcase because it was too small.",
    ),
}
EARLY_CHANGE = "man or star"
