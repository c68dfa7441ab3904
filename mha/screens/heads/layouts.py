"""How the heads of a stack are laid out, said and drawn: which share a key and a value, how far their layers look."""

from __future__ import annotations

from collections.abc import Sequence

from mha.formats import counted
from mha.maps import Layout, Recording
from mha.screens.blocks import Drawing, say


def with_layout(drawing: Drawing, recording: Recording, stack: str = "self") -> Drawing:
    """Return the overview with brackets over heads that share a key and a value, where a stack has such.

    Where nothing else is said under it, it says so, and how far its layers look back.
    """
    layout = recording.layouts.get(stack)
    header = dict(drawing.header)
    told = laid_out(layout, recording.maps.causal or stack != "self")
    if told:
        header["about"] = say(told)
    if layout is not None and layout.n_groups < layout.n_heads and layout.n_heads % layout.n_groups == 0:
        header["groups"] = layout.n_groups
    return Drawing(header, drawing.arrays)


def laid_out(layout: Layout | None, causal: bool = True) -> str:
    """Return how heads share keys and values, and how far layers reach; "" where each has its own and sees all.

    ``causal`` says that layers look back only; else a window reaches to both sides.
    """
    if layout is None:
        return ""
    said = []
    if layout.n_groups < layout.n_heads:
        size = layout.n_heads // layout.n_groups
        said.append(f"Every {counted(size)} neighbouring heads share a key and a value; only their queries differ.")
    said += _windows(layout.windows, causal)
    return " ".join(said)


def _windows(windows: Sequence[int | None], causal: bool) -> list[str]:
    near = [layer for layer, window in enumerate(windows) if window is not None]
    if not near:
        return []
    sizes = sorted({window for window in windows if window is not None})
    far = " or ".join(f"{size if causal else size - 1:,}" for size in sizes)
    reach = f"the last {far} tokens at most" if causal else f"{far} tokens at most to either side"
    if len(near) == len(windows):
        return [f"Each layer sees {reach} (sliding window)."]
    named = ", ".join(map(str, near))
    few = "Layer" if len(near) == 1 else "Layers"
    verb = "sees" if len(near) == 1 else "see"
    return [
        f"{few} {named} {verb} {reach} (sliding window); the others see all"
        f"{' earlier tokens' if causal else ' tokens'}."
    ]
