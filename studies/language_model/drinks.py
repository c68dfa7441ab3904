"""Who gets the drink? Indirect object (Wang et al. 2022): looks, direct effects and ablations of heads.

In "When Mary and John went to the store, John gave a drink to" the score is the logit of the recipient, *Mary*, minus
that of the giver, *John*. *Looks* is attention of the last token to the recipient minus to the giver.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mha import assets
from mha.analysis.head_effects import BundledHeadEffects, EffectControl, FormEffects, write
from mha.intervention.direct import direct, first_token, head_effects, positions_of
from mha.intervention.predicting import iter_word_sweep
from mha.maps import ranked
from mha.models.watch.attending import attend
from studies.bundled import ROWS
from studies.files import Arrays
from studies.language_model.lab import (
    HeadSet,
    Lab,
    Moved,
    Row,
    Variant,
    draw_sets,
    estimate,
    rounded,
    size_matched,
    spread,
)
from studies.language_model.prompts import EXAMPLE, DrinkPrompt, drink_prompts
from studies.language_model.repetition import prose_log_probability

N_SELECTION, N_TEST, N_SWEPT, N_CONTROL, N_DRAWN_ON = 100, 200, 10, 20, 40
SIZES = (1, 3, 6, 10)  # of sets of heads
N_EXTREME = 3  # heads with the most and the least of each number are followed


class LooksAdds(NamedTuple):
    """Score [prompt], attention to the recipient minus the giver and direct effect, both [prompt, layer, head]."""

    score: np.ndarray
    looks: np.ndarray
    adds: np.ndarray


def selection_prompts() -> list[DrinkPrompt]:
    """Return the prompts in which heads are chosen."""
    return drink_prompts(N_SELECTION, seed=1)


def test_prompts() -> list[DrinkPrompt]:
    """Return the prompts in which chosen heads are scored, without those of the selection."""
    selection = {prompt.text for prompt in selection_prompts()}
    return [prompt for prompt in drink_prompts(2 * N_TEST, seed=2) if prompt.text not in selection][:N_TEST]


test_prompts.__test__ = False  # type: ignore[attr-defined]  # pytest collects imported names that begin with "test"


def looks_and_adds(lab: Lab, prompts: Sequence[DrinkPrompt], title: str) -> LooksAdds:
    """Return looks and direct effects of every head in each prompt."""
    loaded = lab.experiment.loaded

    def measure(prompt: DrinkPrompt) -> Arrays:
        effect = direct(prompt.text, prompt.recipient, prompt.giver, loaded)
        maps = attend(prompt.text, loaded)
        recipient, giver = (
            maps.weights[:, :, -1, list(positions_of(maps, word))].sum(axis=-1)
            for word in (prompt.recipient, prompt.giver)
        )
        return {"score": np.array(effect.total), "looks": recipient - giver, "adds": effect.heads}

    rows = lab.measure_items("looks_adds", prompts, measure, title)
    return LooksAdds(*(np.array([row[name] for row in rows], dtype=np.float64) for name in LooksAdds._fields))


def sweep_scores(lab: Lab, prompts: Sequence[DrinkPrompt], title: str) -> np.ndarray:
    """Return the change of the score when each head is ablated alone, float64 [prompt, layer, head]."""
    loaded = lab.experiment.loaded

    def measure(prompt: DrinkPrompt) -> Arrays:
        ids = [first_token(loaded, prompt.text, word) for word in (prompt.recipient, prompt.giver)]
        *_, sweep = iter_word_sweep(prompt.text, loaded, ids, rows=ROWS)
        return {"change": sweep.change[..., 0] - sweep.change[..., 1]}

    return np.array([row["change"] for row in lab.measure_items("swept", prompts, measure, title)])


def scores_without(lab: Lab, prompts: Sequence[DrinkPrompt], sets: Sequence[Variant], title: str) -> np.ndarray:
    """Return the score of each prompt with all heads on and with each set ablated, float64 [prompt, 1 + set]."""
    questions = [(prompt.text, (prompt.recipient, prompt.giver)) for prompt in prompts]
    logs = lab.log_probabilities(questions, sets, title)
    return np.asarray(logs[..., 0] - logs[..., 1])


def extreme_heads(*numbers: np.ndarray) -> HeadSet:
    """Return the heads with the most and the least of each number [layer, head], each once.

    >>> extreme_heads(np.array([[0.0, 3.0, 1.0, -1.0, 0.5, 0.2, 2.0]]))[0]
    HeadId(layer=0, head=1)
    """
    heads = [head for values in numbers for head in (*ranked(values)[:N_EXTREME], *ranked(-values)[:N_EXTREME])]
    return tuple(dict.fromkeys(heads))


class Chosen(NamedTuple):
    """Heads chosen in the selection: those followed, and the ones that look or add most, most first."""

    followed: HeadSet
    lookers: HeadSet
    adders: HeadSet
    draws: HeadSet


def choose(lab: Lab) -> Chosen:
    """Return the heads chosen in the selection sample, and single heads drawn at random from all others."""
    selection = looks_and_adds(lab, selection_prompts(), "selection: looks and adds")
    looks, adds = selection.looks.mean(axis=0), selection.adds.mean(axis=0)
    matters = sweep_scores(lab, selection_prompts()[:N_SWEPT], "selection: every head ablated").mean(axis=0)
    followed = extreme_heads(looks, adds, matters)
    draws = tuple(head for (head,) in draw_sets(lab, 1, followed))
    return Chosen(followed, ranked(looks)[: max(SIZES)], ranked(adds)[: max(SIZES)], draws)


def matched_changes(lab: Lab, selection: Chosen) -> np.ndarray:
    """Return changes of the score if the other heads of its layer are moved as far as each followed head.

    The result is float64 [prompt, head, other], NaN if the other head is followed itself.
    """
    lengths = lab.deviation_lengths([prompt.text for prompt in selection_prompts()]).mean(axis=0)
    sets = [variant for head in selection.followed for variant in size_matched(lab, head, lengths)]
    scores = scores_without(lab, test_prompts()[:N_DRAWN_ON], sets, "test: heads of the layer moved as far")
    changes = scores[:, 1:] - scores[:, :1]
    moved_heads = [move.head for variant in sets for move in variant if isinstance(move, Moved)]
    changes[:, [moved_head in selection.followed for moved_head in moved_heads]] = np.nan
    return changes.reshape(len(scores), len(selection.followed), -1)


def ablated_scores(lab: Lab, selection: Chosen) -> tuple[list[HeadSet], np.ndarray]:
    """Return sets of chosen heads, and the score of each test prompt with all heads on and with each set ablated."""
    singles = [(head,) for head in (*selection.followed, *selection.draws)]
    sets = [*singles, *(heads[:size] for heads in (selection.lookers, selection.adders) for size in SIZES)]
    return sets, scores_without(lab, test_prompts(), sets, "test: heads ablated")


def write_effects(lab: Lab) -> Row:
    """Write the data of the exhibit, `head_effects_smollm2.npz`, and return which heads pass their controls."""
    example = head_effects(EXAMPLE, lab.experiment.loaded, ("Mary", "John"), rows=ROWS)
    prompts = drink_prompts(N_CONTROL, seed=3, third_giver=True)
    control = EffectControl(
        tuple(prompt.text for prompt in prompts), sweep_scores(lab, prompts, "control: every head ablated")
    )
    selection = choose(lab)
    test = looks_and_adds(lab, test_prompts(), "test: looks and adds")
    _, scores = ablated_scores(lab, selection)
    changes = scores[:, 1:] - scores[:, :1]  # [prompt, set]
    n_followed, n_draws = len(selection.followed), len(selection.draws)
    columns = tuple(np.array(selection.followed).T)  # layers, heads
    form = FormEffects(
        score=test.score,
        looks=test.looks.mean(axis=0),
        adds=test.adds.mean(axis=0),
        heads=selection.followed,
        head_looks=test.looks[:, *columns],
        head_adds=test.adds[:, *columns],
        head_matters=changes[:, :n_followed],
        draws=selection.draws,
        draw_matters=changes[:, n_followed : n_followed + n_draws],
        matched_matters=matched_changes(lab, selection),
    )
    write(assets.model_file("head_effects", lab.experiment.loaded.row.name), BundledHeadEffects(example, control, form))
    past_limit = np.abs(example.matters) > form.limit
    return {
        "limit": rounded(form.limit),
        "heads past the limit": int(past_limit.sum()),
        "the same in a control text": spread(control.counts_above(form.limit)),
        "heads past the limit that add less than it": int((past_limit & (np.abs(example.direct) < form.limit)).sum()),
        "heads that move the score mainly here": [
            str(head) for head in ranked(np.abs(example.matters)) if control.mainly_here(example.matters)[head]
        ],
        "number of these in a control text": spread(chance_counts(control)),
        "followed heads past all draws": [
            str(head) for head, passes in zip(form.heads, form.passes, strict=True) if passes
        ],
    }


def chance_counts(control: EffectControl) -> np.ndarray:
    """Return how many heads `mainly_here` returns for each control text, against all others, int [text]."""
    counts = []
    for number, change in enumerate(control.change):
        rest_control = EffectControl((), np.delete(control.change, number, axis=0))
        counts.append(int(rest_control.mainly_here(change).sum()))
    return np.array(counts)


def indirect_object(lab: Lab) -> Row:
    """Return looks, direct effects and ablations of the chosen heads in the test prompts, with their controls."""
    prompts, selection = test_prompts(), choose(lab)
    test = looks_and_adds(lab, prompts, "test: looks and adds")
    sets, scores = ablated_scores(lab, selection)
    third = drink_prompts(N_TEST, seed=3, third_giver=True)
    third_scores = scores_without(lab, third, (), "third giver")[:, 0]
    rows: Row = {
        "score": estimate(scores[:, 0]),
        "recipient likelier": estimate(scores[:, 0] > 0),
        "recipient likelier, third giver": estimate(third_scores > 0),
        "score, third giver": estimate(third_scores),
    }
    for number, head in enumerate(selection.followed):
        rows[f"head {head}"] = {
            "looks": estimate(test.looks[:, *head]),
            "adds": estimate(test.adds[:, *head]),
            "matters": estimate(scores[:, 1 + number] - scores[:, 0]),
        }
    singles = len(selection.followed) + len(selection.draws)
    draws = scores[:, 1 + len(selection.followed) : 1 + singles]
    rows["change without 1 random head, all sentences"] = spread((draws - scores[:, :1]).mean(axis=0))
    for number, (order, size) in enumerate((order, size) for order in ("look", "add") for size in SIZES):
        change = scores[:, 1 + singles + number] - scores[:, 0]
        rows[f"change without the {size} that {order} most"] = estimate(change) | {
            "heads": [str(head) for head in sets[singles + number]]
        }
    for head, changes in zip(selection.followed, matched_changes(lab, selection).mean(axis=0), strict=True):
        rows[f"head {head}"]["matters, other heads of the layer moved as far"] = spread(changes[np.isfinite(changes)])
    left_out = (*selection.followed, *selection.lookers, *selection.adders)
    random_sets = [heads for size in SIZES for heads in draw_sets(lab, size, left_out)]
    drawn_scores = scores_without(lab, prompts[:N_DRAWN_ON], random_sets, "test: random heads ablated")
    means = (drawn_scores[:, 1:] - drawn_scores[:, :1]).mean(axis=0)
    for size, changes in zip(SIZES, np.split(means, len(SIZES)), strict=True):
        rows[f"change without {size} random heads"] = spread(changes)
    prose = prose_log_probability(lab)
    adders = selection.adders[: SIZES[1]]
    rows["prose without the 3 that add most, change"] = estimate(prose_log_probability(lab, adders) - prose)
    copy_scores = scores_without(lab.scrambled(0), prompts, (), "scrambled copy")[:, 0]
    return rows | {"recipient likelier, scrambled copy": estimate(copy_scores > 0)}
