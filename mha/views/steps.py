"""Step by step: the arithmetic of one weight of a model, from query and key to the share on Heads. Pure.

Sentences are Markdown; all words of a text in them are escaped. A model weighs tokens. Heads merges them into words
(sum over keys, mean over queries); nothing is rescaled.
"""

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mha.analysis.looks import strongest_look
from mha.export.tables import Table, cell_table
from mha.formats import in_brackets, in_figures, join_list, labels, markdown, number, share
from mha.maps import AttentionMaps, HeadId, Token, piece_groups
from mha.memo import array_dataclass, memoise
from mha.models.files.rows import ModelRow
from mha.models.watch.cell import HALF_SLACK, SLACK, Cell
from mha.views import models
from mha.views.component_data import array, picture
from mha.views.heads import select

LINE = 16  # numbers of a head in one line
MOST_NUMBERS = 64  # of a head that are shown; of more, those with the largest products
MOST_TOKENS = 128  # in one row
SMALLEST_ARC = 0.06  # a smaller share of attention has no arc, except the followed one
LABELS = {
    "cell_layer": "Layer", "cell_head": "Head", "cell_query": "Token that looks", "cell_key": "Token looked at",
}  # fmt: skip
LEGEND = "Blue: positive; grey: negative; framed: this weight; hatched: hidden by a mask."
GUESS = "In head `{head}`, which share of its attention does {query} give to {key}? Make a guess first."
METHOD = (
    "Query, key and value are read inside the model while it reads the text; scores, softmax and sums are computed "
    "again here. A weight of Heads is between words: the weights of a word’s tokens are added up over the tokens that "
    "are looked at, and averaged over those that look. Maps of Heads leave out the columns of attention sinks (special "
    "tokens, final marks, the first token of causal models, and tokens that most heads attend to whatever the word); "
    "all other shares stay as they are. "
    "The size of a value is the length of its vector after W_O; the contribution of a token is its weight "
    "times that size (Kobayashi et al. 2020)."
)


class CellPlace(NamedTuple):
    """A head, and the positions of two tokens: query and key."""

    head: HeadId
    query: int
    key: int


@array_dataclass
class CellCase:
    """One weight of a model: ``cells`` has the numbers of each token of the word that looks, all for the same key."""

    model: ModelRow
    maps: AttentionMaps
    place: CellPlace
    cells: tuple[Cell, ...]

    @cached_property
    def cell(self) -> Cell:
        """The numbers of the token that looks."""
        return next(cell for cell in self.cells if cell.query == self.place.query)

    @property
    def recorded(self) -> float:
        """The recorded weight between the two tokens."""
        return float(self.maps[self.place.head][self.place.query, self.place.key])

    @cached_property
    def words(self) -> tuple[int, int]:
        """The positions of both words among the merged tokens."""
        return word_at(self.maps, self.place.query), word_at(self.maps, self.place.key)

    @cached_property
    def word_row(self) -> np.ndarray:
        """The computed weights of the word that looks, float64 [word]: sum over tokens of a key, mean over cells."""
        row = np.mean([cell.weights for cell in self.cells], axis=0)  # [token]
        return np.array([row[list(group)].sum() for group in piece_groups(self.maps.tokens)])

    @property
    def shares(self) -> tuple[float, float]:
        """The computed and the recorded share of attention between the two words."""
        query, key = self.words
        return float(self.word_row[key]), float(word_maps(self.maps)[self.place.head][query, key])

    def word(self, token: int) -> str:
        """Return the word of a token as Markdown."""
        return f"*{markdown(labels(word_maps(self.maps).tokens)[word_at(self.maps, token)])}*"

    def name(self, token: int) -> str:
        """Return a token as Markdown."""
        return f"*{markdown(labels(self.maps.tokens)[token])}*"


@memoise
def word_maps(maps: AttentionMaps) -> AttentionMaps:
    """Return the maps between words."""
    return maps.merged()


@memoise
def automatic_place(maps: AttentionMaps, head: HeadId | None = None) -> CellPlace:
    """Return the first connection with which Heads opens a text, or the strongest connection of a head on Heads."""
    case, groups = select(maps), piece_groups(maps.tokens)
    opens = case.opening
    if head is None and opens.looks:
        query, key = opens.looks[0]
    else:
        look = strongest_look(case.maps, head or opens.heads[0])
        query, key = (case.kept[look.query], case.kept[look.key]) if look else (case.kept[0], case.kept[0])
    return CellPlace(head or opens.heads[0], groups[query][0], groups[key][0])


def word_at(maps: AttentionMaps, token: int) -> int:
    """Return the position of a token's word among the merged tokens."""
    return next(word for word, group in enumerate(piece_groups(maps.tokens)) if token in group)


def place_of(maps: AttentionMaps, layer: int | None, head: int | None, query: int | None, key: int | None) -> CellPlace:
    """Return the weight that the page shows: the chosen parts, the rest automatic."""
    place = automatic_place(maps)
    if layer is not None or head is not None:
        chosen_head = HeadId(place.head.layer if layer is None else layer, place.head.head if head is None else head)
        place = place if chosen_head == place.head else automatic_place(maps, chosen_head)
    return CellPlace(place.head, place.query if query is None else query, place.key if key is None else key)


def query_tokens(maps: AttentionMaps, place: CellPlace) -> tuple[int, ...]:
    """Return the tokens of the word that looks."""
    return next(group for group in piece_groups(maps.tokens) if place.query in group)


# ---- sentences


def question(maps: AttentionMaps, place: CellPlace) -> str:
    """Return the question for a class that guesses first."""
    names = [f"*{markdown(labels(maps.tokens)[token])}*" for token in place[1:]]
    return GUESS.format(head=place.head, query=names[0], key=names[1] if place.query != place.key else "itself")


def finding(case: CellCase) -> str:
    """Return the share that the arithmetic leads to."""
    query, key = (case.word(token) for token in case.place[1:])
    target = "itself" if case.words[0] == case.words[1] else key
    if target == "itself" and word_maps(case.maps).visible[case.words[0]].sum() == 1:
        return f"In head `{case.place.head}`, {query} sees no other word: it can only attend to itself."
    if case.cell.hidden and not case.shares[1]:
        return f"In head `{case.place.head}`, a mask hides {target} from {query}: exactly 0\u00a0%."
    return f"In head `{case.place.head}`, {query} gives {share(case.shares[1])} of its attention to {target}."


def basis(case: CellCase) -> str:
    """Return which percentage this is, and whether Heads shows it."""
    tokens = [token for token in case.place[1:] if word_at(case.maps, token) not in select(case.maps).kept]
    if tokens:
        names = join_list(list(dict.fromkeys(case.word(token) for token in tokens)))
        return f"This is a share of all attention. Heads excludes these attention sinks: {names}."
    return "This is the percentage of the sentence, arcs and maps on Heads: a share of all attention, between words."


def products_sentence(case: CellCase) -> str:
    """Return how query and key are multiplied."""
    cell, count = case.cell, len(case.cell.q)
    query, key = (case.name(token) for token in case.place[1:])
    text = (
        f"The head makes a query of {query} and a key of {key}, {count} numbers each. It multiplies them pair by pair. "
        f"The products add up to {number(cell.dot)}."
    )
    if cell.rotated:
        text += " Both already have their positions encoded (rotary encoding)."
    if count > MOST_NUMBERS:
        text += f" Shown: the {MOST_NUMBERS} largest products."
    return text


def calculation(case: CellCase) -> str:
    """Return the way from the sum of products to the share, line by line, as a Markdown table."""
    lines = [*_score_lines(case), *_softmax_lines(case), *_heads_lines(case)]
    return "| step | number | how |\n|---|--:|---|\n" + "\n".join(
        f"| {name} | {value} | {note} |" for name, value, note in lines
    )


def _score_lines(case: CellCase) -> list[tuple[str, str, str]]:
    cell, scaling = case.cell, divisor(case.cell)
    note = f"{number(cell.dot)} ÷ {1 / cell.scale:.2f}" if "√" in scaling else "the scale of this layer"
    lines = [("q · k", number(cell.dot), f"the sum of {len(cell.q)} products"), (scaling, number(cell.scaled), note)]
    if cell.cap is not None:
        lines.append(("soft cap", number(cell.capped), f"{cell.cap:g} · tanh(score ÷ {cell.cap:g})"))
    if cell.position is not None:
        lines.append(("+ position bias", number(cell.position), "depends on the two positions"))
    return lines


def divisor(cell: Cell) -> str:
    """Return the scale of the layer: a division by the square root of the width, or a factor of its own."""
    if math.isclose(cell.scale, len(cell.q) ** -0.5, rel_tol=1e-6):
        return f"÷ √{len(cell.q)}"
    return "÷ 1" if math.isclose(cell.scale, 1.0) else f"× {cell.scale:.3g}"


def _softmax_lines(case: CellCase) -> list[tuple[str, str, str]]:
    cell = case.cell
    if cell.hidden:
        later = cell.causal and cell.key > cell.query
        return [
            ("mask", "−∞", "a later token, hidden in this model" if later else "outside what this layer sees"),
            ("computed", _exact(cell.weight), "of the attention of this token"),
            ("recorded", _exact(case.recorded), "in the model"),
        ]
    peak = float(cell.scores[np.isfinite(cell.scores)].max())
    powers = np.exp(cell.scores - peak)  # [token]
    total = float(powers.sum()) + (0 if cell.sink is None else math.exp(cell.sink - peak))
    seen = int((powers > 0).sum())
    tokens_text = (
        in_figures(seen, "token") if seen == len(powers) else f"the {seen} of {len(powers)} tokens that it sees"
    )
    sink = "" if cell.sink is None else ", and a learned sink that is no token"
    power, score = number(powers[cell.key], 4), number(float(cell.scores[cell.key]))
    return [
        ("exp", power, f"exp({score} − {in_brackets(peak)}), the largest score of the row taken off"),
        ("sum", number(total, 4), f"the same for {tokens_text}, added up{sink}"),
        ("softmax", _exact(cell.weight), f"{power} ÷ {number(total, 4)}, of all attention of this token"),
        ("recorded", _exact(case.recorded), "in the model"),
    ]


def _heads_lines(case: CellCase) -> list[tuple[str, str, str]]:
    """Return the way from the weight between tokens to that between words, and to the maps of Heads."""
    key, lines = case.words[1], []
    counts = len(piece_groups(case.maps.tokens)[key]), len(case.cells)
    if counts != (1, 1):
        notes = [f"sum over {counts[0]} tokens of {case.word(case.place.key)}"] if counts[0] > 1 else []
        notes += [f"mean over {counts[1]} tokens of {case.word(case.place.query)}"] if counts[1] > 1 else []
        lines += [
            ("as words", _exact(case.shares[0]), ", ".join(notes)),
            ("recorded", _exact(case.shares[1]), "as words"),
        ]
    return lines


def _exact(weight: float) -> str:
    return f"{number(100 * float(weight), 1)}\u00a0%"


def contribution(case: CellCase) -> str:
    """Return what attention does not show: the size of the value, or that it is unknown."""
    cell, key = case.cell, case.place.key
    if cell.through is None:
        return "Contributions are not available: this model applies another step between its heads and W_O."
    text = "Attention is not the whole contribution: it is multiplied by the size of the value after W_O."
    if cell.hidden:
        return text
    median = float(np.median(cell.through[np.isfinite(cell.scores)]))
    return (
        f"{text} {case.name(key)} gets {share(float(cell.weights[key]))} of all attention and contributes "
        f"{number(float(cell.weights[key] * cell.through[key]))}: its value has size "
        f"{number(float(cell.through[key]))} (median of all tokens: {number(median)})."
    )


def origin(case: CellCase) -> str:
    """Return where the numbers come from, as plain text."""
    near = HALF_SLACK if case.maps.half_precision else SLACK
    shared = [f"L{case.place.head.layer}H{head}" for head in case.cell.group]
    group = f" {join_list(shared)} share keys and values." if len(shared) > 1 else ""
    differs = f"{near:.5f}".rstrip("0")
    return f"{models.origin(case.model)} Computed and recorded weights differ by less than {differs}.{group}"


# ---- component data


def sentence_data(maps: AttentionMaps, place: CellPlace, case: CellCase | None = None) -> dict[str, Any]:
    """Return the words with the arcs of the head from the word that looks; without a case no share is shown."""
    words, query, key = word_maps(maps).tokens, word_at(maps, place.query), word_at(maps, place.key)
    visible = [word for word, token in enumerate(words) if not token.special or word in (query, key)]
    spaces = [word == 0 or is_apart(words[word - 1], words[word]) for word in visible]
    tokens = [{"text": words[word].text, "space": space} for word, space in zip(visible, spaces, strict=True)]
    data: dict[str, Any] = {"tokens": tokens, "gap": "none", "mask": None, "candidates": [], "title": "", "hint": ""}
    if case is None:
        return data
    row, kept = word_maps(maps)[place.head][query], {*select(maps).kept, key}  # [word]
    shares = [round(float(row[word]), 4) if word in kept else 0 for word in visible]
    data["attention"] = {
        "head": str(place.head), "query": visible.index(query), "from": words[query].text, "first": None,
        "shares": shares, "least": min(SMALLEST_ARC, max(0.005, shares[visible.index(key)])),
    }  # fmt: skip
    return data


def is_apart(previous: Token, token: Token) -> bool:
    """Return whether there is a space between two tokens."""
    return previous.special or token.special or token.start > previous.end


def products_data(case: CellCase) -> dict[str, Any]:
    """Return query, key and products, in lines of 16 numbers."""
    cell, names = case.cell, labels(case.maps.tokens)
    columns = np.arange(len(cell.q))
    if len(columns) > MOST_NUMBERS:
        columns = np.sort(np.argsort(-np.abs(cell.products), kind="stable")[:MOST_NUMBERS])
    rows = (f"q of {names[cell.query]}", f"k of {names[cell.key]}", "q × k")
    values = np.array([cell.q, cell.k, cell.products])[:, columns]
    lines = []
    for start in range(0, len(columns), LINE):
        part = columns[start : start + LINE]
        look: dict[str, Any] = {
            "rows": rows,
            "columns": [str(place) for place in part],
            "most_columns": LINE,
            "shape": "",
        }
        lines.append([array(values[:, start : start + LINE], f"numbers {part[0]} to {part[-1]}", **look)])
    return picture("Query, key and their products", *lines)


def row_data(case: CellCase) -> dict[str, Any]:
    """Return the whole row of the token that looks: scores, weights, sizes of values and contributions."""
    cell, names = case.cell, labels(case.maps.tokens)
    look: dict[str, Any] = {"columns": names, "most_columns": MOST_TOKENS, "shape": "", "cell": (0, cell.key)}
    query = names[cell.query]
    lines = [
        [array(cell.scores, f"scores of {query}", rows=["score"], **look)],
        [array(cell.weights, "softmax over the row", rows=["weight"], shares=True, is_result=True, **look)],
    ]
    if cell.through is not None:
        values = np.array([cell.through, cell.weights * cell.through])
        rows = ["size of value", "contribution"]
        lines.append([array(values, "weight × size of value after W_O", rows=rows, **look | {"cell": (1, cell.key)})])
    return picture("The whole row: scores, weights and contributions of all tokens", *lines)


def names(maps: AttentionMaps) -> dict[str, dict[int, str]]:
    """Return the options of each part of a cell by its parameter: layers, heads and tokens with their names."""
    tokens = dict(enumerate(labels(maps.tokens)))
    counts = {"cell_layer": maps.n_layers, "cell_head": maps.n_heads}
    numbers = {name: {number: str(number) for number in range(count)} for name, count in counts.items()}
    return {**numbers, "cell_query": tokens, "cell_key": tokens}


def table(case: CellCase, link: str = "") -> Table:
    """Return every number of the weight."""
    return cell_table(case.cell, case.maps, link, case.model.sha256)
