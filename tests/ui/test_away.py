"""What a page comes to while it is drawn: its parts in order, its numbers, one file of all."""

import pytest

from mha.export.provenance import without_maps
from mha.export.standalone import StandalonePage, standalone
from mha.export.tables import Table
from mha.ui.away import gathered

SOURCE = without_maps(("a text",), ("m", "r", "toy"), "said")


def caption(text):
    return {"blocks": [{"kind": "caption", "style": "cap", "spans": [["plain", text]]}]}


def test_parts_are_gathered_in_their_order_and_only_inside():
    gathered.part("blocks", "blocks/blocks.js", ("blocks",), caption("before"))
    with gathered.gathering() as found:
        gathered.part("blocks", "blocks/blocks.js", ("blocks",), caption("first"))
        gathered.chart("curve", "a curve that rises")
        gathered.part("overview", "heads/overview.js", ("overview",), b"....")
    gathered.part("blocks", "blocks/blocks.js", ("blocks",), caption("after"))
    assert [part.module for part in found.parts] == ["blocks/blocks.js", "", "heads/overview.js"]


@pytest.mark.parametrize(
    ("name", "blocks", "counts"),
    [
        ("bar", [], 0),
        ("away", [], 0),
        ("blocks", [{"kind": "copy_link", "label": "Copy"}], 0),
        ("blocks", [{"kind": "copy_link", "label": "Copy"}, {"kind": "caption", "spans": []}], 1),
    ],
)
def test_what_is_of_use_on_the_page_alone_stays_there(name, blocks, counts):
    with gathered.gathering() as found:
        gathered.part(name, "blocks/blocks.js", ("blocks",), {"blocks": blocks})
    assert len(found.parts) == counts


def test_numbers_are_made_when_a_file_is_asked_for():
    made = []

    def table():
        made.append(1)
        return Table({"head": ["L0H0"]}, SOURCE)

    with gathered.gathering() as found:
        gathered.table("Heads", "parallax-heads", table)
    assert [file.name for file in found.numbers["Heads"]] == [f"parallax-heads.{end}" for end in ("csv", "json", "npz")]
    assert made == []
    assert found.numbers["Heads"][0].make().startswith(b"head,")
    assert made == [1]


def test_a_file_has_a_place_for_each_chart_and_nothing_of_a_text_breaks_out():
    with gathered.gathering() as found:
        gathered.part(
            "blocks", "blocks/blocks.js", ("blocks", "flow"), caption("</script><img src=x onerror=alert(1)>")
        )
        gathered.chart("curve", 'a "curve" <b>')
    page = standalone(StandalonePage("<b>Readings</b>", found.parts, SOURCE))
    assert page.count('<figure data-chart="curve"></figure>') == 1
    assert "<img" not in page
    assert "<b>" not in page
    assert "blocks/pictures.js" in page, "what a picture's drawer needs is in the file"
