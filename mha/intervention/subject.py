"""A loaded model as experiments see it: the stack whose heads are changed, and the blocks that a text passes."""

import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from mha.analysis.readings import Readings, positions_of_readings, word_position
from mha.errors import AttentionUnavailable, InputError
from mha.maps import AttentionMaps, CrossHead, HeadId, Reading, Token, heads_of, readings_of, stack_head
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.anatomy import anatomy
from mha.models.watch.attending import record_text
from mha.models.watch.attention import NAME
from mha.models.watch.recording import listening
from mha.models.watch.tokens import Encoded, encode
from mha.words import accept, words

PROBE = "Good morning."
MINILM = 6 * 384**2  # layers × width²: by which the size of models is compared


@dataclass(frozen=True, eq=False)
class Subject:
    """One model under experiment, with properties measured by running it.

    ``model`` is the transformers model itself, ``name`` its name in sentences. ``stack`` is the one whose heads are
    changed: "self", or "encoder" where there is a decoder too; ``n_layers`` and ``n_heads`` are its own, and ``causal``
    is true if words see only earlier ones. ``cross`` is the number of layers and heads of an encoder–decoder's
    cross-attention, which are changed, too. ``heads`` and ``cross_heads`` are all heads of either, layer by layer.
    ``block_layers`` names the blocks that a text passes, with how many attention layers run in each (nearly always
    one); ``feed_forward_outputs`` the last matrix of each block's feed-forward part, or None if it is not found, if a
    block has further parts (experts, convolutions), or if a layer without attention is the last one.
    """

    loaded: LoadedModel
    model: Any
    name: str
    stack: str
    n_layers: int
    n_heads: int
    causal: bool
    heads: tuple[HeadId, ...]
    cross: tuple[int, int]
    cross_heads: tuple[CrossHead, ...]
    block_layers: tuple[tuple[str, int], ...] = ()
    feed_forward_outputs: tuple[str, ...] | None = None

    @cached_property
    def size(self) -> float:
        """How much work a token is, in MiniLM's: layers × width², which nearly all of a pass grows with."""
        width = self.model.get_input_embeddings().weight.shape[1]
        return float(self.n_layers * width**2 / MINILM)

    @property
    def body(self) -> Any:
        """The part of the model that runs a text up to the last hidden states."""
        return self.model.get_encoder() if self.stack == "encoder" else self.model.base_model

    @cached_property
    def spans(self) -> dict[int, int]:
        """How many attention layers run in each block, by the block's identity."""
        return {id(self.body.get_submodule(name)): span for name, span in self.block_layers}

    @cached_property
    def blocks(self) -> tuple[Any, ...]:
        """The blocks that a text passes; a block that runs several times is listed once."""
        return tuple(self.body.get_submodule(name) for name, _ in self.block_layers)

    def grids(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return values [head, …] of ``heads`` and ``cross_heads`` as two arrays [layer, head, …]."""
        n_own, axes = self.n_layers * self.n_heads, values.shape[1:]
        return values[:n_own].reshape(self.n_layers, self.n_heads, *axes), values[n_own:].reshape(*self.cross, *axes)

    def chosen(self, heads: Sequence[HeadId | tuple[int, int] | str]) -> tuple[HeadId, ...]:
        """Return heads given as (layer, head) or by name, each once; raise InputError for one the model has not.

        One head may be given alone.

        ``E0H7`` (or ``L0H7``) is a head of the encoder of an encoder–decoder, ``C1H2`` one of its cross-attention.
        """
        unique_heads = []
        for choice in [heads] if isinstance(heads, str | HeadId) else heads:
            head = stack_head(choice)
            n_layers, n_heads = self.cross if head.stack == "cross" else (self.n_layers, self.n_heads)
            fits = 0 <= head.layer < n_layers and 0 <= head.head < n_heads
            if not fits or head.stack not in ("", "cross", self.stack):
                cross = f" and C0H0 to {self.cross_heads[-1]}" if self.cross_heads else ""
                raise InputError(f"{self.name} has heads L0H0 to {self.heads[-1]}{cross}; you asked for {head}.")
            unique_heads.append(head)
        return tuple(dict.fromkeys(unique_heads))

    def block_output(self, at: int | None) -> int:
        """Return which block output is read (0 = embeddings, n_layers = last); by default the last but one."""
        last = self.n_layers
        if at is None:
            return max(1, last - 1)
        if isinstance(at, bool) or not isinstance(at, int | np.integer) or not 1 <= at <= last:
            raise InputError(f"{self.name} is read at block output 1 to {last}; you asked for {at!r}.")
        return int(at)

    def encoded(self, text: str) -> Encoded:
        """Return a text as the model reads it."""
        return encode(self.loaded.tokenizer, text, max_tokens=self.loaded.max_tokens)

    def inputs(self, encoded: Encoded | Sequence[Encoded]) -> dict[str, Any]:
        """Return the tensors that ``body`` takes, [text, token]; texts of one call have the same number of tokens."""
        texts = [encoded] if isinstance(encoded, Encoded) else list(encoded)
        device = self.model.device
        inputs: dict[str, Any] = {
            name: torch.tensor([text.inputs[name][0] for text in texts], device=device) for name in texts[0].inputs
        }
        if self.stack == "self" and anatomy(self.model).takes_cache:
            inputs["use_cache"] = False
        return inputs


# Measured properties of each model; the table does not keep a model in memory.
_facts: weakref.WeakKeyDictionary[LoadedModel, dict[str, Any]] = weakref.WeakKeyDictionary()
_looking = threading.Lock()


def subject(model: str | LoadedModel = DEFAULT) -> Subject:
    """Return a model, by name or loaded, ready for experiments; looked at once.

    Raises:
        UnknownModel, ModelUnavailable: as `mha.models.files.loading.load`.
        AttentionUnavailable: its heads cannot be reached (the toy; models that show weights only).
    """
    loaded = transformer_of(model)
    if loaded is None:
        short = model_row(str(model)).short
        raise AttentionUnavailable(f"{short} has no layers in which an ablated head changes anything.")
    with _looking:
        if loaded not in _facts:
            _facts[loaded] = _looked_at(loaded)
        return Subject(loaded, **_facts[loaded])


def _looked_at(loaded: LoadedModel) -> dict[str, Any]:
    recording = record_text(PROBE, loaded)
    if anatomy(loaded.model).way != NAME:
        raise AttentionUnavailable(
            f"{type(loaded.model).__name__} shows its weights only; its heads cannot be reached."
        )
    stack = "encoder" if "encoder" in recording.stacks else "self"
    n_layers, n_heads = recording.stacks[stack].shape[:2]
    cross = recording.stacks["cross"].shape[:2] if stack == "encoder" and "cross" in recording.stacks else (0, 0)
    facts = {
        "model": loaded.model,
        "name": loaded.row.short,
        "stack": stack,
        "n_layers": n_layers,
        "n_heads": n_heads,
        "causal": recording.maps.causal,
        "heads": heads_of(n_layers, n_heads),
        "cross": cross,
        "cross_heads": tuple(CrossHead(*head) for head in heads_of(*cross)),
    }
    return facts | _probe(Subject(loaded, **facts))


def _probe(experiment: Subject) -> dict[str, Any]:
    """Return ``block_layers`` and ``feed_forward_outputs`` of `Subject`, found by running a text once.

    The last matrix of a feed-forward part is the last linear layer that runs in a block: after the attention's own, and
    as wide as the hidden states.
    """
    blocks, inputs = _entries(experiment.body), experiment.inputs(experiment.encoded(PROBE))
    spans, begun = dict.fromkeys(blocks, 0), dict.fromkeys(blocks, 0)
    ran: dict[str, list[tuple[str, torch.Size]]] = {block: [] for block in blocks}
    run_order: list[str] = []
    with torch.inference_mode(), listening(experiment.model, ()) as call, ExitStack() as hooks:

        def attended(block: str) -> int:
            return call.n_layers_run.get(experiment.stack, 0) - begun[block]

        def begins(block: str, *_: Any) -> None:
            run_order.append(block)
            begun[block] = call.n_layers_run.get(experiment.stack, 0)

        def ends(block: str, *_: Any) -> None:
            spans[block] = attended(block)

        def projects(block: str, name: str, _module: Any, _args: Any, output: Any) -> None:
            if attended(block) and isinstance(output, torch.Tensor):
                ran[block].append((name, output.shape))

        for block in blocks:
            part = experiment.body.get_submodule(block)
            hooks.callback(part.register_forward_pre_hook(in_this_thread(begins, block)).remove)
            hooks.callback(part.register_forward_hook(in_this_thread(ends, block)).remove)
            for name, module in part.named_modules():
                if getattr(getattr(module, "weight", None), "ndim", 0) == 2:
                    noted = in_this_thread(projects, block, f"{block}.{name}")
                    hooks.callback(module.register_forward_hook(noted).remove)
        experiment.body(**inputs)
    block_spans = tuple((block, span) for block, span in spans.items() if span)
    last = [
        ran[block][-1] for block, _ in block_spans if len(ran[block]) > 1
    ]  # of one alone, it is the attention's own
    wide = 1, inputs["input_ids"].shape[1], getattr(experiment.model.config, "hidden_size", None)
    is_complete = (
        len(last) == len(block_spans)
        and all(shape == wide for _, shape in last)
        and all(spans[block] for block in run_order[-1:])  # the last layer has attention
        and not any(  # experts, convolutions
            parameter.ndim > 2
            for block, _ in block_spans
            for parameter in experiment.body.get_submodule(block).parameters()
        )
    )
    return {
        "block_layers": block_spans,
        "feed_forward_outputs": tuple(name for name, _ in last) if is_complete else None,
    }


def in_this_thread(hook: Callable[..., Any], *arguments: str) -> Callable[..., Any]:
    """Return a hook of a model that acts in passes of this thread alone: other threads may run the model meanwhile."""
    thread = threading.get_ident()
    return lambda *more: hook(*arguments, *more) if threading.get_ident() == thread else None


def _entries(body: Any) -> list[str]:
    """Return the names of the entries of the outermost module lists: where layers live."""
    names: list[str] = []
    for name, module in body.named_modules():
        if isinstance(module, torch.nn.ModuleList) and not any(name.startswith(f"{outer}.") for outer in names):
            names += [f"{name}.{number}" for number in range(len(module))]
    return names


Links = tuple[tuple[int, int], ...]  # pairs (pivot, partner) of word numbers


@dataclass(frozen=True, eq=False)
class PlacedText:
    """A text as the model reads it, with the links of both readings, and the cue, as word numbers."""

    text: str
    encoded: Encoded
    a: Links
    b: Links
    cue: int | None = None

    @property
    def readings(self) -> tuple[Reading, Reading]:
        """Both readings by word number, which are the same in the other version of the sentence."""
        return Reading("A", self.a, self.cue), Reading("B", self.b, self.cue)


def place_readings(experiment: Subject, text: str, readings: Readings | None) -> PlacedText:
    """Return the positions of the words of two readings in a text, if there are readings.

    Raises:
        InputError: a word is not in the text, was cut away, occurs twice, or the argument does not have two readings.
    """
    accepted = accept(text).text
    encoded = experiment.encoded(accepted)
    if readings is None:
        return PlacedText(accepted, encoded, (), ())
    readings = readings_of(readings)
    for reading in readings:
        for word in (*(word for link in reading.links for word in link), reading.cue):
            _check_not_cut(accepted, encoded.tokens, word)
    nothing = np.zeros((0, 0, len(encoded.tokens), len(encoded.tokens)), dtype=np.float32)  # only words are wanted
    axis = AttentionMaps(nothing, encoded.tokens, text=accepted).merged()
    first, second = positions_of_readings(axis, readings)
    cue = next((reading.cue for reading in readings if reading.cue is not None), None)
    return PlacedText(
        accepted,
        encoded,
        _numbers_of(axis, first),
        _numbers_of(axis, second),
        None if cue is None else axis.tokens[word_position(axis, cue)].word,
    )


def tokens_of(tokens: Sequence[Token], word: int) -> list[int]:
    """Return the positions of the tokens of one word; raise InputError if the word has no tokens."""
    positions = [position for position, token in enumerate(tokens) if token.word == word and token.segment == 0]
    if not positions:
        raise InputError(f"There is no word {word} in this text.")
    return positions


def _numbers_of(axis: AttentionMaps, positions: Sequence[tuple[int, int]]) -> Links:
    number = [-1 if token.word is None else token.word for token in axis.tokens]
    return tuple((number[pivot], number[partner]) for pivot, partner in positions)


def _check_not_cut(text: str, tokens: Sequence[Token], word: int | str | None) -> None:
    text_words = words(text)
    seen = {token.word for token in tokens}
    if isinstance(word, str):
        numbers = [number for number, text_word in enumerate(text_words) if text_word == word]
        word = numbers[0] if len(numbers) == 1 else None
    if word is not None and 0 <= word < len(text_words) and word not in seen:
        raise InputError(
            f"The word {text_words[word]!r} was cut away: the model reads only the first {len(tokens)} tokens of this "
            f"text. Choose a word before it, or shorten the text."
        )
