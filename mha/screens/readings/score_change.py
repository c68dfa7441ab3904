"""How far the score moves between the two versions, with the control limit of the kind. Pure.

s is the score of the typed text minus that of the changed version. The control limit is the upper end of the interval
of the 90th percentile of |s| over control swaps, which keep the reading. Source: `mha.analysis.floor`.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.analysis.floor import Floor, TwoWordsRates
from mha.formats import percent, signed
from mha.screens.blocks import Said, Span, chip, said, say, word
from mha.screens.readings.ambiguity import HE_SHE

PAIRS_SAID = "Test pairs and control swaps were written for this app and not checked with readers."
GENDERLESS = ", *he* for *she* between nouns that fit both (Rudinger et al. 2018; Zhao et al. 2018)"  # of he/she
NO_PAIRS = "There are no control swaps for this type of sentence."
SEVERAL = "There is no control, because more than one word differs."
ELSEWHERE = "There is no control, because control swaps of this type change another word of the sentence."
WAYS_ON = {
    NO_PAIRS: "Choose a type of ambiguity under *Edit readings* if one fits.",
    SEVERAL: "Change only one word to compare it with control swaps.",
    ELSEWHERE: "Change the word that decides between the readings to compare it with control swaps.",
}
SHARES_FROM = "Shares of heads are measured for changes beyond the control limit."


@dataclass(frozen=True, eq=False)
class MovedScore:
    """The scores of two versions, with the control limit of their kind.

    Pairs are (typed, other): ``words`` the first that differs, ``scores`` those of the versions, ``seconds`` a second
    word for the same reading as the first, with its score, None if none was given. ``names`` are the candidates of A
    and B; ``forces`` is the reading that the *other* version leaves, None if nobody has said it. ``no_kind`` is why
    there is no control ("" if there is one), ``floor`` None then, or if the model has none. ``at`` is the layer after
    which the score is read, ``tuned`` whether the model was tuned for vectors of whole sentences.
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
    at: int = 0
    tuned: bool = False

    @property
    def move(self) -> float:
        """The score of the typed text minus that of the changed version."""
        return self.scores[0] - self.scores[1]

    @property
    def limit(self) -> Floor:
        """The control limit, which must be known."""
        assert self.floor is not None
        return self.floor

    @property
    def passes(self) -> bool:
        """Whether the change lies beyond the control limit; False if none is known."""
        return self.floor is not None and self.floor.passes(self.move)


def change_said(words: tuple[str, str], scores: tuple[float, float]) -> Said:
    """Return how far the score moves between the versions with these words."""
    told = "The score changes by {by}, from {m} with {before} to {n} with {after}."
    by, (m, n) = f"{abs(scores[0] - scores[1]):.2f}", map(signed, scores)
    return said("verdict", told, by=by, m=m, n=n, before=word(words[0]), after=word(words[1]))


def change_blocks(moved: MovedScore) -> list[Said]:
    """Return how far the score moves, what the score is, and the control limit or why there is none."""
    blocks = [change_said(moved.words, moved.scores)]
    score = "Score: how much closer {p} is to {a} than to {b}."
    slots: dict[str, Span | str] = {"p": word(moved.pivot), "a": word(moved.names[0]), "b": word(moved.names[1])}
    if moved.floor is not None:
        blocks.append(said("sub", f"{score} Control limit: {moved.floor.limit:.3f}.", **slots))
        if not moved.passes:
            blocks.append(said("sub", SHARES_FROM))
        return blocks
    why = moved.no_kind or f"Control swaps are not measured for {moved.model} yet."
    return [*blocks, said("sub", f"{score} {{why}} {WAYS_ON.get(why, '')}".rstrip(), why=why, **slots)]


def score_method(moved: MovedScore) -> list[Said]:
    """Return what the score is, and how the type's test pairs and control swaps behave."""
    tuned = f" {moved.model} was trained to compare whole sentences, so distances between its words are a side effect."
    parts = [link_margin_said(moved.pivot, moved.names, moved.at, tuned if moved.tuned else "")]
    if moved.floor is not None:
        parts += [*_two_words_said(moved), _limit_said(moved.floor, moved.kind), say(PAIRS_SAID)]
    return [Said("cap", part) for part in parts]


def _two_words_said(moved: MovedScore) -> list[tuple[Span, ...]]:
    """Return how two words for each reading behave over the test pairs of this type."""
    if moved.rates is None or None in moved.seconds:
        return []
    right, wrong = percent(moved.rates.right), percent(moved.rates.wrong)
    told = (
        f"Two words for each reading: among {moved.rates.n} test pairs both words for {{A}} score above both words for "
        f"{{B}} in {right} and below in {wrong}; by chance {percent(1 / 6)} each."
    )
    return [say(told, A=chip("A"), B=chip("B"))]


def _limit_said(floor: Floor, kind: str) -> tuple[Span, ...]:
    stop = ""
    if floor.full_stop == floor.full_stop:
        stop = (
            f" With or without a final full stop, {percent(floor.full_stop)} of test pairs stay on the same side of it."
        )
    return say(
        f"{floor.n_swaps} control swaps in the same place{GENDERLESS if kind == HE_SHE else ''}: 90 of 100 stay under "
        f"{floor.phi:.3f} (95 % interval {floor.low:.3f} to {floor.high:.3f}, over sentences and their authors). "
        f"Control limit: the upper end.{stop}"
    )


def link_margin_said(pivot: str, partners: tuple[str, str], layer: int, more: str = "") -> tuple[Span, ...]:
    """Return what the link margin is, read after a layer, followed by ``more``."""
    return say(
        "The score (link margin) is the cosine between the vectors of {p} and {a} minus the one between {p} and {b}, "
        f"after layer {layer}.{more}",
        p=word(pivot), a=word(partners[0]), b=word(partners[1]),
    )  # fmt: skip
