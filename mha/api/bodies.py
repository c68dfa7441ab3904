"""The bodies of questions and answers, as pydantic models; FastAPI checks them and writes the OpenAPI document."""

from types import SimpleNamespace
from typing import Annotated, Any, Literal, get_type_hints

import numpy as np
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, create_model

from mha.analysis.proposals import suggested
from mha.analysis.readings import MEASURES
from mha.errors import InputError
from mha.intervention.outcomes import Patch, Prediction, Sweep
from mha.maps import Reading, Token
from mha.models.files.catalog import DEFAULT
from mha.models.files.rows import ModelRow
from mha.models.watch.generating import MOST, Generation
from mha.words import MAX_CHARACTERS, accept

DECIMALS = 9


def to_lists(values: Any) -> Any:
    """Return an array as nested lists, rounded to nine decimals; pydantic writes NaN as null."""
    return np.round(np.asarray(values, dtype=np.float64), DECIMALS).tolist()


Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
Model = Annotated[str, Field(min_length=1, max_length=200, description="A short name from /api/models.")]
Word = Annotated[
    Annotated[int, Field(ge=0, le=MAX_CHARACTERS)] | Annotated[str, Field(min_length=1, max_length=100)],
    Field(description="The number of a word, from 0, or the word itself if the text has it once."),
]
Ablation = Annotated[Literal["mean", "zero"], Field(description="The replacement of a head's output.")]
HeadNames = Annotated[
    list[Annotated[str, Field(pattern=r"^[LEC]\d{1,3}H\d{1,3}$", examples=["L3H1"])]], Field(max_length=64)
]
Position = Annotated[int, Field(ge=0, le=10_000)]
Phrase = Annotated[str, Field(max_length=MAX_CHARACTERS)]

Numbers = Annotated[list[float | None], BeforeValidator(to_lists)]
Grid = Annotated[list[list[float | None]], BeforeValidator(to_lists)]
Flags = Annotated[list[list[bool]], BeforeValidator(np.ndarray.tolist)]
HeadName = Annotated[str, BeforeValidator(str)]
TELESCOPE = {"text": "I saw the man with the telescope"}


def renamed(field: str, *olds: str, **limits: Any) -> Any:
    """Return the definition of a field that is also read by its names before 0.3; ``limits`` are those of `Field`."""
    return Field(validation_alias=AliasChoices(field, *olds), **limits)


class QuestionBody(BaseModel, extra="forbid", strict=True):
    """A body without unknown fields, in which a number is not a text."""


class TextQuestion(QuestionBody):
    """A text for a model."""

    text: Text
    model: Model = DEFAULT


class AttentionQuestion(TextQuestion, json_schema_extra={"examples": [TELESCOPE]}):
    """One text for one model; with ``pair`` two texts that the model reads together.

    For an encoder–decoder, ``target`` is the text of the decoder and ``stack`` selects one of its attentions.
    """

    pair: Text | None = None
    target: Text | None = None
    stack: Literal["", "self", "encoder", "decoder", "cross"] = ""
    units: Literal["tokens", "words"] = "tokens"


class ReadingBody(QuestionBody):
    """One reading of a text: the ambiguous word goes with each of the candidates."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    ambiguous_word: Word = renamed("ambiguous_word", "pivot")
    candidates: list[Word] = renamed("candidates", "partners", min_length=1, max_length=8)

    def reading(self) -> Reading:
        """Return the reading."""
        return Reading(self.name, tuple((self.ambiguous_word, candidate) for candidate in self.candidates))


class ScoreBody(QuestionBody):
    """The score: the link margin, or how likely the model finds ``a`` compared with ``b``."""

    name: Literal["link", "continuations", "fills", "targets"] = "link"
    a: Phrase = ""
    b: Phrase = ""


TWO_READINGS = {
    "text": "Tom fed the dog because it was hungry",
    "a": {"name": "dog", "ambiguous_word": "it", "candidates": ["dog"]},
    "b": {"name": "Tom", "ambiguous_word": "it", "candidates": ["Tom"]},
    "changed_version": "Tom fed the dog because it was kind",
    "want": ["lean", "patch", "sweep"],
}


class ReadingsQuestion(TextQuestion, json_schema_extra={"examples": [TWO_READINGS]}):
    """A text with two readings, and the wanted results: ``lean``, ``patch`` (what heads carry), ``sweep`` (ablation).

    Without ``a`` and ``b`` `mha.propose` suggests the readings. ``patch`` needs a ``changed_version``,
    the text with another deciding word. ``score_layer`` is the layer whose output the link margin reads, the last but
    one by default. ``score`` and ``ablation`` are those of the sweep.
    """

    a: ReadingBody | None = None
    b: ReadingBody | None = None
    changed_version: Text | None = renamed("changed_version", "contrast", default=None)
    want: Annotated[list[Literal["lean", "patch", "sweep"]], Field(min_length=1, max_length=3)] = ["lean"]
    measure: Annotated[str, Field(json_schema_extra={"enum": list(MEASURES)})] = "default"
    ablation: Ablation = renamed("ablation", "silenced", default="mean")
    score: ScoreBody = renamed("score", "readout", default=ScoreBody())
    score_layer: Position | None = renamed("score_layer", "at", default=None)

    def readings(self) -> tuple[Reading, Reading]:
        """Return the two readings.

        Raises:
            InputError: one reading is missing, or `mha.propose` has no suggestion for this text.
        """
        if self.a and self.b:
            return self.a.reading(), self.b.reading()
        if self.a or self.b:
            raise InputError("Give both readings, a and b, or neither: then those that the text suggests are taken.")
        return suggested(accept(self.text).text)


COPIED = {"examples": [{"text": "moon fish table star moon fish", "model": "copier"}]}


class PredictionQuestion(TextQuestion, json_schema_extra=COPIED):
    """The likeliest words after a text, at a typed ``[MASK]``, or next in a begun ``target``.

    The heads in ``ablated`` are ablated together, those in ``ablated_in_turn`` one at a time.
    """

    count: Annotated[int, Field(ge=1, le=100)] = 10
    ablated: HeadNames = renamed("ablated", "silenced", default=[])
    ablated_in_turn: HeadNames = renamed("ablated_in_turn", "each", default=[])
    ablation: Ablation = renamed("ablation", "kind", default="mean")
    mask: Position = 0
    target: Phrase = ""


class GenerationQuestion(TextQuestion, json_schema_extra=COPIED):
    """The continuation of a text: the likeliest token each time, or with a ``seed`` a random sample."""

    n_tokens: Annotated[int, Field(ge=1, le=MOST)] = 16
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    temperature: Annotated[float, Field(ge=0.05, le=5)] = 1.0


class AblationQuestion(TextQuestion, json_schema_extra={"examples": [TELESCOPE | {"heads": ["L2H8"]}]}):
    """A text, and the heads that are ablated while the model reads it."""

    heads: HeadNames
    ablation: Ablation = renamed("ablation", "kind", default="mean")


class AnswerBody(BaseModel, from_attributes=True):
    """A body that is read from the attributes of a result."""


def answer_of(result: type, description: str, fields: str, arrays: Any = Grid, **changes: Any) -> type[BaseModel]:
    """Return the answer with some fields of a result class: ``arrays`` as lists, heads by their names.

    A field "name=attribute" has another name than its attribute. ``changes`` are types that differ here, by name.
    """
    names = {"HeadId": HeadName, "np": SimpleNamespace(ndarray=arrays)}
    hints = get_type_hints(result, localns=names, include_extras=True)
    required: dict[str, Any] = {}
    for field in fields.split():
        name, _, old = field.partition("=")
        required[name] = changes.get(name) or hints[old or name], Field(validation_alias=old or name)
    return create_model(f"{result.__name__}Answer", __base__=AnswerBody, __doc__=description, **required)


class AttentionAnswer(AnswerBody):
    """The attention of every head: ``weights`` is [layer][head][query][key], rounded to a millionth."""

    text: str
    pair: str | None
    model: str
    revision: str
    units: str
    causal: bool
    tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...] | None
    weights: list[list[list[list[float]]]]
    notes: tuple[str, ...]


class LeanAnswer(AnswerBody):
    """Each head's lean, [layer][head], positive towards A, and its mean over ``n_shuffles`` shuffles of the text.

    In ``n_reaching`` of the shuffles some head leans as far as the furthest one here.
    """

    lean: Grid
    towards_a: Grid
    towards_b: Grid
    no_opinion: Flags
    mean_of_shuffles: Grid
    n_shuffles: int
    n_reaching: int


PatchAnswer = answer_of(
    Patch,
    "The share of the score change that each head carries, [layer][head]; null if its layer cannot act.\n\n"
    "``scores`` are those of the text and of its changed version.",
    "score_layer scores carried control changed_words into_text "
    "into_changed_version model revision origin direct named_heads",
    direct=Flags,
    named_heads=tuple[HeadName, ...],
)
SweepAnswer = answer_of(
    Sweep,
    "The change of the score when each head is ablated, [layer][head]; null from layer ``n_acting_layers`` on.\n\n"
    "``score`` is that without ablation. ``direct`` marks the heads of the layer whose output is read: their "
    "effect follows from the definition of the score.",
    "score_layer n_acting_layers score effect direct ablation=kind",
    direct=Flags,
)
PredictionAnswer = answer_of(
    Prediction,
    "The likeliest words and their probabilities, the likeliest first.\n\n"
    "``ablated_probabilities`` [word] are those of the same words with the heads ``ablated``, ``ablated_word`` the "
    "likeliest word then; ``probabilities_in_turn`` [head][word] with each of ``ablated_in_turn`` alone. Or null.",
    "words ids raws probabilities tokens position=place vocabulary_size=vocabulary ablated=heads "
    "ablated_probabilities ablated_word ablated_in_turn probabilities_in_turn "
    "ablation=kind notes",
    Numbers,
    probabilities_in_turn=Grid | None,
)
GenerationAnswer = answer_of(
    Generation,
    "All tokens, of which the first ``n_read`` are the text; ``probabilities`` [step] are those of the others.",
    "tokens ids n_read probabilities has_ended=ended seed notes",
    Numbers,
)
ModelAnswer = answer_of(
    ModelRow, "A model on offer.", "name title kind n_layers n_heads max_tokens revision origin licence"
)


ReadingAnswer = answer_of(
    Reading,
    "A reading: ``links`` are pairs of an ambiguous word and a candidate.",
    "name links deciding_word=cue",
)


class ReadingsAnswer(AnswerBody):
    """The wanted results; the others are null; ``suggested`` is true if the readings come from `mha.propose`."""

    text: str
    model: str
    suggested: bool
    readings: tuple[ReadingAnswer, ...]  # type: ignore[valid-type]
    lean: LeanAnswer | None
    patch: PatchAnswer | None  # type: ignore[valid-type]
    sweep: SweepAnswer | None  # type: ignore[valid-type]


class ReadyAnswer(AnswerBody):
    """Whether a new text would be answered at once; ``message`` has the reason if not."""

    ready: bool
    phase: str
    message: str


class Problem(AnswerBody):
    """The reason for a refusal (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
