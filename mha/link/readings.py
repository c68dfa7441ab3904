"""The words of Two readings. A word of the text is chosen by its label, its number and itself: "6 it"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.link.kinds import Choice, Label, Labels, Shape, Text
from mha.link.word import Query, Words, word
from mha.pairs import KINDS, OTHER

SUGGESTED, DISMISSED, OPEN = "suggested", "not ambiguous", "to choose"  # where the words of two readings come from
TABS = ("Where they look", "What carries it", "Does it matter?")
OPENS_WITH = "What carries it"
TAB_LABELS = dict(zip(TABS, ("Where heads look", "What carries the change", "Does it matter?"), strict=True))
ALL_KINDS = (*KINDS, OTHER)

SCORES = ("link margin", "continuations", "fills", "targets")
SILENCED = {  # the kind of silencing
    "its mean": "mean",
    "zero": "zero",
}
SILENCED_LABELS = {
    "its mean": "its average",
}
FURTHEST, PINNED = "the five that lean furthest to A", "the pinned heads"
ALL_OF_LAYER = "all of layer {}"
ONLY = "only {}"
MOST_NAME = 60  # characters of a reading's name
MOST_TEXT = 120  # characters of a continuation, a fill or a target

OWN = "the example's"
TYPED = "the readings' names; of fills their partners"


def opens_by_itself(query: Query) -> bool:
    """Return whether a link leaves it to the page what it opens with."""
    return not any(name == "text" or name.startswith("readings_") for name in query)


def layer_label(layer: int) -> str:
    """Return where a score is read, by the layer before that place.

    >>> layer_label(4)
    'after layer 4'
    """
    return f"after layer {layer}"


def read_after(shape: Shape) -> list[str]:
    """Return the places where a score can be read."""
    return [layer_label(layer) for layer in range(shape.n_layers)]


def sets(shape: Shape) -> list[str]:
    """Return the sets of heads that can be silenced."""
    layers = [ALL_OF_LAYER.format(layer) for layer in range(shape.acting)]
    return [FURTHEST, PINNED, *layers, *(ONLY.format(head) for head in shape.heads(shape.acting))]


SET = Choice(sets, offer=lambda shape: f"“{FURTHEST}”, “{PINNED}”, or what can act on the score, up to "
                                       f"“{sets(shape)[-1]}”")  # fmt: skip
AT = Choice(read_after, offer=lambda shape: f"“{read_after(shape)[0]}” to “{read_after(shape)[-1]}”")


@dataclass(frozen=True)
class ReadingsWords(Words):
    """What the link says about two readings, as it says it; None and empty mean automatic: mostly the example's."""

    PREFIX: ClassVar[str] = "readings_"
    # fmt: off
    pivot: str | None = word(Label(), None, "Ambiguous word", instead=OWN)
    a: tuple[str, ...] = word(Labels(), (), "Candidate A", instead=OWN)
    b: tuple[str, ...] = word(Labels(), (), "Candidate B", instead=OWN)
    cue: str | None = word(Label(none=True), None, "Deciding word", instead=OWN)
    contrast: str = word(Text(), "", "Changed version, or none", instead=OWN,
                         values="a sentence with the same number of words; `none`")
    kind: str | None = word(Choice(ALL_KINDS), None, "Type of ambiguity",
                            instead="the kind of the example, or “other”")
    forces: str | None = word(Choice(("A", "B")), None, "The changed version fits only",
                              "the candidate that the changed version fits, as the reader says",
                              instead=f"{OWN}, if there is one")
    word_a: str = word(Text(MOST_NAME), "", "Second word for reading A", instead=OWN,
                       values="a word for the place of the one that is changed; `none`")
    word_b: str = word(Text(MOST_NAME), "", "Second word for reading B", instead=OWN,
                       values="a word for the place of the one that is changed; `none`")
    name_a: str = word(Text(MOST_NAME), "", "Name of reading A", instead=f"{OWN}, or the words joined")
    name_b: str = word(Text(MOST_NAME), "", "Name of reading B", instead=f"{OWN}, or the words joined")
    by: str | None = word(Choice((SUGGESTED, DISMISSED, OPEN)), None, "Where the words of the readings come from",
                          "whether the words of the readings were suggested, nothing is ambiguous, or the reader is to "
                          "choose them, without a suggestion",
                          instead="those of the reader or of the example")
    score: str = word(Choice(SCORES), SCORES[0], "Score", "what the model is asked for")
    at: str | None = word(AT, None, "Read", "after which layer the score is taken", values="`after layer 4`",
                          instead="the last layer but one")
    say_a: str = word(Text(MOST_TEXT), "", "For reading A", "what another score takes for reading A", instead=TYPED)
    say_b: str = word(Text(MOST_TEXT), "", "For reading B", "what another score takes for reading B", instead=TYPED)
    silenced: str = word(Choice(tuple(SILENCED), names=SILENCED_LABELS), next(iter(SILENCED)),
                         "Replace its output with", "what an ablated head's output is replaced with")
    set: str = word(SET, FURTHEST, "Heads", "the heads that are ablated together",
                    values=f"`{FURTHEST}`, `{PINNED}`, `all of layer 2`, `only L2H1`")
    tab: str = word(Choice(TABS, "tabs", names=TAB_LABELS), OPENS_WITH, "Tab", "the open tab", name="tab")
    # fmt: on

    @classmethod
    def narrowed(cls, query: Query, shape: Shape) -> Shape:
        """Return the shape with the layers that can act on the score that the link asks for."""
        if (query.get("readings_score") or SCORES[:1])[-1] in SCORES[1:]:
            return shape._replace(reach=None)
        places, at = read_after(shape), (query.get("readings_at") or [""])[-1]
        return shape._replace(reach=places.index(at) + 1 if at in places else max(1, shape.n_layers - 1))
