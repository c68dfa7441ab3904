"""Heads: the Markdown sentences around the pictures, the stacks of an encoder–decoder, the table and the files.

All words of a text are escaped.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mha.analysis.proposals import only_english
from mha.analysis.statistics import WORD_STATISTICS, undefined_statistics, word_statistics
from mha.examples import ARITHMETIC, OPENS_HEADS, examples
from mha.export.figure import figure
from mha.export.provenance import provenance_of
from mha.export.tables import Table, source_json, statistics_table, weights_csv, weights_json, weights_npz
from mha.foreign_file import MOST_HEADS, MOST_TOKENS, FileMaps
from mha.formats import in_figures, join_list, markdown, truncate
from mha.maps import AttentionMaps, HeadId, Recording
from mha.memo import memoise
from mha.models.files.rows import ModelRow
from mha.models.toy import by_hand
from mha.views import models, readings
from mha.views.heads import MAX_WORDS, HeadsCase, HeadsChoice, select
from mha.views.heads_sentences import candidates, method_lines, sink_names, spans, text_pieces
from mha.words import replace_unreadable, split

FIRST_EXAMPLES = ("the hungry dog", "the telescope", "the trophy")
EXAMPLES = {
    example.label: {"text": example.text}
    for example in sorted(examples(), key=lambda example: example.label not in FIRST_EXAMPLES)
    if example.kind != ARITHMETIC
}
MASK = "[MASK]"
ONE_WORD = "The model reads this word as {tokens}: Options, Axis shows them."
READS_MASK = f"Heads reads “{MASK}” as ordinary text. Next word fills it if the model was trained to fill gaps."
STACKS = {"Encoder": "input → input", "Decoder": "output → output", "Cross": "output → input"}
CONTROL = (
    "Shuffled copies have the same words in another order, with punctuation in place; of a causal model the first word "
    "stays. All heads and all pairs of different words are compared, without sinks."
)
ABLATION = (
    "An ablated head’s output is replaced by its mean over the sample sentences; its own map stays as it is, those of "
    "later layers follow."
)
CHOSEN = (
    "This sentence was chosen from twenty ambiguous ones because its connection is rare in shuffled copies; of forty "
    "others, none passes. The count is not corrected for the choice."
)
FORMATS = {"share": 100, "bits": 1, "places": 1}  # what a statistic is multiplied by for the table


# ---- before the results


def text_data(text: str) -> dict[str, Any]:
    """Return a text without any measurement, for the sentence component."""
    tokens = [{"text": piece["text"], "space": piece["space"]} for piece in text_pieces(text)]
    return {"tokens": tokens, "gap": "none", "mask": None, "candidates": [], "title": "", "hint": ""}


def guess_question(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the question of *guess first*, and the candidates of the example or the suggestion as guesses."""
    choices = readings.CHOICES | readings.suggested_choices(text, readings.CHOICES)
    return readings.guess_question(readings.resolve(text, choices))


@dataclass(frozen=True)
class HeadsInput:
    """What is recorded: a text, perhaps with a second one, without the ablated heads, and the stack that is shown."""

    text: str
    stack: str = "Encoder"
    pair: str = ""
    ablated: tuple[HeadId, ...] = ()

    @property
    def is_one_text(self) -> bool:
        """Whether the maps are of one text, read by the model itself, so that its heads can be ablated."""
        return self.stack == "Encoder" and not self.pair


def input_of(model: ModelRow, values: Mapping[Any, Any]) -> tuple[HeadsInput, list[str]]:
    """Return what is recorded for the parameters of the link, and a sentence on each text that is not read as a whole.

    Models read two texts together that look both ways; heads are ablated in a single text.
    """
    text, pair, sentences = values["text"], values["pair"], []
    all_words = [piece for piece in split(text) if piece.word is not None]
    if len(all_words) > MAX_WORDS:
        text = text[: all_words[MAX_WORDS - 1].end]
        sentences.append(
            f"Shown: the first {MAX_WORDS} of {len(all_words):,} words. mha.survey measures a longer text in a "
            "notebook."
        )
    if pair and (model.causal or model.two_sided):
        sentences.append(f"{model.short} reads one text; the second one is not used.")
        pair = ""
    source = HeadsInput(text, values["stack"], pair.strip())
    ablated = models.parse_heads(values["ablate"]) if source.is_one_text else ()
    if values["ablate"] and not ablated:
        sentences.append("Measured with all heads on: ablation is for one text, without a second one or an output.")
    return dataclasses.replace(source, ablated=ablated), sentences


# ---- the stacks of an encoder–decoder


def stack_maps(recording: Recording, stack: str) -> AttentionMaps:
    """Return the maps of "Decoder" or "Cross" of an encoder–decoder whose output was recorded.

    Rows of cross-attention are the words of the output, without special tokens unless there is nothing else.
    """
    maps = recording.attention(stack.lower())
    if stack == "Decoder":
        tokens = tuple(dataclasses.replace(token, segment=0) for token in maps.tokens)
        return dataclasses.replace(maps, text=maps.pair or "", pair=None, tokens=tokens, key_tokens=tokens)
    rows = [place for place, token in enumerate(maps.tokens) if not token.special] or list(range(maps.n_queries))
    tokens = tuple(maps.tokens[row] for row in rows)
    return dataclasses.replace(maps, weights=maps.weights[:, :, rows], tokens=tokens, key_tokens=maps.key_tokens)


def head_layout(recording: Recording, stack: str = "self") -> dict[str, Any]:
    """Return how the heads of a stack share keys and values, and how far its layers look back, for the grid."""
    layout = recording.layouts.get(stack)
    if layout is None:
        return {}
    parts = []
    is_grouped = layout.n_groups < layout.n_heads
    if is_grouped:
        size = layout.n_heads // layout.n_groups
        parts.append(f"Every {size} neighbouring heads share a key and a value; only their queries differ.")
    near = [layer for layer, window in enumerate(layout.windows) if window is not None]
    if near:
        reach = " or ".join(f"{size:,}" for size in sorted({layout.windows[layer] or 0 for layer in near}))
        parts.append(f"In {in_figures(len(near), 'layer')} a sliding window of {reach} tokens hides all others.")
    groups = {"groups": layout.n_groups} if is_grouped and layout.n_heads % layout.n_groups == 0 else {}
    return groups | ({"about": spans(" ".join(parts))} if parts else {})


# ---- around the results


def question(case: HeadsCase) -> str:
    """Return the question about the ambiguous word of a text, which the page never answers; "" without one."""
    if not case.readings:
        return ""
    a, b, ambiguous = (tuple(sorted(numbers)) for numbers in candidates(case))
    return readings.question(readings.AmbiguousText(case.recorded.text, ambiguous[0], a, b))


def notices(case: HeadsCase, model: ModelRow, recording: Recording, stack: str) -> list[str]:
    """Return the sentences about the text: the maps of another stack, notes, a mask, a language, tokens of one word."""
    text, sentences = case.recorded.text, []
    if stack != "Encoder" and not model.predicts:
        sentences.append(f"{model.short} writes no output, so its decoder reads your text.")
    elif stack == "Decoder":
        sentences.append(
            f"The output that {model.short} writes for your text, and its attention to its own earlier words."
        )
    elif stack == "Cross":
        sentences.append(
            f"Output that {model.short} writes: “{markdown(recording.target)}”. Rows are its words, each before it is "
            "written; columns are yours."
        )
    sentences += recording.notes
    if MASK in text:
        sentences.append(READS_MASK)
    is_own = case.recorded.kind == "self" and case.recorded.pair is None
    if is_own and not case.readings and (sentence := only_english(text)):
        sentences.append(sentence)
    n_words, n_tokens = (sum(token.word is not None for token in maps.tokens) for maps in (case.full, case.recorded))
    if n_words == 1 < n_tokens:
        sentences.append(ONE_WORD.format(tokens=in_figures(n_tokens, "token")))
    return sentences


def method(case: HeadsCase, model: ModelRow) -> str:
    """Return how the numbers were made."""
    maps = case.recorded
    lines = [*method_lines(case), ABLATION]
    if maps.kind == "self":
        lines.append(CONTROL)
    if model.name == "minilm" and maps.text == OPENS_HEADS:
        lines.append(CHOSEN)
    return markdown(" ".join(filter(None, (*lines, f"Source: {model.source}."))))


def origin(case: HeadsCase, model: ModelRow) -> str:
    """Return which model this is, and what its numbers are not."""
    size = f"{in_figures(model.n_layers, 'layer')} × {in_figures(model.n_heads, 'head')}"
    sentence = f"{model.short}, {model.origin_said}, {size}. Looking is not explaining."
    if model.kind == "toy" and not by_hand(case.recorded.text):
        sentence += " For your words this model has random numbers. The mechanism is real, the result has no meaning."
    if case.usual_shares is None and model.kind == "transformer" and case.recorded.kind == "self":
        sentence += f" There are no measured usual shares for {model.short}."
    return sentence


# ---- the numbers of every head


@memoise
def _statistics(maps: AttentionMaps, excludes: bool) -> dict[str, np.ndarray]:
    return word_statistics(maps.merged(), excludes)


def _measured(case: HeadsCase) -> HeadsCase:
    """Return the case that statistics measure: between words, and none is kept because it is selected."""
    return select(case.recorded, HeadsChoice(sinks=case.choice.sinks), case.readings, case.usual_shares)


def table_columns(case: HeadsCase) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the statistics of every head by title, and what each is; shares in per cent."""
    maps = case.recorded
    values, impossible = _statistics(maps, _measured(case).excludes), undefined_statistics(maps)
    columns: dict[str, Any] = {"Head": [str(head) for head in maps.heads]}
    notes = {}
    for row in WORD_STATISTICS:
        if row.key in impossible:
            continue
        title = f"{row.title}, {'%' if row.unit == 'share' else row.unit}" if row.unit else row.title
        columns[title] = np.round(values[row.key].ravel() * FORMATS.get(row.unit, 1), 2).astype(np.float32)
        notes[title] = f"{row.formula}. {row.range}. {row.source}."
    return columns, notes


def table_caption(case: HeadsCase) -> str:
    """Return the line below the table."""
    measured = _measured(case)
    sinks = markdown(sink_names(measured.sinks, case.recorded.text))
    treated = f", {'without' if measured.excludes else 'with'} {sinks}" if sinks else ""
    missing = "".join(f" {reason}" for reason in undefined_statistics(case.recorded).values())
    return f"Measured on words{treated}.{missing} Select a row (keyboard: Shift + Space) to pin its head."


def statistics(case: HeadsCase) -> Table:
    """Return the statistics of every head with their source, for download."""
    return statistics_table(case.full, provenance_of(case.full))


def weight_files(case: HeadsCase) -> list[tuple[str, str, str, Callable[[], bytes]]]:
    """Return the files with all weights, nothing excluded: title, name, type and maker."""
    maps = case.full

    source = partial(provenance_of, maps)
    return [
        ("CSV", "parallax-weights.csv", "text/csv", lambda: weights_csv(maps)),
        ("Source of the CSV", "parallax-weights.source.json", "application/json", lambda: source_json(source())),
        ("JSON", "parallax-weights.json", "application/json", lambda: weights_json(maps, source())),
        ("NPZ", "parallax-weights.npz", "application/octet-stream", lambda: weights_npz(maps, source())),
    ]


def print_figures(case: HeadsCase) -> Mapping[str, Callable[[str], bytes]]:
    """Return the figures for print by title, each a function of an ending: the pinned heads, their arcs, all heads."""
    if case.recorded.kind != "self":
        return {}
    maps, pins = case.recorded.merged(), [str(head) for head in case.pins]
    figures = {
        f"{'Maps' if len(pins) > 1 else 'Map'} of {join_list(pins)}": partial(
            _print, maps, "maps" if len(pins) > 1 else "map", pins
        )
    }
    if case.word is not None and case.direction == "from" and case.full.units == "words":
        name = truncate(case.maps.tokens[case.word].text)
        title = f"Arcs from “{name}”: {join_list(pins[:2])}"
        figures[title] = partial(_print, maps, "arcs", pins[:2], word=case.kept[case.word], readings=_picked(case))
    figures["All heads"] = partial(_print, maps, "grid", [])
    return figures


def _picked(case: HeadsCase) -> dict[HeadId, tuple[int, str]]:
    opens = case.opening
    rows = zip(opens.heads, opens.looks, opens.sides, strict=False)
    return {head: (key, side) for head, (query, key), side in rows if head in case.picked and query == opens.word}


def _print(maps: AttentionMaps, kind: str, heads: Sequence[str], ending: str, **options: Any) -> bytes:
    return bytes(figure(maps, kind, heads, **options).file(ending))


# ---- Your file: maps of another tool; names and texts of a file are escaped

MEGABYTES = 20
FILE_NAME, FILE_TEXT = 60, 150  # characters of a file's name and of a text
FILE_FINDING = "Open attention maps of any tool"
FILE_ABOUT = (
    f"An NPZ or NPY file of at most {MEGABYTES}\u00a0MB, {MOST_TOKENS} tokens and {MOST_HEADS:,} heads. It stays in "
    "this visit: it is not stored, and no link contains it."
)
RECIPES = """# transformers: outputs of a model with output_attentions=True, and of generate
mha.from_arrays(outputs, tokens).save("maps.npz")
mha.from_generate(outputs, tokens).save("maps.npz")

# TransformerLens
patterns = {name: cache[name].cpu() for name in cache if name.endswith("hook_pattern")}
np.savez("maps.npz", tokens=model.to_str_tokens(text), **patterns)

# NumPy: weights [layer, head, query, key]
np.savez("maps.npz", weights=weights, tokens=tokens)

# Parallax, or on Heads: Download, NPZ
mha.attend("All is well").save("maps.npz")"""


def file_name(name: str) -> str:
    """Return the name of a file, cut for sentences."""
    return truncate(replace_unreadable(name), FILE_NAME)


def file_refusal(name: str) -> str:
    """Return which file is not drawn, in Markdown."""
    return f"{markdown(file_name(name))} cannot be drawn"


def file_notes(file: FileMaps) -> list[str]:
    """Return notes in plain text: the kind of maps other than of one text, and the parts that the file lacks."""
    maps = file.maps
    texts = f"Attention from “{truncate(maps.text, FILE_TEXT)}” to “{truncate(maps.pair or '', FILE_TEXT)}”."
    return [*([texts] if maps.kind == "cross" else []), *file.notes]


def file_origin(name: str, maps: AttentionMaps) -> str:
    """Return where the numbers come from, as plain text."""
    model = truncate(maps.model, FILE_NAME) or "a model that it does not name"
    size = f"{in_figures(maps.n_layers, 'layer')} × {in_figures(maps.n_heads, 'head')}"
    return f"Your file {file_name(name)}: {model}, {maps.origin}, {size}. Looking is not explaining."


def file_method(case: HeadsCase) -> str:
    """Return how the numbers are shown, in Markdown."""
    return markdown(" ".join(filter(None, ("The weights are those of the file.", *method_lines(case)))))
