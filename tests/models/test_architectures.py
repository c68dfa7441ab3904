"""What is recorded is what each architecture's own eager attention computes."""

import numpy as np
import pytest
import torch

from mha.errors import AttentionUnavailable
from mha.models.files.loading import LoadedModel
from mha.models.watch.anatomy import anatomy
from mha.models.watch.attending import attend, record_text
from mha.models.watch.survey import survey
from mha.words import words
from tests.models.tiny import IN_BLOCKS, MAMBA, NO_MAPS, TEXT, THE_EAGER_WAY, THROUGH_THE_INTERFACE, Tiny

FIELDS = {
    "self": "attentions", "encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions",
}  # fmt: skip


def by_architecture(rows: tuple[Tiny, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=lambda row: row.architecture)


def eager_weights(loaded: LoadedModel) -> dict[str, np.ndarray]:
    """The weights of a second model with the same numbers that was made eager from the start."""
    config = type(loaded.model.config).from_dict(loaded.model.config.to_dict())
    model = type(loaded.model)._from_config(config, attn_implementation="eager")
    model.load_state_dict(loaded.model.state_dict())
    inputs = loaded.tokenizer(TEXT, return_tensors="pt", truncation=True, max_length=loaded.max_tokens)
    if model.config.is_encoder_decoder:
        start = torch.tensor([[model.config.decoder_start_token_id]])
        inputs["decoder_input_ids"] = torch.cat([start, inputs["input_ids"][:, :-1]], dim=1)
    with torch.no_grad():
        outputs = model.eval()(**inputs, output_attentions=True)
    found = {stack: getattr(outputs, field, None) for stack, field in FIELDS.items()}
    return {stack: torch.cat(layers).numpy() for stack, layers in found.items() if layers}


@pytest.mark.sampled(3)
@by_architecture((*THROUGH_THE_INTERFACE, *THE_EAGER_WAY))
def test_recorded_weights_are_those_of_eager_attention(row, tiny):
    """Over an axis of query heads, as the config says, with the words of the text; the model stays as it was."""
    loaded, is_reached = tiny(row), row in THROUGH_THE_INTERFACE
    before = [config._attn_implementation for config in anatomy(loaded.model).configs]
    recording = record_text(TEXT, loaded, keep=("query",) if is_reached else ())
    assert anatomy(loaded.model).way == ("parallax" if is_reached else "eager")
    assert [config._attn_implementation for config in anatomy(loaded.model).configs] == before
    assert "parallax" not in before
    assert not loaded.model.training
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in loaded.model.modules())
    maps = recording.maps
    assert (maps.n_layers, maps.n_heads, maps.causal) == (loaded.row.n_layers, loaded.row.n_heads, loaded.row.causal)
    assert (maps.n_heads, maps.causal) == (row.n_heads, row.causal)
    assert recording.query is None or recording.query.shape[-1] == loaded.row.d_head
    assert tuple(piece.text for piece in maps.merged().tokens if piece.word is not None) == words(TEXT)
    assert maps.weights.std() > 0.01  # far from even, so that a swapped axis would be seen
    expected = eager_weights(loaded)
    assert tuple(recording.stacks) == row.stacks == tuple(expected)
    for stack, weights in expected.items():
        assert recording.stacks[stack].dtype == np.float32
        np.testing.assert_allclose(recording.stacks[stack], weights, atol=1e-6, rtol=0)


@by_architecture(THE_EAGER_WAY)
def test_models_that_have_not_moved_say_what_they_cannot_show(row, tiny):
    attend(TEXT, tiny(row))
    assert anatomy(tiny(row).model).way == "eager"
    with pytest.raises(AttentionUnavailable, match="shows its weights only"):
        record_text(TEXT, tiny(row), keep=["query"])


@by_architecture((*NO_MAPS, MAMBA))
def test_what_is_no_share_of_each_pair_of_tokens_is_never_drawn_as_one(row, tiny):
    for look in (lambda: attend(TEXT, tiny(row)), lambda: survey(TEXT, model=tiny(row))):
        with pytest.raises(AttentionUnavailable, match="fits no map|not shares of attention|gives no attention w"):
            look()


def test_a_model_that_changes_its_layers_in_its_first_pass_is_recorded_by_it(tiny):
    first = attend("I saw the man", tiny(IN_BLOCKS))
    np.testing.assert_array_equal(first.weights, attend("I saw the man", tiny(IN_BLOCKS)).weights)


def test_a_sink_logit_leaves_mass_absent(tiny):
    row = next(row for row in THROUGH_THE_INTERFACE if row.architecture == "GptOssForCausalLM")
    maps = attend(TEXT, tiny(row))
    assert maps.absent_mass.max() > 0.1
    np.testing.assert_allclose(maps.weights.sum(axis=-1) + maps.absent_mass, 1, atol=2e-4)


def test_cross_attention_has_target_rows_and_source_columns(tiny):
    from mha.models.watch.recording import record

    row = next(row for row in THROUGH_THE_INTERFACE if row.architecture == "BartModel")
    recording = record(tiny(row).model, input_ids=[[3, 5, 7, 11, 13]], decoder_input_ids=[[1, 2, 3]])
    assert [recording.stacks[stack].shape for stack in row.stacks] == [(2, 5, 5, 5), (3, 5, 3, 3), (3, 5, 3, 5)]
    cross = recording.attention("cross")
    assert (cross.kind, cross.n_queries, cross.n_keys) == ("cross", 3, 5)
    assert recording.attention("decoder").causal
