"""What a word may be: its parts of speech and how usual each is, what kind of thing a noun is, whose name it is.

The lexicon is an extract of WordNet 3.0 (Fellbaum 1998) with first names of the census of 1990; `__main__.py` writes
it. Regular forms are taken apart by rule, irregular ones stand in the lexicon, and closed classes in `closed.py`.
"""

from __future__ import annotations

import bisect
import functools
import gzip
from collections.abc import Iterator
from dataclasses import dataclass

from mha import assets
from mha.assets import ASSETS

FILE = ASSETS / "lexicon.txt.gz"
KEPT = 4096  # words whose entries are kept
ENDINGS = (  # of regular forms: parts of speech, form, and the ends of their lemmas
    ("s", "nv", "s", ("",)),
    ("es", "nv", "s", ("",)),
    ("ies", "nv", "s", ("y",)),
    ("ves", "nv", "s", ("f", "fe")),
    ("men", "n", "s", ("man",)),
    ("ed", "v", "ed", ("", "e")),
    ("ied", "v", "ed", ("y",)),
    ("ing", "v", "ing", ("", "e")),
    ("ying", "v", "ing", ("ie",)),
    ("er", "a", "", ("", "e")),
    ("ier", "a", "", ("y",)),
    ("est", "a", "", ("", "e")),
    ("iest", "a", "", ("y",)),
)


@dataclass(frozen=True)
class Entry:
    """What a word may be. Weights are 0 where it cannot be that, else from 1 (rare) on.

    ``kinds`` are those of the noun, the commonest first: p(erson), a(nimal), g(roup), t(hing), l(ocation), s (time),
    e(vent), c(ommunication), b for what cannot be touched; ``name`` is m, f, e(ither) or "".
    """

    noun: float = 0
    verb: float = 0
    adjective: float = 0
    adverb: float = 0
    kinds: str = ""
    plural: bool = False
    form: str = ""  # of the verb: "s", "ed", "ing", "" as it stands
    name: str = ""
    lemma: str = ""

    @property
    def known(self) -> bool:
        """Whether the lexicon has the word, as anything."""
        return bool(self.noun or self.verb or self.adjective or self.adverb or self.name)


NOTHING = Entry()


class Lexicon:
    """The lines of the lexicon in order of their words; they are taken apart only when somebody asks."""

    def __init__(self, rows: list[str]) -> None:
        if not rows:
            raise ValueError("A lexicon has words.")
        self._rows = rows
        self.entry = functools.lru_cache(maxsize=KEPT)(self._entry)

    def _entry(self, word: str) -> Entry | None:
        """Return what a word in small letters may be; None where the lexicon does not have it, in any form.

        >>> lexicon = bundled()
        >>> lexicon.entry("telescope").kinds, lexicon.entry("boxes").plural, lexicon.entry("saw").form
        ('t', True, 'ed')
        """
        own = _fields(self._line(word))
        irregular = [(form[0], form[1:]) for form in own.get("<", "").split(",") if form]
        ending = "ing" if word.endswith("ing") else "ed"
        entry = _with(Entry(lemma=word), own, "", plural=False)
        for part, lemma, form in [*((*of, ending) for of in irregular), *_base_forms(word)]:
            fields = {name: value for name, value in _fields(self._line(lemma)).items() if name == part}
            if fields and part == "a" and entry.noun:
                fields = {"a": "0"}  # a cleaner is rarely more clean
            entry = _with(entry, fields, form, plural=part == "n", lemma=lemma)
        return entry if entry.known else None

    def _line(self, word: str) -> str:
        """Return what stands behind a word; "" where it has no line."""
        place = bisect.bisect_left(self._rows, word + " ")
        found = self._rows[place] if place < len(self._rows) else ""
        return found[len(word) :] if found.startswith(word + " ") else ""


def bundled() -> Lexicon | None:
    """Return the lexicon that comes with the program; None where its file cannot be read."""
    return assets.optional(FILE, _parse)


def _parse(content: bytes) -> Lexicon:
    rows = gzip.decompress(content).decode("utf-8").splitlines()
    return Lexicon([row for row in rows if not row.startswith("#")])


def _fields(line: str) -> dict[str, str]:
    return {field[0]: field[1:] for field in line.split()}


def _with(entry: Entry, fields: dict[str, str], form: str, plural: bool, lemma: str = "") -> Entry:
    """Return the entry with what another line says of it; of a part of speech the commoner holds."""
    weights = {part: 2 ** (int(fields[part][-1], 16) / 1.5) for part in "nvar" if part in fields}
    noun, verb = weights.get("n", 0), weights.get("v", 0)
    heavier = noun > entry.noun
    return Entry(
        noun=max(entry.noun, noun),
        verb=max(entry.verb, verb),
        adjective=max(entry.adjective, weights.get("a", 0)),
        adverb=max(entry.adverb, weights.get("r", 0)),
        kinds=fields["n"][:-1] if heavier else entry.kinds,
        plural=plural if heavier else entry.plural,
        form=form if verb > entry.verb else entry.form,
        name=next((sex for sex in "mfe" if sex in fields), entry.name),
        lemma=lemma if lemma and (heavier or verb > entry.verb) else entry.lemma,
    )


def _base_forms(word: str) -> Iterator[tuple[str, str, str]]:
    """Yield the (part of speech, lemma, form) of which a word may be a regular form.

    >>> list(_base_forms("stopped"))
    [('v', 'stopp', 'ed'), ('v', 'stoppe', 'ed'), ('v', 'stop', 'ed')]
    """
    for ending, parts, form, replacements in ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1 and not word.endswith("ss"):
            stem = word.removesuffix(ending)
            lemmas = [stem + replacement for replacement in replacements]
            if form != "s" and stem[-2:] == 2 * stem[-1]:
                lemmas.append(stem[:-1])
            yield from ((part, lemma, form) for lemma in lemmas for part in parts)
