"""The words in pictures that are the same whatever is drawn: names of axes and bands, what marks and colours stand for.

By the kind of block that they stand in, a `Key` by its style. A browser has them once, with the colours and the
glossary, so that they cost no rerun; what depends on numbers or words of the text is in the block itself. The browser
fills the slots in braces.
"""

from __future__ import annotations

from mha.analysis.floor import POINT

ONE_AXIS = "the same heads on one axis"

LEGENDS: dict[str, dict[str, str]] = {
    "carried_bars": {
        "band": f"control limit for one head: {POINT * 100:.0f} of 100 control swaps stay within this band",
        "band_short": "band: control limit",
    },
    "carried_legend": {
        "top": "{share} of the score change",
        "empty": "within the control limit",
        "negative": "opposite direction",
        "direct": "scored layer",
    },
    "carried_map": {
        "axis": ONE_AXIS,
        "axis_with": f"{ONE_AXIS}; band: three others",
        "direct": "scored layer",
        "absent": "later layers: cannot affect the score",
    },
    "effect_map": {"later": "later layer"},
    "lean_legend": {
        "ramp": "from only B, teal, to only A, amber",
        "from": "only B",
        "even": "equal",
        "to": "only A",
        "sizes": "marks of 30, 60 and 100 per cent",
        "colour": "Colour and shape: which candidate",
        "size": "Size: attention to both candidates together",
    },
    "marks_key": {
        "a": "more with A",
        "b": "more with B",
        "none": "little to either",
        "ring": "largest lean",
        "back": "previous word",
        "ahead": "next word",
        "itself": "itself",
    },
    "maxima": {"axis": "largest lean of any head", "here": " here, {lean}"},
    "second_words": {
        "and": "and",
        "change": "{word}: change the second word",
        "take": "Use it",
        "one_word": "Please type one word.",
        "taken": "This word is already in use.",
    },
}
