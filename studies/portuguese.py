"""The gender of a noun in written Portuguese, decided by the article in front of it and by its ending.

The noun is the first word of a translation that begins with one of the stems listed for it. Its gender is that of the
article directly in front of it, contracted with a preposition or not; without an article it is that of the ending. If
article and ending disagree, the gender is None. A noun of common gender (*o dentista*, *a dentista*) has no ending that
decides. The stems were listed by one author who does not speak Portuguese.
"""

from collections.abc import Sequence

from mha.words import words

PAIRS = ("o a", "ao à", "do da", "no na", "pelo pela", "um uma", "dum duma", "num numa", "os as", "aos às", "dos das")
FEMININE_OF = dict(pair.split() for pair in PAIRS)  # articles, by the masculine form
MASCULINE_OF = {feminine: masculine for masculine, feminine in FEMININE_OF.items()}
COMMON = ("ista", "eta", "euta", "ente", "ante", "efe", "prete", "órter", "igner", "nasta")  # of common gender
FEMININE_ENDINGS = ("a", "ã", "triz", "as")
MORE = ("demais",)  # words that may follow the predicate


def article_gender(word: str) -> str | None:
    """Return "f" or "m" for an article, else None.

    >>> article_gender("À"), article_gender("do"), article_gender("de")
    ('f', 'm', None)
    """
    folded = word.casefold()
    return "m" if folded in FEMININE_OF else "f" if folded in MASCULINE_OF else None


def other_article(article: str) -> str:
    """Return the article of the other gender, with a capital where there is one.

    >>> other_article("A"), other_article("ao")
    ('O', 'à')
    """
    folded = article.casefold()
    other = FEMININE_OF.get(folded) or MASCULINE_OF[folded]
    return other.capitalize() if article[0].isupper() else other


def ending_gender(noun: str) -> str | None:
    """Return the gender of a noun's ending, or None if both genders have it.

    >>> ending_gender("professora"), ending_gender("professor"), ending_gender("dentista")
    ('f', 'm', None)
    """
    folded = noun.casefold()
    if folded.endswith(COMMON):
        return None
    return "f" if folded.endswith(FEMININE_ENDINGS) else "m"


def noun_place(portuguese: Sequence[str], stems: Sequence[str]) -> int | None:
    """Return the index of the first word with one of the stems, or None."""
    return next((number for number, word in enumerate(portuguese) if word.casefold().startswith(tuple(stems))), None)


def noun_gender(text: str, stems: Sequence[str], endings: bool = True) -> str | None:
    """Return "f" or "m" for the noun with one of these stems, or None; without ``endings`` by its article alone.

    >>> noun_gender("Vi a professora.", ["professor"]), noun_gender("Vi a professor.", ["professor"])
    ('f', None)
    """
    portuguese = words(text)
    place = noun_place(portuguese, stems)
    if place is None:
        return None
    article = article_gender(portuguese[place - 1]) if place else None
    ending = ending_gender(portuguese[place]) if endings else None
    return None if article and ending and article != ending else article or ending


def predicate_gender(text: str) -> str | None:
    """Return the gender of the last word, *demais* left out: "m" with -o, "f" with -a, else None.

    >>> predicate_gender("A caixa era larga demais."), predicate_gender("Era grande.")
    ('f', None)
    """
    last = next((word.casefold() for word in reversed(words(text)) if word.casefold() not in MORE), "")
    return {"o": "m", "a": "f"}.get(last.removesuffix("s")[-1:])


def sense(text: str, senses: Sequence[Sequence[str]]) -> int | None:
    """Return the number of the sense whose stems a translation has, or None if none or both are there.

    >>> sense("O morcego dormiu.", [["morceg"], ["taco"]]), sense("Dormiu.", [["morceg"], ["taco"]])
    (0, None)
    """
    matches = [noun_place(words(text), stems) is not None for stems in senses]
    return matches.index(True) if sum(matches) == 1 else None
