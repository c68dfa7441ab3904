"""What the page on what can be concluded says: definitions from their tables, the lessons beside measured numbers."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from mha.analysis.between import BETWEEN
from mha.analysis.statistics import STATISTICS, Statistic
from mha.assets import BESIDE
from mha.export.provenance import app_version
from mha.formats import accuracy, number, percent
from mha.glossary import glossary
from mha.maps import ORIGINS
from mha.models.files.catalog import DEFAULT, model_row, offered
from mha.screens.about.measured import (
    TRAINED_SENTENCE,
    Directed,
    half_carry_less,
    near,
    numbers_read,
    right_with,
    shuffled_differences,
    trained,
    without_head,
)
from mha.screens.shown import GRID_TOKENS
from mha.words import MAX_CHARACTERS

Entry = dict[str, str]
ORIGIN_NAMES = {"toy": "toy example", "scrambled twin": "scrambled copy", "untrained twin": "untrained copy"}

READING_TERMS = ("strength", "lean", "share of a lean", "little attention to either", "shuffled", "unusual")
TELLING_TERMS = ("test pair", "AUC", "pair accuracy", "permutation threshold", "bootstrap interval", "distinguishing")
DOING_TERMS = (
    "score of a sentence", "link margin", "reliability check", "ablation", "mean ablation", "activation patching",
    "carried", "scored layer", "sweep",
)  # fmt: skip

NOT_EXPLANATIONS = (
    "[[Attention|attention]] shows how a head mixes information. It does not show why a model gives an answer. Other "
    "[[weights|weight]] can give the same answer, and a large weight on a tiny [[value]] adds little (Jain & Wallace "
    "2019; Wiegreffe & Pinter 2019)."
)
UNITS = (
    "Measured on words, [[sinks|attention sink]] included unless noted. T: words; w: [[weights|weight]]; q, k: "
    "positions of [[query]] and [[key]]; n: visible keys."
)
SAYS = (
    "Parallax asks three separate questions: where a head looks, whether that exceeds a control, and what happens when "
    "the head is removed or replaced. In the bundled [[test pairs|test pair]], the answers mostly name different heads."
)


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
        models = [row for row in offered() if row.origin == origin]
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
        for row in offered()
    ]
    return [{"name": "Parallax", "text": f"{app_version()}, MIT"}, *models]


def library_entries() -> list[Entry]:
    """Return the libraries as they are installed here."""
    return [{"name": row.name, "text": f"{row.version}, {row.licence}"} for row in libraries()]


UNTRAINED = (
    "The same model before it learned anything. It attends almost evenly, so exceeding it proves nothing. It may "
    "illustrate; it is not a control."
)


@dataclass(frozen=True)
class LessonClaim:
    """What lessons say, the one-line answer, what is measured here, and the pages that show it, the best one first.

    ``step`` is where Step by step opens, where it is not its first.
    """

    said: str
    answer: str
    measured: str
    pages: tuple[str, ...]
    step: str = ""


def lessons(look: Directed) -> tuple[LessonClaim, ...]:
    """Return the eight lessons beside their numbers; ``look`` is from the example sentence, not from the reader's."""
    drawn, width, d_head = numbers_read()
    without, with_positions = shuffled_differences()
    toy, toy_near = trained(), near()
    own = toy.looks.max(axis=1)  # [head]
    hurt, kept = sorted(without_head(1))
    one, two = right_with(1), right_with(2)
    half = half_carry_less()
    return (
        LessonClaim(
            "Heads look at similar words.",
            f"No: attention has a direction. In {look.head}, *{look.query}* gives *{look.key}* "
            f"{percent(look.there)} of "
            f"its attention to words; back, it is {percent(look.back)}.",
            "A similarity would be the same both ways. Attention is a directed weighting. In the toy sentence "
            f"“{toy_near.text}”, *{toy_near.query}* gives *{toy_near.key}* {percent(toy_near.there)} and itself "
            f"{percent(toy_near.itself)}; its vector has a cosine of {number(toy_near.cosine, 2)} with "
            f"*{toy_near.key}* and of 1 with itself.",
            ("heads.py",),
        ),
        LessonClaim(
            "Each head captures a meaning.",
            "Only where trained to: in the small model here, each head looks at one noun.",
            f"At *telescope* in “{TRAINED_SENTENCE.removesuffix(' .')}”, head 0 gives one noun {percent(own[0])} of "
            f"its "
            f"attention, and head 1 gives the other noun {percent(own[1])}. In a pretrained model nothing shows that, "
            "and the leans of one sentence do not show which reading is meant.",
            ("readings.py", "training.py", "heads.py"),
        ),
        LessonClaim(
            "Each head reads a part of the embedding.",
            f"No: each reads all {drawn} numbers and projects them to {d_head}."
            if drawn == width
            else f"No: each reads {drawn} of {width} numbers and projects them to {d_head}.",
            "This is the standard design, as in the model trained here. What is split is the projected space. Heads "
            "that "
            "read only a part are another design; Step by step has it.",
            ("steps.py", "heads.py"),
        ),
        LessonClaim(
            "Heads are an ensemble.",
            f"In part: most heads can go unnoticed, but some cannot. Without head 1, one answer falls to "
            f"{accuracy(hurt)}; the other is at {accuracy(kept)}.",
            f"{'' if half is None else _for_ensembles(*half)}Against it: of the two heads trained here each names one "
            "noun, on new sentences. An ensemble averages models that answer alone; heads are parts of one sum.",
            ("training.py", "readings.py", "heads.py"),
        ),
        LessonClaim(
            "Several heads improve downstream performance.",
            f"On one small task here: two heads are right in {accuracy(two)} of new sentences, one head of the same "
            f"total size in {accuracy(one)}.",
            "One task, one layer, and one run of each. It does not show that more heads help elsewhere.",
            ("training.py", "questions.py"),
        ),
        LessonClaim(
            "W_O keeps the dominant perspective.",
            "No: W_O is fixed after training, the same for every sentence.",
            "It adds up what all heads contribute, in one way for all texts. How much that is depends on the text; "
            "how it is added does not.",
            ("steps.py",),
        ),
        LessonClaim(
            "Word order does not matter to attention.",
            "Without positions, outputs move along with the words; with positions, they also change.",
            f"Moving along is called equivariance (largest difference {_tiny(without)} without positions, "
            f"{with_positions:.2f} with them). An invariant layer would give the same output in every order.",
            ("steps.py", "heads.py"),
            "2 Numbers",
        ),
        LessonClaim(
            "One head can never do two jobs.",
            "In one layer it failed on new pairs here; it can memorise, and two layers of one head can manage.",
            "Within one attention layer, one head finds the two candidates but did not, in the runs made here, keep "
            "apart which belongs to which reading on new word pairs. Two heads of the same total size did.",
            ("training.py", "questions.py"),
        ),
    )


def _for_ensembles(half: float, n_pairs: int) -> str:
    return (
        f"For it: in {model_row(DEFAULT).short}, half of the heads carry less than {percent(half)} each of the score "
        f"change in {n_pairs} pronoun test pairs. "
    )


def limits() -> tuple[str, ...]:
    """Return what the app cannot do or say, one sentence each."""
    pretrained = model_row(DEFAULT)
    return (
        f"Texts have up to {MAX_CHARACTERS:,} characters; large maps show up to {GRID_TOKENS} words.",
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


def _tiny(value: float) -> str:
    return "0" if value == 0 else "below 10⁻¹²" if value < 1e-12 else f"{value:.1g}"


def _sentence(term: str) -> str:
    return _capital(glossary()[term])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


LONGEST = 70  # characters of a licence's name; a whole licence text is not one
_CLASSIFIER = "License :: OSI Approved :: "


@dataclass(frozen=True)
class Library:
    """One library as it is installed."""

    name: str
    version: str
    licence: str


def libraries(requirements: str | None = None) -> tuple[Library, ...]:
    """Return Python and every library of `requirements.txt`, in its order, as installed here."""
    text = requirements or (BESIDE / "requirements.txt").read_text(encoding="utf-8")
    names = re.findall(r"^([A-Za-z0-9._-]+)", text, re.MULTILINE)
    return (Library("Python", platform.python_version(), "PSF-2.0"), *(library(name) for name in names))


def library(name: str) -> Library:
    """Return a library's version and licence; one that is not installed says so."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return Library(name, "not installed", "")
    declared = {field: about[field] for field in ("License-Expression", "License") if field in about}
    return Library(name, about["Version"], licence(about.get_all("Classifier") or [], declared))


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
