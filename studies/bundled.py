"""``python -m studies.bundled MODEL`` measures a model once and writes every file of it that comes with the program.

    means        head_means_MODEL.npz        mean output of each head over the sample sentences
    usual        habit_MODEL.npz             usual attention over the sample sentences
    examples     recordings_MODEL.npz        attention of each example
    words        next_words_MODEL.npz        next words of each example of Next word, with every head ablated in turn
    control      ablation_control_MODEL.npz  ablations of every head on control texts, by length
                                             (translator: `studies.translator_control`)
    profiles     profiles_MODEL.npz          a profile of every head, for Whole model

Every measured text is kept in a work folder, so a run that was stopped goes on where it was. Results depend on the
weights and the texts alone. ``python -m tools.sums`` then writes the hashes of the files.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from torch import Tensor
from tqdm import tqdm

from mha import assets
from mha.analysis.ablation_control import BANDS, AblationControl
from mha.analysis.usual import Habit
from mha.engine.bundled import BundledNextWords
from mha.examples import NEXT_WORD_EXAMPLES, OPENS_HEADS, examples
from mha.intervention import bank
from mha.intervention.ablation import Pass
from mha.intervention.next_words import effect_by_position
from mha.intervention.outcomes import WordSweep
from mha.intervention.patching import outputs_in
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.rank import rank_by_layer
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId
from mha.models.files.loading import LoadedModel
from mha.models.watch.attending import attend, load_model
from mha.pairs import corpus
from studies import files
from studies.control_texts import ControlText, control_texts, shuffled_copy
from studies.files import Arrays, WorkFolder
from studies.profiles import profile_arrays
from studies.translator_control import measure_translator_control

N_WORDS = 5  # the likeliest of an example
ROWS = 48  # heads of the lowest layer ablated in one pass: no visitor waits for it, and large batches are fastest


def sweep_words(experiment: Subject, text: str, count: int) -> WordSweep:
    """Return the complete sweep of a text's likeliest words."""
    *_, complete = iter_word_sweep(text, experiment.loaded, count, rows=ROWS)
    return complete


def measure_usual(loaded: LoadedModel) -> Habit:
    """Return the usual attention of a model over the sample sentences."""
    texts = (attend(text, loaded) for text in tqdm(corpus(), "sample sentences"))
    return files.usual_attention(texts, loaded.row.name, loaded.row.revision)


def write_usual(experiment: Subject, work: WorkFolder) -> None:
    """Write the usual attention of all heads over the sample sentences."""
    files.write_usual_attention(
        measure_usual(experiment.loaded), assets.model_file("habit", experiment.loaded.row.name)
    )


def continues_text(experiment: Subject) -> bool:
    """Return whether a model predicts the word after a text."""
    return experiment.causal and experiment.model.get_output_embeddings() is not None


def write_examples(experiment: Subject, work: WorkFolder) -> None:
    """Write the attention of a model in its examples: those of Next word if it predicts the word after a text."""
    texts = (*(example.text for example in examples()), OPENS_HEADS)
    if continues_text(experiment):
        texts = tuple(NEXT_WORD_EXAMPLES.values())
    files.write_recordings(texts, experiment.loaded)


def measure_words(experiment: Subject, sweep: WordSweep) -> BundledNextWords:
    """Return the sweep of an example with the ranks of its words, and where the head with the largest change acts."""
    head = HeadId(*divmod(int(np.abs(sweep.change_of(0)).argmax()), experiment.n_heads))
    ranks = tuple(rank_by_layer(sweep.text, experiment.loaded, number) for number in sweep.ids)
    return BundledNextWords(sweep, ranks, effect_by_position(sweep.text, head, experiment.loaded, sweep.ids))


def write_words(experiment: Subject, work: WorkFolder) -> None:
    """Write the next words of each example of Next word: every head ablated in turn, ranks after each layer."""
    texts = tuple(NEXT_WORD_EXAMPLES.values())
    sweeps = [sweep_words(experiment, text, N_WORDS) for text in tqdm(texts, "examples")]
    stored = [measure_words(experiment, sweep) for sweep in sweeps]
    files.write_next_words(stored, assets.model_file("next_words", experiment.loaded.row.name))


def measure_control(experiment: Subject, work: WorkFolder, band: tuple[int, int]) -> AblationControl:
    """Return the control of one band of lengths."""
    controls = control_texts(experiment, band)
    sweeps = [
        (measured_control(experiment, work, control, control.text),
         measured_control(experiment, work, control, shuffled_copy(experiment, control.text)))
        for control in tqdm(controls, f"control, {band[0]} to {band[1]} tokens")
    ]  # fmt: skip
    originals, copies = zip(*sweeps, strict=True)
    row = experiment.loaded.row
    return AblationControl(
        row.name, row.revision, "mean", band,
        texts=tuple(control.text for control in controls),
        sources=tuple(control.source for control in controls),
        n_tokens=np.array([int(sweep["n_tokens"]) for sweep in originals]),
        words=tuple(str(sweep["word"]) for sweep in originals),
        log_probability=np.array([float(sweep["log_probability"]) for sweep in originals]),
        change=np.array([sweep["change"] for sweep in originals]),
        shuffled_texts=tuple(str(sweep["text"]) for sweep in copies),
        shuffled_change=np.array([sweep["change"] for sweep in copies]),
    )  # fmt: skip


def measured_control(experiment: Subject, work: WorkFolder, control: ControlText, text: str) -> Arrays:
    """Return the ablations of every head in a control text or its copy, with means that leave its sentences out."""

    def measure() -> Arrays:
        with means_without(experiment, control.sample_sentences):
            sweep = sweep_words(experiment, text, 1)
        return {
            "text": np.array(text),
            "n_tokens": np.array(len(sweep.tokens)),
            "word": np.array(sweep.raws[sweep.ids[0]]),
            "log_probability": sweep.log_probability[0],
            "change": sweep.change[..., 0],
        }

    return work.load_or_measure("control", repr((text, control.sample_sentences)), measure)


def head_outputs(experiment: Subject, text: str) -> Tensor:
    """Return every head's output before W_O in one text, [layer, head, token, d_head]."""
    single_pass = Pass(experiment.inputs(experiment.encoded(text)), lambda outputs: outputs.last_hidden_state)
    return outputs_in(experiment, single_pass)[experiment.stack]


@contextmanager
def means_without(experiment: Subject, sentences: Sequence[str]) -> Iterator[None]:
    """Ablate heads with means over all sample sentences but these."""
    means = bank.head_means(experiment)  # [layer, head, d_head]
    n_tokens = sum(len(experiment.encoded(text).tokens) for text in corpus())
    total = means.astype(np.float64) * n_tokens
    for sentence in sentences:
        output = head_outputs(experiment, sentence)
        total -= output.double().sum(dim=2).cpu().numpy()
        n_tokens -= output.shape[2]
    bank._means[experiment.loaded] = (total / n_tokens).astype(np.float32)
    try:
        yield
    finally:
        bank._means[experiment.loaded] = means


def use_means(experiment: Subject, work: WorkFolder) -> np.ndarray:
    """Return each head's mean output over the sample sentences, and use it for every ablation of this run."""
    stored = work.load_or_measure("means", "", lambda: {"means": bank.computed_means(experiment)})
    return bank._means.setdefault(experiment.loaded, stored["means"])


def write_means(experiment: Subject, work: WorkFolder) -> None:
    """Write the mean outputs of all heads."""
    row = experiment.loaded.row
    arrays = {"means": use_means(experiment, work), "revision": np.array(row.revision)}
    if experiment.cross_heads:
        arrays["cross"] = work.load_or_measure(
            "cross", "", lambda: {"means": bank.computed_means(experiment, cross=True)}
        )["means"]
        bank._cross_means.setdefault(experiment.loaded, arrays["cross"])
    np.savez_compressed(assets.model_file("head_means", row.name), allow_pickle=False, **arrays)


def write_control(experiment: Subject, work: WorkFolder) -> None:
    """Measure the control of every band and write it; the translator's has one band."""
    file = assets.model_file("ablation_control", experiment.loaded.row.name)
    if experiment.cross_heads:
        controls = [measure_translator_control(experiment, work)]
    else:
        controls = [measure_control(experiment, work, band) for band in BANDS]
    files.write_ablation_controls(file, controls)


def write_profiles(experiment: Subject, work: WorkFolder) -> None:
    """Write the profile of every head over the sample sentences."""
    arrays = profile_arrays(experiment, continues_text(experiment), work.load_or_measure, corpus())
    np.savez_compressed(assets.model_file("profiles", experiment.loaded.row.name), allow_pickle=False, **arrays)


OF_NEXT_WORDS = ("words", "control")  # only for models that continue a text
STEPS: dict[str, Callable[[Subject, WorkFolder], None]] = {
    "means": write_means,
    "usual": write_usual,
    "examples": write_examples,
    "words": write_words,
    "control": write_control,
    "profiles": write_profiles,
}


def main() -> None:
    """Measure a model, or some of its results, and write the files."""
    parser = argparse.ArgumentParser(prog="python -m studies.bundled", description=main.__doc__)
    parser.add_argument("model", help="a model on offer")
    parser.add_argument("steps", nargs="*", metavar="step", help=f"{', '.join(STEPS)}; all if not given")
    options = parser.parse_args()
    experiment = subject(load_model(options.model))
    work = WorkFolder.for_model(experiment)
    use_means(experiment, work)
    for step in options.steps or [step for step in STEPS if step not in OF_NEXT_WORDS or continues_text(experiment)]:
        STEPS[step](experiment, work)


if __name__ == "__main__":
    main()
