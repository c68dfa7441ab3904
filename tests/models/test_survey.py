"""A survey is what the full recording shows, pooled and picked: for every architecture, in blocks of a few queries."""

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.maps import AttentionMaps
from mha.models.files.loading import LoadedModel
from mha.models.watch import attention, tally
from mha.models.watch import survey as surveys
from mha.models.watch.anatomy import anatomy
from mha.models.watch.attending import record_text
from mha.models.watch.recording import record
from mha.models.watch.survey import Survey, survey
from tests.models.small import IDS, small_bert
from tests.models.tiny import TEXT, THE_EAGER_WAY, THROUGH_THE_INTERFACE

ROWS = {row.architecture: row for row in (*THROUGH_THE_INTERFACE, *THE_EAGER_WAY)}
LONG = " ".join([TEXT] * 4)
HEADS = ((0, 1), (1, 4))
PLACES = (0, 3, 31)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of a few queries, which no cell's side divides."""
    monkeypatch.setattr(tally, "BLOCK_BYTES", 4 * 5 * 60 * 7)
    monkeypatch.setattr(surveys, "BLOCK_BYTES", 4 * 5 * 60 * 7)


def exactly(loaded: LoadedModel) -> LoadedModel:
    """The same model in float64, where it can be: sums in another order then hardly show in the weights.

    Some models go through float32 all the same (RMSNorm, softmax), and these random ones make much of the last bit: so
    `check` asks for 1e-6 in the first layer and allows for ten times that behind it.
    """
    if hasattr(loaded.model.config, "num_experts_per_tok"):  # its experts know no float64
        return loaded
    return dataclasses.replace(loaded, model=copy.deepcopy(loaded.model).double())


def pooled(weights: np.ndarray, cell: int) -> np.ndarray:
    """The largest weight of each cell, [layer, head, cell, cell], the plain way."""
    n_queries, n_keys = weights.shape[2:]
    rows = [weights[:, :, first : first + cell].max(axis=2) for first in range(0, n_queries, cell)]
    lifted = np.stack(rows, axis=2)
    return np.stack([lifted[..., first : first + cell].max(axis=-1) for first in range(0, n_keys, cell)], axis=-1)


def check(found: Survey, maps: AttentionMaps) -> None:
    """Everything in the survey against the whole maps."""
    assert found.tokens == maps.tokens
    expected_overview = pooled(maps.weights, found.cell)
    np.testing.assert_allclose(found.overview[0], expected_overview[0], atol=1e-6, rtol=0)
    np.testing.assert_allclose(found.overview, expected_overview, atol=2e-5, rtol=0)
    for place in found.rows:
        np.testing.assert_allclose(found.rows[place], maps.weights[:, :, place], atol=1e-5, rtol=0)
        np.testing.assert_allclose(found.columns[place], maps.weights[..., place], atol=1e-5, rtol=0)
    for head, weights in found.maps.items():
        np.testing.assert_allclose(weights, maps[head], atol=1e-5, rtol=0)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("row", [*THROUGH_THE_INTERFACE, *THE_EAGER_WAY], ids=lambda row: row.architecture)
@pytest.mark.usefixtures("small_blocks")
def test_a_survey_is_the_full_recording(row, tiny):
    loaded = exactly(tiny(row))
    text = loaded.tokenizer.decode(loaded.tokenizer(LONG, truncation=True, max_length=55)["input_ids"][1:-1])
    found = survey(text, model=loaded, words=PLACES, heads=HEADS)
    recording = record_text(text, loaded)
    assert found.cell == 2
    assert max(found.overview.shape[2:]) <= 48
    assert set(found.rows) == set(found.columns) == set(PLACES)
    assert set(found.maps) == set(HEADS)
    check(found, recording.maps)
    assert found.notes == recording.notes
    assert anatomy(loaded.model).way == ("eager" if row in THE_EAGER_WAY else "parallax")


@pytest.mark.parametrize("architecture", ["T5ForConditionalGeneration", "BartModel", "MarianModel"])
@pytest.mark.parametrize("stack", ["encoder", "decoder", "cross"])
@pytest.mark.usefixtures("small_blocks")
def test_every_stack_can_be_surveyed(architecture, stack, tiny):
    model = exactly(tiny(ROWS[architecture])).model
    ids, target = [list(range(3, 60))], [list(range(40, 7, -1))]
    found = survey(model, input_ids=ids, decoder_input_ids=target, stack=stack, words=(5,), heads=((1, 2),))
    whole = record(model, input_ids=ids, decoder_input_ids=target)
    tokens = {"encoder": ids, "decoder": target, "cross": target}[stack]
    assert [token.text for token in found.tokens] == [str(number) for number in tokens[0]]
    assert len(found.key_tokens) == (33 if stack == "decoder" else 57)
    np.testing.assert_allclose(found.overview, pooled(whole.stacks[stack], found.cell), atol=1e-6)
    np.testing.assert_allclose(found.maps[1, 2], whole.stacks[stack][1, 2], atol=1e-6)
    np.testing.assert_allclose(found.columns[5], whole.stacks[stack][..., 5], atol=1e-6)


@pytest.mark.parametrize("n_tokens", [1, 2, 48, 49, 96, 97])
@pytest.mark.usefixtures("small_blocks")
def test_any_length_is_pooled_to_48_cells_at_most(n_tokens):
    model = small_bert()
    ids = [[2 + number % 29 for number in range(n_tokens)]]
    found = survey(model, input_ids=ids, words=(n_tokens - 1,))
    assert found.cell == -(-n_tokens // 48)
    assert found.overview.shape == (3, 2, -(-n_tokens // found.cell), -(-n_tokens // found.cell))
    check(found, record(model, input_ids=ids).maps)


@pytest.mark.usefixtures("small_blocks")
def test_survey_drops_padding_on_the_left(tiny):
    """Rows that may see nothing spread evenly, over keys ahead too: blocks must not leave those keys out."""
    model = tiny(ROWS["LlamaForCausalLM"]).model
    ids = [list(range(3, 53))]
    mask = [[0] * 9 + [1] * 41]
    found = survey(model, input_ids=ids, attention_mask=mask, heads=HEADS)
    whole = record(model, input_ids=ids, attention_mask=mask)
    np.testing.assert_allclose(found.maps[1, 4], whole.maps[1, 4], atol=1e-5)
    np.testing.assert_allclose(found.overview, pooled(whole.maps.weights, found.cell), atol=1e-5)
    assert found.tokens == whole.maps.tokens
    assert len(found.tokens) == 41


def test_pairs_toys_and_public_names():
    found = mha.survey("I saw the man.", pair="He had a telescope.", words=[2])
    check(found, record_text("I saw the man.", pair="He had a telescope.").maps)
    check(survey("I saw the man with the telescope", model="toy", words=[2], heads=[(0, 1)]), record_text(
        "I saw the man with the telescope", "toy").maps)  # fmt: skip
    assert mha.Survey is Survey


def test_a_long_text_is_cut_only_with_a_sentence(tiny):
    loaded = tiny(ROWS["RobertaModel"])
    found = survey("the man " * 300, model=loaded)
    assert len(found.tokens) == 66
    assert any("Only the first 66 tokens are used" in note for note in found.notes)
    whole = survey(("the man " * 300).strip(), model=tiny(ROWS["Qwen3ForCausalLM"]))
    assert len(whole.tokens) == 601  # the first "the" is two tokens
    assert whole.notes == ()


def test_progress_comes_by_layer_with_its_overview_and_can_stop():
    model, told = small_bert(), []
    found = survey(model, input_ids=IDS, progress=lambda done, of, overview: told.append((done, of, overview)))
    assert [(done, of) for done, of, _ in told] == [(1, 3), (2, 3), (3, 3)]
    np.testing.assert_array_equal(told[1][2], found.overview[1])

    def stop(done: int, of: int, overview: np.ndarray) -> None:
        if done == 2:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        survey(model, input_ids=IDS, progress=stop)
    assert model.config._attn_implementation == "sdpa"
    assert attention._current.get() is None
    assert not attention._held_configs


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"words": [7]}, "This text has tokens 0 to 6; you asked for 7"),
        ({"heads": [(3, 0)]}, "BertModel has heads L0H0 to L2H1; you asked for L3H0"),
        ({"stack": "cross"}, "BertModel has self; there is no 'cross'"),
    ],
)
def test_what_is_not_there_is_said(asked, sentence):
    with pytest.raises(InputError, match=sentence):
        survey(small_bert(), input_ids=IDS, **asked)


def test_too_many_whole_maps_are_refused(monkeypatch):
    monkeypatch.setattr(surveys, "MAP_BYTES", 4 * 7 * 7)
    survey(small_bert(), input_ids=IDS, heads=[(0, 0), (0, 0)])
    with pytest.raises(InputError, match="2 whole maps of 7 × 7 tokens"):
        survey(small_bert(), input_ids=IDS, heads=[(0, 0), (0, 1)])


def test_a_model_that_shows_all_or_nothing_is_refused_beyond_a_size(tiny, monkeypatch):
    monkeypatch.setattr(surveys, "MAP_BYTES", 1000)
    with pytest.raises(AttentionUnavailable, match="shows its maps only all at once: of .* Survey a shorter text"):
        survey(LONG, model=tiny(ROWS["BloomModel"]))


def test_a_trained_model_is_surveyed_to_the_sixth_place(minilm, monkeypatch):
    monkeypatch.setattr(tally, "BLOCK_BYTES", 4 * 12 * 300 * 31)
    text = "The man saw the dog that the girl with the telescope had fed. " * 20
    maps = record_text(text[:1999], "minilm").maps
    found = survey(text[:1999], words=[100], heads=[(4, 7)])
    np.testing.assert_allclose(found.overview, pooled(maps.weights, found.cell), atol=1e-6, rtol=0)
    np.testing.assert_allclose(found.maps[4, 7], maps[4, 7], atol=1e-6, rtol=0)
    check(found, maps)


def test_blocks_that_differ_from_eager_are_refused(monkeypatch):
    honest = tally.InBlocks.attend

    def off(self: Any, module: Any, eager: Any, arguments: Any, options: Any) -> Any:
        return honest(self, module, eager, (arguments[0] * 1.5, *arguments[1:]), options)

    monkeypatch.setattr(tally.InBlocks, "attend", off)
    with pytest.raises(AttentionUnavailable, match="differs from its eager attention"):
        survey(small_bert(), input_ids=IDS)
