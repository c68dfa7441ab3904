"""The files that leave a page: numbers, figures for print, and Heads as one HTML file."""

from mha.errors import InputError
from mha.export.provenance import without_maps
from mha.export.tables import Table
from mha.readers.files import files_of, prints_of
from mha.readers.settled import ReadPage, settled
from mha.screens.blocks import caption, heading
from mha.screens.places import More, Notice, Place, Side
from mha.screens.takings import Numbers, OnRequest
from tests.readers.pages import read_link


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


def test_page_offers_its_figures_for_print():
    prints = prints_of(read_link("readings?text=A+dog+ate+the+food+because+it+was+hungry."))
    assert list(prints) == ["What heads carry"]
    for files in prints.values():
        assert [file.title for file in files] == ["SVG", "PDF", "PNG"]
        assert all(file.of.made()[:4] in (b"<svg", b"<?xm", b"%PDF", b"\x89PNG") for file in files)
