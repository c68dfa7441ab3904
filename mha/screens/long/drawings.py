"""The parts of the view of a long text, with their sentences: the window with its strip, the profiles, the overview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.analysis.looks import Look
from mha.figures.thumbnails import encode_roots, pool_largest
from mha.formats import percent, whole_percent
from mha.maps import HeadId
from mha.screens.blocks import Drawing, Said, Span, as_text, say
from mha.screens.long.surveyed import AT, CELLS, FULL, SurveyedText, top_of

NO_LINE = "No other token does."
NO_MAP = "Hatched: not computed yet."
AROUND = 44  # characters on each side of the token in a line of text


def finding(long: SurveyedText) -> Said:
    """Return the sentence of the view: the hardest look at the locked token, or from it."""
    found, token = long.survey, long.name(long.token)
    n_heads = found.n_layers * found.n_heads
    number = f"token {long.token:,}"
    if long.hardest is None or long.hardest[1].weight <= 0:
        none = "In no head does another token look at {token} ({number})."
        sentence = none if long.at else "{token} ({number}) looks at no other token."
        return Said("cell-lead lead", say(sentence, token=token, number=number))
    head, look = long.hardest
    other = look.query if long.at else look.key
    distance = abs(look.query - look.key)
    way = "later" if other > long.token else "before"
    far = f"{distance:,} {'token' if distance == 1 else 'tokens'} {way}"
    share = percent(look.weight) if look.weight >= 0.005 else "less than 1\u00a0%"
    many = f"Of {n_heads:,} heads, {{head}} looks" if n_heads > 1 else "The only head, {head}, looks"
    if long.at:
        line = f"{many} most at {{token}} ({number}): from {{other}}, {far}, {share} of its attention."
    else:
        line = f"{many} most from {{token}} ({number}): to {{other}}, {far}, {share} of its attention."
    return Said("cell-lead lead", say(line, head=head, token=token, other=long.name(other)))


def lines_title(long: SurveyedText) -> tuple[Span, ...]:
    """Return the title of the hardest looks."""
    token = long.name(long.token)
    return say("Most attention to {token}" if long.at else "{token} gives most attention to", token=token)


def ink(long: SurveyedText) -> tuple[Span, ...]:
    """Return what the ink in the window means."""
    token = long.name(long.token)
    absent = ""
    if long.survey.causal:
        later, earlier = " Grey: later words, which it cannot see.", " Grey: earlier words, which cannot look ahead."
        absent = earlier if long.at else later
    way = "to" if long.at else "from"
    return say(f"A stronger colour means more attention {way} {{token}} in this head.{absent}", token=token)


def map_about(long: SurveyedText) -> str:
    """Return what stands under the map of the window: its direction, and what is framed in it."""
    if long.whole is None:
        return NO_MAP
    way = "look back at" if long.survey.causal else "look at"
    framed = f" {as_text((long.name(long.token),))}: the framed {'column' if long.at else 'row'}."
    return f"Rows {way} columns, inside the window." + (framed if long.token in long.window else "")


def profiles_title(long: SurveyedText) -> tuple[Span, ...]:
    """Return the title of the profiles."""
    token = long.name(long.token)
    if long.at:
        return say("Attention to {token}, whole text", token=token)
    return say("Attention from {token}, whole text", token=token)


def profiles_about(long: SurveyedText) -> str:
    """Return the line under that title."""
    n_heads = long.survey.n_layers * long.survey.n_heads
    line = f"One line per head ({n_heads:,})."
    if not long.survey.causal:
        return line
    return f"{line} Hatched: {'tokens that cannot see it' if long.side == AT else 'tokens it cannot see'}."


def reader(long: SurveyedText) -> Drawing:
    """Return the strip of the whole text, the window of 64 tokens as text and as a map, and the hardest looks."""
    window, tokens, text = long.window, long.survey.tokens, long.survey.text
    own = long.values[long.head]
    pieces = []
    for place in window:
        token = tokens[place]
        apart = token.special or token.start == 0 or text[token.start - 1].isspace()
        pieces.append([token.text, int(apart), int(token.special), int(long.absent[place])])
    header: dict[str, Any] = {
        "part": "reader",
        "head": str(long.head),
        "chosen": long.chosen,
        "token": long.token,
        "name": as_text((long.name(long.token),)),
        "start": window.start,
        "count": len(window),
        "tokens": long.n_tokens,
        "cell": long.cell,
        "pieces": pieces,
        "at": long.at,
        "causal": long.survey.causal,
        "hits": list(long.hits),
        "search": long.search,
        "title": lines_title(long),
        "ink": ink(long),
        "lines": [_line(long, look) for look in long.lines],
        "map": long.whole is not None,
        "say": {"none": NO_LINE, "map": map_about(long)},
        "tops": {"window": top_of(own[window.start : window.stop], 0.995, long.n_tokens)},
        "strip_top": top_of(long.pooled()[..., : len(long.absent)], 0.997, long.n_tokens),
    }
    strip = pool_largest(own[None], CELLS)[0] if long.cell > 1 else own
    arrays = {
        "strip": encode_roots(strip),
        "ink": np.rint(np.clip(own[window.start : window.stop], 0, 1) * FULL).astype(np.uint16),
    }
    if long.whole is not None:
        part = long.whole[window.start : window.stop, window.start : window.stop]
        arrays["map"] = np.ascontiguousarray(part)
        header["tops"]["map"] = top_of(_seen(part, long.survey.causal) / FULL, 0.995, long.n_tokens)
    return Drawing(header, arrays)


def _seen(part: np.ndarray, causal: bool) -> np.ndarray:
    """Return the weights of a square part of a map that the mask leaves."""
    return part[np.tril_indices(len(part))] if causal else part.ravel()


def _line(long: SurveyedText, look: Look) -> dict[str, Any]:
    """Return one look as a line of text with the other token in the middle."""
    place = look.query if long.at else look.key
    token, text = long.survey.tokens[place], long.survey.text
    before = text[max(0, token.start - AROUND) : token.start]
    after = text[token.end : token.end + AROUND]
    return {
        "place": place,
        "percent": whole_percent(look.weight),
        "before": ("…" if token.start > AROUND else "") + before,
        "token": text[token.start : token.end] or token.text,
        "after": after + ("…" if token.end + AROUND < len(text) else ""),
    }


def profiles(long: SurveyedText) -> Drawing:
    """Return every head's weights at the locked token, or from it, a line each."""
    header = {
        "part": "profiles",
        "layers": long.survey.n_layers,
        "heads": long.survey.n_heads,
        "head": str(long.head),
        "token": long.token,
        "name": as_text((long.name(long.token),)),
        "tokens": long.n_tokens,
        "cell": long.cell,
        "causal": long.survey.causal,
        "at": long.at,
        "top": top_of(long.values[..., ~long.absent], 0.997, long.n_tokens),
        "label": as_text(profiles_title(long)) + ". " + as_text(finding(long).spans),
    }
    return Drawing(header, {"weights": encode_roots(long.pooled())})


def overview(layers: Sequence[np.ndarray], n_layers: int, cell: int, pin: HeadId | None, causal: bool) -> Drawing:
    """Return every head as at most 48 × 48 cells; of layers that are not done yet nothing is there."""
    done = np.stack(list(layers))  # [layer, head, cell, cell]
    seen = done[..., *np.tril_indices(done.shape[-1])] if causal and done.shape[-1] == done.shape[-2] else done
    header = {
        "part": "overview",
        "layers": n_layers,
        "done": len(layers),
        "heads": done.shape[1],
        "side": done.shape[-1],
        "cell": cell,
        "head": str(pin) if pin is not None else "",
        "causal": causal,
        "top": top_of(seen, 0.97, cell * done.shape[-1]),
        "label": f"{len(layers) * done.shape[1]} heads, each as {done.shape[-2]} × {done.shape[-1]} cells",
    }
    return Drawing(header, {"cells": encode_roots(done)})
