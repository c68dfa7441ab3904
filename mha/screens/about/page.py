"""What can I conclude? What each number is, what lessons claim, limits, versions, licences."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata

from mha.analysis.between import BETWEEN
from mha.analysis.statistics import STATISTICS, Statistic
from mha.assets import BESIDE
from mha.engine import Request
from mha.engine.question import Ask
from mha.examples import example_for
from mha.export.provenance import app_version, bibtex
from mha.glossary import glossary
from mha.link.link import Link
from mha.link.view import DEFAULT_TEXT
from mha.maps import ORIGINS
from mha.models.files.catalog import DEFAULT, model_row, offered_on_pages
from mha.models.files.rows import ORIGIN_NAMES
from mha.screens.about.lessons import directed, lessons
from mha.screens.about.truth import truth
from mha.screens.blocks import Block, Definitions, caption, heading
from mha.screens.inputs import PageDoor
from mha.screens.places import Listed, More, Place, Plain, Side, each
from mha.screens.questions.quiz import sources
from mha.screens.shown import MOST_WORDS
from mha.words import MAX_CHARACTERS

Entry = dict[str, str]

READING_TERMS = ("strength", "lean", "share of a lean", "little attention to either", "shuffled", "unusual")
TELLING_TERMS = ("test pair", "AUC", "pair accuracy", "permutation threshold", "bootstrap interval", "distinguishing")
DOING_TERMS = (
    "score of a sentence", "link margin", "ablation", "mean ablation", "activation patching",
    "carried", "scored layer", "sweep",
)  # fmt: skip

NOT_EXPLANATIONS = (
    "[[Attention|attention]] shows how a head mixes information. It does not show why a model gives an answer. Other "
    "[[weights|weight]] can give the same answer (Jain & Wallace 2019; Wiegreffe & Pinter 2019), and a large weight on "
    "a tiny [[value]] adds little (Kobayashi et al. 2020)."
)
UNITS = (
    "Measured on words, [[sinks|attention sink]] included unless noted. T: words; w: [[weights|weight]]; q, k: "
    "positions of [[query]] and [[key]]; n: visible keys."
)
SAYS = (
    "Parallax asks three separate questions: where a head looks, whether that exceeds a control, and what happens when "
    "the head is removed or replaced. In the bundled [[test pairs|test pair]], the answers mostly name different heads."
)
UNTRAINED = (
    "The same model before it learned anything. It attends almost evenly, so exceeding it proves nothing. It may "
    "illustrate; it is not a control."
)
LONGEST = 70  # characters of a licence's name; a whole licence text is not one
_CLASSIFIER = "License :: OSI Approved :: "


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield the page; a part that lacks a file is no reason for the others to be away."""
    parts = (_opening, lambda: _lessons(ask), truth, _numbers, _origins, _limits)
    return each(*parts, _versions)


def _opening() -> Iterator[Block]:
    yield heading("What can I conclude?", "h1")
    yield caption(NOT_EXPLANATIONS, style="answer")
    yield caption(SAYS, style="answer")


def _lessons(ask: Ask) -> Iterator[Block]:
    yield heading("Eight common claims")
    example = example_for(DEFAULT_TEXT)
    look = directed(ask(Request(DEFAULT_TEXT)).maps, example.readings if example else None)
    for number, lesson in enumerate(lessons(look)):
        said = (heading(f"“{lesson.said}”", "h3"),)  # somebody else’s words, which what stands beside them corrects
        more = More("More", (caption(lesson.measured), PageDoor(lesson.pages, lesson.step)))
        measured = (caption(lesson.answer, style="body"), more)
        yield Place(f"lesson_{number}", (Side((said, measured), (2, 5), "large"),))


def _numbers() -> Iterator[Block]:
    yield heading("What each number means")
    yield caption(UNITS, style="sub")
    for title, entries in numbers_entries().items():
        yield More(title or "One number a head", (Definitions(entries),))


def _origins() -> Iterator[Block]:
    yield More("Where numbers come from", (Definitions(origin_entries()),))


def _limits() -> Iterator[Block]:
    yield heading("Limits")
    yield Listed(limits())


def _versions() -> Iterator[Block]:
    libraries = (heading("Libraries, as installed here", "h3"), Definitions(library_entries(), compact=True))
    yield More("Versions and licences", (Definitions(version_entries(), compact=True), *libraries))
    cite = caption("When citing a number, name the model and cite the paper of the measure.")
    entry = bibtex("where every head of a transformer looks; name the model and the measure you cite")
    yield More("How to cite", (Plain(entry, "quoted"), cite))
    yield More("Sources", (Listed(tuple(source.line for source in sources().values())),))


def measure_entries(rows: Sequence[Statistic]) -> list[Entry]:
    """Return one entry a row of `STATISTICS` or `BETWEEN`, with its line of the glossary."""
    return [
        {
            "name": _capital(row.title),
            "print": f"{row.unit}, {row.range}",
            "text": _sentence(row.key.replace("_", " ")),
            "formula": row.formula,
            "source": row.source,
        }
        for row in rows
    ]


def term_entries(*terms: str) -> list[Entry]:
    """Return entries of the glossary.

    Raises:
        KeyError: there is no such term.
    """
    return [{"name": _capital(term), "text": _sentence(term)} for term in terms]


def numbers_entries() -> dict[str, list[Entry]]:
    """Return what each number means, by the title of its part; the first has none."""
    return {
        "": measure_entries(STATISTICS),
        "Between heads": measure_entries(BETWEEN),
        "Between readings": term_entries(*READING_TERMS),
        "On many pairs": term_entries(*TELLING_TERMS),
        "What a head does": term_entries(*DOING_TERMS),
    }


def origin_entries() -> list[Entry]:
    """Return what each origin of numbers means, with the models on offer that are of it."""
    entries = []
    for origin in ORIGINS:
        models = [row for row in offered_on_pages() if row.origin == origin]
        print_ = "; ".join(f"{row.short}, {row.n_layers} × {row.n_heads}" for row in models)
        name = ORIGIN_NAMES.get(origin, origin)
        text = _sentence(name) if name in glossary() else UNTRAINED
        entries.append({"name": _capital(name), "print": print_, "text": text})
    return entries


def version_entries() -> list[Entry]:
    """Return this program and the models on offer, with their licences."""
    models = [
        {
            "name": row.short,
            "text": row.source,
            "source": f"licence {row.licence}" + (f"; revision {row.revision}" if row.revision else ""),
        }
        for row in offered_on_pages()
    ]
    return [{"name": "Parallax", "text": f"{app_version()}, MIT"}, *models]


def limits() -> tuple[str, ...]:
    """Return what the app cannot do or say, one sentence each."""
    pretrained = model_row(DEFAULT)
    return (
        f"Texts have up to {MAX_CHARACTERS:,} characters; Heads shows the first {MOST_WORDS} words.",
        f"In texts over {pretrained.d_head + 1} tokens, other attention weights could give the same output of a "
        f"head that "
        f"is {pretrained.d_head} wide (Brunner et al. 2020).",
        "One sentence proves little. General claims use many test pairs, with intervals.",
        f"The pretrained model that comes with the app, {pretrained.short}, is small ({pretrained.n_layers} layers) "
        f"and "
        "trained on English. Other models differ.",
        "Attention leaves out the feed-forward step and the residual path of each layer.",
        "Ablation puts a model in states it never met in training, and later heads may make up for the missing one "
        "(McGrath et al. 2023). The kinds (zero, average, even) disagree, so each number names its kind.",
        "“No head separates the readings” is a valid result.",
    )


def _sentence(term: str) -> str:
    return _capital(glossary()[term])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def library_entries(requirements: str | None = None) -> list[Entry]:
    """Return Python and every library of `requirements.txt`, in its order, as installed here."""
    text = requirements or (BESIDE / "requirements.txt").read_text(encoding="utf-8")
    names = re.findall(r"^([A-Za-z0-9._-]+)", text, re.MULTILINE)
    return [{"name": "Python", "text": f"{platform.python_version()}, PSF-2.0"}, *map(_library, names)]


@cache  # reading what a package says of itself takes 2 ms
def _library(name: str) -> Entry:
    """Return a library with its version and licence; one that is not installed says so."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return {"name": name, "text": "not installed"}
    declared = {field: about[field] for field in ("License-Expression", "License") if field in about}
    return {"name": name, "text": f"{about['Version']}, {licence(about.get_all('Classifier') or [], declared)}"}


def licence(classifiers: list[str], declared: Mapping[str, str]) -> str:
    """Return the name of a licence: the declared expression, else a short declared name, else the classifier.

    >>> licence(["License :: OSI Approved :: BSD License"], {"License": "Copyright (c) 2001 …" * 9})
    'BSD License'
    """
    expression, named = (declared.get(field, "").strip() for field in ("License-Expression", "License"))
    classified = "; ".join(row.removeprefix(_CLASSIFIER) for row in classifiers if row.startswith(_CLASSIFIER))
    if expression:
        parts = expression.split(" AND ")
        return expression if len(expression) <= LONGEST else f"{parts[0]} and {len(parts) - 1} more"
    return named if named and len(named) <= LONGEST else classified or "see the package"
