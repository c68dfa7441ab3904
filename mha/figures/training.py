"""Pictures of heads that learn: what a run gets right, where its heads look, how different they are, what each is for.

Amber and teal are readings A and B, as everywhere; a third reading is drawn in ink. Time runs from left to right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mha.figures.template import template
from mha.formats import accuracy
from mha.theme import colours, tokens
from mha.training.curves import Curves

HEIGHT, LOW = 290, 250  # px of a curve, of one of three in a row
BAR_ROW = 52  # px
LABEL_GAP, LABEL_AWAY = 0.08, 0.068  # of the axis: between labels at the ends of lines, and from their line
STRONG = 0.15  # of a head's attention: what is named at the end of its line
SHARES = [0, 0.25, 0.5, 0.75, 1]
SHARE_WORDS = ["0", "25", "50", "75", "100 %"]
LETTERS = "ABC"
DASHES = ("solid", "dash", "dot", "dashdot")

# field of `Curves` → title, what the axis says, its range
DIVERSITY: dict[str, tuple[str, str, tuple[float, float]]] = {
    "diverse_weights": ("Where they look", "Jensen–Shannon, bits; 0 = alike", (0, 1)),
    "diverse_outputs": ("What they gather", "−cosine of outputs; −1 = alike", (-1, 1)),
    "diverse_overlap": ("Their subspaces", "overlap; 1 = the same", (0, 1)),
}


def reading_colour(reading: int, theme: str, kind: str = "graphic") -> str:
    """Return the colour of a reading, counted from 0; a third has none of its own."""
    colour = colours(theme)
    return colour[f"reading_{'ab'[reading]}"][kind] if reading < 2 else colour["text"]


def accuracy_curves(
    curves: Curves, siblings: Sequence[Curves] = (), theme: str = "light", moment: int | None = None
) -> go.Figure:
    """Return how many sentences a run gets wholly right: unseen pairs of nouns (bold), training pairs, and the guess.

    ``siblings`` are runs with other seeds, drawn thin; ``moment`` is marked by an upright line.
    """
    colour = colours(theme)
    figure = _curves(curves, theme)
    for other in siblings:
        _line(figure, other.step, other.joint, f"seed {other.settings.seed}", colour["control_border"], 1)
    _line(figure, curves.step, curves.joint_seen, "training pairs", colour["muted"], 1.5, "dash")
    _line(figure, curves.step, curves.joint, "unseen pairs", colour["text"], 3)
    guess, end = curves.settings.guess, curves.settings.n_steps
    _line(figure, [0, end], [guess, guess], "guess", colour["accent"], 1.5, "dot")
    ends = [(curves.joint[-1], f"<b>{accuracy(curves.joint[-1])}</b> unseen pairs", colour["text"])]
    ends.append((curves.joint_seen[-1], f"{accuracy(curves.joint_seen[-1])} training pairs", colour["muted"]))
    _end_labels(figure, curves, ends)
    figure.add_annotation(
        x=0, y=guess, text=f"guesser, {accuracy(guess)}", showarrow=False, xanchor="left", yanchor="bottom",
        font={"size": tokens()["type"]["px"]["axis"], "color": colour["accent"]},
    )  # fmt: skip
    return _marked(figure, curves, theme, moment)


def look_curves(curves: Curves, theme: str = "light", moment: int | None = None) -> go.Figure:
    """Return how much of its attention each head gives, from the pivot, to each noun: colour = noun, dash = head."""
    figure = _curves(curves, theme)
    for head, shares in enumerate(np.moveaxis(curves.looks, 1, 0)):  # [moment, noun]
        for noun in range(shares.shape[1]):
            name, ink = f"head {head} to noun {LETTERS[noun]}", reading_colour(noun, theme)
            _line(figure, curves.step, shares[:, noun], name, ink, 2.5, DASHES[head % len(DASHES)])
    ends = [(share, text, reading_colour(noun, theme, "text")) for noun, share, text in _strong(curves.looks[-1])]
    _end_labels(figure, curves, ends)
    return _marked(figure, curves, theme, moment)


def diversity_curves(runs: Sequence[Curves], names: Sequence[str], field: str, theme: str = "light") -> go.Figure:
    """Return one of the measures in `DIVERSITY`, how different the heads are: one line a run; one head has none."""
    colour, size = colours(theme), tokens()["type"]["px"]
    title, axis, span = DIVERSITY[field]
    inks, figure = (colour["text"], colour["accent"]), go.Figure()
    for curves, name, ink, dash in zip(runs, names, inks, DASHES, strict=False):
        if curves.looks.shape[1] > 1:
            _line(figure, curves.step, getattr(curves, field), name, ink, 2.5, dash)
    figure.update_traces(hovertemplate="step %{x}: %{y:.2f}<extra></extra>")
    longest = max(curves.settings.n_steps for curves in runs)
    figure.update_yaxes(range=_padded(span), tickvals=[span[0], sum(span) / 2, span[1]])
    figure.update_xaxes(range=[0, longest], tickvals=_ticks(longest))
    figure.update_layout(template=template(theme), height=LOW, margin={"l": 34, "r": 22, "t": 50, "b": 28})
    figure.update_layout(showlegend=False, hovermode="closest")
    figure.add_annotation(
        x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=10, align="left",
        text=f"<b>{title}</b><br>{axis}", showarrow=False, font={"size": size["axis"] + 1, "color": colour["muted"]},
    )  # fmt: skip
    return _gridded(figure, theme)


def silenced_bars(curves: Curves, moment: int = -1, theme: str = "light") -> go.Figure:
    """Return each reading's accuracy (unseen pairs) with all heads on, and with each head switched off."""
    colour, size = colours(theme), tokens()["type"]["px"]
    shares = np.concatenate([curves.readings[moment][None], curves.silenced[moment]])  # [row, reading]
    n_rows, n_readings = shares.shape
    rows = ["all heads on" if n_rows > 2 else "the head on", *(f"head {head} off" for head in range(n_rows - 1))]
    titles = [f"<b>{LETTERS[reading]}</b>, noun {reading + 1}" for reading in range(n_readings)]
    figure = make_subplots(rows=1, cols=n_readings, horizontal_spacing=0.22, subplot_titles=titles, shared_yaxes=True)
    for reading in range(n_readings):
        for values, ink, name in ((np.ones(n_rows), colour["surface"], "whole"), (shares[:, reading], None, "right")):
            figure.add_bar(
                x=values, y=rows, orientation="h", width=0.42, name=name,
                marker={"color": ink or reading_colour(reading, theme), "line": {"width": 0}},
                hoverinfo="skip" if ink else None, hovertemplate=None if ink else "%{y}: %{x:.1%}<extra></extra>",
                row=1, col=reading + 1,
            )  # fmt: skip
        for row, share in zip(rows, shares[:, reading], strict=True):
            figure.add_annotation(
                x=1, y=row, text=accuracy(share), showarrow=False, xanchor="left", xshift=6,
                font={"size": size["widget"]}, row=1, col=reading + 1,
            )  # fmt: skip
    figure.update_xaxes(visible=False, range=[0, 1.0])
    figure.update_yaxes(autorange="reversed", tickfont={"size": size["widget"]}, ticksuffix="  ", showline=False)
    for reading, note in enumerate(figure.layout.annotations[:n_readings]):
        text = reading_colour(reading, theme, "text")
        note.update(x=figure.layout[f"xaxis{reading + 1 if reading else ''}"].domain[0], xanchor="left")
        note.update(font={"size": size["widget"], "color": text})
    figure.update_layout(template=template(theme), barmode="overlay", showlegend=False)
    figure.update_layout(height=44 + BAR_ROW * n_rows, margin={"l": 96, "r": 48, "t": 34, "b": 4})
    return figure


def describe_accuracy(curves: Curves, title: str) -> str:
    """Return the text alternative of `accuracy_curves`."""
    return (
        f"{title}: after {curves.step[-1]} steps, every reading is right in {accuracy(curves.joint[-1])} of sentences "
        f"with unseen pairs of nouns, {accuracy(curves.joint_seen[-1])} with training pairs; "
        f"a guesser that knows the nouns but not which is which gets {accuracy(curves.settings.guess)}."
    )


def describe_looks(curves: Curves, title: str) -> str:
    """Return the text alternative of `look_curves`."""
    heads = "; ".join(
        f"head {head}: " + ", ".join(f"noun {LETTERS[noun]} {accuracy(share)}" for noun, share in enumerate(row))
        for head, row in enumerate(curves.looks[-1])
    )
    return f"{title}: attention from the pivot after {curves.step[-1]} steps. {heads}."


def describe_silenced(curves: Curves, title: str, moment: int = -1) -> str:
    """Return the text alternative of `silenced_bars`."""
    rows = [("all heads on", curves.readings[moment])]
    rows += [(f"head {head} off", row) for head, row in enumerate(curves.silenced[moment])]
    said = "; ".join(
        f"{name}: " + ", ".join(f"{LETTERS[reading]} {accuracy(share)}" for reading, share in enumerate(row))
        for name, row in rows
    )
    return f"{title}, right in unseen pairs after {curves.step[moment]} steps. {said}."


def describe_diversity(runs: Sequence[Curves], names: Sequence[str], field: str) -> str:
    """Return the text alternative of `diversity_curves`."""
    title, axis, _ = DIVERSITY[field]
    said = [
        f"{name} from {getattr(curves, field)[0]:.2f} to {getattr(curves, field)[-1]:.2f}"
        for curves, name in zip(runs, names, strict=True)
        if curves.looks.shape[1] > 1
    ]
    return f"{title} ({axis}) while they learn: {'; '.join(said) or 'one head has nobody to differ from'}."


def _curves(curves: Curves, theme: str) -> go.Figure:
    figure = go.Figure()
    end = curves.settings.n_steps
    figure.update_layout(template=template(theme), height=HEIGHT, showlegend=False, hovermode="closest")
    figure.update_layout(margin={"l": 44, "r": 22, "t": 14, "b": 44})
    figure.update_yaxes(range=_padded((0, 1)), tickvals=SHARES, ticktext=SHARE_WORDS)
    figure.update_xaxes(range=[0, end], tickvals=_ticks(end), title={"text": "training step", "standoff": 4})
    return _gridded(figure, theme)


def _gridded(figure: go.Figure, theme: str) -> go.Figure:
    colour = colours(theme)
    figure.update_yaxes(showgrid=True, gridcolor=colour["border"], tickfont={"color": colour["muted"]}, showline=False)
    return figure.update_xaxes(tickfont={"color": colour["muted"]}, tickformat=",", fixedrange=True).update_yaxes(
        fixedrange=True
    )


def _line(figure: go.Figure, x: Any, y: Any, name: str, ink: str, width: float, dash: str = "solid") -> None:
    figure.add_scatter(
        x=x, y=y, mode="lines", name=name, line={"color": ink, "width": width, "dash": dash},
        hovertemplate=f"{name}, step %{{x}}: %{{y:.1%}}<extra></extra>",
    )  # fmt: skip


def _strong(looks: np.ndarray) -> list[tuple[int, float, str]]:
    """Return, for each noun that some head looks at, the noun, the largest share, and what to write there."""
    n_heads, n_nouns = looks.shape
    found = []
    for noun in range(n_nouns):
        heads, share = np.flatnonzero(looks[:, noun] >= STRONG), float(looks[:, noun].max())
        if not len(heads):
            continue
        who = "" if n_heads == 1 else f"head{'s' if len(heads) > 1 else ''} {', '.join(map(str, heads))} "
        number = f": {accuracy(share)}" if len(heads) == 1 else ""
        found.append((noun, share, f"{who}to noun {LETTERS[noun]}{number}"))
    return found


def _end_labels(figure: go.Figure, curves: Curves, ends: list[tuple[float, str, str]]) -> None:
    """Write beside the end of each line what it is: above it where there is room, else below."""
    behind = f"{figure.layout.template.layout.paper_bgcolor}b8"  # lines shine through
    before, side = np.inf, "left" if curves.step[-1] < curves.settings.n_steps / 2 else "right"
    for share, text, ink in sorted(ends, key=lambda end: -end[0]):
        above = float(share) + LABEL_AWAY
        fits = above <= min(1 - LABEL_AWAY / 2, before - LABEL_GAP)
        before = above if fits else min(float(share) - LABEL_AWAY, before - LABEL_GAP)
        figure.add_annotation(
            x=float(curves.step[-1]), y=before, text=text, showarrow=False, xanchor=side, yanchor="middle",
            font={"size": tokens()["type"]["px"]["axis"] + 1, "color": ink}, bgcolor=behind, borderpad=1,
        )  # fmt: skip


def _marked(figure: go.Figure, curves: Curves, theme: str, moment: int | None) -> go.Figure:
    if moment is not None and 0 <= moment < len(curves) - 1:
        figure.add_vline(x=float(curves.step[moment]), line={"color": colours(theme)["accent"], "width": 1.5})
    return figure


def _ticks(end: int) -> list[int]:
    return [round(end * share) for share in (0, 0.25, 0.5, 0.75, 1)]


def _padded(span: tuple[float, float]) -> list[float]:
    room = 0.03 * (span[1] - span[0])
    return [span[0] - room, span[1] + room]
