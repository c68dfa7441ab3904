"""What TypeScript holds the drawers to is what Python sends."""

import re

from mha.screens.blocks import CopyLink, as_data, say
from tests import interfaces


def interface(name: str) -> dict[str, str]:
    """Return the fields of an interface as they stand in the file, with their types."""
    body = re.search(rf"^export interface {name} \{{\n(.*?)^\}}", interfaces.FILE.read_text(), re.MULTILINE | re.DOTALL)
    assert body is not None, f"no interface {name}"
    return dict(re.findall(r"^  (\w+\??): (.+);$", body[1], re.MULTILINE))


def test_the_file_is_what_the_classes_say():
    assert interfaces.FILE.read_text(encoding="utf-8") == interfaces.written(), "run `python -m tests.interfaces`"


def test_every_kind_that_is_drawn_has_its_interface():
    found = interfaces.kinds()
    assert found["copy_link"] is CopyLink
    assert {"said", "empty_map"} <= found.keys()
    assert interface("Blocks").keys() == found.keys()
    assert "other" not in found  # the kind of a sentence's readings is no kind of block


def test_what_is_sent_has_the_names_of_the_interface():
    sent, fields = as_data(CopyLink("text")), interface("CopyLink")
    assert sent.keys() == {field for field in fields if not field.endswith("?")}
    assert fields["kind"] == f'"{sent["kind"]}"'


def test_spans_are_what_is_said():
    assert as_data(say("A [[query]].")) == [["plain", "A "], ["term", "query", "query"], ["plain", "."]]
    assert "export type Span = [kind: string, text: string, entry?: string];" in interfaces.written()
