"""The experiments of the ten questions: the computation of each, and its sentence, picture and table.

The toy's numbers come from `mha.core` with fixed seeds; those of a sentence from its recording.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from mha.analysis.changes import Different, jensen_shannon
from mha.analysis.opening import opening_heads
from mha.analysis.sinks import set_aside
from mha.core import PRESETS, Trace, attend, cell, trace, width_effect
from mha.core.attention import scaled_dot_product_attention
from mha.engine import Request, experiments
from mha.engine.bundled import bundled_runs
from mha.examples import needed
from mha.figures import charts
from mha.figures.heatmaps import describe_layer, layer_heatmaps
from mha.formats import labels, markdown, number, percent
from mha.maps import AttentionMaps, HeadId, Recording
from mha.models.files.catalog import model_row
from mha.models.toy import HAND_SET
from mha.training.settings import EXPERIMENTS
from mha.views import claims
from mha.views.questions import MOST_WORDS, TOY, Answer, Columns, grid, real_models, sources

DOG = "A dog ate the food because it was hungry."
ONE_OR_TWO = EXPERIMENTS["one or two heads"]  # equal width, seed and steps
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)  # d_head, for the scaling
FORMULA = (
    r"Q_h = X W^Q_h, \quad K_h = X W^K_h, \quad V_h = X W^V_h",
    r"Z_h = \operatorname{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{d}}\right) V_h",
    r"\text{output} = [\,Z_0 \mid Z_1 \mid \dots\,]\; W^O",
)


def answer(name: str, sentence: str, model: str) -> Answer:
    """Return the answer of a claim or a question; ``sentence`` and ``model`` are the visitor's.

    Raises:
        MHAError: the text or the model cannot be used, or a bundled file is damaged.
    """
    if name in ON_THE_SENTENCE:
        experiment = ON_THE_SENTENCE[name]
        return replace(experiment(Request(sentence, model).answer().maps.merged(), model), texts=(sentence,))
    return ALONE[name]()


# ---- questions


def many_heads(maps: AttentionMaps, model: str) -> Answer:
    """Return what remains of the first look when two heads of the visitor's sentence are averaged; merged maps."""
    if len(maps.heads) < 2 or maps.n_keys > MOST_WORDS:
        return Answer(f"This needs a model with two heads, and {MOST_WORDS} words or fewer.")
    row, excluded = model_row(model), set_aside(maps)
    pair = list(dict.fromkeys((*opening_heads(maps), *maps.heads)))[:2]
    if excluded.maps.n_keys < 2:
        return Answer("Two words that are no attention sinks are needed. Type a longer sentence.")
    shares = excluded.maps.weights * (1 - excluded.mass)[..., None]  # of all attention, as on Heads
    shown = replace(excluded.maps, weights=shares.astype(np.float32))
    head, query, key, remaining = averaged(shown, pair)
    names, keys = labels(shown.tokens), labels(shown.key_tokens)
    other_head = pair[1] if head == pair[0] else pair[0]
    if percent(shown[head][query, key]) == percent(remaining):
        return Answer(f"`{head}` and `{other_head}` give other words nearly equal attention. Try another sentence.")
    finding = (
        f"In `{head}`, *{markdown(names[query])}* gives {percent(shown[head][query, key])} of its attention to "
        f"*{markdown(keys[key])}*. Averaged with `{other_head}`, {percent(remaining)} remains."
    )
    cells = [
        (str(head_of_pair), names[q], keys[k])
        for head_of_pair in pair
        for q, k in np.ndindex(shown[head_of_pair].shape)
    ]
    head_column, query_column, key_column = zip(*cells, strict=True)
    weights = np.concatenate([shown[head_of_pair].ravel() for head_of_pair in pair])
    figure = partial(layer_heatmaps, shown, pair, width=520, empty=excluded.empty)
    return Answer(
        finding,
        f"{row.short}, {row.origin_said}, your sentence; rows look at columns, % of all attention; sinks not drawn.",
        figure=lambda theme: figure(theme=theme),
        alt=describe_layer(shown, pair, empty=excluded.empty),
        columns={"head": head_column, "query": query_column, "key": key_column, "weight": weights},
        model=row,
    )


def self_attention() -> Answer:
    """Return the weights of one head and of two on three words, and how far one head is from plain attention."""
    words = PRESETS["one_head"].text.split()
    arrays = {"one head": walk("one_head")["weights"][0]}
    arrays |= {f"head {head} of two": weights for head, weights in enumerate(walk("two_heads")["weights"])}
    return Answer(
        f"One head and plain attention with the same matrices: largest difference {one_head_is_plain():.1g}.",
        f"{TOY} The same three words throughout, shares in %. Rows look at columns.",
        formulas=tuple(matrix(100 * weights, text(name), words, words, 0) for name, weights in arrays.items()),
        columns=flat(arrays),
    )


def roles() -> Answer:
    """Return how one weight of the hand-set toy comes about, and what doubling each of the three changes."""
    recording = Request(HAND_SET, "toy").answer()
    words, (queries, keys, _) = HAND_SET.split(), toy_head(recording)
    by_hand = cell(queries, keys, (words.index("telescope"), words.index("man")))
    changes = doubled(recording)
    query, key = (", ".join(f"{value:g}" for value in vector.round(2)) for vector in (by_hand.query, by_hand.key))
    points, results = zip(*changes.values(), strict=True)
    rows = {
        "largest change of a weight": [f"{100 * value:.0f} points" for value in points],
        "largest change of the result": [f"{value:.2f}" for value in results],
    }
    return Answer(
        f"*telescope* gives *man* {percent(by_hand.weight)} of its attention. Twice as large:",
        "Toy example, numbers set by hand: The man saw an astronomer with a telescope, head 0.",
        table=grid("doubled", tuple(changes), rows),
        formulas=(
            rf"q \cdot k = ({query}) \cdot ({key}) = {by_hand.score:.3g}",
            rf"{by_hand.score:.3g} \,/\, \sqrt2 = {by_hand.scaled:.3g} \;\to\; {100 * by_hand.weight:.0f}\,\%",
        ),
        columns={"doubled": tuple(changes), "weight_change": np.array(points), "result_change": np.array(results)},
    )


def scaling() -> Answer:
    """Return how the largest of eight weights grows with the width, without and with the division."""
    rows = [width_effect(width) for width in WIDTHS]
    last, plain, divided = rows[-1], [row.largest_raw for row in rows], [row.largest_scaled for row in rows]
    variances = ", ".join(f"{row.d_head}: {row.variance:.0f}" for row in rows)
    return Answer(
        f"At d = {last.d_head} the variance of q·k is {last.variance:.0f}. The largest of eight weights gets "
        f"{percent(last.largest_raw)}; divided by √d, {percent(last.largest_scaled)}.",
        f"Variance of q·k at each d, 4,096 random pairs: {variances}.",
        figure=lambda theme: charts.saturation_curves(WIDTHS, plain, divided, theme),
        alt=" ".join(f"d {r.d_head}: {percent(r.largest_raw)}, divided {percent(r.largest_scaled)}." for r in rows),
        columns={
            "d_head": np.array(WIDTHS),
            "variance_of_product": np.array([row.variance for row in rows]),
            "largest_of_eight_weights": np.array(plain),
            "divided_by_root_d": np.array(divided),
        },
    )


def formula() -> Answer:
    """Return the formula, and every array of two words and two full heads in it."""
    steps, words = walk("money_bank"), PRESETS["money_bank"].text.split()
    z, both, output = (steps[name] for name in ("heads", "concatenation", "output"))
    arrays = {"X": steps["input"], "Z_0": z[0], "Z_1": z[1], r"Z_0 \mid Z_1": both, r"\text{output}": output}
    sizes = " × ".join(map(str, both.shape))
    return Answer(
        f"Side by side, the heads are {sizes}; times W_O, {' × '.join(map(str, output.shape))}.",
        f"{TOY} Rounded to one place. *Step by step* has every array in between.",
        formulas=(*FORMULA, *(matrix(values, name, words) for name, values in arrays.items())),
        columns=flat(arrays),
    )


def output_matrix() -> Answer:
    """Return one word's numbers side by side and after the last matrix, with head 1 on and off."""
    concatenated, output = mixing()
    changed = [
        int((~np.isclose(with_head, without_head, rtol=0, atol=1e-9)).sum())
        for with_head, without_head in (concatenated, output)
    ]
    arrays, rows = (
        {text("side by side"): concatenated, text("after") + " W_O": output},
        ("both heads", "without head 1"),
    )
    return Answer(
        f"Without head 1, {changed[0]} of {concatenated.shape[1]} numbers change before W_O and {changed[1]} of "
        f"{output.shape[1]} after it.",
        f"{TOY} The word bank of money bank, two slices: two numbers of head 0, then two of head 1.",
        formulas=tuple(matrix(values, name, rows, decimals=2) for name, values in arrays.items()),
        columns=flat(arrays),
    )


def real_heads() -> Answer:
    """Return the table of heads in real models, the app's own last, from the catalogue."""
    rows, papers = real_models(), sources()
    columns: dict[str, list[str]] = {
        "Model": [row["model"] for row in rows],
        "Layers × heads": [f"{row['layers']} × {row['heads']}" for row in rows],
        "d_model": [f"{row['width']:,}" for row in rows],
        "d_head": [f"{row['width'] // row['heads']}" for row in rows],
        "Source": [papers[row["source"]].who for row in rows],
    }
    cells = zip(columns["Layers × heads"], columns["d_model"], columns["d_head"], strict=True)
    return Answer(
        "",
        "d_model and d_head: how many numbers a word and one head have. The first two have as many layers again in "
        "their decoder.",
        table=grid("Model", list(columns)[1:4], dict(zip(columns["Model"], map(list, cells), strict=True))),
        columns=columns,
    )


def redundancy(maps: AttentionMaps, model: str) -> Answer:
    """Return how many different looks each layer has on the visitor's sentence; ``maps`` are merged."""
    if maps.n_keys > MOST_WORDS:
        return Answer(f"Please use {MOST_WORDS} words or fewer.")
    if maps.n_keys < 2:  # every head gives its only token everything
        return Answer("Two words are needed. Type a longer sentence.")
    row, divergence = model_row(model), jensen_shannon(maps)
    different = Different.from_divergence(divergence, maps.n_heads)
    looks = "heads look" if len(maps.heads) > 1 else "head looks"
    sentences = [f"Your sentence: {len(maps.heads)} {looks} in {different.whole:.1f} effectively different ways."]
    first, second = np.triu_indices(len(divergence), 1)
    if len(first):
        closest = int(divergence[first, second].argmin())
        sentences.append(
            f"Most similar: `{maps.heads[first[closest]]}` and `{maps.heads[second[closest]]}` (distance "
            f"{divergence[first, second][closest]:.3f} bits, 0 to 1)."
        )
    share = different.whole / len(maps.heads)
    return Answer(
        " ".join(sentences),
        f"{row.short}, {row.origin_said}. Jensen–Shannon divergence between the heads’ rows, attention sinks included. "
        "Effective number: exp of the entropy of the similarity’s eigenvalues (Friedman & Dieng 2023), 1 when all look "
        "at the same places.",
        right=0 if share <= 0.25 else 1 if share < 0.75 else 2,
        figure=lambda theme: charts.effective_bars(different.layers, maps.n_heads, theme),
        alt="; ".join(f"layer {layer}: {v:.1f} of {maps.n_heads}" for layer, v in enumerate(different.layers)),
        columns={
            "layer": np.arange(len(different.layers)),
            "different_heads_in_effect": np.array(different.layers),
        },
        model=row,
    )


def one_head() -> Answer:
    """Return how one head and two learned, or a sentence if the recorded runs are missing."""
    runs = [run for settings in ONE_OR_TWO if (run := bundled_runs().get(settings))]
    if len(runs) < 2:
        return Answer("The recorded runs are not available.")
    one_head_run, two_heads_run = runs
    settings, share = one_head_run.settings, float(one_head_run.joint[-1])
    curves = {
        name: (run.step.tolist(), run.joint.tolist()) for name, run in zip(("one head", "two heads"), runs, strict=True)
    }
    return Answer(
        f"On new pairs one head gets both nouns in {percent(share)} of sentences, two heads in "
        f"{percent(two_heads_run.joint[-1])} (one head on training pairs: {percent(one_head_run.joint_seen[-1])}).",
        f"Trained here in advance, with the same code: one layer, {settings.d_model} numbers a word, seed "
        f"{settings.seed}, {settings.n_steps:,} steps. Other seeds give other numbers; *Watch heads learn* has them.",
        right=0 if share < 0.2 else 1 if share < 0.8 else 2,
        figure=lambda theme: charts.learning_curves(curves, settings.guess, settings.n_steps, theme),
        alt=f"After {one_head_run.step[-1]} steps: one head {percent(share)}, two {percent(two_heads_run.joint[-1])}.",
        columns={
            "model": [name for name, (steps, _) in curves.items() for _ in steps],
            "step": np.concatenate([run.step for run in runs]),
            "both_nouns_right_unseen_pairs": np.concatenate([run.joint for run in runs]),
        },
    )


def ambiguity() -> Answer:
    """Return every head's lean on the hungry dog, and the furthest lean of each of its shuffles."""
    first, second = needed(DOG).readings
    leaning = experiments.leaning(DOG, (first, second))
    lean, summary, shuffles = leaning.sentence_leans.lean, leaning.summary, leaning.shuffles
    head = max(leaning.furthest, key=lambda head: abs(lean[head]))
    side, sign = ("A", 1) if lean[head] > 0 else ("B", -1)
    flat_leans = summary.leans.reshape(len(shuffles), -1)  # [shuffle, head]
    furthest = np.take_along_axis(flat_leans, np.abs(flat_leans).argmax(axis=1)[:, None], axis=1)[:, 0]
    names = [f"L{layer}H{index}" for layer, index in np.ndindex(lean.shape)]
    ratio = float(np.median(np.abs(furthest)) / np.abs(lean).max())
    return Answer(
        f"`{head}` leans to {side} by {number(sign * lean[head])}; with shuffled words it averages "
        f"{number(sign * summary.mean[head])} ± {summary.spread[head]:.2f}. With the words shuffled, some head leans "
        f"at least as far in {summary.n_reached} of {len(shuffles)} sentences.",
        f"MiniLM, pretrained: *{DOG}* A: *it* with *dog*, round. B: *it* with *food*, square. A lean is strength of A "
        "minus strength of B; shuffled words below.",
        right=0 if ratio < 0.35 else 1 if ratio < 1 else 2,
        figure=lambda theme: charts.lean_strip(lean.ravel(), furthest, names, theme),
        alt=f"Leans from {lean.min():.2f} to {lean.max():.2f}.",
        columns={
            "head": names,
            "lean": lean.ravel(),
            "mean_of_shuffles": summary.mean.ravel(),
            "spread_of_shuffles": summary.spread.ravel(),
        },
        model=model_row("minilm"),
        texts=(DOG,),
    )


ON_THE_SENTENCE: Mapping[str, Callable[[AttentionMaps, str], Answer]] = {
    "many heads": many_heads,
    "redundancy": redundancy,
}
ALONE: Mapping[str, Callable[[], Answer]] = {
    "looks and uses": claims.looks_and_uses,
    "a meaning": claims.a_meaning,
    "similarity": claims.similarity,
    "self-attention": self_attention,
    "Q K V": roles,
    "scaling": scaling,
    "formula": formula,
    "output matrix": output_matrix,
    "real models": real_heads,
    "one head": one_head,
    "ambiguity": ambiguity,
}


# ---- numbers and arrays


def averaged(maps: AttentionMaps, heads: Sequence[HeadId]) -> tuple[HeadId, int, int, float]:
    """Return the head, query and key whose weight loses most when heads are averaged, and the average weight."""
    weights = np.stack([maps[head] for head in heads])  # [head, query, key]
    lost = (weights - weights.mean(axis=0)) * (1 - np.eye(*weights.shape[1:]))  # attention to itself does not count
    index, query, key = (int(place) for place in np.unravel_index(lost.argmax(), lost.shape))
    return heads[index], query, key, float(weights[:, query, key].mean())


def walk(preset: str) -> Trace:
    """Return every array of a preset of the core on its own words."""
    row = PRESETS[preset]
    return trace(row.heads(), row.embeddings())


def one_head_is_plain() -> float:
    """Return the largest difference between a multi-head layer with one head and plain attention, then a matrix."""
    row = PRESETS["one_head"]
    heads, x = row.heads(), row.embeddings()
    output, _ = scaled_dot_product_attention(x @ heads.w_query, x @ heads.w_key, x @ heads.w_value)  # [token, d_head]
    return float(np.abs(attend(heads, x)[0] - output @ heads.w_output).max())


def doubled(recording: Recording) -> dict[str, tuple[float, float]]:
    """Return the largest change of weights and of results if queries, keys or values of head 0 of the toy double."""
    query, key, value = toy_head(recording)
    result, weights = scaled_dot_product_attention(query, key, value)
    twice = {"queries": (2 * query, key, value), "keys": (query, 2 * key, value), "values": (query, key, 2 * value)}
    changes = {}
    for name, (queries, keys, values) in twice.items():
        new_result, new_weights = scaled_dot_product_attention(queries, keys, values)
        changes[name] = float(np.abs(new_weights - weights).max()), float(np.abs(new_result - result).max())
    return changes


def toy_head(recording: Recording) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return queries, keys and values of head 0 of the toy, each [token, d_head]."""
    query, key, value = recording.query, recording.key, recording.value
    assert query is not None
    assert key is not None
    assert value is not None
    return query[0, 0], key[0, 0], value[0, 0]


def mixing() -> tuple[np.ndarray, np.ndarray]:
    """Return the second word of *money bank*, side by side and after the last matrix.

    Each is float64 [with head 1 and without, d_model].
    """
    steps, d_head = walk("slices"), PRESETS["slices"].heads().d_head
    concatenated = steps["concatenation"][1]  # [d_model]
    without = np.where(np.arange(len(concatenated)) < d_head, concatenated, 0)
    return np.stack([concatenated, without]), np.stack([steps["output"][1], steps["contributions"][0, 1]])


def matrix(values: np.ndarray, title: str, rows: Sequence[str], columns: Sequence[str] = (), decimals: int = 1) -> str:
    """Return an array as LaTeX, with the names of its rows and columns; ``title`` is LaTeX."""
    lines = [["", *map(text, columns)]] if columns else []
    for row, numbers in zip(rows, values, strict=True):
        lines.append([text(row), *(f"{value:.{decimals}f}" for value in numbers)])
    body = r" \\ ".join(" & ".join(line) for line in lines)
    return rf"{title}: \begin{{array}}{{r|{'r' * values.shape[1]}}} {body} \end{{array}}"


def text(words: str) -> str:
    """Return words within LaTeX."""
    return rf"\text{{{words}}}"


def flat(arrays: Mapping[str, np.ndarray]) -> Columns:
    """Return arrays with two axes as columns: array, row, column, value."""
    cells = [(name, *place, values[place]) for name, values in arrays.items() for place in np.ndindex(values.shape)]
    names, rows, columns, numbers = zip(*cells, strict=True)
    return {"array": names, "row": np.array(rows), "column": np.array(columns), "value": np.array(numbers)}
