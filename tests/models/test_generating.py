"""Models that write: each step's looks are those of a fresh pass; how heads share keys, and what windows they have."""

import numpy as np
import pytest
import torch

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.maps import Layout
from mha.models.files.environment import one_thread
from mha.models.files.loading import LoadedModel
from mha.models.watch.attending import attend, record_text
from mha.models.watch.generating import Generation, generate, iter_generate
from mha.models.watch.recording import record
from tests.models.snapshots import SNAPSHOTS
from tests.models.tiny import LLAMA, TEXT, THE_EAGER_WAY, THROUGH_THE_INTERFACE, Tiny

ROWS = {row.architecture: row for row in (*THROUGH_THE_INTERFACE, *THE_EAGER_WAY)}
WRITERS = [row for row in THROUGH_THE_INTERFACE if row.architecture.endswith("ForCausalLM")]


def check_against_fresh_passes(found: Generation, loaded: LoadedModel) -> None:
    """Every step's look against a new pass over only what was there when the token was written."""
    for step in range(found.n_steps):
        fresh = record(loaded.model, input_ids=[list(found.ids[: found.n_read + step])])
        np.testing.assert_allclose(found.looks(step), fresh.maps.weights[:, :, -1], atol=1e-5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("row", [*WRITERS, SNAPSHOTS["tiny-causal"]], ids=lambda row: row.architecture)
def test_each_look_back_is_that_of_a_fresh_pass(row, tiny):
    loaded = tiny(row)
    found = generate("the man saw it", loaded, n_tokens=5, seed=1)
    assert 1 <= found.n_steps <= 5
    assert found.probabilities.shape == (found.n_steps,)
    assert ((found.probabilities > 0) & (found.probabilities <= 1)).all()
    check_against_fresh_passes(found, loaded)
    last = found.n_steps - 1
    assert found.looks(last).shape == (*found.recording.maps.weights.shape[:2], len(found.tokens) - 1)
    np.testing.assert_allclose(
        found.looks(last).sum(axis=-1) + found.recording.maps.absent_mass[:, :, -2], 1, atol=1e-3
    )


HYBRID = Tiny(  # of three layers the first has no attention, and the place of a token is counted anew in each pass
    "BambaForCausalLM",
    LLAMA
    | {
        "num_hidden_layers": 3, "attn_layer_indices": [1, 2], "mamba_n_heads": 6, "mamba_d_head": 28,
        "mamba_n_groups": 1, "mamba_d_state": 5,
    },
    "bytes",
    causal=True,
    n_heads=6,
)  # fmt: skip


def test_a_model_that_mixes_layers_shows_those_with_attention_and_says_which_they_are(tiny):
    loaded = tiny(HYBRID)
    recording = record_text("the man saw it", loaded)
    assert recording.maps.shape[:2] == (loaded.row.n_layers, loaded.row.n_heads) == (2, 6)
    assert recording.notes == ("Layers without attention are left out. L0 and so on are the model's layers 1, 2.",)
    assert mha.survey("the man saw it", model=loaded).notes == recording.notes


def test_it_writes_what_it_would_write_without_keeping_what_it_has_read(tiny):
    loaded = tiny(HYBRID)
    found = generate("the man saw it", loaded, n_tokens=9)
    ids = torch.tensor([found.ids])
    with torch.inference_mode():
        likeliest = loaded.model(ids, use_cache=False).logits[0, found.n_read - 1 : -1].argmax(dim=-1)
    assert found.ids[found.n_read :] == tuple(likeliest.tolist())
    assert found.notes == loaded.row.notes


def test_generate_reads_line_breaks(tiny):
    loaded = tiny(ROWS["Qwen3ForCausalLM"])
    text = "Question: what?\n\tAnswer:\n"
    written = generate(text, loaded, n_tokens=2, seed=1)
    ids = loaded.tokenizer(text)["input_ids"]
    assert written.recording.maps.text.startswith(text)
    assert list(written.ids[: written.n_read]) == ids
    assert [token.text for token in written.tokens[: written.n_read] if token.word is None] == [":", "?", "↵", ":", "↵"]
    assert written.notes == loaded.row.notes
    assert len(mha.predict(text, loaded).tokens) == len(ids)
    assert mha.attend(text, loaded).text == text


def test_greedy_is_the_likeliest_word_and_a_seed_repeats_itself(tiny):
    loaded = tiny(SNAPSHOTS["tiny-causal"])
    greedy = generate("the man saw the dog", loaded, n_tokens=4)
    ids = loaded.tokenizer("the man saw the dog", return_tensors="pt")["input_ids"]
    for step in range(greedy.n_steps):
        with torch.no_grad():
            row = torch.softmax(loaded.model(input_ids=ids).logits[0, -1].double(), dim=-1)
        assert loaded.tokenizer.convert_ids_to_tokens(int(row.argmax())) == greedy.written[step].raw
        assert float(row.max()) == pytest.approx(greedy.probabilities[step], abs=1e-5)
        ids = torch.cat([ids, row.argmax()[None, None]], dim=1)
    once, again, other = (generate("the man saw", loaded, n_tokens=6, seed=seed) for seed in (5, 5, 6))
    assert once.tokens == again.tokens
    assert once.tokens != other.tokens
    assert (greedy.seed, once.seed) == (None, 5)


def test_an_encoder_decoder_writes_beside_its_text(tiny):
    loaded = tiny(SNAPSHOTS["tiny-encoder-decoder"])
    found = mha.generate("the man saw the dog", model=loaded, n_tokens=3, seed=2)
    assert found.n_read == 1
    cross = found.recording.attention("cross")
    assert [token.text for token in cross.key_tokens] == ["the", "man", "saw", "the", "dog", "[END]"]
    assert cross.tokens[: found.n_steps] == found.written  # rows are named by what they write
    assert found.looks(1).shape == (2, 5, 2)
    assert found.looks(1, "cross").shape == (2, 5, 6)
    np.testing.assert_array_equal(found.looks(1, "cross"), cross.weights[:, :, 1])
    with pytest.raises(InputError, match="looks back by decoder, cross; there is no 'self'"):
        found.looks(0, "self")


@pytest.mark.parametrize("row", [SNAPSHOTS["tiny-causal"], SNAPSHOTS["tiny-encoder-decoder"]])
def test_iter_generate_yields_each_token_and_then_the_recording(row, tiny):
    loaded = tiny(row)
    *partial, whole = iter_generate("the man saw the dog", loaded, n_tokens=4, seed=3)
    assert isinstance(whole, Generation)
    assert [one.n_steps for one in partial] == list(range(1, whole.n_steps + 1))
    assert not any(isinstance(one, Generation) for one in partial)
    for one in partial:
        assert one.ids == whole.ids[: len(one.ids)]
        np.testing.assert_allclose(one.probabilities, whole.probabilities[: one.n_steps], atol=1e-5)
    assert partial[-1].tokens == whole.tokens
    assert (whole.n_read, whole.seed, whole.notes) == (partial[0].n_read, 3, partial[0].notes)


@pytest.mark.parametrize("architecture", ["T5ForConditionalGeneration", "BartModel", "MarianModel"])
def test_a_typed_target_names_the_rows_by_what_is_to_be_written(architecture, tiny):
    loaded = tiny(ROWS[architecture])
    recording = record_text("the man saw it", loaded, target="did it")
    assert recording.read[1:] == recording.written[:-1]
    cross = attend("the man saw it", loaded, target="did it", stack="cross")
    assert cross.tokens == recording.written
    assert cross.key_tokens == recording.maps.tokens
    assert cross.kind == "cross"
    pieces = [token.text for token in cross.merged().tokens if not token.special]
    assert pieces == ["did", "it"]
    assert [token.text for token in cross.merged().key_tokens if not token.special] == ["the", "man", "saw", "it"]
    decoder = recording.attention("decoder")
    assert decoder.tokens == recording.read
    assert decoder.causal
    ids = loaded.tokenizer("did it")["input_ids"]
    start = loaded.model.config.decoder_start_token_id
    with one_thread():
        fresh = record(loaded.model, input_ids=[loaded.tokenizer("the man saw it")["input_ids"]],
                   decoder_input_ids=[[start, *ids[:-1]]])  # fmt: skip
    np.testing.assert_allclose(cross.weights, fresh.stacks["cross"], atol=1e-5)


@pytest.mark.parametrize(
    ("architecture", "layout"),
    [
        ("LlamaForCausalLM", Layout(6, 3, (None, None))),
        ("MistralForCausalLM", Layout(6, 3, (3, 3))),
        ("Gemma2ForCausalLM", Layout(6, 3, (3, None))),
        ("ModernBertModel", Layout(5, 5, (None, 3))),
        ("BertModel", Layout(5, 5, (None, None))),
    ],
)
def test_shared_keys_and_windows_are_said_and_true(architecture, layout, tiny):
    recording = record_text(TEXT, tiny(ROWS[architecture]), keep=["key"])
    assert recording.layouts == {"self": layout}
    n_tokens = recording.maps.n_queries
    away = np.abs(np.arange(n_tokens)[:, None] - np.arange(n_tokens))
    for layer, window in enumerate(layout.windows):
        reached = recording.maps.weights[layer].max(axis=0) > 0
        assert not reached[away >= (window or n_tokens)].any()
        assert reached[away == (window or n_tokens) - 1].any()
    assert recording.key is not None
    for head in range(1, layout.n_heads):
        same = head % (layout.n_heads // layout.n_groups) != 0
        assert np.array_equal(recording.key[0, head], recording.key[0, head - 1]) == same


def test_what_cannot_write_says_so(tiny, minilm):
    for model in (minilm, tiny(ROWS["GPT2Model"]), tiny(SNAPSHOTS["tiny-masked"])):
        with pytest.raises(AttentionUnavailable, match="does not write"):
            generate("the man", model)
    with pytest.raises(AttentionUnavailable, match="Toy predicts no words"):
        generate("the man", "toy")


def test_numbers_out_of_range_are_said(tiny):
    loaded = tiny(SNAPSHOTS["tiny-causal"])
    with pytest.raises(InputError, match="1 to 64 tokens here; you asked for 65"):
        generate("the man", loaded, n_tokens=65)
    with pytest.raises(InputError, match="temperature lies between"):
        generate("the man", loaded, temperature=0)
    with pytest.raises(InputError, match="leaves no room"):
        generate("man " * 128, loaded)
    found = generate("the man saw", loaded, n_tokens=2)
    with pytest.raises(InputError, match="steps 0 to 1; you asked for 2"):
        found.looks(2)
    with pytest.raises(InputError, match="no decoder beside its encoder"):
        record_text("the man", loaded, target="the dog")
