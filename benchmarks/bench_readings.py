"""Are the numbers of the page Two readings right, and what will it say? Nothing here is drawn.

`figures`: every figure to be reproduced (benchmarks/pairs_expected.json and controls_expected.json, computed by other
code) beside ours, on the 244 forced pairs and the 412 same-reading swaps. `dog`: the hungry dog. `panels`: for every
bundled example, what each panel says. Run as ``python -m benchmarks.bench_readings`` (half an hour); with names of
`PARTS` behind it only these are looked at, and ``--bundled`` takes the bundled calibration instead of measuring anew. A
quick look is at the hungry dog, with what is bundled.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from mha.models.files.environment import prepare_environment

prepare_environment()

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402

from benchmarks import readings_controls as controls  # noqa: E402
from benchmarks.command import NothingDrawn, answer, parser  # noqa: E402
from benchmarks.readings_controls import Figure  # noqa: E402
from benchmarks.readings_panels import DOG, panels  # noqa: E402
from mha.intervention.calibrated import Calibration, KindCalibration, calibration  # noqa: E402
from mha.intervention.patching import control_sets, patch  # noqa: E402
from mha.intervention.readout import AskedReadout  # noqa: E402
from mha.intervention.subject import Subject, subject  # noqa: E402
from mha.intervention.sweep import preview, sweep  # noqa: E402
from mha.maps import HeadId  # noqa: E402
from mha.models.watch.attending import attend  # noqa: E402
from mha.pairs import pairs_of  # noqa: E402
from mha.stepwise import finished  # noqa: E402
from studies.calibrate import calibrated  # noqa: E402
from studies.forced import looks, separations, share_interval, versions  # noqa: E402
from studies.unusual_rate import leans_of  # noqa: E402

EXPECTED = json.loads(Path(__file__).with_name("pairs_expected.json").read_text())
FAMILIES = {"attachment": "pp", "pronoun": "pron", "he/she": "gender", "relative clause": "rc"}
KINDS = ("zero", "mean")
JOINT = {  # heads silenced together, by the mean, and where the expected figures stand
    "pronoun": [("L2H1+L2H3+L2H8", EXPECTED["cue_heads_joint_ablation_pron"]["mean"])],
    "relative clause": [
        ("L2H1+L2H3+L2H8", EXPECTED["cue_heads_joint_ablation_rc"]["mean"]),
        *EXPECTED["relative_clause_heads_joint_mean_ablation"].items(),
    ],
}


def calibration_figures(found: Calibration) -> Iterator[Figure]:
    """Yield heads that tell, thresholds, controls, link margins and patching shares."""
    for kind, family in FAMILIES.items():
        ours = found.of(kind)
        assert ours is not None
        yield from telling_figures(kind, ours, EXPECTED["measures"][family])
        for name, row in EXPECTED["patching"][family]["hidden5"]["named"].items():
            yield Figure(f"carried by {name}", kind, row["share"], ours.carrying.share[HeadId.parse(name)], 0.03)
        for name, row in EXPECTED["patching"][family]["hidden5"]["top8"].items():
            yield Figure(
                f"carried by {name} (top 8)", kind, row["share"], ours.carrying.share[HeadId.parse(name)], 0.03
            )
        for name, row in EXPECTED["attention_from_pivot"][family].items():
            if np.isfinite(ours.carrying.cue).all():
                looks = ours.carrying.cue
                value = looks.mean() if name == "mean_head" else looks[HeadId.parse(name)]
                yield Figure(f"look of {name} from pivot to cue", kind, row["cue"], float(value), 0.01)


def telling_figures(kind: str, ours: KindCalibration, expected: dict[str, Any]) -> Iterator[Figure]:
    """Yield how well leans and link margins tell the versions of one kind apart."""
    telling, rows = ours.telling, expected["sinkless_sym/diff"]
    named = {name: row for name, row in rows.items() if name.startswith("L")} | rows["top5"]
    for name, row in named.items():
        yield Figure(f"AUC of {name}", kind, row["auc"], telling.auc[HeadId.parse(name)], 0.01)
        yield Figure(f"pair accuracy of {name}", kind, row["pair"], telling.pair[HeadId.parse(name)], 0.01)
    chance, shuffled = rows["permutation"], rows["shuffled_words"]
    yield Figure("mean AUC of all heads", kind, rows["mean_auc_of_72"], telling.auc.mean(), 0.01)
    yield Figure("AUC threshold", kind, chance["auc_threshold"], telling.auc_threshold, 0.02)
    yield Figure("pair accuracy threshold", kind, chance["pair_threshold"], telling.pair_threshold, 0.02)
    yield Figure("heads beyond the AUC threshold", kind, chance["heads_over"], _over(telling), 1)
    yield Figure("best head, words shuffled", kind, shuffled["best_of_72"]["mean"], telling.shuffled_best, 0.03)
    best = HeadId.parse(shuffled["head_best_on_real_text"]["head"])
    yield Figure(
        f"{best}, words shuffled", kind, shuffled["head_best_on_real_text"]["auc"], telling.shuffled_auc[best], 0.03
    )
    yield Figure("best head of a scrambled twin", kind, TWIN[kind], float(telling.twin_auc.mean()), 0.03)
    for block in range(1, 7):
        margin, gate = expected["link_margin"][f"hidden{block}"], ours.scores.gates[block]
        yield Figure(f"link margin at {block}", kind, margin["pair"], gate.rate, 0.01)
        yield Figure(f"link margin at {block}, shuffled", kind, margin["shuffled"]["pair"], gate.shuffled, 0.03)
        for end, value, ours_end in zip(
            ("low", "high"), margin["pair_minus_shuffled_ci"], gate.beyond_words, strict=True
        ):
            yield Figure(f"link margin at {block} minus shuffled, {end}", kind, value, ours_end, 0.03)


TWIN = {"attachment": 0.62, "pronoun": 0.53, "he/she": 0.75, "relative clause": 0.54}  # of the table in docs


def _over(telling: Any) -> float:
    return float((telling.auc > telling.auc_threshold).sum())


def joint_figures(experiment: Subject) -> Iterator[Figure]:
    """Yield how much of the separation is kept with heads silenced together, and with other heads of their layers."""
    for kind, rows in JOINT.items():
        for names, expected in rows:
            heads = [HeadId.parse(name) for name in names.split("+")]
            for at in (5, 6):
                sets = [[], heads, *control_sets(heads, experiment.n_heads)]
                left = finished(separations(experiment, pairs_of(kind), sets, at))
                kept, controls = (
                    share_interval(left[:, 1:], left[:, 0])[0, 0],
                    left[:, 2:].sum(axis=0) / left[:, 0].sum(),
                )
                row, what = expected[f"hidden{at}"], f"kept without {names}, read at {at}"
                yield Figure(what, kind, row["separation_kept"], float(kept), 0.05)
                for end, value in (("min", controls.min()), ("max", controls.max())):
                    yield Figure(f"{what}: controls, {end}", kind, row["control_triples"][end], float(value), 0.1)


def correlation_figures(experiment: Subject) -> Iterator[Figure]:
    """Yield mean rank correlations over sentences: leans with effects, kinds with each other, and the preview."""
    for kind, family in FAMILIES.items():
        texts = versions(pairs_of(kind))
        leans = leans_of(experiment, [text for text, _ in texts], [readings for _, readings in texts])
        effects = {name: np.empty_like(leans) for name in (*KINDS, "gradient")}
        for number, (text, readings) in enumerate(texts):
            for name in KINDS:  # expected figures count what a head gave, not what its silence does
                effects[name][number] = -sweep(text, readings, name, at=6, model=experiment.loaded).effect
            foretold = preview(AskedReadout.asked(text, readings, at=6, model=experiment.loaded), "zero")
            effects["gradient"][number] = -foretold.effect
        expected = EXPECTED["lean_vs_effect"][family]
        for name in KINDS:
            for what, last in (("72_heads", 6), ("without_last_layer", 5)):
                value = _mean_rank_correlation(leans[:, :last], effects[name][:, :last])
                yield Figure(f"lean against effect ({name}), {what}", kind, expected[what][name]["rho"], value, 0.05)
        value = _mean_rank_correlation(effects["zero"], effects["mean"])
        yield Figure("zero against mean", kind, expected["agreement"]["zero-mean"], value, 0.05)
        value = _mean_rank_correlation(effects["gradient"], effects["zero"])
        yield Figure("gradient against zero", kind, expected["gradient_vs_zero"]["rho"], value, 0.05)


def _mean_rank_correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.mean([stats.spearmanr(a.ravel(), b.ravel())[0] for a, b in zip(one, other, strict=True)]))


def dog_figures(experiment: Subject) -> Iterator[Figure]:
    """Yield the numbers of the hungry dog: what heads carry, and where they look in both versions."""
    contrast = DOG.contrast and f"{DOG.contrast.rstrip('.')}."
    assert contrast is not None
    found = patch(DOG.sentence, contrast, DOG.readings, model=experiment.loaded)
    here, there = (looks(attend(text, experiment.loaded), DOG.readings) for text in (DOG.sentence, contrast))
    assert here is not None
    assert there is not None
    carried = {"L2H1": 0.27, "L2H8": 0.23, "L3H1": 0.15, "L2H3": 0.11}
    for name, share in carried.items():
        yield Figure(f"carried by {name}", "the hungry dog", share, float(found.carried[HeadId.parse(name)]), 0.03)
    for name, look in {"L2H1": 0.51, "L2H3": 0.45, "L2H8": 0.84}.items():
        yield Figure(f"look of {name} to the cue", "the hungry dog", look, here[0][HeadId.parse(name)], 0.01)
    yield Figure("look of the mean head to the cue", "the hungry dog", 0.09, float(here[0].mean()), 0.01)
    for what, value, look in (
        ("dog, hungry", 0.56, here[1]),
        ("food, hungry", 0.05, here[2]),
        ("dog, delicious", 0.11, there[1]),
        ("food, delicious", 0.27, there[2]),
    ):
        yield Figure(f"look of L3H1 from it to {what}", "the hungry dog", value, float(look[3, 1]), 0.01)


PARTS: dict[str, Callable[[Subject, Calibration], Iterable[Figure]]] = {
    "calibration": lambda _model, found: calibration_figures(found),
    "dog": lambda model, _found: dog_figures(model),
    "joint": lambda model, _found: joint_figures(model),
    "correlations": lambda model, _found: correlation_figures(model),
    "floor": lambda _model, found: controls.floor_figures(found),
    "paths": lambda _model, found: controls.path_figures(found),
    "examples": lambda _model, found: controls.example_figures(found),
    "heads": controls.head_figures,
    "two words of heads": lambda model, _found: controls.two_words_of_heads(model),
    "other paths": lambda model, _found: controls.other_paths(model),
    **{f"leans, {kind}": partial(controls.lean_figures, kind=kind) for kind in controls.FAMILIES},
}
QUICK = ("dog",)


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    found.add_argument("--bundled", action="store_true", help="take the bundled calibration")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the figures beside those expected, and what the panels say."""
    names = chosen.parts or (QUICK if chosen.quick else PARTS)
    experiment = subject("minilm")
    found = calibration("minilm") if chosen.bundled or chosen.quick else calibrated(experiment)
    assert found is not None
    figures = []
    for name in names:
        part = list(PARTS[name](experiment, found))
        if not part:
            raise NothingDrawn(f"the part {name!r} has no figure")
        figures += part
    outside = [figure for figure in figures if not figure.within]
    return {
        "reproduced": f"{len(figures) - len(outside)} of {len(figures)} figures",
        "outside": [asdict(figure) for figure in outside],
        "panels": panels() if "dog" in names and not chosen.quick else [],
        "figures": [asdict(figure) for figure in figures],
    }


if __name__ == "__main__":
    answer("readings", arguments(), run)
