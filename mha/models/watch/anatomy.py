"""The transformers model inside an object, and its anatomy: configs, stacks of modules, and the way to its weights."""

import inspect
import re
import threading
import weakref
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from mha.errors import InputError
from mha.models.files.snapshot import reads_text
from mha.models.imported import PreTrainedConfig, PreTrainedModel

CROSS = re.compile(r"(^|\.)(encoder_attn|EncDecAttention|crossattention|cross_attn|cross_attention)(\.|$)")
SIDE = re.compile(r"(?:^|\.)(encoder|decoder)(?:\.|$)")


@dataclass(eq=False)
class Anatomy:
    """One loaded model, as the recorder sees it.

    ``way`` is "parallax" (through transformers' attention interface), "eager" (models that have not moved there) or
    None before the first recording; ``kinds`` are the kinds of inputs, by the model's own attention function, for
    which a recording was held against eager attention; ``n_layers`` counts the layers of each stack once they have
    been seen. ``room`` is the number of tokens that it has positions for (None if it needs none). ``shapes`` has layers
    and heads of each stack once its attention was compared with eager attention in blocks. ``two_sided`` is true if it
    has an encoder and a decoder; an encoder alone (UMT5EncoderModel) may have the config of both. ``takes_places`` is
    true if it takes the positions of tokens, from 0, and rotates queries and keys by them. ``main_input`` is the input
    that it reads instead of a text, such as "pixel_values", or "" for a text.
    """

    configs: tuple[Any, ...]
    stack_of: dict[int, str]
    two_sided: bool
    room: int | None
    takes_cache: bool
    takes_places: bool
    main_input: str
    modules: tuple[int, ...] = ()
    way: str | None = None
    checked: bool = False
    kinds: set[Any] = field(default_factory=set)
    n_layers: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, tuple[int, int]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_known: weakref.WeakKeyDictionary[PreTrainedModel, Anatomy] = weakref.WeakKeyDictionary()
_known_lock = threading.Lock()


def anatomy(model: PreTrainedModel, is_forced: bool = False) -> Anatomy:
    """Return the cached anatomy of a model object; ``is_forced`` compares its modules, which may be replaced."""
    modules = tuple(map(id, model.modules())) if is_forced or model not in _known else ()
    with _known_lock:
        cached = _known.get(model)
        if cached is None or (modules and cached.modules != modules):
            takes = inspect.signature(model.forward).parameters
            both, places = _two_sided(model), "position_ids" in takes and rotates(model)
            cached = _known[model] = Anatomy(
                _configs(model),
                _stacks(model, both),
                both,
                _room(model),
                "use_cache" in takes,
                places,
                _main_input(model, takes),
                modules,
            )
        return cached


def _main_input(model: PreTrainedModel, takes: Collection[str]) -> str:
    name = str(getattr(model, "main_input_name", ""))
    if name == "input_ids" and name in takes:
        return ""
    return name if name in takes else next(iter(takes))


def rotates(model: PreTrainedModel) -> bool:
    """Return whether a model turns queries and keys by their places."""
    return any("Rotary" in type(module).__name__ for module in model.modules())


def _configs(model: PreTrainedModel) -> tuple[Any, ...]:
    """Return every config from which a module of the model may read the name of its attention function."""
    configs: dict[int, Any] = {}
    waiting = [getattr(module, "config", None) for module in model.modules()]
    while waiting:
        config = waiting.pop()
        if isinstance(config, PreTrainedConfig) and id(config) not in configs:
            configs[id(config)] = config
            waiting += [getattr(config, name, None) for name in config.sub_configs]
    return tuple(configs.values())


def _two_sided(model: PreTrainedModel) -> bool:
    sides = {side[1] for name, _ in model.named_modules() if (side := SIDE.search(name))}
    return "decoder" in sides and bool(getattr(model.config, "is_encoder_decoder", False))


def _stacks(model: PreTrainedModel, two_sided: bool) -> dict[int, str]:
    inner = other_models(model)
    return {id(part): _stack(name, part, two_sided) for name, part in model.named_modules() if name not in inner}


def other_models(model: PreTrainedModel) -> dict[str, Any]:
    """Return the modules of models other than the recorded one, by name: image towers, sound encoders, Q-Formers.

    Such a module, or the next one around it that has a config, has another kind of config than the model and its text.
    """
    main_config: Any = model.config
    sides = (getattr(main_config, name, None) for name in ("encoder", "text_encoder"))
    own_types = {type(main_config), type(main_config.get_text_config(decoder=True)), *map(type, sides)}
    kinds, models = dict[str, Any](), dict[str, Any]()
    for name, module in model.named_modules():
        config = getattr(module, "config", None)
        outer = kinds.get(name.rpartition(".")[0], type(main_config))
        kinds[name] = type(config) if isinstance(config, PreTrainedConfig) else outer
        if kinds[name] not in own_types:
            models[name] = module
    return models


def _stack(name: str, module: Any, two_sided: bool) -> str:
    if CROSS.search(name) or getattr(module, "is_cross_attention", False):
        return "cross"
    side = SIDE.search(name) if two_sided else None
    return side[1] if side else "self"


def _room(model: PreTrainedModel) -> int | None:
    """Return the number of positions of the model, or None if it has no limit.

    RoBERTa and related models count positions from behind the padding number.
    """
    tables = [
        module
        for name, module in model.named_modules()
        if name.endswith(("position_embeddings", "embed_positions")) and isinstance(module, torch.nn.Embedding)
    ]
    rooms = [table.num_embeddings - (0 if table.padding_idx is None else table.padding_idx + 1) for table in tables]
    limit = getattr(model.config, "max_position_embeddings", None)
    return min([*rooms, *([limit] if isinstance(limit, int) and limit > 0 else [])], default=None)


ACCEPTED = (
    "Pass a transformers model, a module that contains one, or the result of mha.load_model(); weights of other "
    "layers go to mha.from_arrays(weights, tokens)."
)


def unwrap_model(model: Any) -> tuple[PreTrainedModel, Any]:
    """Return the one transformers model of an object, and the object's tokenizer or None.

    A `LoadedModel`, a pipeline and a trainer have it as ``model``; any other module is searched, such as DataParallel,
    a SentenceTransformer or a classifier of the caller's own.

    Raises:
        InputError: the object has no transformers model, has several, compares the outputs of two, or has learnt prompt
            tokens.
    """
    name, tokenizer = type(model).__name__, getattr(model, "tokenizer", None)
    if not isinstance(model, nn.Module):
        model = getattr(model, "model", model)
    if not isinstance(model, nn.Module):
        raise InputError(f"A {name} is not a model in memory. {ACCEPTED}")
    # The attribute is a property of peft's classes; a module itself looks long for a name that it lacks.
    peft_models: list[Any] = [part for part in model.modules() if hasattr(type(part), "active_peft_config")]
    if any(getattr(part.active_peft_config, "is_prompt_learning", False) for part in peft_models):
        raise InputError(f"{name} has learnt prompt tokens (peft), which are not recorded. Pass its base model.")
    only = model if isinstance(model, PreTrainedModel) else _only_model(name, model)
    stacks = {f"model.{path}": part for path, part in only.named_children() if isinstance(part, PreTrainedModel)}
    takes_text = only.main_input_name == "input_ids"  # a model of images has another sentence
    if len(stacks) > 1 and takes_text and not reads_text(type(only)):
        raise InputError(
            f"{type(only).__name__} compares the outputs of several models. Pass one of them: {_names_of(stacks)}."
        )
    return only, tokenizer


def _only_model(name: str, model: nn.Module) -> PreTrainedModel:
    """Return the one transformers model in a module that is none itself; errors as `unwrap_model`."""
    models = _outermost("model", model)
    if not models:
        raise InputError(f"{name} contains no transformers model. {ACCEPTED}")
    if len(models) > 1:
        raise InputError(f"{name} contains {len(models)} transformers models. Pass one of them: {_names_of(models)}.")
    (only,) = models.values()
    return only


def _outermost(path: str, module: nn.Module) -> dict[str, PreTrainedModel]:
    """Return the transformers models in a module that are in no other one, by their paths."""
    if isinstance(module, PreTrainedModel):
        return {path: module}
    models: dict[str, PreTrainedModel] = {}
    for name, part in module.named_children():
        models |= _outermost(f"{path}[{name}]" if name.isdigit() else f"{path}.{name}", part)
    return models


def _names_of(models: dict[str, Any]) -> str:
    return ", ".join(f"{path} ({type(model).__name__})" for path, model in models.items())
