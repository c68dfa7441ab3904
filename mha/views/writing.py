"""Let it write: the words that a model writes, and the attention of one head at each step."""

from __future__ import annotations

from typing import Any

import numpy as np

from mha.engine.writing import predicted_step, written
from mha.formats import markdown, whole_percent
from mha.maps import HeadId
from mha.models.files.rows import ModelRow
from mha.models.watch.generating import Generation
from mha.tokens import Token
from mha.views import next_word
from mha.views.next_word import SMALLEST_ARC
from mha.views.shares import share

N_WRITTEN = 10


def refusal(text: str, row: ModelRow) -> str:
    """Return why this model writes nothing after this text, or "" if it writes."""
    if row.predicts == "mask":
        return f"{row.short} fills gaps; it does not write. Choose a model that does, as SmolLM2."
    return next_word.refusal(text, row)


def generate(text: str, model: str) -> Generation:
    """Return at most ten tokens that a model writes, the likeliest each time, with all heads on.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.generate`.
    """
    return written(text, model, N_WRITTEN, None)


def attention_at(generation: Generation, step: int, head: HeadId) -> np.ndarray:
    """Return the attention of a head before the word of a step, counted from 1, is written: float32 [key].

    Keys are the tokens before that word; of an encoder–decoder they are the tokens of the text.
    """
    row: np.ndarray = generation.looks(step - 1, "cross" if is_cross(generation) else "")[head]
    return row


def is_cross(generation: Generation) -> bool:
    """Return whether the attention shown is that of an encoder–decoder to its text."""
    return "cross" in generation.recording.stacks


def key_tokens(generation: Generation) -> tuple[Token, ...]:
    """Return the tokens that get the attention."""
    return generation.recording.attention("cross").key_tokens if is_cross(generation) else generation.tokens


def likeliest_head(generation: Generation, step: int) -> HeadId:
    """Return the head that gives the largest share to one token other than the first and the last before the word."""
    n_layers, n_heads = generation.looks(step - 1, "cross" if is_cross(generation) else "").shape[:2]
    heads = [HeadId(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    return max(heads, key=lambda head: attention_at(generation, step, head)[1:-1].max(initial=0))


def sentence_data(text: str, model: str, generation: Generation, step: int, head: HeadId) -> dict[str, Any]:
    """Return the text and the written words at a step: the arcs of a head, and the likeliest words of that step.

    Of an encoder–decoder it is the text, tinted by the cross-attention; its likeliest words are those of `predict`.
    """
    tokens, row, cross = key_tokens(generation), attention_at(generation, step, head), is_cross(generation)
    query = generation.n_read + step - 2  # the token before the written one
    states = ["written" if number <= query + 1 else "later" for number in range(len(tokens))]
    prediction = None if cross else predicted_step(text, model, N_WRITTEN, None, step - 1)
    likeliest = [] if prediction is None else list(zip(prediction.words, prediction.probabilities, strict=True))
    return {
        "tokens": [
            {"text": token.text, "space": number > 0 and token.start > tokens[number - 1].end}
            | {"state": "" if cross or number < generation.n_read else states[number]}
            for number, token in enumerate(tokens)
        ],
        "gap": "none",
        "mask": None if cross else query + 1,
        "title": f"Likeliest words at step {step}",
        "hint": "",
        "candidates": [
            {"name": name, "word": "", "before": float(p), "after": None, "text": share(float(p)), "on": False}
            | {"label": f"{name}: {share(float(p))}"}
            for name, p in likeliest[:4]
        ],
        "attention": {
            "head": str(head), "query": None if cross else query, "first": None if cross else 0,
            "from": generation.tokens[query].text, "least": SMALLEST_ARC,
            "shares": [round(float(value), 4) for value in row] + [0.0] * (len(tokens) - len(row)),
        },
    }  # fmt: skip


def finding(generation: Generation, step: int, head: HeadId) -> str:
    """Return which token gets most of a head's attention before a word is written; the first token is one of them."""
    row, tokens = attention_at(generation, step, head), key_tokens(generation)
    key = int(row.argmax())
    places = {} if is_cross(generation) else {len(row) - 1: "itself, ", 0: "the first "}
    which = places.get(key, "")
    word, target = markdown(generation.written[step - 1].text), markdown(tokens[key].text)
    return f"To write *{word}*, `{head}` gives {share(float(row[key]))} of its attention to {which}*{target}*."


def steps_data(generation: Generation, step: int, head: HeadId) -> dict[str, Any]:
    """Return the attention of one head at every step as a map: written words × tokens before them, in whole per cents.

    The share of the first token of a text that is written on stands in the last column, outside the colours. Words that
    are written later have 0.
    """
    tokens, first = key_tokens(generation), 0 if is_cross(generation) else 1
    rows = [attention_at(generation, number + 1, head) for number in range(generation.n_steps)]
    shares = np.zeros((len(rows), len(tokens)))
    for number, row in enumerate(rows):
        shares[number, : len(row)] = row
    last = len(tokens) if is_cross(generation) else len(tokens) - 1  # no word is written from the last one
    rest = shares[:, :first].sum(axis=1)
    cells = [
        [whole_percent(value) for value in [*row, aside]]
        for row, aside in zip(shares[:, first:last], rest, strict=True)
    ]
    key = int(shares[step - 1, first:last].argmax())
    panel = {
        "title": "written word × earlier tokens",
        "columns": [token.text for token in tokens[first:last]],
        "cells": cells,
    }
    return {
        "head": str(head), "about": "attention before each word is written", "panels": [panel],
        "rows": [token.text for token in generation.written], "frame": [step - 1, key], "has_scale": True,
        "rest": f"first {tokens[0].text}" if first else "else", "note": "Words that are written later have no share.",
    }  # fmt: skip


def steps_text(generation: Generation) -> str:
    """Return the written words and how the model chooses them."""
    words = " ".join(f"*{markdown(token.text)}*" for token in generation.written)
    end = " It ended there." if generation.ended else ""
    return f"Written: {words}. The model writes the likeliest word each time, right or wrong, with all heads on.{end}"
