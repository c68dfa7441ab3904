"""The facts about a model that pages, captions and recordings need before it is loaded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_TOKENS = 512  # of a text that is recorded head by head
ORIGIN_NAMES = {"toy": "toy example", "scrambled twin": "scrambled copy", "untrained twin": "untrained copy"}
OF_ENCODER = "; attention of its encoder"  # at the end of the source of a model that has a decoder, too


@dataclass(frozen=True)
class ModelRow:
    """One model on offer.

    ``name`` is its name in links and calls, ``title`` its line in the model picker, ``short`` its name in sentences.
    ``kind`` is how it is recorded ("transformer" or "toy"), ``origin`` is one of `mha.maps.ORIGINS`,
    ``source`` where its numbers come from. ``n_layers`` and ``n_heads`` count the stack that is shown (of an
    encoder–decoder, the encoder), without layers that have no attention; they are 0 if the config has no such number.
    ``decoder_shape`` has layers and heads of an encoder–decoder's decoder. ``n_shared`` heads share keys and values.
    ``predicts`` is "next" (the next word), "target" (the decoder's next word), "mask", or "" for nothing. ``sha256`` is
    the hash that its weights must have ("" if none is known). ``example`` is a text for a model with a small
    vocabulary. ``notes`` are sentences about its maps. ``folder`` is the snapshot of a model that the operator added.
    """

    name: str
    title: str
    short: str
    kind: str
    architecture: str
    n_layers: int
    n_heads: int
    d_head: int
    licence: str
    revision: str
    origin: str
    source: str
    causal: bool = False
    predicts: str = ""
    sha256: str = ""
    max_tokens: int = MAX_TOKENS
    example: str = ""
    two_sided: bool = False
    decoder_shape: tuple[int, int] | None = None
    n_shared: int = 1
    notes: tuple[str, ...] = ()
    folder: Path | None = None

    @property
    def named(self) -> dict[str, Any]:
        """The fields of its maps that name the model."""
        return {"model": self.short, "revision": self.revision, "origin": self.origin}

    @property
    def origin_said(self) -> str:
        """The origin of its numbers, as captions call it."""
        return ORIGIN_NAMES.get(self.origin, self.origin)
