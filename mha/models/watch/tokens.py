"""From text to the model's tokens, each knowing the word of the text that it belongs to.

Words are those of `mha.words.split`, found by character offsets, never by the tokenizer's own word numbers. Typed text
is text: a typed "[SEP]" becomes letters and brackets, never the model's separator.
"""

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.errors import InputError
from mha.formats import join_list
from mha.memo import memoise
from mha.models.files.rows import MAX_TOKENS
from mha.tokens import SPACE, Token, decode_tokens, locate_tokens, read_tokens, visible_tokens
from mha.words import white_space, white_space_note

MOST, LONGEST = 3, 18  # unknown words in a note, and letters of each
tokenizing = threading.Lock()  # a fast tokenizer must not change its settings while another thread uses it


@dataclass(frozen=True)
class Encoded:
    """A text as a model reads it: its ``inputs``, each [1, token], the tokens, and ``notes`` for the visitor."""

    inputs: dict[str, list[list[int]]]
    tokens: tuple[Token, ...]
    notes: tuple[str, ...] = ()


def encode(tokenizer: Any, text: str, pair: str | None = None, max_tokens: int = MAX_TOKENS) -> Encoded:
    """Return a text, or two texts that the model reads together, as tokens; tokens beyond ``max_tokens`` are cut.

    Raises:
        InputError: the tokenizer drops the whole text, or its tokens have no character offsets.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise InputError("This tokenizer does not give the characters of each token. A fast tokenizer is needed.")
    encoded = _tokenized(tokenizer, text, pair, max_tokens)
    if _typed_signs(tokenizer, encoded):  # some vocabularies list "</s>" among their ordinary pieces
        encoded = _tokenized(tokenizer, _defused(tokenizer, text), pair and _defused(tokenizer, pair), max_tokens)
        if _typed_signs(tokenizer, encoded):
            raise InputError("The text contains a token that is reserved for the model. Remove it.")
    special, offsets = encoded.pop("special_tokens_mask"), encoded.pop("offset_mapping")
    raws, segments = encoded.tokens(0), encoded.sequence_ids(0)
    if not any(segment == 0 for segment in segments) or (pair is not None and 1 not in segments):
        raise InputError(
            "The model's tokenizer removes everything in this text. Type another word, or choose an example."
        )
    added = [bool(flag) or segment is None for flag, segment in zip(special, segments, strict=True)]
    decoded = decode_tokens(raws, added, notation_of(tokenizer))
    tokens = locate_tokens((text, pair or ""), raws, offsets, segments, added, decoded)
    is_cut = any(len(overflow) for overflow in encoded.encodings[0].overflowing)
    notes = [f"Only the first {len(tokens)} tokens are used; the model reads no more at once."] if is_cut else []
    added_tokens = getattr(tokenizer, "added_tokens_decoder", {}).values()
    names = dict.fromkeys([*tokenizer.all_special_tokens, *(token.content for token in added_tokens if token.special)])
    signs = [name for name in names if name != tokenizer.unk_token and name in f"{text}\n{pair or ''}"]
    if signs:
        notes.append(f"The model reads {_quote(signs)} as typed letters, never as special tokens.")
    notes += _white_space_notes(tokenizer, text, pair, max_tokens, encoded["input_ids"])
    if next(token.text for token in reversed(tokens) if not token.special) == SPACE:
        notes.append("The text ends with a space, which the model reads as a token of its own.")
    unknown = [token.text for token in tokens if token.raw == tokenizer.unk_token and not token.special]
    if unknown:
        notes.append(f"The model does not know {_quote(unknown)}: it reads its token for unknown text instead.")
    return Encoded({name: [values] for name, values in encoded.items()}, tokens, tuple(notes))


def _tokenized(tokenizer: Any, text: str, pair: str | None, max_tokens: int) -> Any:
    with tokenizing:
        return tokenizer(
            text,
            pair,
            truncation=True,
            max_length=max_tokens,
            padding=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )


def _white_space_notes(
    tokenizer: Any, text: str, pair: str | None, max_tokens: int, ids: Sequence[int]
) -> tuple[str, ...]:
    """Return a note for the kinds of white space that the model does not distinguish from one space."""
    pair_kinds = white_space(pair or "")
    lost = [
        kind
        for kind, folded in (dict.fromkeys(pair_kinds, text) | white_space(text)).items()
        if _tokenized(tokenizer, folded, pair_kinds.get(kind, pair), max_tokens)["input_ids"] == ids
    ]
    return (white_space_note(lost),) if lost else ()


def _typed_signs(tokenizer: Any, encoded: Any) -> bool:
    """Return whether something typed became one of the model's own signs (the one for unknown words aside)."""
    special_ids = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    return any(
        number in special_ids and not added
        for number, added in zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True)
    )


def _defused(tokenizer: Any, text: str) -> str:
    """Return the text with the first letter of each typed sign replaced, so that offsets stay as they are."""
    for sign in tokenizer.all_special_tokens:
        text = text.replace(sign, "‹" + sign[1:])
    return text


def _quote(texts: Sequence[str]) -> str:
    """Return up to three of these texts, each once and cut to a readable length, for a sentence."""
    once = [f"“{text}”" if len(text) <= LONGEST else f"“{text[: LONGEST - 1]}…”" for text in dict.fromkeys(texts)]
    return join_list(once[:MOST] + ([f"{len(once) - MOST} more"] if len(once) > MOST else []))


def tokens_of_ids(
    tokenizer: Any, ids: Sequence[int], text: str = "", pair: str | None = None
) -> tuple[tuple[Token, ...], str]:
    """Return tokens for ids made elsewhere, and the text they are in: ``text``, or the text that they spell.

    If ``text`` (and ``pair``) encode to these ids, the tokens are those of `encode`. Otherwise they are read as
    `mha.from_arrays` reads them: the text gives the words, and a warning follows if the ids do not spell it.
    """
    with contextlib.suppress(InputError):  # of a text that `encode` refuses, or of none; the ids were read nevertheless
        encoded = encode(tokenizer, text, pair, max_tokens=max(len(ids), 1))
        if encoded.inputs["input_ids"][0] == list(ids):
            return encoded.tokens, text
    raws, special = _raws_of_ids(tokenizer, ids)
    return read_tokens(raws, special, text, notation_of(tokenizer))


def _raws_of_ids(tokenizer: Any, ids: Sequence[int]) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """Return the raw token of each id (``<id>`` if unknown), and whether it is special to the tokenizer."""
    added = getattr(tokenizer, "added_tokens_decoder", {}).items()
    special = {*tokenizer.all_special_ids, *(number for number, token in added if token.special)}
    unprintable = {  # CANINE's are characters for private use
        raw: f"[{name.removesuffix('_token').upper()}]"
        for name, raw in getattr(tokenizer, "special_tokens_map", {}).items()
        if not str(raw).isprintable()
    }
    raws = tuple(
        f"<{number}>" if raw is None else unprintable.get(str(raw), str(raw))  # some vocabularies are padded
        for number, raw in zip(ids, tokenizer.convert_ids_to_tokens(list(ids)), strict=True)
    )
    return raws, tuple(number in special for number in ids)


def names_of_ids(tokenizer: Any, ids: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the visible tokens of one list of ids, and their raw tokens; an id without a token is ``<id>``."""
    texts, raws, special = texts_of_ids(tokenizer, ids)
    return visible_tokens(texts, special), raws


def texts_of_ids(tokenizer: Any, ids: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[bool, ...]]:
    """Return the text with its spaces, the raw token and whether it is special, of each id; names as `names_of_ids`."""
    raws, special = _raws_of_ids(tokenizer, ids)
    byte_level = notation_of(tokenizer)
    texts = (
        raw
        if flag or raw.startswith("##") or raw.endswith(("</w>", "@@"))
        else decode_tokens([raw], [False], byte_level).alone[0]
        for raw, flag in zip(raws, special, strict=True)
    )
    return tuple(texts), raws, special


@memoise
def notation_of(tokenizer: Any) -> bool | str:
    """Return how a tokenizer's raw tokens are written, as `decode_tokens` takes it: for GPT-2 True, letters for bytes.

    ByT5 and Perceiver write a byte as the character of that number, CANINE's tokens are characters.
    """
    decoder = getattr(getattr(tokenizer, "backend_tokenizer", None), "decoder", None)
    if "ByteLevel" in repr(decoder) or hasattr(tokenizer, "byte_decoder"):
        return True
    if getattr(tokenizer, "is_fast", True):
        return False
    if tokenizer.convert_tokens_to_string(["Ã", "©"]) == "é":
        return "latin-1"
    return "characters" if tokenizer.convert_tokens_to_ids("漢") == ord("漢") else False


def rows_of_words(tokenizer: Any, model: Any, word: str) -> np.ndarray:
    """Return the rows of a model's word vectors that a word in the middle of a text stands for, float32 [token, d]."""
    encoded = encode(tokenizer, f"a {word}")
    ids = [
        number for number, token in zip(encoded.inputs["input_ids"][0], encoded.tokens, strict=True) if token.word == 1
    ]
    return model.get_input_embeddings().weight[ids].detach().float().cpu().numpy()
