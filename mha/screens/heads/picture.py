"""What the page of heads draws from, and what it says of its numbers: colours, sinks, where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mha.analysis.habit import Habit
from mha.examples import example_for
from mha.link.view import SCALES, View
from mha.maps import ATTENTION, AttentionMaps, Recording
from mha.models.files.catalog import ModelRow, model_row
from mha.models.toy import by_hand
from mha.pairs import corpus
from mha.screens.blocks import Span
from mha.screens.heads.findings import sink_names
from mha.screens.shown import Shown, shown_for
from mha.words import segmentation

Said = tuple[str | Sequence[Span], ...]  # templates with terms, and ready spans

SCALE_OF = dict(zip(SCALES, ("all", "head", "row"), strict=True))  # the link's word: the pictures' name
SCALE_WORDS = {
    "all": "[[one scale|scale]] for all heads, 0 to 100 %",
    "head": "[[scaled|scale]] to each head's largest weight",
    "row": "[[scaled|scale]] to each row's largest weight",
}
BROUGHT_ARE = (
    "A share is ‖weight · value · W_O‖ of its row: what a word brings to the one that looks, not how much it is looked "
    "at (Kobayashi et al. 2020). Lengths of different rows and heads cannot be compared here."
)
TERMS = (
    "Words used above: [[head]], [[layer]], [[weight]], [[row attends to column]], [[pinned]], [[chosen for you]], "
    "[[locked word]], [[sink]], [[set aside]], [[empty row]]. Choose one for its line of the glossary."
)


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything the sections draw from: the view, the recording of its text, and what is shown of it.

    ``stack`` names the attention of an encoder–decoder that is drawn in the place of the encoder's, ``source`` the text
    that its encoder has read.
    """

    view: View
    recording: Recording
    shown: Shown
    row: ModelRow
    stack: str = ""
    source: str = ""

    @property
    def scale(self) -> str:
        """What full colour stands for, by the pictures' name: "all", "head" or "row"."""
        return SCALE_OF[self.view.scale]


def picture_of(view: View, recording: Recording, text: str, habit: Habit | None = None) -> Picture:
    """Return the picture of a view; a recording of another text than was asked for has no locked word of its own.

    ``habit`` is what the model's heads usually do; by default what comes with the program for these very weights.
    """
    maps = recording.maps
    if maps.text != text and view.lock is None:
        view = replace(view, lock=-1)  # each head's strongest look, whatever the word
    example = example_for(maps.text)
    shown = shown_for(view, maps, example.readings if example else None, habit)
    return Picture(view, recording, shown, model_row(view.model))


def weighed_picture(picture: Picture, brought: AttentionMaps) -> Picture:
    """Return a picture of what looks bring in the place of the looks, with the heads and the word that those chose."""
    was = picture.shown
    lock = -1 if was.lock is None else was.position(was.lock)
    view = replace(picture.view, pins=was.pins, layer=was.layer, lock=lock, look=was.look)
    shown = replace(
        shown_for(view, brought),
        opening=was.opening,
        chosen_pins=was.chosen_pins,
        chosen_layer=was.chosen_layer,
        chosen_lock=was.chosen_lock,
    )
    return Picture(picture.view, replace(picture.recording, maps=brought), shown, picture.row)


def habit_offer(picture: Picture) -> str:
    """Return what is said where nothing is known of what the heads usually do; "" where it is, or cannot be measured.

    A model that knows a few words only cannot read the corpus.
    """
    if picture.shown.full.measure != ATTENTION:
        return ""
    if picture.shown.habit is not None or picture.row.kind != "transformer" or picture.row.example:
        return ""
    return (
        f"What the heads of {picture.row.short} usually do is not known yet: they are told by this sentence alone. "
        f"It is measured once, over {len(corpus())} sentences, for everyone who looks at this model here."
    )


def aside_words(shown: Shown) -> Said:
    """Return what happened to the sinks, their names as spans: final punctuation is the reader's own text."""
    if not shown.sinks:
        return ("nothing had to be [[set aside]].",)
    names: list[Span] = [("plain", sink_names(shown.sinks))]
    return names, " [[set aside]]." if shown.aside else " shown, nothing [[set aside]]."


def foot(picture: Picture, sentence: bool = True) -> Said:
    """Return where the numbers come from and how they were treated; ``sentence`` says that it stands with its arcs."""
    row, maps = picture.row, picture.recording.maps
    random = row.kind == "toy" and not by_hand(maps.text)
    cuts = segmentation(f"{maps.text} {maps.pair or ''}")
    looks = maps.measure == ATTENTION
    by, to = ("attention to", "from") if looks else ("what is brought by", "to")
    units = (
        f"Words: {by} a word is the sum over its [[tokens|token]], {to} a word the mean. {cuts}".rstrip()
        if picture.view.units == "words"
        else "[[Tokens|token]], as the model sees them."
    )
    unique = (
        f" From {row.d_head + 2} tokens on, as here, other weights of a head could give the same output "
        "(Brunner et al. 2020)."
    )
    return (
        f"{row.short} ({row.source}), {row.origin}, {row.n_layers} {'layer' if row.n_layers == 1 else 'layers'} × "
        f"{row.n_heads} [[heads|head]].",
        " Random numbers for these words: the shape is real, the meaning is not." if random else "",
        "" if looks else f" {BROUGHT_ARE}",
        f" {units} Colour: {SCALE_WORDS[picture.scale]}; ",
        *aside_words(picture.shown),
        f" Shares on the sentence are of all {'attention' if looks else 'that a head brings to a word'}."
        if sentence and picture.shown.aside and picture.shown.sinks
        else "",
        unique if len(maps.tokens) >= row.d_head + 2 > 2 and row.kind != "toy" else "",
    )
