"""What is said about capacity is what the simulation finds from what was measured."""

from benchmarks.capacity import DEPLOY, MAY_BE_OFF, MEASURED, Crowd, found_again, reckoned, simulated, told, written


def test_the_document_says_what_is_reckoned():
    document = DEPLOY.read_text(encoding="utf-8")
    assert written(document) == document, "python -m benchmarks.capacity --write"


def test_nothing_is_told_where_the_measured_is_not_found_again():
    slower = {**MEASURED, "fifty_thinking": MEASURED["fifty_thinking"] | {"p50_ms": 10_000}}
    assert found_again(slower)["furthest_off"] > MAY_BE_OFF
    assert set(reckoned(slower)) == {"script_ms", "found_again"}
    assert told(slower).endswith("too far to reckon with.\n")


def test_people_who_ask_at_once_are_answered_one_after_the_other():
    waits = simulated(Crowd(7, 10.0, (5.0, 0.0), at_once=True))
    assert 5 + 7 * 10 * 0.4 < waits["last_ms"] < 5 + 7 * 10 * 2
    assert simulated(Crowd(7, 10.0, (5.0, 0.0), processes=7, at_once=True))["last_ms"] < waits["last_ms"]
