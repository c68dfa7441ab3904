"""The addresses: their answers, refusals, limits, and whether the OpenAPI document describes them."""

import json
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
from mha.api import limits, routes
from mha.models.files.loading import load
from mha.server.middleware import Limits

DOG = "Tom fed the dog because it was hungry"
KIND = DOG.replace("hungry", "kind")
BOTH = {
    "a": {"name": "dog", "ambiguous_word": "it", "candidates": ["dog"]},
    "b": {"name": "Tom", "ambiguous_word": 5, "candidates": [0]},
}
HOSTILE = json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text(encoding="utf-8"))


@pytest.fixture
def client(monkeypatch):
    load("minilm")  # ahead: on a busy machine that takes longer than a question waits
    monkeypatch.setattr(limits, "RATES", limits.Rates(10_000))
    return TestClient(routes.alone, raise_server_exceptions=False)


def problem_detail(answer, status, kind="about:blank"):
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body.keys() == {"type", "title", "status", "detail"}
    assert (body["status"], body["type"]) == (status, kind)
    return body["detail"]


INPUT = "/api/openapi.json#InputError"


def test_ready_once_the_model_is_awake(client):
    client.post("/api/attend", json={"text": "the model is awake"})
    assert client.get("/api/ready").json() == {"ready": True, "phase": "ready", "message": ""}


@pytest.mark.parametrize("units", ["tokens", "words"])
def test_attend_equals_the_package(client, units):
    maps = mha.attend(DOG)
    maps = maps.merged() if units == "words" else maps
    body = client.post("/api/attend", json={"text": DOG, "units": units}).json()
    np.testing.assert_allclose(body["weights"], maps.weights, atol=5e-6)
    assert [token["text"] for token in body["tokens"]] == [token.text for token in maps.tokens]


def test_readings_equal_the_package(client):
    question = {"text": DOG, **BOTH, "changed_version": KIND, "want": ["lean", "patch", "sweep"]}
    body = client.post("/api/readings", json=question).json()
    readings = [mha.Reading("dog", (("it", "dog"),)), mha.Reading("Tom", ((5, 0),))]
    np.testing.assert_allclose(body["lean"]["lean"], mha.lean(mha.attend(DOG), readings), atol=5e-6)
    assert np.shape(body["lean"]["mean_of_shuffles"]) == (6, 12)
    assert body["lean"]["n_shuffles"] == 199
    assert 0 <= body["lean"]["n_reaching"] <= 199
    patch = mha.patch(DOG, KIND, readings)
    np.testing.assert_allclose(np.array(body["patch"]["carried"], dtype=float), patch.carried, atol=1e-4)
    assert body["patch"]["changed_words"] == list(patch.changed_words)
    assert body["patch"]["named_heads"] == [str(head) for head in patch.named_heads]
    sweep = mha.sweep(DOG, readings)
    assert body["sweep"]["effect"][5][0] is None
    assert (body["sweep"]["score_layer"], body["sweep"]["ablation"]) == (sweep.score_layer, "mean")
    np.testing.assert_array_equal(body["sweep"]["direct"], sweep.direct)
    np.testing.assert_allclose(np.array(body["sweep"]["effect"], dtype=float), sweep.effect, atol=1e-5)


def test_readings_refuse_the_first_word_of_a_causal_model(client):
    question = {"text": "John told Bill that he was late", "model": "smollm2", "want": ["lean"]}
    answer = client.post("/api/readings", json=question)
    assert answer.status_code == 422
    assert "no share is counted for “John”. Put a word such as “Yesterday” in front" in answer.json()["detail"]
    answer = client.post("/api/readings", json=question | {"model": "minilm"})
    assert np.shape(answer.json()["lean"]["lean"]) == (6, 12)


def test_readings_with_a_score_of_words(client):
    text = "moon fish table star moon"
    score = {"name": "continuations", "a": "fish", "b": "star"}
    readings = {"a": {"name": "a", "ambiguous_word": 4, "candidates": [1]}}
    readings["b"] = {"name": "b", "ambiguous_word": 4, "candidates": [3]}
    question = {"text": text, "model": "copier", "want": ["sweep"], "score": score, **readings}
    body = client.post("/api/readings", json=question).json()
    assert body["sweep"]["score"] > 0  # the copier repeats what followed: fish
    assert np.isfinite(np.array(body["sweep"]["effect"], dtype=float)).all()


def test_readings_suggested_for_a_text(client):
    text = "The clerk thanked the guest because he waited"
    body = client.post("/api/readings", json={"text": text}).json()
    assert body["suggested"]
    assert [reading["links"] for reading in body["readings"]] == [[[6, 1]], [[6, 4]]]
    readings = mha.propose(text)[0].readings
    np.testing.assert_allclose(body["lean"]["lean"], mha.lean(mha.attend(text), readings), atol=5e-6)
    answer = client.post("/api/readings", json={"text": "It rained."})
    assert "Nothing is suggested" in problem_detail(answer, 422, INPUT)
    answer = client.post("/api/readings", json={"text": text, "a": BOTH["a"]})
    assert "or neither" in problem_detail(answer, 422, INPUT)


def test_questions_with_the_fields_of_0_2_are_read(client):
    """The answers have the fields of 0.3."""
    both = {"a": {"name": "dog", "pivot": "it", "partners": ["dog"]}, "b": {"name": "Tom", "pivot": 5, "partners": [0]}}
    question = {"text": DOG, **both, "contrast": KIND, "want": ["patch", "sweep"], "silenced": "zero", "at": 3}
    body = client.post("/api/readings", json=question | {"readout": {"name": "link"}}).json()
    assert (body["patch"]["score_layer"], body["sweep"]["ablation"]) == (3, "zero")
    assert body["readings"][0] == {"name": "dog", "links": [["it", "dog"]], "deciding_word": None}
    predict = {"text": "moon fish table star moon fish", "model": "copier", "silenced": ["L1H0"], "each": ["L0H0"]}
    body = client.post("/api/predict", json=predict | {"kind": "zero"}).json()
    assert (body["ablated"], body["ablated_in_turn"], body["ablation"]) == (["L1H0"], ["L0H0"], "zero")
    answer = client.post("/api/readings", json={"text": DOG, "want": ["leans"]})
    assert "'lean', 'patch' or 'sweep'" in problem_detail(answer, 422)


def test_predict_generate_and_ablate_equal_the_package(client):
    copied = {"text": "moon fish table star moon fish", "model": "copier"}
    body = client.post(
        "/api/predict", json=copied | {"count": 3, "ablated": ["L1H0"], "ablated_in_turn": ["L0H0"]}
    ).json()
    heads = {"ablated": [(1, 0)], "ablated_in_turn": [(0, 0)]}
    prediction = mha.predict(copied["text"], "copier", 3, **heads)
    assert body["words"] == list(prediction.words)
    assert (body["ablated"], body["ablated_in_turn"]) == (["L1H0"], ["L0H0"])
    results = {
        "probabilities": "probabilities",
        "ablated_probabilities": "ablated_probabilities",
        "probabilities_in_turn": "probabilities_in_turn",
    }
    for name, attribute in results.items():
        np.testing.assert_allclose(body[name], getattr(prediction, attribute), atol=1e-6)
    assert (body["position"], body["ablated_word"]) == (prediction.place, prediction.ablated_word)
    assert client.post("/api/predict", json=copied).json()["probabilities_in_turn"] is None
    body = client.post("/api/generate", json=copied | {"n_tokens": 2}).json()
    assert [token["text"] for token in body["tokens"]][body["n_read"] :] == ["table", "star"]
    assert "recording" not in body
    body = client.post("/api/ablate", json={"text": DOG, "heads": ["L2H8"]}).json()
    np.testing.assert_allclose(body["weights"], mha.ablate(DOG, [(2, 8)]).maps.weights, atol=5e-6)


def test_models_show_no_folder(client):
    rows = client.get("/api/models").json()["models"]
    names = [row["name"] for row in rows if row["name"] != "translator"]  # on offer if its package is installed
    assert names[:3] == ["minilm", "smollm2", "toy"]
    assert rows[0].keys() == {
        *("name", "title", "kind", "n_layers", "n_heads", "max_tokens", "revision", "origin", "licence")
    }


@pytest.mark.parametrize("folder", ["", "/lens", "/heads/of"])
def test_routes_below_base_path(folder):
    client = TestClient(Starlette(routes=api.routes_below(folder)))
    assert client.get(f"{folder}/api/health").json() == {"alive": True}
    assert client.get(f"{folder}/api/openapi.json").json()["servers"] == [{"url": f"{folder}/api"}]
    assert client.get(f"{folder}/api").json() == client.get(f"{folder}/api/openapi.json").json()
    assert client.get(f"{folder}/api/nothing").status_code == 404


def test_document_examples_are_answered(client):
    document = client.get("/api/openapi.json").json()
    questions = {path: methods["post"] for path, methods in document["paths"].items() if "post" in methods}
    assert len(questions) == 5
    for path, operation in questions.items():
        (content,) = operation["requestBody"]["content"].values()
        schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
        for example in schema["examples"]:
            assert client.post(f"/api{path}", json=example).status_code == 200


@pytest.mark.parametrize(
    ("body", "kind", "detail"),
    [
        ({"text": ""}, "about:blank", "text: String should have at least 1"),
        ({"text": "…!"}, INPUT, "word"),
        ({"text": "a", "model": "/etc/passwd"}, "/api/openapi.json#UnknownModel", "none has the name"),
        ({"text": "a", "more": 1}, "about:blank", "more: Extra"),
        ({"text": 7}, "about:blank", "text: Input should be a valid string"),
        ({"text": "a", "units": "letters"}, "about:blank", "units"),
        ({"text": "a" * 2001}, "about:blank", "2000"),
        ({"text": "one " * 100}, INPUT, "An answer holds 64 tokens; these maps have 102"),
        ({"text": "a", "pair": "b", "target": "c"}, INPUT, "a pair or a target"),
        ([], "about:blank", "dictionary"),
    ],
)
def test_refused_question_names_its_mistake(client, body, kind, detail):
    assert detail in problem_detail(client.post("/api/attend", json=body), 422, kind)


@pytest.mark.parametrize("kind", ["uniform", "resample"])
def test_removed_kind_of_ablation_names_mean_and_zero(client, kind):
    body = {"text": DOG, "heads": ["L1H0"], "ablation": kind}
    assert "ablation: Input should be 'mean' or 'zero'" in problem_detail(client.post("/api/ablate", json=body), 422)


@pytest.mark.parametrize("item", [item for item in HOSTILE if item["channel"] == "api"], ids=lambda item: item["id"])
def test_hostile_body_is_refused(client, item):
    body = item.get("body") or eval(item["python_body"], {"__builtins__": {}})
    answer = client.post("/api/attend", content=body.encode(), headers={"Content-Type": "application/json"})
    expected = range(400, 500) if item["status"] == "4xx" else [int(item["status"])]
    assert answer.status_code in expected
    problem_detail(answer, answer.status_code, answer.json()["type"])
    assert client.post("/api/attend", json={"text": "a"}).status_code == 200


def test_other_forms_methods_and_addresses(client):
    problem_detail(client.post("/api/attend", content="text=a"), 415)
    problem_detail(client.post("/api/attend", json={"text": "a"}, headers={"Accept": "application/x-npz"}), 406)
    answer = client.get("/api/attend")
    assert "POST" in problem_detail(answer, 405)
    assert answer.headers["allow"] == "POST"
    for address in ("nothing", "figure"):  # the latter is of release 0.2
        assert "/api/openapi.json" in problem_detail(client.post(f"/api/{address}", json={"text": "a"}), 404)
    assert client.head("/api/health").status_code == 200


def test_fault_is_a_problem_and_logged(client, monkeypatch, caplog):
    monkeypatch.setattr(routes, "record", lambda *_: 1 / 0)
    assert problem_detail(client.post("/api/attend", json={"text": "a"}), 500) == routes.FAULT
    assert ZeroDivisionError in [record.exc_info[0] for record in caplog.records if record.exc_info]


def test_client_rate(client, monkeypatch):
    monkeypatch.setattr(limits, "RATES", limits.Rates(3))
    answers = [client.post("/api/attend", json={"text": "a"}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert "3 times a minute" in problem_detail(answers[3], 429)
    assert answers[3].headers["retry-after"] == "20"
    assert Limits().api_per_minute == 60


# For schemathesis alone, a body over 16 KiB (413) would count as accepted.
REFUSALS = SchemathesisConfig.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": [400, 406, 413, 415, 422, 429, 503]}}}
)


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_schemathesis(client, mode):
    """Questions that the document allows are answered as it describes; the others are refused.

    A schema cannot describe the words of a text: a valid question may still be one that cannot be used (422).
    """
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", routes.alone, config=REFUSALS)
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) == 8
    for operation in operations:
        if mode.is_negative and operation.method == "get":
            continue  # such a question has no part that could be wrong

        @settings(max_examples=12, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def validate(case):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                case.call_and_validate(excluded_checks=[positive_data_acceptance])

        validate()


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("attend", {}),
        ("ablate", {"heads": ["L0H0"]}),
        ("generate", {}),
        ("readings", {"changed_version": DOG.replace("hungry", "tasty"), **BOTH, "want": ["patch"]}),
        ("readings", {**BOTH, "want": ["sweep"]}),
        ("attend", {"text": "moon", "target": "dragon", "model": "reverser"}),
        ("predict", {"text": "moon", "target": "dragon", "model": "reverser"}),
    ],
)
def test_unknown_word_is_refused(client, path, more):
    question = {"text": DOG, "model": "copier", **more}
    assert "knows" in problem_detail(client.post(f"/api/{path}", json=question), 422, INPUT)
