"""No sentence that any page of the transcript shows has a phrase that was given up, however it was put together."""

import re
from collections.abc import Iterator

import pytest

from tests.test_phrases import KEPT, SENTENCE, banned
from tests.transcript import kept

NOT_SHOWN = {"rawValue", "rawValues", "value", "default", "query", "of", "page", "next", "roles", "kind", "y"}
COMPLAINT = re.compile(r"^Problem in this link: .*?\). ")  # repeats the words of the address
CITED = re.compile(r" \([^()]*\b\d{4}[^()]*\)")
KEY = re.compile(r"\b[A-Z]\w+: [^;.]*; \w+: ")  # of marks: Bar: …; tick: …
PROSE = ("said", "heading")
LOADED = {  # in sentences of prose alone: keys and tables may list
    r"[^.!?…]*;[^.!?…]*;[^.!?…]*[.!?]": "two semicolons in one sentence",
    r"\b[A-Z][a-z]+: [^.:]*: [^.]*\.": "two colons in one sentence",
}


def texts(value: object, kind: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text of an item with the kind of block that it stands in; spans as one."""
    if isinstance(value, dict):
        kind = str(value.get("kind", kind))
        for name, one in value.items():
            if name not in NOT_SHOWN:
                yield from texts(one, kind)
    elif isinstance(value, list):
        if value and all(isinstance(one, list) and len(one) == 2 and isinstance(one[1], str) for one in value):
            yield kind, "".join(one[1] for one in value)
        else:
            for one in value:
                yield from texts(one, kind)
    elif isinstance(value, str):
        yield kind, value


@pytest.fixture(scope="module")
def said() -> set[tuple[str, str]]:
    """Return every text that is kept, once for each kind of block."""
    return {one for times in kept.read().values() for items in times for item in items for one in texts(item)}


def test_no_sentence_of_any_page_has_a_phrase_that_was_given_up(said):
    found = {}
    for _, text in said:
        text = COMPLAINT.sub("", text)
        patterns = banned(text) if SENTENCE.search(text) and not any(one in text for one in KEPT) else []
        if patterns:
            found[text] = patterns
    assert found == {}


def test_no_sentence_of_prose_has_two_semicolons_or_two_colons(said):
    prose = {CITED.sub("", text) for kind, text in said if kind in PROSE}
    assert len(prose) > 500
    found = {text: about for text in prose for pattern, about in LOADED.items() if re.search(pattern, text)}
    assert {text: about for text, about in found.items() if not KEY.search(text)} == {}


def test_a_phrase_that_was_given_up_is_found_in_spans_and_in_labels():
    item = {"kind": "said", "spans": [["plain", "These heads are switched "], ["plain", "off now."]], "value": "floors"}
    ((kind, text),) = texts(item)
    assert (kind, banned(text)) == ("said", [r"\b[Ss]witched (on|off)\b"])
