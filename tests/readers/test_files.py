"""The files that leave a page: numbers, figures for print, and Heads as one HTML file."""

import base64
import gzip
import json
import re

import pytest

import mha
from mha.engine.question import ADDRESS, OWN_MAPS, OwnFile, here
from mha.errors import InputError
from mha.examples import DEFAULT_TEXT
from mha.export.provenance import without_maps
from mha.export.tables import Table
from mha.readers.files import files_of, heads_file, prints_of, view_of
from mha.readers.links import followed
from mha.readers.settled import ReadPage, settled
from mha.screens.blocks import caption, heading
from mha.screens.places import ComponentPicture, More, Notice, Place, Side, every
from mha.screens.takings import Numbers, OnRequest
from tests.export.test_statistics import maps_of
from tests.readers.pages import read_link
from tests.unsealed import unseal

HEADS = [
    "?text=Dogs+bark&model=toy&scale=each+head",
    "?text=A+dog+ate+the+food+because+it+was+hungry.&lock=6&look=ask",
    "?text=Dogs+bark&heads_weighed=What+it+brings&pins=L1H1&pins=L2H2&pins=L3H3",
]
CHANGED_IN_FILE = {"asks", "cells", "lead", "note", "finding"}  # a file answers fewer clicks, and rounds its numbers


def section(html, name):
    """Return one JSON section of a file."""
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', html)[1])


def drawing(html, role):
    """Return header and arrays of the drawing with a role."""
    (part,) = (part for part in section(html, "parts") if part["role"] == role)
    return unseal(gzip.decompress(base64.b64decode(part["bytes"])))


def footer(html):
    """Return the provenance that a file states, by its terms."""
    return dict(re.findall(r"<dt>(.*?)</dt><dd><bdi>(.*?)</bdi></dd>", html.rpartition("<footer>")[2]))


def test_link_of_a_lesson_stop_is_followed():
    address = followed("https://somewhere.org/?lesson=who-is-it&stop=1")
    assert view_of(address).text.startswith("The trophy didn't fit")
    assert view_of("?lesson=unknown&stop=1").text == DEFAULT_TEXT


def test_figure_refuses_an_invalid_link():
    with pytest.raises(InputError, match="L99H1"):
        view_of("?text=Dogs+bark&pins=L99H1")


def test_settled_fills_containers_in_reading_order():
    top, side, title = settled([
        Place("top", ()),
        Side(((Place("left", ()),), (caption("right"),)), (1, 1)),
        heading("below"),
        Place("left", (caption("left"),)),
        Place("top", (caption("first"),)),
    ])  # fmt: skip
    assert top == Place("top", (caption("first"),))
    assert side.columns == ((Place("left", (caption("left"),)),), (caption("right"),))
    assert title == heading("below")


def test_settled_ends_with_the_sentence_of_an_error():
    def blocks():
        yield heading("Whole")
        raise InputError("corpus.txt is missing or damaged.")

    assert settled(blocks()) == (heading("Whole"), Notice("corpus.txt is missing or damaged."))


def test_settled_holds_late_blocks_of_opened_expanders_only():
    more = More("All of them", (caption("Each head."),), name="opened", late=True)
    assert settled((more,))[0].blocks == ()
    assert settled((more,), lambda question: question.name == "opened")[0].blocks == (caption("Each head."),)


def test_tables_are_made_on_request():
    calls = []

    def table():
        calls.append(1)
        return Table({"head": ["L0H0"]}, without_maps(("a text",), ("m", "r", "toy"), "scale"))

    link = read_link("readings").link
    page = ReadPage(link, (Place("in", (Numbers("Heads", "parallax-heads", of=OnRequest(table, ())),)),))
    files = files_of(page)["Heads"]
    assert [file.file for file in files] == [f"parallax-heads.{end}" for end in ("csv", "source.json", "json", "npz")]
    assert calls == []
    assert page not in files[0].of.given, "a visit keeps this object, so it must not hold the page with its maps"
    assert files[0].of.made() == b"head\r\nL0H0\r\n"
    assert calls == [1]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("link", "titles"),
    [
        ("?text=All+is+well&model=toy&pins=L0H1", ["Map of L0H1", "All heads"]),
        (
            "?text=The+dog+ran&pins=L0H1&pins=L2H3&lock=2&look=from",
            ["Maps of L0H1 and L2H3", "Arcs from “dog”: L0H1 and L2H3", "All heads"],
        ),
        ("readings?text=A+dog+ate+the+food+because+it+was+hungry.", ["What heads carry"]),
    ],
)
def test_page_offers_its_figures_for_print(link, titles):
    page = read_link(link)
    prints = prints_of(page)
    assert list(prints) == titles
    for files in prints.values():
        assert [file.title for file in files] == ["SVG", "PDF", "PNG"]
        assert all(file.of.made()[:4] in (b"<svg", b"<?xm", b"%PDF", b"\x89PNG") for file in files)
    if titles == ["Map of L0H1", "All heads"]:
        maps = mha.set_aside(mha.attend("All is well", model="toy").merged())
        expected = mha.figure(maps, "map", ["L0H1"], link=str(page.link))
        assert prints["Map of L0H1"][0].of.given[0].caption == expected.caption


@pytest.mark.parametrize("link", HEADS)
def test_heads_file_draws_what_its_page_draws(link):
    page = read_link(link)
    pictures = {block.face: block.drawn for block in every(page.blocks) if isinstance(block, ComponentPicture)}
    html = heads_file(page)
    header, arrays = drawing(html, "overview")
    on_page = json.loads(json.dumps(pictures["overview"].header))
    assert {name for name in on_page if on_page[name] != header[name]} <= CHANGED_IN_FILE
    assert all((arrays[name] == values).all() for name, values in pictures["overview"].arrays.items())
    assert "{Click}" not in json.dumps([header["note"], header["finding"]])
    assert header["lead"].startswith(on_page["lead"])
    answers = section(html, "answers")
    assert answers["pins"] == on_page["pins"]

    pinned, weights = drawing(html, "pinned")
    on_page = json.loads(json.dumps(pictures["pinned"].header))
    for name in ("about", "lock", "look", "scale", "say", "queries", "keys"):
        assert pinned[name] == on_page[name], name
    heads = {head["name"]: head for head in pinned["heads"]}
    for row, head in enumerate(on_page["heads"]):
        assert {name: heads[head["name"]][name] for name in ("side", "badge", "caption", "label")} == {
            name: head[name] for name in ("side", "badge", "caption", "label")
        }
        other = weights["weights"][list(heads).index(head["name"])].astype(int)
        assert abs(pictures["pinned"].arrays["weights"][row] - other).max() <= 33, "rounded to a tenth of a per cent"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("page", ["readings"])
def test_other_pages_have_no_html_file(page):
    assert heads_file(read_link(page)) is None


def test_heads_file_escapes_the_text():
    html = heads_file(read_link("?text=<script>alert(1)</script> dogs bark"))
    assert "<script>alert" not in html


def test_heads_file_names_no_folder_of_a_model(tiny_offered):
    from mha.models.files.catalog import offered

    row = next(row for row in offered() if row.folder is not None)
    html = heads_file(read_link(f"?model={row.name}"))
    assert row.short in html
    assert str(row.folder.parent) not in html


@pytest.mark.parametrize(
    ("link", "scale"),
    [
        ("", "one scale, 0 to 100 %, in tenths of a per cent"),
        ("&scale=each+row", "each row&#x27;s own scale, in tenths of a per cent"),
    ],
)
def test_heads_file_states_scale_and_excluded_sinks(link, scale):
    foot = heads_file(read_link(f"?text=Dogs+bark{link}")).rpartition("<footer>")[2]
    assert scale in foot
    assert "nothing rescaled" not in foot
    assert "excluded, rows rescaled" in foot


def test_heads_file_of_user_maps_has_no_link():
    maps = maps_of(n=7)

    def ask(question):
        known = {OWN_MAPS: OwnFile("mine.npz", maps, lambda: maps), ADDRESS: "https://example.org/?text=Dogs+bark"}
        return known[question] if question in known else here(question)

    foot = footer(heads_file(read_link("?text=Dogs+bark", ask)))
    assert "link" not in foot
    assert foot["text"] == maps.text
