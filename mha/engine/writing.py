"""Generated text, translations and predictions for the pages: equal questions run once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from mha.analysis.head_effects import HeadEffects
from mha.cuts import Cut
from mha.engine.answers import FEW, in_steps, of_passes
from mha.engine.bundled import bundled, bundled_next_words
from mha.engine.recordings import Request, check_words
from mha.intervention.outcomes import NextWords, Prediction, WordRanks, WordSweep
from mha.maps import AttentionMaps, HeadId, Recording
from mha.models.files.catalog import model_row
from mha.models.watch.generating import MOST, Generation, iter_generate
from mha.stepwise import Steps
from mha.words import accept

if TYPE_CHECKING:  # these load torch or one another
    from mha.intervention.next_words import Translation


@in_steps(lambda arguments: arguments["n_tokens"])
def generate_text(
    text: str, model: str, n_tokens: int, seed: int | None, temperature: float = 1.0
) -> Steps[Generation]:
    """Generate the continuation or output of a text: at most so many tokens.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.generate`; a word the model never met.
    """
    check_words(model, accept(text).text)
    for result in iter_generate(text, model, n_tokens, seed, temperature):  # noqa: B007
        yield 1
    assert isinstance(result, Generation)
    return result


@of_passes(lambda _: 1)
def record_with_target(text: str, target: str, model: str) -> Recording:
    """Return the recording of an encoder–decoder with a typed target. Raises as `mha.attend`."""
    from mha.models.watch.attending import record_text

    check_words(model, accept(text).text, accept(target).text)
    return record_text(text, model, target=target)


def output_recording(text: str, model: str) -> Recording:
    """Return the recording of an encoder–decoder with the output that it writes, or with the text if it writes none.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.generate` and `mha.attend`.
    """
    if model_row(model).predicts:
        return generate_text(text, model, MOST, None).recording
    return record_with_target(text, text, model)


@of_passes(lambda _: 1)
def masked(text: str, model: str) -> Recording:
    """Return the recording of a text with typed masks. Raises as `attending.record_masked`."""
    from mha.models.watch.attending import record_masked

    return record_masked(text, model)


@of_passes(lambda _: 1)
def predicted_step(text: str, model: str, n_tokens: int, seed: int | None, step: int) -> Prediction:
    """Return the ten likeliest words of a step of `generate_text`, counted from 0."""
    from mha.intervention.predicting import predict_step

    return predict_step(generate_text.run_here(text, model, n_tokens, seed), step, model)


@of_passes(lambda _: 4)
def effects(text: str, model: str, ids: tuple[int, ...], look_at: int | None = None) -> HeadEffects:
    """Return `mha.head_effects` on two next words by their token ids, before any head is ablated. Raises as that."""
    from mha.intervention.direct import iter_head_effects

    check_words(model, accept(text).text)
    return next(iter_head_effects(text, model, ids, look_at))


@of_passes(lambda _: 1)
def first_words(text: str, model: str, typed: tuple[str, ...] = (), target: str = "") -> WordSweep:
    """Return the five likeliest next words and then the typed ones, with no head measured yet. Raises as `predicted`.

    A typed word that is one of the five is not repeated.
    """
    from mha.intervention.next_words import first_words as words_of_pass
    from mha.intervention.trunk import caching_trunks

    check_words(model, accept(text).text, target)
    with caching_trunks():
        return words_of_pass(text, model, typed, target)


@of_passes(lambda arguments: 1 if not arguments["single_heads"] else FEW)
def predicted(
    text: str,
    model: str,
    heads: tuple[HeadId, ...] = (),
    single_heads: tuple[HeadId, ...] = (),
    mask: int = 0,
    count: int | tuple[int, ...] = 10,
    kind: str = "mean",
    target: str = "",
    cut: tuple[Cut, ...] = (),
) -> Prediction:
    """Return the likeliest words behind a text, in a typed mask, or in a target begun, with heads ablated."""
    from mha.intervention.predicting import predict

    check_words(model, accept(text).text, target)
    return predict(text, model, count, heads, single_heads, kind, mask, target, cut=cut)


def next_words(
    text: str, model: str, typed: Collection[str] = (), ablated: Sequence[HeadId] = (), target: str = ""
) -> NextWords:
    """Return the next words of a text, from the bundled results if these suffice.

    An encoder–decoder predicts the word after ``target``, the beginning of its output.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.next_words`.
    """
    typed, heads = tuple(word for word in typed if word), tuple(ablated)
    stored = bundled_next_words(text, model)
    if stored and all(stored.sweep.index_of(word) is not None for word in typed):
        sweep = stored.sweep
    else:
        sweep = first_words(text, model, typed, target)
    if not heads:
        return NextWords(sweep)
    if len(heads) == 1 and sweep.likeliest[heads[0]] >= 0:
        (likeliest,) = sweep.names([int(sweep.likeliest[heads[0]])])
        return NextWords(sweep, heads, sweep.ablated_probability[heads[0]], likeliest)
    prediction = predicted(text, model, heads, count=sweep.ids, target=target)
    return NextWords(sweep, heads, prediction.ablated_probabilities, prediction.ablated_word)


def cut_words(prediction: NextWords, text: str, model: str, cut: tuple[Cut, ...]) -> NextWords:
    """Return the next words of a text with links cut as well; errors as `mha.predict`."""
    with_cut = predicted(text, model, prediction.ablated, count=prediction.sweep.ids, cut=cut)
    return NextWords(prediction.sweep, prediction.ablated, with_cut.ablated_probabilities, with_cut.ablated_word, cut)


@of_passes(lambda _: 1)
def cut_ranks(
    text: str, model: str, ids: tuple[int, ...], ablated: tuple[HeadId, ...], cut: tuple[Cut, ...]
) -> tuple[WordRanks, ...]:
    """Return the ranks of some words, by their token ids, with heads ablated and links cut. As `mha.rank_by_layer`."""
    from mha.intervention.rank import ranks_of_words

    return ranks_of_words(text, model, ids, ablated=ablated, cut=cut)


def attention(
    text: str, model: str, target: str = "", cut: tuple[Cut, ...] = (), ablated: tuple[HeadId, ...] = ()
) -> AttentionMaps | None:
    """Return the attention of a text, with links ``cut`` and heads ``ablated`` if there are any.

    Without these it comes from the bundled recordings if the text is one of them. An encoder–decoder returns the
    cross-attention of the begun output, or None before anything is written.
    """
    row = model_row(model)
    if cut or ablated:
        return _changed_attention(text, model, ablated, cut)
    if row.two_sided:
        return record_with_target(text, target, model).attention("cross") if target else None
    recording = bundled(text, model) or (
        masked(text, model) if row.predicts == "mask" else Request(text, model).answer()
    )
    return recording.maps


@of_passes(lambda _: 1)
def _changed_attention(text: str, model: str, heads: tuple[HeadId, ...], cut: tuple[Cut, ...]) -> AttentionMaps:
    from mha.intervention.ablation import ablate

    positions = "all" if heads else "predicting"  # of a masked model, which reads its mask there
    return ablate(text, heads, model=model, positions=positions, cut=cut).maps


@of_passes(lambda _: 4)
def translated(text: str, model: str, heads: tuple[HeadId, ...] = (), cut: tuple[Cut, ...] = ()) -> Translation:
    """Return `mha.translate` with some heads ablated, by their means, and links cut together."""
    from mha.intervention.next_words import translate

    return translate(text, heads, model=model, cut=cut)


@of_passes(lambda _: 16)
def word_changes(
    text: str,
    model: str,
    target: str,
    words: tuple[str | int, ...],
    heads: tuple[HeadId, ...] = (),
    cut: tuple[Cut, ...] = (),
) -> NextWords:
    """Return two words that can follow a begun translation: with each head ablated alone, and with ``heads`` ablated
    and links ``cut`` together.

    The first of ``words`` is compared with the second, or with the likeliest other one. A link that writes a later word
    is left out. Raises as `mha.predict`.
    """
    from mha.intervention.predicting import iter_word_sweep, predict

    first, *later_words = words
    if not later_words:
        likeliest = predict(text, model, 2, target=target).ids
        later_words = [next(number for number in likeliest if number != first)]
    *_, sweep = iter_word_sweep(text, model, (first, *later_words), target=target)
    of_encoder = [link for link in cut if link.head.stack != "cross"]
    of_cross = [
        link.up_to_query(sweep.place) for link in cut if link.head.stack == "cross" and link.queries[0] <= sweep.place
    ]
    earlier = (*of_encoder, *of_cross)
    if not heads and not earlier:
        return NextWords(sweep)
    prediction = predict(text, model, sweep.ids, heads, target=target, cut=earlier)
    return NextWords(sweep, heads, prediction.ablated_probabilities, prediction.ablated_word, earlier)
