"""`record`, `survey` and `attend` with other objects than a transformers model: accepted, or refused in a sentence."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers as t
from torch import nn

from mha.errors import InputError
from mha.models.watch.attending import attend, record_text
from mha.models.watch.recording import record
from mha.models.watch.survey import survey
from tests.models.tiny import PLAIN, VOCABULARY, Tiny

IDS = torch.tensor([[1, 5, 6, 7, 2]])
CONFIG = {"vocab_size": VOCABULARY, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
VISION = PLAIN | {"image_size": 32, "patch_size": 8}
BERT = t.BertModel(t.BertConfig(**PLAIN, **CONFIG)).eval()


class Classifier(nn.Module):
    """A classifier of one's own."""

    def __init__(self, *models: nn.Module) -> None:
        super().__init__()
        self.models, self.head = nn.ModuleList(models), nn.Linear(70, 2)


WRAPPERS: dict[str, Callable[[], Any]] = {
    "own": lambda: Classifier(BERT),
    "parallel": lambda: nn.DataParallel(BERT),
    "parallel-own": lambda: nn.DataParallel(Classifier(BERT)),
    "sequential": lambda: nn.Sequential(BERT, nn.Identity()),
    "compiled": lambda: torch.compile(BERT),
    "pipeline": lambda: SimpleNamespace(model=BERT, tokenizer=None),
    "trainer": lambda: SimpleNamespace(model=nn.DataParallel(BERT)),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # of PyTorch's compiler
@pytest.mark.parametrize("name", WRAPPERS)
def test_record_wrapped_model_equal(name):
    wrapped, plain = WRAPPERS[name](), record(BERT, input_ids=IDS).maps
    maps = record(wrapped, input_ids=IDS).maps
    np.testing.assert_array_equal(maps.weights, plain.weights)
    assert maps.model == "BertModel"
    np.testing.assert_array_equal(survey(wrapped, input_ids=IDS).overview, survey(BERT, input_ids=IDS).overview)


def test_record_loaded_model_named(tiny):
    """A loaded model brings its tokenizer, name and origin; an argument goes first."""
    loaded = tiny(Tiny("BertModel", PLAIN))
    ids = loaded.tokenizer("I saw the man")["input_ids"]
    maps, typed = record(loaded, input_ids=ids).maps, record_text("I saw the man", loaded).maps
    np.testing.assert_array_equal(maps.weights, typed.weights)
    assert [token.raw for token in maps.tokens] == [token.raw for token in typed.tokens]
    assert (maps.model, maps.origin) == (loaded.row.short, "unknown origin")
    assert record(loaded, input_ids=ids, name="mine", origin="pretrained").maps.model == "mine"


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "layers": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True), 1),
        "TransformerEncoder contains no transformers model. Pass a",
    ),
    "several": (
        lambda: Classifier(BERT, t.GPT2Model(t.GPT2Config(n_embd=8, n_layer=1, n_head=2, vocab_size=9))),
        r"contains 2 transformers models\. Pass one.*: model\.models\[0\] \(BertModel\), model\.models\[1\] \(GPT2",
    ),
    "name": (lambda: "minilm", r"A str is not a model in memory\. Pass .*mha\.load_model"),
    "state": (lambda: BERT.state_dict(), "A OrderedDict is not a model"),
    "nothing": (lambda: None, "A NoneType is not a model"),
    "clip": (
        lambda: t.CLIPModel(t.CLIPConfig(text_config=PLAIN | CONFIG, vision_config=VISION)),
        r"CLIPModel compares the outputs of several models\. Pass one of them: model\.text_model \(CLIPTextModel\)",
    ),
    "siglip": (
        lambda: t.SiglipModel(t.SiglipConfig(text_config=PLAIN | CONFIG, vision_config=VISION)),
        "SiglipModel compares the outputs of several models",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_record_other_objects_refused(name):
    make, sentence = REFUSED[name]
    model = make()
    with pytest.raises(InputError, match=sentence):
        record(model, input_ids=IDS, tokens=list("abcde"))
    if name != "name":
        with pytest.raises(InputError, match=sentence):
            survey(model, input_ids=IDS)


def test_record_half_of_clip_accepted():
    clip = t.CLIPModel(t.CLIPConfig(text_config=PLAIN | CONFIG, vision_config=VISION)).eval()
    assert record(clip.text_model, input_ids=IDS).maps.causal
    assert record(clip.vision_model, pixel_values=torch.zeros(1, 3, 32, 32)).maps.weights.shape[-1] == 17


@pytest.mark.parametrize("model", [BERT, None, 7, SimpleNamespace(model=BERT)], ids=lambda model: type(model).__name__)
def test_attend_other_objects_refused(model):
    with pytest.raises(InputError, match=r"Name a model on offer.*mha\.record"):
        attend("I saw", model=model)
