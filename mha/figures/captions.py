"""Captions of print figures: one paragraph that is true of the numbers, with their model, scale and exclusions."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mha.analysis.sinks import SetAside
from mha.figures.print import ARC_FROM, CHANGE_FROM, CHANGED, COLOURS, NUMBERED_FROM, changed, largest_shares
from mha.formats import clean, cut, listed, percent, signed
from mha.intervention.outcomes import Patch
from mha.maps import ATTENTION, AttentionMaps, HeadId

ORIGINS = {
    "toy": "a toy example with weights set by hand",
    "trained here": "a small model trained for this program",
    "scrambled twin": "a control with its weights shuffled within each matrix",
    "untrained twin": "a control with random weights",
    "imported": "numbers from a file or array",
}
MOST_TEXT = 400  # characters of a sentence in a caption


def describe_model(name: str, revision: str, origin: str, n_layers: int, n_heads: int) -> str:
    """Return a model with its origin, revision and number of heads."""
    heads = f"{n_layers} layer{'s' * (n_layers != 1)} of {n_heads} head{'s' * (n_heads != 1)}, counted from 0"
    details = "; ".join(filter(None, (ORIGINS.get(origin, origin), clean(revision), heads)))
    return f"{clean(name) or 'a model without a name'} ({details})"


def quote(text: str) -> str:
    """Return a text in quotation marks, at most 400 characters of it."""
    return f"“{cut(' '.join(clean(text).split()), MOST_TEXT)}”"


def describe_rows(maps: AttentionMaps, heads: Sequence[HeadId], excluded: SetAside | None) -> str:
    """Return the meaning of a row, its sum, and which tokens are excluded, merged, masked or special."""
    unit, read = "word" if maps.units == "words" else "token", "; columns are the other text" * (maps.kind == "cross")
    share = "its attention" if maps.measure == ATTENTION else "the contribution of each column to it, by size"
    absent = max((float(maps.absent_mass[head].max(initial=0)) for head in heads), default=0)
    names = ", ".join(dict.fromkeys(clean(token.text) for token in excluded.sinks)) if excluded else ""
    total = f"A row sums to at most 100\u00a0%; up to {percent(absent)} of one goes to none of the columns."
    if names and excluded:
        total = f"Attention to {names} is excluded; each row is rescaled and sums to 100\u00a0%"
        is_empty = any(excluded.empty[head].any() for head in heads)
        total += "; a row with less than 1\u00a0% left is empty." if is_empty else "."
    elif not absent:
        total = "A row sums to 100\u00a0%."
    special = ", ".join(dict.fromkeys(clean(t.text) for t in (*maps.tokens, *maps.key_tokens) if t.special))
    return join(
        (
            f"Each row is a {unit} and shows {share}{read}. {total}",
            "Attention to a word is the sum over its tokens, attention from a word their mean." * (unit == "word"),
            "The model’s mask hides later words from a row." * (not maps.visible.all()),
            f"The model adds the special tokens {special}." if special else "",
        )
    )


def describe_maps(
    kind: str, maps: AttentionMaps, heads: Sequence[HeadId], query: int = 0, excluded: SetAside | None = None,
    second: AttentionMaps | None = None, hides_text: bool = False, notes: str = "",
) -> str:  # fmt: skip
    """Return the caption of a map, maps, arcs, all heads, or a change; ``notes`` come from the drawing."""
    measure = "Attention" if maps.measure == ATTENTION else "Contribution (‖weight · value · W_O‖ as a share)"
    texts = [" and ".join(quote(text) for text in (one.text, one.pair) if text) for one in (maps, second or maps)]
    first, then = ("a sentence that is not given" if hides_text else text or "the tokens on the axes" for text in texts)
    lettered = listed([f"({letter}) {head}" for letter, head in zip("abcd", heads, strict=False)])
    names, word = listed(list(map(str, heads))), quote(maps.tokens[query].text) if maps.tokens else ""
    subject = {"map": f"head {names}", "maps": f"heads {lettered}", "grid": "all heads", "change": f"head {names}"}
    subject["arcs"] = f"from {word} in " + (f"{heads[0]} (above) and {heads[1]} (below)" if heads[1:] else names)
    model = describe_model(maps.model, maps.revision, maps.origin, maps.n_layers, maps.n_heads)
    rows, scale = (
        describe_rows(maps, heads or maps.heads, excluded),
        f"Colour runs from 0 to 100\u00a0% in {COLOURS} steps.",
    )
    sentences = [f"{measure}, {subject[kind]} of {model} for {first}.", rows, scale, notes]
    if kind == "arcs":
        width = f"The width of an arc is its share, 9\u00a0pt for 100\u00a0%; arcs from {percent(ARC_FROM)}"
        sentences[2] = (
            f"{width}, numbers from {percent(NUMBERED_FROM)} where they fit; the largest share of a head is darker."
        )
    elif kind == "grid" and heads:
        sentences.append(f"Framed: {names}.")
    elif second is not None:
        sentences[0] = sentences[0][:-1] + f" (a) and {then} (b)."
        change, points = np.abs(second[heads[0]] - maps[heads[0]]), f"{round(100 * CHANGE_FROM)} percentage points"
        place = divmod(int(change.argmax()), maps.n_keys)
        query_word, key_word = (quote(maps.tokens[position].text) for position in place)
        before, after = (percent(float(version[heads[0]][place])) for version in (maps, second))
        largest = f"The largest change: from {query_word} to {key_word}, {before} to {after}."
        sentences += [
            f"(c) The area of a square is the change from (a) to (b), from {points}; 100 fill a cell. "
            "Filled: more; open: less.",
            largest if change[place] >= CHANGE_FROM else "No cell changes that much.",
            f"“{CHANGED}” marks words that differ." if changed(maps, second) else "",
        ]
    return join(sentences)


def describe_bars(patch: Patch, hides_text: bool) -> str:
    """Return the caption of the shares of a score change that heads carry."""
    model = describe_model(patch.model, patch.revision, patch.origin, *patch.carried.shape)
    texts = "two sentences that are not given" if hides_text else f"{quote(patch.text)} and {quote(patch.contrast)}"
    shares, n_acting = largest_shares(patch), int((np.isfinite(patch.carried) & ~patch.direct).sum())
    n_controls = sum(bool(np.isfinite(controls).all()) for *_, controls in shares)
    without = f", {listed(list(map(str, patch.left_out)))} left out" if patch.left_out else ""
    band = f"Band: range of 15 draws of three heads of the layer together{without}; tick: median; filled: outside."
    return join([
        f"Share of the change of the score between {texts} that heads carry in {model}.",
        "One head’s output is copied from the other version (activation patching, both directions, mean). The score is "
        "how much closer the vector of the ambiguous word is to candidate A than to B, as a difference of cosines, "
        f"after layer {patch.at - 1}: {signed(patch.margins[0], 3)} in the first sentence, "
        f"{signed(patch.margins[1], 3)} in the second.",
        f"The {len(shares)} largest shares by size, of the {n_acting} heads of the layers before it."
        if len(shares) < n_acting else f"All {n_acting} heads of the layers before it.",
        "Shares can be negative and do not add up.",
        band if n_controls else "No controls were drawn.",
        "Layers with fewer than three other heads have no band." * (0 < n_controls < len(shares)),
    ])  # fmt: skip


def join(sentences: Sequence[str]) -> str:
    """Return sentences as a paragraph; a quoted sentence at the end keeps its own full stop."""
    return re.sub("([.?!…]”)\\.", r"\1", " ".join(filter(None, map(str.strip, sentences))))
