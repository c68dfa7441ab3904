"""All heads of a model that writes, below another picture than the sentence: roles of this text, shared keys."""

from __future__ import annotations

from mha.maps import Recording
from mha.screens.blocks import Span, say
from mha.screens.decoder import sentences
from mha.screens.decoder.writing import Writing
from mha.screens.drawing import Drawing

FEW_HEADS = 16  # of a model whose heads all say that no role stands out


def alone(drawing: Drawing, about: tuple[Span, ...] = (), texts: tuple[str, ...] = ()) -> Drawing:
    """Return the overview without its sentence and finding, which another component has."""
    return Drawing(
        {**drawing.header, "alone": True, "texts": list(texts), "about": about, "roles": None}, drawing.arrays
    )


def bracketed(drawing: Drawing, recording: Recording, stack: str = "self") -> Drawing:
    """Return the overview with brackets over heads that share a key and a value, where a stack has such.

    Where nothing else is said under it, it says so, and how far its layers look back.
    """
    layout = recording.layouts.get(stack)
    header = dict(drawing.header)
    told = sentences.laid_out(layout, recording.maps.causal or stack != "self")
    if told and not header.get("about"):
        header["about"] = say(told)
    if layout is not None and layout.n_groups < layout.n_heads and layout.n_heads % layout.n_groups == 0:
        header["groups"] = layout.n_groups
    return Drawing(header, drawing.arrays)


def with_roles(drawing: Drawing, written: Writing) -> Drawing:
    """Return the overview of what was read and written, with the role of each head on this text."""
    few = len(written.maps.heads) <= FEW_HEADS
    texts = tuple(sentences.role_text(written, head, short=not few) for head in written.maps.heads)
    return alone(drawing, sentences.roles_about(written), texts)
