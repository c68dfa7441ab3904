"""Files of maps from any tool: what is read, and each refusal with the way out."""

import io
import pickle

import numpy as np
import pytest

import mha
from mha import foreign_file
from mha.errors import MHAError
from mha.foreign_file import read_file
from mha.maps import AttentionMaps, Token
from mha.saved import save_maps
from mha.views.heads_text import RECIPES

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 3, 4)).astype(np.float32)
TOKENS = np.array(["The", "Ġcat", "Ġsat", "."])
PATTERN = "blocks.{}.attn.hook_pattern"


def npz(*arrays, **named):
    file = io.BytesIO()
    np.savez(file, *arrays, **named)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def saved(maps):
    file = io.BytesIO()
    save_maps(maps, file)
    return file.getvalue()


def cache(layers):
    return {PATTERN.format(layer): array[None] for layer, array in layers.items()}


@pytest.mark.parametrize(
    "content",
    [
        npy(WEIGHTS),
        npy(np.asfortranarray(WEIGHTS)),
        npy(WEIGHTS.astype(np.float64)),
        npy(WEIGHTS[:, None]),  # one text behind the layers
        npz(weights=WEIGHTS),
        npz(mine=WEIGHTS),
        npz(attentions=WEIGHTS, hidden=np.ones((2, 4, 8))),
        npz(*WEIGHTS),
        npz(*(layer[None] for layer in WEIGHTS)),
        npz(**cache(dict(enumerate(WEIGHTS))), **{"blocks.0.hook_resid_pre": np.ones((1, 4, 8))}),
        saved(mha.from_arrays(WEIGHTS, list("abcd"))),
    ],
)
def test_read_file_returns_the_weights(content):
    found = read_file(content)
    assert np.allclose(found.maps.weights, WEIGHTS, atol=1e-6)
    assert (found.maps.origin, found.maps.n_layers, found.maps.n_heads) == ("imported", 2, 3)


def test_read_file_returns_tokens_and_text():
    found = read_file(npz(weights=WEIGHTS, tokens=TOKENS, text=np.array("The cat sat.")))
    assert [token.text for token in found.maps.tokens] == ["The", "cat", "sat", "."]
    assert (found.maps.text, found.notes) == ("The cat sat.", ())


def test_read_file_notes_missing_tokens_and_layers():
    found = read_file(npz(**cache({1: WEIGHTS[0], 3: WEIGHTS[1]})))
    assert [token.text for token in found.maps.tokens] == ["1", "2", "3", "4"]
    assert found.notes[0] == "The file has the layers 1 and 3; they are numbered from 0 here."
    assert found.notes[1].startswith("The file has no tokens, so they are numbered from 1.")


def test_read_file_returns_saved_maps_as_they_were():
    for maps in (mha.attend("Red apples"), mha.attend("All is well", "toy")):
        found = read_file(saved(maps)).maps
        assert np.array_equal(found.weights, maps.weights)
        assert (found.tokens, found.model, found.revision) == (maps.tokens, maps.model, maps.revision)


def torch_file():
    import torch

    file = io.BytesIO()
    torch.save({"a": torch.ones(2)}, file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an NPZ or NPY file"),
        (b"PK\x03\x04 not a zip", "not an NPZ or NPY file"),
        (npy(WEIGHTS)[:-1], "not an NPZ or NPY file"),
        (b"\x93NUMPY\x01\x00nonsense", "cannot be read. Save it with mha.from_arrays"),
        (pickle.dumps(WEIGHTS), "may run code when it is opened. Save it with"),
        (torch_file(), "may run code when it is opened. Save it with"),
        (npz(weights=np.array([{}], dtype=object)), "holds objects, which may run code"),
        (npz(), "it has no arrays. Save it with"),
        (npz(a=np.ones(3)), "no patterns of TransformerLens; it has 'a'. Save it with"),
        (npz(weights=2 * WEIGHTS), "Scores before the softmax are not weights"),
        (npz(weights=WEIGHTS, tokens=TOKENS[:3]), "There are 3 tokens"),
        (npy(np.eye(513, dtype=np.float32)[None, None]), "513 tokens; the limit is 512. Save a part"),
        (npy(np.ones((50, 50, 1, 1), np.float32)), "2,500 heads; the limit is 1,024. Save some layers"),
        (saved(mha.from_arrays(np.ones((1, 1, 1, 1)), ["x" * 20_001])), "letters; the limit is 20,000. mha.show"),
    ],
)
def test_read_file_refuses_with_the_way_out(content, reason):
    with pytest.raises(MHAError) as refusal:
        read_file(content)
    assert reason in str(refusal.value)


def test_read_file_refuses_the_last_rows_of_a_text():
    keys = tuple(Token(f"w{n}", word=n) for n in range(3))
    weights = np.array([[[[0.5, 0.5, 0], [0.2, 0.3, 0.5]]]], np.float32)
    with pytest.raises(MHAError, match="rows for the last 2 of 3 tokens.*mha.head_heatmap"):
        read_file(saved(AttentionMaps(weights, keys[1:], keys, causal=True)))


def test_read_file_allocates_no_more_than_its_limit(monkeypatch):
    monkeypatch.setattr(foreign_file, "MOST_BYTES", 100)
    for content in (npy(WEIGHTS), npz(weights=WEIGHTS), saved(mha.from_arrays(WEIGHTS, list("abcd")))):
        with pytest.raises(MHAError):
            read_file(content)


def test_read_file_replaces_characters_that_cannot_be_shown():
    names = ["I", "\u202eevil", "\x1b[31m", "well"]
    maps = mha.from_arrays(np.full((1, 1, 4, 4), 0.25), names, model="mi\u2067ne")
    found = read_file(saved(maps)).maps
    assert [token.text for token in found.tokens] == ["I", "�evil", "�[31m", "well"]
    assert found.model == "mi�ne"


def test_recipes_write_files_that_are_read(tmp_path, monkeypatch):
    """The code on the page runs, with a model and a cache of the shapes that the tools have."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    monkeypatch.chdir(tmp_path)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=20, n_positions=16, n_embd=8, n_layer=2, n_head=2)).eval()
    model.set_attn_implementation("eager")
    asked = torch.arange(4)[None]
    generated = model.generate(
        asked, max_new_tokens=2, do_sample=False, output_attentions=True, return_dict_in_generate=True, pad_token_id=0
    )
    outputs = model(asked, output_attentions=True)
    lens_cache = {PATTERN.format(n): layer.detach() for n, layer in enumerate(outputs.attentions)}
    model.to_str_tokens = lambda _text: list("abcd")
    for recipe in RECIPES.split("\n\n"):
        for line in recipe.splitlines():
            is_generated = "from_generate" in line
            names = {
                "mha": mha, "np": np, "outputs": generated if is_generated else outputs, "model": model, "text": "",
                "tokens": list("abcdef") if is_generated else list("abcd"), "weights": WEIGHTS, "cache": lens_cache,
            }  # fmt: skip
            if "patterns" in recipe:
                exec(recipe, names)
            else:
                exec(line, names)
            if not line.startswith("#"):
                assert read_file((tmp_path / "maps.npz").read_bytes()).maps.n_keys > 2
