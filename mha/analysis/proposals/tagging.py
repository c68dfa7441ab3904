"""The part of speech of each word of a sentence: the cheapest path through the tags of the words.

A tag costs −ln of its share among the word's tags, a step from one tag to the next the cost in `STEPS`: numbers by
hand, small for usual steps. The path of least cost is computed as in Viterbi 1967.
"""

import functools
import math
from dataclasses import dataclass, replace

from mha.analysis.proposals.lexicon import CLOSED, LISTS, NOTHING, SAME, Entry, Lexicon, table
from mha.words import split

KEPT = 256  # texts whose words are known: a page asks several times a run
UNUSUAL = 5.0  # a step that no row names
KNOWN = 0.6  # of the words of an English text
GUESSES = {  # the weights of an unknown word's tags by its end
    "ly": {"R": 1.0, "J": 0.3},
    "ed": {"V": 1.0, "J": 0.5, "N": 0.2},
    "nd": {"V": 1.0, "J": 0.5, "N": 0.2},  # opend
    "s": {"N": 1.0, "J": 0.2, "V": 0.15},
    "ing": {"N": 1.0, "J": 0.2, "V": 0.15},
    "": {"N": 1.0, "J": 0.2, "V": 0.15, "R": 0.15},
}


# From a tag to the next one; "^" begins a sentence.
STEPS = {
    tag: {step[0]: float(step[1:] or 0) for step in steps}
    for tag, steps in table("""
^: D.5 N2 M1 O.5 K1 J1.5 V2 B2 R1.5 P2 S1.5 W1.5 T3 C3 Z1.5
D: N.3 J.5 Z1.5 M1 R3.5 D2 .6 ,6
Z: N.3 J.7 M2 .5 ,5
J: N.3 J1.2 C1.5 .1.5 ,1.5 P1.5 S2 T1.5 R2.5 W3 M2 Z2 O4 D4 B4
N: V1 B.7 P.7 C1 S1 W1.2 ..5 ,1 N1.9 R1.5 T1.5 O2 D2.6 M3 J3 K2 Z3
M: V.7 B.7 P.9 C1 S1 W1.5 ..6 ,1 M1 R1.5 T1.5 O1.3 D1.5 N2.5 J2.5 K1.5 Z3
O: V.6 B.5 P1.3 C1.5 S1.2 W2 ..8 ,1.2 R1 T1.5 D1.5 J2 O2 N3.5 M2 K2
K: J.5 V.7 R.6 D.7 P1 N2.5 M2 O2 B1.5 T2 W2 Z2
V: D.4 N1.3 M1 O.6 P.8 R1 J1.3 T1 S1 W1.2 C1.5 ..8 ,1.2 V2.5 B3.5 K1.2 Z1.2
B: V.5 J.7 R.5 D.8 O1.2 P1.2 N2 M1.6 B1 T1.8 ..2 ,2 S2 C2.5 W2.5 K3 Z2
R: V1 J.8 P1 R1.2 D1.3 S1.2 ..6 ,.8 B1.3 O1.3 N2.5 C1.3 M2 T1.3 W2 K2 Z2.5
P: D.3 N.9 M.9 O.9 J1 Z1.2 W2.5 V2.3 P2.5 R2.5 ,4 .3 T4 C4 S3
T: V.1 R2.5 B.7
C: D1 N.9 M.9 O1 K1 V1 J1 R1 B1.3 P1.7 S1.5 W2 T2 Z1.5
S: D.5 O.3 M.6 N1 K.4 J1.5 P1.7 R1.5 V2.7 Z1 B3 C4 W3 S2.5 T3
W: V.5 B.4 O.8 D1 R1 M1.2 N1.5 J1.5 K2 P3 Z1.5
.: D.5 N2 M1 O.5 K.8 J1.5 V2 B2 R1.5 P2 S1.5 W1.5 C1.5 Z1.5 .0 ,0
,: D.7 N1.5 M1 O.7 K.7 J1 V1.5 B2 R1 P1 S.7 W.8 C.5 T2 Z1.5 .0 ,0
""").items()
}


@dataclass(frozen=True)
class Tagged:
    """A word with its tag, or a mark; ``number`` is that of `mha.words.words`, -1 for a mark."""

    text: str
    low: str
    number: int
    tag: str = ""
    entry: Entry = NOTHING


@functools.lru_cache(maxsize=KEPT)
def tagged(text: str, lexicon: Lexicon) -> tuple[Tagged, ...]:
    """Return the words and marks of a text, each with its tag.

    >>> from mha.analysis.proposals.lexicon import bundled
    >>> "".join(token.tag for token in tagged("The guards watch her dog.", bundled()))
    'DNVDN.'
    """
    tokens: list[Tagged] = []  # without tags
    for piece in split(text):
        if piece.word is None and piece.text == "." and tokens and tokens[-1].low in LISTS["titles"]:
            continue  # the full stop of "Mr."
        low = piece.text.casefold().replace("’", "'")
        low = SAME.get(low, low)
        entry = lexicon.entry(low.removesuffix("'s")) or Entry(lemma=low, known=False)
        tokens.append(Tagged(piece.text, low, -1 if piece.word is None else piece.word, entry=entry))

    best: list[dict[str, tuple[float, str]]] = []  # for each word by its tag: the least cost so far, and the tag before
    for place in range(len(tokens)):
        ways = best[-1] if best else {"^": (0.0, "")}
        column = {}
        for tag, tag_cost in _choices(tokens, place).items():
            cost, last = min(
                (sofar + _step(previous_tag, tag, tokens, place), previous_tag)
                for previous_tag, (sofar, _) in ways.items()
            )
            column[tag] = cost + tag_cost, last
        best.append(column)

    if not best:
        return ()
    tags = [min(best[-1], key=lambda tag: best[-1][tag][0])]
    for column in reversed(best[1:]):  # from the last word back to the first
        tags.append(column[tags[-1]][1])
    tags.reverse()
    for place in range(len(tokens)):
        if tags[place] == "P" and "S" in CLOSED.get(tokens[place].low, "") and _clause(tags[place + 1 :]):
            tags[place] = "S"
    return tuple(replace(token, tag=tag) for token, tag in zip(tokens, tags, strict=True))


def _clause(tags: list[str]) -> bool:
    """Return whether tags begin with a noun group and a verb: before *the police warned* him."""
    next_tag = next((tag for tag in tags if tag not in "DJNMZRO"), "")
    return next_tag in ("V", "B") and tags[0] not in "VB"


def _step(previous_tag: str, tag: str, tokens: list[Tagged], place: int) -> float:
    """Return the cost of a step from one tag to the next, with the costs that the two words add to it."""
    cost = STEPS[previous_tag].get(tag, UNUSUAL)
    last, token = tokens[place - 1], tokens[place]
    third = tokens[place - 3].entry.lemma if place > 2 else ""
    if previous_tag == "N" and tag == "D" and place == 1:
        cost += 2.5  # water the plants
    if previous_tag == "N" and tag == "V" and token.entry.form in ("", "s") and third not in LISTS["causing"]:
        cost += 2.0 * (last.entry.plural == (token.entry.form == "s"))  # they do not agree in number
    if previous_tag == "O" and tag == "V" and last.low == "his" and token.entry.noun and token.entry.form in ("", "s"):
        cost += 3.0  # his drill
    if previous_tag == "W" and tag == "N" and last.low in ("who", "that"):
        cost += 4.0
    return cost


def _choices(tokens: list[Tagged], place: int) -> dict[str, float]:
    """Return the tags that a word may have, with their costs; its end suggests them if the lexicon does not have it."""
    token, entry = tokens[place], tokens[place].entry
    if token.number < 0:
        return {"." if set(token.text) & set(".!?;:…") else ",": 0.0}
    if token.low in CLOSED:
        return CLOSED[token.low]
    if token.low.endswith(("'s", "s'")):
        return {"Z": 0.0, "N": 4.0} if token.low.endswith("s'") else {"Z": 0.0, "K": 2.0}
    participle = entry.verb * (entry.form in ("ed", "ing"))
    weights = {
        "N": max(entry.noun, 0.1 * entry.verb * (entry.form == "ing")),
        "V": entry.verb,
        "J": max(entry.adjective, 0.12 * participle),
        "R": entry.adverb,
    }
    if not any(weights.values()):
        weights = next(guess for end, guess in GUESSES.items() if token.low.endswith(end))
    total = sum(weights.values())
    costs = {tag: -math.log(weight / total) for tag, weight in weights.items() if weight}
    is_first = place == 0 or bool(set(tokens[place - 1].text) & set(".!?…"))
    is_capital = token.text[:1].isupper()
    if is_capital and (entry.name or (entry.kinds[:1] == "l" and not is_first)):  # Anna, in Paris
        return {tag: cost + (1.0 if is_first else 2.0) for tag, cost in costs.items()} | {"M": 0.0}
    if entry.name:
        costs["M"] = 0.7 if entry.noun > 1.6 or entry.verb or entry.adjective else 0.0
    elif is_capital and not is_first:
        costs["M"] = 0.5 if entry.noun or entry.adjective else 0.0
    elif is_capital and not (entry.noun or entry.verb > 2 or entry.adjective or entry.adverb):
        costs["M"] = 0.3
    return costs


# Common short words of German, French, Spanish, Italian and Dutch that are no English words.
FOREIGN = frozenset(
    """
    der das und ist im ein eine es den dem nicht mit auf von zu sich le les des du une est et que qui dans avec il elle
    el los las del al con por y una di che della het een zag met van ik
    """.split()  # noqa: SIM905 (one line a word would be fifty lines)
)


def languages(tokens: tuple[Tagged, ...]) -> tuple[bool, bool]:
    """Return whether a text is English, and whether it is in another language; it may look like both or neither.

    An English text has a small word, and most of its words are known, names left out. In a text of another language two
    or more different words are unknown or common there, and at most one is a small word of English; marks, names and
    code do not count.
    """
    all_words = [token for token in tokens if token.number >= 0]
    unnamed_words = [token for token in all_words if token.tag != "M"]
    n_small = sum(token.low in CLOSED for token in unnamed_words)
    n_known = sum(token.low in CLOSED or token.entry.known for token in unnamed_words)
    letters_only = {token.low: token for token in all_words if token.low.isalpha()}
    n_small_of_different = sum(low in CLOSED for low in letters_only)
    n_foreign = sum(
        low in FOREIGN or (low not in CLOSED and token.tag != "M" and not token.entry.known)
        for low, token in letters_only.items()
    )
    is_english = n_small > 0 and n_known >= KNOWN * len(unnamed_words)
    return is_english, n_foreign > 1 >= n_small_of_different
