"""The parameters of links: `Params` declares each one once, `PAGES` lists those that a page reads.

A field is the key of a widget, or of a value that a callback sets. It is also the name of the URL parameter, unless
`URL_NAMES` has another one. Pages share a field by its name.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, BeforeValidator, Field, create_model

from mha.cuts import MOST_CUTS, Cut
from mha.examples import (
    CHANGE_EXAMPLES,
    NEXT_WORD_EXAMPLES,
    OPENS_HEADS,
    OPENS_TWO_READINGS,
    TRANSLATION_EXAMPLES,
)
from mha.views.heads import MAX_PINS
from mha.views.writing import N_WRITTEN
from mha.words import MAX_CHARACTERS

MAX_HEADS = 64  # heads of a list in a URL
MAX_TOKEN = 511  # the last position of a token that a link can name
N_TOY_STEPS = 10  # steps of Step by step with a toy
TELESCOPE = next(iter(CHANGE_EXAMPLES.values()))[0]  # text of a 0.2 link without ``text``
OLD_TOY = "Money Bank, full"  # toy of a 0.2 link of Step by step


def distinct_heads(heads: list[str]) -> list[str]:
    """Return the heads of a link, each once. ``none`` (0.2) is left out, so the page picks heads."""
    return [head for head in dict.fromkeys(heads) if head != "none"]


def distinct_cuts(cuts: list[str]) -> list[str]:
    """Return the cuts of a link, each once and written in one way; raise InputError for a malformed one."""
    return list(dict.fromkeys(str(Cut.of(cut)) for cut in cuts))


def second_text(values: Mapping[str, Any]) -> str:
    """Return the default second text: that of the example, else a copy of the first text."""
    text = values.get("text", "")
    return next((second for first, second in CHANGE_EXAMPLES.values() if first == text), text)


def default_x_measure(values: Mapping[str, Any]) -> str:
    """Return the default measure of a chart's first axis; the toy has no attention sinks."""
    return "entropy" if values.get("model") == "toy" else "sink_share"


def default_y_measure(values: Mapping[str, Any]) -> str:
    """Return the default measure of a chart's second axis: the effect of ablation if it is bundled."""
    return "effect" if values.get("model") in ("minilm", "smollm2") else "previous_word"


def step_number(step: Any) -> str:
    """Return the number of a step; 0.2 wrote ``4 Scores``."""
    return str(step).partition(" ")[0]


Text = Annotated[str, Field(max_length=MAX_CHARACTERS)]
Word = Annotated[str, Field(max_length=100)]
WordNumber = Annotated[int, Field(ge=0, le=MAX_CHARACTERS - 1)]
Label = Annotated[str, Field(max_length=200)]  # number and word, as in "6 it"
Head = Annotated[str, Field(pattern=r"^L\d{1,3}H\d{1,3}$")]
StackHead = Annotated[str, Field(pattern=r"^(E[0-5]|C[01])H[0-7]$")]  # of the translator
Distinct = BeforeValidator(distinct_heads)
Measure = Annotated[str, Field(pattern=r"^[a-z_]{1,30}$")]
FORMS = {"^L": "a head is written L5H3", "^(": "a head is written E0H7 or C1H2"}  # by the beginning of a pattern
Index = Annotated[int, Field(ge=0, le=MAX_TOKEN)]
Question = Literal[
    "many heads", "self-attention", "Q K V", "scaling", "formula", "output matrix", "real models",
    "redundancy", "one head", "ambiguity",
]  # fmt: skip
Toy = Literal[
    "", "All is well, one head", "All is well, two heads", "Money Bank, full", "Money Bank, slices",
    "Money Bank, overlap", "dog or food", "man or astronomer", "eight heads",
]  # fmt: skip
URL_NAMES = {  # names in the URL of fields whose short name another page has, or may have
    "cell_layer": "layer",
    "cell_head": "head",
    "cell_query": "query",
    "cell_key": "key",
    "profile": "head",
}
THINGS = {  # what the values of a parameter are, where its name does not say so
    **dict.fromkeys(("ablate", "ablated_head", "cell_head", "pins", "profile"), "head"),
    **dict.fromkeys(("look_at", "readings_a", "readings_b", "readings_cue", "readings_pivot"), "word"),
    "lock": "position",
    "cell_layer": "layer",
    "cell_query": "token number",
    "cell_key": "token number",
    "cut": "link",
    "stack": "kind of attention",
    "x": "measure",
    "y": "measure",
}


class Params(BaseModel):
    """Every parameter of a link, with its values and its default; a page may have another default."""

    # Every page: guess first, large type, the lesson in progress with its stop.
    reveal: Literal["1", "0"] = "1"
    large: bool = False
    lesson: Annotated[str, Field(max_length=60)] = ""
    stop: Annotated[int, Field(ge=1, le=40)] = 1

    # Pages about a text and a model: the heads shown large, those that are ablated, and the axes of maps.
    text: Text = OPENS_HEADS
    model: str = "minilm"
    pins: Annotated[list[Head], Distinct, Field(max_length=MAX_PINS)] = []
    ablate: Annotated[list[Head], Distinct, Field(max_length=MAX_HEADS)] = []
    units: Literal["words", "tokens"] = "words"
    sinks: bool = True  # excluded

    # Heads: the selected word by its position among all words or tokens, -1 for none; which words look at it ("at"),
    # where it looks ("from"), or both lists of connections, from and to the word ("ask", a click on a word); the
    # attention of an encoder–decoder; a second text that the model reads with the first.
    lock: Annotated[int, Field(ge=-1, le=MAX_TOKEN)] | None = None
    look: Literal["at", "from", "ask"] = "at"
    stack: Literal["Encoder", "Decoder", "Cross"] = "Encoder"
    pair: Text = ""

    # Next words: the head whose attention is shown, two words, cut links, the beginning of the output; the word of the
    # text that heads look at, and the guess; the step of writing.
    head: Head | None = None
    word: Word = ""
    versus: Word = ""
    cut: Annotated[list[str], BeforeValidator(distinct_cuts), Field(max_length=MOST_CUTS)] = []
    target: Text = ""
    look_at: WordNumber | None = None
    guess: Literal["", "looks", "adds", "none"] = ""
    step: Annotated[int, Field(ge=1, le=N_WRITTEN)] = 1

    # Change a word: the second sentence.
    second: Text = Field(default_factory=second_text)

    # Two readings. pivot: the ambiguous word; a, b: candidates; cue: the word that decides; contrast: the changed
    # version; seconds: a word for each in its place; by: where the words come from; and the tab. If a value is empty,
    # the page takes it from the example or from the suggestion; the tab is the first that the model supports.
    readings_pivot: Label | None = None
    readings_a: list[Label] = []
    readings_b: list[Label] = []
    readings_cue: Label | None = None
    readings_contrast: Text = ""
    readings_seconds: Text = ""
    readings_by: Literal["suggested", "not ambiguous", "to choose"] | None = None
    tab: Literal["Where they look", "What carries it", "Does it matter?"] | None = None

    # Translation: the ablated heads, and the written word by its number.
    without: Annotated[list[StackHead], Distinct, Field(max_length=MAX_HEADS)] = []
    written: WordNumber | None = None

    # Watch heads learn: the recorded experiment, per cent of its training, the ablated head.
    experiment: Literal["one or two heads", "identical start", "kept apart", "overlapping parts"] = "one or two heads"
    progress: Annotated[int, Field(ge=0, le=100)] = 100
    ablated_head: Literal["", "0", "1", "2", "3"] = ""

    # Questions: the open one, and the start of the page. Lesson: the lesson whose plan is shown, and the printed part.
    questions_open: Question = "many heads"
    section: Literal["", "limits"] = ""
    lesson_which: Annotated[str, Field(max_length=60)] = ""
    lesson_sheet: Literal["Plan", "Worksheet", "Worksheet with answers"] = "Plan"

    # Step by step: the cell by layer, head and two tokens; the toy with its step and its switches.
    cell_layer: Index | None = None
    cell_head: Index | None = None
    cell_query: Index | None = None
    cell_key: Index | None = None
    toy: Toy = ""
    toy_step: Annotated[int, Field(ge=1, le=N_TOY_STEPS), BeforeValidator(step_number)] = 1
    toy_positions: bool = False
    toy_scale: bool = True
    toy_mask: bool = False
    toy_seed: Annotated[int, Field(ge=0, le=99_999)] | None = None

    # Whole model: the head whose page is open, and the measures of the chart and of the grid.
    profile: Head | None = None
    x: Measure = Field(default_factory=default_x_measure)
    y: Measure = Field(default_factory=default_y_measure)
    measure: Measure = "previous_word"


LISTS = tuple(name for name, field in Params.model_fields.items() if field.default == [])


def page_params(names: str, **defaults: Any) -> type[BaseModel]:
    """Return the model of a page: the parameters of every page and those ``names``, with the page's own defaults."""
    annotations = get_type_hints(Params, include_extras=True)
    fields: dict[str, Any] = {}
    for name in ("reveal", "large", "lesson", "stop", *names.split()):
        declared = Params.model_fields[name]
        usual = Field(default_factory=declared.default_factory) if declared.default_factory else declared.default
        fields[name] = annotations[name], defaults.get(name, usual)
    return create_model("PageParams", **fields)


_CAPITAL = NEXT_WORD_EXAMPLES["capital of France"]
_READINGS = "readings_pivot readings_a readings_b readings_cue readings_contrast readings_seconds readings_by"
_CELL = "cell_layer cell_head cell_query cell_key"
_TOY = "toy toy_step toy_positions toy_scale toy_mask toy_seed"
PAGES: Mapping[str, type[BaseModel]] = {
    "": page_params("text model pins ablate lock look units sinks stack pair"),
    "next": page_params("text model ablate cut head word versus target", text=_CAPITAL, model="smollm2"),
    "matters": page_params(
        "text model word versus look_at cut guess", text=NEXT_WORD_EXAMPLES["Mary and John"], model="smollm2"
    ),
    "write": page_params("text model head step", text=_CAPITAL, model="smollm2"),
    "compare": page_params("text model second pins ablate", text=TELESCOPE),
    "readings": page_params(f"text model {_READINGS} tab pins ablate", text=OPENS_TWO_READINGS),
    "translate": page_params("text without cut written", text=next(iter(TRANSLATION_EXAMPLES.values()))),
    "training": page_params("experiment progress ablated_head"),
    "questions": page_params("text model questions_open section", text=TELESCOPE),
    "lesson": page_params("lesson_which lesson_sheet"),
    "atlas": page_params("text model profile x y measure"),
    "steps": page_params(f"text model {_CELL} {_TOY}"),
    "yours": page_params("units sinks"),
}
CHOSEN_PARAMS = ("text", "model")  # kept on another page only if they are chosen: each page has its own defaults
OWN_DEFAULTS = {  # of each page, by name: they are chosen by a URL that has them; every URL of Heads has its text
    page: {
        name
        for name in CHOSEN_PARAMS
        if name in params.model_fields and params.model_fields[name].default != Params.model_fields[name].default
    }
    for page, params in PAGES.items()
}
MODEL_PARAMS = ("ablate", "head", "pins", "profile")  # parameters that belong to a model
VIEW_PARAMS = ("cut", "lock", "look", "written", *_CELL.split())  # reset on another page
VISIT_PARAMS = ("large", "lesson", "stop")  # kept when a link opens another page

ALIASES = {  # names of 0.2
    "heads_pair": "pair",
    "heads_stack": "stack",
    "heads_silenced": "ablate",
    "heads_target": "target",
    "heads_step": "step",
    "compare_second": "second",
    "training_experiment": "experiment",
    "training_at": "progress",
    "atlas_head": "profile",
    "steps_in_layer": "cell_layer",
    "steps_head": "cell_head",
    "steps_query": "cell_query",
    "steps_key": "cell_key",
    "steps_layer": "toy",
    "steps_step": "toy_step",
    "steps_positions": "toy_positions",
    "steps_scale": "toy_scale",
    "steps_seed": "toy_seed",
}
REMOVED = re.compile(r"(heads|compare|training|atlas|steps(?!_numbers)|readings|toy)_\w+|off|on|scale|layer")  # by 0.3
KNOWN = {"v", "steps_numbers", *ALIASES, *(URL_NAMES.get(name, name) for name in Params.model_fields)}
