"""Sentences with terms of the glossary and words of the reader, as spans that are only ever set as text."""

from __future__ import annotations

import re

from mha.glossary import glossary

Span = tuple[str, ...]
_TERM = re.compile(r"\[\[([^\]|]+)(?:\|([^\]]+))?\]\]")
_WORD = re.compile(r"\*([^*]+)\*")


def spans(template: str) -> list[Span]:
    """Return a caption as spans ["plain", text] and ["term", text, entry of the glossary].

    >>> spans("Rows are [[queries|query]].")
    [('plain', 'Rows are '), ('term', 'queries', 'query'), ('plain', '.')]

    Raises:
        KeyError: a term is not in the glossary.
    """
    found: list[Span] = []
    end = 0
    for match in _TERM.finditer(template):
        text, entry = match[1], match[2] or match[1]
        if entry not in glossary():
            raise KeyError(f"{entry!r} is not in docs/glossary.md")
        found += [("plain", template[end : match.start()]), ("term", text, entry)]
        end = match.end()
    return [span for span in [*found, ("plain", template[end:])] if span[1]]


def prose(text: str) -> list[Span]:
    """Return a text as spans for a caption: terms in double brackets, words between asterisks.

    >>> prose("takes *it* along")
    [('plain', 'takes '), ('word', 'it'), ('plain', ' along')]
    """
    found: list[Span] = []
    for number, part in enumerate(_WORD.split(text)):
        found += [("word", part)] if number % 2 else spans(part)
    return found
