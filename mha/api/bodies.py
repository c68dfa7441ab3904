"""What is answered over HTTP, as pydantic models.

One whose name another class of ours has ends in Body; outside, in the document, it is called by its title.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

Numbers = list[float | None]
Grid = list[Numbers]


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


class SweepBody(BaseModel, title="Sweep"):
    """What silencing each head does to the readout, [layer][head]; null from layer ``reach`` on, which cannot act.

    ``direct`` marks the heads of the block whose output is read: they are no heads that matter.
    """

    text: str
    kind: str
    at: int
    reach: int
    untouched: float
    effect: Grid
    direct: list[list[bool]]


class Preference(BaseModel):
    """The readout, positive towards the first reading."""

    value: float


class PatchBody(BaseModel, title="Patch"):
    """What each head carries of the difference to the contrast, as a part of 1; null where a layer cannot act."""

    text: str
    contrast: str
    at: int
    margins: tuple[float, float]
    carried: Grid
    control: Grid
    direct: list[list[bool]]
    changed: list[int]
    into_text: Grid
    into_contrast: Grid
    model: str
    revision: str
    origin: str


class PathBody(BaseModel, title="Path"):
    """How much of what a receiver changes between two versions comes from some senders, into the text and back.

    ``control`` is what other heads of the same layers move.
    """

    text: str
    contrast: str
    senders: list[str]
    receiver: str
    leans: tuple[float, float]
    ways: tuple[float, float]
    ways_directly: tuple[float | None, float | None]
    control: Numbers


class PredictionBody(BaseModel, title="Prediction"):
    """The likeliest words first, and how likely; ``silenced`` [word] and ``each`` [head][word] are the same words with
    heads silenced, null where none were.
    """

    words: list[str]
    ids: list[int]
    probabilities: list[float]
    tokens: list[TokenBody]
    place: int
    vocabulary: int
    heads: list[str]
    silenced: list[float] | None
    first: str
    alone: list[str]
    each: list[list[float]] | None
    kind: str
    notes: list[str]


class GenerationBody(BaseModel, title="Generation"):
    """What was written: all tokens, the first ``n_read`` of them given; where heads looked comes in the file alone."""

    tokens: list[TokenBody]
    ids: list[int]
    n_read: int
    probabilities: list[float]
    ended: bool
    seed: int | None
    notes: list[str]


class DirectBody(BaseModel, title="Direct"):
    """What each head gives word A over word B, [layer][head], in logits; with ``rest`` they sum to ``total``."""

    heads: Grid
    rest: float
    total: float
    words: tuple[str, str]
    ids: tuple[int, int]


class CellBody(BaseModel, title="Cell"):
    """One cell step by step, as `mha.cell` has it; null in ``scores`` is a key that the mask hides."""

    head: str
    stack: str
    query: int
    key: int
    tokens: list[TokenBody]
    key_tokens: list[TokenBody]
    q: Numbers
    k: Numbers
    scale: float
    cap: float | None
    position: float | None
    hidden: bool
    rotated: bool
    before: tuple[Numbers, Numbers] | None
    scores: Numbers
    sink: float | None
    weights: Numbers
    value: Numbers
    lengths: Numbers
    through: Numbers | None
    brought: Numbers | None
    added: Numbers | None
    along: Numbers | None
    stream: float | None
    group: list[int]
    slope: float | None
    by_distance: bool
    placed: bool
    window: int | None
    causal: bool


class BroughtBody(BaseModel, title="Brought"):
    """The maps, and the length of each key's value behind W_O, [layer][head][key]; what a look brings is both times."""

    maps: Attended
    lengths: list[Grid]


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
