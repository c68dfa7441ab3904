"""The URL holds the state of a page: one pydantic model a page, synchronised once at the start of each run.

A field is the key of a widget, or of the value that a component's callback sets, and the name of a URL parameter. Pages
share a field by its name, and its value goes with the visitor from page to page. A default is left out of the URL.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import streamlit as st
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError

from mha.cuts import MOST_CUTS, Cut
from mha.errors import InputError
from mha.examples import (
    CHANGE_EXAMPLES,
    NEXT_WORD_EXAMPLES,
    OPENS_HEADS,
    OPENS_TWO_READINGS,
    TRANSLATION_EXAMPLES,
)
from mha.formats import clean, markdown, truncate
from mha.maps import HeadId
from mha.navigation import VERSION
from mha.words import MAX_CHARACTERS

MAX_PINS = 4
MAX_HEADS = 64  # of a list in a URL
MAX_WRITTEN = 10  # words that *Let it write* shows
MAX_TOKEN = 511  # the last position of a token that a link can name
TELESCOPE = next(iter(CHANGE_EXAMPLES.values()))[0]  # the text of links of 0.2 that name none

Query = Mapping[str, Sequence[str]]
Text = Annotated[str, Field(max_length=MAX_CHARACTERS)]
Word = Annotated[str, Field(max_length=100)]
Head = Annotated[str, Field(pattern=r"^L\d{1,3}H\d{1,3}$")]
StackHead = Annotated[str, Field(pattern=r"^(E[0-5]|C[01])H[0-7]$")]  # of the translator
StackCut = Annotated[str, Field(pattern=r"^[EC]")]
WordNumber = Annotated[int, Field(ge=0, lt=MAX_CHARACTERS)]
Measure = Annotated[str, Field(pattern=r"^[a-z_]{1,30}$")]
Step = Annotated[int, Field(ge=1, le=MAX_WRITTEN)]


def distinct_heads(heads: Any) -> Any:
    """Return the heads of a link, each once; ``none`` of 0.2 pins no head, which is now the automatic choice."""
    return [head for head in dict.fromkeys(heads) if head != "none"] if isinstance(heads, list) else heads


def distinct_cuts(cuts: Any) -> Any:
    """Return the cuts of a link, each once and written in one way; raise ValueError for a malformed one."""
    try:
        return list(dict.fromkeys(str(Cut.of(cut)) for cut in cuts))
    except InputError as error:
        raise ValueError(str(error)) from error


def at_most(limit: int, things: str = "heads") -> AfterValidator:
    """Return the validator of a list of heads, or of other ``things``, that refuses more than ``limit``."""

    def check(values: list[str]) -> list[str]:
        if len(values) > limit:
            raise ValueError(f"at most {limit} {things}, not {len(values)}")
        return values

    return AfterValidator(check)


def second_text(values: Mapping[str, Any]) -> str:
    """Return the second text of a page that nothing has set: that of the example, else a copy to be edited."""
    text = values.get("text", "")
    return next((second for first, second in CHANGE_EXAMPLES.values() if first == text), text)


def most_telling(values: Mapping[str, Any]) -> str:
    """Return the measure of a chart's second axis that nothing has set: the effect of ablation where it is bundled."""
    return "effect" if values.get("model") in ("minilm", "smollm2") else "previous_word"


Heads = Annotated[list[Head], BeforeValidator(distinct_heads), at_most(MAX_HEADS)]
Pins = Annotated[list[Head], BeforeValidator(distinct_heads), at_most(MAX_PINS)]
Cuts = Annotated[list[str], BeforeValidator(distinct_cuts), at_most(MOST_CUTS, "links")]

ALIASES = {  # names of 0.2
    "heads_pair": "pair",
    "heads_stack": "stack",
    "heads_silenced": "ablate",
    "heads_target": "target",
    "heads_step": "step",
    "compare_second": "second",
    "compare_swaps": "controls",
    "training_experiment": "experiment",
    "training_at": "progress",
    "atlas_head": "profile",
    "steps_in_layer": "cell_layer",
    "steps_head": "cell_head",
    "steps_query": "cell_query",
    "steps_key": "cell_key",
    "steps_step": "toy_step",
    "steps_positions": "toy_positions",
    "steps_scale": "toy_scale",
    "steps_mask": "toy_mask",
    "steps_seed": "toy_seed",
}
_TOY = "Temperature and your own words left the toy in 0.3; *Real model* reads your sentence."
_EDITS = "Edited matrices and the walk left Step by step in 0.3; presets and seeds stay."
_TWO_TEXTS = "Change a word compares two sentences in one model; scrambled copies and other models left it in 0.3."
_RUNS = "Settings of live trainings left Watch heads learn in 0.3; four recorded experiments play."
_CELL = "One cell left Heads in 0.3. `/steps?layer=5&head=3&query=7&key=4` shows its arithmetic."
_WRITTEN = "Models predict words on Next word and write on Let it write since 0.3."
_WORDS = "Heads finds the ambiguous word itself since 0.3; /readings opens the words of this link."
_SHARES = "Every share on Heads is one of all attention since 0.3; contributions are in the package."
_SIDES = ("heads", "start", "reads", "pressure", "layers")  # settings of a training, one for each side
_MEASURES = "`x`, `y` and `measure` choose what Whole model shows since 0.3."
REMOVED = {  # parameters of 0.2 that no page has
    "compare_against": _TWO_TEXTS,
    "compare_other": _TWO_TEXTS,
    "compare_seed": _TWO_TEXTS,
    "compare_paired": "Words are paired automatically; pairing by hand left Change a word in 0.3.",
    "compare_variants": "Further words to try left Change a word in 0.3. Type each as the second sentence.",
    "compare_head": "Further words to try left Change a word in 0.3. `pins=L5H3` shows a head in both sentences.",
    "compare_weights": "Maps of Change a word show attention; contributions left it in 0.3.",
    "off": "Hidden heads left Parallax in 0.3. `ablate=L5H3` runs the model without a head.",
    "on": "Hidden heads left Parallax in 0.3. `ablate=L5H3` runs the model without a head.",
    "heads_cell": _CELL,
    "heads_cell_before": _CELL,
    "heads_cell_order": _CELL,
    "heads_pinned": "Lines and tables of pinned heads left Heads in 0.3; heatmaps have the same numbers.",
    "heads_weighed": _SHARES,
    "heads_weights": _SHARES,
    "heads_between": "Maps of two texts are whole since 0.3; `mha.attend(text, pair=…)` has their parts.",
    "heads_table": "The table of Heads treats attention sinks as the maps do since 0.3.",
    "scale": "One colour scale, from 0 to 100 %, is for all heads since 0.3.",
    "heads_prompt": _WRITTEN,
    "heads_aim": _WRITTEN,
    "heads_how": "The model writes the likeliest word each time; random draws left Parallax in 0.3.",
    "heads_seed": "The model writes the likeliest word each time; random draws left Parallax in 0.3.",
    **{f"training_{name}_{side}": _RUNS for name in _SIDES for side in ("left", "right")},
    **{f"training_{name}": _RUNS for name in ("readings", "strength", "seed", "steps")},
    "atlas_over": "Whole model measures the sample sentences since 0.3; in other models, this sentence.",
    "atlas_colour": _MEASURES,
    "atlas_order": "Whole model has a chart of any two measures since 0.3.",
    "atlas_least": "Dimmed heads left Whole model in 0.3; its chart has any two measures.",
    "atlas_most": "Dimmed heads left Whole model in 0.3; its chart has any two measures.",
    "atlas_layer": "One layer with intervals left Whole model in 0.3; its chart has any two measures.",
    "atlas_like": "Similar heads are on the page of each head since 0.3: `head=L5H3`.",
    "steps_edits": _EDITS,
    "steps_editing": _EDITS,
    "steps_heads": _EDITS,
    "steps_words": _TOY,
    "steps_temperature": _TOY,
    "steps_width": "The chart of widths left Step by step in 0.3. Questions measures why scores are divided.",
    **dict.fromkeys(
        ("readings_score", "readings_at", "readings_say_a", "readings_say_b"),
        "Since 0.3 the score of Two readings is the model’s own answer, else the closeness of words; *Next word* "
        "compares any two next words.",
    ),
    **dict.fromkeys(
        ("readings_forces", "readings_word_a", "readings_word_b"),
        "Second words, and the reading that a change leaves, are those of the example on Two readings since 0.3.",
    ),
    "readings_kind": "The type of an ambiguity follows from its words since 0.3.",
    **dict.fromkeys(("readings_name_a", "readings_name_b"), "Readings are named by their candidates since 0.3."),
    "readings_silenced": "Two readings replaces a head’s output by its mean since 0.3; `mha.sweep` has zero, too.",
    "readings_set": "Since 0.3 `ablate=L5H3` ablates chosen heads together on Two readings.",
    "readings_steered": "The strength of a head left Two readings in 0.3; chosen heads are ablated together.",
    "readings_strength": "The strength of a head left Two readings in 0.3; chosen heads are ablated together.",
    "readings_left": "Two heads in detail left Two readings in 0.3; `pins=L5H3` shows a head.",
    "readings_right": "Two heads in detail left Two readings in 0.3; `pins=L5H3` shows a head.",
    "readings_measure": "Other measures of a lean left Two readings in 0.3; `mha.lean` has them.",
    "readings_weights": "Arcs of contributions left Two readings in 0.3.",
    "heads_most": f"The model writes {MAX_WRITTEN} words; other lengths left Parallax in 0.3.",
}


class Params(BaseModel):
    """Parameters that every page has; a page adds its own."""

    page: ClassVar[str]
    url_names: ClassVar[Mapping[str, str]] = {}  # of fields that have another name in the URL
    always: ClassVar[tuple[str, ...]] = ()  # fields that a URL with any parameter names, defaults too
    removed: ClassVar[Mapping[str, str]] = {}  # parameters of 0.2 that left this page and may be others' names
    reveal: Literal["1", "0"] = "1"
    large: bool = False
    lesson: Annotated[str, Field(max_length=60)] = ""
    stop: Annotated[int, Field(ge=1, le=40)] = 1

    @classmethod
    def upgraded(cls, url: Query) -> Query:
        """Return a URL of 0.2 with its present meaning."""
        return url


class TextParams(Params):
    """Parameters of a page about a text and a model."""

    text: Text
    model: str


class HeadsParams(TextParams):
    """Heads: pinned and ablated heads, the selected word, the units, excluded sinks, and which attention is shown.

    ``lock`` is the selected word by its position among all words or tokens, -1 for none; ``look`` shows which words
    look at it ("at"), where it looks ("from"), or all heads that answer ("ask"). ``pair`` is a second text that the
    model reads with the first. ``stack`` is the attention of an encoder–decoder.
    """

    page = ""
    always = ("text",)
    removed = {
        "layer": "All heads of one layer left Heads in 0.3; the grid shows every layer.",
        "heads_step": _WRITTEN,
        "heads_target": _WRITTEN,
        **dict.fromkeys(("readings_pivot", "readings_a", "readings_b"), _WORDS),
    }
    text: Text = OPENS_HEADS
    model: str = "minilm"
    pins: Pins = []
    ablate: Heads = []
    lock: Annotated[int, Field(ge=-1, le=MAX_TOKEN)] | None = None
    look: Literal["at", "from", "ask"] = "at"
    units: Literal["words", "tokens"] = "words"
    sinks: bool = True
    stack: Literal["Encoder", "Decoder", "Cross"] = "Encoder"
    pair: Text = ""

    @classmethod
    def upgraded(cls, url: Query) -> Query:
        """Return a URL of 0.2 with its present meaning: without a text it opened the telescope sentence."""
        names = {*cls.model_fields, *ALIASES, *REMOVED, *cls.removed, "v"}
        return {"text": [TELESCOPE], **url} if names & set(url) and "text" not in url else url


class NextParams(TextParams):
    """Next word: the words whose change is shown, ablated heads, cut links, the head whose attention is shown."""

    page = "next"
    text: Text = NEXT_WORD_EXAMPLES["capital of France"]
    model: str = "smollm2"
    ablate: Heads = []
    cut: Cuts = []
    head: Head | None = None
    word: Word = ""
    versus: Word = ""
    target: Text = ""


class MattersParams(TextParams):
    """Looks, adds, matters: the two next words, the word that heads look at, the cut links, and the guess."""

    page = "matters"
    text: Text = NEXT_WORD_EXAMPLES["Mary and John"]
    model: str = "smollm2"
    word: Word = ""
    versus: Word = ""
    look_at: WordNumber | None = None
    cut: Cuts = []
    guess: Literal["", "looks", "adds", "none"] = ""


class WriteParams(TextParams):
    """Let it write: the shown step, and the head whose attention is shown."""

    page = "write"
    text: Text = NEXT_WORD_EXAMPLES["capital of France"]
    model: str = "smollm2"
    head: Head | None = None
    step: Step = 1


class CompareParams(TextParams):
    """Change a word: the second sentence, typed control words with commas, the pinned and the ablated heads."""

    page = "compare"
    text: Text = next(iter(CHANGE_EXAMPLES.values()))[0]
    model: str = "minilm"
    second: Text = Field(default_factory=second_text)
    controls: Annotated[str, Field(max_length=120)] = ""
    pins: Pins = []
    ablate: Heads = []


Label = Annotated[str, Field(max_length=200)]


class ReadingsParams(TextParams):
    """Two readings: the words of both, by number and word ("6 it"), the changed version, and the open tab.

    An empty value is that of the example, or of the suggestion for the text; ``tab`` is by default the first that the
    model supports.
    """

    page = "readings"
    text: Text = OPENS_TWO_READINGS
    model: str = "minilm"
    readings_pivot: Label | None = None
    readings_a: list[Label] = []
    readings_b: list[Label] = []
    readings_cue: Label | None = None
    readings_contrast: Text = ""
    readings_by: Literal["suggested", "not ambiguous", "to choose"] | None = None
    tab: Literal["Where they look", "What carries it", "Does it matter?"] | None = None
    pins: Pins = []
    ablate: Heads = []

    @classmethod
    def upgraded(cls, url: Query) -> Query:
        """Return a URL of 0.2 with its present meaning: its default text, the telescope, came with a kind alone."""
        name, _, head = url.get("readings_set", [""])[-1].partition(" ")
        ablate = {"ablate": [head]} if name == "only" else {}
        text = {"text": [TELESCOPE]} if url.get("readings_kind") == ["attachment"] else {}
        return {**text, **url, **ablate}


class TranslateParams(Params):
    """Translation: the ablated heads of the translator, the cut links, and the written word whose change is shown, by
    its number.

    The page has its own model.
    """

    page = "translate"
    text: Text = next(iter(TRANSLATION_EXAMPLES.values()))
    without: Annotated[list[StackHead], BeforeValidator(distinct_heads), at_most(MAX_HEADS)] = []
    cut: Annotated[list[StackCut], BeforeValidator(distinct_cuts), at_most(MOST_CUTS, "links")] = []
    written: WordNumber | None = None


class TrainingParams(Params):
    """Watch heads learn: the recorded experiment, per cent of its training, the head that is ablated."""

    page = "training"
    experiment: Literal["one or two heads", "identical start", "kept apart", "overlapping parts"] = "one or two heads"
    progress: Annotated[int, Field(ge=0, le=100)] = 100
    ablated_head: Literal["", "0", "1", "2", "3"] = ""


def open_question(name: Any) -> Any:
    """Return the question that a link opens; *measures* of 0.2 is the first claim now, above every open question."""
    return "many heads" if name == "measures" else name


class QuestionsParams(TextParams):
    """Questions: the open one of the ten questions, and the start of the page.

    Guesses and revealed answers are not in the link.
    """

    page = "questions"
    text: Text = next(iter(CHANGE_EXAMPLES.values()))[0]
    model: str = "minilm"
    questions_open: Annotated[
        Literal[
            "many heads", "self-attention", "Q K V", "scaling", "formula", "output matrix", "real models",
            "redundancy", "one head", "ambiguity",
        ],
        BeforeValidator(open_question),
    ] = "many heads"  # fmt: skip
    section: Literal["", "limits"] = ""


Toy = Literal[
    "", "All is well, one head", "All is well, two heads", "Money Bank, full", "Money Bank, slices",
    "Money Bank, overlap", "dog or food", "man or astronomer", "eight heads",
]  # fmt: skip
OLD_LAYERS = {"original paper, 8 heads": "eight heads"}
STEP_NAMES = (
    "Words", "Numbers", "Q, K, V", "Scores", "Scale", "Mask", "Weights", "Values", "Side by side", "Mix with W_O"
)  # fmt: skip
Place = Annotated[int, Field(ge=0, le=MAX_TOKEN)]


def step_number(value: Any) -> Any:
    """Return the number of a step; 0.2 wrote ``4 Scores``, or ``Scores``."""
    text = str(value)
    return STEP_NAMES.index(text) + 1 if text in STEP_NAMES else text.partition(" ")[0]


class StepsParams(TextParams):
    """Step by step: the cell of the model, by layer, head and two tokens; the toy with its cell and its switches."""

    page = "steps"
    url_names = {"cell_layer": "layer", "cell_head": "head", "cell_query": "query", "cell_key": "key"}
    text: Text = OPENS_HEADS
    model: str = "minilm"
    cell_layer: Place | None = None
    cell_head: Place | None = None
    cell_query: Place | None = None
    cell_key: Place | None = None
    toy: Toy = ""
    toy_step: Annotated[int, Field(ge=1, le=len(STEP_NAMES)), BeforeValidator(step_number)] = 1
    toy_positions: bool = False
    toy_scale: bool = True
    toy_mask: bool = False
    toy_seed: Annotated[int, Field(ge=0, le=99_999)] | None = None

    @classmethod
    def upgraded(cls, url: Query) -> Query:
        """Return a URL of 0.2 with its present meaning: it opened with the toy, and with the telescope sentence."""
        if not any(name.startswith("steps_") for name in url):
            return url
        layer = url.get("steps_layer", ["Money Bank, full"])[-1]
        is_toy = url.get("steps_numbers", ["toy"])[-1] == "toy"
        mask = {"toy_mask": [str(url["steps_mask"][-1] == "causal")]} if "steps_mask" in url else {}
        toy = OLD_LAYERS.get(layer, layer) if is_toy else ""
        return {"text": [TELESCOPE], **url, "toy": [toy], **mask}


class LessonParams(Params):
    """Lesson: the lesson whose plan is shown, and the printed part."""

    page = "lesson"
    lesson_which: Annotated[str, Field(max_length=60)] = ""
    lesson_sheet: Literal["Plan", "Worksheet", "Worksheet with answers"] = "Plan"


class AtlasParams(TextParams):
    """Whole model: the head whose page is open, the measures of the chart and of the grid.

    The head differs from the head of Next word, so it has a field of its own.
    """

    page = "atlas"
    url_names = {"profile": "head"}
    text: Text = OPENS_HEADS
    model: str = "minilm"
    profile: Head | None = None
    x: Measure = "sink_share"
    y: Measure = Field(default_factory=most_telling)
    measure: Measure = "previous_word"


class YoursParams(Params):
    """Your file: the units and the excluded sinks. Nothing of a file is in a link."""

    page = "yours"
    units: Literal["words", "tokens"] = "words"
    sinks: bool = True


_ALL = (
    HeadsParams,
    NextParams,
    MattersParams,
    WriteParams,
    CompareParams,
    ReadingsParams,
    TranslateParams,
    TrainingParams,
    QuestionsParams,
    LessonParams,
    AtlasParams,
    StepsParams,
    YoursParams,
)
PAGES: Mapping[str, type[Params]] = {params.page: params for params in _ALL}
HEADS = ("ablate", "head", "pins", "profile")  # parameters that belong to a model
WORD = ("lock", "look")  # parameters that belong to a text
CELL = (
    "cell_layer",
    "cell_head",
    "cell_query",
    "cell_key",
    "cut",
    "written",
)  # parameters that belong to a text and a model


def default(page: str, name: str, values: Mapping[str, Any] | None = None) -> Any:
    """Return the default of a page's parameter; it may depend on ``values``, by default those of the visit.

    It may depend on parameters above it in the model.
    """
    validated: Any = st.session_state if values is None else values
    return PAGES[page].model_fields[name].get_default(call_default_factory=True, validated_data=validated)


def sync(page: str, is_new: bool, by_history: bool) -> None:
    """Read a URL that is new into the session state, else write what widgets and callbacks have set to the URL.

    Call it first in every run: widgets and callbacks have set the state when a run starts, and after `st.stop()` it can
    no longer be read. The navigation drops the query, so a page that is opened without one keeps the visit's values;
    Back and Forward read the URL. ``is_new`` is True if another page was open before.
    """
    state = st.session_state
    values: dict[str, Any] = state.setdefault("link_values", {})
    _carry(page, state.get("link_page_before") if is_new else page, values)
    url = url_query()
    last = state.get("link_synced")
    keeps_visit = is_new and last is not None and not url and not by_history
    if last is None or (not keeps_visit and (is_new or url != last[0])):
        params, problems = parse(PAGES[page], url)
        state.update(params.model_dump())
        state["link_problems"] = problems
    elif keeps_visit or encode(page) != last[1]:
        url = encode(page)
        st.query_params.from_dict(url)
        state["link_problems"] = []
    state["link_synced"] = url, encode(page)
    if state.get("text") != values.get("text"):  # a word that was selected in another text
        for name in set(WORD) - set(PAGES[page].model_fields):
            state.pop(name, None)
            values.pop(name, None)
    values.update({name: state[name] for name in PAGES[page].model_fields})


def url_query() -> dict[str, list[str]]:
    """Return the parameters of the open URL with all their values."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def has_changed() -> bool:
    """Return whether a widget or a callback has set a parameter since the link was synchronised."""
    state = st.session_state
    return bool(state["link_synced"][1] != encode(state["link_page"]))


def _carry(page: str, previous: str | None, values: Mapping[str, Any]) -> None:
    """Fill the state with the values of the visit, also of widgets that are not drawn.

    A default of the page before, or of the text before, counts as not chosen and becomes the default of now. Another
    model has other heads.
    """
    state = st.session_state
    fields_before = PAGES[previous].model_fields if previous is not None and previous in PAGES else {}
    for name in PAGES[page].model_fields:
        value = state.get(name, values.get(name))
        is_default = value is None or (name in fields_before and value == default(str(previous), name, values))
        of_other_model = name in HEADS and previous != page and values.get("model") not in (None, state["model"])
        is_stale = (of_other_model and value == values.get(name)) or (name in CELL and previous != page)
        state[name] = default(page, name) if is_default or is_stale else value


def parse(model: type[Params], url: Query) -> tuple[Params, list[str]]:
    """Return the parameters of a URL, with defaults for invalid ones, and one sentence a problem.

    Parameters that no page has are ignored: mailers add some. Names of 0.2 are read, or answered by one sentence.
    """
    fields, url = model.model_fields, model.upgraded(url)
    aliases = ALIASES | {in_url: name for name, in_url in model.url_names.items()}
    query = {aliases.get(name, name): list(values) for name, values in url.items()}
    values: dict[str, Any] = {
        name: values if "list" in str(fields[name].annotation) else values[-1]
        for name, values in query.items()
        if name in fields and any(values)
    }
    removed = {**REMOVED, **model.removed}
    problems = list(dict.fromkeys(sentence for name, sentence in removed.items() if name in url))
    if query.get("v", [VERSION])[-1] != VERSION:
        problems.append(f"This link is from another version ({quote(url['v'])}); this app reads {VERSION}.")
    try:
        return model(**values), problems
    except ValidationError as error:
        details = (detail for detail in error.errors() if detail["type"] != "default_factory_not_called")
        invalid = {str(detail["loc"][0]): _reason(detail) for detail in details}
        problems += [
            f"Problem in this link: {model.url_names.get(name, name)} cannot be {quote(query[name])} ({message}). "
            "Showing the default."
            for name, message in invalid.items()
        ]
        return model(**{name: value for name, value in values.items() if name not in invalid}), problems


def _reason(detail: Mapping[str, Any]) -> str:
    """Return why pydantic refuses a value, in words of a visitor: a pattern is shown by an example."""
    if detail["type"] == "string_pattern_mismatch":
        examples = {
            "^L": "a head is written L5H3",
            "^(E": "a head is written E0H7 or C1H2",
            "^[EC]": "a link is written E0H7:1-6",
        }
        pattern = detail["ctx"]["pattern"]
        return next((text for begin, text in examples.items() if pattern.startswith(begin)), "there is no such value")
    message = {"int_parsing": "it must be a whole number", "bool_parsing": "it must be true or false"}
    return message.get(detail["type"], detail["msg"].removeprefix("Value error, ").replace("Input should", "it must"))


def quote(value: object) -> str:
    """Return the start of a URL's value in quotation marks, on one line and escaped for Markdown."""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"“{markdown(truncate(clean(text), 60))}”"


def encode(page: str, **changes: Any) -> dict[str, list[str]]:
    """Return the parameters of the open page as URL values, defaults left out, with some of them changed."""
    return encode_values(page, {name: st.session_state[name] for name in PAGES[page].model_fields} | changes)


def encode_values(page: str, parameters: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the values of a page's parameters as URL values, defaults left out."""
    changed = {
        name: item for name, item in parameters.items() if item != default(page, name, parameters) and item is not None
    }
    changed |= {name: parameters[name] for name in PAGES[page].always if changed}
    query = {name: [str(v) for v in (item if isinstance(item, list) else [item])] for name, item in changed.items()}
    query |= {name: [str(item).lower()] for name, item in changed.items() if isinstance(item, bool)}
    query = {PAGES[page].url_names.get(name, name): values for name, values in query.items()}
    return {"v": [VERSION], **query} if query else {}


def query_here(page: str) -> dict[str, list[str]]:
    """Return the query of another page that is about the open text, also if the text is the default of this page.

    It has all parameters that both pages share.
    """
    open_fields = PAGES[st.session_state["link_page"]].model_fields
    return encode_values(page, {n: st.session_state[n] for n in PAGES[page].model_fields if n in open_fields})


def query_of_cut(text: str, model: str, cut: Cut) -> dict[str, list[str]]:
    """Return the query of *Next word* with a link cut in a text, for a link from another page."""
    return encode_values("next", {"text": text, "model": model, "cut": [str(cut)], "head": str(cut.head)})


def restrict(name: str, options: Collection[Any], reason: str = "") -> None:
    """Drop values that the model or the text does not have, with one sentence that stays until the next choice.

    ``reason`` replaces the sentence. A default that is not an option either becomes the first one. Call it before the
    widget is drawn.
    """
    state = st.session_state
    values = state[name] if isinstance(state[name], list) else [state[name]]
    unknown = [value for value in values if value not in options and value not in (None, "")]
    if not unknown:
        return
    page = state["link_page"]
    if isinstance(state[name], list):
        state[name] = [value for value in values if value in options]
    else:
        usual = default(page, name)
        state[name] = usual if usual in (None, "", *options) else next(iter(options))
    in_url = PAGES[page].url_names.get(name, name)
    problem = reason or f"Problem in this link: {in_url} has no {quote(unknown)} here."
    state["link_problems"] = [*state["link_problems"], problem]
    state["link_synced"] = state["link_synced"][0], encode(page)  # the URL keeps the link until the next choice
    state["link_values"][name] = state[name]


def fill(values: Mapping[str, Any]) -> None:
    """Set parameters that the page has chosen itself, and write them to the URL at once, so that a link carries them.

    Call it before their widgets are drawn.
    """
    state = st.session_state
    if not values:
        return
    state.update(values)
    url = encode(state["link_page"])
    st.query_params.from_dict(url)
    state["link_synced"] = url, url
    state["link_values"].update(values)


def set_value(name: str, value: Any) -> None:
    """Callback: set a parameter."""
    st.session_state[name] = value


def toggle(name: str, value: str) -> None:
    """Callback: add a head to a list parameter, or remove it; the oldest of too many goes."""
    values = st.session_state[name]
    st.session_state[name] = [v for v in values if v != value] if value in values else [*values, value][-MAX_HEADS:]


def pin(heads: Sequence[str], name: str) -> None:
    """Callback: pin a head next to the shown ``heads``, or unpin a shown one; the oldest of too many goes.

    The shown heads may be those picked for the text: they stay pinned. With the last one unpinned, heads are picked.
    """
    others = [head for head in heads if head != name]
    st.session_state["pins"] = others if name in heads else [*others, name][-MAX_PINS:]


def select_word(
    selected: tuple[int | None, str], positions: Sequence[int], position: int | None, look: str = "ask"
) -> None:
    """Callback of Heads: select the word at a position of the shown axis, or release the selected one.

    ``selected`` is the position and the `look` of the selected word, ``positions`` the places of the shown positions.
    """
    if position is None or (position, look) == selected:
        reset("lock", "look")
    else:
        set_values({"lock": positions[position], "look": look})


def keep_cell(key: str, name: str, row: int, column: int) -> None:
    """Callback: keep the clicked number of a head's map for the next run."""
    st.session_state[key] = HeadId.parse(name), row, column


def set_values(values: Mapping[str, Any]) -> None:
    """Callback: set parameters of the open page."""
    st.session_state.update(values)


def set_values_of(names: Sequence[str], values: Sequence[Any]) -> None:
    """Callback: set some parameters of the open page in order."""
    set_values(dict(zip(names, values, strict=True)))


def reset(*names: str) -> None:
    """Callback: set parameters of the open page to their defaults, because another choice changed their meaning."""
    for name in names:
        st.session_state[name] = default(st.session_state["link_page"], name)


def show_problems() -> None:
    """Show the problems of the link; the sentences stay until the next choice."""
    for problem in st.session_state["link_problems"]:
        st.warning(problem)
