"""The data that everything else passes around: heads, tokens, attention maps, recordings, readings.

Layer 0: knows only numpy and the errors. Arrays are always [layer, head, query, key]: rows are queries, columns keys.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import re
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from os import PathLike
from types import EllipsisType
from typing import Any, BinaryIO, ClassVar, NamedTuple

import numpy as np

from mha import outputs
from mha.errors import InputError, ShapeError
from mha.memo import memoise, short_repr
from mha.tokens import Token, axes, is_white, with_visible_breaks

ATTENTION, CONTRIBUTION = MEASURES = ("attention", "brought")  # the quantity of which a weight is a share
ORIGINS = ("toy", "trained here", "pretrained", "unknown origin", "scrambled twin", "untrained twin", "imported")
CHOICES = {"origin": ORIGINS, "kind": ("self", "cross"), "measure": MEASURES, "units": ("tokens", "words")}
ROW_SUM_SLACK = 1e-4  # float32 softmax over some hundred keys
HALF_PRECISION_SLACK = 4e-3  # the same from float16 or bfloat16 weights
PART = 2**20  # bytes of float32 weights that are worked on at once


STACK_HEAD = re.compile(r"([EeCc])([0-9]{1,3})[Hh]([0-9]{1,3})")


class HeadId(NamedTuple):
    """One head, by layer and number, both counted from zero; prints as ``L5H3``."""

    layer: int
    head: int

    def __str__(self) -> str:
        return f"L{self.layer}H{self.head}"

    @property
    def stack(self) -> str:
        """The stack, "encoder" or "cross", if it is in the name; else "", the only stack or the encoder."""
        return ""

    @property
    def run_order(self) -> tuple[bool, int, int]:
        """A key that sorts heads as they run: cross-attention follows the encoder."""
        return self.stack == "cross", self.layer, self.head

    @classmethod
    def parse(cls, name: str) -> HeadId:
        """Return the head that a name such as ``L5H3`` or ``l5h3`` means; raise InputError for anything else."""
        match = re.fullmatch(r"[Ll]([0-9]{1,3})[Hh]([0-9]{1,3})", name.strip())
        if match is None:
            raise InputError(f"A head is named like L5H3; {name[:40]!r} is not.")
        return cls(int(match[1]), int(match[2]))

    @classmethod
    def of(cls, head: tuple[int, int] | str) -> HeadId:
        """Return a head that is given by its name or by its two numbers; raise InputError as `parse`."""
        if isinstance(head, str):
            return cls.parse(head)
        try:
            layer, number = (operator.index(number) for number in head if not isinstance(number, bool))
        except (TypeError, ValueError) as error:
            raise InputError(f"A head is its name, such as L5H3, or (layer, head); {str(head)[:40]} is not.") from error
        return cls(layer, number)


class EncoderHead(HeadId):
    """A head of the encoder of an encoder–decoder; prints as ``E0H7`` and equals ``L0H7``."""

    def __str__(self) -> str:
        return f"E{self.layer}H{self.head}"

    @property
    def stack(self) -> str:
        """The encoder."""
        return "encoder"


class CrossHead(HeadId):
    """A cross-attention head of an encoder–decoder; prints as ``C1H2`` and differs from ``L1H2``."""

    def __str__(self) -> str:
        return f"C{self.layer}H{self.head}"

    @property
    def stack(self) -> str:
        """The cross-attention."""
        return "cross"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CrossHead) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__


def stack_head(head: tuple[int, int] | str) -> HeadId:
    """Return a head by its name or its two numbers, of two stacks if it is ``E0H7`` or ``C1H2``.

    >>> str(stack_head("c1h2")), stack_head("E0H7") == stack_head("L0H7"), stack_head("C0H7") == stack_head("L0H7")
    ('C1H2', True, False)

    Raises:
        InputError: as `HeadId.of`.
    """
    if isinstance(head, HeadId):
        return head
    match = STACK_HEAD.fullmatch(head.strip()) if isinstance(head, str) else None
    if match is None:
        return HeadId.of(head)
    return {"E": EncoderHead, "C": CrossHead}[match[1].upper()](int(match[2]), int(match[3]))


def piece_groups(tokens: Sequence[Token]) -> list[tuple[int, ...]]:
    """Return the runs of token positions that form one word or one run of punctuation, in order.

    A special token is a piece of its own. Adjacent punctuation marks form one piece, as in `words.split`; so do line
    breaks, which decoders read as tokens of their own.
    """
    starts = [0] if tokens else []
    for place, (first, second) in enumerate(pairwise(tokens), 1):
        if first.special or second.special or (first.segment, first.word) != (second.segment, second.word):
            starts.append(place)
        elif second.word is None and (first.end < second.start or is_white(first) != is_white(second)):
            starts.append(place)  # marks that do not touch, or a mark beside white space
    return [tuple(range(start, end)) for start, end in pairwise([*starts, len(tokens)])]


def sink_places(tokens: Sequence[Token], first: bool = False, keep: Collection[int] = ()) -> np.ndarray:
    """Return which tokens are sinks, as bool [token]: special tokens, final punctuation, and with ``first`` the first.

    The first is kept where it belongs to a word whose number is in ``keep``.
    """
    sinks = np.array([token.special for token in tokens], dtype=bool)
    for segment in {token.segment for token in tokens}:
        positions = [i for i, token in enumerate(tokens) if token.segment == segment and not token.special]
        sinks[list(takewhile(lambda position: tokens[position].punctuation, reversed(positions)))] = True
    if first and len(tokens) > 1 and (tokens[0].word is None or tokens[0].word not in keep):
        sinks[0] = True
    return sinks


def parts(weights: np.ndarray) -> Iterator[tuple[slice, slice]]:
    """Yield slices of the first two axes, layers and heads, in their order, each of about a megabyte or one head.

    Numbers computed in float64 from the maps of a long text need several times the memory of the maps, so callers
    compute them part by part. Maps of a sentence are one part.
    """
    n_layers, n_heads = weights.shape[:2]
    heads = max(1, PART * n_layers * n_heads // max(weights.nbytes, 1))
    layers = max(1, heads // max(n_heads, 1))
    for layer in range(0, n_layers, layers):
        for head in range(0, n_heads, heads):
            yield slice(layer, layer + layers), slice(head, head + heads)


@functools.lru_cache(maxsize=64)
def heads_of(n_layers: int, n_heads: int) -> tuple[HeadId, ...]:
    """Return all heads of so many layers, layer by layer."""
    return tuple(HeadId(layer, head) for layer in range(n_layers) for head in range(n_heads))


def ranked(values: np.ndarray) -> tuple[HeadId, ...]:
    """Return the heads by one number each [layer, head], the largest first; of equal ones the first."""
    order = np.argsort(-np.asarray(values, dtype=np.float64), axis=None, kind="stable")
    return tuple(HeadId(*divmod(int(place), values.shape[1])) for place in order)


WRONG_ROWS = (
    "Scores before the softmax are not weights; dropout scales them (call model.eval() first); a row is NaN if a mask "
    "hides all of its keys (pass attention_mask, or remove its row and column)."
)


@dataclass(frozen=True, eq=False)
class AttentionMaps:
    """The attention of every head of one model in one text.

    ``weights`` is float32 [layer, head, query, key]; ``maps[5, 3]``, or ``maps["L5H3"]``, is that head's [query, key].
    Tokens may be given as texts, which are understood as in `mha.from_arrays`. Each row is in [0, 1] and sums to at
    most 1: the rest of a row (models with a sink logit) is `absent_mass`, never rescaled. Weights are shares of a row's
    attention, or with another ``measure`` of its keys' contributions (`mha.contributions`).

    ``n_layers``, ``n_heads``, ``n_queries`` (rows) and ``n_keys`` (columns) are the axes of ``weights``, ``heads`` are
    all heads, layer by layer, and ``first_query`` is the key that the first row is the query of: 0, or more if maps
    have the last rows of one text alone.

    Raises:
        ShapeError: the weights do not fit the tokens, leave [0, 1], or a row sums to more than 1.
    """

    weights: np.ndarray
    tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...] = ()
    text: str = ""
    pair: str | None = None
    model: str = ""
    revision: str = ""
    origin: str = "toy"
    kind: str = "self"
    causal: bool = False
    units: str = "tokens"
    half_precision: bool = False
    measure: str = ATTENTION
    n_layers: int = field(init=False, repr=False)
    n_heads: int = field(init=False, repr=False)
    n_queries: int = field(init=False, repr=False)
    n_keys: int = field(init=False, repr=False)
    heads: tuple[HeadId, ...] = field(init=False, repr=False)
    first_query: int = field(init=False, repr=False)

    # `mha.figures` and `mha.saved` set these: a picture for a notebook by media type, and the writer of files.
    portrait: ClassVar[Callable[[AttentionMaps], dict[str, str]] | None] = None
    writer: ClassVar[Callable[[AttentionMaps, str | PathLike[str] | BinaryIO], None]]

    __repr__ = short_repr

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        draw = type(self).portrait
        return {} if draw is None else draw(self)

    def _repr_html_(self) -> str | None:
        return self._repr_mimebundle_().get("text/html")

    def _ipython_display_(self) -> None:
        outputs.publish(outputs.static(self._repr_mimebundle_()))

    def __post_init__(self) -> None:
        weights = np.asarray(self.weights, dtype=np.float32).view()
        weights.setflags(write=False)
        tokens = tuple(self.tokens)
        keys = tuple(self.key_tokens) or tokens
        self.__dict__.update(weights=weights, tokens=tokens, key_tokens=keys)
        if any(isinstance(token, str) for token in (*tokens, *keys)):
            tokens, keys, text, pair = axes(tokens, () if keys is tokens else keys, self.text)
            self.__dict__.update(tokens=tokens, key_tokens=keys, text=text, pair=self.pair or pair)
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise InputError(f"The {name} of maps must be one of {', '.join(choices)}; it is {str(value)[:40]!r}.")
        n_queries, n_keys = len(self.tokens), len(self.key_tokens)
        if self.weights.ndim != 4 or self.weights.shape[2:] != (n_queries, n_keys):
            raise ShapeError(f"Weights must be [layer, head, {n_queries}, {n_keys}]; they are {self.weights.shape}.")
        n_layers, n_heads = self.weights.shape[:2]
        first_query = n_keys - n_queries if self.kind == "self" else 0
        self.__dict__.update(n_layers=n_layers, n_heads=n_heads, n_queries=n_queries, n_keys=n_keys)
        self.__dict__.update(heads=heads_of(n_layers, n_heads), first_query=first_query)
        limit = 1 + (HALF_PRECISION_SLACK if self.half_precision else ROW_SUM_SLACK)
        sums = np.einsum("lhqk->lhq", self.weights)  # with no weight below 0, sums bound the weights too
        if self.weights.size and not (self.weights.min() >= 0 and sums.max() <= limit):
            is_wrong = ~((self.weights.min(axis=-1) >= 0) & (sums <= limit))  # NaN is wrong, too
            layer, head, query = np.argwhere(is_wrong)[0].tolist()
            row = self.weights[layer, head, query]
            raise ShapeError(
                "Attention weights must lie between 0 and 1, and a row of them may sum to 1 at most; row "
                f"{query} ({self.tokens[query].text[:40]!r}) of {HeadId(layer, head)} has weights from "
                f"{row.min():.4g} to {row.max():.4g} and sums to {sums[layer, head, query]:.6g}. {WRONG_ROWS}"
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.weights.setflags(write=False)  # a copy's array, and one out of a pickle, could be written into

    def __getitem__(self, head: tuple[int, int] | str) -> np.ndarray:
        layer, number = HeadId.of(head)
        if not (0 <= layer < self.n_layers and 0 <= number < self.n_heads):
            raise InputError(
                f"{self.model or 'This model'} has heads L0H0 to {HeadId(self.n_layers - 1, self.n_heads - 1)}; "
                f"you asked for L{layer}H{number}."
            )
        return self.weights[layer, number]

    def save(self, file: str | PathLike[str] | BinaryIO) -> None:
        """Write the maps to a NumPy archive, bit for bit; `load_maps` reads it back, and so does ``numpy.load``."""
        type(self).writer(self, file)

    @property
    def shape(self) -> tuple[int, ...]:
        """Layers, heads, rows and columns."""
        return self.weights.shape

    @property
    def visible(self) -> np.ndarray:
        """Which keys each query may look at, as bool [query, key]: all, or those up to itself under a causal mask."""
        everything = np.ones((self.n_queries, self.n_keys), dtype=bool)
        return np.tril(everything, self.first_query) if self.causal and self.kind == "self" else everything

    def check_every_row(self) -> None:
        """Raise InputError if maps have the last rows of a text alone, for results that need a row for every token."""
        if self.first_query:
            raise InputError(
                f"This needs a row for every token; these maps have the last {self.n_queries} of {self.n_keys} rows. "
                "mha.head_statistics and mha.head_heatmap take such maps."
            )

    @property
    def absent_mass(self) -> np.ndarray:
        """The mass that each row lacks to 1, as float32 [layer, head, query]; rounding noise counts as none."""
        slack = HALF_PRECISION_SLACK if self.half_precision else ROW_SUM_SLACK
        missing = 1 - self.weights.sum(axis=-1, dtype=np.float64)
        return np.where(missing > slack, missing, 0).astype(np.float32)

    def merged(self) -> AttentionMaps:
        """Return the same maps with words and punctuation as axes instead of tokens.

        Weight to a piece is the sum over its tokens, weight from a piece the mean over its tokens, so that rows still
        sum to 1. Source: Clark et al. 2019, section 4.1. Merged maps return themselves. The result is cached weakly:
        it is the same object as long as a caller keeps it.
        """
        if self.units == "words":
            return self
        word_maps = _merged_maps.get(self, lambda: None)()
        if word_maps is None:
            axes = self.merged_axes()
            weights = np.empty((self.n_layers, *axes.weights.shape[1:]), dtype=np.float32)
            for part in parts(self.weights):
                weights[part] = self.merged_weights(part)
            word_maps = dataclasses.replace(axes, weights=weights)
            _merged_maps[self] = weakref.ref(word_maps)
        return word_maps

    @functools.cached_property
    def _groups(self) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """`piece_groups` of the rows, and of the columns."""
        keys = piece_groups(self.key_tokens)
        return keys if self.key_tokens is self.tokens else piece_groups(self.tokens), keys

    @memoise
    def merged_axes(self) -> AttentionMaps:
        """Return `merged` maps without layers: tokens and texts, without the cost of merging weights."""
        if self.units == "words":
            return dataclasses.replace(self, weights=self.weights[:0])
        queries, keys = self._groups
        pieces = key_pieces = self._pieces(self.key_tokens, keys)
        if self.first_query:  # the first of the last rows may begin inside a word and has the name of that word
            pieces = key_pieces[-len(queries) :]
        elif self.key_tokens is not self.tokens:
            pieces = self._pieces(self.tokens, queries)
        weights = np.empty((0, self.n_heads, len(pieces), len(key_pieces)), dtype=np.float32)
        return dataclasses.replace(self, weights=weights, tokens=pieces, key_tokens=key_pieces, units="words")

    def merged_weights(
        self, part: tuple[slice, slice] | EllipsisType = ..., rows: Sequence[int] | None = None
    ) -> np.ndarray:
        """Return weights of `merged` for some layers and heads, or for some rows, float32 [layer, head, row, piece]."""
        if self.units == "words":
            return self.weights[part] if rows is None else self.weights[part][:, :, list(rows)]
        queries, keys = self._groups
        weights = self.weights[part]
        if rows is not None:
            queries = [queries[row] for row in rows]
            weights = weights[:, :, [position for group in queries for position in group]]
        sums = _sum_groups(_sum_groups(weights, keys, axis=-1), queries, axis=-2)
        sums /= np.array([len(group) for group in queries])[:, None]
        return np.clip(sums, 0, 1, out=sums).astype(np.float32)

    def _pieces(self, tokens: Sequence[Token], groups: list[tuple[int, ...]]) -> tuple[Token, ...]:
        pieces = []
        for group in groups:
            first, end = tokens[group[0]], max(tokens[position].end for position in group)
            source = (self.pair or "") if first.segment else self.text
            text = (first.text if first.special else with_visible_breaks(source[first.start : end])) or "".join(
                tokens[position].text for position in group
            )
            pieces.append(dataclasses.replace(first, text=text, raw=text, end=end))
        return tuple(pieces)


_merged_maps: weakref.WeakKeyDictionary[AttentionMaps, weakref.ref[AttentionMaps]] = weakref.WeakKeyDictionary()


def _sum_groups(weights: np.ndarray, groups: Sequence[tuple[int, ...]], axis: int) -> np.ndarray:
    """Return the sums over consecutive groups on one axis, float64.

    Most groups have one member: taking the first members and adding the second, third … of longer groups is up to
    seven times as fast as `numpy.add.reduceat`.
    """
    sizes = np.array([len(group) for group in groups], dtype=int)
    firsts = np.cumsum(sizes) - sizes
    sums = weights.take(firsts, axis=axis).astype(np.float64, copy=False)
    totals, members = sums.swapaxes(axis, 0), weights.swapaxes(axis, 0)
    for offset in range(1, sizes.max(initial=1)):
        longer = np.flatnonzero(sizes > offset)
        totals[longer] += members[firsts[longer] + offset]
    return sums


@dataclass(frozen=True)
class Layout:
    """How the heads of one stack are laid out.

    ``n_groups`` is the number of sets of keys and values: under grouped-query attention neighbouring query heads share
    one (head h uses h · n_groups // n_heads), otherwise each has its own. ``windows`` has for each layer how many
    tokens away a key must be to be out of reach, or None if the layer sees everything that the mask allows.
    """

    n_heads: int
    n_groups: int
    windows: tuple[int | None, ...] = ()


@dataclass(frozen=True, eq=False)
class Recording:
    """The record of one forward pass.

    ``stacks`` names each group of attention layers: "self", or "encoder", "decoder" and "cross"; each is float32
    [layer, head, query, key]. ``query``, ``key``, ``value`` are [layer, head, token, d_head] and ``hidden``
    [block, token, d_model] (block 0 = embeddings); each is None unless it was requested or kept anyway.
    ``read`` and ``written`` are the tokens of a decoder that has an encoder: row n of "decoder" and "cross" has read
    ``read[n]`` and writes ``written[n]``; both are in ``target`` (segment 1). ``layouts`` has the `Layout` of each
    stack that was reached through the recording attention function. ``notes`` has one plain sentence for each cut of
    the text.
    """

    maps: AttentionMaps
    stacks: dict[str, np.ndarray] = field(default_factory=dict)
    query: np.ndarray | None = None
    key: np.ndarray | None = None
    value: np.ndarray | None = None
    hidden: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    read: tuple[Token, ...] = ()
    written: tuple[Token, ...] = ()
    target: str = ""
    layouts: dict[str, Layout] = field(default_factory=dict)

    __repr__ = short_repr

    def attention(
        self,
        stack: str = "self",
        tokens: Sequence[str | Token] | None = None,
        key_tokens: Sequence[str | Token] | None = None,
    ) -> AttentionMaps:
        """Return one stack as maps; tokens default to those of the recorded text, or to plain positions.

        The decoder's axis has the tokens that it has read. Rows of cross-attention are named by the token to be
        written; its columns are the source.

        Raises:
            InputError: the stack is unknown; the message lists the recorded stacks.
        """
        if stack not in self.stacks:
            raise InputError(f"This recording has {', '.join(self.stacks)}; there is no {stack!r}.")
        weights = self.stacks[stack]
        target_tokens = {"decoder": self.read, "cross": self.written}.get(stack, ())
        queries: Any = tuple(
            tokens or target_tokens or _tokens_for(self.maps.tokens, weights.shape[2])
        )  # texts, or tokens
        keys: Any = tuple(key_tokens or queries)
        if stack == "cross" and not key_tokens:  # of the encoder that ran, or of states that the caller passed
            source = self.maps.tokens if "encoder" in self.stacks else ()
            keys = _tokens_for(source, weights.shape[3])
        return dataclasses.replace(
            self.maps,
            weights=weights,
            tokens=queries,
            key_tokens=keys,
            pair=self.target if target_tokens else self.maps.pair,
            kind="cross" if stack == "cross" else "self",
            causal=stack == "decoder" or (stack == "self" and self.maps.causal),
        )


def _tokens_for(tokens: tuple[Token, ...], count: int) -> tuple[Token, ...]:
    """Return the tokens if there are so many, else numbers."""
    if len(tokens) == count:
        return tokens
    return tuple(Token(str(position), raw=str(position), word=position) for position in range(count))


def maps_of(given: AttentionMaps | Recording) -> AttentionMaps:
    """Return maps as they are, and of a recording its own, for public functions that take either.

    Raises:
        InputError: it is neither.
    """
    maps = given.maps if isinstance(given, Recording) else given
    if not isinstance(maps, AttentionMaps):
        raise InputError(
            f"Maps are asked for, as mha.attend returns them, or a recording; this is a {type(given).__name__}."
        )
    return maps


@dataclass(frozen=True)
class Reading:
    """One way to take an ambiguous text: the words it joins.

    ``links`` are pairs (ambiguous word, candidate) of word numbers, or of words that occur once in the text; ``cue`` is
    the word that decides, if there is one.
    """

    name: str
    links: tuple[tuple[int | str, int | str], ...]
    cue: int | str | None = None

    def __post_init__(self) -> None:
        try:
            links = tuple((pivot, partner) for pivot, partner in self.links)
        except (TypeError, ValueError):
            links = ()
        if not links or any(pivot == partner for pivot, partner in links):
            raise InputError(
                f"The links of the reading {str(self.name)[:40]!r} must be a list of pairs (ambiguous word, candidate) "
                f"of different words; they are {str(self.links)[:80]}."
            )
        object.__setattr__(self, "links", links)


def readings_of(given: Any) -> tuple[Reading, Reading]:
    """Return two readings as they are, and of what `mha.propose` suggests its own, for functions that take either.

    Raises:
        InputError: it is neither.
    """
    readings = getattr(given, "readings", given)
    if not isinstance(readings, tuple | list) or [isinstance(reading, Reading) for reading in readings] != [True, True]:
        raise InputError(
            f"Two readings are compared, A and B, or one of what mha.propose returns; not {str(given)[:80]}."
        )
    return readings[0], readings[1]
