"""What the page on what may be concluded says: definitions from their tables, the lessons beside measured numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mha.analysis.between import BETWEEN, Between
from mha.analysis.statistics import STATISTICS, Statistic
from mha.export.provenance import app_version
from mha.formats import accuracy, percent
from mha.glossary import glossary
from mha.maps import ORIGINS
from mha.models.files.catalog import DEFAULT, model_row, offered
from mha.screens.about.measured import (
    TRAINED_SENTENCE,
    Directed,
    numbers_read,
    shuffled_differences,
    trained,
    without_head,
)
from mha.screens.about.versions import libraries
from mha.screens.shown import GRID_TOKENS
from mha.words import MAX_CHARACTERS

Entry = dict[str, str]

READING_TERMS = ("strength", "lean", "share of a lean", "no opinion", "shuffled", "unusual")
TELLING_TERMS = ("forced pair", "AUC", "pair accuracy", "permutation threshold", "bootstrap interval", "telling")
DOING_TERMS = ("readout", "link margin", "gate", "silence", "mean silencing", "patch", "carried", "direct", "sweep")

NOT_EXPLANATIONS = (
    "A [[weight]] says how a head mixes what it gathers. It does not say why the model answers as it does: quite other "
    "weights can lead to the same answer, and a large weight may stand on a [[value]] that is next to nothing. Whether "
    "weights explain depends on what one calls an explanation and has to be shown case by case (Jain & Wallace 2019; "
    "Wiegreffe & Pinter 2019)."
)
UNITS = (
    "On words, with [[sinks|sink]] kept, unless it says otherwise. T words, w [[weights|weight]], q and k the places "
    "of [[query]] and [[key]], n how many keys a query may see."
)
SAYS = (
    "So this app says where a head looks, how far it leans beside [[other orders|shuffled]] of its words and the "
    "[[scrambled twin]], and what happens to the [[readout]] when the head is silenced or patched. These are three "
    "questions with three answers, and the heads that lean and those that carry are mostly different ones."
)


def measure_entries(rows: Sequence[Statistic | Between]) -> list[Entry]:
    """Return one entry a row of `STATISTICS` or `BETWEEN`, with its line of the glossary."""
    return [
        {
            "name": _capital(row.title),
            "print": f"{row.unit}, {row.range}",
            "text": _sentence(row.title if isinstance(row, Between) else row.key.replace("_", " ")),
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
        text = _sentence(origin) if origin in glossary() else UNTRAINED
        entries.append({"name": _capital(origin), "print": print_, "text": text})
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
    "The same model before it learned anything. It attends almost evenly, so passing it proves nothing: it may "
    "illustrate, it is no control."
)


@dataclass(frozen=True)
class LessonClaim:
    """What lessons say, what is measured here, and the pages that show it, the best one first.

    ``step`` is where Step by step opens, where it is not its first.
    """

    said: str
    measured: str
    pages: tuple[str, ...]
    step: str = ""


def lessons(look: Directed) -> tuple[LessonClaim, ...]:
    """Return the six lessons beside their numbers; ``look`` is from the example sentence, not from the reader's."""
    drawn, width, d_head = numbers_read()
    without, with_positions = shuffled_differences()
    toy = trained()
    own = toy.looks.max(axis=1)  # [head]
    hurt, kept = sorted(without_head(1))
    return (
        LessonClaim(
            "Heads look at similar words.",
            f"Attention is a directed weighting, not a similarity. In {look.head}, *{look.query}* looks at "
            f"*{look.key}* with {percent(look.there)} of the attention it gives to words; *{look.key}* looks back "
            f"with {percent(look.back)}. A similarity would be the same both ways.",
            ("heads.py",),
        ),
        LessonClaim(
            "Heads capture several meanings.",
            f"In the model trained here looking is doing, for it was trained to: at *telescope* in “"
            f"{TRAINED_SENTENCE.removesuffix(' .')}”, head 0 gives one noun {percent(own[0])} of its attention, head 1 "
            f"gives the other noun {percent(own[1])}. In a pretrained model nothing says that a head is a meaning, and "
            "the leans of one sentence do not tell which reading is meant.",
            ("readings.py", "training.py", "heads.py"),
        ),
        LessonClaim(
            "Heads read segments of the embedding.",
            "In the standard design every head draws on all of it through its own projection. In the model trained "
            f"here a head has {d_head} numbers, made from {drawn} of a word’s {width}. What is split is the projected "
            "space. Heads that get only a part are another design, and it can be tried.",
            ("steps.py", "heads.py"),
        ),
        LessonClaim(
            "Heads are an ensemble.",
            "An ensemble averages answers, and loses a little when one is missing. Heads are parts of one sum. With "
            f"head 1 of the two trained here switched off, one reading’s noun is named right in {accuracy(hurt)} of "
            f"new sentences, the other one’s in {accuracy(kept)}.",
            ("training.py", "readings.py", "heads.py"),
        ),
        LessonClaim(
            "Attention is permutation-invariant.",
            "It is equivariant: without positions, words that change places take their outputs along (largest "
            f"difference {_tiny(without)}), and nothing else changes. An invariant layer would give the same output in "
            f"every order. With positions added it is neither ({with_positions:.2f}).",
            ("steps.py", "heads.py"),
            "2 Numbers",
        ),
        LessonClaim(
            "One head cannot summarise twice.",
            "Within one attention layer, one head finds the two candidates but did not, in the runs made here, keep "
            "apart which belongs to which reading on new word pairs; two heads of the same total size did. It is not "
            "impossible for any one-head model: it can memorise the pairs it was trained on, and two layers of one "
            "head each can manage.",
            ("training.py", "questions.py"),
        ),
    )


def limits() -> tuple[str, ...]:
    """Return what the app cannot do or say, one sentence each."""
    pretrained = model_row(DEFAULT)
    return (
        f"Texts of up to {MAX_CHARACTERS:,} characters; head by head up to {GRID_TOKENS} words.",
        f"From {pretrained.d_head + 2} tokens on, the weights of a head that is {pretrained.d_head} wide are not "
        "unique: other weights give the same output (Brunner et al. 2020).",
        "A single sentence stays unsure. What a head does in general is asked on many forced pairs, with an interval.",
        f"The pretrained model that comes with the app, {pretrained.short}, is a small one, of {pretrained.n_layers} "
        "layers, trained on English; other models differ.",
        "Weights are those of the attention alone: what a layer’s feed-forward step and its residual path do is not "
        "in them.",
        "Silencing takes the model to places where it never was in training; zero, mean and even weights disagree, so "
        "the kind stands beside every number.",
        "When no head separates the readings, that is a result, not a fault.",
    )


def _tiny(value: float) -> str:
    return "0" if value == 0 else "below 10⁻¹²" if value < 1e-12 else f"{value:.1g}"


def _sentence(term: str) -> str:
    return _capital(glossary()[term])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
