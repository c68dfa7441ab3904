"""The language code of a target: NLLB's ``fra_Latn``, mBART's ``fr_XX``, M2M100's ``__fr__``, Marian's ``>>fra<<``.

A tokenizer puts the code of the *source's* language around any text. A decoder reads its target behind the code of the
target's language, which the caller names or the generation config sets as the forced first token.
"""

import re
from dataclasses import replace
from typing import Any

from mha.errors import InputError
from mha.formats import join_list
from mha.maps import Recording, Token
from mha.models.files.loading import LoadedModel
from mha.models.watch.tokens import Encoded, encode

CODE = re.compile(r"__[a-z]{2,8}__|[a-z]{2,3}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}|>>\w+<<")
FORMS = ("{}", "__{}__", ">>{}<<", "{}_XX")  # of the names of a language
OF_SOURCE = ">>"  # Marian's codes are read by the encoder
PROBE = "a"  # a text that shows where a tokenizer puts its codes
MOST_LISTED = 8


def language_codes(tokenizer: Any) -> dict[str, int]:
    """Return the language codes among a tokenizer's special and added tokens, with their ids."""
    special = dict(zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=True))
    return {name: number for name, number in (tokenizer.get_added_vocab() | special).items() if CODE.fullmatch(name)}


def split_language(loaded: LoadedModel, target: str) -> tuple[str, str]:
    """Return the language code that a typed target begins with, or "", and the rest of the target."""
    code, _, text = target.strip().partition(" ")
    return (code, text) if code in language_codes(loaded.tokenizer) else ("", target)


def language_id(loaded: LoadedModel, language: str) -> int | None:
    """Return the id of the code of a target's language, or of the forced first token (or None) if the language is "".

    Raises:
        InputError: the model's vocabulary has no code of this language.
    """
    if not language:
        settings = (getattr(loaded.model, "generation_config", None), loaded.model.config)
        forced = (getattr(config, "forced_bos_token_id", None) for config in settings)
        return next((number for number in forced if isinstance(number, int)), None)
    codes = {name: number for name, number in loaded.tokenizer.get_vocab().items() if CODE.fullmatch(name)}
    number = next((codes[form.format(language)] for form in FORMS if form.format(language) in codes), None)
    if number is None:
        few = sorted(codes)[:MOST_LISTED] + [f"{len(codes) - MOST_LISTED} more"] * (len(codes) > MOST_LISTED)
        codes_text = f"it knows {join_list(few)}" if codes else "its vocabulary has no language codes"
        raise InputError(f"{loaded.row.short} has no target language {language[:20]!r}; {codes_text}.")
    return number


def encode_source(loaded: LoadedModel, text: str, pair: str | None = None, language: str = "") -> Encoded:
    """Return a text as the encoder reads it: behind the code of the target's language if the model is of Marian's kind.

    Raises:
        InputError: the model has no code of this language; or as `encode`.
    """
    number = language_id(loaded, language) if language else None
    code = _name(loaded, number)
    if number is None or not code.startswith(OF_SOURCE):
        return encode(loaded.tokenizer, text, pair, loaded.max_tokens)
    encoded = encode(loaded.tokenizer, text, pair, loaded.max_tokens - 1)
    first = {"input_ids": number, "attention_mask": 1}
    inputs = {name: [[first.get(name, 0), *values]] for name, (values,) in encoded.inputs.items()}
    return replace(encoded, inputs=inputs, tokens=(Token(code, raw=code, special=True), *encoded.tokens))


def encode_target(loaded: LoadedModel, text: str, language: str = "") -> tuple[int, Encoded]:
    """Return the id that a decoder begins with, and the target behind it; the text "" leaves the language code alone.

    The decoder begins with its start token, or with the code if the tokenizer puts the code last (the first mBART).
    The target begins with the code otherwise. A note names the code.

    Raises:
        InputError: the model has no code of this language; or as `encode`.
    """
    start, codes = start_of(loaded.model), set(language_codes(loaded.tokenizer).values())
    number = language_id(loaded, language)
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


def first_tokens(loaded: LoadedModel, language: str = "") -> tuple[list[int], tuple[str, ...]]:
    """Return the ids that a decoder has read before it writes, the forced first token included, and notes on them."""
    start, begun = encode_target(loaded, "", language)
    forced, ids = language_id(loaded, ""), begun.inputs["input_ids"][0]
    if not begun.notes and forced is not None:
        ids = [forced]
    unset = "No language of the target is set: the model may begin with any language code."
    return [start, *ids], begun.notes or ((unset,) if language_codes(loaded.tokenizer) and not ids else ())


def _name(loaded: LoadedModel, number: int | None) -> str:
    return "" if number is None else str(loaded.tokenizer.convert_ids_to_tokens(number))


def language_of(recording: Recording) -> str:
    """Return the language code that the target of a recording was read with, or ""."""
    signs = [token.raw for token in (*recording.read, *recording.maps.tokens) if token.special]
    codes = [raw for raw in signs[: len(recording.read)] if CODE.fullmatch(raw)]
    return next(iter(codes), next((raw for raw in signs if raw.startswith(OF_SOURCE) and CODE.fullmatch(raw)), ""))


def start_of(model: Any) -> int:
    """Return the id of the token that the decoder of an encoder–decoder begins with."""
    config = model.config
    ids = (getattr(config, name, None) for name in ("decoder_start_token_id", "bos_token_id"))
    return next((int(number) for number in ids if number is not None), 0)
