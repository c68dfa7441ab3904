"""What is asked over HTTP, as pydantic models: from them and from `mha.api.bodies` comes the document too."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from mha.analysis.proposals import suggested
from mha.analysis.readings import MEASURES
from mha.errors import InputError
from mha.export.figure import KINDS
from mha.figures.print import FONTS, LEAST_DPI, MOST_DPI, NARROWEST, RAMPS, SIZES, WIDEST
from mha.maps import HeadId, Reading
from mha.models.files.catalog import DEFAULT
from mha.models.watch.generating import MOST
from mha.pairs import OTHER
from mha.words import MAX_CHARACTERS, accept

Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
Model = Annotated[str, Field(min_length=1, max_length=200, description="Its short name, as /api/models lists it.")]
Word = Annotated[
    Annotated[int, Field(ge=0, le=MAX_CHARACTERS)] | Annotated[str, Field(min_length=1, max_length=100)],
    Field(description="A word's number, from 0, or the word itself where it occurs once in the text."),
]
Kind = Annotated[
    Literal["mean", "zero", "uniform", "resample"], Field(description="What a head's output is replaced with.")
]
HeadName = Annotated[str, Field(pattern=r"^L\d{1,3}H\d{1,3}$", examples=["L3H1"])]
Heads = Annotated[list[HeadName], Field(max_length=64)]
Place = Annotated[int, Field(ge=0, le=10_000)]
TokenText = Annotated[str, Field(min_length=1, max_length=100)]  # in the place of a place, where it stands once


def chosen(names: list[str]) -> tuple[HeadId, ...]:
    """Return heads by their names."""
    return tuple(HeadId.parse(name) for name in names)


class Strict(BaseModel):
    """A body that takes nothing it does not know, and no number for a text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class WantedText(Strict):
    """A text for one model, alone, with another one that it reads together, or with what a decoder is to write."""

    text: Text = Field(examples=["I saw the man with the telescope"])
    model: Model = DEFAULT
    pair: Text | None = None
    target: Text | None = None
    stack: Literal["", "self", "encoder", "decoder", "cross"] = ""


class Attend(WantedText):
    """One text for one model; with ``pair`` two texts that it reads together.

    Of an encoder–decoder ``target`` is what the decoder is to write, and ``stack`` which of its attentions is wanted.
    """

    units: Literal["tokens", "words"] = "tokens"


class ReadingBody(Strict, title="Reading"):
    """One way to take a text: the pivot goes with each of the partners."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    pivot: Word
    partners: Annotated[list[Word], Field(min_length=1, max_length=8)]

    def joined(self) -> Reading:
        """Return it as the analysis takes it."""
        return Reading(self.name, tuple((self.pivot, partner) for partner in self.partners))


class TwoReadings(Strict):
    """A text and its two readings; without ``a`` and ``b`` they are those that the shape of the sentence suggests."""

    text: Text = Field(examples=["A dog ate the food because it was hungry."])
    a: ReadingBody | None = None
    b: ReadingBody | None = None
    model: Model = DEFAULT

    def both(self) -> tuple[Reading, Reading]:
        """Return the two readings as the analysis takes them.

        Raises:
            InputError: one of them is missing, or nothing is suggested for this text.
        """
        if self.a is not None and self.b is not None:
            return self.a.joined(), self.b.joined()
        if self.a is not None or self.b is not None:
            raise InputError("Give both readings, a and b, or neither: then those that the text suggests are taken.")
        return suggested(accept(self.text).text)


class Readings(TwoReadings):
    """A text, its two readings, and what is wanted of them; ``carried`` needs a ``contrast``.

    Without ``a`` and ``b`` they are those that the shape of the sentence suggests.
    """

    contrast: Text | None = None
    want: Annotated[list[Literal["leans", "carried", "sweep"]], Field(min_length=1, max_length=3)] = ["leans"]
    measure: Annotated[str, Field(json_schema_extra={"enum": list(MEASURES)})] = "default"
    silenced: Literal["mean", "zero", "uniform"] = "mean"


class ReadoutBody(Strict, title="Readout"):
    """What is read of the model: the link margin, or how likely it finds ``a`` beside ``b``."""

    name: Literal["link", "continuations", "fills", "targets"] = "link"
    a: Annotated[str, Field(max_length=MAX_CHARACTERS)] = ""
    b: Annotated[str, Field(max_length=MAX_CHARACTERS)] = ""


class WantedSweep(TwoReadings):
    """Every head silenced by itself; ``at`` is the block output that the link margin reads, the last but one unless
    said. ``like`` is the kind of ambiguity whose sentences stand in, under "resample".
    """

    kind: Kind = "mean"
    readout: ReadoutBody = ReadoutBody()
    at: Place | None = None
    like: Annotated[str, Field(max_length=40)] = OTHER


class WantedPreference(WantedSweep):
    """A readout with some heads silenced together."""

    silenced: Heads = []


class WantedPatch(TwoReadings):
    """What each head carries of the difference to the other version of the text, its ``contrast``."""

    contrast: Text
    at: Place | None = None
    controls: bool = True


class WantedPath(TwoReadings):
    """How much of one head's change between two versions comes from heads of earlier layers, the senders."""

    contrast: Text
    senders: Annotated[Heads, Field(min_length=1)]
    receiver: HeadName
    controls: bool = True


class WantedWords(Strict):
    """The likeliest words after a text, in the place of a typed ``[MASK]``, or next in a begun target.

    Heads are silenced together, and those of ``each`` one by one.
    """

    text: Text = Field(examples=["Paris is the capital of"])
    model: Model = DEFAULT
    count: Annotated[int, Field(ge=1, le=100)] = 10
    silenced: Heads = []
    each: Heads = []
    kind: Kind = "mean"
    mask: Place = 0
    target: Annotated[str, Field(max_length=MAX_CHARACTERS)] = ""


class WantedWriting(Strict):
    """What a model writes after a text: greedily, or drawn with a ``seed`` from its probabilities."""

    text: Text = Field(examples=["The capital of France is"])
    model: Model = DEFAULT
    n_tokens: Annotated[int, Field(ge=1, le=MOST)] = 16
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    temperature: Annotated[float, Field(ge=0.05, le=5)] = 1.0


class WantedAblation(Strict):
    """A text, and the heads that are silenced while it is read; ``keep`` beside the weights comes in the file alone."""

    text: Text = Field(examples=["I saw the man with the telescope"])
    heads: Heads
    kind: Kind = "mean"
    model: Model = DEFAULT
    keep: Annotated[list[Literal["query", "key", "value", "hidden"]], Field(max_length=4)] = []


class WantedDirect(Strict):
    """Two words that may follow a text."""

    text: Text = Field(examples=["The capital of France is"])
    a: Text = Field(examples=["Paris"])
    b: Text = Field(examples=["London"])
    model: Model = DEFAULT


class WantedCell(WantedText):
    """One head, and the places of the token that looks and of the one that is looked at."""

    head: HeadName
    query: Place | TokenText
    key: Place | TokenText


class WantedBrought(WantedText):
    """A text whose looks are weighted by what they bring; ``target`` and ``stack`` as for /api/attend."""


class WantedPrint(Strict):
    """A figure for print of a text, as `mha.figure` draws it; ``aside`` leaves sinks out.

    The kinds change and carry take the other version of the text as ``contrast``; what heads carry is between the two
    readings that the shape of the text suggests. Accept says in which form: JSON with the SVG and its caption, or one
    file. ``dpi`` is that of a PNG.
    """

    text: Text = Field(examples=["The trophy didn't fit in the suitcase because it was too big."])
    model: Model = DEFAULT
    kind: Annotated[str, Field(json_schema_extra={"enum": list(KINDS)})] = "map"
    heads: Annotated[list[Annotated[str, Field(max_length=10)]], Field(max_length=4, examples=[["L3H1"]])] = []
    width: Annotated[float, Field(ge=NARROWEST, le=WIDEST)] | Literal["single", "double"] | None = None
    font: Annotated[str, Field(json_schema_extra={"enum": list(FONTS)})] = "sans"
    size: Annotated[int, Field(json_schema_extra={"enum": list(SIZES)})] = 7
    colours: Annotated[str, Field(json_schema_extra={"enum": list(RAMPS)})] = "blue"
    word: Word | None = None
    contrast: Text | None = None
    aside: bool = False
    sentence: bool = True
    dpi: Annotated[int, Field(ge=LEAST_DPI, le=MOST_DPI)] = 300
