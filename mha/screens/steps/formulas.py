"""The formulas of the toy's walk in LaTeX, with the reader's shapes filled in. Pure."""

from __future__ import annotations

from mha.screens.steps.lesson import Lesson


def shape(*sizes: int) -> str:
    """Return a shape in LaTeX, ``2 \\times 4``."""
    return r" \times ".join(f"{size:,}".replace(",", "{,}") for size in sizes)


def two_lines(formula: str) -> str:
    r"""Return a formula with what stands after \qquad, its shapes, below it, so that both fit half a page."""
    what, _, shapes = formula.partition(r"\qquad")
    return rf"\begin{{aligned}} & {what} \\[8pt] & {shapes} \end{{aligned}}" if shapes else formula


def sizes(lesson: Lesson) -> tuple[int, int, int, int]:
    """Return how many words, d_model, d_head and how many heads."""
    return len(lesson.words), lesson.d_model, lesson.d_head, lesson.n_heads


def words_formula(lesson: Lesson) -> str:
    """Return the formula of the whole layer as one arrow."""
    n, d, _, _ = sizes(lesson)
    return (
        rf"{n}\ \text{{words}} \;\to\; X \;\to\; \text{{output}} \qquad "
        rf"X \text{{ and output: }} {shape(n, d)}"
    )


def input_formula(lesson: Lesson) -> str:
    """Return the formula of what comes in."""
    n, d, _, _ = sizes(lesson)
    if lesson.choices.positions:
        return rf"X = E + P \qquad ({shape(n, d)}) + ({shape(n, d)})"
    return rf"X = E \qquad ({shape(n, d)})"


def projection_formula(lesson: Lesson) -> str:
    """Return the formula of query, key and value."""
    n, d, w, _ = sizes(lesson)
    return (
        r"Q_h = X\,W_{Q,h} \quad K_h = X\,W_{K,h} \quad V_h = X\,W_{V,h}"
        rf" \qquad ({shape(n, d)})({shape(d, w)}) \to {shape(n, w)}"
    )


def scores_formula(lesson: Lesson) -> str:
    """Return the formula of the scores."""
    n, _, w, _ = sizes(lesson)
    return rf"S_h = Q_h K_h^\top \qquad ({shape(n, w)})({shape(w, n)}) \to {shape(n, n)}"


def _scaled(lesson: Lesson) -> str:
    return rf"\frac{{Q_h K_h^\top}}{{\sqrt{{{lesson.d_head}}}}}" if lesson.choices.scale else r"Q_h K_h^\top"


def scale_formula(lesson: Lesson) -> str:
    """Return the formula of the division by the root of the width."""
    n, _, w, _ = sizes(lesson)
    if lesson.choices.scale:
        return rf"\frac{{S_h}}{{\sqrt{{d_\text{{head}}}}}} = \frac{{S_h}}{{\sqrt{{{w}}}}} \qquad {shape(n, n)}"
    return rf"S_h \quad \text{{(the division by }} \sqrt{{{w}}} \text{{ is off)}} \qquad {shape(n, n)}"


def mask_formula(lesson: Lesson) -> str:
    """Return the formula of the mask."""
    if lesson.masked:
        return rf"{_scaled(lesson)} + M, \qquad M_{{qk}} = \begin{{cases}} 0 & k \le q \\ -\infty & k > q \end{{cases}}"
    return rf"{_scaled(lesson)} + M, \qquad M = 0 \ \text{{everywhere}}"


def weights_formula(lesson: Lesson) -> str:
    """Return the formula of the weights."""
    n, _, w, _ = sizes(lesson)
    inside = _scaled(lesson) + (" + M" if lesson.masked else "")
    heat = lesson.choices.temperature
    over = rf"\frac{{1}}{{{heat:g}}}" if heat != 1 else ""
    return (
        rf"A_h = \operatorname{{softmax}}\!\left({over}{inside}\right) \qquad ({shape(n, w)})({shape(w, n)}) \to "
        rf"{shape(n, n)}"
    )


def values_formula(lesson: Lesson) -> str:
    """Return the formula of what each head gathers."""
    n, _, w, _ = sizes(lesson)
    return rf"Z_h = A_h V_h \qquad ({shape(n, n)})({shape(n, w)}) \to {shape(n, w)}"


def side_formula(lesson: Lesson) -> str:
    """Return the formula of the concatenation."""
    n, _, w, heads = sizes(lesson)
    inner = r" \mid ".join(f"Z_{head}" for head in range(min(heads, 3))) + (r" \mid \dots" if heads > 3 else "")
    return rf"Z = [\,{inner}\,] \qquad {heads} \cdot ({shape(n, w)}) \to {shape(n, heads * w)}"


def mix_formula(lesson: Lesson) -> str:
    """Return the formula of the output."""
    n, d, w, heads = sizes(lesson)
    return (
        rf"\text{{output}} = Z\,W_O = \sum_h Z_h W_{{O,h}} \qquad ({shape(n, heads * w)})({shape(heads * w, d)}) \to "
        rf"{shape(n, d)}"
    )
