"""Questions: the claims and questions of the page, the parts of each answer, and what can be concluded. Pure.

The texts are those of `assets/questions.json`; `mha.views.experiments` answers them. `studies/truth` writes the summary
of the study of measures.
"""

import json
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np

from mha import assets
from mha.assets import ASSETS, BESIDE, glossary
from mha.export.provenance import app_version, bibtex, without_maps
from mha.export.tables import Table
from mha.figures.charts import interval_rows
from mha.formats import in_words, number
from mha.memo import array_dataclass
from mha.models.files.catalog import CATALOG, DEFAULT, model_row, used_on_pages
from mha.models.files.rows import ModelRow
from mha.navigation import page_row
from mha.words import MAX_CHARACTERS

FILE = ASSETS / "questions.json"
TITLE = "Questions about attention heads"
CLAIMS_TITLE = "Three claims. Do they hold?"
INTRODUCTION = "Predict, then press *Show answer*: an experiment answers. Your guess is not stored."
QUESTIONS_TITLE = "Ten questions on multi-head attention"
GUESS = "What does attention show, and what does it not show? Write down one sentence each."
TOY = "Toy example: random numbers."
MOST_WORDS = 128  # of a text whose heads are compared
CONCLUSIONS_TITLE = "What can I conclude?"
NOT_EXPLANATIONS = (
    "Attention shows how a head mixes information. It does not show why a model gives an answer. Other weights can "
    "give the same answer (Jain & Wallace 2019; Wiegreffe & Pinter 2019), and a large weight on a tiny value adds "
    "little (Kobayashi et al. 2020)."
)
SAYS = (
    "Parallax asks three questions: where a head looks, whether that exceeds a control, and what changes without the "
    "head. In the bundled test pairs, the answers mostly name different heads."
)
MARKS = "Dot and bar: the mean of all tasks and its 95 % interval over seeds. Rings: single tasks."
AXIS = "rank correlation with what heads do"
CITE = "When citing a number, name the model and cite the paper of the measure."
STUDY = ASSETS / "measures.json"

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


# ---- conclusions


def limits() -> tuple[str, ...]:
    """Return the limits of the app, one sentence each."""
    pretrained = model_row(DEFAULT)
    return (
        f"Texts have up to {MAX_CHARACTERS:,} characters; Heads shows the first {MOST_WORDS} words.",
        f"In texts over {pretrained.d_head + 1} tokens, other attention weights could give the same output of a head "
        f"that is {pretrained.d_head} wide (Brunner et al. 2020).",
        "One sentence proves little. General claims use many test pairs, with intervals.",
        f"{pretrained.short}, the model that most pages open with, is small ({pretrained.n_layers} layers) and trained "
        "on English. Other models differ.",
        "Attention leaves out the feed-forward step and the residual path of each layer.",
        "Ablation puts a model in states it never met in training, and later heads may make up for the missing one "
        "(McGrath et al. 2023). The kinds (zero, mean) disagree, so each number names its kind.",
        "“No head separates the readings” is a valid result.",
    )


# ---- the study of measures: a row a measure, the best first, with `rank`, its rank correlation with Shapley values


def read_study() -> dict[str, Any]:
    """Return the summary that comes with the program, as `studies.truth.agreement.summary` writes it.

    Raises:
        AssetError: the file is missing or damaged.
    """
    study: dict[str, Any] = assets.read(STUDY, json.loads)
    return study


def study_finding(study: Mapping[str, Any]) -> str:
    """Return the finding in two sentences."""
    ranks = {measure["name"]: measure["rank"] for measure in study["measures"]}
    best, *_, worst = ranks
    tasks = study["measures"][0]["tasks"]
    first = (
        f"In {study['n_models']} tiny models, trained here for {in_words(len(tasks), 'task')}, {best} ranks heads best "
        f"by what they do (rank correlation {number(ranks[best][0])}), {worst} worst ({number(ranks[worst][0])})."
    )
    second = f"Attention to the words that decide reaches {number(ranks['attention'][0])}"
    if ranks["attention"][2] < ranks[best][1]:
        return f"{first} {second}: where a head looks says less about what it does."
    return f"{first} {second}; the difference is not clear."


def study_chart(study: Mapping[str, Any], theme: str) -> Any:
    """Return the chart of measures: the mean of all tasks with its interval, and rings for single tasks."""
    measures = study["measures"]
    rings = {task: [measure["tasks"][task] for measure in measures] for task in measures[0]["tasks"]}
    return interval_rows([row["name"] for row in measures], [row["rank"] for row in measures], AXIS, rings, theme=theme)


def study_alt(study: Mapping[str, Any]) -> str:
    """Return the text alternative of the chart of measures."""
    return "; ".join("{}: {} ({} to {})".format(row["name"], *map(number, row["rank"])) for row in study["measures"])


def study_method(study: Mapping[str, Any]) -> str:
    """Return the method, as a list."""
    excluded = "one model was" if study["n_excluded"] == 1 else f"{study['n_excluded'] or 'no'} models were"
    return bullets(
        f"Tasks: {', '.join(study['measures'][0]['tasks'])}. Each model has two layers of four heads and its own seed; "
        f"{excluded} excluded because the task was not learned.",
        "The reference is a head's Shapley value (Shapley 1953): what it adds to the share of right answers, averaged "
        "over all orders in which the eight heads could join. All 256 sets of heads were tried.",
        "Measures of attention were given the words that decide. In a pretrained model they are unknown, and what "
        "holds in a tiny model need not hold there.",
        *(f"{row['name']}: {row['of']} ({row['source']})" for row in study["measures"]),
        "`python -m studies.truth` repeats the study; `docs/claims.md` describes its method.",
    )


# ---- versions and sources


def bullets(*lines: str) -> str:
    """Return lines as a list in Markdown."""
    return "\n".join(f"- {line}" for line in lines)


def versions() -> str:
    """Return this program, the models on offer and the installed libraries, with their versions."""
    models = [
        f"**{row.short}**: {row.source}; licence {row.licence}" + (f"; revision {row.revision}" if row.revision else "")
        for row in used_on_pages()
    ]
    libraries = [f"**{name}**: {version}" for name, version in library_versions().items()]
    return bullets(f"**Parallax**: {app_version()}, MIT", *models, *libraries)


def citation() -> str:
    """Return the BibTeX entry of the app."""
    return bibtex("where every head of a transformer looks; name the model and the measure you cite")


def source_list() -> str:
    """Return every source as a list in Markdown."""
    return bullets(*(source.line for source in sources().values()))


def library_versions(requirements: str | None = None) -> dict[str, str]:
    """Return the installed versions of Python and every library of `requirements.txt`, in its order."""
    text = requirements or (BESIDE / "requirements.txt").read_text(encoding="utf-8")
    names = re.findall(r"^([A-Za-z0-9._-]+)", text, re.MULTILINE)
    return {"Python": platform.python_version(), **{name: _version(name) for name in names}}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _file() -> dict[str, Any]:
    texts: dict[str, Any] = assets.read(FILE, _texts)
    return texts


def _texts(content: bytes) -> dict[str, Any]:
    texts = json.loads(content)
    quiz = {part: tuple(QuizQuestion(**row) for row in texts[part]) for part in ("claims", "questions")}
    return texts | quiz | {"sources": {name: Paper(**row) for name, row in texts["sources"].items()}}
