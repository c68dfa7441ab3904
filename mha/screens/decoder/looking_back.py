"""What is said and drawn of a model that writes: each step, a head over all steps, all heads with roles, shared keys.

The component "writing" has the text with the looks of one step, all heads at it, one head at all steps.
"""

from __future__ import annotations

import numpy as np

from mha.analysis.backwards import NAMED_FROM
from mha.analysis.sinks import measured_sinks
from mha.formats import counted, listed, percent, whole_percent, whole_percents
from mha.link.heads import CHANCE
from mha.maps import HeadId
from mha.screens.blocks import Drawing, Spans, say, word
from mha.screens.decoder.writing import Writing, shown_text
from mha.screens.heads.layouts import laid_out
from mha.screens.shown import own_sink
from mha.words import right_to_left

SPACES = ("Ġ", "▁", " ")  # that tokenizers write for white space before a token
FEW_HEADS = 16  # of a model whose heads all say that no role stands out


def drawing(written: Writing) -> Drawing:
    """Return everything that the slider moves through: it needs no server."""
    found, back, maps = written.found, written.back, written.maps
    n_heads = maps.n_layers * maps.n_heads
    first = written.hidden
    columns = back.columns[first:]
    names = written.names
    unit = written.unit
    header = {
        "layers": maps.n_layers,
        "heads": maps.n_heads,
        "unit": unit,
        "texts": [shown_text(maps.tokens[place]) for place in columns],
        "columns": list(columns),
        "names": list(names),
        "plain": [shown_text(token) for token in maps.tokens],
        "spaces": [_spaced(written, place) for place in columns],
        "rows": list(back.rows),
        "n_read": found.n_read,
        "steps": found.n_steps,
        "step": written.step,
        "pin": written.head.layer * maps.n_heads + written.head.head,
        "chosen": written.chosen,
        "ended": found.ended,
        "chances": [chance(float(share)) for share in found.probabilities],
        "windows": list(found.recording.layouts["self"].windows) if "self" in found.recording.layouts else [],
        "large": written.view.large,
        "rtl": right_to_left(maps.text),
        "roles": [role_text(written, head, short=False) for head in maps.heads],
        "say": {
            "looks": templates(written),
            "writes": writes(written),
            "title": f"All {n_heads} heads at this step" if n_heads > 1 else "The head at this step",
            "stairs": f"at all {found.n_steps} steps" if found.n_steps > 1 else "at its one step",
            "caption": stairs_caption(written),
            "aside": f"to {sink_of(written)}" if written.view.sinks else "",
            "absent": "not written yet",
            "hidden": not_drawn(written),
            "label": alternative(written),
            "chosen": "picked for you",
        },
    }
    shares = whole_percents(back.shares[..., first:]).reshape(found.n_steps, n_heads, len(columns))
    looks = np.zeros((found.n_steps, n_heads, 3), dtype=np.uint16)
    for step in range(found.n_steps):
        for number, head in enumerate(maps.heads):
            looks[step, number] = _look(written, step, head)
    mass = whole_percents(back.mass).reshape(found.n_steps, n_heads)
    return Drawing(header, {"shares": shares, "mass": mass, "looks": looks})


def _look(written: Writing, step: int, head: HeadId) -> tuple[int, int, int]:
    """Return the strongest look of a head at a step: a place of all tokens, whole per cents, how it is told."""
    row = written.back.shares[step, head.layer, head.head]
    empty = bool(written.back.empty[step, head.layer, head.head])
    place = written.back.columns[int(row.argmax())]
    return place, whole_percent(float(row.max())), case_of(written, step, place, empty)


def _spaced(written: Writing, place: int) -> bool:
    """Return whether white space stands before a token: of one word, or not, its pieces touch."""
    if place == 0:
        return False
    token, before = written.maps.tokens[place], written.maps.tokens[place - 1]
    if token.end <= token.start:  # where it stands in the text is not known
        return token.special or token.raw[:1] in SPACES
    return before.special or token.start > before.end


def alone(drawing: Drawing, about: Spans = (), texts: tuple[str, ...] = ()) -> Drawing:
    """Return the overview without its sentence and finding, which another component has."""
    return Drawing(
        {**drawing.header, "alone": True, "texts": list(texts), "about": about, "roles": None}, drawing.arrays
    )


def with_roles(drawing: Drawing, written: Writing) -> Drawing:
    """Return the overview of what was read and written, with the role of each head on this text."""
    few = len(written.maps.heads) <= FEW_HEADS
    texts = tuple(role_text(written, head, short=not few) for head in written.maps.heads)
    return alone(drawing, roles_about(written), texts)


BACK, COPY, BEFORE, ITSELF, EMPTY = range(5)  # how the strongest look of a row is told


def case_of(written: Writing, step: int, place: int, empty: bool) -> int:
    """Return how the strongest look of a row, at a place of all tokens, is told."""
    row = written.back.rows[step]
    tokens = written.maps.tokens
    if empty:
        return EMPTY
    if place == row:
        return ITSELF
    before = tokens[place - 1] if place else tokens[place]
    if 0 < place <= row and not before.special and before.text == tokens[row].text:
        return COPY
    return BEFORE if place == row - 1 else BACK


def templates(written: Writing) -> list[Spans]:
    """Return the sentence of a step by its case, with the slots that the browser fills for any head and step."""
    unit, aside = written.unit, written.view.sinks
    of = f"of its attention to {unit}s" if aside else "of its attention"
    look = f"Step {{step}} of {{steps}}. After {{query}}, {{head}} gives {{key}} {{percent}} {of}."
    own = f"Step {{step}} of {{steps}}. At {{query}}, {{head}} gives {{percent}} {of} to that {unit} itself. "
    return [
        _spans(f"{look} "),
        _spans(f"{look} That {unit} came after {{plain}} earlier in the text. "),
        _spans(f"{look} That is the previous {unit}. "),
        _spans(own),
        _spans(
            f"Step {{step}} of {{steps}}. After {{query}}, {{head}} hardly looks at the {unit}s: {{mass}} of its "
            "attention goes to excluded tokens. "
        ),
    ]


def _spans(template: str) -> Spans:
    """Return a template as spans in which the slots stay for the browser: words as words, heads as heads."""
    plain = {name: f"{{{name}}}" for name in ("step", "steps", "percent", "mass", "chance")}
    words = {name: word(f"{{{name}}}") for name in ("query", "key", "plain", "new")}
    return say(template, **plain, **words, head=("head", "{head}"))


def writes(written: Writing) -> tuple[Spans, Spans]:
    """Return how the written token is told: as a word, and as the sign with which the model ends."""
    by_chance = ", drawn at random" if written.choices.how == CHANCE else ""
    return (
        _spans(f"The model writes {{new}} (probability {{chance}}{by_chance})."),
        _spans(f"The model stops here (probability of stopping: {{chance}}{by_chance})."),
    )


def chance(share: float) -> str:
    """Return what a model gave to a token, in words where it is less than a per cent."""
    return percent(share) if whole_percent(share) else "less than 1\u00a0%"


def sink_of(written: Writing) -> str:
    """Return the excluded tokens in words: the first, special ones and measured sinks that were read, and no token."""
    read = written.maps.tokens[: written.found.n_read]
    named = [token.text if token.special else f"the first {written.unit}" for token in read[:1]]
    measured = measured_sinks(written.maps)
    named += [token.text for place, token in enumerate(read) if place and (token.special or measured[place])]
    named += [token.text for token in own_sink(written.maps)]
    return listed(list(dict.fromkeys(named)))


def stairs_caption(written: Writing) -> Spans:
    """Return what the picture of one head over all steps shows, and how it walks on where it does."""
    unit = written.unit
    first = f"One row per new {unit}; the framed row is this step."
    rows = written.back.shares[:, written.head.layer, written.head.head]
    told = ~written.back.empty[:, written.head.layer, written.head.head]
    places = rows.argmax(axis=-1)
    pairs = [step for step in range(1, len(rows)) if told[step] and told[step - 1]]
    onward = sum(int(places[step] == places[step - 1] + 1) for step in pairs)
    role, _ = written.roles.get(written.head, ("", 0.0))
    if len(pairs) < 2 or onward <= NAMED_FROM * len(pairs):
        return say(first)
    sign = ", as an induction head does in a list" if role == "the word after the same word" else ""
    return say(f"{first} In {onward} of {len(pairs)} steps its strongest connection moves on by one {unit}{sign}.")


def role_text(written: Writing, head: HeadId, short: bool) -> str:
    """Return what stands under a head's map: its role on this text with its share, or that none stands out."""
    if head not in written.roles:
        return "" if short else "no clear pattern"
    name, share = written.roles[head]
    name = name.replace("word", written.unit)
    if short:
        name = name.removeprefix("the ").replace(f"{written.unit} after the same {written.unit}", "after the same")
    return f"{name}{' ' if short else ', '}{percent(share)}"


def roles_about(written: Writing) -> Spans:
    """Return the line under all maps: what rows and columns are, what roles are measured on, who shares keys."""
    unit = written.unit
    count = len(written.drawn.tokens)
    rule = (
        f"Rows and columns are the {counted(count)} {unit}s of the text, read and written. A pattern is named when it "
        f"takes more than {percent(NAMED_FROM)} of a head’s attention, averaged over at least three {unit}s of this "
        f"text."
    )
    return say(f"{rule} {laid_out(written.found.recording.layouts.get('self'))}".rstrip())


def above(written: Writing) -> str:
    """Return how much was written, for the line beside the controls."""
    n, most = written.found.n_steps, written.choices.most
    ended = "; the model stopped" if written.found.ended else ""
    return f"{n} of {most} {written.unit}s written{ended}"


def not_drawn(written: Writing) -> Spans:
    """Return what has no column because there are too many, and the most that goes there; nothing where all have."""
    if not written.hidden:
        return ()
    most = float(written.back.shares[..., : written.hidden].sum(axis=-1).max())
    return say(
        f"The first {counted(written.hidden)} {written.unit}s are not shown; up to {percent(most)} of a "
        "head’s attention goes there."
    )


def alternative(written: Writing) -> str:
    """Return the pictures' text alternative: the pinned head's strongest look at every step."""
    names, rows = written.names, written.back.shares[:, written.head.layer, written.head.head]
    empty = written.back.empty[:, written.head.layer, written.head.head]
    looks = [
        f"{step + 1} {shown_text(written.found.written[step])}: "
        + ("all excluded" if empty[step] else f"{names[written.back.columns[int(row.argmax())]]} {percent(row.max())}")
        for step, row in enumerate(np.asarray(rows))
    ]
    return f"Head {written.head}, step by step: " + "; ".join(looks) + "."
