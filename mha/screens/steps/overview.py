"""The toy's arrays: its words, the layer at a glance, those of each step, and what the last matrix makes. Pure."""

from __future__ import annotations

from functools import partial
from typing import Any

from mha.core import default_scale, softmax
from mha.formats import percent
from mha.link.steps import ITS_OWN
from mha.screens.arrays import W_O, Array, Arrow, Flow, Node, SayLine, Sentence, Spans, array, box, column, row
from mha.screens.blocks import say, word
from mha.screens.steps.lesson import Lesson, labelled

# Which arrays of the overview are framed at which step.
FRAMED = {
    1: ("input",),
    2: ("embeddings", "positions", "input"),
    3: ("query", "key", "value"),
    4: ("query", "key", "scaled"),
    5: ("scaled",),
    6: ("scaled",),
    7: ("weights",),
    8: ("weights", "value", "heads"),
    9: ("heads", "concatenation"),
    10: ("concatenation", "w_output", "output"),
}
COMPACT_FROM = 4  # words, from which on the overview's cells are smaller
NARROW, NEAR = 4, 6  # columns of a wide layer that the overview shows, and those that a step shows


def hero(lesson: Lesson) -> Flow:
    """Return the words, large, and the first sentence of the page."""
    words = Sentence(labelled(lesson.words), lesson.query, lesson.key)
    return Flow(
        column(words, SayLine(finding(lesson), "finding lead"), SayLine(say(whose(lesson)), "caption")),
        "the words of the walk",
    )


def whose(lesson: Lesson) -> str:
    """Return whose words these are, and how the reader's own come here."""
    if lesson.choices.words == ITS_OWN:
        return "These words belong to the toy example. Choose *my sentence* to use yours."
    if lesson.words == lesson.own_words:
        return "These words belong to the toy example."
    return "Your words with the toy’s random numbers: the steps are real, the result has no meaning."


def finding(lesson: Lesson) -> Spans:
    """Return the first sentence of the page: where two heads let the followed word look."""
    names = labelled(lesson.words)
    spans: Spans = ()
    for place, head in enumerate(lesson.shown_heads):
        weights = lesson.steps["weights"][head, lesson.query]
        key = int(weights.argmax())
        spans += say(
            "In head {head}, {asking} looks {mostly}at {asked} ({share} of its attention). ",
            head=str(head),
            asking="it" if place else word(names[lesson.query]),
            mostly="" if place else "mostly ",
            asked="itself" if key == lesson.query else word(names[key]),
            share=percent(weights[key]),
        )
    several = len(lesson.shown_heads) > 1
    return (*spans, *say(f"Follow {'these numbers' if several else 'this number'} step by step."))


def overview(lesson: Lesson) -> Flow:
    """Return the whole layer, from the words to the output, with the arrays of the current step framed.

    A click on a weight or a score follows its cell.
    """
    framed, most = FRAMED[lesson.choices.number], _most(lesson)

    def one(step: str, title: Spans | str, head: int | None = None, shares: bool = False) -> Array:
        followed = head is not None and step in ("scaled", "weights")
        return array(
            lesson.of("masked" if step == "scaled" else step, head),
            title,
            name=step if head is None else f"{step}_{head}",
            shares=shares,
            now=step in framed,
            cell=(lesson.query, lesson.key) if followed and head == lesson.head else None,
            picks=head if followed else None,
            most_columns=most,
        )

    divided = f"scores ÷ √{lesson.d_head}" if lesson.choices.scale else "scores, not divided"
    heads: list[Node] = [
        box(
            f"head {head}",
            row(
                column(one("query", "Q", head), one("key", "K", head), one("value", "V", head)),
                Arrow(),
                column(one("scaled", divided, head), one("weights", "weights", head, shares=True)),
                Arrow(),
                one("heads", "weights × V", head),
            ),
        )
        for head in lesson.shown_heads
    ]
    more = lesson.n_heads - len(lesson.shown_heads)
    if more:
        heads.append(SayLine(say(f"and {more} more heads, each with its own matrices"), "caption"))
    first = [one("input", (("plain", "X"), ("muted", " words,")))]
    if lesson.choices.positions:
        first = [one("embeddings", "E"), one("positions", "+ P"), one("input", "= X")]
    title: Spans = (("plain", "× "), *W_O)
    matrix = array(lesson.numbers.heads.w_output, title, name="w_output", now="w_output" in framed, most_columns=most)
    last = column(one("concatenation", "side by side"), row(matrix, Arrow(), one("output", "output")))
    n = len(lesson.words)
    return Flow(
        row(column(*first), Arrow(), column(*heads), Arrow(), last, spread=True),
        f"the layer from {n} words to the output; step {lesson.choices.step} is framed",
        compact=n > COMPACT_FROM,
    )


def last_matrix(lesson: Lesson) -> Flow:
    """Return what W_O does with the followed word: what each head says, what its rows make of it, and the sum."""
    name = labelled(lesson.words)[lesson.query]
    one = partial(array, shape="", most_columns=_most(lesson))
    lines, parts = [], lesson.steps["contributions"][:, lesson.query]  # [head, d_model]
    for head in lesson.shown_heads:
        rows = f"{('upper', 'lower')[head]} half of" if lesson.n_heads == 2 else f"rows of head {head} in"
        about: Spans = (("plain", f"head {head} says"), ("muted", " about "), ("word", name))
        says = one(lesson.of("heads", head)[lesson.query], about, name=f"says_{head}")
        lines.append(row(says, Arrow(), one(parts[head], (("plain", f"× {rows} "), *W_O), name=f"makes_{head}")))
    title: Spans = (("plain", "output"), ("muted", " for "), ("word", name))
    output = one(lesson.of("output")[lesson.query], title, name="mixed", now=True)
    sign = Arrow("added up" if lesson.n_heads == len(lesson.shown_heads) else "all heads added up")
    return Flow(row(column(*lines), sign, output), "what W_O makes of the heads")


class StepArrays:
    """The arrays of each step, of the followed head, in two decimals with words on the axes."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.names = labelled(lesson.words)
        self.wide: dict[str, Any] = {"decimals": 2, "most_columns": NEAR if lesson.d_model > 8 else 16}

    def one(self, step: str, title: Spans | str, head: int | None = None, name: str = "", **more: Any) -> Array:
        return array(
            self.lesson.of(step, head),
            title,
            **{"name": f"step_{name or step}", "rows": self.names, **self.wide, **more},
        )

    def square(self, step: str, title: str, **more: Any) -> Array:
        return self.one(step, title, columns=self.names, cell=(self.lesson.query, self.lesson.key), **more)

    def words(self) -> Node:
        """Return what comes in and what goes out."""
        return row(self.one("input", "in: X"), Arrow(), self.one("output", "out"))

    def numbers(self) -> Node:
        """Return where X comes from."""
        own, x = self.one("embeddings", "E, one row a word"), self.one("input", "X", now=True)
        places = (Arrow("+"), self.one("positions", "P, one row a place")) if self.lesson.choices.positions else ()
        return row(own, *places, Arrow("="), x)

    def projections(self) -> Node:
        """Return X times each of the three matrices."""
        lines = []
        for step, letter in (("query", "Q"), ("key", "K"), ("value", "V")):
            title: Spans = (("plain", "W"), ("sub", letter), ("muted", f" of head {self.lesson.head}, "))
            matrix = array(
                self.lesson.numbers.heads.of_head(f"w_{step}", self.lesson.head),
                title,
                name=f"step_w_{step}",
                **self.wide,
            )
            made = self.one(step, letter, now=True)
            lines.append(row(self.one("input", "X", name=f"x_{step}"), Arrow("×"), matrix, Arrow("="), made))
        return column(*lines)

    def scores(self) -> Node:
        """Return every query with every key."""
        turned = array(self.lesson.of("key").T, "K, turned", name="step_key", columns=self.names, **self.wide)
        return row(self.one("query", "Q"), Arrow("×"), turned, Arrow("="), self.square("scores", "scores", now=True))

    def scale(self) -> Node:
        """Return the division, and what softmax would make of both."""
        scores, sign = (
            self.lesson.of("scores"),
            f"÷ √{self.lesson.d_head}" if self.lesson.choices.scale else "as they are",
        )
        shares = partial(array, shares=True, decimals=2, rows=self.names, columns=self.names)
        divided = shares(softmax(scores * default_scale(self.lesson.d_head)), "weights with it", name="step_divided")
        return column(
            row(self.square("scores", "scores"), Arrow(sign), self.square("scaled", "scaled", now=True)),
            SayLine(say("Shares with and without scaling:"), "caption"),
            row(divided, shares(softmax(scores), "weights without it", name="step_undivided")),
        )

    def mask(self) -> Node:
        """Return the scores before and after the mask."""
        return row(self.square("scaled", "scaled"), Arrow(), self.square("masked", "with the mask", now=True))

    def weights(self) -> Node:
        """Return softmax, and the other heads' weights."""
        of = "weights of head {}".format
        others = [head for head in self.lesson.shown_heads if head != self.lesson.head]
        return row(
            self.square("masked", f"scores of head {self.lesson.head}"),
            Arrow("softmax"),
            self.square("weights", of(self.lesson.head), now=True, shares=True, sums="sum"),
            *(
                self.one("weights", of(h), h, f"weights_{h}", shares=True, columns=self.names, most_columns=8)
                for h in others
            ),
        )

    def values(self) -> Node:
        """Return the weights times the values."""
        found = self.one("heads", f"result of head {self.lesson.head}", now=True)
        return row(
            self.square("weights", "weights", shares=True), Arrow("×"), self.one("value", "V"), Arrow("="), found
        )

    def side_by_side(self) -> Node:
        """Return the heads' findings beside each other."""
        parts = [
            p for h in self.lesson.shown_heads for p in (Arrow("|"), self.one("heads", f"head {h}", h, f"heads_{h}"))
        ]
        return row(*parts[1:], Arrow("="), self.one("concatenation", "side by side", now=True))

    def mix(self) -> Node:
        """Return the findings times W_O."""
        owners = [f"head {place // self.lesson.d_head}" for place in range(self.lesson.n_heads * self.lesson.d_head)]
        matrix = array(self.lesson.numbers.heads.w_output, W_O, name="step_w_output", rows=owners, **self.wide)
        beside = self.one("concatenation", "side by side", columns=owners)
        return row(beside, Arrow("×"), matrix, Arrow("="), self.one("output", "output", now=True))


def _most(lesson: Lesson) -> int:
    return NARROW if lesson.d_model > 8 else 8
