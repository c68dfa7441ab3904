"""Which heads does Heads open with, and are their shares unusual? MiniLM, in sentences and in their controls.

`sets`: the examples, forced pairs of two authors, forty sentences that were written for this, the latter two with their
words shuffled, and word salad of the sample sentences’ words. Of each set: texts that open with a connection, the heads
that are chosen most and how many there are, the mean share of the larger connection, and how often p ≤ .05 for it: of
all heads and pairs of words (`p`), and of its two words alone (`pair_p`), in 39 shuffled copies. `as_shown` is what the
page opens with, `without_readings` leaves suggested readings out. Run as ``python -m benchmarks.bench_opening`` (five
minutes); ``--model`` takes any other model.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from mha.models.files.environment import prepare_environment

prepare_environment()

import numpy as np  # noqa: E402

from benchmarks.command import answer, parser  # noqa: E402
from mha.analysis.opening import Opening, opening  # noqa: E402
from mha.analysis.shuffles import (  # noqa: E402
    FEWEST_COPIES,
    N_COPIES,
    distinct_orders,
    largest_share,
    min_distance_of,
    n_reached,
    pair_share,
    reorder_words_in_place,
)
from mha.examples import examples  # noqa: E402
from mha.intervention.shuffles import maps_in_batches  # noqa: E402
from mha.maps import AttentionMaps, Reading  # noqa: E402
from mha.models.watch.attending import attend, open_model  # noqa: E402
from mha.pairs import KINDS, corpus, pairs_of  # noqa: E402
from mha.words import words  # noqa: E402
from studies.forced import pairs_kept_apart  # noqa: E402

Open = Callable[[AttentionMaps, tuple[Reading, ...] | None], Opening]
N_PAIRS = 10  # forced pairs of a kind; the first version of each
UNUSUAL = 0.05
QUICK = 2  # texts of a set
SENTENCES = """
The chef praised the waiter after he carried the soup to the table.
My sister planted roses in the garden behind her house.
When the rain stopped, the children ran into the street.
The company announced that its profits had fallen last year.
Nobody in the village believed the story that the sailor told.
The scientist explained the experiment to her students in simple words.
Although the team played badly, it won the final match.
The old bridge collapsed because the flood had weakened its pillars.
Two thieves stole a painting from the museum last night.
Every morning the baker sells fresh bread to his neighbours.
The judge asked the witness whether she had seen the car.
A small bird built its nest in the chimney of the school.
The doctor told the patient that he needed more sleep.
Our train was late, so we missed the beginning of the concert.
The teacher gave the book to the girl who sat near the window.
Snow covered the mountains before the first hikers arrived.
If you boil the eggs too long, they become hard.
The mayor promised the citizens a new hospital, but he never built it.
Paris is the capital of France and its largest city.
The cat chased the mouse until it disappeared under the sofa.
The engineer repaired the old radio with a screwdriver.
Children who read many books often write better stories.
The lawyer sent the letter to the client before she left the office.
In spring the farmers cut the branches of their apple trees.
The museum that we visited yesterday was full of tourists.
Coffee keeps me awake, but tea helps me sleep.
The dog barked at the postman because he carried a large parcel.
The price of oil rose when the war began.
Anna lent Peter her bicycle, and he returned it with a flat tyre.
The river flooded the fields, and the farmers lost their harvest.
The actor forgot his lines during the second act of the play.
This computer is faster than the one that I bought in May.
The soldiers guarded the gate while the queen slept in the palace.
She opened the drawer, took out the scissors and cut the paper.
The students complained to the director about the food in the canteen.
A glass of cold water is all that the runner wanted.
The moon pulls the sea, and the tides follow it around the earth.
He painted the kitchen yellow because his wife liked the colour.
The reporters waited outside the court for the verdict.
The ship sank because it had hit an iceberg in the dark.
""".strip().splitlines()


def sets() -> dict[str, list[str]]:
    """Return the texts of each set."""
    drawn = random.Random(3)
    pairs = [pair.a for kind in KINDS for pair in drawn.sample([*pairs_of(kind), *pairs_kept_apart(kind)], N_PAIRS)]
    return {
        "examples": [example.text for example in examples()],
        "pairs": pairs,
        "sentences": SENTENCES,
        "pairs, shuffled": [shuffled(text, seed) for seed, text in enumerate(pairs)],
        "sentences, shuffled": [shuffled(text, seed) for seed, text in enumerate(SENTENCES)],
        "word salad": [salad(text, seed) for seed, text in enumerate(SENTENCES)],
    }


def shuffled(text: str, seed: int) -> str:
    """Return a text with its words in one other order."""
    return reorder_words_in_place(text, distinct_orders(text, 1, 1000 + seed)[0])


def salad(text: str, seed: int) -> str:
    """Return as many words of the sample sentences as a text has, drawn at random, with a full stop."""
    drawn = random.Random(seed)
    pool = [word.lower() for sentence in corpus() for word in words(sentence)]
    return " ".join(drawn.choice(pool) for _ in words(text)) + "."


def copies_of(maps: AttentionMaps, model: Any) -> list[tuple[tuple[int, ...], AttentionMaps]]:
    """Return the shuffled copies of a text, each with its order; none if there are too few."""
    orders = distinct_orders(maps.text, N_COPIES, fixed=int(maps.causal))
    if len(orders) < FEWEST_COPIES:
        return []
    texts = [reorder_words_in_place(maps.text, order) for order in orders]
    batches = maps_in_batches(texts, model)
    return [(orders[number], copy.merged()) for batch in batches for number, copy in batch]


def summary(openings: Sequence[Opening], controls: Sequence[tuple[float, float] | None]) -> dict[str, Any]:
    """Return the numbers of one set: its openings, and p and pair_p of each text that has a control."""
    heads = Counter(str(head) for found in openings if found.looks for head in dict.fromkeys(found.heads))
    tested = np.array([control for control in controls if control is not None]).reshape(-1, 2)
    p, pair_p = (tested <= UNUSUAL).mean(axis=0) if len(tested) else (float("nan"),) * 2
    shares = [max(found.weights) for found in openings if found.weights]
    return {
        "texts": len(openings),
        "open_with_a_connection": len(shares),
        "with_readings": sum(bool(found.sides) for found in openings),
        "most_chosen": dict(heads.most_common(4)),
        "heads": len(heads),
        "larger_share": round(float(np.mean(shares)), 3) if shares else None,
        "tested": len(tested),
        "p_below_05": round(float(p), 3),
        "pair_p_below_05": round(float(pair_p), 3),
    }


def measure(texts: Sequence[str], model: Any, open_with: Open = opening) -> dict[str, Any]:
    """Return the numbers of one set, as the page opens and without readings."""
    openings: dict[str, list[Opening]] = {"as_shown": [], "without_readings": []}
    controls: dict[str, list[tuple[float, float] | None]] = {"as_shown": [], "without_readings": []}
    for text in texts:
        maps = attend(text, model).merged()
        copies = copies_of(maps, model)
        number = np.cumsum([token.word is not None for token in maps.tokens]) - 1
        for name, readings in (("as_shown", None), ("without_readings", ())):
            found = open_with(maps, readings)
            openings[name].append(found)
            best = int(np.argmax(found.weights)) if found.weights else 0
            controls[name].append(_control(maps, found, best, number, copies) if found.weights and copies else None)
    return {name: summary(openings[name], controls[name]) for name in openings}


def _control(
    maps: AttentionMaps,
    found: Opening,
    best: int,
    number: np.ndarray,
    copies: Sequence[tuple[tuple[int, ...], AttentionMaps]],
) -> tuple[float, float]:
    """Return p and pair_p of one connection of an opening."""
    query, key = (int(number[place]) for place in found.looks[best])
    nearest, share = min_distance_of(maps, query, key), found.weights[best]
    maxima = np.array([largest_share(copy, nearest)[0] for _, copy in copies])
    pair = np.array([pair_share(copy, order.index(query), order.index(key), nearest) for order, copy in copies])
    return (1 + n_reached(maxima, share)) / (1 + len(maxima)), (1 + n_reached(pair, share)) / (
        1 + int(np.isfinite(pair).sum())
    )


def arguments() -> argparse.ArgumentParser:
    """Return the parser of this benchmark."""
    asked = parser(__doc__)
    asked.add_argument("--model", default="minilm", help="the model (minilm)")
    return asked


def run(asked: argparse.Namespace) -> dict[str, Any]:
    """Return what each set opens with."""
    model = open_model(asked.model)
    found = {}
    for name, texts in sets().items():
        found[name] = measure(texts[:QUICK] if asked.quick else texts, model)
    return {"model": asked.model, "sets": found}


if __name__ == "__main__":
    answer("opening", arguments(), run)
