"""One word of a link: what it may say, how it is read and written, and the one sentence for what it cannot say.

A page's words are the fields of one frozen dataclass, each made by `word`: a line is the whole of a word. From it come
the parsed value (the dataclass), the check of a link, the bound widget (`mha.ui.bound`) and the table in
`docs/link.md`. Pure: no streamlit, no model.

    @dataclass(frozen=True)
    class StepsWords(Words):
        PREFIX = "steps_"
        mask: str = word(Choice(("none", "causal")), "none", "Mask")
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

from mha.errors import LinkError
from mha.link.kinds import Choice, Heads, Kind, Labels, Number, Shape, TooLong

Query = Mapping[str, Sequence[str]]  # each word with its values, for a word may repeat


class Fix(NamedTuple):
    """What has to stand in a link in the place of a word (empty: nothing), and a complaint where one is due."""

    values: list[str]
    complaint: str = ""


@dataclass(frozen=True, eq=False)
class Word:
    """One word of the link: ``name`` stands in the address, ``field`` holds its value; None and () are automatic.

    ``label`` and ``help`` are its widget's, ``placeholder`` what that shows while empty; ``instead`` says what an
    automatic word does, ``values`` what the table of words says where the kind does not say it all.
    """

    kind: Kind
    default: Any
    label: str
    about: str = ""
    instead: str = ""
    placeholder: str = ""
    help: str = ""
    values: str = ""
    name: str = ""
    field: str = ""

    @property
    def automatic(self) -> bool:
        """Whether the app chooses while nothing is said."""
        return self.default is None or self.default == ()

    @property
    def written_default(self) -> str:
        """The default as the link would say it; of an automatic word what happens then."""
        return self.instead or self.write(self.default)[0] or "none"

    def write(self, value: Any) -> list[str]:
        """Return the values that say this in a link."""
        return [""] if value is None else self.kind.write(value)

    def read(self, values: Sequence[str], shape: Shape) -> tuple[Any, str]:
        """Return what the values say, else what is taken instead; and a sentence ("" if all is well). Never raises."""
        if not any(values) and (self.automatic or isinstance(self.kind, Number)):
            return self.default, ""
        if not self.kind.many and len(set(values)) > 1:
            value, complaint = self.read(values[-1:], shape)
            return value, complaint or self._complaint("it appears more than once", "the last one")
        try:
            return self.kind.read(values, shape), ""
        except TooLong as error:
            return error.kept, self._complaint(error, f"the first {len(error.kept):,}")
        except LinkError as error:
            complaint = self._complaint(error, self.written_default)
            return self.default, f"{complaint} {self.kind.refusal_reason(values[-1])}".rstrip()

    def fix(self, values: Sequence[str], shape: Shape) -> Fix | None:
        """Return what has to stand there instead; None where it can stay."""
        value, complaint = self.read(values, shape)
        spelt = isinstance(self.kind, Choice | Heads | Labels)  # widgets drop another spelling without a word
        if complaint or (spelt and self.write(value) != list(values)) or (self.automatic and not any(values)):
            return Fix([] if value == self.default else self.write(value), complaint)
        return None

    def _complaint(self, what: object, instead: str) -> str:
        return f"Problem in this link: {self.name} ({what}). Showing {instead}."


def word(kind: Kind, default: Any, label: str, about: str = "", name: str = "", **more: str) -> Any:
    """Return the field of a dataclass for one word of the link; ``more`` are the rest of `Word`."""
    return field(default=default, metadata={"word": Word(kind, default, label, about, name=name, **more)})


@dataclass(frozen=True)
class Words:
    """The words of one page: a frozen dataclass of fields made by `word`. Other fields are no words of the link."""

    PREFIX: ClassVar[str] = ""

    @classmethod
    @functools.cache
    def table(cls) -> tuple[Word, ...]:
        """Return the words in their order."""
        fields = [each for each in dataclasses.fields(cls) if "word" in each.metadata]
        return tuple(
            dataclasses.replace(said, name=said.name or cls.PREFIX + each.name, field=each.name)
            for each in fields
            for said in (each.metadata["word"],)
        )

    @classmethod
    @functools.cache
    def of(cls, field: str) -> Word:
        """Return the word of a field."""
        return next(word for word in cls.table() if word.field == field)

    @classmethod
    def has(cls, name: str) -> bool:
        """Return whether a word is called so in the address."""
        return any(word.name == name for word in cls.table())

    @classmethod
    def narrowed(cls, query: Query, shape: Shape) -> Shape:
        """Return the shape as far as this page can use it, by what else the link says."""
        return shape

    @classmethod
    def read(cls, query: Query, shape: Shape) -> tuple[Self, tuple[str, ...]]:
        """Return what a link says, and one sentence for each word that cannot be. Other words are left alone."""
        shape, values, notes = cls.narrowed(query, shape), {}, []
        for word in cls.table():
            if query.get(word.name):
                values[word.field], complaint = word.read(query[word.name], shape)
                notes.append(complaint)
        return cls(**values), tuple(filter(None, notes))

    @classmethod
    def fixes(cls, query: Query, shape: Shape) -> dict[str, Fix]:
        """Return for each word that cannot stand in a link as it is what has to stand there."""
        shape = cls.narrowed(query, shape)
        found = {word.name: word.fix(query[word.name], shape) for word in cls.table() if query.get(word.name)}
        return {name: fix for name, fix in found.items() if fix is not None}

    def pairs(self) -> list[tuple[str, str]]:
        """Return the words and values of the link that says this, defaults left out."""
        said = [(word, getattr(self, word.field)) for word in self.table()]
        return [(word.name, value) for word, now in said if now != word.default for value in word.write(now)]
