"""Let it write: the tokens that a model writes, and the attention of one head at each step.

A token that is not a word (a space, a mark, a part of a character or of a word) is called a token.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.engine.writing import generate_text, predicted_step
from mha.formats import markdown, share, short_share
from mha.maps import HeadId
from mha.models.files.rows import ModelRow
from mha.models.watch.generating import Generation
from mha.tokens import Token, visible_tokens
from mha.views import next_word
from mha.views.cuts import SMALLEST_ARC

N_WRITTEN = 10


def refusal(text: str, model: ModelRow) -> str:
    """Return why this model writes nothing after this text, or "" if it writes."""
    if model.predicts not in ("", "next"):
        return f"{model.short} does not continue a text. Choose a model that does."
    return next_word.refusal(text, model)


def generate(text: str, model: str) -> Generation:
    """Return at most ten tokens that a model writes, the likeliest each time, with all heads on.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.generate`.
    """
    return generate_text(text, model, N_WRITTEN, None)


def attention_at(generation: Generation, step: int, head: HeadId) -> np.ndarray:
    """Return the attention of a head before the word of a step, counted from 1, is written: float32 [key].

    Keys are the tokens before that word.
    """
    row: np.ndarray = generation.looks(step - 1)[head]
    return row


def largest_head(generation: Generation, step: int) -> HeadId:
    """Return the head with the largest share for one token before the written one.

    The first token of the text (a sink) and the querying token itself do not count.
    """
    shares = generation.looks(step - 1)  # [layer, head, key]
    return HeadId(*divmod(int(shares[..., 1:-1].max(axis=-1, initial=0).argmax()), shares.shape[1]))


def is_word(tokens: Sequence[Token], number: int) -> bool:
    """Return whether a token begins a word; white space, marks, parts of words and of characters do not."""
    token, previous = tokens[number], tokens[number - 1] if number else None
    begins = previous is None or token.start > previous.end or not previous.text[-1:].isalnum()
    has_letter = any(letter.isalnum() for letter in token.text) and "\ufffd" not in token.text
    return begins and has_letter and not token.special


def label(token: Token) -> str:
    """Return a token as pictures show it: white space and parts of characters are visible."""
    return visible_tokens([token.text], [token.special])[0]


def _name(tokens: Sequence[Token], number: int) -> str:
    """Return a token as sentences name it, in Markdown."""
    return f"{'' if is_word(tokens, number) else 'the token '}*{markdown(label(tokens[number]))}*"


def sentence_data(text: str, model: str, generation: Generation, step: int, head: HeadId) -> dict[str, Any]:
    """Return the text and the written words at a step: the arcs of a head, and the likeliest words of that step."""
    tokens, row = generation.tokens, attention_at(generation, step, head)
    query = generation.n_read + step - 2  # the token before the written one
    states = ["written" if number <= query + 1 else "later" for number in range(len(tokens))]
    boxes = ["" if is_word(tokens, number) else " token" for number in range(len(tokens))]
    prediction = predicted_step(text, model, N_WRITTEN, None, step - 1)
    likeliest = list(zip(prediction.words, prediction.probabilities, strict=True))
    return {
        "tokens": [
            {"text": label(token), "space": number > 0 and token.start > tokens[number - 1].end}
            | {"state": "" if number < generation.n_read else states[number] + boxes[number]}
            for number, token in enumerate(tokens)
        ],
        "gap": "none",
        "mask": query + 1,
        "title": f"Likeliest tokens at step {step}",
        "hint": "",
        "candidates": [
            {"name": name, "word": "", "before": float(p), "after": None, "text": short_share(float(p)), "on": False}
            | {"label": f"{name}: {share(float(p))}", "is_word": any(letter.isalnum() for letter in name)}
            for name, p in likeliest[:4]
        ],
        "attention": {
            "head": str(head), "query": query, "first": 0,
            "from": generation.tokens[query].text, "least": SMALLEST_ARC,
            "shares": [round(float(value), 4) for value in row] + [0.0] * (len(tokens) - len(row)),
        },
    }  # fmt: skip


def finding(generation: Generation, step: int, head: HeadId, is_largest: bool = False) -> str:
    """Return which token gets most of a head's attention before a token is written; the first token is one of them.

    ``is_largest`` is True for the head of `largest_head`, whose share of another token is stated, too.
    """
    row, tokens = attention_at(generation, step, head), generation.tokens
    token = _name(generation.tokens, generation.n_read + step - 1)
    if len(row) == 1:
        return f"To write {token}, every head gives all attention to {_name(tokens, 0)}, the only token before it."
    key = int(row.argmax())
    places, inner = {len(row) - 1: "itself, ", 0: "the first "}, np.pad(row[1:-1], 1)[: len(row)]
    largest = f"{share(float(row[key]))} of its attention to {places.get(key, '')}{_name(tokens, key)}"
    if not is_largest or not inner.max(initial=0):
        none_between = " No head attends to a token between the first and the last one." if is_largest else ""
        return f"To write {token}, `{head}` gives {largest}.{none_between}"
    second, outside = int(inner.argmax()), " outside the first and the last token"
    if second == key:
        return f"To write {token}, `{head}` gives {largest}, the largest share of any head{outside}."
    share_of = f"{share(float(row[second]))} to {_name(tokens, second)}"
    return f"To write {token}, `{head}` gives {largest}, and {share_of}, the largest share of any head{outside}."


def steps_text(generation: Generation) -> str:
    """Return the written words and how the model chooses them."""
    tokens = " ".join(f"*{markdown(label(token))}*" for token in generation.written)
    end = " It ended there." if generation.ended else ""
    return f"Written: {tokens}. The model writes the likeliest token each time, right or wrong, with all heads on.{end}"
