"""What is asked and what is answered, as pydantic models: from them comes the document too.

One whose name another class of ours has ends in Body; outside, in the document, it is called by its title.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from mha.analysis.proposals import suggested
from mha.analysis.readings import MEASURES
from mha.errors import InputError
from mha.export.figure import KINDS
from mha.figures.print.files import LEAST_DPI, MOST_DPI
from mha.figures.print.marks import FONTS, NARROWEST, RAMPS, SIZES, WIDEST
from mha.maps import Reading
from mha.models.files.catalog import DEFAULT
from mha.words import MAX_CHARACTERS, accept

Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
Model = Annotated[str, Field(min_length=1, max_length=200, description="Its short name, as /api/models lists it.")]
Word = Annotated[
    Annotated[int, Field(ge=0, le=MAX_CHARACTERS)] | Annotated[str, Field(min_length=1, max_length=100)],
    Field(description="A word's number, from 0, or the word itself where it occurs once in the text."),
]
Grid = list[list[float | None]]
MEASURE_NAMES = tuple(MEASURES)


class Strict(BaseModel):
    """A body that takes nothing it does not know, and no number for a text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Attend(Strict):
    """One text for one model; with ``pair`` two texts that it reads together."""

    text: Text = Field(examples=["I saw the man with the telescope"])
    model: Model = DEFAULT
    pair: Text | None = None
    units: Literal["tokens", "words"] = "tokens"


class ReadingBody(Strict, title="Reading"):
    """One way to take a text: the pivot goes with each of the partners."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    pivot: Word
    partners: Annotated[list[Word], Field(min_length=1, max_length=8)]

    def joined(self) -> Reading:
        """Return it as the analysis takes it."""
        return Reading(self.name, tuple((self.pivot, partner) for partner in self.partners))


class Readings(Strict):
    """A text, its two readings, and what is wanted of them; ``carried`` needs a ``contrast``.

    Without ``a`` and ``b`` they are those that the shape of the sentence suggests.
    """

    text: Text = Field(examples=["Tom fed the dog because it was hungry"])
    a: ReadingBody | None = None
    b: ReadingBody | None = None
    model: Model = DEFAULT
    contrast: Text | None = None
    want: Annotated[list[Literal["leans", "carried", "sweep"]], Field(min_length=1, max_length=3)] = ["leans"]
    measure: Annotated[str, Field(json_schema_extra={"enum": list(MEASURE_NAMES)})] = "default"
    silenced: Literal["mean", "zero", "uniform"] = "mean"

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


class WantedPrint(Strict):
    """A figure for print of a text, as `mha.figure` draws it; ``aside`` leaves special tokens and final stops out.

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


class PrintedFigure(BaseModel):
    """A figure: its SVG, what belongs below it, an entry that cites it, and its size in millimetres."""

    svg: str
    caption: str
    bibtex: str
    width_mm: float
    height_mm: float
    notes: list[str]


class TokenBody(BaseModel, title="Token"):
    """One piece of the model's input, or one word."""

    text: str
    word: int | None
    special: bool
    start: int
    end: int
    segment: int


class Attended(BaseModel):
    """Where every head looks: ``weights`` is [layer][head][query][key], rounded to a millionth."""

    text: str
    pair: str | None
    model: str
    revision: str
    units: str
    causal: bool
    tokens: list[TokenBody]
    weights: list[list[list[list[float]]]]
    notes: list[str]


class Leaned(BaseModel):
    """Each head's lean, [layer][head], positive towards A, beside 199 orders of the same words.

    ``reached`` says in how many of the ``orders`` some head leans as far as the furthest here.
    """

    lean: Grid
    towards_a: Grid
    towards_b: Grid
    no_opinion: list[list[bool]]
    mean_of_shuffles: Grid
    orders: int
    reached: int


class Carried(BaseModel):
    """What each head carries of the difference to the contrast, as a part of 1; null where a layer cannot act."""

    at: int
    margins: tuple[float, float]
    carried: Grid
    control: Grid
    direct: list[list[bool]]
    changed: list[int]
    into_text: Grid
    into_contrast: Grid
    named: list[str]
    model: str
    revision: str
    origin: str


class Swept(BaseModel):
    """What silencing each head does to the link margin; null where a layer cannot act."""

    silenced: str
    at: int
    untouched: float
    effect: Grid
    direct: list[list[bool]]


class Joined(BaseModel):
    """A reading as it was taken: its name, and the numbers of the words that it joins, pivot and partner."""

    name: str
    links: list[tuple[int | str, int | str]]


class Read(BaseModel):
    """What was wanted of two readings; null for what was not. ``suggested`` says that nobody gave the readings."""

    text: str
    model: str
    suggested: bool = False
    readings: list[Joined] = []
    leans: Leaned | None = None
    carried: Carried | None = None
    sweep: Swept | None = None


class ModelRowBody(BaseModel, title="ModelRow"):
    """A model on offer."""

    name: str
    title: str
    kind: str
    n_layers: int
    n_heads: int
    max_tokens: int
    revision: str
    origin: str
    licence: str


class Models(BaseModel):
    """Every model on offer."""

    models: list[ModelRowBody]


class PageOf(BaseModel):
    """A page: its link and title, what in the link could not be, and what it says, draws and lets choose, in order.

    A block has its ``kind``; blocks in it stand in ``blocks`` or ``columns``. Arrays of pictures are bytes in base64,
    with their ``dtype`` and ``shape``.
    """

    link: str
    title: str
    complaints: list[str]
    blocks: list[dict[str, Any]]


class Alive(BaseModel):
    """The process runs."""

    alive: bool


class Ready(BaseModel):
    """Whether a new text would be answered at once; ``message`` says why not."""

    ready: bool
    phase: str
    message: str


class Problem(BaseModel):
    """Why there is no answer (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
