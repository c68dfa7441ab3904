"""What is printed below a figure: one paragraph, true of its numbers whatever sentence and model they are of."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mha.analysis.sinks import SetAside
from mha.figures.print import panels
from mha.figures.print.arcs import DRAWN_FROM, NUMBERED_FROM
from mha.figures.print.carried import Carries
from mha.figures.print.figure import WantedFigure
from mha.figures.print.marks import clean
from mha.figures.print.table import SHOWN_FROM
from mha.formats import cut, listed, percent, signed
from mha.intervention.outcomes import Patch
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.words import right_to_left

ORIGIN = {
    "toy": "a toy example whose numbers were set by hand",
    "trained here": "a small model trained for this program",
    "pretrained": "pretrained",
    "unknown origin": "weights of unknown origin",
    "scrambled twin": "its weights shuffled within each matrix: a control, not a trained model",
    "untrained twin": "its weights drawn at random: a control, not a trained model",
    "imported": "numbers read from a file or array",
}
BROUGHT_TOLD = "Contribution of columns to rows (‖weight · value · W_O‖ as a share)"
MOST_TEXT = 400  # characters of a sentence in a caption


def model_told(maps: AttentionMaps) -> str:
    """Return the model, where its numbers are from, and how many heads it has."""
    return _model(maps.model, maps.origin, maps.n_layers, maps.n_heads)


def _model(name: str, origin: str, n_layers: int, n_heads: int) -> str:
    of = f"{n_layers} {'layer' if n_layers == 1 else 'layers'} of {n_heads} "
    of += f"{'head' if n_heads == 1 else 'heads'}, counted from 0"
    return f"{clean(name) or 'a model without a name'} ({ORIGIN[origin]}; {of})"


def sentence_told(maps: AttentionMaps, hidden: bool) -> str:
    """Return the sentence in quotation marks, or that it is not given."""
    if hidden:
        return "a sentence that is not given"
    if not maps.text:
        return "the tokens on the axes"
    texts = [quoted(text) for text in (maps.text, maps.pair) if text]
    return " and ".join(texts)


def quoted(text: str) -> str:
    """Return a text in quotation marks, cut where it would fill the page."""
    return f"“{cut(' '.join(clean(text).split()), MOST_TEXT)}”"


def numbers_told(maps: AttentionMaps, heads: Sequence[HeadId], aside: SetAside | None, stepped: bool = True) -> str:
    """Return what a row and a share are, and whether rows are whole."""
    unit = "word" if maps.units == "words" else "token"
    row = f"Each row is a {unit} and shows "
    row += "where it looks" if maps.measure == ATTENTION else "the contribution of each column to it, by size"
    if maps.kind == "cross":
        row += "; columns are the text that is read"
    told = [row + ("; columns run from right to left" if right_to_left(maps.text) else "") + "."]
    lacks = max((float(maps.absent_mass[head].max(initial=0)) for head in heads), default=0)
    if aside is not None:
        told.append(aside_told(aside, heads))
    elif lacks:
        told.append(f"A row sums to 100\u00a0% at most; up to {percent(lacks)} of one goes to none of the columns.")
    else:
        told.append("A row sums to 100\u00a0%.")
    if maps.units == "words":
        told.append("Attention to a word is the sum over its tokens, attention from a word their mean.")
    if not maps.visible.all():
        told.append(
            "Cells beyond the stepped line are hidden from the row by the model’s mask."
            if stepped
            else "The model’s mask hides from a row what comes after it."
        )
    return " ".join(told)


def aside_told(aside: SetAside, heads: Sequence[HeadId]) -> str:
    """Return what was excluded."""
    names = list(dict.fromkeys(clean(token.text) for token in aside.sinks))
    if not names:
        return "Nothing is excluded, and a row sums to 100\u00a0%."
    told = f"What goes to {listed(names)} is excluded and each row rescaled, so that it sums to 100\u00a0%"
    empty = any(bool(aside.empty[head].any()) for head in heads)
    return told + ("; a row with less than 1\u00a0% left is empty." if empty else ".")


def specials_told(maps: AttentionMaps) -> str:
    """Return which labels are special tokens; "" where none is."""
    tokens = (*maps.tokens, *maps.key_tokens)
    names = list(dict.fromkeys(clean(token.text) for token in tokens if token.special))
    if not names:
        return ""
    return f"{listed(names)} {'is a special token' if len(names) == 1 else 'are special tokens'}, added by the model."


def ended(sentence: str) -> str:
    """Return a sentence with its full stop; one that ends with a quoted sentence has it."""
    return sentence if re.search("[.?!…]”$", sentence) else sentence + "."


def joined(*sentences: str) -> str:
    """Return sentences as one paragraph, without those that are empty."""
    return " ".join(sentence for sentence in sentences if sentence)


def map_caption(asked: WantedFigure, numbers: bool) -> str:
    """Return the caption of one head, or of heads side by side."""
    maps, heads = asked.maps, asked.heads
    what = "Attention" if maps.measure == ATTENTION else BROUGHT_TOLD
    if len(heads) == 1:
        first = f"{what}, head {heads[0]}"
    else:
        named = listed([f"({letter}) {head}" for letter, head in zip("abcd", heads, strict=False)])
        first = f"{what}, heads {named}"
    counted = ""
    if numbers and any(bool((np.asarray(maps[head]) >= SHOWN_FROM).any()) for head in heads):
        counted = f"Numbers are per cent, from {percent(SHOWN_FROM)}."
    return joined(
        ended(f"{first} of {model_told(maps)} for {sentence_told(maps, asked.hidden)}"),
        numbers_told(maps, heads, asked.aside),
        f"Colour runs from 0 to 100\u00a0%{', the same in all maps' if len(heads) > 1 else ''}.",
        counted,
        specials_told(maps),
    )


def arcs_caption(asked: WantedFigure, query: int) -> str:
    """Return the caption of a sentence with arcs from one word."""
    maps, heads, aside = asked.maps, asked.heads, asked.aside
    word = quoted(maps.tokens[query].text)
    attention = maps.measure == ATTENTION
    named = f"{heads[0]}" if len(heads) == 1 else f"{heads[0]} (above) and {heads[1]} (below)"
    first = (
        f"Where {word} looks in {named}" if attention else f"What {word} receives from other words in {named}, by size"
    )
    lacks = max(float(maps.absent_mass[head][query]) for head in heads)
    return joined(
        ended(f"{first} of {model_told(maps)}: {sentence_told(maps, asked.hidden)}"),
        f"The width of an arc is its share of {'the word’s attention' if attention else 'the word’s row'}",
        f"(9\u00a0pt are 100\u00a0%); arcs from {percent(DRAWN_FROM)}, numbers from {percent(NUMBERED_FROM)} where "
        "they have room,",
        "the largest share of a head is darker.",
        "Special tokens and the word itself have no arc."
        if any(token.special for token in maps.tokens)
        else "The word itself has no arc.",
        aside_told(aside, heads) if aside is not None else "",
        f"Up to {percent(lacks)} goes to nothing that is shown." if lacks and aside is None else "",
    )


def grid_caption(asked: WantedFigure) -> str:
    """Return the caption of all heads."""
    maps, framed = asked.maps, asked.heads
    what = "Attention" if maps.measure == ATTENTION else BROUGHT_TOLD
    return joined(
        ended(f"{what}, all heads of {model_told(maps)} for {sentence_told(maps, asked.hidden)}"),
        numbers_told(maps, maps.heads, asked.aside, stepped=False),
        "Colour runs from 0 to 100\u00a0% in 33 steps, the same in all maps.",
        f"Framed: {listed(list(map(str, framed)))}." if framed else "",
    )


def change_caption(asked: WantedFigure, second: AttentionMaps) -> str:
    """Return the caption of one head in two versions, and of their difference."""
    first, head, hidden = asked.maps, asked.heads[0], asked.hidden
    what = "Attention" if first.measure == ATTENTION else BROUGHT_TOLD
    of_second = f" of {model_told(second)}" if (first.model, first.origin) != (second.model, second.origin) else ""
    drawn = "The area of a square in (c) is the change from (a) to (b) in percentage points, from "
    drawn += f"{round(100 * panels.CHANGE_FROM)} points on; a whole cell would be 100. Filled: more in (b); open: less."
    place = panels.largest_change(first, second, head)
    if place is None:
        moved = "No cell changes that much."
    else:
        row, column = (quoted(first.tokens[one].text) for one in place)
        before, after = (percent(float(maps[head][place])) for maps in (first, second))
        moved = f"The largest change: from {row} to {column}, {before} to {after}."
    stands = f"“{panels.CHANGED}” is where the words differ." if panels.changed(first, second) else ""
    return joined(
        ended(
            f"{what}, head {head} of {model_told(first)} for {sentence_told(first, hidden)} (a) and"
            f"{of_second} {sentence_told(second, hidden)} (b)"
        ),
        numbers_told(first, [head], asked.aside),
        "Colour runs from 0 to 100\u00a0%, the same in (a) and (b).",
        drawn,
        stands,
        moved,
        specials_told(first),
    )


def carry_caption(patch: Patch, heads: Sequence[Carries], hidden: bool) -> str:
    """Return the caption of what heads carry of a change."""
    acting = np.isfinite(patch.carried) & ~patch.direct
    texts = [quoted(text) for text in (patch.text, patch.contrast)]
    between = "between two sentences that are not given" if hidden else f"between {texts[0]} and {texts[1]}"
    controlled = [one for one in heads if one.low == one.low]
    without = f", {listed([str(head) for head in patch.left_out])} left out" if patch.left_out else ""
    how = (
        "Band: from the lowest to the highest share of 15 draws of three heads of the layer together"
        f"{without}; tick: their median. Filled: outside the band."
        if controlled
        else "No controls were drawn."
    )
    lacking = "" if len(controlled) in (0, len(heads)) else "Layers with fewer than three others have no band."
    return joined(
        ended(
            f"What heads carry of the change of the score {between}, in "
            f"{_model(patch.model, patch.origin, *patch.carried.shape)}"
        ),
        "One head’s output is copied from the other version (activation patching, both directions, mean). The score is "
        "how much closer the vector of the ambiguous word is to candidate A than to B, as a difference of cosines, "
        f"after layer {patch.at - 1}: {signed(patch.margins[0], 3)} in the first sentence, "
        f"{signed(patch.margins[1], 3)} in the second.",
        f"The {len(heads)} largest shares by size, of the {int(acting.sum())} heads of the layers before it."
        if len(heads) < acting.sum()
        else f"All {len(heads)} heads of the layers before it.",
        "Shares can be negative and do not add up.",
        how,
        lacking,
    )
