"""Does L23H4 write the place name that is in sight? ``python -m studies.places`` writes `assets/places.json`.

At the last token, the head's output is exchanged between two prompts of a frame (capitals of two countries, or two
copied names), or replaced by its mean. Names of six kinds are copied in frames of their own and in neutral frames that
all kinds share; two lists of frames and names. The head is chosen in countries that are not scored.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from mha.assets import ASSETS
from mha.intervention.bank import head_means
from mha.intervention.direct import first_token
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId
from mha.models.watch.attending import load_model
from studies.language_model.lab import spread
from studies.language_model.prompts import lists
from studies.last_token import LastToken
from studies.separation import Row, interval, mean, ratio, rounded, write_results

FILE = ASSETS / "places.json"
LISTS = Path(__file__).with_suffix(".json")
MODEL = "smollm2"
N_COUNTRIES = 30  # of the first list; the second has as many
KNOWN_FROM = 0.1  # of the probability of the fitting word
N_DIRECTIONS = 10  # random ones of the head's own output, and as many of the whole layer's
NEUTRAL = "neutral"
FRAMES_OF = {
    "city": "place", "country": "place", "invented": "place", "person": "person", "animal": "thing", "object": "thing"
}  # fmt: skip
PLACES = ("city", "country")


@dataclass(frozen=True)
class Prompt:
    """A text with the word that fits and the name in sight; ``kind`` is that of the name, or "capital"."""

    text: str
    word: str
    name: str
    kind: str
    family: str  # of the frame: neutral, or the kind's own
    frame: str
    list: str

    @property
    def prefix(self) -> str:
        """The text before the name."""
        return self.frame.partition("{}")[0].rstrip()


@dataclass(frozen=True, eq=False)
class Effects:
    """Measurements in one prompt and its partner, which has the next name in the same frame.

    Rows of changes are the head, then the other heads of its layer, then the random directions, all moved as far.
    """

    prompt: Prompt
    log_probability: float
    ablated: np.ndarray  # nats, [row]
    log_odds: float  # change of the head's row
    difference: np.ndarray  # logit of the word and of the name in sight over the partner's, here − there, [2]
    carried: np.ndarray  # part of it that follows the exchanged output, [row, 2]
    direct: np.ndarray  # direct effect of the output on the two differences, [2]
    attention: float  # of the last token to the name
    is_pair: bool  # the partner is known as well, and begins with another token


@cache
def _lists() -> dict[str, Any]:
    return dict(json.loads(LISTS.read_text(encoding="utf-8"))["lists"])


def copy_prompts() -> list[Prompt]:
    """Return every name of both lists in the frames of its kind and in the neutral ones."""
    return [
        Prompt(frame.format(name), name, name, kind, family, frame, author)
        for author, data in _lists().items()
        for kind, names in data["names"].items()
        for family in (NEUTRAL, FRAMES_OF[kind])
        for frame in data["frames"][family]
        for name in names
    ]


def capital_prompts(sample: str) -> list[Prompt]:
    """Return the prompts for capitals: the "selection", or the "test" of both lists."""
    data = lists()["capitals"]
    frames = [text.replace("{country}", "{}") for text in data["templates"]]
    frames_and_names = {"first": (frames, data[sample][:N_COUNTRIES])}
    if sample == "test":
        frames_and_names["second"] = (_lists()["second"]["capital frames"], _lists()["second"]["capitals"])
    return [
        Prompt(frame.format(country), capital, country, "capital", "capital", frame, author)
        for author, (frames, pairs) in frames_and_names.items()
        for frame in frames
        for country, capital in pairs
    ]


def by_frame(prompts: Sequence[Prompt]) -> list[list[Prompt]]:
    """Return the prompts of each frame and kind, which are each other's partners."""
    groups: dict[tuple[str, str], list[Prompt]] = {}
    for prompt in prompts:
        groups.setdefault((prompt.frame, prompt.kind), []).append(prompt)
    return list(groups.values())


def through_output(last: LastToken, layer: int, vectors: Tensor) -> Tensor:
    """Return the product of head outputs [row, head, d_head] with a layer's W_O, [row, d_model]."""
    with torch.inference_mode():
        return last.model.model.layers[layer].self_attn.o_proj(vectors.flatten(1))


def scaled(last: LastToken, layer: int, vectors: Tensor, length: float) -> Tensor:
    """Return head outputs [row, head, d_head] that are so long after W_O."""
    return vectors * (length / through_output(last, layer, vectors).norm(dim=-1))[:, None, None]


def final_inputs(last: LastToken, layers: Sequence[int], moves: Tensor) -> Tensor:
    """Return the inputs of the unembedding after head outputs are moved at the last token, [row, d_model].

    ``moves`` [row, head, d_head] is added in one layer of each row; layers ascend.
    """
    return last.run(layers, output=lambda rows, output: output + moves[rows])


def only(head: int, vector: Tensor, n_heads: int) -> Tensor:
    """Return a move of one head, [1, head, d_head]."""
    move = vector.new_zeros(1, n_heads, len(vector))
    move[0, head] = vector
    return move


def matched_moves(last: LastToken, head: HeadId, targets: Tensor) -> Tensor:
    """Return the move of a head's output to its target, and the moves that are as long, [row, head, d_head].

    ``targets`` [head, d_head] has a target of each head of the layer. Then come the other heads, each towards its own
    target, random directions of the head's output and of the whole layer's.
    """
    output = last.untouched.output[head.layer]
    n_heads, d_head = output.shape
    towards = torch.cat([only(number, (targets - output)[number], n_heads) for number in range(n_heads)])
    move = towards[head.head][None]
    length = float(through_output(last, head.layer, move)[0].norm())
    generator = torch.Generator().manual_seed(0)
    head_directions = torch.randn(N_DIRECTIONS, d_head, generator=generator)
    layer_directions = torch.randn(N_DIRECTIONS, n_heads, d_head, generator=generator)
    other_heads = [towards[number][None] for number in range(n_heads) if number != head.head]
    controls = torch.cat(
        [*other_heads, *(only(head.head, vector, n_heads) for vector in head_directions), layer_directions]
    )
    return torch.cat([move, scaled(last, head.layer, controls, length)])


def ids_of(experiment: Subject, prompt: Prompt) -> list[int]:
    """Return the first tokens of the fitting word and of the name in sight."""
    name = prompt.name.removeprefix("the ")
    return [first_token(experiment.loaded, prompt.text, word) for word in (prompt.word, name)]


def attention_to_name(experiment: Subject, last: LastToken, prompt: Prompt, head: HeadId) -> float:
    """Return the head's attention from the last token to all tokens of the name."""
    start, end = (len(experiment.encoded(text).tokens) for text in (prompt.prefix, f"{prompt.prefix} {prompt.name}"))
    return float(last.untouched.weights[head.layer, head.head, start:end].sum())


def effects_in_frame(experiment: Subject, prompts: Sequence[Prompt], head: HeadId) -> list[Effects]:
    """Return the effects of one head in the prompts of one frame whose fitting word is known."""
    means = torch.as_tensor(head_means(experiment))[head.layer]  # [head, d_head]
    unembedding = experiment.model.get_output_embeddings().weight.detach()
    lasts = LastToken.of_texts(experiment, [prompt.text for prompt in prompts])
    ids = [ids_of(experiment, prompt) for prompt in prompts]
    logits = [last.untouched_logits for last in lasts]
    logs = [word_log(row, prompt_ids[0]) for row, prompt_ids in zip(logits, ids, strict=True)]
    effects = []
    for number, (prompt, last) in enumerate(zip(prompts, lasts, strict=True)):
        if not is_known(logs[number]):
            continue
        partner = (number + 1) % len(prompts)
        prompt_ids, partner_ids = ids[number], ids[partner]
        moves = matched_moves(last, head, means)
        exchanged = matched_moves(last, head, lasts[partner].untouched.output[head.layer])
        layers = [head.layer] * len(moves)
        ablated = [word_log(row, prompt_ids[0]) for row in last.logits(final_inputs(last, layers, moves))]
        towards = unembedding[prompt_ids] - unembedding[partner_ids]  # [2, d_model]
        score, partner_score = (
            (row[prompt_ids] - row[partner_ids]).numpy() for row in (logits[number], logits[partner])
        )
        deviation = through_output(last, head.layer, -moves[:1])[0] * last.norm_scale
        effects.append(
            Effects(
                prompt, logs[number], np.array(ablated) - logs[number], log_odds(ablated[0]) - log_odds(logs[number]),
                difference=score - partner_score,
                carried=score - (final_inputs(last, layers, exchanged) @ towards.T).numpy(),
                direct=(towards @ deviation).numpy(),
                attention=attention_to_name(experiment, last, prompt, head),
                is_pair=prompt_ids[0] != partner_ids[0] and prompt_ids[1] != partner_ids[1] and is_known(logs[partner]),
            )
        )  # fmt: skip
    return effects


def word_log(logits: Tensor, word: int) -> float:
    """Return the log-probability of a word from logits [vocabulary]."""
    return float(torch.log_softmax(logits.double(), dim=-1)[word])


def is_known(log_probability: float) -> bool:
    """Return whether a word has at least 10 %."""
    return bool(log_probability >= np.log(KNOWN_FROM))


def log_odds(log_probability: float) -> float:
    """Return the log-odds of a probability."""
    return float(log_probability - np.log1p(-np.exp(log_probability)))


def shares_in_selection(experiment: Subject) -> np.ndarray:
    """Return the share of the difference that each head's exchanged output carries in the selection [layer, head]."""
    heads = experiment.heads
    unembedding = experiment.model.get_output_embeddings().weight.detach()
    total, carried_sum = 0.0, np.zeros(len(heads))
    for prompts in by_frame(capital_prompts("selection")):
        lasts = LastToken.of_texts(experiment, [prompt.text for prompt in prompts])
        ids = [ids_of(experiment, prompt)[0] for prompt in prompts]
        for number, last in enumerate(lasts):
            partner = (number + 1) % len(lasts)
            logits = [lasts[index].untouched_logits for index in (number, partner)]
            score, partner_score = (float(row[ids[number]] - row[ids[partner]]) for row in logits)
            moves = torch.cat(
                [
                    only(head.head, (lasts[partner].untouched.output - last.untouched.output)[head], experiment.n_heads)
                    for head in heads
                ]
            )
            towards = unembedding[ids[number]] - unembedding[ids[partner]]
            total += score - partner_score
            carried_sum += score - (final_inputs(last, [head.layer for head in heads], moves) @ towards).numpy()
    return (carried_sum / total).reshape(experiment.n_layers, experiment.n_heads)


def controls(rows: np.ndarray, n_heads: int) -> dict[str, Row]:
    """Return the spread of each control; ``rows`` begins with the head itself."""
    ends = (1, n_heads, n_heads + N_DIRECTIONS, n_heads + 2 * N_DIRECTIONS)
    names = ("other heads of the layer", "directions of the head", "directions of the layer")
    return {name: spread(rows[start:end]) for name, start, end in zip(names, ends, ends[1:], strict=False)}


def kind_row(effects: Sequence[Effects], n_heads: int) -> Row:
    """Return the numbers of one kind in its known prompts; intervals redraw frames and names."""
    pairs = [effect for effect in effects if effect.is_pair]
    if not pairs:
        return {"known": len(effects)}
    factors = [[getattr(effect.prompt, name) for effect in effects] for name in ("frame", "name")]
    pair_factors = [[getattr(effect.prompt, name) for effect in pairs] for name in ("frame", "name")]
    probability = np.exp([effect.log_probability for effect in effects])
    ablated = np.array([effect.ablated for effect in effects])  # [prompt, row]
    carried_parts, difference = (
        np.array([getattr(effect, name) for effect in pairs]) for name in ("carried", "difference")
    )
    shares = carried_parts[..., 0].sum(axis=0) / difference[:, 0].sum()  # [row]
    row = {
        "known": len(effects), "frames": len(set(factors[0])), "names": len(set(factors[1])),
        "probability": mean(probability, *factors),
        "change": mean(ablated[:, 0], *factors),
        "change of the log-odds": mean([effect.log_odds for effect in effects], *factors),
        "moved as far": controls(ablated.mean(axis=0), n_heads),
        "attention to the name": mean([effect.attention for effect in effects], *factors),
        "pairs": len(pairs),
        "share carried": ratio(carried_parts[:, 0, 0], difference[:, 0], *pair_factors),
        "carried as far": controls(shares, n_heads),
    }  # fmt: skip
    if effects[0].prompt.kind == "capital":
        direct = np.array([effect.direct for effect in pairs])
        for column, name in enumerate(("capital", "country")):
            row[f"difference of the {name}, direct"] = mean(direct[:, column], *pair_factors)
            row[f"difference of the {name}, carried"] = mean(carried_parts[:, 0, column], *pair_factors)
    return row


def by_list(effects: Sequence[Effects]) -> Row:
    """Return the mean change in the known prompts of each list."""
    rows: Row = {}
    for author in dict.fromkeys(effect.prompt.list for effect in effects):
        list_effects = [effect for effect in effects if effect.prompt.list == author]
        factors = [[getattr(effect.prompt, name) for effect in list_effects] for name in ("frame", "name")]
        rows[author] = mean([effect.ablated[0] for effect in list_effects], *factors)
    return rows


def lead(effects: Sequence[Effects], kind: str) -> Row:
    """Return how much further copied places fall than copied names of another kind, in the same neutral frames."""
    group = [effect for effect in effects if effect.prompt.kind in (*PLACES, kind)]
    change = np.array([effect.ablated[0] for effect in group])
    is_place = np.array([effect.prompt.kind in PLACES for effect in group])

    def difference(counts: np.ndarray) -> np.ndarray:
        places, other_kinds = (counts * which for which in (is_place, ~is_place))
        return places @ change / places.sum(axis=1) - other_kinds @ change / other_kinds.sum(axis=1)

    return interval(
        difference, [effect.prompt.frame for effect in group],
        [(effect.prompt.kind, effect.prompt.name) for effect in group],
    )  # fmt: skip


def main() -> None:
    """Choose the head by capitals, exchange and ablate it in copied names of six kinds; print and write the effects."""
    argparse.ArgumentParser(prog="python -m studies.places", description=main.__doc__).parse_args()
    experiment = subject(load_model(MODEL))
    shares = shares_in_selection(experiment)
    first = [HeadId(*divmod(int(number), experiment.n_heads)) for number in np.argsort(-shares, axis=None)[:3]]
    head, n_heads = first[0], experiment.n_heads
    prompts = [*capital_prompts("test"), *copy_prompts()]
    effects = [effect for group in tqdm(by_frame(prompts)) for effect in effects_in_frame(experiment, group, head)]
    kinds: Row = {}
    for kind, family in dict.fromkeys((prompt.kind, prompt.family) for prompt in prompts):
        group_effects = [effect for effect in effects if (effect.prompt.kind, effect.prompt.family) == (kind, family)]
        n_prompts = sum((prompt.kind, prompt.family) == (kind, family) for prompt in prompts)
        name = kind if kind == "capital" else f"{kind}, {NEUTRAL if family == NEUTRAL else 'own'} frames"
        kinds[name] = {"prompts": n_prompts} | kind_row(group_effects, n_heads) | {"by list": by_list(group_effects)}
    neutral = [effect for effect in effects if effect.prompt.family == NEUTRAL]
    results = {
        "head": str(head),
        "share carried in the selection": {str(head): rounded(shares[head]) for head in first},
        "kinds": kinds,
        "places fall further, neutral frames": {kind: lead(neutral, kind) for kind in FRAMES_OF if kind not in PLACES},
    }
    write_results(FILE, experiment.loaded, results)


if __name__ == "__main__":
    main()
