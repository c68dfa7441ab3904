"""The words in pictures that are the same whatever is drawn: names of axes and bands, what marks and colours stand for.

By the kind of block that they stand in. A browser has them once, with the colours and the glossary, so that they cost
no rerun; what depends on numbers or words of the text is in the block itself. The browser fills the slots in braces.
"""

from __future__ import annotations

from mha.analysis.floor import POINT

AROUND = "same reading, other word"
ONE_AXIS = "the same heads on one axis"

LEGENDS: dict[str, dict[str, str]] = {
    "atlas_heat": {"axes": "rows look at columns; each row adds up to 100\u00a0%"},
    "atlas_lean": {
        "a_beyond": "to a, above the limit",
        "b_beyond": "to b, above it",
        "a_within": "to a, within",
        "b_within": "to b, within",
        "floor": "chance limit, {lean}",
        "area": "full cell: {lean}",
        "mean": "average lean {lean}",
    },
    "atlas_map": {"aside": "to attention sinks"},
    "atlas_matrix": {
        "likes": "show most similar heads",
        "near": "{distance} or less",
        "far": "{distance} or more",
    },
    "atlas_plane": {"likes": "show most similar heads"},
    "calibration_strip": {
        "tells": "Tells them apart",
        "tells_short": "Tells the versions apart",
        "tells_of": "lean, right pairs of {n}",
        "carries": "Carries the difference",
        "carries_of": "patched, {n} pairs",
        "band": "band: no better than chance, shuffled words or the twin",
        "band_short": "band: chance limit",
    },
    "carried_bars": {
        "band": f"{AROUND}: in {POINT * 100:.0f} of 100 changes the largest head stays within this band",
        "band_short": f"band: {AROUND}",
    },
    "carried_legend": {
        "top": "{share} of the difference",
        "empty": "empty: within the floor of one head",
        "negative": "negative: away from it",
        "direct": "direct: mixes the words that are compared",
    },
    "carried_map": {"axis": ONE_AXIS, "axis_with": f"{ONE_AXIS}; band: three others", "direct": "direct"},
    "change_hero": {"first": "original", "second": "changed"},
    "change_map": {
        "named": "more than 2 × its limit",
        "beyond": "above its limit",
        "within": "within its limit",
        "both": "disc: change · ring: limit",
        "area": "full cell: {bits} bits",
        "floor": "control limit",
    },
    "change_pin": {
        "first": "before",
        "second": "after",
        "difference": "difference",
        "original": "original",
        "copy": "copy",
        "rest": "other",
        "points": "points",
    },
    "change_rank": {
        "axis": "change in bits · grey: control limit · ticks: control words",
        "word": "changed most",
    },
    "change_scale": {
        "share": "0\u00a0%",
        "less": "\u2212{points} points",
        "more": "+{points} points",
    },
    "change_words": {
        "first": "original",
        "second": "changed",
        "same": "stayed",
        "paired": "paired",
        "alone": "without a match",
        "chosen": "chosen, now one of the other sentence",
    },
    "forest": {"even": "coin toss"},
    "lean_legend": {
        "ramp": "from all to B, teal, to all to A, amber",
        "from": "all B",
        "even": "even",
        "to": "all A",
        "sizes": "marks of 30, 60 and 100 per cent",
        "colour": "Colour and shape: how the two links divide",
        "size": "Size: how much attention both links get",
    },
    "marks_key": {
        "a": "more with A",
        "b": "more with B",
        "none": "hardly either",
        "back": "one word back",
        "ahead": "one word ahead",
        "itself": "itself",
    },
    "maxima": {"axis": "the largest lean of any head, to either side", "here": " here, {lean}"},
    "mini_heatmap": {
        "axes": "a row looks at the columns; each row adds up to 100",
        "axes_rtl": "a row looks at the columns from right to left; each row adds up to 100",
        "hatched": "; hatched: not seen",
        "aside": "set aside",
        "aside_short": "aside",
    },
    "pair_dots": {
        "axis": "score with the word that forces A, minus score with the word that forces B",
        "axis_short": "score: word that forces A, minus B",
        "mine": "this sentence {score}",
    },
    "roles": {
        "pills": "show only heads with one pattern",
        "all": "All patterns",
        "rule": "How are patterns named?",
        "order": "A head gets the first pattern that fits:",
        "near": "Dim neighbour heads",
    },
    "scatter": {
        "axis": "where it leans:  B ←   → A",
        "axis_short": "leans to B ←   → leans to A",
        "effect": "silencing it moves the score",
        "a": "towards A",
        "b": "towards B",
    },
    "score_line": {
        "axis": "how far the score moves, laid off from ",
        "around": "same reading,\nother word",
        "around_short": "same\nreading",
    },
    "second_words": {
        "and": "and",
        "change": "{word}: change the second word",
        "take": "Take it",
        "one_word": "One word, please: it stands in the place of one.",
        "taken": "That word is one of the four already.",
    },
    "sheet_carries": {"after": "later layer: cannot affect the score"},
    "steer": {"as_it_is": "as it is", "axis": "strength of {head}"},
}
