"""Cut links: the weight of a head from one token to another is set to 0, and its row is rescaled to its former sum."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from mha.errors import InputError
from mha.maps import HeadId, Token, stack_head

MOST_CUTS = 4
CUT = r"([LEC]\d{1,3}H\d{1,3}):(\d{1,3})(?:\.(\d{1,3}))?-(\d{1,3})(?:\.(\d{1,3}))?"


class Cut(NamedTuple):
    """Links of one head that are cut together: from the tokens ``queries`` to the tokens ``keys``, first and last.

    Positions are of tokens as the model reads them, from 0. Prints as ``L23H4:5-4``, query before key; a word of
    several tokens is ``first.last``, as in ``L23H4:5-3.4``. Heads of an encoder–decoder are ``E0H7`` (or ``L0H7``) and
    ``C1H2``: a query of the cross-attention is a token that the decoder reads, from the start token on, and query t
    writes token t.
    """

    head: HeadId
    queries: tuple[int, int]
    keys: tuple[int, int]

    def __str__(self) -> str:
        runs = (f"{first}" if first == last else f"{first}.{last}" for first, last in (self.queries, self.keys))
        return f"{self.head}:{'-'.join(runs)}"

    @classmethod
    def of(cls, cut: Cut | str) -> Cut:
        """Return a cut that may be given by its name; raise InputError if it is not a name of one."""
        match = re.fullmatch(CUT, str(cut).strip())
        if match is None:
            raise InputError(f"A cut is written as L23H4:5-4, query before key; {str(cut)[:40]!r} is not.")
        query, last_query, key, last_key = match.groups()[1:]
        return cls(stack_head(match[1]), (int(query), int(last_query or query)), (int(key), int(last_key or key)))

    @classmethod
    def parse_all(cls, cuts: Cuts) -> tuple[Cut, ...]:
        """Return cuts that may be given by name, each once; one may be given alone."""
        return tuple(dict.fromkeys(map(cls.of, [cuts] if isinstance(cuts, str | Cut) else cuts)))

    def up_to_query(self, query: int) -> Cut:
        """Return the links from queries up to this one."""
        return self._replace(queries=(self.queries[0], min(self.queries[1], query)))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The links as pairs of a query and a key."""
        (query, last_query), (key, last_key) = self.queries, self.keys
        return [(q, k) for q in range(query, last_query + 1) for k in range(key, last_key + 1)]


Cuts = Sequence[Cut | str]


def link_name(cut: Cut, queries: Sequence[Token], keys: Sequence[Token]) -> str:
    """Return a cut by the tokens of its axes, as plain text: her → Ruth; her → the token ’s."""
    runs = ((queries, *cut.queries), (keys, *cut.keys))
    texts = ["".join(token.text for token in axis[first : last + 1]) for axis, first, last in runs]
    return " → ".join(f"{kind_of(*run)}{text.lstrip('␣') or text}" for run, text in zip(runs, texts, strict=True))


def kind_of(axis: Sequence[Token], first: int, last: int) -> str:
    """Return "the token " or "the tokens " for the name of some tokens, "" if they are whole words."""
    run = axis[first : last + 1]
    words = {token.word for token in run}
    is_whole = None not in words and [token for token in axis if token.word in words] == [*run]
    return "" if is_whole else "the token " if len(run) == 1 else "the tokens "


def cut_refusal(
    cuts: Sequence[Cut],
    n_tokens: int,
    causal: bool,
    model: str,
    ablated: Sequence[HeadId] = (),
    n_written: float = math.inf,
) -> str:
    """Return why some links cannot be cut together in a text of ``n_tokens`` tokens, or "" if they can.

    Queries of a cross-attention head are below ``n_written``.
    """
    if len(cuts) > MOST_CUTS:
        return f"At most {MOST_CUTS} links can be cut; these are {len(cuts)}."
    for cut in cuts:
        if cut.head in ablated:
            return f"{cut.head} is ablated, so cutting one of its links would change nothing: choose one of the two."
        read = cut.keys if cut.head.stack == "cross" else (*cut.queries, *cut.keys)
        if not cut.pairs or max(read) >= n_tokens:
            return f"{model} reads this text as tokens 0 to {n_tokens - 1}; there is no link {cut}."
        if cut.head.stack == "cross" and cut.queries[1] >= n_written:
            return f"{model} writes tokens 0 to {n_written - 1} here; there is no link {cut}."
        if causal and any(key > query for query, key in cut.pairs):
            return f"{model} reads from left to right, so no token attends to a later one: there is no link {cut}."
    removed = {(cut.head, *pair) for cut in cuts for pair in cut.pairs}
    for (head, query), count in Counter((head, query) for head, query, _ in removed).items():
        if count == (query + 1 if causal else n_tokens):
            return f"Token {query} would attend to nothing in {head}: leave it at least one link."
    return ""
