"""The two-step story as blocks: told only where its rule finds heads, with whatever heads they are. Pure."""

from __future__ import annotations

from mha.formats import few, layer_names, percent, signed
from mha.intervention.story import Looks
from mha.maps import HeadId
from mha.screens.blocks import Block, chip, said, say, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.carry import Carry
from mha.words import split


def story_blocks(this: Carry) -> list[Block]:
    """Return the story: its sentence, both versions, and what the shares are shares of."""
    story, found = this.story, this.ambiguity
    assert story is not None
    turner = story.second[0]
    layers = sorted({head.layer for head in story.first})
    turns = _larger(story.text, turner) != _larger(story.contrast, turner)
    later = "One layer later" if turner.layer - max(layers) == 1 else "Later"
    opening = said(
        "verdict",
        "{count} {heads} of {layers} {look} from {pivot} to the word that was changed. {later}, {turner} "
        + ("turns to the other word." if turns else "looks to {partner} in both versions."),
        count=few(len(story.first)),
        heads="head" if len(story.first) == 1 else "heads",
        look="looks" if len(story.first) == 1 else "look",
        layers=layer_names(layers),
        pivot=this.pivot,
        later=later,
        turner=turner,
        partner=word(_partner(found, _larger(story.text, turner))),
    )
    versions = [_version(this, 0), _version(this, 1)]
    return [
        opening,
        {"kind": "story", "versions": versions},
        said(
            "cap",
            "Shares of all attention that {p} gives in that head, special tokens and full stop included. Mean head: of "
            "all {n}. Score: how much closer {p} ends up to {a} than to {b} (link margin, after layer {layer}).",
            p=this.pivot,
            n=str(story.text.cue.size),
            a=word(_partner(found, "a")),
            b=word(_partner(found, "b")),
            layer=str(this.patch.at - 1 if this.patch else ""),
        ),
    ]


def _larger(looks: Looks, head: HeadId) -> str:
    return "a" if looks.a[head] > looks.b[head] else "b"


def _partner(found: Ambiguity, side: str) -> str:
    return found.words[(found.a if side == "a" else found.b)[0]]


def _version(this: Carry, place: int) -> Block:
    story, found = this.story, this.ambiguity
    assert story is not None
    assert found.contrast is not None
    looks = (story.text, story.contrast)[place]
    cue, turner = this.cue_words[place], story.second[0]
    layers = sorted({head.layer for head in story.first})
    side = _larger(looks, turner)
    same = "The same" if place else few(len(story.first))
    turned = place == 1 and side != _larger(story.text, turner)
    score = this.margins[place]
    order = sorted(story.first, key=lambda head: -story.text.cue[head])
    return {
        "label": f"{'with the other word' if place else 'as typed'}: "
        + ", ".join(f"{head} looks to {cue} with {percent(looks.cue[head])}" for head in story.first),
        "title": "one word changed" if place else "as typed",
        "pieces": _pieces(this.contrast if place else found.text),
        "pivot": found.pivot,
        "a": list(found.a),
        "b": list(found.b),
        "cue": found.contrast.changed[0],
        "names": {"a": _partner(found, "a"), "b": _partner(found, "b")},
        "looks": [{"name": str(head), "share": float(looks.cue[head])} for head in order],
        "turn": {"a": float(looks.a[turner]), "b": float(looks.b[turner])},
        "mean": {"cue": float(looks.cue.mean())},
        "first": say(
            "{same} {heads} of {layers} {look} from {p} to {cue}.",
            same=same,
            heads="head" if len(story.first) == 1 else "heads",
            look="looks" if len(story.first) == 1 else "look",
            layers=layer_names(layers),
            p=this.pivot,
            cue=["strong", cue],
        ),
        "mean_first": say(f"mean head: {percent(looks.cue.mean())}"),
        "second": say(
            "{head} looks from {p} to {to}" + (" instead." if turned else "."),
            head=turner,
            p=this.pivot,
            to=["strong", _partner(found, side)],
        ),
        "mean_second": say(
            "mean head: {a} {sa}, {b} {sb}",
            a=word(_partner(found, "a")),
            sa=percent(looks.a.mean()),
            b=word(_partner(found, "b")),
            sb=percent(looks.b.mean()),
        ),
        "score": say("Score {score}, towards {letter}", score=signed(score), letter=chip("A" if score > 0 else "B")),
    }


def _pieces(text: str) -> list[Block]:
    found, end = [], None
    for piece in split(text):
        found.append({"text": piece.text, "space": end is not None and piece.start > end, "at": piece.word})
        end = piece.end
    return found
