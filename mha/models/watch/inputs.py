"""Inputs of a model, checked before the pass: a text with a target or typed masks, an image, a sound.

The target of an encoder–decoder is the text that its decoder reads and writes: each token is predicted from the tokens
before it. A typed ``[MASK]`` is the only special token that may be typed, if the model fills gaps. The axes of a model
without text are the patches of an image or the frames of a sound.

The language code of a target is NLLB's ``fra_Latn``, mBART's ``fr_XX``, M2M100's ``__fr__`` or Marian's ``>>fra<<``. A
tokenizer puts the code of the *source's* language around any text. A decoder reads its target behind the code of the
target's language, which a typed target begins with or the generation config sets as the forced first token.
"""

import dataclasses
import inspect
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from mha.errors import InputError
from mha.maps import Token
from mha.models.files.loading import LoadedModel
from mha.models.imported import PreTrainedModel
from mha.models.watch.anatomy import anatomy
from mha.models.watch.tokens import Encoded, encode

ONE_TEXT = ("input_ids", "inputs_embeds", "decoder_input_ids", "decoder_inputs_embeds")
TYPED = "[MASK]"
FILLERS = ("the", "a", "it", "one", "man", "x", ".")  # short words; a word of one token replaces the mask
# Names of a model's main input in transformers, and the name of one item.
READS = {
    "pixel_values": "an image as its image processor returns it, [1, channel, height, width]",
    "input_features": "a sound as its feature extractor returns it, [1, …]",
    "input_values": "a sound as its feature extractor returns it, [1, sample]",
}
ALIGNED = ("ids", "embeds", "mask", "bbox", "langs")  # name endings of inputs with one value a token
NOT_ALIGNED = ("pixel", "image", "encoder", "cross")  # name beginnings of inputs on another axis
ASKED = ("output_attentions", "output_hidden_states", "return_dict")  # the recorder sets them


def numbered(count: int, segment: int = 0) -> tuple[Token, ...]:
    """Return tokens for the positions of an axis without a text, named by their numbers from 0."""
    return tuple(Token(str(place), raw=str(place), word=place, segment=segment) for place in range(count))


def prepared(model: PreTrainedModel, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs as tensors on the model's device, with what recording needs, without padding at their ends.

    Encoder–decoder models that get no target read the source text again, shifted by one, as in training.

    Raises:
        InputError: nothing the model reads, more than one text, image or sound, ids outside the vocabulary, a cache of
            earlier tokens, a model without weights, or in training mode.
    """
    model_anatomy = anatomy(model)
    main = model_anatomy.main_input
    has_states = inputs.get("encoder_outputs") is not None  # the encoder has run
    if main and inputs.get(main) is None and not has_states:
        extras = (
            f"takes {READS[main]}." if main in READS else "records it; weights go to mha.from_arrays(outputs, tokens)."
        )
        raise InputError(f"{type(model).__name__} reads no text: mha.record(model, {main}=…) {extras}")
    if not (main or has_states) and inputs.get("input_ids") is None and inputs.get("inputs_embeds") is None:
        raise InputError("A recording needs input_ids (or inputs_embeds); neither was given.")
    device = model.device
    if device.type == "meta":
        raise InputError(
            "The model is on the meta device, where it has no weights; load them first, from_pretrained does."
        )
    if inputs.get("past_key_values") is not None:
        raise InputError("A recording sees a whole text at once; leave out past_key_values.")
    if model.training:
        raise InputError("The model is in training mode, in which dropout changes its attention. Call model.eval().")
    ready = without_outer_padding(as_tensors(inputs, device), model_anatomy.two_sided)
    for name in (*ONE_TEXT, *(name for name in READS if name == main)):
        if ready.get(name) is not None:
            _check_input(model, name, ready[name], model_anatomy.room)
    if model_anatomy.two_sided:
        _add_target(model, ready)
    if model_anatomy.takes_cache and "position_ids" not in ready:  # the mask of packed positions depends on it
        ready.setdefault("use_cache", False)
    return ready


def without_outer_padding(inputs: dict[str, Any], two_sided: bool) -> dict[str, Any]:
    """Return tensors without the padding at the ends of source and target, that their attention masks hide.

    Raises:
        InputError: a mask is another than [1, token] with 1 for text, at least once, and 0 for padding.
    """
    ready = {name: value for name, value in inputs.items() if name not in ASKED}
    for side in ("", "decoder_"):
        name = f"{side}attention_mask"
        mask, ids = ready.get(name), ready.get(f"{side}input_ids")
        if mask is None:
            continue
        if not isinstance(mask, torch.Tensor) or mask.ndim != 2 or len(mask) != 1:
            raise InputError(f"{name} is [1, token], with 1 for text and 0 for padding; other masks are not recorded.")
        if isinstance(ids, torch.Tensor) and mask.shape[1] != ids.shape[1]:
            raise InputError(f"{name} has {mask.shape[1]} places, the text {ids.shape[1]} tokens.")
        if not mask.any() or mask.min() < 0:
            raise InputError(f"{name} has 1 for text and 0 for padding; this one has no 1, or negative numbers.")
        hidden = hidden_places(ready, side)
        if hidden is None:
            continue
        visible = ~hidden
        start, stop = int(visible.argmax()), len(visible) - int(visible[::-1].argmax())
        for name, value in ready.items():
            aligned = name.removeprefix(side).endswith(ALIGNED) or (name == "labels" and not two_sided)
            of_side = name.startswith(side) and not name.startswith(NOT_ALIGNED if side else (*NOT_ALIGNED, "decoder_"))
            if aligned and of_side and isinstance(value, torch.Tensor) and value.shape[:2] == (1, len(visible)):
                ready[name] = value[:, start:stop]
    return ready


def hidden_places(inputs: dict[str, Any], side: str = "") -> np.ndarray | None:
    """Return which tokens an attention mask [1, token] hides, as bool [token], or None if all are visible.

    ``side`` may be "decoder_", or "encoder_" for states that the caller gives a decoder. Other masks (samples of a
    sound, one for each query) give None.
    """
    mask = inputs.get(f"{side}attention_mask")
    tensors = (inputs.get(f"{side}{name}") for name in ("input_ids", "inputs_embeds", "hidden_states"))
    ids = next((value for value in tensors if value is not None), None)
    if not isinstance(mask, torch.Tensor) or ids is None or mask.shape != ids.shape[:2]:
        return None
    hidden: np.ndarray = (mask[0] == 0).cpu().numpy()
    return hidden if hidden.any() and not hidden.all() else None


def as_tensors(inputs: dict[str, Any], device: torch.device) -> dict[str, Any]:
    """Return inputs with lists and arrays as tensors on a device, one text [1, token, …]."""
    ready = dict(inputs)
    for name, value in inputs.items():
        has_tensors = isinstance(value, tuple) and any(map(torch.is_tensor, value))  # an encoder's outputs
        if not has_tensors and (isinstance(value, (list, tuple)) or type(value).__module__ == "numpy"):
            ready[name] = torch.as_tensor(value)
        if isinstance(ready[name], torch.Tensor):
            tensor = ready[name]
            ready[name] = (tensor[None] if tensor.ndim == 1 else tensor).to(device)
    return ready


def _check_input(model: PreTrainedModel, name: str, tensor: torch.Tensor, limit: int | None) -> None:
    """Raise InputError unless this is one text, image or sound, not too long, of tokens that the model knows."""
    if tensor.shape[0] != 1:
        item = {"pixel_values": "image"}.get(name, "sound" if name in READS else "text")
        raise InputError(f"One {item} at a time: {name} holds {tensor.shape[0]}. Record them one after the other.")
    if tensor.shape[1] == 0:
        raise InputError(f"There is nothing to look at: {name} holds no tokens.")
    if name in ONE_TEXT and limit is not None and tensor.shape[1] > limit:
        raise InputError(f"The model reads at most {limit} tokens at once; these are {tensor.shape[1]}.")
    if name != "input_ids":
        return
    try:
        n_known = getattr(model.get_input_embeddings(), "num_embeddings", None)
    except NotImplementedError:  # transformers finds no single table in some models of several inputs
        return
    if n_known is None:
        return
    if tensor.dtype not in (torch.int32, torch.int64):
        raise InputError(f"input_ids are whole numbers; these are {str(tensor.dtype).removeprefix('torch.')}.")
    least, most = tensor.min(), tensor.max()
    if least < 0 or most >= n_known:
        raise InputError(f"The model knows tokens 0 to {n_known - 1}; the ids reach from {least} to {most}.")


def _add_target(model: PreTrainedModel, ready: dict[str, Any]) -> None:
    shift: Any = getattr(model, "prepare_decoder_input_ids_from_labels", None)
    if ready.get("labels") is not None and shift is not None:
        ready.setdefault("decoder_input_ids", shift(ready["labels"]))
    takes_target = "decoder_input_ids" in inspect.signature(model.forward).parameters
    if not takes_target or any(ready.get(name) is not None for name in (*ONE_TEXT[2:], "labels")):
        return
    if ready.get("input_ids") is None:
        raise InputError("This model has an encoder and a decoder; give decoder_input_ids too.")
    ids = ready["input_ids"]
    ready["decoder_input_ids"] = torch.cat([torch.full_like(ids[:, :1], start_of(model)), ids[:, :-1]], dim=1)


def inputs_of(
    loaded: LoadedModel, text: str, pair: str | None = None, target: str | None = None
) -> tuple[Encoded, dict[str, Any], dict[str, Any]]:
    """Return a text encoded, the inputs of the model, and the fields of a `Recording` for the target, if there is one.

    Raises:
        InputError: a target for a model without encoder and decoder, or as `encode_target`.
    """
    if not anatomy(loaded.model).two_sided:
        if target is not None:
            raise InputError(
                f"{loaded.row.short} has no decoder beside its encoder; a target is for models that have one."
            )
        encoded = encode(loaded.tokenizer, text, pair, loaded.max_tokens)
        return encoded, dict(encoded.inputs), {}
    language, target = ("", None) if target is None else split_language(loaded, target)
    encoded = encode_source(loaded, text, pair, language)
    start, aim = start_of(loaded.model), encoded
    if target is not None:
        start, aim = encode_target(loaded, target, language)
        encoded = dataclasses.replace(encoded, notes=encoded.notes + aim.notes)
    written_tokens = as_second_segment(aim.tokens)
    ids = [start, *map(int, aim.inputs["input_ids"][0][:-1])]  # its start tokens, then all but the last token
    read = (sign_token(loaded.tokenizer, start), *written_tokens[:-1])
    fields = {"read": read, "written": written_tokens, "target": text if target is None else target}
    return encoded, encoded.inputs | {"decoder_input_ids": [ids]}, fields


def as_second_segment(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return tokens of a target, which is another text than the source: they are its second segment."""
    return tuple(dataclasses.replace(token, segment=1) for token in tokens)


def target_so_far(loaded: LoadedModel, text: str) -> Encoded:
    """Return the tokens that a decoder has read when it has written ``text`` ("": nothing yet)."""
    language, text = split_language(loaded, text)
    start, aim = encode_target(loaded, text if text.strip() else "", language)
    aim = without_end(aim) if text.strip() else aim
    sign = sign_token(loaded.tokenizer, start)
    return Encoded({"input_ids": [[start, *aim.inputs["input_ids"][0]]]}, (sign, *aim.tokens), aim.notes)


def without_end(encoded: Encoded) -> Encoded:
    """Return a text without the signs that a tokenizer sets behind it, so that it can be gone on with."""
    count = max(place for place, token in enumerate(encoded.tokens) if not token.special) + 1
    inputs = {name: [values[0][:count]] for name, values in encoded.inputs.items()}
    return dataclasses.replace(encoded, inputs=inputs, tokens=encoded.tokens[:count])


def sign_token(tokenizer: Any, number: int) -> Token:
    """Return a token that the model adds by itself."""
    raw = str(tokenizer.convert_ids_to_tokens(number))
    return Token(raw, raw=raw, special=True, segment=1)


def masked(tokenizer: Any, text: str, max_tokens: int) -> tuple[Encoded, tuple[int, ...]]:
    """Return a text in which each typed ``[MASK]`` is the model's own mask, and the places of the masks.

    The text is encoded with a short word in the mask's place, so that everything around it is read as it is typed.

    Raises:
        InputError: the model has no mask, none is typed, or nothing can stand in for it.
    """
    if tokenizer.mask_token_id is None:
        raise InputError("This model cannot fill gaps: it has no mask token.")
    if TYPED not in text:
        raise InputError(f"Type {TYPED} where a word is missing.")
    parts = text.split(TYPED)
    for filler in FILLERS:
        encoded = encode(tokenizer, filler.join(parts), max_tokens=max_tokens)
        starts = [len(filler.join(parts[:number])) for number in range(1, len(parts))]
        places = _of_fillers(encoded.tokens, starts, len(filler))
        if places is not None:
            return _with_masks(tokenizer, encoded, places, len(TYPED) - len(filler)), places
    raise InputError(f"The model cannot read this text with a gap. Put spaces around {TYPED}, or shorten the text.")


def _of_fillers(tokens: tuple[Token, ...], starts: list[int], length: int) -> tuple[int, ...] | None:
    """Return the token of each filler, or None if one of them is not one token for itself."""
    spans = {(token.start, token.end): place for place, token in enumerate(tokens) if not token.special}
    runs = [spans.get((start, start + length)) for start in starts]
    return tuple(place for place in runs if place is not None) if None not in runs else None


def _with_masks(tokenizer: Any, encoded: Encoded, places: tuple[int, ...], longer: int) -> Encoded:
    """Return the text with masks in these places; offsets are those of the text as it was typed."""
    ids = list(encoded.inputs["input_ids"][0])
    tokens, shift = [], 0
    for place, token in enumerate(encoded.tokens):
        shifted = dataclasses.replace(token, start=token.start + shift, end=token.end + shift)
        if token.special:
            shifted = token
        elif place in places:
            ids[place] = tokenizer.mask_token_id
            shift += longer
            shifted = dataclasses.replace(shifted, text=TYPED, raw=tokenizer.mask_token, end=token.end + shift)
        tokens.append(shifted)
    return Encoded(dict(encoded.inputs) | {"input_ids": [ids]}, tuple(tokens), encoded.notes)


CODE = re.compile(r"__[a-z]{2,8}__|[a-z]{2,3}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}|>>\w+<<")
OF_SOURCE = ">>"  # Marian's codes are read by the encoder
PROBE = "a"  # a text that shows where a tokenizer puts its codes


def language_codes(tokenizer: Any) -> dict[str, int]:
    """Return the language codes among a tokenizer's special and added tokens, with their ids."""
    special = dict(zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=True))
    return {name: number for name, number in (tokenizer.get_added_vocab() | special).items() if CODE.fullmatch(name)}


def split_language(loaded: LoadedModel, target: str) -> tuple[str, str]:
    """Return the language code that a typed target begins with, or "", and the rest of the target."""
    code, _, text = target.strip().partition(" ")
    return (code, text) if code in language_codes(loaded.tokenizer) else ("", target)


def target_code(loaded: LoadedModel, language: str) -> int | None:
    """Return the id of a language code, or of the forced first token (or None) if the language is ""."""
    if language:
        return language_codes(loaded.tokenizer)[language]
    settings = (getattr(loaded.model, "generation_config", None), loaded.model.config)
    forced = (getattr(config, "forced_bos_token_id", None) for config in settings)
    return next((number for number in forced if isinstance(number, int)), None)


def encode_source(loaded: LoadedModel, text: str, pair: str | None = None, language: str = "") -> Encoded:
    """Return a text as the encoder reads it: behind the code of the target's language if the model is of Marian's kind.

    Raises as `encode`.
    """
    if not language.startswith(OF_SOURCE):
        return encode(loaded.tokenizer, text, pair, loaded.max_tokens)
    encoded = encode(loaded.tokenizer, text, pair, loaded.max_tokens - 1)
    first = {"input_ids": language_codes(loaded.tokenizer)[language], "attention_mask": 1}
    inputs = {name: [[first.get(name, 0), *values]] for name, (values,) in encoded.inputs.items()}
    return replace(encoded, inputs=inputs, tokens=(Token(language, raw=language, special=True), *encoded.tokens))


def encode_target(loaded: LoadedModel, text: str, language: str = "") -> tuple[int, Encoded]:
    """Return the id that a decoder begins with, and the target behind it; the text "" leaves the language code alone.

    The decoder begins with its start token, or with the code if the tokenizer puts the code last (the first mBART).
    The target begins with the code otherwise. A note names the code. Raises as `encode`.
    """
    start, codes = start_of(loaded.model), set(language_codes(loaded.tokenizer).values())
    number = target_code(loaded, language)
    code = _name(loaded, number)
    if not CODE.fullmatch(code) or code.startswith(OF_SOURCE):
        number = None
    if not text and not codes and number is None:
        return start, Encoded({"input_ids": [[]]}, ())
    encoded = encode(loaded.tokenizer, text or PROBE, None, loaded.max_tokens - (number is not None))
    ids, tokens = list(map(int, encoded.inputs["input_ids"][0])), list(encoded.tokens)
    places = [place for place, token in enumerate(tokens) if token.special and ids[place] in codes]
    if number is not None:
        if not places:
            ids, tokens, places = [number, *ids], [tokens[0], *tokens], [0]
        for place in places:
            ids[place], tokens[place] = number, Token(code, raw=code, special=True)
    is_last = bool(places) and all(token.special for token in tokens[places[0] :])
    start = ids[places[0]] if is_last else start
    notes = tuple(f"The target is read behind the language code {tokens[place].raw}." for place in places[:1])
    if not text:
        count = 0 if is_last or number is None else places[0] + 1
        ids, tokens = ids[:count], tokens[:count]
        notes = notes if is_last or count else ()
    return start, Encoded({"input_ids": [ids]}, tuple(tokens), (*encoded.notes, *notes) if text else notes)


def first_tokens(loaded: LoadedModel) -> tuple[list[int], tuple[str, ...]]:
    """Return the ids that a decoder has read before it writes, the forced first token included, and notes on them."""
    start, begun = encode_target(loaded, "")
    forced, ids = target_code(loaded, ""), begun.inputs["input_ids"][0]
    if not begun.notes and forced is not None:
        ids = [forced]
    unset = "No language of the target is set: the model may begin with any language code."
    return [start, *ids], begun.notes or ((unset,) if language_codes(loaded.tokenizer) and not ids else ())


def _name(loaded: LoadedModel, number: int | None) -> str:
    return "" if number is None else str(loaded.tokenizer.convert_ids_to_tokens(number))


def start_of(model: Any) -> int:
    """Return the id of the token that the decoder of an encoder–decoder begins with."""
    config = model.config
    ids = (getattr(config, name, None) for name in ("decoder_start_token_id", "bos_token_id"))
    return next((int(number) for number in ids if number is not None), 0)
