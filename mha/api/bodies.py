"""What is answered over HTTP, as pydantic models: written out, or made of the dataclass that an experiment finds.

One whose name another class of ours has ends in Body; outside, in the document, it is called by its title.
"""

from __future__ import annotations

from collections.abc import Container
from types import SimpleNamespace
from typing import Any, get_type_hints

from pydantic import BaseModel, create_model

from mha.intervention.outcomes import Direct, Patch, Path, Prediction, Sweep
from mha.models.watch.cell import Cell
from mha.models.watch.generating import Generation

Numbers = list[float | None]
Grid = list[Numbers]
Flags = list[list[bool]]


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
    key_tokens: list[TokenBody] | None
    weights: list[list[list[list[float]]]]
    notes: list[str]


class Leaned(BaseModel):
    """Each head's lean, [layer][head], positive towards A, beside 199 orders of the same words.

    ``reached`` says in how many of the ``orders`` some head leans as far as the furthest here.
    """

    lean: Grid
    towards_a: Grid
    towards_b: Grid
    no_opinion: Flags
    mean_of_shuffles: Grid
    orders: int
    reached: int


class Carried(BaseModel):
    """What each head carries of the difference to the contrast, as a part of 1; null where a layer cannot act."""

    at: int
    margins: tuple[float, float]
    carried: Grid
    control: Grid
    direct: Flags
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
    direct: Flags


class Preference(BaseModel):
    """The readout, positive towards the first reading."""

    value: float


def _telling(kind: type, about: str, array: Any, without: Container[str] = (), **said: Any) -> type[BaseModel]:
    """Return the body that tells a dataclass: its fields and their types, heads by their names, an array as ``array``.

    Fields ``without`` which it is told are left out; those that are ``said`` are as said, further ones among them.
    """
    ours = {"HeadId": str, "Token": TokenBody, "np": SimpleNamespace(ndarray=array)}
    hints = get_type_hints(kind, localns=ours) | said
    told: dict[str, Any] = {name: (hint, ...) for name, hint in hints.items() if name not in without}
    return create_model(kind.__name__, __doc__=about, **told)


SweepBody = _telling(
    Sweep,
    "What silencing each head does to the readout, [layer][head]; null from layer ``reach`` on, which cannot act.\n\n"
    "``direct`` marks the heads of the block whose output is read: they do not count as heads that matter.",
    Grid,
    direct=Flags,
)
PatchBody = _telling(
    Patch,
    "What each head carries of the difference to the contrast, as a part of 1; null where a layer cannot act.",
    Grid,
    direct=Flags,
)
PathBody = _telling(
    Path,
    "How much of what a receiver changes between two versions comes from some senders, into the text and back.\n\n"
    "``control`` is what other heads of the same layers move.",
    Numbers,
    ways_directly=tuple[float | None, float | None],
)
PredictionBody = _telling(
    Prediction,
    "The likeliest words first, and how likely; ``silenced`` [word] and ``each`` [head][word] are the same words with\n"
    "heads silenced, null where none were.",
    list[float],
    each=list[list[float]] | None,
)
GenerationBody = _telling(
    Generation,
    "What was written: all tokens, the first ``n_read`` of them given; where heads looked comes in the file alone.",
    list[float],
    without=("recording",),
)
DirectBody = _telling(
    Direct,
    "What each head gives word A over word B, [layer][head], in logits; with ``rest`` they sum to ``total``.",
    Grid,
)
CellBody = _telling(
    Cell,
    "One cell step by step, as `mha.cell` has it; null in ``scores`` is a key that the mask hides.",
    Numbers,
    without=("dots", "values", "findings", "incoming"),
    value=Numbers,
    lengths=Numbers,
    stream=float | None,
)


class BroughtBody(BaseModel, title="Brought"):
    """The maps, and the length of each key's value after W_O, [layer][head][key]; what a look brings is both times."""

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
