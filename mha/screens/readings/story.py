"""The two-step story: told only where its rule finds heads, with whatever heads they are. Pure."""

from __future__ import annotations

from mha.formats import few, layer_names, percent, signed
from mha.screens.blocks import Block, chip, said, say, word
from mha.screens.pieces import text_pieces
from mha.screens.readings.drawn import Story, Version
from mha.screens.readings.two_versions import Carry


def story_blocks(this: Carry) -> list[Block]:
    """Return the story: its sentence, both versions, and what the shares are shares of."""
    story = this.story
    assert story is not None
    turner = story.second[0]
    later = "One layer later" if turner.layer - max(head.layer for head in story.first) == 1 else "Later"
    return [
        said(
            "verdict",
            _who_looks(few(len(story.first)), this)
            + " from {pivot} to the word that was changed. {later}, {turner} turns to the other word.",
            pivot=this.pivot,
            later=later,
            turner=turner,
        ),
        Story((_version(this, 0), _version(this, 1))),
        said(
            "cap",
            "Shares of all attention that {p} gives in that head, special tokens and full stop included. Mean head: of "
            "all {n}. Score: how much closer {p} ends up to {a} than to {b} (link margin, after layer {layer}).",
            p=this.pivot,
            n=str(story.text.cue.size),
            a=word(_partner(this, "a")),
            b=word(_partner(this, "b")),
            layer=str(this.patch.at - 1 if this.patch else ""),
        ),
    ]


def _who_looks(count: str, this: Carry) -> str:
    """Return the heads of the first step as the subject of a sentence, with its verb."""
    assert this.story is not None
    heads, look = ("head", "looks") if len(this.story.first) == 1 else ("heads", "look")
    return f"{count} {heads} of {layer_names(sorted({head.layer for head in this.story.first}))} {look}"


def _partner(this: Carry, side: str) -> str:
    found = this.ambiguity
    return found.words[(found.a if side == "a" else found.b)[0]]


def _version(this: Carry, place: int) -> Version:
    story, found = this.story, this.ambiguity
    assert story is not None
    assert found.pivot is not None
    looks, cue, score = (story.text, story.contrast)[place], this.cue_words[place], this.margins[place]
    turner = story.second[0]
    side = "a" if looks.a[turner] > looks.b[turner] else "b"
    label = ", ".join(f"{head} looks to {cue} with {percent(looks.cue[head])}" for head in story.first)
    return Version(
        label=f"{'with the other word' if place else 'as typed'}: {label}",
        title="one word changed" if place else "as typed",
        pieces=text_pieces(this.contrast if place else found.text),
        pivot=found.pivot,
        a=found.a,
        b=found.b,
        cue=this.changed[0],
        names={letter: _partner(this, letter) for letter in "ab"},
        looks=[
            {"name": str(head), "share": float(looks.cue[head])}
            for head in sorted(story.first, key=lambda head: -story.text.cue[head])
        ],
        turn={"a": float(looks.a[turner]), "b": float(looks.b[turner])},
        mean={"cue": float(looks.cue.mean())},
        first=say(
            _who_looks("The same" if place else few(len(story.first)), this) + " from {p} to {cue}.",
            p=this.pivot,
            cue=("strong", cue),
        ),
        mean_first=say(f"mean head: {percent(looks.cue.mean())}"),
        second=say(
            "{head} looks from {p} to {to}" + (" instead." if place else "."),
            head=turner,
            p=this.pivot,
            to=("strong", _partner(this, side)),
        ),
        mean_second=say(
            "mean head: {a} {sa}, {b} {sb}",
            a=word(_partner(this, "a")),
            sa=percent(looks.a.mean()),
            b=word(_partner(this, "b")),
            sb=percent(looks.b.mean()),
        ),
        score=say("Score {score}, towards {letter}", score=signed(score), letter=chip("A" if score > 0 else "B")),
    )
