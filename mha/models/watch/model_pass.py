"""Equality of a recorded pass with the model's own: masks, positions, cache and random numbers, or notes on
differences.

Padding at the ends is dropped before the pass, so that positions are those of the unpadded text in every model.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from mha.errors import InputError
from mha.models.watch.anatomy import Anatomy
from mha.models.watch.attention import own_attention, own_function

ALIGNED = ("ids", "embeds", "mask", "bbox", "langs")  # name endings of inputs with one value a token
NOT_ALIGNED = ("pixel", "image", "encoder", "cross")  # name beginnings of inputs on another axis
MASKS = ("attention_mask", "decoder_attention_mask", "encoder_attention_mask")  # others are of images
ASKED = ("output_attentions", "output_hidden_states", "return_dict")  # the recorder sets them
RANDOM = "{name} draws random numbers in this pass: without torch.manual_seed() before it, another pass differs."
TRAINING = "{name} is in training mode: dropout acts in this pass, and weights are those before it. Call model.eval()."
ADDED = (
    "The mask of booleans is added to the scores, as eager attention does: True adds 1 and hides nothing. Pass 0 and "
    "the lowest number{sdpa}."
)
REVERSED = "True in the mask of booleans hides a token in this model. Pass 0 and the lowest number."
SDPA = ', or call set_attn_implementation("sdpa")'
BLIND = "The mask hides every token from the tokens at places {places}: their rows have no meaning."
PACKED = (
    "position_ids begin again at place {place}, and later tokens attend across it in this pass. Without attention_mask "
    "and with use_cache=False transformers keeps packed texts apart."
)
HOLES = "attention_mask hides {count} tokens inside the text; the others keep the positions that the model gives them."
LEARNT = (
    "The {count} learnt prompt tokens of {name} ({kind}) are left out: all numbers are those of the model without them."
)


def without_outer_padding(inputs: dict[str, Any], two_sided: bool) -> dict[str, Any]:
    """Return tensors without the padding at the ends of source and target, that their attention masks hide."""
    ready = {name: value for name, value in inputs.items() if name not in ASKED}
    for side in ("", "decoder_"):
        visible = _visible_mask(ready, side)
        if visible is None or visible.all() or not visible.any():
            continue
        start, stop = int(visible.argmax()), len(visible) - int(visible[::-1].argmax())
        for name, value in ready.items():
            aligned = name.removeprefix(side).endswith(ALIGNED) or (name == "labels" and not two_sided)
            of_side = name.startswith(side) and not name.startswith(NOT_ALIGNED if side else (*NOT_ALIGNED, "decoder_"))
            if aligned and of_side and isinstance(value, torch.Tensor) and value.shape[:2] == (1, len(visible)):
                ready[name] = value[:, start:stop]
    return ready


def _visible_mask(inputs: dict[str, Any], side: str) -> np.ndarray | None:
    mask, ids = inputs.get(f"{side}attention_mask"), inputs.get(f"{side}input_ids")
    ids = inputs.get(f"{side}inputs_embeds") if ids is None else ids
    if not (isinstance(mask, torch.Tensor) and isinstance(ids, torch.Tensor) and mask.shape == ids.shape[:2]):
        return None
    return (mask[0] != 0).cpu().numpy() if len(mask) == 1 else None


def mask_as_numbers(model: Any, name: str, value: Any) -> Any:
    """Return a mask [1, 1 or head, query, key] that hides in eager attention what it hides in the model's attention.

    SDPA and flex attention read True as visible; eager attention adds a mask of any type to the scores. All other
    inputs, and masks of an eager model or of a registered attention function, are returned as they are.

    Raises:
        InputError: a mask of whole numbers, which SDPA does not accept.
    """
    function_name = own_attention(model.config)
    if type(value) is dict:
        return {kind: mask_as_numbers(model, name, mask) for kind, mask in value.items()}
    is_mask = name in MASKS and isinstance(value, torch.Tensor) and value.ndim == 4
    if not is_mask or value.is_floating_point() or function_name == "eager" or own_function(model.config):
        return value
    if value.dtype != torch.bool:
        raise InputError(
            f"{name} {list(value.shape)} has whole numbers, which the attention of the model ({function_name}) does "
            "not accept. Pass booleans, or 0 and the lowest number."
        )
    return torch.zeros_like(value, dtype=model.dtype).masked_fill(~value, torch.finfo(model.dtype).min)


def check_masks(inputs: dict[str, Any]) -> None:
    """Raise InputError for a mask [1, token] that hides all tokens, has several rows, or has negative numbers."""
    for name in ("attention_mask", "decoder_attention_mask"):
        mask, ids = inputs.get(name), inputs.get(name.replace("attention_mask", "input_ids"))
        if not isinstance(mask, torch.Tensor) or not isinstance(ids, torch.Tensor) or mask.ndim != 2:
            continue
        if len(mask) != len(ids):
            raise InputError(
                f"{name} {list(mask.shape)} has {len(mask)} rows for one text. A mask [query, key] is passed as "
                "mask[None, None]."
            )
        if not mask.any() or mask.min() < 0:
            raise InputError(f"{name} has 1 for text and 0 for padding; this one has no 1, or negative numbers.")


def mask_remedy(inputs: Mapping[str, Any]) -> str:
    """Return a sentence on a mask that may be why a model fails, or ""."""
    for name in ("attention_mask", "decoder_attention_mask"):
        mask, ids = inputs.get(name), inputs.get(name.replace("attention_mask", "input_ids"))
        if not isinstance(mask, torch.Tensor):
            continue
        if mask.ndim == 3:
            return f". Most models take masks [1, token] or [1, 1, query, key]: pass {name}[:, None]."
        if mask.ndim == 2 and isinstance(ids, torch.Tensor) and mask.shape != ids.shape:
            return f". {name} has {mask.shape[1]} places, the text {ids.shape[1]} tokens."
    return ""


def random_state() -> list[torch.Tensor]:
    """Return the states from which a model draws random numbers: of the CPU and of each GPU in use."""
    return [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else ())]


def has_drawn(state: list[torch.Tensor]) -> bool:
    """Return whether random numbers were drawn since the state was taken."""
    return not all(map(torch.equal, random_state(), state))


def draw_again(state: list[torch.Tensor]) -> None:
    """Let the next pass draw the same random numbers as an earlier pass from this state."""
    if has_drawn(state):
        torch.set_rng_state(state[0])
        torch.cuda.set_rng_state_all(state[1:])


def check_layers_run(model: Any, model_anatomy: Anatomy) -> None:
    """Raise InputError if the model skips layers at random, so that the others have no fixed number."""
    rates = [
        rate for config in model_anatomy.configs for name, rate in vars(config).items() if name.endswith("layerdrop")
    ]
    if model.training and any(rates):
        raise InputError(
            f"{type(model).__name__} skips layers at random in training mode (layerdrop). Call model.eval()."
        )


def learnt_prompt(model: Any) -> tuple[str, ...]:
    """Return a note if a model of peft, alone or in another module, has a learnt prompt that a recording leaves out."""
    for module in model.modules() if isinstance(model, torch.nn.Module) else ():
        config: Any = (
            getattr(module, "active_peft_config", None) if hasattr(type(module), "active_peft_config") else None
        )
        if getattr(config, "is_prompt_learning", False):
            kind = getattr(config.peft_type, "value", config.peft_type)
            return (LEARNT.format(count=config.num_virtual_tokens, name=type(module).__name__, kind=kind),)
    return ()


def pass_notes(
    model: Any, inputs: dict[str, Any], first: str, stacks: Mapping[str, np.ndarray], has_drawn_numbers: bool
) -> tuple[str, ...]:
    """Return what readers must know of this pass; the weights of stacks are [layer, head, query, key]."""
    name, notes, weights = type(model).__name__, [], stacks[first]
    mask, positions, lowest = inputs.get("attention_mask"), inputs.get("position_ids"), torch.finfo(model.dtype).min / 2
    if has_drawn_numbers:
        notes.append((TRAINING if model.training else RANDOM).format(name=name))
    masks: list[Any] = [
        item for item in (mask.values() if isinstance(mask, dict) else [mask]) if getattr(item, "ndim", 0) == 4
    ]
    sdpa = SDPA * bool(getattr(model, "_supports_sdpa", False))
    of_decoder = inputs.get("decoder_attention_mask") if "decoder" in stacks else None
    for item, attended in [*((item, weights) for item in masks), (of_decoder, stacks.get("decoder"))]:
        if attended is not None and isinstance(item, torch.Tensor) and item.ndim == 4 and item.dtype == torch.bool:
            visible, seen = item[0].cpu().numpy(), attended.any(axis=0)  # [head, query, key]
            if (seen & ~visible).any():
                is_reversed = not (seen & visible & ~visible.all(axis=-1, keepdims=True)).any()
                notes.append(REVERSED if is_reversed else ADDED.format(sdpa=sdpa))
    for item in masks:
        if blind := torch.nonzero((item[0] <= lowest).all(dim=-1).all(dim=0)).flatten().tolist():
            notes.append(BLIND.format(places=", ".join(map(str, blind[:10]))))
    is_visible = _visible_mask(inputs, "")
    if is_visible is not None and not is_visible.all():
        notes.append(HOLES.format(count=int((~is_visible).sum())))
    if isinstance(positions, torch.Tensor) and positions.shape == (1, weights.shape[2]):
        restarts = torch.nonzero(positions[0, 1:] <= positions[0, :-1]).flatten().tolist()
        if restarts and weights[..., restarts[0] + 1 :, : restarts[0] + 1].any():
            notes.append(PACKED.format(place=restarts[0] + 1))
    return tuple(notes)
