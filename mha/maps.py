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
from itertools import pairwise
from os import PathLike
from typing import Any, BinaryIO, ClassVar, NamedTuple

import numpy as np

from mha import outputs
from mha.brief import brief
from mha.errors import InputError, ShapeError
from mha.tokens import Token, axes, is_white, with_visible_breaks

ATTENTION, BROUGHT = MEASURES = ("attention", "brought")  # what a weight is a share of
ORIGINS = ("toy", "trained here", "pretrained", "unknown origin", "scrambled twin", "untrained twin", "imported")
CHOICES = {"origin": ORIGINS, "kind": ("self", "cross"), "measure": MEASURES, "units": ("tokens", "words")}
ROW_SUM_SLACK = 1e-4  # float32 softmax over some hundred keys
PART = 4 * 2**20  # bytes of float32 weights that are worked on at once
SMALL_PART = PART // 4  # where each takes three copies besides
MOSTLY_ONE = 0.8  # of as many groups as this share of the tokens, most are of one
HALF_PRECISION_SLACK = 4e-3  # the same from float16 or bfloat16 weights


class HeadId(NamedTuple):
    """One head, by layer and number, both counted from zero; prints as ``L5H3``."""

    layer: int
    head: int

    def __str__(self) -> str:
        return f"L{self.layer}H{self.head}"

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
            layer, number = (operator.index(one) for one in head if not isinstance(one, bool))
        except (TypeError, ValueError) as error:
            raise InputError(f"A head is its name, such as L5H3, or (layer, head); {str(head)[:40]} is not.") from error
        return cls(layer, number)


# Weights are divided by the share that dropout keeps, so up to twice as large where it drops half of them.
DROPOUT = " Dropout does that where a model is in training mode: call model.eval() first."


def piece_groups(tokens: Sequence[Token]) -> list[tuple[int, ...]]:
    """Return the runs of token positions that form one word or one run of punctuation, in order.

    Special tokens stand alone. Punctuation marks that touch each other form one piece, as in `words.split`; so do line
    breaks, which decoders read as tokens of their own.
    """
    groups: list[list[int]] = []
    for position, token in enumerate(tokens):
        previous = tokens[position - 1] if position else None
        if previous is not None and _same_piece(previous, token):
            groups[-1].append(position)
        else:
            groups.append([position])
    return [tuple(group) for group in groups]


def _same_piece(left: Token, right: Token) -> bool:
    if left.special or right.special or left.segment != right.segment or left.word != right.word:
        return False
    return right.word is not None or (left.end >= right.start and is_white(left) == is_white(right))


def sink_places(tokens: Sequence[Token], first: bool = False, keep: Collection[int] = ()) -> np.ndarray:
    """Return which tokens are sinks, as bool [token]: special tokens, final punctuation, and with ``first`` the first.

    The first is kept where it belongs to a word whose number is in ``keep``.
    """
    sinks = np.array([token.special for token in tokens], dtype=bool)
    for segment in {token.segment for token in tokens}:
        for position in reversed(
            [i for i, token in enumerate(tokens) if token.segment == segment and not token.special]
        ):
            if not tokens[position].punctuation:
                break
            sinks[position] = True
    if first and len(tokens) > 1 and (tokens[0].word is None or tokens[0].word not in keep):
        sinks[0] = True
    return sinks


def parts(weights: np.ndarray) -> Iterator[slice]:
    """Yield slices of the first axis, each of a few megabytes.

    What is computed in float64 from the maps of a long text goes part by part: whole, it would take several times the
    memory of the maps. Maps of a sentence are one part.
    """
    step = max(1, PART * len(weights) // max(weights.nbytes, 1))
    for start in range(0, len(weights), step):
        yield slice(start, start + step)


def small_parts(weights: np.ndarray) -> Iterator[tuple[slice, slice]]:
    """Yield slices of the first two axes, layers and heads, each of about a megabyte or one head."""
    n_layers, n_heads = weights.shape[:2]
    heads = max(1, SMALL_PART * n_layers * n_heads // max(weights.nbytes, 1))
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


@dataclass(frozen=True, eq=False)
class AttentionMaps:
    """Where every head of one model looks in one text.

    ``weights`` is float32 [layer, head, query, key]; ``maps[5, 3]``, or ``maps["L5H3"]``, is that head's [query, key].
    Tokens may be given as texts, which are understood as in `mha.from_arrays`. Each row is in [0, 1] and sums to at
    most 1: what a row lacks (models with a sink logit) is `absent_mass`, never rescaled. Weights are shares of a row's
    attention, or by ``measure`` of what its keys bring it (`mha.brought`).

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

    # As a notebook shows it, by the form of the output, and what writes it: set by who knows figures, and files.
    portrait: ClassVar[Callable[[AttentionMaps], dict[str, str]] | None] = None
    writer: ClassVar[Callable[[AttentionMaps, str | PathLike[str] | BinaryIO], None] | None] = None

    __repr__ = brief

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
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "tokens", tuple(self.tokens))
        object.__setattr__(self, "key_tokens", tuple(self.key_tokens) or self.tokens)
        if any(isinstance(token, str) for token in (*self.tokens, *self.key_tokens)):
            self._name_tokens()
        self._check()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.weights.setflags(write=False)  # a copy's array, and one out of a pickle, could be written into

    def _name_tokens(self) -> None:
        """Make tokens of those that were given as texts, in the text that they spell unless it is told."""
        columns = () if self.key_tokens is self.tokens else self.key_tokens
        tokens, keys, text, pair = axes(self.tokens, columns, self.text)
        named = {"tokens": tokens, "key_tokens": keys, "text": text, "pair": self.pair or pair}
        for name, value in named.items():
            object.__setattr__(self, name, value)

    def _check(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise InputError(f"The {name} of maps must be one of {', '.join(choices)}; it is {str(value)[:40]!r}.")
        expected = ("layer", "head", len(self.tokens), len(self.key_tokens))
        if self.weights.ndim != 4 or self.weights.shape[2:] != expected[2:]:
            raise ShapeError(
                f"Weights must be [layer, head, {expected[2]}, {expected[3]}]; they are {self.weights.shape}."
            )
        slack = HALF_PRECISION_SLACK if self.half_precision else ROW_SUM_SLACK
        if self.weights.size == 0:
            return
        sums = np.einsum("lhqk->lhq", self.weights)  # with no weight below 0, sums bound the weights too
        if not self.weights.min() >= 0 or not sums.max() <= 1 + slack:
            raise ShapeError(self._wrong_row(sums, slack))

    def _wrong_row(self, sums: np.ndarray, slack: float) -> str:
        """Return a sentence about the first row that is no share of attention; ``sums`` are [layer, head, query]."""
        least, most = self.weights.min(axis=-1), self.weights.max(axis=-1)  # [layer, head, query]
        outside = ~((least >= 0) & (most <= 1 + slack))
        layer, head, query = np.argwhere(outside if outside.any() else ~(sums <= 1 + slack))[0]
        token = self.tokens[query]
        row = f"row {query} ({token.text[:40]!r}) of {HeadId(int(layer), int(head))}"
        if np.isnan(sums[layer, head, query]):
            return (
                f"Attention weights must lie between 0 and 1; {row} is not a number (NaN). Softmax makes a row NaN if "
                "a mask hides all of its keys. Such a token is dropped as padding if its name is [PAD] or "
                "attention_mask is 0, and no other token attends to it; otherwise remove its row and column."
            )
        dropped = DROPOUT if not least.min() < 0 and sums.max() <= 2 else ""
        if outside.any():
            furthest = least if least[layer, head, query] < 0 else most
            number = furthest[layer, head, query]
            scores = " Scores before the softmax are no weights." if not dropped else ""
            return f"Attention weights must lie between 0 and 1; {row} has {number:.4g}.{dropped or scores}"
        total = sums[layer, head, query]
        return f"A row of attention weights may sum to 1 at most; one sums to {total:.4f}, {row}.{dropped}"

    def __getitem__(self, head: tuple[int, int] | str) -> np.ndarray:
        layer, number = HeadId.of(head)
        if not (0 <= layer < self.n_layers and 0 <= number < self.n_heads):
            last = HeadId(self.n_layers - 1, self.n_heads - 1)
            raise InputError(f"{self.model or 'This model'} has heads L0H0 to {last}; you asked for L{layer}H{number}.")
        return self.weights[layer, number]

    def save(self, file: str | PathLike[str] | BinaryIO) -> None:
        """Write the maps to a NumPy archive, bit for bit; `load_maps` reads it back, and so does ``numpy.load``."""
        write = type(self).writer
        assert write is not None, "who imports mha.saved can write maps"
        write(self, file)

    @property
    def shape(self) -> tuple[int, ...]:
        """Layers, heads, rows and columns."""
        return self.weights.shape

    @property
    def n_layers(self) -> int:
        """Number of layers."""
        return self.weights.shape[0]

    @property
    def n_heads(self) -> int:
        """Number of heads in each layer."""
        return self.weights.shape[1]

    @property
    def n_queries(self) -> int:
        """Number of rows."""
        return self.weights.shape[2]

    @property
    def n_keys(self) -> int:
        """Number of columns."""
        return self.weights.shape[3]

    @property
    def heads(self) -> tuple[HeadId, ...]:
        """All heads, layer by layer."""
        return heads_of(self.n_layers, self.n_heads)

    @property
    def visible(self) -> np.ndarray:
        """Which keys each query may look at, as bool [query, key]: all, or those up to itself under a causal mask."""
        everything = np.ones((self.n_queries, self.n_keys), dtype=bool)
        return np.tril(everything, self.first_query) if self.causal and self.kind == "self" else everything

    @property
    def first_query(self) -> int:
        """The key that the first row is the query of: 0, or more if maps have the last rows of one text alone."""
        return self.n_keys - self.n_queries if self.kind == "self" else 0

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
        sum to 1. Source: Clark et al. 2019, section 4.1. Maps that are merged already come back unchanged, and while
        somebody keeps what was merged, it is not made again.
        """
        if self.units == "words":
            return self
        known = _merged_before.get(self)
        found = known() if known is not None else None
        if found is None:
            found = self._merged()
            _merged_before[self] = weakref.ref(found)
        return found

    def _merged(self) -> AttentionMaps:
        queries, keys = self._groups
        weights = np.empty((self.n_layers, self.n_heads, len(queries), len(keys)), dtype=np.float32)
        for some in small_parts(self.weights):
            weights[some] = _joined(self.weights[some], queries, keys)
        return dataclasses.replace(self.merged_axes(), weights=weights)

    @functools.cached_property
    def _groups(self) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """`piece_groups` of the rows, and of the columns."""
        queries = piece_groups(self.tokens)
        return queries, queries if self.key_tokens is self.tokens else piece_groups(self.key_tokens)

    def merged_axes(self) -> AttentionMaps:
        """Return `merged` maps of no layer: their axes alone, which cost nothing."""
        if self.units == "words":
            return dataclasses.replace(self, weights=self.weights[:0])
        queries, keys = self._groups
        same = self.key_tokens is self.tokens
        key_pieces = () if same else self._pieces(self.key_tokens, keys)
        # the first of the last rows may begin inside of a word, whose name it has
        pieces = key_pieces[-len(queries) :] if self.first_query else self._pieces(self.tokens, queries)
        return dataclasses.replace(
            self,
            weights=np.empty((0, self.n_heads, len(queries), len(keys)), dtype=np.float32),
            tokens=pieces,
            key_tokens=key_pieces or pieces,
            units="words",
        )

    def merged_some(self, some: tuple[slice, slice]) -> np.ndarray:
        """Return weights as `merged` has them, of some layers and heads alone: [layer, head, piece, piece]."""
        known = _merged_before.get(self)
        found = self if self.units == "words" else known() if known is not None else None
        if found is not None:
            return found.weights[some]
        return _joined(self.weights[some], *self._groups).astype(np.float32)

    def merged_rows(self, places: Sequence[int]) -> np.ndarray:
        """Return some rows of the `merged` maps alone, as float32 [layer, head, place, piece]."""
        if self.units == "words":
            return self.weights[:, :, list(places)]
        every, keys = self._groups
        tokens = [token for place in places for token in every[place]]
        ends = np.cumsum([0, *(len(every[place]) for place in places)]).tolist()
        queries = [tuple(range(start, end)) for start, end in pairwise(ends)]
        return _joined(self.weights[:, :, tokens], queries, keys).astype(np.float32)

    def _pieces(self, tokens: Sequence[Token], groups: list[tuple[int, ...]]) -> tuple[Token, ...]:
        pieces = []
        for group in groups:
            first = tokens[group[0]]
            start, end = first.start, max(tokens[position].end for position in group)
            source = (self.pair or "") if first.segment else self.text
            text = first.text if first.special else with_visible_breaks(source[start:end])
            text = text or "".join(tokens[position].text for position in group)
            pieces.append(dataclasses.replace(first, text=text, raw=text, end=end))
        return tuple(pieces)


_merged_before: weakref.WeakKeyDictionary[AttentionMaps, weakref.ref[AttentionMaps]] = weakref.WeakKeyDictionary()


def _joined(weights: np.ndarray, queries: Sequence[tuple[int, ...]], keys: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Return weights [layer, head, token, token] by groups of neighbours, float64 [layer, head, group, group].

    Weight to a group is the sum over its tokens, weight from one the mean.
    """
    sums = _summed(_summed(weights, keys, axis=-1), queries, axis=-2)
    sums /= np.array([len(group) for group in queries])[:, None]
    return np.clip(sums, 0, 1, out=sums)


def _summed(weights: np.ndarray, groups: Sequence[tuple[int, ...]], axis: int) -> np.ndarray:
    """Return the sums over groups of neighbours on one of the last two axes, float64.

    Where nearly all groups are of one, it is three times as fast to take those, and to add to the others.
    """
    firsts = [group[0] for group in groups]
    if len(groups) < MOSTLY_ONE * weights.shape[axis]:
        return np.add.reduceat(weights.astype(np.float64, order="C", copy=False), firsts, axis=axis)
    sums = weights.take(firsts, axis=axis).astype(np.float64, copy=False)
    for more in range(1, max(map(len, groups), default=1)):
        longer = [place for place, group in enumerate(groups) if len(group) > more]
        which = (..., longer) if axis == -1 else (..., longer, slice(None))
        sums[which] += weights.take([groups[place][more] for place in longer], axis=axis)
    return sums


@dataclass(frozen=True)
class Layout:
    """How the heads of one stack are laid out.

    ``n_groups`` is how many sets of keys and values there are: under grouped-query attention several query heads share
    one (`group_of`), otherwise each has its own. ``windows`` has for each layer how many tokens away a key must be to
    be out of reach, or None where the layer sees everything that the mask allows.
    """

    n_heads: int
    n_groups: int
    windows: tuple[int | None, ...] = ()

    def group_of(self, head: int) -> int:
        """Return the number of the keys and values that a head uses."""
        return head * self.n_groups // self.n_heads


@dataclass(frozen=True, eq=False)
class Recording:
    """What one forward pass showed.

    ``stacks`` names each group of attention layers: "self", or "encoder", "decoder" and "cross"; each is float32
    [layer, head, query, key]. ``query``, ``key``, ``value`` are [layer, head, token, d_head] and ``hidden``
    [block, token, d_model] (block 0 = embeddings); each is None unless it was asked for, or kept all the same.
    ``read`` and ``written`` are the tokens of a decoder beside an encoder: row n of "decoder" and "cross" has read
    ``read[n]`` and writes ``written[n]``; both stand in ``target`` (segment 1). ``layouts`` has the `Layout` of each
    stack that was reached through the recording attention function. ``notes`` has one plain sentence for each thing
    that was cut from the text.
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

    __repr__ = brief

    def attention(
        self,
        stack: str = "self",
        tokens: Sequence[str | Token] | None = None,
        key_tokens: Sequence[str | Token] | None = None,
    ) -> AttentionMaps:
        """Return one stack as maps; tokens default to those of the recorded text, or to plain positions.

        The decoder's axis is what it has read. Rows of cross-attention are named by the token that is to be written,
        since that is what they look for; its columns are the source.

        Raises:
            InputError: there is no such stack; the message lists those there are.
        """
        if stack not in self.stacks:
            raise InputError(f"This recording has {', '.join(self.stacks)}; there is no {stack!r}.")
        weights = self.stacks[stack]
        own = {"decoder": self.read, "cross": self.written}.get(stack) or None
        queries: Any = tuple(tokens or own or self._tokens_for(weights.shape[2]))  # texts become tokens in the maps
        keys: Any = tuple(key_tokens) if key_tokens is not None else None
        if keys is None:
            keys = queries if stack != "cross" else self._tokens_for(weights.shape[3])
        return dataclasses.replace(
            self.maps,
            weights=weights,
            tokens=queries,
            key_tokens=keys,
            pair=self.target if own else self.maps.pair,
            kind="cross" if stack == "cross" else "self",
            causal=stack == "decoder" or (stack == "self" and self.maps.causal),
        )

    def _tokens_for(self, count: int) -> tuple[Token, ...]:
        if len(self.maps.tokens) == count:
            return self.maps.tokens
        return tuple(Token(str(position), raw=str(position), word=position) for position in range(count))


def maps_of(given: AttentionMaps | Recording) -> AttentionMaps:
    """Return maps as they are, and of a recording its own, for public functions that take either.

    Raises:
        InputError: it is neither.
    """
    maps = given.maps if isinstance(given, Recording) else given
    if not isinstance(maps, AttentionMaps):
        kind = type(given).__name__
        raise InputError(f"Maps are asked for, as mha.attend returns them, or a recording; this is a {kind}.")
    return maps


@dataclass(frozen=True)
class Reading:
    """One way to take an ambiguous text: the words it joins.

    ``links`` are pairs (pivot, partner) of word numbers, or of words that occur once in the text; ``cue`` is the
    word that decides, if there is one.
    """

    name: str
    links: tuple[tuple[int | str, int | str], ...]
    cue: int | str | None = None

    def __post_init__(self) -> None:
        try:
            links = tuple((pivot, partner) for pivot, partner in self.links)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"The links of a reading are a list of pairs (pivot, partner); not {str(self.links)[:80]}."
            ) from error
        if not links:
            raise InputError(f"The reading {self.name!r} joins no words; give it at least one pair (pivot, partner).")
        for pivot, partner in links:
            if pivot == partner:
                raise InputError(f"The reading {self.name!r} joins {pivot!r} with itself; choose two different words.")
        object.__setattr__(self, "links", links)


def readings_of(given: Any) -> tuple[Reading, Reading]:
    """Return two readings as they are, and of what `mha.propose` suggests its own, for functions that take either.

    Raises:
        InputError: it is neither.
    """
    found = getattr(given, "readings", given)
    if not isinstance(found, tuple | list) or not all(isinstance(one, Reading) for one in found) or len(found) != 2:
        raise InputError(
            f"Two readings are compared, A and B, or one of what mha.propose returns; not {str(given)[:80]}."
        )
    return found[0], found[1]
