"""Conclusions: limits, the study of measures, definitions, versions and citation, in Markdown.

`studies/truth` writes the summary of the study.
"""

import json
import platform
import re
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import numpy as np

from mha import assets
from mha.analysis.between import BETWEEN
from mha.analysis.statistics import STATISTICS, Statistic
from mha.assets import ASSETS, BESIDE
from mha.export.provenance import app_version, bibtex, without_maps
from mha.export.tables import Table
from mha.figures.charts import interval_rows
from mha.formats import in_words, number
from mha.glossary import glossary
from mha.maps import ORIGINS
from mha.models.files.catalog import DEFAULT, model_row, used_on_pages
from mha.models.files.rows import ORIGIN_NAMES
from mha.views.experiments import MOST_WORDS
from mha.views.questions import sources
from mha.words import MAX_CHARACTERS

TITLE = "What can I conclude?"
NOT_EXPLANATIONS = (
    "Attention shows how a head mixes information. It does not show why a model gives an answer. Other weights can "
    "give the same answer (Jain & Wallace 2019; Wiegreffe & Pinter 2019), and a large weight on a tiny value adds "
    "little (Kobayashi et al. 2020)."
)
SAYS = (
    "Parallax asks three separate questions: where a head looks, whether that exceeds a control, and what happens when "
    "the head is removed or replaced. In the bundled test pairs, the answers mostly name different heads."
)
MARKS = "Dot and bar: the mean of all tasks and its 95 % interval over seeds. Rings: single tasks."
AXIS = "rank correlation with what heads do"
CITE = "When citing a number, name the model and cite the paper of the measure."
UNITS = (
    "Measured on words, sinks included unless noted. T: words; w: weights; q, k: positions of query and key; n: "
    "visible keys."
)
UNTRAINED = (
    "The same model before it learned anything. It attends almost evenly, so exceeding it proves nothing. It may "
    "illustrate; it is not a control."
)
TERMS = {
    "Between readings": (
        "strength", "lean", "little attention to either", "shuffled", "unusual",
    ),
    "On many pairs": (
        "test pair", "pair accuracy", "bootstrap interval",
    ),
    "What a head does": (
        "score of a sentence", "link margin", "ablation", "mean ablation", "activation patching", "carried",
        "scored layer", "sweep",
    ),
}  # fmt: skip
FILE = ASSETS / "measures.json"


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
    study: dict[str, Any] = assets.read(FILE, json.loads)
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


def study_table(study: Mapping[str, Any]) -> Table:
    """Return the numbers of the study with their source: rank correlation, and the share of heads found."""
    rank, hit = (np.array([row[name] for row in study["measures"]]).T for name in ("rank", "hit"))
    parts = ("", "_low", "_high")
    columns = {f"rank_correlation{part}": values for part, values in zip(parts, rank, strict=True)}
    columns |= {f"heads_found{part}": values for part, values in zip(parts, hit, strict=True)}
    model_facts = f"{study['n_models']} tiny models", "", "trained here"
    return Table(
        {"measure": [row["name"] for row in study["measures"]], **columns}, without_maps((), model_facts, MARKS)
    )


# ---- definitions, origins, versions


def definitions() -> str:
    """Return the meaning of each number, as lists in Markdown with a title each."""
    measures = {"One number a head": STATISTICS, "Between heads": BETWEEN}
    lists = {title: [_measure(row) for row in rows] for title, rows in measures.items()}
    lists |= {title: [_entry(term, glossary()[term]) for term in terms] for title, terms in TERMS.items()}
    return "\n\n".join((UNITS, *(f"**{title}**\n{bullets(*lines)}" for title, lines in lists.items())))


def origins() -> str:
    """Return the meaning of each origin of numbers, with its models, as a list in Markdown."""
    return bullets(*map(_origin, ORIGINS))


def _measure(row: Statistic) -> str:
    line = glossary()[row.key.replace("_", " ")]
    return f"{_entry(row.title, line)} `{row.formula}`; {row.unit}, {row.range} ({row.source})"


def _origin(origin: str) -> str:
    name = ORIGIN_NAMES.get(origin, origin)
    models = [f"{row.short}, {row.n_layers} × {row.n_heads}" for row in used_on_pages() if row.origin == origin]
    line = glossary().get(name, UNTRAINED)
    return _entry(name, line) + (f" ({'; '.join(models)})" if models else "")


def _entry(name: str, line: str) -> str:
    return f"**{name[:1].upper()}{name[1:]}**: {line}"


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
