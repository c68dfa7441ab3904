"""What the difference between two versions allows to say: one of ten states, the first that fits. Pure.

Source: SCIENCE, "Controls of a single sentence, and paths". s is the score of the typed text minus that of the other
version, signed towards the reading that the reader says the typed word forces; φ is the kind's floor. The sign of one
score is never a verdict.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from enum import Enum

from mha.analysis.floor import Floor, TwoWords, TwoWordsRates
from mha.screens.blocks import Said, Span, said, say, word
from mha.screens.readings.ambiguity import HE_SHE


class State(Enum):
    """The states in the order in which they are tried."""

    NO_SIDE = "nobody has said which reading the other version leaves"
    NO_KIND = "there is nothing to compare this kind with"
    NO_FLOOR = "the control limit was not measured for this model"
    NOT_VALID = "the score does not distinguish test pairs of this kind"
    WRONG_WAY = "beyond the control limit, in the other direction"
    BELOW = "no larger than after a change of any word"
    DISAGREE = "beyond the control limit, but the two words for each reading overlap"
    BARELY = "beyond the control limit, inside its interval"
    ABOVE = "beyond the control limit, and the two words for each reading agree"
    ONE_WORD = "beyond the control limit, with one word on a side"

    @property
    def shares(self) -> bool:
        """Whether the difference may be shared out among heads."""
        return self in (State.ABOVE, State.ONE_WORD)

    @property
    def stands_before_a_floor(self) -> bool:
        """Whether the difference is drawn before the changes that keep the reading."""
        return self in (State.WRONG_WAY, State.BELOW, State.DISAGREE, State.BARELY) or self.shares


@dataclass(frozen=True, eq=False)
class MovedScore:
    """How the score moves between two versions, and what that stands before.

    Pairs are (typed, other): ``words`` the first that differs, ``scores`` those of the versions, ``seconds`` a second
    word that forces the same reading as the first, with its score, where one was given. ``names`` are the partners of
    A and B; ``forces`` is the reading that the *other* version forces, None where nobody has said it. ``no_kind`` says
    why there is nothing to compare with ("" where there is), ``valid`` whether the score tells forced versions apart,
    ``by_words`` whether it does so no less with their words shuffled. ``at`` is the layer after which it is read,
    ``tuned`` whether the model was tuned for vectors of whole sentences.
    """

    words: tuple[str, str]
    scores: tuple[float, float]
    names: tuple[str, str]
    pivot: str
    kind: str
    model: str
    forces: str | None = None
    seconds: tuple[tuple[str, float] | None, tuple[str, float] | None] = (None, None)
    no_kind: str = ""
    floor: Floor | None = None
    rates: TwoWordsRates | None = None
    valid: bool = True
    by_words: bool = False
    at: int = 0
    tuned: bool = False

    @property
    def move(self) -> float:
        """The score of the typed text minus that of the other version, as it is."""
        return self.scores[0] - self.scores[1]

    @property
    def s(self) -> float:
        """The difference, signed towards the reading that the typed word forces; NaN where nobody has said it."""
        return {"B": self.move, "A": -self.move, None: math.nan}[self.forces]

    @property
    def partners(self) -> tuple[str, str]:
        """The partner that the typed word forces, and the other one."""
        return self.names if self.forces != "A" else (self.names[1], self.names[0])

    @property
    def sides(self) -> tuple[str, str]:
        """The letters of the readings that the typed word and the other one force; "" where nobody has said it."""
        return {"B": ("A", "B"), "A": ("B", "A"), None: ("", "")}[self.forces]

    @property
    def four(self) -> TwoWords | None:
        """Two words for what the typed word forces, and two for the other, signed as `s`; None where one is missing."""
        first, second = self.seconds
        if first is None or second is None or self.forces is None:
            return None
        sign = 1 if self.forces == "B" else -1
        typed, other = self.scores
        return TwoWords((sign * typed, sign * first[1]), (sign * other, sign * second[1]))

    @property
    def limit(self) -> Floor:
        """The floor, which must be known."""
        assert self.floor is not None
        return self.floor

    @property
    def rank(self) -> float:
        """The share of the changes that keep the reading which move the score no further."""
        return self.limit.percentile(self.move)

    @property
    def further(self) -> str:
        """How many control swaps move the score less: "all 150", or "70 of 100"."""
        return f"all {self.limit.n_swaps}" if self.rank == 1 else f"{math.floor(100 * self.rank)} of 100"

    @functools.cached_property
    def state(self) -> State:
        """The first state that fits, found once: a page asks for it in eight places."""
        if self.no_kind == SEVERAL:  # nobody can be asked which of two words means what
            return State.NO_KIND
        if self.forces is None:
            return State.NO_SIDE
        if self.no_kind:
            return State.NO_KIND
        if self.floor is None:
            return State.NO_FLOOR
        if not self.valid:
            return State.NOT_VALID
        if abs(self.s) <= self.floor.phi:
            return State.BELOW
        if not self.floor.passes(self.s):
            return State.BARELY
        if self.s < 0:
            return State.WRONG_WAY
        if self.four is not None and not self.four.right:
            return State.DISAGREE
        return State.ONE_WORD if self.four is None else State.ABOVE


NO_PAIRS = "There are no control swaps for this type of sentence."
SEVERAL = "There is no control, because more than one word differs."
ELSEWHERE = "There is no control, because control swaps of this type change another word of the sentence."
WAYS_ON = {
    NO_PAIRS: "Choose a type of ambiguity under *Edit readings* if one fits.",
    SEVERAL: "Change only one word to compare it with control swaps.",
    ELSEWHERE: "Change the word that decides between the readings to compare it with control swaps.",
}
ASKS_FOR_SECONDS = "Add a second word for each reading. If both agree, the evidence is much stronger."
TOLD: dict[State, tuple[tuple[str, str], ...]] = {  # the styles and templates of what each state allows to say
    State.NO_SIDE: (("verdict", "Changing {a} to {b} moves the score by {s}. Which of the two fits {A}?"),),
    State.NO_KIND: (("verdict", "The score changes by {s}. {why}"),),
    State.NO_FLOOR: (("verdict", "The score changes by {s}. Control swaps are not measured for {model} yet."),),
    State.NOT_VALID: (
        ("verdict", "On test pairs this score is not clearly better than chance, so there is no verdict."),
        ("sub", "See *Does it matter?* for the reliability check."),
    ),
    State.WRONG_WAY: (
        (
            "calm",
            "The score moves in the unexpected direction: changing {a} to {b} moves {pivot} towards {A}, although {B} "
            "should fit.",
        ),
        ("sub", "This model does not separate these readings."),
    ),
    State.BELOW: (
        ("calm", "The score changes by {s}, within the control limit."),
        ("sub", "No head is named: control swaps move the score as far."),
    ),
    State.DISAGREE: (
        ("verdict", "The two words for each reading disagree."),
        (
            "sub",
            "Changing {a} to {b} moves the score, but {x}, a word for {own}, scores closer to {other} than {y} does. "
            "So the words move it; that the reading does is not shown.",
        ),
    ),
    State.BARELY: (
        ("calm", "The score changes by {s}, not clearly beyond the control limit."),
        ("sub", "The limit is known only roughly ({low} to {high}), so no head is named."),
    ),
    **dict.fromkeys(
        (State.ABOVE, State.ONE_WORD),
        (("verdict", "Changing {a} to {b} moves the score from {A} towards {B}, more than {further} control swaps."),),
    ),
}


def verdict(moved: MovedScore) -> list[Said]:
    """Return the verdict of a text with a changed version, and the line under it where there is one."""
    (a, b), (here, there), state = moved.words, moved.partners, moved.state
    slots: dict[str, Span | str] = {"a": word(a), "b": word(b), "A": word(here), "B": word(there)}
    slots |= {"s": f"{abs(moved.move):.2f}", "pivot": word(moved.pivot), "model": moved.model, "why": moved.no_kind}
    if moved.floor is not None:
        slots |= {"further": moved.further, "low": f"{moved.floor.low:.2f}", "high": f"{moved.floor.high:.2f}"}
    if state is State.DISAGREE:
        slots |= _overlap(moved)
    told = [said(style, template, **slots) for style, template in TOLD[state]]
    if state is State.NO_KIND and moved.no_kind in WAYS_ON:
        told.append(said("sub", WAYS_ON[moved.no_kind]))
    if state is State.ONE_WORD and moved.kind != HE_SHE:
        told.append(said("sub", ASKS_FOR_SECONDS))
    elif state is State.ONE_WORD and moved.rates is not None:
        rates = (
            f"*He* and *she* have no second word. Among {moved.rates.n} test pairs with another word of the clause "
            f"changed, both versions for each reading agree in {moved.rates.n_right} and are reversed in "
            f"{moved.rates.n_wrong or 'none'}."
        )
        told.append(said("sub", rates))
    return told


def _overlap(moved: MovedScore) -> dict[str, Span | str]:
    """Return which word for one reading scores closer to the other than a word for that one does."""
    assert moved.four is not None
    first, second = (one[0] for one in moved.seconds if one)
    lowest = moved.words[0] if moved.four.a[0] < moved.four.a[1] else first
    highest = moved.words[1] if moved.four.b[0] >= moved.four.b[1] else second
    here, there = moved.partners
    also = (lowest, here, there, highest) if lowest == first else (highest, there, here, lowest)
    return dict(zip(("x", "own", "other", "y"), map(word, also), strict=True))


def link_margin_said(pivot: str, partners: tuple[str, str], layer: int, more: str = "") -> tuple[Span, ...]:
    """Return what the link margin is, read after a layer; ``more`` stands behind it."""
    return say(
        "The score (link margin) is the cosine between the vectors of {p} and {a} minus the one between {p} and {b}, "
        f"after layer {layer}.{more}",
        p=word(pivot), a=word(partners[0]), b=word(partners[1]),
    )  # fmt: skip
