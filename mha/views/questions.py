"""Questions: the claims and questions of the page, and the parts of each answer. Pure.

The texts are those of `assets/questions.json`; `mha.views.experiments` answers them.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from mha import assets
from mha.assets import ASSETS
from mha.export.provenance import without_maps
from mha.export.tables import Table
from mha.glossary import glossary
from mha.memo import array_dataclass
from mha.models.files.catalog import CATALOG
from mha.models.files.rows import ModelRow
from mha.navigation import page_row

FILE = ASSETS / "questions.json"
TITLE = "Questions about attention heads"
CLAIMS_TITLE = "Three claims. Do they hold?"
INTRODUCTION = "Predict, then press *Show answer*: an experiment answers. Your guess is not stored."
QUESTIONS_TITLE = "Ten questions on multi-head attention"
GUESS = "What does attention show, and what does it not show? Write down one sentence each."
TOY = "Toy example: random numbers."

Columns = Mapping[str, Sequence[str] | np.ndarray]  # of one length
_TERM = re.compile(r"\[\[([^|\]]+)(?:\|([^\]]+))?\]\]")


@dataclass(frozen=True)
class Paper:
    """One paper; ``who`` is its short name in sentences."""

    who: str
    title: str
    url: str

    @property
    def line(self) -> str:
        """The source as a line of Markdown."""
        return f"{self.who}, [{self.title}]({self.url})"


@dataclass(frozen=True)
class QuizQuestion:
    """A claim or a question; ``name`` is its value of `questions_open` in the link.

    ``guess`` comes first, with ``options``; ``right`` is the number of the true one, None if it depends on numbers that
    are computed when the answer is shown. ``links`` are pages that explore it, with parameters.
    """

    name: str
    ask: str
    guess: str
    options: list[str]
    right: int | None
    answer: str
    sources: list[str]
    links: Mapping[str, Mapping[str, str]]


@array_dataclass
class Answer:
    """The answer of an experiment: a finding, formulas, a figure or a table, a note, and the numbers behind them.

    ``figure`` returns a Plotly figure for a theme, ``table`` and sentences are Markdown, ``formulas`` are LaTeX.
    ``right`` is the correct option. ``model`` and ``texts`` are the measured ones; the toy's arithmetic has None
    and ().
    """

    finding: str
    note: str = ""
    right: int | None = None
    figure: Callable[[str], Any] | None = None
    alt: str = ""
    table: str = ""
    formulas: tuple[str, ...] = ()
    columns: Columns = field(default_factory=dict)
    model: ModelRow | None = None
    texts: tuple[str, ...] = ()


def claims() -> tuple[QuizQuestion, ...]:
    """Return the three claims in their order."""
    rows: tuple[QuizQuestion, ...] = _file()["claims"]
    return rows


def questions() -> tuple[QuizQuestion, ...]:
    """Return the ten questions in their order."""
    rows: tuple[QuizQuestion, ...] = _file()["questions"]
    return rows


def question(name: str) -> QuizQuestion:
    """Return the question of a name in the link."""
    return next(question for question in questions() if question.name == name)


def more_claims() -> str:
    """Return further claims of lessons, each with its measurement, as a list in Markdown."""
    return "\n".join(f"- “{row['claim']}” {row['answer']}" for row in _file()["more_claims"])


def names() -> tuple[str, ...]:
    """Return the names of the ten questions."""
    return tuple(question.name for question in questions())


def neighbour(name: str, step: int) -> str:
    """Return the name of the next question (``step`` 1) or of the one before (−1); "" beyond the ends."""
    index = names().index(name) + step
    return names()[index] if 0 <= index < len(names()) else ""


def label(name: str) -> str:
    """Return a question with its number, for the list of all."""
    return f"{names().index(name) + 1}. {question(name).ask}"


def sources() -> dict[str, Paper]:
    """Return every source by its short name."""
    papers: dict[str, Paper] = _file()["sources"]
    return papers


def real_models() -> list[dict[str, Any]]:
    """Return the models of the table, and last this app's pretrained ones of one stack: layers, heads, width."""
    rows = [row for row in CATALOG if row.origin == "pretrained" and not row.two_sided]
    ours = [
        {"model": row.short, "layers": row.n_layers, "heads": row.n_heads, "width": row.n_heads * row.d_head,
         "source": row.name} for row in rows
    ]  # fmt: skip
    return [*_file()["models"], *ours]


def verdict(question: QuizQuestion, guess: str, right: int | None) -> str:
    """Return whether a guess came true, in one line of Markdown; ``guess`` is "" without a guess.

    >>> verdict(questions()[3], "√d", 2)
    'You guessed “√d”. The answer is “d”.'
    """
    if right is None:
        return f"You guessed “{guess}”." if guess else ""
    if not guess:
        return f"In this experiment: “{question.options[right]}”."
    if guess == question.options[right]:
        return f"You guessed “{guess}”. Correct."
    return f"You guessed “{guess}”. The answer is “{question.options[right]}”."


def without_marks(text: str) -> str:
    """Return a text without the marks of terms.

    >>> without_marks("A [[head]] has [[weights|weight]].")
    'A head has weights.'
    """
    return _TERM.sub(r"\1", text)


def term_lines(text: str) -> list[str]:
    """Return a line for each marked term of a text, from the glossary."""
    terms = dict.fromkeys(match[2] or match[1] for match in _TERM.finditer(text))
    return [f"**{term}**: {glossary()[term]}" for term in terms]


def more(question: QuizQuestion) -> str:
    """Return the terms and the sources of an answer, as a list in Markdown."""
    lines = [*term_lines(question.answer), *(sources()[name].line for name in question.sources)]
    return "\n".join(f"- {line}" for line in lines)


def page_links(question: QuizQuestion) -> list[tuple[str, str, dict[str, str]]]:
    """Return file, text and parameters of the links to the pages that explore a question."""
    rows = ((page_row(page), dict(query)) for page, query in question.links.items())
    return [(row.file, row.door, query) for row, query in rows]


def tables(answers: Mapping[str, Answer]) -> dict[str, Callable[[], Table]]:
    """Return the numbers of answers with their source, for downloads."""
    return {name: partial(table, name, answer) for name, answer in answers.items() if answer.columns}


def table(name: str, answer: Answer) -> Table:
    """Return the numbers of an answer with their source."""
    model = answer.model
    model_facts = (model.short, model.revision, model.origin) if model else (f"Questions: {name}", "", "toy")
    return Table(answer.columns, without_maps(answer.texts, model_facts, answer.note or answer.finding))


def grid(corner: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    """Return rows with a name each as a Markdown table; ``corner`` heads the names.

    >>> print(grid("row", ["a"], {"x": ["1"]}))
    | row | a |
    | --- | --- |
    | x | 1 |
    """
    lines = [(corner, *columns), ("---",) * (len(columns) + 1), *((name, *cells) for name, cells in rows.items())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _file() -> dict[str, Any]:
    texts: dict[str, Any] = assets.read(FILE, _texts)
    return texts


def _texts(content: bytes) -> dict[str, Any]:
    texts = json.loads(content)
    quiz = {part: tuple(QuizQuestion(**row) for row in texts[part]) for part in ("claims", "questions")}
    return texts | quiz | {"sources": {name: Paper(**row) for name, row in texts["sources"].items()}}
