"""What is said at each step of the walk with a model's numbers: idea (a caption) and formula (LaTeX). Pure.

Slots in braces are filled with the model's sizes by `steps_model.said`.
"""

from __future__ import annotations

SAID: tuple[tuple[str, str], ...] = (
    (
        "The text is cut into [[tokens|token]]. The model has a row of numbers for each.",
        r"{n}\ \text{{tokens}}",
    ),
    (
        "The rows that come into this layer already carry what earlier layers added, and where the token stands.",
        r"X \qquad ({n} \times {width})",
    ),
    (
        "Head {head} makes a [[query]], a [[key]] and a [[value]] of {d} numbers out of each token, with its own three "
        "learned matrices and biases.",
        r"q_i,\ k_j,\ v_j \qquad {d}\ \text{{numbers each}}",
    ),
    (
        "Multiply q and k in every dimension and add the {d} products up: that is the [[score]].",
        r"s_{{ij}} = q_i \cdot k_j = \sum_{{d=1}}^{{{d}}} q_{{id}}\, k_{{jd}}",
    ),
    (
        "Divide by the square root of the width, {d}.",
        r"\frac{{q_i \cdot k_j}}{{\sqrt{{{d}}}}}",
    ),
    (
        "{mask}",
        r"\frac{{q_i \cdot k_j}}{{\sqrt{{{d}}}}} + M_{{ij}}",
    ),
    (
        "[[Softmax|softmax]] over all {n} tokens makes shares of the scores: the [[weight]] that Heads draws.",
        r"a_{{ij}} = \frac{{e^{{s_{{ij}} / \sqrt{{{d}}}}}}}{{\sum_{{k=1}}^{{{n}}} e^{{s_{{ik}} / \sqrt{{{d}}}}}}}",
    ),
    (
        "The token gathers the [[values|value]] of all tokens, each as much as its weight says.",
        r"z_i = \sum_{{j=1}}^{{{n}}} a_{{ij}}\, v_j \qquad {d}\ \text{{numbers}}",
    ),
    (
        "All {heads} heads of the layer do this at once; their findings are set side by side.",
        r"[\,z^0_i \mid z^1_i \mid \dots\,] \qquad {heads} \times {d} = {width}",
    ),
    (
        "[[W_O]] makes the layer’s output of them: it sets how much of each head’s finding goes where, and adds "
        "them up. "
        "Its numbers are not drawn here; the toy shows every one.",
        r"[\,z^0_i \mid z^1_i \mid \dots\,]\; W_O \qquad (1 \times {width})({width} \times {width}) \to 1 \times "
        r"{width}",
    ),
)

MASK_SAID = {
    True: "This model is causal: a [[mask]] hides every token that is still to come.",
    False: "This model has no [[mask]] between the tokens of a text: every token sees every token, so M is 0.",
}
