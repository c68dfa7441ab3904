"""Heads of two stacks: their names, cross-attention in ablation, sweep and patching, and translations."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import mha
from mha.analysis.ablation_control import ablation_control
from mha.errors import InputError
from mha.intervention import bank
from mha.intervention.subject import subject
from mha.maps import HeadId, stack_head
from mha.models.files import translator
from mha.models.files.loading import load
from mha.models.watch.recording import listening

needs_package = pytest.mark.skipif(translator.folder() is None, reason=translator.MISSING)

SHE = "The teacher closed the window because she was cold."
HE = SHE.replace("she", "he")
HERS, HIS = "A professora fechou a janela", "O professor fechou a janela"
COPY = "moon fish star"  # for the Reverser, whose cross-attention has 2 × 4 heads


def test_stack_head_names():
    encoder, cross = stack_head("e0h7"), stack_head(" C1H2 ")
    assert (str(encoder), encoder.stack, encoder) == ("E0H7", "encoder", HeadId(0, 7))
    assert (str(cross), cross.stack, tuple(cross)) == ("C1H2", "cross", (1, 2))
    assert stack_head(cross) is cross
    assert stack_head("L1H2") == stack_head((1, 2)) == HeadId(1, 2)


@pytest.mark.parametrize(
    ("head", "model", "message"),
    [
        ("C2H0", "reverser", "Reverser has heads L0H0 to L1H3 and C0H0 to C1H3; you asked for C2H0"),
        ("C0H0", "minilm", "MiniLM has heads L0H0 to L5H11; you asked for C0H0"),
        ("E0H0", "minilm", "MiniLM has heads L0H0 to L5H11; you asked for E0H0"),
        ("D0H0", "reverser", "A head is named like L5H3; 'D0H0' is not"),
    ],
)
def test_chosen_refuses_heads_of_other_stacks(head, model, message):
    with pytest.raises(InputError, match=message):
        subject(model).chosen([head])


def test_ablate_changes_one_cross_head_alone():
    """Its output is zero; the encoder and the cross-attention of the first layer stay as they are."""
    untouched, ablated = (mha.ablate(COPY, heads, "zero", "reverser") for heads in ([], ["C0H1"]))
    assert np.array_equal(untouched.stacks["encoder"], ablated.stacks["encoder"])
    assert np.array_equal(untouched.stacks["cross"][0], ablated.stacks["cross"][0])
    assert not np.allclose(untouched.stacks["cross"][1], ablated.stacks["cross"][1], atol=1e-3)


def test_mean_of_cross_heads_is_over_written_targets():
    """Token by token with the model's own targets, which `computed_means` sums text by text."""
    experiment = subject("reverser")
    outputs = []
    for text in bank.spread(bank.usual_texts(experiment.loaded.row)):
        encoded = experiment.encoded(text)
        ids, inputs = mha.generate(text, "reverser", 2 * len(encoded.tokens)).ids[:-1], experiment.inputs(encoded)
        with torch.inference_mode(), listening(experiment.model, ("output",)) as call:
            experiment.model(**inputs, decoder_input_ids=torch.tensor([ids]), use_cache=False)
        outputs += list(call.stacked("cross", "output").permute(2, 0, 1, 3).double().numpy())
    means = bank.head_means(experiment, cross=True)
    assert means.shape == (2, 4, 16)
    assert means == pytest.approx(np.mean(outputs, axis=0), abs=1e-5)


@pytest.mark.parametrize("kind", ["mean", "zero"])
def test_word_sweep_equals_single_ablations(kind):
    """Every head of both stacks in one growing batch, against whole passes for each head alone."""
    *_, sweep = mha.iter_word_sweep(COPY, "reverser", 2, kind=kind)
    assert sweep.change.shape == sweep.cross_change.shape == (2, 4, 2)
    for name, change in [("L1H2", sweep.change[1, 2]), ("C0H3", sweep.cross_change[0, 3]),
                         ("C1H0", sweep.cross_change[1, 0])]:  # fmt: skip
        alone = mha.predict(COPY, "reverser", sweep.ids, ablated=[name], kind=kind)
        assert np.log(alone.ablated_probabilities / alone.probabilities) == pytest.approx(change, abs=2e-4)
    each = mha.predict(COPY, "reverser", sweep.ids, ablated_in_turn=["C1H0", "L0H1"], kind=kind).probabilities_in_turn
    assert each == pytest.approx(
        np.exp(sweep.log_probability + np.array([sweep.cross_change[1, 0], sweep.change[0, 1]])), abs=1e-5
    )


def test_sweep_of_two_targets_reaches_cross_heads():
    targets = mha.Targets("star fish moon", "moon fish star")
    sweep = mha.sweep(COPY, None, "zero", targets, model="reverser")
    assert (sweep.n_measured, sweep.n_planned, sweep.cross.shape) == (16, 16, (2, 4))
    alone = mha.preference(COPY, None, targets, ablated=["C1H3"], kind="zero", model="reverser")
    assert alone - sweep.score == pytest.approx(sweep.cross[1, 3], abs=1e-3)


def test_patch_of_all_cross_heads_of_a_layer_by_hand():
    """One cross head, patched by a hook on the input of W_O of its layer."""
    other, targets = "moon fish cup", mha.Targets("star fish moon", "cup fish moon")
    patch = mha.patch(COPY, other, model="reverser", score=targets, controls=False)
    loaded = load("reverser")
    layer = loaded.model.get_decoder().layers[1].encoder_attn.out_proj
    kept = {}

    def score(text, donor=None):
        values = []
        for target in (targets.a, targets.b):
            ids = torch.tensor(loaded.tokenizer(target)["input_ids"])[None]
            start = torch.full_like(ids[:, :1], loaded.model.config.decoder_start_token_id)

            def hook(_module, args, target=target):
                if donor is None:
                    kept[text, target] = args[0].clone()
                    return None
                changed = args[0].clone()
                changed[..., 16:32] = kept[donor, target][..., 16:32]  # head 1
                return (changed,)

            handle = layer.register_forward_pre_hook(hook)
            with torch.inference_mode():
                logits = loaded.model(
                    input_ids=torch.tensor([loaded.tokenizer(text)["input_ids"]]),
                    decoder_input_ids=torch.cat([start, ids[:, :-1]], dim=1), use_cache=False,
                ).logits  # fmt: skip
            handle.remove()
            values.append(float(torch.log_softmax(logits[0], dim=-1).gather(-1, ids[0, :, None]).sum()))
        return values[0] - values[1]

    first, second = score(COPY), score(other)
    assert patch.scores == pytest.approx((first, second), abs=1e-3)
    moves = (first - score(COPY, donor=other), score(other, donor=COPY) - second)
    assert patch.cross[1, 1] == pytest.approx(sum(moves) / 2 / (first - second), abs=1e-3)
    assert not patch.direct.any()


@needs_package
def test_translate_gives_words_and_attention():
    translation = mha.translate(SHE)
    assert translation.text == "A professora fechou a janela porque estava fria."
    assert translation.words[:3] == ("A", "professora", "fechou")
    assert [token.text for token in translation.tokens[:4]] == ["A", "professora", "fecho", "u"]
    assert translation.attention.weights.shape == (2, 8, len(translation.tokens) + 1, 11)
    assert len(translation.ids) == len(translation.probabilities) == len(translation.tokens)
    assert translation.probabilities[0] == pytest.approx(0.88, abs=0.01)


@needs_package
@pytest.mark.parametrize("kind", ["mean", "zero"])
def test_translate_without_two_heads_changes_the_gender(kind):
    """E0H7 alone is enough in this sentence, E2H1 alone is not."""
    assert mha.translate(SHE, ["E0H7", "E2H1"], kind).text.startswith("O professor fechou")
    assert mha.translate(SHE, ["E0H7"], kind).text.startswith("O professor fechou")
    assert mha.translate(SHE, ["E2H1"], kind).text.startswith("A professora fechou")
    assert mha.translate(HE, ["E0H7", "E2H1"], kind).text.startswith("O professor fechou")


@needs_package
def test_patch_finds_the_two_heads_and_the_article():
    patch = mha.patch(SHE, HE, model="translator", score=mha.Targets(HERS, HIS))
    assert patch.named_heads == (HeadId(0, 7), HeadId(2, 1))
    assert patch.carried[0, 7] == pytest.approx(0.60, abs=0.02)
    assert patch.carried[2, 1] == pytest.approx(0.30, abs=0.02)
    assert np.argwhere(patch.cross > 0.1).tolist() == [[1, 2]]


@needs_package
def test_sweep_of_two_words_is_one_growing_pass():
    """64 heads in two passes: one of the words alone, one growing batch; each layer runs what began below it."""
    loaded = load("translator")
    next(mha.iter_word_sweep(SHE, loaded, ["A", "O"]))  # looked at once, means known
    rows, calls = {"encoder": [], "decoder": []}, []
    hooks = [
        layer.register_forward_hook(lambda _, args, states, name=name: rows[name].append(len(states)))
        for name, stack in (("encoder", loaded.model.get_encoder()), ("decoder", loaded.model.get_decoder()))
        for layer in stack.layers
    ]
    hooks.append(loaded.model.get_encoder().register_forward_hook(lambda *_: calls.append(1)))
    try:
        *_, sweep = mha.iter_word_sweep(SHE, loaded, ["A", "O"])
    finally:
        for hook in hooks:
            hook.remove()
    assert np.isfinite(sweep.change).all()
    assert np.isfinite(sweep.cross_change).all()
    assert len(calls) == 2
    assert rows["encoder"] == [1] * 6 + [1 + 8 * layer for layer in range(1, 7)]
    assert rows["decoder"] == [1] * 2 + [65] * 2  # one position and one vocabulary row for each head
    assert sum(rows["encoder"]) / 6 <= 31  # passes of the encoder, by rows


@needs_package
@pytest.mark.slow
def test_translator_means_are_bundled():
    experiment = subject("translator")
    assert bank.bundled_means(experiment.loaded).shape == (6, 8, 32)
    assert len(bank.usual_texts(experiment.loaded.row)) == 40
    cross = bank.bundled_means(experiment.loaded, "cross")  # [layer, head, d_head]
    assert cross.shape == (2, 8, 32)
    assert cross == pytest.approx(bank.computed_means(experiment, cross=True), abs=1e-4)


@needs_package
def test_control_passes_the_two_heads_and_not_the_article():
    """C1H2 chooses every article, so its effect on this one is not special."""
    loaded = load("translator")
    *_, sweep = mha.iter_word_sweep(SHE, loaded, ["A", "O"])
    control = ablation_control("translator", loaded.row.revision, len(sweep.tokens) + 10)
    changes = np.concatenate([sweep.change_of(0, 1), sweep.change_of(0, 1, cross=True)])  # [layer, head]
    assert (len(control.texts), control.change.shape) == (48, (48, 8, 8))
    assert np.argwhere(control.mainly_here(changes)).tolist() == [[0, 7], [2, 1]]
    assert [rate.n_named for rate in control.naming_rates] == [0, 10]


def cut_by_hand(model, source, target, layer, head, query, key):
    """Return the decoder's logits [token, vocabulary] with one link of the cross-attention cut by a hook of W_O."""
    attention = model.get_decoder().layers[layer].encoder_attn
    n_heads = model.config.decoder_attention_heads
    encoder = model.get_encoder()(input_ids=torch.tensor([source])).last_hidden_state

    def by_heads(projection, states):
        return projection(states)[0].unflatten(-1, (n_heads, -1))[:, head]  # [token, d_head]

    def hook(_module, args):
        queries, keys, values = (
            by_heads(projection, states)
            for projection, states in zip(
                (attention.q_proj, attention.k_proj, attention.v_proj), (states_of["x"], encoder, encoder), strict=True
            )
        )
        row = torch.softmax(queries[query] @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
        row[key] = 0
        changed, width = args[0].clone(), keys.shape[-1]
        changed[0, query, head * width : (head + 1) * width] = (row / row.sum()) @ values
        return (changed,)

    states_of = {}
    handles = [
        attention.register_forward_pre_hook(
            lambda _, args, options: states_of.update(x=(args or (options["hidden_states"],))[0]), with_kwargs=True
        ),
        attention.out_proj.register_forward_pre_hook(hook),
    ]
    try:
        with torch.inference_mode():
            return model(
                input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([target]), use_cache=False
            ).logits[0]
    finally:
        for handle in handles:
            handle.remove()


def test_cut_of_a_cross_link_by_hand():
    """Greedy tokens of a translation with a cut link are the likeliest ones of passes without a cache."""
    loaded = load("reverser")
    source = subject(loaded).encoded(COPY).inputs["input_ids"][0]
    translation = mha.translate(COPY, model="reverser", cut=["C1H1:1-2"])
    ids = list(translation.generation.ids)
    logits = cut_by_hand(loaded.model, source, ids[:-1], 1, 1, 1, 2)
    assert logits.argmax(dim=-1)[translation.generation.n_read - 1 :].tolist() == list(translation.ids)
    row = translation.attention.weights[1, 1, 1]
    assert (row[2], row.sum()) == (0, pytest.approx(1, abs=1e-5))
    probabilities = torch.softmax(logits.double(), dim=-1)[range(len(ids) - 1), ids[1:]]
    assert probabilities.numpy() == pytest.approx(translation.probabilities, abs=1e-5)
    assert (translation.text, mha.translate(COPY, model="reverser").text) == (
        "star fish fish moon moon", "star star fish moon moon",
    )  # fmt: skip


def test_ablate_and_predict_cut_cross_links():
    row = mha.ablate(COPY, model="reverser", cut=["C0H2:2-0"]).stacks["cross"][0, 2, 2]
    assert (row[0], row.sum()) == (0, pytest.approx(1, abs=1e-5))
    written = mha.translate(COPY, model="reverser", cut=["C1H1:0-2"])
    assert [str(cut) for cut in written.cut] == ["C1H1:0-2"]
    prediction = mha.predict(COPY, "reverser", written.ids[:1], cut=["C1H1:0-2"])
    assert prediction.ablated_probabilities[0] == pytest.approx(written.probabilities[0], abs=1e-5)
    assert prediction.ablated_probabilities[0] < prediction.probabilities[0] - 0.02


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (["C1H1:9-1"], "writes tokens 0 to 5 here; there is no link C1H1:9-1"),
        (["C1H1:0-9"], "reads this text as tokens 0 to 3; there is no link C1H1:0-9"),
        (["E0H1:9-1"], "reads this text as tokens 0 to 3; there is no link E0H1:9-1"),
        (["C7H1:0-1"], "has heads L0H0 to L1H3 and C0H0 to C1H3; you asked for C7H1"),
        (["C1H1:0-0.3"], "Token 0 would attend to nothing in C1H1"),
        ([f"C1H1:{n}-1" for n in range(5)], "At most 4 links"),
    ],
)
def test_translate_refuses_impossible_cuts(cut, message):
    with pytest.raises(InputError, match=message):
        mha.translate(COPY, model="reverser", cut=cut)


@pytest.mark.parametrize("n_tokens", [0, 65, -1, 2.0])
def test_translate_refuses_a_number_of_tokens(n_tokens):
    with pytest.raises(InputError, match=r"1 to 64 tokens|are whole numbers"):
        mha.translate(COPY, model="reverser", n_tokens=n_tokens)


@needs_package
def test_translate_with_one_link_cut_changes_the_gender():
    """One weight of 48 × 11 × 11: from *teacher* to *she* in E0H7."""
    assert mha.translate(SHE, cut=["E0H7:1-6"]).text.startswith("O professor fechou")
    assert mha.translate(SHE, cut=["L0H7:1-6"]).text.startswith("O professor fechou")
    assert mha.translate(SHE, cut=["E0H7:1-4"]).text.startswith("A professora fechou")
    assert mha.translate(SHE, cut=["C1H2:0-1"]).text.startswith("O professor fechou")
    prediction = mha.predict(SHE, "translator", ["A", "O"], cut=["E0H7:1-6"])
    assert prediction.ablated_probabilities == pytest.approx([0.45, 0.55], abs=0.01)
    with pytest.raises(InputError, match="E0H7 is ablated"):
        mha.translate(SHE, ["E0H7"], cut=["E0H7:1-6"])
