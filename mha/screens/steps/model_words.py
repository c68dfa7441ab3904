"""What is said at each step of the walk with a model's numbers: idea (a caption) and formula (LaTeX). Pure.

Slots in braces are filled with the model's sizes by `steps_model_said.said`.
"""

from __future__ import annotations

SAID: tuple[tuple[str, str], ...] = (
    (
        "The text is cut into [[tokens|token]]: words, pieces of words, marks of the model’s own. Each of them has a "
        "row of {d_model} numbers.",
        r"{n}\ \text{{tokens}} \;\longrightarrow\; X \qquad {n} \times {d_model}",
    ),
    (
        "{came}",
        r"X \qquad {n} \times {d_model}",
    ),
    (
        "Head {head} makes a [[query]], a [[key]] and a [[value]] of {d} numbers out of each token’s row, with three "
        "learned matrices.",
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
        "One last matrix, [[W_O]], mixes the {width} numbers that the heads left into one row of {d_model}. Each head "
        "has {d} rows of it to itself: they say into which of the {d_model} numbers this head’s finding goes, how "
        "strongly and with which sign. What all heads add is summed up.",
        r"\sum_h z^h_i\, W_{{O,h}} \qquad {heads} \cdot (1 \times {d})({d} \times {d_model}) \to 1 \times {d_model}",
    ),
)

MASK_SAID = {
    True: "This model is causal: a [[mask]] hides every token that is still to come.",
    False: "This model has no [[mask]] between the tokens of a text: every token sees every token, so M is 0.",
}

CAME_SAID = {
    True: "Before the first layer, the row of a token is its [[embedding]], in many models with its place added.",
    False: "The rows that come into layer {layer} already carry what the layers before it have added.",
}
