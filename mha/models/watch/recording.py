"""Recording one forward pass of any transformers model: its attention, and on request its vectors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np
import torch

from mha.errors import AttentionUnavailable, InputError, MHAError
from mha.maps import HALF_PRECISION_SLACK, AttentionMaps, Layout, Recording, Token
from mha.models.files.loading import LoadedModel
from mha.models.imported import AttentionInterface, PreTrainedModel
from mha.models.watch.anatomy import Anatomy, anatomy, other_models, unwrap_model
from mha.models.watch.attention import (
    NAME,
    AttentionCall,
    Intervention,
    attention_named,
    check_attention_functions,
    own_attention,
    removing_capture_hooks,
    stack_layers,
)
from mha.models.watch.inputs import as_second_segment, as_tensors, hidden_places, numbered, prepared

AGREEMENT = 1e-4  # a recording further than this from eager attention is refused
EAGER_FIELDS = {
    "attentions": "self",
    "encoder_attentions": "encoder",
    "decoder_attentions": "decoder",
    "cross_attentions": "cross",
}
SIDES = {  # the inputs of rows and of columns, by the beginning of their names
    "self": ("", ""),
    "encoder": ("", ""),
    "decoder": ("decoder_", "decoder_"),
    "cross": ("decoder_", ""),
}
NO_WEIGHTS = (
    "{name} gives no attention weights that could be shown: it has no softmax attention, or computes it without "
    "keeping the weights. Weights that it returns under another name go to mha.from_arrays(weights, tokens)."
)
PARTS = "The model attends in {count} parts, such as windows, frames or channels; the first is recorded."
UNKNOWN_ORIGIN = "unknown origin"
HIDDEN = {"output_hidden_states": True}
ON_REQUEST = ("query", "key", "value", "hidden")

Stacks = dict[str, torch.Tensor]  # each [layer, head, query, key]


def record(
    model: Any,
    *,
    text: str = "",
    pair: str | None = None,
    tokens: Sequence[str | Token] | None = None,
    tokenizer: Any = None,
    name: str = "",
    revision: str = "",
    origin: str = UNKNOWN_ORIGIN,
    keep: Sequence[str] = (),
    intervention: Intervention | None = None,
    **inputs: Any,
) -> Recording:
    """Return the recording of one forward pass of a loaded transformers model.

    ``model`` is a transformers model, the result of `mha.load_model`, or a module that contains one transformers model
    (DataParallel, a SentenceTransformer, a classifier of your own), which is run alone.
    ``inputs`` go to the model as they are: one text, or one image or sound for a model that reads those
    (``pixel_values=…``, ``input_features=…``), whose patches and frames are the tokens then. The axes are named by
    ``tokens`` (as for `mha.from_arrays`), or by ``tokenizer`` (with ``text``, exactly as typed), or else by the ids or
    numbers of positions. ``keep`` may name "query", "key", "value" (of the first stack) and "hidden" (the encoder's,
    where there is one). Tokens that ``attention_mask`` (or ``decoder_attention_mask``) hides are padding: their rows
    and columns are dropped, so that all numbers are those of the unpadded text; ``tokens`` may name them or leave them
    out. The model's dtype and attention function stay as they are; each new kind of inputs is compared with the model's
    own eager attention once.

    Raises:
        InputError: the argument is not a transformers model or in training mode, or the inputs are not one text, image
            or sound that it can read.
        AttentionUnavailable: the model has no softmax attention, an attention function of its own, or the recording
            differs from eager attention.
    """
    return record_with_outputs(
        model, text=text, pair=pair, tokens=tokens, tokenizer=tokenizer, name=name, revision=revision, origin=origin,
        keep=keep, intervention=intervention, **inputs,
    )[0]  # fmt: skip


def record_with_outputs(
    model: Any,
    *,
    text: str = "",
    pair: str | None = None,
    tokens: Sequence[str | Token] | None = None,
    tokenizer: Any = None,
    name: str = "",
    revision: str = "",
    origin: str = UNKNOWN_ORIGIN,
    keep: Sequence[str] = (),
    intervention: Intervention | None = None,
    **inputs: Any,
) -> tuple[Recording, Any]:
    """Return a recording and the model's own result; otherwise as `record`."""
    unknown = set(keep) - set(ON_REQUEST)
    if unknown:
        raise InputError(f"A recording can keep {', '.join(ON_REQUEST)}; not {', '.join(sorted(unknown))}.")
    row = model.row.named if isinstance(model, LoadedModel) else {}
    name, revision = name or row.get("model", ""), revision or row.get("revision", "")
    origin = row.get("origin", origin) if origin == UNKNOWN_ORIGIN else origin
    model, its_tokenizer = unwrap_model(model)
    tokenizer = tokenizer or its_tokenizer
    two_sided = anatomy(model, is_forced=True).two_sided
    inputs = as_tensors(inputs, model.device)
    padding = hidden_places(inputs)
    if tokens is not None and padding is not None:  # they may name the padding
        tokens = text_of(tokens, padding)
    ready = prepared(model, inputs)
    stacks, call, outputs = run(model, ready, tuple(keep), intervention)
    first = next(stack for stack in ("self", "encoder", "decoder", "cross") if stack in stacks)
    side, n_places = SIDES[first][0], stacks[first].shape[2]
    ids = ready.get(f"{side}input_ids")
    if ids is not None and ids.shape[1] != n_places and other_models(model):
        raise AttentionUnavailable(
            f"The attention that {type(model).__name__} returns is not that of the text. Pass one of the models inside "
            "it, such as its text decoder."
        )
    arrays = {
        stack: _without(_without(weights.numpy(), hidden_places(ready, rows), 2), hidden_places(ready, columns), 3)
        for stack, weights in stacks.items()
        for rows, columns in [SIDES[stack] if two_sided or stack != "cross" else ("", "encoder_")]
    }
    weights = arrays[first]
    padding = hidden_places(ready, side)
    if tokens is None:
        tokens, text = names_of(ready, tokenizer, text, pair, side)
    tokens = tokens or numbered(weights.shape[2])
    if len(tokens) != weights.shape[2]:
        raise InputError(
            f"There are {len(tokens)} tokens for an axis of {weights.shape[2]} places, such as the text and then the "
            "patches of an image. Name each place: tokens=[…]."
        )
    axis_tokens: Any = tuple(tokens)  # texts become tokens in the maps
    maps = AttentionMaps(
        weights=weights,
        tokens=axis_tokens,
        text=text,
        pair=pair,
        model=name or type(model).__name__,
        revision=revision,
        origin=origin,
        causal=_looks_back_only(weights),
        half_precision=model.dtype in (torch.float16, torch.bfloat16),
    )
    layouts = {  # heads and key groups of the first layer, the window of each
        stack: Layout(*layers[0][:2], tuple(window for _, _, window in layers))
        for stack, layers in call.layouts.items()
    }
    crosses = two_sided and "cross" in arrays
    read, written_tokens, target = _target(ready, tokenizer, arrays["cross"].shape[2]) if crosses else ((), (), "")
    fields: dict[str, Any] = {
        name: _without(call.stacked(first, name).numpy(), padding, 2) for name in keep if name != "hidden"
    }
    hidden = hidden_states(outputs) if "hidden" in keep else None  # [layer, 1, token, d_model]
    first_hidden = None if hidden is None else _without(hidden[:, 0], padding, 1)
    recording = Recording(
        maps=maps, stacks=arrays, hidden=first_hidden, read=read, written=written_tokens, target=target,
        layouts=layouts, notes=(PARTS.format(count=call.n_parts),) * (call.n_parts > 1), **fields,
    )  # fmt: skip
    return recording, outputs


@contextmanager
def listening(
    model: PreTrainedModel,
    keep: tuple[str, ...] = ("weights",),
    intervention: Intervention | None = None,
    **options: Any,
) -> Iterator[AttentionCall]:
    """Let every attention layer of the model that runs inside the block be seen and changed; yield the `AttentionCall`.

    The caller may run the whole model, some of its layers or a batch, with or without gradients.
    ``options`` go to `AttentionCall`.
    """
    model_anatomy = anatomy(model)
    call = AttentionCall(model_anatomy.stack_of, keep, intervention, **options)
    with attention_named(model_anatomy.configs, call=call):
        yield call


@contextmanager
def undisturbed(model: PreTrainedModel, intervention: Intervention | None = None) -> Iterator[Callable[..., Any]]:
    """Keep one attention function during passes without a recording, while other passes switch to the recording one.

    Yield a function that runs the model, or a part of it, on inputs; it raises AttentionUnavailable if the model itself
    fails. An ``intervention`` acts in one pass of each stack.
    """

    def passes(part: Any, **inputs: Any) -> Any:
        with _by_its_own_fault(model, inputs):
            return part(**inputs)

    name = NAME if model._can_set_attn_implementation() else "eager"
    acting = (
        attention_named(anatomy(model).configs, name) if intervention is None else listening(model, (), intervention)
    )
    with acting:
        yield passes


@contextmanager
def _by_its_own_fault(model: PreTrainedModel, inputs: Mapping[str, Any]) -> Iterator[None]:
    """Raise one sentence if a model itself fails on inputs, for example because its config is inconsistent."""
    try:
        yield
    except MHAError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}, " + str(error).partition("\n")[0][:200]
        raise AttentionUnavailable(
            f"{type(model).__name__} fails on what it is given, perhaps by its config: {reason}"
        ) from error


def run(
    model: PreTrainedModel,
    inputs: dict[str, Any],
    keep: tuple[str, ...] = (),
    intervention: Intervention | None = None,
) -> tuple[Stacks, AttentionCall, Any]:
    """Return the maps of every stack, what else was kept, and the outputs, of inputs that are `prepared`."""
    model_anatomy = anatomy(model)
    attention_functions = AttentionInterface()
    kind = (
        tuple(attention_functions.get(name, name) for name in map(own_attention, model_anatomy.configs)),
        frozenset(
            (name, value.ndim, value.dtype) if isinstance(value, torch.Tensor) else name
            for name, value in inputs.items()
        ),
    )
    if kind not in model_anatomy.kinds:
        with model_anatomy.lock:
            if kind not in model_anatomy.kinds:
                check_attention_functions(model_anatomy.configs)
                _find_way(model, model_anatomy, inputs)
                model_anatomy.kinds.add(kind)
    if model_anatomy.way != "eager":
        call, outputs = run_pass(model, inputs, keep, intervention)
        stacks = {stack: call.stacked(stack) for stack in call.n_layers_run}
    elif set(keep) - {"hidden"} or intervention is not None:
        raise AttentionUnavailable(f"{type(model).__name__} shows its weights only; its heads cannot be reached.")
    else:
        stacks, outputs = _eager(model, model_anatomy, inputs, **HIDDEN if "hidden" in keep else {})
        call = AttentionCall(model_anatomy.stack_of)
        call.n_parts = max(len(layer) for name in EAGER_FIELDS for layer in getattr(outputs, name, None) or [()])
    if not stacks:
        raise AttentionUnavailable(NO_WEIGHTS.format(name=type(model).__name__))
    return stacks, call, outputs


def _find_way(model: PreTrainedModel, model_anatomy: Anatomy, inputs: dict[str, Any]) -> None:
    """Decide how this model is recorded, and compare the recording with eager attention.

    Both passes draw the same random numbers (ViTMAE shuffles patches), and so does the next one. Where only a part of
    the model can be recorded (TrOCR's decoder cannot), all weights are those of eager attention.
    """
    with torch.random.fork_rng():
        eager = _first_eager(model, model_anatomy, inputs)
    stacks: Stacks = {}
    if model._can_set_attn_implementation():
        with suppress(*[AttentionUnavailable] * bool(eager)), torch.random.fork_rng():
            call, _ = run_pass(model, inputs)
            stacks = {stack: call.stacked(stack) for stack in call.n_layers_run}
        if stacks and not stacks.keys() < eager.keys():
            compare(model, stacks, eager)
            model_anatomy.way = NAME
            model_anatomy.n_layers = dict(call.n_layers_run)
            model_anatomy.checked = True
            return
    if not eager:
        raise AttentionUnavailable(NO_WEIGHTS.format(name=type(model).__name__))
    model_anatomy.way = "eager"
    model_anatomy.checked = True


def _first_eager(model: PreTrainedModel, model_anatomy: Anatomy, inputs: dict[str, Any]) -> Stacks:
    """Return the recording of the model's own eager attention; a second pass follows if the first has no weights.

    BigBird changes its layers for a short text during the pass, so the first capture misses them.

    Raises:
        AttentionUnavailable: the model itself fails on these inputs.
    """
    return _eager(model, model_anatomy, inputs)[0] or _eager(model, model_anatomy, inputs)[0]


def compare(model: PreTrainedModel, own_stacks: Stacks, eager: Stacks) -> None:
    """Raise AttentionUnavailable if the recorded weights differ from eager attention by more than 1e-4."""
    name = type(model).__name__
    if own_stacks.keys() != eager.keys() or any(own_stacks[stack].shape != eager[stack].shape for stack in eager):
        raise AttentionUnavailable(
            f"What was recorded of {name} is not what its eager attention returns. Pass one of the models inside it."
        )
    furthest = max(float((own_stacks[stack] - eager[stack]).abs().max()) for stack in eager)
    if not furthest <= AGREEMENT:
        raise AttentionUnavailable(
            f"What was recorded of {name} differs from its eager attention by {furthest:.1e}; it is not shown."
        )


def run_pass(
    model: PreTrainedModel,
    inputs: dict[str, Any],
    keep: Sequence[str] = (),
    intervention: Intervention | None = None,
    **options: Any,
) -> tuple[AttentionCall, Any]:
    """Return the weights and the other kept tensors of one pass over inputs, and the model's outputs."""
    tensor_names, hidden = tuple(name for name in keep if name != "hidden"), "hidden" in keep
    model_anatomy = anatomy(model)
    stack_of, n_layers = model_anatomy.stack_of, model_anatomy.n_layers
    call = AttentionCall(stack_of, ("weights", *tensor_names), intervention, n_layers=n_layers, **options)
    listened = attention_named(model_anatomy.configs, call=call)
    capture = removing_capture_hooks(model) if hidden else nullcontext()
    with torch.inference_mode(), capture, listened, _by_its_own_fault(model, inputs):
        outputs = model(**inputs, **HIDDEN if hidden else {})
    return call, outputs


def _eager(
    model: PreTrainedModel, model_anatomy: Anatomy, inputs: dict[str, Any], **options: Any
) -> tuple[Stacks, Any]:
    switch, fails = attention_named(model_anatomy.configs, "eager"), _by_its_own_fault(model, inputs)
    with torch.inference_mode(), switch, removing_capture_hooks(model), fails:
        outputs = model(**inputs, **options, output_attentions=True, return_dict=True)
        stacks = {}
        text_outputs = getattr(outputs, "language_model_outputs", None) or outputs  # of BLIP-2
        for field, stack in EAGER_FIELDS.items():
            layers = [layer for layer in getattr(text_outputs, field, None) or () if layer is not None]
            if (
                stack == "self"
                and {layer.shape[-2] == layer.shape[-1] for layer in layers} == {True, False}
                and (
                    len({layer.shape[-2] for layer in layers}) == 1  # Mllama; Funnel has fewer rows in some layers
                )
            ):
                across = [layer for layer in layers if layer.shape[-2] != layer.shape[-1]]
                stacks["cross"] = stack_layers([layer[0].float().cpu() for layer in across])
                layers = [layer for layer in layers if layer.shape[-2] == layer.shape[-1]]
            if layers:
                stacks[stack] = stack_layers([layer[0].float().cpu() for layer in layers])
                _check_shares(model, stack, stacks[stack])
    return stacks, outputs


def _check_shares(model: PreTrainedModel, stack: str, weights: torch.Tensor) -> None:
    """Raise AttentionUnavailable if a model's returned weights are not one share for each query and key.

    Longformer returns a window around each query, Reformer one in chunks, ProphetNet numbers before the softmax.
    """
    shape = list(weights.shape[1:])
    if weights.ndim != 4 or (stack != "cross" and shape[1] != shape[2]):
        raise AttentionUnavailable(
            f"{type(model).__name__} returns no weight from each token to each other, but {shape} for a layer: that "
            "fits no map."
        )
    if not (weights.min() >= 0 and weights.max() <= 1 + HALF_PRECISION_SLACK):
        raise AttentionUnavailable(f"What {type(model).__name__} returns as its weights are not shares of attention.")


def names_of(
    inputs: dict[str, Any], tokenizer: Any = None, text: str = "", pair: str | None = None, side: str = ""
) -> tuple[tuple[Token, ...], str]:
    """Return the tokens of an axis, named by the tokenizer or else by their numbers, and the text that they are in.

    ``side`` may be "decoder_". Padding has no name. Without a tokenizer the text is ``text``.
    """
    ids, padding = inputs.get(f"{side}input_ids"), hidden_places(inputs, side)
    if ids is None:
        embeddings = inputs.get(f"{side}inputs_embeds")
        count = 0 if embeddings is None else len(text_of(range(embeddings.shape[1]), padding))
        return numbered(count), text
    numbers = [int(number) for number in text_of(ids[0], padding)]
    if tokenizer is None:
        names = enumerate(map(str, numbers))
        return tuple(Token(number, raw=number, word=position) for position, number in names), text
    from mha.models.watch.tokens import tokens_of_ids

    return tokens_of_ids(tokenizer, numbers, text, pair)


def text_of(tokens: Sequence[Any], padding: np.ndarray | None) -> list[Any]:
    """Return tokens or ids without padding; sequences without padding stay."""
    if padding is None or len(tokens) != len(padding):
        return list(tokens)
    return [token for token, is_hidden in zip(tokens, padding, strict=True) if not is_hidden]


def _without(array: np.ndarray, padding: np.ndarray | None, axis: int) -> np.ndarray:
    """Return an array without the padding on an axis."""
    if padding is None or len(padding) != array.shape[axis]:
        return array
    return np.compress(~padding, array, axis=axis)


def _target(inputs: dict[str, Any], tokenizer: Any, n_rows: int) -> tuple[tuple[Token, ...], tuple[Token, ...], str]:
    """Return the tokens that the decoder read and was to write, and their text; the last that it writes is unknown.

    A decoder of object queries or of a series has ``n_rows`` numbered places, and writes at each.
    """
    tokens, text = names_of(inputs, tokenizer, side="decoder_")
    if not tokens:
        queries = numbered(n_rows, segment=1)
        return queries, queries, ""
    read = as_second_segment(tokens)
    return read, (*read[1:], Token("…", special=True, segment=1)), text


def _looks_back_only(weights: np.ndarray) -> bool:
    n_queries, n_keys = weights.shape[2:]
    ahead = np.triu(np.ones((n_queries, n_keys), dtype=bool), 1)
    return bool(ahead.any()) and not any(head[ahead].any() for layer in weights for head in layer)


def hidden_states(outputs: Any) -> np.ndarray | None:
    """Return the hidden states among a model's outputs, float32 [layer, text, token, d_model], or None."""
    states = getattr(outputs, "hidden_states", None) or getattr(outputs, "encoder_hidden_states", None)
    return None if states is None else torch.stack([state.float().cpu() for state in states]).numpy()
