"""What is said at each step of the walk with a model's numbers. Pure; a row of `SAID` is a step."""

from __future__ import annotations

import numpy as np

from mha.formats import bracketed, counted, many, number, percent
from mha.link.steps import STEPS
from mha.maps import HeadId
from mha.screens.arrays import W_O, Line
from mha.screens.blocks import Spans, say
from mha.screens.cell.recorded import share
from mha.screens.cell.score import divisor, to_score, to_share
from mha.screens.steps import model
from mha.screens.steps.model import WalkedCell
from mha.screens.steps.step import Step, StepText, product

MOST_TOKENS = 5  # of a mixture that are written out
SAME = 1e-6  # parts of the attention that differ by less are one size
AGREES = 1e-3  # how far a weight worked out again may be from the recorded one


def said(case: WalkedCell) -> Step:
    """Return what the step of a cell says and shows."""
    title = "The cell by hand" if case.number < 8 else "One number by hand"
    about = f"how {case.cell.head} comes to this weight"
    return SAID[case.number - 1].step(STEPS[case.number - 1], case, _slots(case), about, title)


def _slots(case: WalkedCell) -> dict[str, object]:
    """Return what ideas and formulas leave open: the model's sizes, and what depends on it."""
    found, d, by = case.cell, case.d_head, divisor(case)
    layer = found.head.layer
    divides = {"÷ 1": "This layer does not divide."}.get(by, f"Multiply by this layer’s own scale, {by[2:]}.")
    scaled = r"q_i \cdot k_j" if by == "÷ 1" else rf"{by[2:]} \; q_i \cdot k_j"
    if "√" in by:
        divides = f"Divide by the square root of the width, {d}."
        scaled = rf"\frac{{q_i \cdot k_j}}{{\sqrt{{{d}}}}}"
    plain = found.cap is None and found.position is None
    score = scaled if found.cap is None else rf"{found.cap:g} \tanh \frac{{{scaled}}}{{{found.cap:g}}}"
    mask = (
        "This model is causal: a [[mask]] hides every later token."
        if case.maps.causal
        else "This model has no [[mask]] between the tokens of a text: every token sees every token, so M is 0."
    )
    if found.window is not None:
        mask += f" In this layer it also hides tokens outside a window of {found.window:,}."
    if found.cap is not None:
        mask += f" A soft cap keeps scores below {found.cap:g}."
    if found.position is not None:
        mask += " A position bias, B, is added."
    return {
        "n": case.maps.n_keys,
        "tokens": many(case.maps.n_keys, "token"),
        "d": d,
        "heads": len(found.findings),
        "all_heads": many(len(found.findings), "head"),
        "width": found.findings.size,
        "d_model": case.d_model,
        "head": str(found.head),
        "mask": mask,
        "divides": divides,
        "scaled": scaled,
        "score": score + ("" if found.position is None else " + B_{ij}") + " + M_{ij}",
        "after": rf" / \sqrt{{{d}}}" if plain and "√" in by else "" if plain and by == "÷ 1" else "'",
        "sink": "" if found.sink is None else " + e^{s_0}",
        "came": f"The rows that come into layer {layer} already carry what earlier layers added."
        if layer
        else "Before the first layer, the row of a token is its [[embedding]], in many models with its place added.",
    }


def _weight(case: WalkedCell) -> tuple[Line, ...]:
    """Return the steps of *One cell*, and its softmax in three lines of its own."""
    found = case.cell
    recorded: Line = ("recorded", share(case.weight), "what the model itself has")
    there = tuple(line for line, absent in to_score(case) if not absent)
    if found.hidden:
        return (*there, to_share(case), recorded)
    peak = float(found.scores[case.seen].max())
    powers = np.exp(found.scores - peak)  # [key]
    total = float(powers.sum()) + (0 if found.sink is None else float(np.exp(found.sink - peak)))
    power, sink = number(powers[found.key], 4), "" if found.sink is None else ", and the learned sink"
    score = number(float(found.scores[found.key]))
    return (
        *there,
        ("exp", power, f"exp({score} − {bracketed(peak)}), the row’s largest taken off"),
        ("all tokens", number(total, 4), f"the same, added up over {visible(powers)}{sink}"),
        ("share", share(found.weight), f"{power} ÷ {number(total, 4)}"),
        recorded,
    )


def _mixture(case: WalkedCell) -> tuple[Line, ...]:
    row, first = case.cell.weights, case.cell.values[:, 0]  # [key]
    order = np.argsort(-row, kind="stable")[:MOST_TOKENS]
    lines: list[Line] = [
        (case.names[key], percent(row[key]), f"× its value’s first number, {number(first[key])}") for key in order
    ]
    rest = len(row) - len(order)
    if rest:
        left = float(row @ first - row[order] @ first[order])
        lines.append(("the others", number(left), f"{rest} more, in the same way"))
    total = number(case.cell.findings[case.cell.head.head, 0])
    return (*lines, ("first number", total, "all of these products added up"))


def _found(case: WalkedCell) -> tuple[Line, ...]:
    found, head = case.cell.findings, case.cell.head
    n_heads, d_head = found.shape
    first = list(dict.fromkeys((0, 1, head.head)))[: min(3, n_heads)]
    lines = [
        (str(HeadId(head.layer, at)), number(found[at, 0]), f"the first of its {d_head} numbers")
        for at in sorted({at for at in first if at < n_heads})
    ]
    return (*lines, ("together", f"{found.size:,}", f"{n_heads} × {d_head} numbers, none of them changed"))


def _sum(case: WalkedCell) -> tuple[Line, ...]:
    added, head = case.w_o, case.cell.head
    if added is None:
        return _weight(case)
    n_heads, own = len(added.heads), added.heads[head.head, 0]
    others = added.heads[:, 0].sum() - own
    lines: list[Line] = [(f"{head} adds", number(own, 3), product(added.found[head.head], added.w_output[:, 0], 3))]
    if n_heads > 1:
        lines.append(("other heads", number(others, 3), f"{n_heads - 1} more, each through its own rows"))
    if added.bias.any():
        lines.append(("bias", number(added.bias[0], 3), "learned with W_O, the same for every token"))
    return (*lines, ("first number", number(added.total[0], 3), "their sum, as the model computed it"))


def visible(powers: np.ndarray) -> str:
    """Return over how many tokens a row adds up; a power, or weight, of nothing is of a token that it may not see."""
    seen = int((powers > 0).sum())
    return many(seen, "token") if seen == len(powers) else f"the {seen} of {len(powers)} tokens that it can see"


def _rows_so(case: WalkedCell) -> Spans:
    return say(
        f"{many(len(case.names), 'token')} come{'s' if len(case.names) == 1 else ''} in, each as {case.d_model:,} "
        "numbers. These steps follow how {query} looks at {key}.",
        query=case.query,
        key=case.key,
    )


def _weight_so(case: WalkedCell) -> str:
    again, recorded = 100 * case.cell.weight, 100 * case.weight
    if abs(again - recorded) <= 100 * AGREES:
        return f"By hand {number(again)} %, in the model {number(recorded)} %: the calculation is complete."
    return (
        f"The model’s own share differs by {abs(again - recorded):.1f} points: it computes with fewer digits (half "
        "precision)."
    )


def _mixture_so(case: WalkedCell) -> Spans:
    row, head = case.cell.weights, case.cell.head
    most = int(row.argmax())
    largest = np.flatnonzero(row >= row[most] - SAME)
    told = f"the largest part, {percent(row[most])} of the attention, is {{most}}"
    if len(largest) > 1:
        told = f"{counted(len(largest))} parts are the largest, {percent(row[most])} of the attention each"
    own = say(f", and {{key}} has {share(case.cell.weight)}", key=case.key) if case.cell.key not in largest else ""
    return say(
        f"{{head}} mixes the values of {visible(row)} for {{query}}; {told}{{own}}.",
        head=head,
        query=case.query,
        most=case.name(most),
        own=own,
    )


def _found_so(case: WalkedCell) -> Spans:
    found = case.cell.findings
    heads = many(len(found), "head")
    return say(f"Nothing is mixed yet: {heads}, {found.size:,} numbers for {{query}}.", query=case.query)


def _sum_so(case: WalkedCell) -> Spans | str:
    if case.w_o is None:
        return _weight_so(case)
    sizes, stream = model.lengths(case.w_o), case.cell.stream
    own = sizes[case.cell.head.head]
    beside = " and adds them to what the other heads add" if len(sizes) > 1 else ""
    rank = f", number {1 + int((sizes > own).sum())} of the {len(sizes)} heads by length" if len(sizes) > 1 else ""
    came = say(".")
    if stream is not None:
        came = say(f"; the row of {{query}} that came in is {number(stream)} long.", query=case.query)
    return say(
        f"{{w_o}} turns the {case.d_head} numbers of {{head}} for {{query}} into {len(case.w_o.total):,}{beside}. "
        "What this head adds is "
        f"{number(float(own))} long{rank}{{came}}",
        w_o=W_O,
        head=case.cell.head,
        query=case.query,
        came=came,
    )


SAID = (
    StepText(
        "The text is cut into [[tokens|token]]: words, word pieces and special tokens. Each has a row of <d_model> "
        "numbers.",
        r"\text{<tokens>} \;\longrightarrow\; X \qquad <n> \times <d_model>",
        _weight,
        _rows_so,
        model.tokens,
    ),
    StepText(
        "<came>",
        r"X \qquad <n> \times <d_model>",
        _weight,
        _rows_so,
        model.followed,
    ),
    StepText(
        "Head <head> makes a [[query]], a [[key]] and a [[value]] of <d> numbers out of each token’s row, with three "
        "learned matrices.",
        r"q_i,\ k_j,\ v_j \qquad <d>\ \text{numbers each}",
        _weight,
        lambda case: f"From here on this head uses {case.d_head} numbers per token for each of q, k and v.",
        model.projections,
    ),
    StepText(
        "Multiply q and k in every dimension and add the <d> products up: that is the [[attention score]].",
        r"s_{ij} = q_i \cdot k_j = \sum_{d=1}^{<d>} q_{id}\, k_{jd}",
        _weight,
        _weight_so,
        model.scores,
    ),
    StepText(
        "<divides>",
        r"<scaled>",
        _weight,
        _weight_so,
        model.scores,
    ),
    StepText(
        "<mask>",
        r"<score>",
        _weight,
        _weight_so,
        model.scores,
    ),
    StepText(
        "[[Softmax|softmax]] over the <tokens> turns the scores into shares: the [[weight]] that Heads draws.",
        r"a_{ij} = \frac{e^{s_{ij}<after>}}{\sum_{k=1}^{<n>} e^{s_{ik}<after>}<sink>}",
        _weight,
        _weight_so,
        model.scores,
    ),
    StepText(
        "The token adds up the [[values|value]] of all tokens, weighted by attention.",
        r"z_i = \sum_{j=1}^{<n>} a_{ij}\, v_j \qquad <d>\ \text{numbers}",
        _mixture,
        _mixture_so,
        model.values,
    ),
    StepText(
        "Every head of the layer does this at once, here <all_heads>; their results are put side by side.",
        r"[\,z^0_i \mid z^1_i \mid \dots\,] \qquad <heads> \times <d> = <width>",
        _found,
        _found_so,
        model.side_by_side,
    ),
    StepText(
        "One last matrix, [[W_O]], mixes the <width> numbers of the heads into one row of <d_model>. Each head has <d> "
        "rows of it: they set how much of its result goes into each number. The parts of all heads are summed up.",
        r"\sum_h z^h_i\, W_{O,h} \qquad <heads> \cdot (1 \times <d>)(<d> \times <d_model>) \to 1 \times <d_model>",
        _sum,
        _sum_so,
        model.mix,
    ),
)
