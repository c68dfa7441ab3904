"""Three claims about heads and the experiment that tests each: bundled results and the toy, no model."""

import json

import numpy as np

from mha import assets
from mha.analysis.head_effects import BundledHeadEffects, bundled_head_effects
from mha.assets import ASSETS
from mha.core import PRESETS, trace
from mha.figures import charts
from mha.formats import markdown, number, percent, signed
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.views.questions import TOY, Answer, grid

HEAD = "L23H4"  # the head of the second claim
FILE = ASSETS / "places.json"
OWN, NEUTRAL = ", own frames", ", neutral frames"  # endings of its kinds
PLACES = "city", "country"
HERE_ONLY = "No other sentences were measured for this head."


def looks_and_uses() -> Answer:
    """Return the head that looks hardest at the expected word, and the effect of its ablation on that word.

    Raises:
        MHAError: the bundled effects are missing or damaged.
    """
    model = model_row("smollm2")
    return hardest_look(bundled_head_effects(model.name, model.revision))


def hardest_look(stored: BundledHeadEffects) -> Answer:
    """Return the answer of `looks_and_uses` for bundled effects."""
    effects, form = stored.example, stored.form
    layer, index = np.unravel_index(effects.attention[..., 0].argmax(), effects.direct.shape)
    head = HeadId(int(layer), int(index))
    first, second = (f"*{markdown(word)}*" for word in effects.words)
    probability, ablated_probability = (
        float(np.exp(effects.log_probability[0])),
        float(effects.ablated_probability[head][0]),
    )
    control = HERE_ONLY
    if head in form.heads:
        column = form.heads.index(head)
        low, high = form.matched_range[column]
        change = signed(float(form.head_matters[:, column].mean()))
        control = (
            f"In {form.n_sentences} other sentences of five such forms, the recipient's lead over the giver changes by "
            f"{change} logits on average; with another head of layer {head.layer} moved as far from its output, by "
            f"{signed(low)} to {signed(high)} (lowest and highest mean)."
        )
    values = {"looks": effects.looks, "adds": effects.direct, "matters": effects.matters}
    return Answer(
        f"`{head}` gives {first} {percent(float(effects.attention[head][0]))} of its attention, more than any other "
        f"head. Without it, {first} goes from {percent(probability)} to {percent(ablated_probability)}. {control}",
        f"SmolLM2, pretrained: “{markdown(effects.text)}” One mark a head; logits of {first} over {second}.",
        right=1 if percent(probability) == percent(ablated_probability) else 2 * int(ablated_probability > probability),
        figure=lambda theme: charts.effect_scatter(
            effects.looks,
            effects.direct,
            effects.matters,
            words=effects.words,
            looked_at=effects.looked_at,
            limit=form.limit,
            bold=[str(head)],
            theme=theme,
        ),
        alt=f"{head} looks {signed(float(effects.looks[head]))}, adds {signed(float(effects.direct[head]))}, ablated "
        f"{signed(float(effects.matters[head]))}; {effects.direct.size - 1} other heads.",
        columns={
            "head": [str(HeadId(*place)) for place in np.ndindex(effects.direct.shape)],
            **{name: numbers.ravel() for name, numbers in values.items()},
        },
        model=model_row("smollm2"),
        texts=(effects.text,),
    )


def a_meaning() -> Answer:
    """Return how far copied names of each kind fall without one head, and with others of its layer moved as far.

    Raises:
        MHAError: the bundled results are missing or damaged.
    """
    rows = assets.read(FILE, json.loads)["kinds"]
    same_frames, neutral = (
        {name.removesuffix(end): row for name, row in rows.items() if name.endswith(end)} for end in (OWN, NEUTRAL)
    )
    changes = {
        kind: tuple(row["change"][part] for part in ("mean", "low", "high")) for kind, row in same_frames.items()
    }
    matched = [row["moved as far"]["other heads of the layer"] for row in same_frames.values()]
    ranges = [(control["lowest"], control["highest"]) for control in matched]
    mean, low, high = (np.array(column) for column in zip(*changes.values(), strict=True))
    is_place = np.array([kind in PLACES for kind in changes])
    city, country = (number(-changes[kind][0]) for kind in PLACES)
    falls = [number(-neutral[kind]["change"]["mean"]) for kind in PLACES]
    other_falls = f"{number(-mean[~is_place].max())} to {number(-mean[~is_place].min())}"
    carried_shares = [percent(rows[kind]["share carried"]["mean"]) for kind in ("capital", f"city{OWN}")]
    furthest = max(-neutral[kind]["moved as far"]["other heads of the layer"]["lowest"] for kind in PLACES)
    return Answer(
        f"Without `{HEAD}`, copied cities fall by {city} nats and countries by {country}, other kinds of names by "
        f"{other_falls}: no fact is needed. Its output from another prompt carries {carried_shares[0]} of the logit "
        f"difference of two capitals, {carried_shares[1]} of two copied cities. In sentences that are not about "
        f"places, cities fall by {falls[0]} and countries by {falls[1]}; with other heads of its layer moved as far, "
        f"by up to {number(furthest)}.",
        "SmolLM2, pretrained: mean change of the log-probability of a copied name, "
        f"{sum(row['known'] for row in same_frames.values())} prompts in frames that fit their kind; bars: 95 % "
        f"intervals over frames and names; grey: lowest to highest mean of other heads of layer {HEAD[1:3]}, moved "
        "as far.",
        right=1 if high[is_place].max() < low[~is_place].min() else 2 * int((high < 0).any()),
        figure=lambda theme: charts.interval_rows(
            list(changes), list(changes.values()), f"change without {HEAD}, nats", ranges=ranges, theme=theme
        ),
        alt="; ".join(f"{kind}: {number(change[0])}" for kind, change in changes.items()) + ".",
        columns={
            "kind": list(changes), "change": mean, "low": low, "high": high,
            "matched_lowest": np.array([lowest for lowest, _ in ranges]),
            "matched_highest": np.array([highest for _, highest in ranges]),
        },
        model=model_row("smollm2"),
    )  # fmt: skip


def similarity() -> Answer:
    """Return cosines, q·k and attention of the last word of *All is well*, in the toy with one head."""
    preset = PRESETS["one_head"]
    words, vectors, steps = preset.text.split(), preset.embeddings(), trace(preset.heads(), preset.embeddings())
    lengths = np.linalg.norm(vectors, axis=1)
    cosines = vectors[-1] @ vectors.T / (lengths[-1] * lengths)  # [key]
    scores, weights, back = steps["scores"][0, -1], steps["weights"][0, -1], steps["weights"][0, 0, -1]
    rows = {
        f"cosine with *{words[-1]}*": [number(value) for value in cosines],
        "q·k": [number(value) for value in scores],
        f"attention of *{words[-1]}*": [percent(value) for value in weights],
    }
    return Answer(
        f"*{words[-1]}* gives *{words[0]}* {percent(weights[0])} and itself {percent(weights[-1])}. The other way, "
        f"*{words[0]}* gives *{words[-1]}* {percent(back)}.",
        f"{TOY} {preset.text}, one head.",
        right=int(1 + np.sign(weights[0] - weights[-1])),
        table=grid("key", words, rows),
        columns={"key": words, "cosine": cosines, "score": scores, "weight": weights},
    )
