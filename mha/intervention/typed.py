"""The tokens of typed words, as a model reads them behind a text, in a target or in a mask.

Text and word are tokenised together; `mha.words.next_word_text` decides whether a space is between them. If the
tokenizer joins the end of the text and the word, the text keeps its own tokens and those of the word alone follow. Only
a space at the end of a text becomes a part of the word, as it is inside a text.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mha.errors import InputError
from mha.models.files.loading import LoadedModel
from mha.models.watch.generating import writes
from mha.models.watch.inputs import TYPED, target_so_far, without_end
from mha.models.watch.tokens import encode, notation_of, texts_of_ids
from mha.tokens import decode_tokens, visible_token
from mha.words import next_word_text

NO_LIMIT = 2**20  # tokens: texts are compared whole, their length is checked by the caller
ANCHORS = ("(", "a", "-")  # a word behind one of them has the tokens that it has inside a text
SPACE_NOTE = "The space at the end of the text is read as the beginning of the next word, as inside a text."


class TypedWords(NamedTuple):
    """The token ids that words add behind a ``text`` (perhaps without its last space)."""

    text: str
    ids: tuple[list[int], ...]
    notes: tuple[str, ...]


def typed_words(loaded: LoadedModel, text: str, words: Sequence[str], keeps_text: bool = False) -> TypedWords:
    """Return the tokens of words, each typed after the same text, or the same target of an encoder–decoder.

    Raises:
        InputError: the model does not know a word, or its tokenizer drops it.
    """
    pieces = [next_word_text(text, word) for word in words]
    text_ids, wholes = _ids(loaded, text), [_ids(loaded, text + piece) for piece in pieces]
    shorter = _ids(loaded, text[:-1]) if text.endswith(" ") and text.strip() and not keeps_text else text_ids
    absorbs_space = not any(_ids_behind(text_ids, joined) for joined in wholes) and all(
        _ids_behind(shorter, joined) for joined in wholes
    )
    text_ids = shorter if absorbs_space else text_ids
    added = {*loaded.tokenizer.all_special_ids} - {loaded.tokenizer.unk_token_id}  # as <s> before a target
    ids = tuple(
        [number for number in _ids_behind(text_ids, joined) or _ids_without_space(loaded, piece) if number not in added]
        for joined, piece in zip(wholes, pieces, strict=True)
    )
    for word, numbers in zip(words, ids, strict=True):
        _check_known(loaded, word, numbers)
    return TypedWords(text[:-1] if absorbs_space else text, ids, (SPACE_NOTE,) * absorbs_space)


class FirstTokens(NamedTuple):
    """The first token of each word behind a ``text``, its name, and notes.

    A name has ␣ for a space, and ends in … if the word has more tokens.
    """

    text: str
    ids: tuple[int, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]


def first_tokens(loaded: LoadedModel, text: str, words: Sequence[str | int]) -> FirstTokens:
    """Return the first token of each word, typed behind the same text; a number is a token id and stays.

    Raises:
        InputError: a token id does not exist, a typed word begins with a part of a character, or as `typed_words`.
    """
    spelled = [word for word in words if isinstance(word, str)]
    typed = typed_words(loaded, text, spelled) if spelled else TypedWords(text, (), ())
    id_iterator = iter(typed.ids)
    ids = [next(id_iterator) if isinstance(word, str) else [_checked_id(loaded, word)] for word in words]
    first = tuple(numbers[0] for numbers in ids)
    texts, raws, special = texts_of_ids(loaded.tokenizer, first)
    names = tuple(map(visible_token, texts, special))
    for word, raw, name in zip(words, raws, names, strict=True):
        is_part = "\ufffd" in decode_tokens([raw], [False], notation_of(loaded.tokenizer)).text
        if isinstance(word, str) and is_part:
            raise InputError(
                f"{word!r} begins with {name}, a part of a character. Choose words that begin with others."
            )
    names = tuple(f"{name}…" if len(numbers) > 1 else name for name, numbers in zip(names, ids, strict=True))
    return FirstTokens(typed.text, first, names, typed.notes)


def check_distinct(words: Sequence[str | int], scored: FirstTokens) -> None:
    """Raise an InputError if two words begin with the same token."""
    if len(set(scored.ids)) < len(scored.ids):
        name = scored.names[0].removesuffix("…")
        remedy = "" if name.strip("␣") else " End the text with a space to compare what follows it."
        pair = " and ".join(map(repr, words))
        raise InputError(f"{pair} begin with the same token, {name}; choose words that differ in it.{remedy}")


def _checked_id(loaded: LoadedModel, number: int) -> int:
    n_ids = loaded.model.get_output_embeddings().weight.shape[0]
    if not 0 <= number < n_ids:
        raise InputError(f"{loaded.row.short} has token ids 0 to {n_ids - 1}; you asked for {number!r}.")
    return int(number)


def ids_of_words(
    words: int | str | Sequence[int | str], loaded: LoadedModel, text: str, target: str = "", mask: int = 0
) -> tuple[Any, tuple[str, ...]]:
    """Return token ids of typed words and ids, and notes; a number of words stays. Arguments as in `mha.predict`.

    Raises:
        InputError: a word is more than one token, or the model does not know it.
    """
    if isinstance(words, int | np.integer):
        return words, ()
    entries = list(words) if isinstance(words, Iterable) and not isinstance(words, str) else [words]
    pairs = [
        _word_id(loaded, entry, target if loaded.row.two_sided else text, mask)
        if isinstance(entry, str)
        else (entry, "")
        for entry in entries
    ]
    return [number for number, _ in pairs], tuple(note for _, note in pairs if note)


def _word_id(loaded: LoadedModel, word: str, text: str, mask: int) -> tuple[int, str]:
    """Return the token id of a word, and a note or "" if a space is missing before it."""
    tokenizer, note = loaded.tokenizer, ""
    if word.startswith("##") and tokenizer.convert_tokens_to_ids(word) not in (None, tokenizer.unk_token_id):
        return tokenizer.convert_tokens_to_ids(word), ""  # the rest of a word, as WordPiece and pages name it
    if TYPED in text and not writes(loaded):
        ids = _ids_in_mask(loaded, text.split(TYPED), word, mask)
        _check_known(loaded, word, ids)
    else:
        (ids,) = typed_words(loaded, text, (word,), keeps_text=True).ids
    if len(ids) == 2 and not texts_of_ids(tokenizer, ids)[0][0].strip(" ") and next_word_text(text, word) == f" {word}":
        note = (
            f"“{word}” behind a space is two tokens, so it is read without a space here. End the text with a space to "
            "predict what follows it."
        )
        ids = _ids_without_space(loaded, word)
    if len(ids) > 1:
        raise InputError(f"“{word}” is {len(ids)} tokens to {loaded.row.short}. Choose a word that is one token.")
    return ids[0], note


def _ids(loaded: LoadedModel, text: str) -> list[int]:
    if loaded.row.two_sided:
        return target_so_far(loaded, text).inputs["input_ids"][0]
    return without_end(encode(loaded.tokenizer, text, max_tokens=NO_LIMIT)).inputs["input_ids"][0]


def _ids_behind(text_ids: list[int], joined: list[int]) -> list[int]:
    """Return the ids of ``joined`` behind those of ``text_ids``, or none if it does not begin with these."""
    return joined[len(text_ids) :] if joined[: len(text_ids)] == text_ids else []


def _ids_without_space(loaded: LoadedModel, piece: str) -> list[int]:
    """Return the ids of a word that follows other tokens, without the space that a tokenizer sets before a text."""
    rests = (_ids_behind(_ids(loaded, anchor), _ids(loaded, anchor + piece)) for anchor in ANCHORS)
    return next(filter(None, rests), [])


def _ids_in_mask(loaded: LoadedModel, parts: list[str], word: str, mask: int) -> list[int]:
    """Return the ids of a word at a mask."""
    start, behind = TYPED.join(parts[: mask + 1]), TYPED.join(parts[mask + 1 :])
    encoded = encode(loaded.tokenizer, start + word + behind, max_tokens=NO_LIMIT)
    return [
        number
        for number, token in zip(encoded.inputs["input_ids"][0], encoded.tokens, strict=True)
        if not token.special and len(start) <= token.start < token.end <= len(start + word)
    ]


def _check_known(loaded: LoadedModel, word: str, ids: Sequence[int]) -> None:
    if not ids:
        raise InputError(f"{word!r} cannot follow this text: the tokenizer of {loaded.row.short} leaves nothing of it.")
    if loaded.tokenizer.unk_token_id in ids:
        raise InputError(f"The model does not know {word!r}: it reads its token for unknown text instead.")
