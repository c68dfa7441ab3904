"""What stands beside each answer: a finding, a picture or table of live numbers, and where they come from. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from mha.analysis.leaning import Leaning
from mha.core import PRESETS, width_effect
from mha.engine.bundled import bundled_runs
from mha.examples import needed
from mha.figures.heatmaps import describe_layer
from mha.formats import labels, number, percent
from mha.maps import AttentionMaps, HeadId, Reading, Recording
from mha.models.files.catalog import ModelRow
from mha.screens.about import truth
from mha.screens.arrays import array, size
from mha.screens.blocks import caption, say, word
from mha.screens.places import Formula, PageTable
from mha.screens.questions.measured import (
    averaged,
    doubled,
    mixing,
    one_head_is_plain,
    redundancy,
    toy_cell,
    walk,
)
from mha.screens.questions.quiz import Answer, Columns, figure, lines, real_models, sources
from mha.screens.readings.leans import in_other_orders
from mha.screens.shown import MOST_WORDS, Shown
from mha.training.settings import EXPERIMENTS

DOG = "A dog ate the food because it was hungry."
ONE_OR_TWO = EXPERIMENTS["one or two heads"]  # the same width, seed and steps
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)  # d_head, for the scaling
OPTIONS = {"attention": 0, "gradient × attention": 1, "ablation": 2}  # what may rank heads best
FORMULA = (
    r"Q_h = X W^Q_h, \quad K_h = X W^K_h, \quad V_h = X W^V_h",
    r"Z_h = \operatorname{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{d}}\right) V_h",
    r"\text{output} = [\,Z_0 \mid Z_1 \mid \dots\,]\; W^O",
)


def many_heads(shown: Shown, about: ModelRow) -> Answer:
    """Return the two pinned or opening heads of the reader's sentence, and what their mean keeps of the first look."""
    pair = list(shown.pins[:2])
    if len(pair) < 2 or shown.maps.n_keys > MOST_WORDS:
        return Answer(
            (caption(f"This needs two pinned heads and {MOST_WORDS} words or fewer. Pin two on Heads.", style="sub"),)
        )
    head, look, left = averaged(shown.maps, pair)
    of = " to words" if shown.aside and shown.sinks else ""
    found = say(
        f"In {{head}}, {{query}} gives {percent(look.weight)} of its attention{of} to {{key}}. Averaged with "
        f"{{other}}, "
        f"{percent(left)} remains.",
        head=head,
        query=word(labels(shown.maps.tokens)[look.query]),
        key=word(labels(shown.maps.key_tokens)[look.key]),
        other=pair[1] if head == pair[0] else pair[0],
    )
    sinks = "[[attention sinks|attention sink]] " + ("excluded." if shown.aside else "included.")
    return Answer(
        (
            caption(found, style="found"),
            *figure(
                "two heads",
                describe_layer(shown.maps, pair, empty=shown.empty),
                _weights(shown.maps, pair),
                maps=shown.maps,
                heads=pair,
                width=520,
                empty=shown.empty,
            ),
            caption(f"{about.short}, {about.origin_said}, your sentence; rows look at columns; {sinks}"),
        )
    )


def _weights(maps: AttentionMaps, heads: Sequence[HeadId]) -> Columns:
    """Return every weight of some heads, a row each."""
    each = [(head, *cell) for head in heads for cell in np.ndindex(maps[head].shape)]
    names, queries, keys = zip(*each, strict=True)
    rows, columns = labels(maps.tokens), labels(maps.key_tokens)
    return {
        "head": [str(head) for head in names],
        "query": [rows[place] for place in queries],
        "key": [columns[place] for place in keys],
        "weight": np.concatenate([maps[head].ravel() for head in heads]),
    }


def self_attention() -> Answer:
    """Return the weights of one head and of two on the same three words, and how far one head is from plain."""
    words = PRESETS["one_head"].text.split()
    weights = partial(array, shares=True, rows=words, columns=words)
    one, (first, second) = walk("one_head")["weights"], walk("two_heads")["weights"]
    return Answer(
        (
            caption(say(f"Largest difference between the two outputs: {one_head_is_plain():.1g}."), style="found"),
            *lines(
                [weights(one[0], "one head", shape="one weighting for each word, %")],
                [weights(first, "head 0", shape="of two, %"), weights(second, "head 1", shape="of two, %")],
            ),
            caption("Toy example: random numbers, the same three words throughout. Rows look at columns."),
        )
    )


def roles(recording: Recording) -> Answer:
    """Return how one weight of the hand-set toy comes about, and what doubling each of the three changes."""
    one, rows = toy_cell(recording), doubled(recording)
    vector = partial(array, shape="")
    weight = array([one.weight], "weight", shape="%, among eight words", shares=True)
    changes = {
        "Twice as large": list(rows),
        "Largest change of a weight": [f"{100 * weights:.0f} points" for weights, _ in rows.values()],
        "… of the result": [f"{gathered:.2f}" for _, gathered in rows.values()],
    }
    return Answer(
        (
            caption(say(f"*telescope* gives *man* {percent(one.weight)} of its attention."), style="found"),
            *lines(
                [
                    array(one.query, "query", shape="telescope"),
                    "·",
                    array(one.key, "key", shape="man"),
                    "=",
                    vector([one.score], "attention score"),
                ],
                [vector([one.scaled], "÷ √2", decimals=2), "→", weight],
            ),
            PageTable(changes, "What doubling queries, keys or values changes at most."),
            caption(
                "[[Toy example|toy example]], numbers set by hand: The man saw an astronomer with a telescope, head 0."
            ),
        )
    )


def scaling() -> Answer:
    """Return how the largest of eight weights grows with the width, without and with the division."""
    rows = [width_effect(width) for width in WIDTHS]
    last, widths = rows[-1], list(WIDTHS)
    plain, divided = [row.largest_raw for row in rows], [row.largest_scaled for row in rows]
    found = (
        f"At d = {last.d_head} the variance of q·k is {last.variance:.0f}. The largest of eight weights gets "
        f"{percent(last.largest_raw)}; divided by √d, {percent(last.largest_scaled)}."
    )
    alt = " ".join(f"d {r.d_head}: {percent(r.largest_raw)}, divided {percent(r.largest_scaled)}." for r in rows)
    numbers = {
        "d_head": np.array(widths),
        "variance_of_product": np.array([row.variance for row in rows]),
        "largest_of_eight_weights": np.array(plain),
        "divided_by_root_d": np.array(divided),
    }
    variances = ", ".join(f"{row.d_head}: {row.variance:.0f}" for row in rows)
    return Answer(
        (
            caption(say(found), style="found"),
            *figure("saturation", alt, numbers, widths=widths, plain=plain, divided=divided),
            caption(f"Variance of q·k at each d, 4,096 random pairs: {variances}."),
        )
    )


def formula() -> Answer:
    """Return the formula, and every array of two words and two full heads in it."""
    steps, preset = walk("money_bank"), PRESETS["money_bank"]
    one = partial(array, rows=preset.text.split())
    z, both, output = (steps[name] for name in ("heads", "concatenation", "output"))
    product = f"{size(both)} times {size(preset.heads().w_output)}, {size(output)}"
    return Answer(
        (
            Formula(FORMULA),
            *lines(
                [one(steps["input"], "X")],
                [one(z[0], "Z₀"), one(z[1], "Z₁")],
                [one(both, "Z₀ | Z₁", shape=f"side by side, {size(both)}", split=(3,))],
                [one(output, "output", shape=product)],
            ),
            caption("Toy example: random numbers, rounded to one place. Step by step has every array in between."),
        )
    )


def output_matrix() -> Answer:
    """Return one word's numbers side by side and after the last matrix, with head 1 on and off."""
    beside, output = mixing()
    changed = [int((~np.isclose(on, off, rtol=0, atol=1e-9)).sum()) for on, off in (beside, output)]
    found = (
        f"Without head 1, {changed[0]} of {beside.shape[1]} numbers change before W_O and {changed[1]} of "
        f"{output.shape[1]} after it."
    )
    top = float(np.abs([beside[0], output[0]]).max())
    one = partial(array, rows=("both heads", "without head 1"), decimals=2, largest=top)
    names = ("head 0", "", "head 1", "")
    return Answer(
        (
            caption(say(found), style="found"),
            *lines(
                [one(beside, "side by side", shape="without mixing", columns=names, split=(1,))],
                [one(output, "× W_O", shape="mixed")],
            ),
            caption("Toy example: random numbers, the word bank of money bank, two slices."),
        )
    )


def real_heads() -> Answer:
    """Return the table of heads in real models, the app's own last, from the catalog."""
    rows, named = real_models(), sources()
    columns = {
        "Model": [row.model for row in rows],
        "Layers × heads": [f"{row.layers} × {row.heads}" for row in rows],
        "d_model": [f"{row.width:,}" for row in rows],
        "d_head": [f"{row.d_head}" for row in rows],
        "Source": [named[row.source].who for row in rows],
    }
    note = (
        "d_model and d_head: how many numbers a word and one head have. The first two have as many layers again in "
        "their decoder."
    )
    alt = "; ".join(f"{row.model} {row.layers} × {row.heads}" for row in rows)
    return Answer(
        (
            PageTable(columns, alt),
            caption(note),
        )
    )


def redundant(maps: AttentionMaps, about: ModelRow) -> Answer:
    """Return how many different looks each layer has on the reader's sentence; ``maps`` are merged."""
    if maps.n_keys > MOST_WORDS:
        return Answer((caption(f"Please use {MOST_WORDS} words or fewer.", style="sub"),))
    found = redundancy(maps)
    said = say(
        f"Your sentence: {len(maps.heads)} heads look in {found.different.whole:.1f} effectively different ways."
    )
    if found.alike is not None:
        first, second = found.alike
        apart = f" Most similar: {{first}} and {{second}} (distance {found.divergence:.3f} bits, 0 to 1)."
        said += say(apart, first=first, second=second)
        equal = f" If every two heads differed by the average ({found.apart:.2f} bits), it would be {found.bound:.1f}."
        said += say(equal)
    alt = "; ".join(
        f"layer {layer}: {value:.1f} of {maps.n_heads}" for layer, value in enumerate(found.different.layers)
    )
    note = (
        f"{about.short}, {about.origin_said}. Jensen–Shannon divergence between the heads’ rows, [[attention "
        f"sinks|attention "
        "sink]] included. [[Effective number|effective number of heads]]: exp of the entropy of the similarity’s "
        "eigenvalues (Friedman & Dieng 2023), 1 when all look at the same places."
    )
    share = found.different.whole / len(maps.heads)
    right = 0 if share <= 0.25 else 1 if share < 0.75 else 2
    columns = {
        "layer": np.arange(len(found.different.layers)),
        "different_heads_in_effect": np.array(found.different.layers),
    }
    bars = figure("different heads", alt, columns, by_layer=found.different.layers, n_heads=maps.n_heads)
    return Answer(
        (
            caption(said, style="found"),
            *bars,
            caption(note),
        ),
        right,
    )


def measures() -> Answer:
    """Return how well each measure ranks the heads that matter, in tiny models whose every set of heads was tried."""
    study = truth.read_study()
    best = study.measures[0].name
    mean, low, high = np.array([measure.rank for measure in study.measures]).T
    names = [measure.name for measure in study.measures]
    columns: Columns = {"measure": names, "rank_correlation": mean, "low": low, "high": high}
    return Answer(
        (
            caption(say(truth.finding(study)), style="found"),
            truth.agreement_chart(study.measures),
            columns,
            caption(f"{truth.MARKS} Rank correlation with what each head adds, by its Shapley value."),
        ),
        OPTIONS.get("ablation" if best.endswith(" ablation") else best),
    )


def one_head() -> Answer:
    """Return how one head and two learned; nothing without the recorded runs."""
    runs = [run for settings in ONE_OR_TWO if (run := bundled_runs().get(settings))]
    curves = {
        name: (run.step.tolist(), run.joint.tolist())
        for name, run in zip(("one head", "two heads"), runs, strict=False)
    }
    if len(curves) < 2:
        return Answer(())
    one, two = runs
    at, steps = one.settings, one.settings.n_steps
    chart = figure(
        "learning",
        f"After {one.step[-1]} steps: one head {percent(one.joint[-1])}, two {percent(two.joint[-1])}.",
        {
            "model": [name for name, (steps_of, _) in curves.items() for _ in steps_of],
            "step": np.concatenate([run.step for run in (one, two)]),
            "both_nouns_right_unseen_pairs": np.concatenate([run.joint for run in (one, two)]),
        },
        curves=curves,
        guess=at.guess,
        n_steps=steps,
    )
    found = (
        f"On new pairs one head gets both nouns in {percent(one.joint[-1])} of sentences, two heads in "
        f"{percent(two.joint[-1])} (one head on training pairs: {percent(one.joint_seen[-1])})."
    )
    note = (
        "[[Trained here|trained here]] in advance, with the same code: one layer, "
        f"{at.d_model} numbers a word, seed {at.seed}, {steps:,} steps. Other seeds give other numbers; "
        "Watch heads learn has them."
    )
    right = 0 if one.joint[-1] < 0.2 else 1 if one.joint[-1] < 0.8 else 2
    return Answer(
        (
            caption(say(found), style="found"),
            *chart,
            caption(note),
        ),
        right,
    )


def dog_readings() -> tuple[Reading, Reading]:
    """Return the two readings of the hungry dog."""
    first, second = needed(DOG).readings
    return first, second


def ambiguity(leaning: Leaning) -> Answer:
    """Return every head's lean on the hungry dog beside the furthest lean of each of its shuffles."""
    lean, summary, shuffles = leaning.here.lean, leaning.summary, leaning.shuffles
    head = leaning.furthest[int(abs(lean[leaning.furthest[1]]) > abs(lean[leaning.furthest[0]]))]
    side, sign = ("A", 1) if lean[head] > 0 else ("B", -1)
    found = say(
        f"{{head}} leans to {side} by {number(sign * lean[head])}; with shuffled words it averages "
        f"{number(sign * summary.mean[head])} ± {summary.spread[head]:.2f}. "
        f"{in_other_orders(summary.reach, len(shuffles))}",
        head=head,
    )
    flat = summary.leans.reshape(len(shuffles), -1)  # [shuffle, head]
    furthest = np.take_along_axis(flat, np.abs(flat).argmax(axis=1)[:, None], axis=1)[:, 0]
    names = [f"L{layer}H{at}" for layer, at in np.ndindex(lean.shape)]
    note = (
        f"MiniLM, pretrained: *{DOG}* A: *it* with *dog*, round. B: *it* with *food*, square. A [[lean]] is "
        "[[strength]] of A minus strength of B; [[shuffled]] words below."
    )
    ratio = float(np.median(np.abs(furthest)) / np.abs(lean).max())
    right = 0 if ratio < 0.35 else 1 if ratio < 1 else 2
    columns: Columns = {
        "head": names,
        "lean": lean.ravel(),
        "mean_of_shuffles": summary.mean.ravel(),
        "spread_of_shuffles": summary.spread.ravel(),
    }
    alt = f"Leans from {lean.min():.2f} to {lean.max():.2f}."
    chart = figure("leans", alt, columns, leans=lean.ravel(), furthest=furthest, names=names)
    return Answer(
        (
            caption(found, style="found"),
            *chart,
            caption(note),
        ),
        right,
    )
