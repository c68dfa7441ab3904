"""The tested arrow: what some heads bring to a later one, over pairs and in this sentence; and both drawn on it. Pure.

Over pairs the path is told with all its controls; for one sentence it is drawn thin, with its own. The word *cause* is
not used: a path says what moves along when outputs are exchanged.
"""

from __future__ import annotations

import numpy as np

from mha.formats import few, layer_names, percent, whole_percent
from mha.intervention.calibrated import Followed, KindCalibration
from mha.screens.blocks import Block, Span, head, said, say, word
from mha.screens.pieces import text_pieces
from mha.screens.readings.blocks.carrying import Own, PathStrip, Story, Version
from mha.screens.readings.two_versions import SharedOut, looks_from_pivot, path_of

NO_PATH = "No heads bring the difference over the pairs of this kind."


def path_blocks(this: SharedOut) -> list[Block]:
    """Return the path of the kind, tested over pairs and in this sentence, and this sentence with both its steps."""
    path = this.path
    if path is None:
        return [said("finding", NO_PATH)]
    strip = _strip(path, this)
    if this.own is None:
        why = said("cap", "This sentence was not tested. {why}", why=this.why_not_own)
        return [*_headline(path, this.pivot, False), strip, why, _caption(path)]
    return [
        *_headline(path, this.pivot, _looks_at_the_change(this)),
        strip,
        _caption(path),
        Story((_version(this, path, 0), _version(this, path, 1))),
        said(
            "cap",
            "Shares of all attention that {p} gives in that head, special tokens and full stop included. Mean head: of "
            "all {n}.",
            p=this.pivot,
            n=str(this.leans[0].a.size),
        ),
    ]


def path_over_pairs(known: KindCalibration) -> list[Block]:
    """Return the path of a kind over its pairs alone."""
    path = path_of(known)
    if path is None:
        return [said("finding", NO_PATH)]
    return [*_headline(path, ("plain", "the pivot"), False), _strip(path, None), _caption(path)]


def _headline(path: Followed, pivot: Span, here: bool) -> list[Block]:
    """Return the sentence of the path; of this sentence only where its senders do look at the changed word."""
    several = len(path.senders) > 1
    count = few(len(path.senders))
    return [
        said(
            "headline",
            "{who} {look} from {p} to the changed word. What {they} {bring} turns {receiver}.",
            who=f"{count} head{'s' if several else ''}"
            if here
            else f"Over {path.n_pairs} pairs {count.lower()} head{'s' if several else ''}",
            look="look" if several else "looks",
            they="they" if several else "it",
            bring="bring" if several else "brings",
            p=pivot,
            receiver=path.receiver,
        ),
        said(
            "sub",
            f"Tested over {path.n_pairs} pairs: the outputs of {'these heads are' if several else 'this head are'} "
            "taken from the other version, and all that follows runs on (path patching: Wang et al. 2023).",
        ),
    ]


def _looks_at_the_change(this: SharedOut) -> bool:
    """Return whether every sender looks from the pivot to the changed word more than to a partner, in some version."""
    assert this.path is not None
    looks = np.fmax(*(looks_from_pivot(maps, this.ambiguity, this.changed) for maps in this.maps))  # [to, layer, head]
    if np.isnan(looks[0]).any():
        return False
    return all(looks[0][one] > max(looks[1][one], looks[2][one]) for one in this.path.senders)


def _strip(path: Followed, this: SharedOut | None) -> PathStrip:
    senders, several = path.senders, len(path.senders) > 1
    layers = layer_names(sorted({one.layer for one in senders}))
    who = f"{few(len(senders))} head{'s' if several else ''} of {layers}"
    pivot = this.pivot if this else ("plain", "the pivot")
    looks = this is None or _looks_at_the_change(this)
    what = (
        f" look{'' if several else 's'} from {{p}} to the changed word." if looks else ", from {p} to the changed word:"
    )
    first = say(who + what, p=pivot)
    most = float(path.control.max()) if len(path.control) else float("nan")
    others = f"any {few(len(senders)).lower()} others" if several else "any other head"
    share, low, high = path.share
    return PathStrip(
        first=first,
        looks=_looks(path, this),
        second=_turn(path, this),
        turns=_turns(path, this),
        share=share,
        low=low,
        high=high,
        direct=None if np.isnan(path.direct[0]) else path.direct[0],
        control=np.sort(path.control),
        follows=f"of the turn follows {'these ' + few(len(senders)).lower() if several else 'this one'}",
        others=f"{others}: at most {percent(most)}" if len(path.control) else "no others to compare with",
        own=_own(this),
        own_says=_own_says(this, others),
        label=f"{percent(share)} of the turn of {path.receiver} follows {', '.join(map(str, senders))}, interval "
        f"{percent(low)} to {percent(high)}; {others}, at most {percent(most)}",
    )


def _looks(path: Followed, this: SharedOut | None) -> list[str]:
    """Return where each sender looks at the changed word, in both versions; the strongest first."""
    if this is None:
        return [str(one) for one in path.senders]
    before, after = (looks_from_pivot(maps, this.ambiguity, this.changed)[0] for maps in this.maps)
    ordered = sorted(path.senders, key=lambda one: -before[one])
    return [f"{one} {whole_percent(before[one])} → {percent(after[one])}" for one in ordered]


def _turn(path: Followed, this: SharedOut | None) -> tuple[Span, ...]:
    """Return what the receiver does: it turns where it prefers one partner before and the other after."""
    if this is None:
        return say("{head} leans to the other word.", head=path.receiver)
    before, after = (looks_from_pivot(maps, this.ambiguity, this.changed)[1:, *path.receiver] for maps in this.maps)
    names = this.moved.names
    if (before[0] > before[1]) == (after[0] > after[1]):
        return say("{head} changes its lean.", head=path.receiver)
    here, there = names if before[0] > before[1] else names[::-1]
    return say("{head} turns from {a} to {b}.", head=path.receiver, a=word(here), b=word(there))


def _turns(path: Followed, this: SharedOut | None) -> list[tuple[Span, ...]]:
    if this is None:
        return []
    before, after = (looks_from_pivot(maps, this.ambiguity, this.changed)[1:, *path.receiver] for maps in this.maps)
    return [
        say(f"{{w}} {whole_percent(before[place])} → {percent(after[place])}", w=word(name))
        for place, name in enumerate(this.moved.names)
    ]


def _own(this: SharedOut | None) -> Own | None:
    if this is None or this.own is None:
        return None
    own, control = this.own, this.own.control / this.own.difference
    direct = None if np.isnan(own.share_directly) else own.share_directly
    if not len(control):
        return Own(own.share, direct, None, None)
    return Own(own.share, direct, float(control.min()), float(control.max()))


def _own_says(this: SharedOut | None, others: str) -> str:
    if this is None:
        return ""
    if this.own is None:
        return "this sentence: not tested"
    found = _own(this)
    assert found is not None
    if found.low is None or found.high is None:
        return "this sentence"
    return f"this sentence; {others} {whole_percent_to(found.low, found.high)}"


def whole_percent_to(low: float, high: float) -> str:
    """Return a range of shares: "−2 to 7 %"."""
    return f"{percent(low).removesuffix(chr(0xA0) + '%')} to {percent(high)}"


def _caption(path: Followed) -> Block:
    several = len(path.senders) > 1
    _, low, high = path.share
    control = path.control
    grey = (
        f" Grey dots: {len(control)} other sets of as many heads of the same layers, "
        f"{whole_percent_to(float(control.min()), float(control.max()))}."
        if len(control)
        else ""
    )
    direct = (
        ""
        if np.isnan(path.direct[0])
        else " Open: the direct part, all heads and feed-forward layers between kept as they were."
    )
    return said(
        "cap",
        f"Shaft: share of {{receiver}}’s change of lean. Filled: {'these heads' if several else 'this head'} "
        f"(interval {whole_percent_to(low, high)}).{direct}{grey} {'The heads were' if several else 'The head was'} "
        "chosen over pairs, not from this sentence, and may be unnamed below. Pairs: not normed on people.",
        receiver=head(path.receiver),
    )


def _version(this: SharedOut, path: Followed, place: int) -> Version:
    found, number = this.ambiguity, this.changed
    assert found.pivot is not None
    cue, to_a, to_b = looks_from_pivot(this.maps[place], found, number)
    before = looks_from_pivot(this.maps[0], found, number)[0]
    changed, turner = this.moved.words[place], path.receiver
    names = dict(zip("ab", this.moved.names, strict=True))
    label = ", ".join(f"{one} looks to {changed} with {percent(cue[one])}" for one in path.senders)
    mean = f"{{a}} {percent(to_a.mean())}, {{b}} {percent(to_b.mean())}"
    partners = {"a": word(names["a"]), "b": word(names["b"])}
    return Version(
        label=f"{'with the other word' if place else 'as typed'}: {label}; {turner} looks to {names['a']} with "
        f"{percent(to_a[turner])}, to {names['b']} with {percent(to_b[turner])}",
        title="one word changed" if place else "as typed",
        pieces=text_pieces(this.contrast if place else found.text),
        pivot=found.pivot,
        a=found.a,
        b=found.b,
        cue=number,
        names=names,
        looks=[
            {"name": str(one), "share": float(cue[one])} for one in sorted(path.senders, key=lambda one: -before[one])
        ],
        turn={"a": float(to_a[turner]), "b": float(to_b[turner])},
        mean={"cue": float(cue.mean())},
        first=say("from {p} to {cue}", p=this.pivot, cue=word(changed)),
        mean_first=say(f"mean head to {{cue}}: {percent(cue.mean())}", cue=word(changed)),
        second=say("{head} from {p}", head=turner, p=this.pivot),
        mean_second=say(f"{{head}}; mean head: {mean}", head=turner, **partners),
    )
