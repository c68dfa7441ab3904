"""The addresses: what they answer, what they refuse, and that their document is true."""

import io
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.applications import Starlette
from starlette.testclient import TestClient

import mha
from mha import api
from mha.api import alone, answers, entry
from mha.errors import AssetError
from mha.models.files.loading import load
from mha.saved import load_maps
from mha.server.limits import Limits

DOG = "Tom fed the dog because it was hungry"
BOTH = {
    "a": {"name": "dog", "pivot": "it", "partners": ["dog"]},
    "b": {"name": "Tom", "pivot": 5, "partners": [0]},
}
HOSTILE = json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text(encoding="utf-8"))


@pytest.fixture
def client(monkeypatch):
    load("minilm")  # by itself: on a busy machine that takes longer than a question waits
    monkeypatch.setattr(entry, "TURNS", entry.ClientTurns(Limits(api_per_minute=10_000)))
    return TestClient(alone.app, raise_server_exceptions=False)


def is_problem(answer, status):
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    found = answer.json()
    assert found.keys() == {"type", "title", "status", "detail"}
    assert found["status"] == status
    return found["detail"]


def test_it_is_not_ready_while_the_opening_sentence_cannot_be_drawn(client, monkeypatch, caplog):
    client.post("/api/attend", json={"text": "the model is awake"})
    answers._opens.cache_clear()
    assert client.get("/api/ready").json() == {"ready": True, "phase": "ready", "message": ""}

    def failing(error):
        monkeypatch.setattr(answers, "overview_of", lambda *_given, **_more: (_ for _ in ()).throw(error))
        answers._opens.cache_clear()
        return client.get("/api/ready")

    told = failing(AssetError("assets/corpus.txt is damaged.", "assets/corpus.txt"))
    assert (told.status_code, told.json()["message"]) == (503, "assets/corpus.txt is damaged.")
    assert caplog.records == []
    bug = failing(IndexError("secret"))
    assert (bug.status_code, bug.json()["ready"], bug.json()["message"]) == (503, False, answers.UNDRAWN)
    assert [record.exc_info[0] for record in caplog.records] == [IndexError]
    assert client.get("/api/health").status_code == 200
    monkeypatch.undo()
    assert answers.undrawn() == ""  # as soon as it can be


@pytest.mark.parametrize("units", ["tokens", "words"])
def test_attend_gives_the_maps_of_the_notebook_as_json_and_as_npz(client, units):
    asked = {"text": DOG, "units": units}
    maps = mha.attend(DOG)
    maps = maps.merged() if units == "words" else maps
    found = client.post("/api/attend", json=asked).json()
    np.testing.assert_allclose(found["weights"], maps.weights, atol=5e-6)
    assert [token["text"] for token in found["tokens"]] == [token.text for token in maps.tokens]
    packed = client.post("/api/attend", json=asked, headers={"Accept": "application/x-npz"})
    again = load_maps(io.BytesIO(packed.content))
    assert again.tokens == maps.tokens
    np.testing.assert_allclose(again.weights, maps.weights, atol=5e-6)


def test_attend_takes_smollm2(client):
    found = client.post("/api/attend", json={"text": "The capital of France is", "model": "smollm2"}).json()
    assert np.shape(found["weights"]) == (30, 9, 5, 5)
    assert found["revision"] == "sha256 b179c9523d0e, weights rounded to 4 bits (Q4_1)"


def test_attend_keeps_line_breaks_or_notes_them(client):
    text = "The cat\n  sat"
    answer = client.post("/api/attend", json={"text": text}).json()
    assert answer["text"] == text
    assert answer["notes"] == ["The model reads line breaks and runs of spaces like one space."]


def test_readings_give_leans_with_controls_what_is_carried_and_the_sweep(client):
    asked = {"text": DOG, **BOTH, "contrast": DOG.replace("hungry", "kind"), "want": ["leans", "carried", "sweep"]}
    found = client.post("/api/readings", json=asked).json()
    readings = [mha.Reading("dog", (("it", "dog"),)), mha.Reading("Tom", ((5, 0),))]
    np.testing.assert_allclose(found["leans"]["lean"], mha.lean(mha.attend(DOG), readings), atol=5e-6)
    assert np.shape(found["leans"]["mean_of_shuffles"]) == (6, 12)
    assert found["leans"]["orders"] == 199
    assert 0 <= found["leans"]["reached"] <= 199
    patched = mha.patch(DOG, asked["contrast"], readings)
    np.testing.assert_allclose(np.array(found["carried"]["carried"], dtype=float), patched.carried, atol=1e-4)
    assert found["carried"]["changed"] == list(patched.changed)
    assert np.shape(found["sweep"]["effect"]) == (6, 12)
    assert found["sweep"]["effect"][5][0] is None
    own = mha.sweep(DOG, readings)
    assert found["sweep"]["at"] == own.at == 5
    np.testing.assert_array_equal(found["sweep"]["direct"], own.direct)
    np.testing.assert_allclose(np.array(found["sweep"]["effect"], dtype=float), own.effect, atol=1e-5)


def test_readings_of_a_text_alone_are_those_that_it_suggests(client):
    text = "The clerk thanked the guest because he waited"
    found = client.post("/api/readings", json={"text": text}).json()
    assert found["suggested"]
    assert [one["links"] for one in found["readings"]] == [[[6, 1]], [[6, 4]]]
    readings = mha.propose(text)[0].readings
    np.testing.assert_allclose(found["leans"]["lean"], mha.lean(mha.attend(text), readings), atol=5e-6)
    assert "Nothing is suggested" in is_problem(client.post("/api/readings", json={"text": "It rained."}), 422)
    assert "or neither" in is_problem(client.post("/api/readings", json={"text": text, "a": BOTH["a"]}), 422)


def test_the_example_of_the_document_is_answered_alone(client):
    asked = client.get("/api/openapi.json").json()["components"]["schemas"]["WantedPreference"]["properties"]
    answer = client.post("/api/preference", json={"text": asked["text"]["examples"][0]})
    assert (answer.status_code, answer.json().keys()) == (200, {"value"})


def test_a_figure_is_that_of_the_notebook_in_four_forms(client):
    asked = {"text": DOG, "kind": "arcs", "heads": ["L3H1", "L0H6"], "word": "it", "width": 120}
    drawn = mha.figure(mha.attend(DOG), "arcs", ["L3H1", "L0H6"], 120, word="it")
    told = client.post("/api/figure", json=asked).json()
    assert (told["svg"], told["caption"], told["bibtex"]) == (drawn.svg(), drawn.caption, drawn.bibtex)
    assert (told["width_mm"], told["height_mm"]) == drawn.size_mm
    for kind, begins in (("image/svg+xml", b"<svg"), ("application/pdf", b"%PDF"), ("image/png", b"\x89PNG")):
        file = client.post("/api/figure", json=asked | {"dpi": 100}, headers={"Accept": kind})
        assert file.headers["content-type"].partition(";")[0] == kind
        assert file.content.startswith(begins)
    aside = client.post("/api/figure", json={"text": DOG, "heads": ["L3H1"], "aside": True}).json()
    assert "[CLS]" not in re.findall(r"<text[^>]*>([^<]*)", aside["svg"])


def test_a_figure_of_a_change_and_of_what_carries_it(client):
    texts = "A dog ate the food because it was hungry.", "A dog ate the food because it was delicious."
    both = {"text": texts[0], "contrast": texts[1]}
    first, second = (mha.attend(text) for text in texts)
    told = client.post("/api/figure", json=both | {"kind": "change", "heads": ["L3H1"]}).json()
    assert told["svg"] == mha.figure(first, "change", ["L3H1"], contrast=second).svg()
    told = client.post("/api/figure", json=both | {"kind": "carry"}).json()
    found = mha.patch(*texts, mha.propose(texts[0])[0].readings)
    assert told["caption"] == mha.figure(found, "carry").caption
    assert "sha256" in told["bibtex"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"heads": ["L3H1"], "kind": "change"}, "another version"),
        ({"kind": "carry"}, "a text and a contrast"),
        ({"kind": "carry", "contrast": "It snowed.", "text": "It rained."}, "Nothing is suggested"),
        ({"heads": []}, "takes 1 heads"),
        ({"heads": ["L9H0"]}, "L9H0|layer"),
        ({"heads": ["L3H1"], "kind": "pie"}, "one of map"),
        ({"heads": ["L3H1"], "width": 39}, "width"),
        ({"heads": ["L3H1"], "dpi": 5000}, "dpi"),
        ({"heads": ["L3H1"], "kind": "arcs", "word": "zebra"}, "zebra"),
    ],
)
def test_a_figure_that_cannot_be_is_a_problem_with_a_sentence(client, more, says):
    assert re.search(says, is_problem(client.post("/api/figure", json={"text": DOG} | more), 422))


def test_models_health_and_ready(client):
    assert [row["name"] for row in client.get("/api/models").json()["models"]][:3] == ["minilm", "smollm2", "toy"]
    assert client.get("/api/health").json() == {"alive": True}
    assert client.get("/api/ready").status_code in (200, 503)


@pytest.mark.parametrize("folder", ["", "/lens", "/heads/of"])
def test_routes_below_base_path(folder):
    client = TestClient(Starlette(routes=api.routes_below(folder)))
    assert client.get(f"{folder}/api/health").json() == {"alive": True}
    assert client.get(f"{folder}/api/openapi.json").json()["servers"][0]["url"] == (folder or "/")
    for address in ("/api", "/api/docs"):
        page = client.get(f"{folder}{address}").text
        assert f'href="{folder}/api/openapi.json"' in page
        assert f'href="{folder}/"' in page
        assert f"http://localhost:8501{folder}/api/attend" in page
    assert client.get(f"{folder}/api/nothing").status_code == 404


def test_the_page_and_the_document(client):
    page = client.get("/api/docs")
    for address in ("/api", "/api/"):
        assert client.get(address, follow_redirects=False).text == page.text
    assert 'lang="en"' in page.text
    for path in client.get("/api/openapi.json").json()["paths"]:
        assert path in page.text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": ""}, 422),
        ({"text": "…!"}, 422),
        ({"text": "a", "model": "/etc/passwd"}, 422),
        ({"text": "a", "model": "org/repo"}, 422),
        ({"text": "a", "more": 1}, 422),
        ({"text": 7}, 422),
        ({"text": "a", "units": "letters"}, 422),
        ({"text": "a" * 2001}, 422),
        ({"text": "one " * 200}, 422),
        ({"text": "one " * 100}, 406),
        ([], 422),
    ],
)
def test_what_cannot_be_asked_is_a_problem_with_a_sentence(client, body, status):
    assert len(is_problem(client.post("/api/attend", json=body), status)) > 5


def test_readings_that_do_not_fit_are_told(client):
    wrong = {**BOTH, "b": {"name": "cat", "pivot": "it", "partners": ["cat"]}}
    assert "cat" in is_problem(client.post("/api/readings", json={"text": DOG, **wrong}), 422)
    assert "contrast" in is_problem(client.post("/api/readings", json={"text": DOG, **BOTH, "want": ["carried"]}), 422)


@pytest.mark.parametrize("item", [one for one in HOSTILE if one["channel"] == "api"], ids=lambda item: item["id"])
def test_the_hostile_bodies_are_rejected_with_their_status(client, item):
    body = item.get("body") or eval(item["python_body"], {"__builtins__": {}})
    answer = client.post("/api/attend", content=body.encode(), headers={"Content-Type": "application/json"})
    expected = range(400, 500) if item["status"] == "4xx" else [int(item["status"])]
    assert answer.status_code in expected
    is_problem(answer, answer.status_code)
    assert client.post("/api/attend", json={"text": "a"}).status_code == 200


def test_other_forms_methods_and_addresses_are_refused(client):
    is_problem(client.post("/api/attend", content="text=a"), 415)
    is_problem(client.post("/api/attend", json={"text": "a"}, headers={"Accept": "image/png"}), 406)
    answer = client.get("/api/attend")
    is_problem(answer, 405)
    assert answer.headers["allow"] == "POST"
    is_problem(client.get("/api/nothing"), 404)


def test_a_client_has_sixty_turns_a_minute(client, monkeypatch):
    monkeypatch.setattr(entry, "TURNS", entry.ClientTurns(Limits(api_per_minute=3)))
    answers = [client.post("/api/attend", json={"text": "a"}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    is_problem(answers[3], 429)
    assert answers[3].headers["retry-after"] == "20"
    assert Limits().api_per_minute == 60


# A body over 16 KiB is refused before it is read as a question; of itself schemathesis takes 413 for an acceptance.
REFUSALS = SchemathesisConfig.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": [400, 406, 413, 415, 422, 429, 503]}}}
)


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_what_schemathesis_asks_finds_nothing(client, mode):
    """Every question that the document allows is answered as the document says, and every other one refused.

    Which words a text has cannot be said in a schema: a question in form may still be one that cannot be used (422).
    """
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", alone.app, config=REFUSALS)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == 16
    for operation in operations:
        if mode.is_negative and operation.method == "get":
            continue  # nothing of such a question could be wrong

        @settings(max_examples=12, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def asked(case):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                case.call_and_validate(excluded_checks=[positive_data_acceptance])

        asked()


def test_the_columns_of_cross_attention_have_their_names(client):
    asked = {"text": "apple bell boat", "model": "reverser", "target": "boat bell", "stack": "cross"}
    found = client.post("/api/attend", json=asked).json()
    assert [token["text"] for token in found["tokens"]] == ["boat", "bell", "[END]"]
    assert [token["text"] for token in found["key_tokens"]] == ["apple", "bell", "boat", "[END]"]
    assert np.shape(found["weights"])[2:] == (3, 4)
    assert client.post("/api/attend", json={"text": "apple bell", "model": "reverser"}).json()["key_tokens"] is None


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("attend", {}),
        ("ablate", {"heads": ["L0H0"]}),
        ("cell", {"head": "L0H0", "query": 1, "key": 1}),
        ("patch", {"contrast": DOG.replace("hungry", "tasty"), **BOTH}),
        ("preference", BOTH),
        ("sweep", BOTH),
        ("follow", {"contrast": DOG.replace("hungry", "tasty"), **BOTH, "senders": ["L0H0"], "receiver": "L1H0"}),
        ("direct", {"a": "moon", "b": "fish"}),
        ("attend", {"text": "moon", "target": "dragon", "model": "reverser"}),
        ("predict", {"text": "moon", "target": "dragon", "model": "reverser"}),
        ("brought", {"text": "moon", "target": "dragon", "model": "reverser"}),
        ("cell", {"text": "moon", "target": "dragon", "model": "reverser", "head": "L0H0", "query": 0, "key": 0}),
    ],
)
def test_a_model_that_knows_few_words_refuses_others_at_every_address(client, path, more):
    said = is_problem(client.post(f"/api/{path}", json={"text": DOG, "model": "copier", **more}), 422)
    assert "knows" in said
