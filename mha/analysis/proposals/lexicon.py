"""Lexicon of words: parts of speech with their frequencies, kinds of nouns, and first names.

The lexicon is an extract of WordNet 3.0 (Fellbaum 1998) with first names of the census of 1990; `__main__.py` writes
it. Rules analyse regular forms, the lexicon has irregular ones, and `closed.py` the closed classes.
"""

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
    """Parts of speech of a word. A weight is 0 if the word cannot have this part of speech, else 1 (rare) or more.

    ``kinds`` are those of the noun, the commonest first: p(erson), a(nimal), g(roup), t(hing), l(ocation), s (time),
    e(vent), c(ommunication), b (abstract); ``name`` is m, f, e(ither) or "".
    """

    noun: float = 0
    verb: float = 0
    adjective: float = 0
    adverb: float = 0
    kinds: str = ""
    plural: bool = False
    form: str = ""  # of the verb: "s", "ed", "ing", or "" for the base form
    name: str = ""
    lemma: str = ""

    @property
    def known(self) -> bool:
        """Whether the lexicon has the word, as anything."""
        return bool(self.noun or self.verb or self.adjective or self.adverb or self.name)


NOTHING = Entry()


class Lexicon:
    """The lines of the lexicon in order of their words; a line is parsed on request only."""

    def __init__(self, rows: list[str]) -> None:
        if not rows:
            raise ValueError("A lexicon has words.")
        self._rows = rows
        self.entry = functools.lru_cache(maxsize=KEPT)(self._entry)

    def _entry(self, word: str) -> Entry | None:
        """Return the entry of a word in small letters, or None if the lexicon lacks all its forms.

        >>> lexicon = bundled()
        >>> lexicon.entry("telescope").kinds, lexicon.entry("boxes").plural, lexicon.entry("saw").form
        ('t', True, 'ed')
        """
        word_entry = _fields(self._line(word))
        irregular = [(form[0], form[1:]) for form in word_entry.get("<", "").split(",") if form]
        ending = "ing" if word.endswith("ing") else "ed"
        entry = _with(Entry(lemma=word), word_entry, "", plural=False)
        for part, lemma, form in [*((*base, ending) for base in irregular), *_base_forms(word)]:
            fields = {name: value for name, value in _fields(self._line(lemma)).items() if name == part}
            if fields and part == "a" and entry.noun:
                fields = {"a": "0"}  # a cleaner is rarely more clean
            entry = _with(entry, fields, form, plural=part == "n", lemma=lemma)
        return entry if entry.known else None

    def _line(self, word: str) -> str:
        """Return the line of a word without the word, or ""."""
        place = bisect.bisect_left(self._rows, word + " ")
        row = self._rows[place] if place < len(self._rows) else ""
        return row[len(word) :] if row.startswith(word + " ") else ""


def bundled() -> Lexicon | None:
    """Return the bundled lexicon, or None if its file is unreadable."""
    return assets.optional(FILE, _parse)


def _parse(content: bytes) -> Lexicon:
    rows = gzip.decompress(content).decode("utf-8").splitlines()
    return Lexicon([row for row in rows if not row.startswith("#")])


def _fields(line: str) -> dict[str, str]:
    return {field[0]: field[1:] for field in line.split()}


def _with(entry: Entry, fields: dict[str, str], form: str, plural: bool, lemma: str = "") -> Entry:
    """Return the entry merged with another line; the larger weight of a part of speech counts."""
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
