"""A link as a value: a page, the words of the frame, and the page's own; another choice makes another link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self
from urllib.parse import parse_qs, urlencode

from mha.link.kinds import Shape
from mha.link.pages import misspelt, words_of
from mha.link.view import View, parse, query, shape_of
from mha.link.word import Query, Word, Words


@dataclass(frozen=True)
class Link:
    """All that an address says: frozen and hashable, so that what is drawn of it can be kept under it.

    ``view`` has the words that every page has, ``own`` those of ``page``, which is the page's part of the address; a
    page that has none of its own has empty `Words`.
    """

    page: str = ""
    view: View = field(default_factory=View)
    own: Words = field(default_factory=Words)

    @classmethod
    def of(cls, page: str, query: Query, models: Mapping[str, Shape]) -> tuple[Self, tuple[str, ...]]:
        """Return what a query says to a page, and a sentence for each word that cannot be. Never raises."""
        view, complaints = parse(query, models)
        own, more = words_of(page).read(query, shape_of(query, models))
        return cls(page, view, own), (*complaints, *more, *dict.fromkeys(misspelt(query, page).values()))

    @classmethod
    def read(cls, address: str, models: Mapping[str, Shape]) -> tuple[Self, tuple[str, ...]]:
        """Return what an address says, such as ``readings?text=…``, and what in it cannot be.

        >>> str(Link.read("readings?readings_score=fills&lost=1", {"minilm": Shape("MiniLM", 6, 12)})[0])
        'readings?v=1&readings_score=fills'
        """
        page, _, query = address.partition("?")
        return cls.of(page.rpartition("/")[2], parse_qs(query, keep_blank_values=True), models)

    def with_(self, **words: Any) -> Link:
        """Return the link with other values of words, each by its name in the address.

        >>> str(Link().with_(text="Dogs bark", units="tokens"))
        '?v=1&text=Dogs+bark&units=tokens'

        Raises:
            KeyError: neither the frame nor the page has such a word.
        """
        unknown = words.keys() - self.words.keys()
        if unknown:
            raise KeyError(f"no word of this page is called {', '.join(sorted(unknown))}")
        frame, own = (
            {word.field: words[word.name] for word in said.table() if word.name in words}
            for said in (self.view, self.own)
        )
        return replace(self, view=replace(self.view, **frame), own=replace(self.own, **own))

    @property
    def words(self) -> Mapping[str, Word]:
        """The words of the frame and of its page, by their names in the address."""
        return {word.name: word for word in (*self.view.table(), *self.own.table())}

    def says(self, name: str) -> Any:
        """Return what it says of a word, by its name in the address."""
        return getattr(self.own if self.own.has(name) else self.view, self.words[name].field)

    def pairs(self) -> list[tuple[str, str]]:
        """Return the words and values of the address, ``v`` first, defaults left out."""
        return [*query(self.view), *self.own.pairs()]

    def __str__(self) -> str:
        return f"{self.page}?{urlencode(self.pairs())}"
