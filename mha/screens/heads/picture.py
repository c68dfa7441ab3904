"""What the page of heads draws from, how it is had again, and what it says of its numbers.

Streamlit keeps what a file is made by as long as a visit's page is open. What held the picture would keep the maps of
every open page in memory: 70 MB for a long text. So it holds the view, and draws from it again when it is asked
(`again`); what was recorded is in the engine's cache, or recorded again; what a file holds is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mha import engine
from mha.analysis.usual import Habit
from mha.analysis.usual import habit as habit_of
from mha.engine import Request
from mha.engine.question import Ask
from mha.errors import InputError, MHAError
from mha.examples import OPENS_HEADS, example_for
from mha.formats import listed
from mha.link.view import DEFAULT_MODEL, DEFAULT_TEXT, SCALES, View
from mha.maps import ATTENTION, AttentionMaps, HeadId, Reading, Recording
from mha.models.files.catalog import ModelRow, model_row
from mha.models.toy import by_hand
from mha.screens.blocks import Block, Spans, say, size_said
from mha.screens.heads.findings import measured_sinks_said, sink_names
from mha.screens.measuring import missing_measurement
from mha.screens.places import Notice
from mha.screens.shown import MOST_WORDS, OWN_SINK, Shown, shown_for
from mha.words import segmentation, split, words

SCALE_OF = dict(zip(SCALES, ("all", "head", "row"), strict=True))  # the link's word: the pictures' name
SCALE_WORDS = {
    "all": "[[one scale|colour scale]] for all heads, 0 to 100 %",
    "head": "[[scaled|colour scale]] to each head's largest weight",
    "row": "[[scaled|colour scale]] to each row's largest weight",
}
BROUGHT_ARE = (
    "Percentages are contributions: the size of the vector that arrives (‖weight · value · W_O‖), as a share of all "
    "that a word receives in that head. Do not compare sizes across rows or heads. (Kobayashi et al. 2020)"
)


Again = Callable[[], "Picture"]


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything the sections draw from: the view, the recording of its text, and what is shown of it.

    ``stack`` names the attention of an encoder–decoder that is drawn in the place of the encoder's, ``source`` the text
    that its encoder has read. ``again`` makes it anew where it is of no text that a model was asked for.
    """

    view: View
    recording: Recording
    shown: Shown
    row: ModelRow
    stack: str = ""
    source: str = ""
    again: Again | None = None

    @property
    def scale(self) -> str:
        """What full colour stands for, by the pictures' name: "all", "head" or "row"."""
        return SCALE_OF[self.view.scale]


def picture_of(
    view: View,
    recording: Recording,
    text: str,
    habit: Habit | None = None,
    readings: Sequence[Reading] | None = None,
) -> Picture:
    """Return the picture of a view; a recording of another text than was asked for has no locked word of its own.

    ``habit`` is what the model's heads usually do; by default what comes with the program for these very weights.
    ``readings`` are those that are drawn of the text; by default the example's, or what its shape suggests.
    """
    maps = recording.maps
    if maps.text != text and view.lock is None:
        view = replace(view, lock=-1)  # each head's strongest look, whatever the word
    if readings is None or maps.text != text:
        example = example_for(maps.text)
        readings = example.readings if example and example.readings else None
    shown = shown_for(view, maps, readings, habit)
    return Picture(view, recording, shown, model_row(view.model))


def missing_usual(picture: Picture) -> str:
    """Return that a model has no usual attention and how to measure it; "" if it has, or cannot have any."""
    if picture.shown.full.measure != ATTENTION or picture.shown.habit is not None:
        return ""
    return missing_measurement(
        picture.row, "measured usual shares", f"python -m studies.bundled {picture.row.name} usual"
    )


def foot(picture: Picture) -> Spans:
    """Return which model this is, and what its numbers are not."""
    row = picture.row
    said = f"{{model}}, {row.origin_said}, {size_said(row.n_layers, row.n_heads)}. Looking is not explaining."
    if row.kind == "toy" and not by_hand(picture.recording.maps.text):
        said += " For your words this model has random numbers. The mechanism is real, the result has no meaning."
    return say(said, model=row.short)


def measured(picture: Picture) -> Spans:
    """Return how the numbers were made."""
    row, shown, maps = picture.row, picture.shown, picture.recording.maps
    looks, units = maps.measure == ATTENTION, picture.view.units
    sinks = [token for token in shown.sinks if shown.aside or token is not OWN_SINK]  # which has no column
    are = "is" if len({(token.text, token.special) for token in sinks}) == 1 else "are"
    of = "the attention a word gives in that head" if looks else "that a word receives in that head"
    excluded = ""
    if sinks and shown.aside:
        excluded = f"{are} excluded and each row is rescaled to 100 %; the grey bar shows how much was excluded. "
    elif sinks:
        excluded = f"{are} included, and nothing is rescaled. "
    pieces = (
        "Attention to a word is the sum over its [[tokens|token]], attention from a word their mean. "
        if looks
        else "What a word receives is the mean over its [[tokens|token]], what it supplies their sum. "
    )
    unique = (
        f"This text has more tokens than a head has numbers ({row.d_head}), so other weights could give the same "
        "output (Brunner et al. 2020). "
    )
    cuts = segmentation(f"{maps.text} {maps.pair or ''}")
    parts = (
        "" if looks else f"{BROUGHT_ARE} ",
        f"Percentages on the sentence are shares of all {of}. ",
        f"In the maps, {{sinks}} {excluded}" if excluded else "",
        "{measured_sinks}" if excluded and looks else "",
        pieces if units == "words" else "[[Tokens|token]] are the pieces that the model reads. ",
        f"{cuts} " if cuts and units == "words" else "",
        f"Colour: {SCALE_WORDS[picture.scale]}. ",
        CONTROL if looks and not picture.stack else "",
        CHOSEN if row.name == DEFAULT_MODEL and maps.text == OPENS_HEADS else "",
        unique if len(maps.tokens) >= row.d_head + 2 > 2 and row.kind != "toy" else "",
        "Source: {source}.",
    )
    slots = {"sinks": sink_names(sinks, maps.text), "measured_sinks": measured_sinks_said(shown.full, sinks)}
    return say("".join(parts), source=row.source, **slots)


CONTROL = (
    "Shuffled copies have the same words in another order, with punctuation in place; of a causal model the first word "
    "stays. All heads and all pairs of different words are compared, without sinks. "
)
CHOSEN = (
    "This sentence was chosen from twenty ambiguous ones because its connection is rare in shuffled copies; of forty "
    "others, none passes. The count is not corrected for the choice. "
)
NOTHING_DRAWN = "Until then the page shows the telescope sentence."


def recorded(
    view: View, ask: Ask, pair: str | None = None, readings: Sequence[Reading] | None = None
) -> tuple[Picture, list[Block]]:
    """Return the picture of a view, and what has to be said of it before it is drawn.

    ``pair`` is a second text that the model reads together with the sentence, ``readings`` as of `picture_of`.
    """
    said: list[Block] = []
    try:
        request = Request(view.text, view.model, pair)
    except InputError as error:
        request = Request(DEFAULT_TEXT, view.model)
        said.append(Notice(f"{error} {NOTHING_DRAWN}", of=DEFAULT_TEXT))
    recording = ask(request)
    said += map(Notice, recording.notes)
    return picture_of(view, recording, request.text, habit_of(request.model), readings), said


def first_words(text: str) -> str:
    """Return a text up to the last word that Heads draws."""
    last = [piece for piece in split(text) if piece.word is not None][:MOST_WORDS][-1]
    return text[: last.end]


def beyond(text: str) -> str:
    """Return the sentence for a text with more words than Heads draws; "" for a shorter one."""
    n = len(words(text))
    if n <= MOST_WORDS:
        return ""
    return f"Shown: the first {MOST_WORDS} of {n:,} words. mha.survey measures a longer text in a notebook."


def elsewhere(view: View, maps: AttentionMaps) -> str:
    """Return the sentence on pinned heads that these maps have not; "" where all are there."""
    there = set(maps.heads)
    missing = [str(head) for head in view.pins or () if head not in there]
    if not missing:
        return ""
    last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
    do, back = ("does", "It returns") if len(missing) == 1 else ("do", "They return")
    return f"{listed(missing)} {do} not exist in this attention (it has L0H0 to {last}). {back} when you switch back."


def again(picture: Picture) -> Again:
    """Return what makes a picture again without holding its maps, where they can be had again."""
    if picture.again is not None:
        return picture.again
    maps = picture.recording.maps
    try:
        request = engine.Request(maps.text, picture.row.name, maps.pair)
        known = engine.known(request)  # never a forward pass: this is asked for every file of a page
    except MHAError:
        known = None
    if known is None or known.maps is not maps:
        # What a model wrote, another of its stacks: nothing can be asked for them again.
        return lambda: picture
    return partial(_made_again, picture.view, request, picture.shown.readings)


def _made_again(view: View, request: Request, readings: Sequence[Reading]) -> Picture:
    return picture_of(view, engine.record(request), request.text, habit_of(request.model), readings)
