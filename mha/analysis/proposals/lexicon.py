"""Lexicon of words: parts of speech with their frequencies, kinds of nouns, first names; and the closed classes.

The lexicon is an extract of WordNet 3.0 (Fellbaum 1998) with first names of the census of 1990; `tools/lexicon.py`
writes it. Rules analyse regular forms, the lexicon has irregular ones.

Closed classes and the lists of verbs and nouns that the shapes need are written by hand. Tags: D determiner,
Z possessor ("Anna's"), J adjective or number, N noun, M name, O pronoun, K pronoun with its verb ("it's"), V verb,
B auxiliary or be, R adverb or particle, P preposition, T the to of an infinitive, C coordinator, S subordinator,
W question word or relative, "." and "," for marks. The number after a tag is its cost, 0 without one.
"""

import bisect
import functools
import gzip
from collections.abc import Iterator
from dataclasses import dataclass

from mha import assets
from mha.assets import ASSETS


def table(text: str) -> dict[str, list[str]]:
    """Return the words of each row of a text by the row's name: ``D O1.5: all some``; equal names are joined."""
    rows: dict[str, list[str]] = {}
    for line in text.strip().splitlines():
        name, words = line.split(": ", 1)
        rows.setdefault(name, []).extend(words.split())
    return rows


CLOSED = {  # the costs of each tag that a word may have
    word: {tag[0]: float(tag[1:] or 0) for tag in tags.split()}
    for tags, words in table("""
D: a an the my your our their whose's every teh
D O1.5: this these those each both neither either another any some all most
D J.5 O2: no many few several much more enough other such what's
D.5 O.5: her
D O2: his
D.2 K1.8: its
J D.7 O2: one two three four five six seven eight nine ten twenty hundred last next same own first second
S.5 W.5 D.9 O1.8: that
O: i you he she we they me him us them it himself herself itself themselves myself yourself mine yours hers theirs
O: someone somebody everyone everybody nobody anyone anybody something everything nothing anything none others
K: it's he's she's they're i'm you're we're that's there's he'll she'll it'll they'll i'll we'll you'll he'd she'd
K: they'd i'd we'd you'd they've i've we've you've im ive thats theyre youre theres hes shes
B N3: can will must might
B: is are was were am be been being isn't aren't wasn't weren't would could shall should may
B: won't wouldn't can't cannot couldn't shouldn't mustn't hasn't haven't hadn't doesn't don't didn't ain't gonna
B: isnt arent wasnt werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt doesnt dont didnt
B V.8: has have had do does did
W: who whom whose which what
W.3 S.6: where how why
S: because although though while if unless whereas whether cuz coz bcause becuase becasue
S.5 W.8: when
S.4 P.4: after before until till since
S P1.5: as than
S1.5 N0.7 V0.7: cause
S1.2 R.5: once so
S1.8 R.3: then now
C: and or but nor yet &
T.7 P.7: to
P: of with without into onto from at against towards toward among between during behind beneath beside beyond
P: upon via despite inside outside near underneath above below under
P R2.5: in on
P R1: by about around across along through over
P.7 R.4: up down out off past
P.3 V.5 J3 S2: like
P S2.5: for
R: not never always often usually sometimes again away back here together home very too quite really just also
R: today tonight tomorrow yesterday please maybe perhaps only even still already ago well soon ever later everywhere
R: lol ok asap quickly however therefore
R.3 O.3: there
""").items()
    for word in words
}
SAME = {"teh": "the", "cuz": "because", "coz": "because"}
RELATIVES = ("who", "which", "that")
PRONOUNS = {  # the subject form of each pronoun
    word: form
    for form, words in table("""
it: it it's its it'll
he: he him he's he'll he'd hes his
she: she her she's she'll she'd shes
they: they them they're they'll they'd they've theyre their
""").items()
    for word in words
}
# "either" are prepositions that may go either way, and with the verbs of "placing", "turning" and "settled …" they do
# not; the verbs of a preposition ask for it. "Soft" nouns are men unless a woman may be meant.
LISTS = {
    name: frozenset(words)
    for name, words in table("""
be: is are was were am be been being isn't wasn't aren't weren't isnt wasnt arent werent
subjects: i he she we they you
saying: say tell know think believe claim promise inform warn hope assume show explain
either: with without in on from near by behind under beside inside outside for over
placing: put place lay set hang stick store keep pour spread insert pin tie plug leave drop
settled from: remove take pull steal borrow separate protect save prevent stop drag drive move free
settled for: ask thank blame pay wait look search
turning: mix combine blend share discuss exchange associate link connect join provide fill replace cover compare
turning: supply confuse trust load present help
asks at: look stare shout yell laugh smile wave point shoot bark glance scream
asks to: talk speak listen wave
asks for: look search wait
asks after: run look
male: man boy father dad daddy son brother uncle nephew grandfather grandpa grandson husband king prince duke lord
male: gentleman monk groom bridegroom wizard emperor boyfriend stepfather stepson stepbrother baron count earl knight
male: guy guys bloke sir mr priest bishop pope cowboy papa widower fiance godfather lad
female: woman girl mother mom mum mommy daughter sister aunt niece grandmother grandma granddaughter wife queen
female: princess duchess lady nun bride witch empress girlfriend stepmother stepdaughter stepsister baroness countess
female: mermaid maid ballerina heroine madam mrs ms miss mama widow maiden housewife fiancee godmother diva
soft: actor waiter host heir sailor fisherman butler businessman policeman steward hero
persons: person child kid baby infant toddler adult human teenager cop cops police staff crew team family folk folks
persons: people cleaner barista councilman councilmen councillor goalie caterer babysitter striker mom mum dad grandma
persons: grandpa astronaut
no persons: toaster batter mug cooker book phone car truck machine computer robot trophy cup can plate ball bottle
it or person: baby infant child toddler robot supplier manufacturer publisher retailer contractor competitor provider
it or person: vendor distributor insurer lender carrier broadcaster
invariant: sheep fish deer salmon trout aircraft species series
pairs: scissors binoculars tweezers pliers glasses pants trousers jeans shorts clothes tongs goggles
causing: make let have help see watch hear feel
linking: turn seem feel become get go stay look sound smell taste grow remain appear fall run
giving: give send show tell offer bring lend sell pay refuse deny hand teach write buy make owe promise feed
pictures: picture photo photograph painting portrait drawing sketch image video film
parts: middle lot kind sort front top end rest part side edge bottom couple number back bit
titles: mr mrs ms dr sir lord lady miss prof
particles: up out off down over
phrasal: wake pick turn take switch throw give call look fill cut knock tear clean bring beat hold lift pull shut
phrasal: drown blow sweep track chase scare wipe burn carry hand shake tip push
manners: care ease joy pleasure difficulty patience pride confidence enthusiasm love anger skill precision caution
manners: interest success silence delight disgust envy fear force haste speed grace gusto help horror passion relief
manners: respect
groups: police people council committee team company family crew government staff band class army
times: time morning evening noon midnight dawn dusk while moment past future
no gender: human woman person witness business mattress fortress governess illness success reason lesson season poison
no gender: prison son german roman specimen salesperson chairperson
""").items()
}


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
    e(vent), c(ommunication), b (abstract); ``name`` is m, f, e(ither) or ""; ``known`` is whether the lexicon has the
    word, as anything.
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
    known: bool = True


NOTHING = Entry(known=False)


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
        word_entry = self._fields(word)
        irregular = [(form[0], form[1:]) for form in word_entry.get("<", "").split(",") if form]
        ending = "ing" if word.endswith("ing") else "ed"
        entry = _with(Entry(lemma=word), word_entry, "", plural=False)
        for part, lemma, form in [*((*base, ending) for base in irregular), *_base_forms(word)]:
            fields = {name: value for name, value in self._fields(lemma).items() if name == part}
            if fields and part == "a" and entry.noun:
                fields = {"a": "0"}  # a cleaner is rarely more clean
            entry = _with(entry, fields, form, plural=part == "n", lemma=lemma)
        is_known = entry.noun or entry.verb or entry.adjective or entry.adverb or entry.name
        return entry if is_known else None

    def _fields(self, word: str) -> dict[str, str]:
        """Return the fields of a word's line, without their first letters, by these letters; none without a line."""
        place = bisect.bisect_left(self._rows, word + " ")
        row = self._rows[place] if place < len(self._rows) else ""
        fields = row.split()[1:] if row.startswith(word + " ") else []
        return {field[0]: field[1:] for field in fields}


def bundled() -> Lexicon | None:
    """Return the bundled lexicon, or None if its file is unreadable."""
    return assets.optional(FILE, _parse)


def _parse(content: bytes) -> Lexicon:
    rows = gzip.decompress(content).decode("utf-8").splitlines()
    return Lexicon([row for row in rows if not row.startswith("#")])


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
