"""Figures of training runs: the accuracy while heads learn, and how different the heads are.

Amber and teal are readings A and B, as everywhere. Time runs from left to right.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.figures.charts import DASHES, PlainFigure, template
from mha.formats import accuracy, number
from mha.theme import colours, tokens
from mha.training.settings import Curves

HEIGHT, LOW = 290, 250  # px of a curve, of the diversity
LABEL_GAP, LABEL_AWAY = 0.08, 0.068  # of the axis: between labels at the ends of lines, and from their line
SHARES = [0, 0.25, 0.5, 0.75, 1]
LETTERS = "AB"
SHARE_WORDS = ["0", "25", "50", "75", "100 %"]

DIVERSITY, DIVERSITY_AXIS = "Where they look", "Jensen–Shannon, bits; 0 = alike"


def accuracy_curves(
    curves: Curves, siblings: Sequence[Curves] = (), theme: str = "light", moment: int | None = None
) -> PlainFigure:
    """Return how many sentences a run gets wholly right: unseen pairs of nouns (bold), training pairs, and the guess.

    ``siblings`` are runs with other seeds, drawn thin; ``moment`` is marked by an upright line.
    """
    colour = colours(theme)
    guess, end = curves.settings.guess, curves.settings.n_steps
    lines = [_line(o.step, o.joint, f"seed {o.settings.seed}", colour["control_border"], 1) for o in siblings]
    lines.append(_line(curves.step, curves.joint_seen, "training pairs", colour["muted"], 1.5, "dash"))
    lines.append(_line(curves.step, curves.joint, "unseen pairs", colour["text"], 3))
    lines.append(_line([0, end], [guess, guess], "guess", colour["accent"], 1.5, "dot"))
    ends = [(curves.joint[-1], f"<b>{accuracy(curves.joint[-1])}</b> unseen pairs", colour["text"])]
    ends.append((curves.joint_seen[-1], f"{accuracy(curves.joint_seen[-1])} training pairs", colour["muted"]))
    guesser = {
        "x": 0, "y": guess, "text": f"guesser, {accuracy(guess)}", "showarrow": False,
        "xanchor": "left", "yanchor": "bottom",
        "font": {"size": tokens()["type"]["px"]["axis"], "color": colour["accent"]},
    }  # fmt: skip
    return _in_time(curves, theme, moment, lines, [*_end_labels(curves, ends, theme), guesser])


def diversity_curves(runs: Sequence[Curves], names: Sequence[str], theme: str = "light") -> PlainFigure:
    """Return how differently the heads attend, in bits: one line for each run; one head has none."""
    colour, size = colours(theme), tokens()["type"]["px"]
    inks = (colour["text"], colour["accent"])
    lines = [
        _line(curves.step, curves.diverse_weights, name, ink, 2.5, dash)
        | {"hovertemplate": "step %{x}: %{y:.2f}<extra></extra>"}
        for curves, name, ink, dash in zip(runs, names, inks, DASHES, strict=False)
        if curves.looks.shape[1] > 1
    ]
    heading = {
        "x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 10,
        "align": "left", "text": f"<b>{DIVERSITY}</b><br>{DIVERSITY_AXIS}", "showarrow": False,
        "font": {"size": size["axis"] + 1, "color": colour["muted"]},
    }  # fmt: skip
    longest = max(curves.settings.n_steps for curves in runs)
    layout = _page(theme, longest) | {"height": LOW, "margin": {"l": 34, "r": 22, "t": 50, "b": 28}}
    layout["yaxis"]["tickvals"] = [0, 0.5, 1]
    return PlainFigure({"data": lines, "layout": {**layout, "annotations": [heading]}})


def describe_accuracy(curves: Curves, title: str) -> str:
    """Return the text alternative of `accuracy_curves`."""
    return (
        f"{title}: after {curves.step[-1]} steps, every reading is right in {accuracy(curves.joint[-1])} of sentences "
        f"with unseen pairs of nouns, {accuracy(curves.joint_seen[-1])} with training pairs; "
        f"a guesser that knows the nouns but not which is which gets {accuracy(curves.settings.guess)}."
    )


def describe_diversity(runs: Sequence[Curves], names: Sequence[str]) -> str:
    """Return the text alternative of `diversity_curves`."""
    parts = [
        f"{name} from {number(curves.diverse_weights[0])} to {number(curves.diverse_weights[-1])}"
        for curves, name in zip(runs, names, strict=True)
        if curves.looks.shape[1] > 1
    ]
    return (
        f"{DIVERSITY} ({DIVERSITY_AXIS}) while they learn: {'; '.join(parts) or 'one head has nobody to differ from'}."
    )


def _in_time(
    curves: Curves, theme: str, moment: int | None, lines: list[dict[str, Any]], notes: list[dict[str, Any]]
) -> PlainFigure:
    """Return lines over the training's steps; ``moment`` is marked unless it is the last."""
    layout = _page(theme, curves.settings.n_steps)
    layout |= {"height": HEIGHT, "margin": {"l": 44, "r": 22, "t": 14, "b": 44}, "annotations": notes}
    layout["yaxis"] |= {"tickvals": SHARES, "ticktext": SHARE_WORDS}
    layout["xaxis"]["title"] = {"text": "training step", "standoff": 4}
    if moment is not None and 0 <= moment < len(curves) - 1:
        step = float(curves.step[moment])
        ink = {"color": colours(theme)["accent"], "width": 1.5}
        mark = {"type": "line", "x0": step, "x1": step, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": ink}
        layout["shapes"] = [mark]
    return PlainFigure({"data": lines, "layout": layout})


def _page(theme: str, end: int) -> dict[str, Any]:
    colour = colours(theme)
    axis = {"tickfont": {"color": colour["muted"]}, "fixedrange": True, "automargin": True}
    return {
        "template": template(theme), "showlegend": False, "hovermode": "closest",
        "xaxis": {**axis, "range": [0, end], "tickvals": [round(end * share) for share in SHARES], "tickformat": ","},
        "yaxis": {**axis, "range": [-0.03, 1.03], "showgrid": True, "gridcolor": colour["border"], "showline": False},
    }  # fmt: skip


def _line(x: Any, y: Any, name: str, ink: str, width: float, dash: str = "solid") -> dict[str, Any]:
    hover = f"{name}, step %{{x}}: %{{y:.1%}}<extra></extra>"
    ink_of = {"color": ink, "width": width, "dash": dash}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "line": ink_of, "hovertemplate": hover}


def _end_labels(curves: Curves, ends: list[tuple[float, str, str]], theme: str) -> list[dict[str, Any]]:
    """Return the label at the end of each line: above it if there is room, else below it and all lines that it would
    cover.
    """
    behind = f"{colours(theme)['background']}b8"  # lines shine through
    previous, side = np.inf, "left" if curves.step[-1] < curves.settings.n_steps / 2 else "right"
    ends = sorted(ends, key=lambda end: -end[0])
    falling, notes = [share for share, *_ in ends], []
    for share, text, ink in ends:
        above = float(share) + LABEL_AWAY
        if above <= min(1 - LABEL_AWAY / 2, previous - LABEL_GAP):
            previous = above
        else:
            previous = min(float(share) - LABEL_AWAY, previous - LABEL_GAP)
            for end in falling:
                previous = float(end) - LABEL_AWAY if abs(end - previous) < LABEL_AWAY * 0.7 else previous
        notes.append({
            "x": float(curves.step[-1]), "y": previous, "text": text, "showarrow": False,
            "xanchor": side, "yanchor": "middle", "bgcolor": behind, "borderpad": 1,
            "font": {"size": tokens()["type"]["px"]["axis"] + 1, "color": ink},
        })  # fmt: skip
    return notes
