"""A page read without Streamlit: as a file that opens anywhere, as plain data, in a notebook, over HTTP."""

import base64
import gzip
import html
import importlib
import json
import math
import re
import subprocess
import sys
from dataclasses import fields

import pytest
from starlette.testclient import TestClient

import mha
from mha.api.alone import app
from mha.engine.patience import at_most, unhurried
from mha.engine.question import ADDRESS, OWN_MAPS, OwnFile, here, known_already
from mha.errors import InputError
from mha.export.provenance import without_maps
from mha.export.tables import Table
from mha.link.steps import STEPS
from mha.link.view import DEFAULT_TEXT
from mha.models.files.catalog import offered
from mha.readers import files
from mha.readers.data import NOT_SENT, ReadPage, page_data
from mha.readers.files import export, files_of, page_of, prints_of, shown_in, written
from mha.readers.parts import UNDER_HEADS, _blocks_in, _each, parts_of
from mha.readers.settled import settled
from mha.screens.blocks import Block, Columns, CopyLink, Drawing, Said, caption, heading
from mha.screens.inputs import Fixed, Guess, Press
from mha.screens.places import (
    BY_PYTHON,
    Chart,
    ComponentPicture,
    Formula,
    Listed,
    More,
    Notice,
    Place,
    Plain,
    Side,
    Together,
    every,
)
from mha.screens.takings import Numbers, OnRequest
from tests.export.test_statistics import maps_of
from tests.interfaces import kinds
from tests.unsealed import unseal

DOG = "A dog ate the food because it was hungry."
LINKS = {
    "": "All is well",
    "?text=Dogs+bark&heads_cell=L0H0+1+2": "Dogs",
    "?text=a/b+and+c&pins=L2H8": "a/b",
    "readings": "hungry",
    f"readings?text={DOG}&tab=What+carries+it": "hungry",
    "readings?reveal=0": "Guess first",
    "compare": "telescope",
    "steps?steps_step=4+Scores": "Scores",
    "steps?steps_numbers=model&steps_step=8+Values": "Values",
    "training": "learn",
    "atlas": "heads",
    "questions?questions_open=scaling": "divide",
    "about": "conclude",
}


@pytest.mark.parametrize("link", LINKS)
def test_any_link_is_a_file_and_data(link):
    found = page_of(link)
    text = written(found)
    assert text.startswith("<!doctype html>")
    assert 'id="parts"' in text
    data = page_data(found)
    said = json.dumps(data, allow_nan=False)
    assert data["blocks"]
    assert data["title"]
    assert LINKS[link].split()[0] in said or link == ""
    assert "Something went wrong" not in said


@pytest.mark.parametrize("page", ["", "compare", "steps", "atlas"])
def test_nobody_is_told_in_which_folder_a_model_is(tiny_offered, page):
    row = next(row for row in offered() if row.folder is not None)
    found = page_of(f"{page}?model={row.name}")
    for text in (written(found), json.dumps(page_data(found))):
        assert row.short in text
        assert str(row.folder.parent) not in text


def test_a_link_says_what_it_cannot_be_and_the_file_says_so():
    found = page_of("?text=Dogs+bark&pins=L99H1")
    assert "L99H1" in " ".join(found.complaints)
    assert "L99H1" in written(found, static=True)


def test_a_whole_address_will_do_and_a_page_that_is_none_is_said():
    assert page_of("https://example.org/parallax/steps?steps_step=4").link.page == "steps"
    with pytest.raises(InputError, match="There is no page “lost”"):
        page_of("lost?text=a")


def test_a_short_link_to_a_stop_of_a_lesson_is_followed():
    followed = page_of("https://somewhere.org/?lesson=who-is-it&stop=1", known_already)
    assert followed.link.view.text.startswith("The trophy didn't fit")
    assert not followed.link.view.reveal
    assert shown_in("?lesson=who-is-it&stop=1").text == followed.link.view.text
    assert page_of("?lesson=nobody&stop=1", known_already).link.view.text == DEFAULT_TEXT


def test_what_a_reader_typed_is_no_markup():
    text = written(page_of("compare?text=<script>alert(1)</script> dogs bark"))
    assert "<script>alert" not in text


def test_a_notebook_shows_a_page_in_a_frame_and_writes_it(tmp_path):
    page = mha.page("steps?steps_step=4")
    assert "<iframe" in page._repr_html_()
    assert page.save(tmp_path / "steps.html").read_text().startswith("<!doctype html>")
    assert '"overview"' in mha.page("?text=Dogs+bark").html, "heads can be pinned"
    assert '"role":"pinned"' not in mha.page("?text=Dogs+bark", static=True).html


def test_the_command_writes_both(tmp_path):
    for ending in ("html", "json"):
        file = tmp_path / f"page.{ending}"
        command = [sys.executable, "-m", "mha", "export", "about", "-o", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout.strip()) == (0, str(file)), done.stderr
        assert "conclude" in file.read_text()
    with pytest.raises(InputError, match=".html or .json"):
        export("about", tmp_path / "page.pdf")


@pytest.mark.parametrize("write", [lambda file: export("about", file), lambda _: mha.page("about")])
def test_a_file_waits_for_all_that_its_page_asks(monkeypatch, tmp_path, write):
    waits = []
    monkeypatch.setattr(files, "page_of", lambda link: waits.append(at_most(1.0)) or page_of(link))
    write(tmp_path / "page.html")
    assert waits == [math.inf]


def test_a_page_over_http_is_the_same_data():
    client = TestClient(app)
    answer = client.get("/api/page", params={"page": "steps", "steps_step": "4 Scores"})
    assert answer.status_code == 200
    assert answer.json() == page_data(page_of("steps?steps_step=4 Scores"))
    refused = client.get("/api/page", params={"page": "lost"})
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert "/api/page" in client.get("/api/openapi.json").json()["paths"]


def test_what_comes_to_a_place_later_stands_where_it_was_left_room():
    blocks = settled([
        Place("top", ()),
        Side(((Place("left", ()),), (caption("right"),)), (1, 1)),
        heading("below"),
        Place("left", (caption("left"),)),
        Place("top", (caption("first"),)),
    ])  # fmt: skip
    top, side, title = blocks
    assert top == Place("top", (caption("first"),))
    assert side.columns == ((Place("left", (caption("left"),)),), (caption("right"),))
    assert title == heading("below")


def test_what_cannot_be_made_is_a_sentence_at_its_end():
    def broken():
        yield heading("Whole")
        raise InputError("corpus.txt is missing or damaged.")

    assert settled(broken()) == (heading("Whole"), Notice("corpus.txt is missing or damaged."))
    assert page_data(ReadPage(page_of("about", here).link, (), ()))["blocks"] == []
    assert any(
        "not known" in getattr(one, "text", "")
        for one in settled(page_of("compare?text=Zebras+saw+it", known_already).blocks)
    )


def file_of(*blocks):
    return written(ReadPage(page_of("about").link, (), blocks))


def test_what_is_of_use_on_the_page_alone_stays_there():
    tour = ComponentPicture("tour", {"stops": []}, "tour", control=True)
    alone = file_of(tour, Together((CopyLink(),)))
    assert 'id="parts">[]' in alone
    assert '"style":"caption"' in file_of(Together((CopyLink(), caption("It leans."))))
    assert '"kind":"copy_link"' not in file_of(Together((CopyLink(), caption("It leans."))))


@pytest.mark.parametrize("link", LINKS)
def test_what_files_are_made_of_is_not_among_the_data_of_a_page(link):
    sent = [one for one in _each_block(page_data(page_of(link))["blocks"]) if one["kind"] in MADE_OF_MAPS]
    assert all(len(json.dumps(one)) < 5_000 for one in sent), [(one["kind"], len(json.dumps(one))) for one in sent]


MADE_OF_MAPS = {"whole_page", "files", "print", "numbers", "download"}


def _each_block(blocks):
    for block in blocks:
        yield block
        for inside in (block.get("blocks", ()), *block.get("columns", ())):
            yield from _each_block(inside if isinstance(inside, list) else ())


def test_numbers_are_made_when_a_file_is_asked_for():
    made = []

    def table():
        made.append(1)
        return Table({"head": ["L0H0"]}, without_maps(("a text",), ("m", "r", "toy"), "said"))

    found = ReadPage(
        page_of("about").link, (), (Place("in", (Numbers("Heads", "parallax-heads", of=OnRequest(table, ())),)),)
    )
    files = files_of(found)["Heads"]
    assert [file.file for file in files] == [f"parallax-heads.{end}" for end in ("csv", "json", "npz")]
    assert made == []
    assert found not in files[0].of.given, "a visit keeps what makes a file: no whole page in it, with all its maps"
    assert files[0].of.made().startswith(b"head,")
    assert made == [1]


def test_a_figure_is_drawn_in_the_file_by_a_script_that_comes_once_and_only_then():
    given = {"widths": [1, 4], "plain": [0.2, 0.9], "divided": [0.2, 0.3]}
    chart = Chart("saturation", given, 'a "curve" <b>')
    page = file_of(chart, chart)
    assert page.count('id="plotly"') == 1
    assert "<b>" not in page
    assert '"figures":{"light":{"data":' in page
    assert 'id="plotly"' not in file_of(caption("It leans."))


def test_what_is_made_once_it_is_open_is_in_the_file_of_who_opened_it():
    more = More("All of them", (caption("Each head."),), name="opened", late=True)
    assert settled((more,))[0].blocks == ()
    assert settled((more,), lambda question: question.name == "opened")[0].blocks == (caption("Each head."),)


@pytest.mark.parametrize(
    ("link", "titles"),
    [
        ("?text=All+is+well&model=toy&pins=L0H1", ["Map of L0H1", "All heads"]),
        (
            "?text=The+dog+ran&pins=L0H1&pins=L2H3&lock=2&look=from",
            ["Maps of L0H1 and L2H3", "Arcs from “dog”: L0H1 and L2H3", "All heads"],
        ),
        ("readings?text=A+dog+ate+the+food+because+it+was+hungry.", ["What heads carry"]),
        ("compare?text=The+dog+ran&compare_second=The+cat+ran&pins=L3H1", ["L3H1 in both sentences"]),
        ("compare?text=The+dog+ran&compare_second=The+cat+ran+away&pins=L3H1", []),  # not as many words
        ("questions", []),
    ],
)
def test_a_page_offers_figures_for_print_that_are_those_of_the_package(link, titles):
    found = page_of(link)
    prints = prints_of(found)
    assert list(prints) == titles
    for each in prints.values():
        assert [one.title for one in each] == ["SVG", "PDF", "PNG"]
        assert [one.of.made()[:4] for one in each] == [b"<svg", b"%PDF", b"\x89PNG"]
    if titles == ["Map of L0H1", "All heads"]:
        maps = mha.set_aside(mha.attend("All is well", model="toy").merged())
        expected = mha.figure(maps, "map", ["L0H1"], link=str(found.link))
        assert prints["Map of L0H1"][0].of.given[0].caption == expected.caption


def test_a_figure_whose_letters_the_fonts_lack_is_offered_as_an_svg_alone():
    prints = prints_of(page_of("?text=הכלב+אכל+את+האוכל&pins=L0H1"))
    endings = {title.partition(" ")[0]: [one.title for one in files] for title, files in prints.items()}
    assert endings == {"Map": ["SVG"], "Arcs": ["SVG"], "All": ["SVG", "PDF", "PNG"]}  # which has no words


def inside(text):
    """Return what a file holds: its parts, and what its clicks need."""
    return (json.loads(re.search(rf'id="{name}">(.*?)</script>', text)[1]) for name in ("parts", "answers"))


def said_in(text):
    """Return the words of each block in a file, in their order, with the kind of the block."""
    parts, _ = inside(text)
    blocks = [block for part in parts for block in part.get("data", {}).get("blocks", ())]
    return [(one["kind"], "".join(span[1] for span in one.get("spans", ()))) for one in blocks]


def drawn_by(text, role):
    (part,) = [part for part in next(inside(text)) if part["role"] == role]
    return unseal(gzip.decompress(base64.b64decode(part["bytes"])))


HEADS = [
    "?text=Dogs+bark&model=toy&on=L0H1&scale=each+head",
    "?text=A+dog+ate+the+food+because+it+was+hungry.&lock=6&look=ask",
    "?text=Dogs+bark&heads_weighed=What+it+brings&pins=L1H1&pins=L2H2&pins=L3H3",
    "?model=copier&heads_prompt=Write+on",
]
FILES_OWN = {"asks", "cells", "lead", "note", "finding"}  # a file asks for no click that it cannot answer, and rounds


@pytest.mark.parametrize("link", HEADS)
def test_the_file_of_heads_says_and_draws_what_its_page_does(link):
    found = page_of(link)
    pictures = {one.face: one.drawn for one in every(found.blocks) if isinstance(one, ComponentPicture)}
    text = written(found)
    header, arrays = drawn_by(text, "overview")
    page = json.loads(json.dumps(pictures["overview"].header))
    assert {name for name in page if page[name] != header[name]} <= FILES_OWN
    assert all((arrays[name] == values).all() for name, values in pictures["overview"].arrays.items())
    assert "{Click}" not in json.dumps([header["note"], header["finding"]])
    assert header["lead"].startswith(page["lead"])
    first = [said[0][1].partition(" {Click}")[0] for said in page["finding"]]
    assert [said[0][1] for said in header["finding"]] == first
    _, answers = inside(text)
    assert (answers["pins"], answers["off"]) == (page["pins"], page["off"])

    pinned, weights = drawn_by(text, "pinned")
    page = json.loads(json.dumps(pictures["pinned"].header))
    for name in ("about", "lock", "look", "scale", "view", "say", "queries", "keys", "of"):
        assert pinned[name] == page[name], name
    heads = {head["name"]: head for head in pinned["heads"]}
    for row, head in enumerate(page["heads"]):
        told = {name: heads[head["name"]][name] for name in ("side", "badge", "caption", "label")}
        assert told == {name: head[name] for name in told}
        other = weights["weights"][list(heads).index(head["name"])].astype(int)
        assert abs(pictures["pinned"].arrays["weights"][row] - other).max() <= 33, "rounded to a tenth of a per cent"


# What of Heads stands in a file in which heads can be pinned only where it is over, or about, what `UNDER_HEADS` names.
NOT_ALONE = {"heading", "said", "definitions"}


def test_a_block_of_heads_stands_in_the_file_in_which_heads_can_be_pinned_or_is_left_out_on_purpose():
    rooms = ("mha.screens.heads", "mha.screens.decoder")
    of_heads = {kind for kind, one in kinds().items() if one.__module__.startswith(rooms)}
    with unhurried():
        for link in ("", "?model=copier&text=the+man+saw+the", "?model=reverser&text=the+man+saw+the+dog"):
            of_heads |= {one["kind"] for part in parts_of(page_of(link).blocks) for one in _each(_blocks_in(part))}
    assert of_heads == UNDER_HEADS | NOT_ALONE


@pytest.mark.parametrize("module", sorted(BY_PYTHON))
def test_no_field_that_holds_acts_is_sent(module):
    ours = [one for one in vars(importlib.import_module(module)).values() if getattr(one, "__module__", "") == module]
    blocks = [one for one in ours if isinstance(one, type) and issubclass(one, Block)]
    holds = {part.name for one in blocks for part in fields(one) if re.search(r"\bAct\b", str(part.type))}
    assert blocks
    assert holds <= NOT_SENT


def test_heads_that_a_link_switches_off_are_off_in_its_file():
    _, answers = inside(written(page_of("?text=Dogs+bark&on=L2H2")))
    assert len(answers["off"]) == 71
    assert "L2H2" not in answers["off"]
    assert answers["titles"] == ["All 72 heads", "1 of 72 heads shown"]


def test_a_file_of_heads_says_what_stands_on_its_page_beside_the_heads():
    complained = said_in(written(page_of("?text=%E7%8B%97+%E5%8F%AB&pins=L99H1")))
    lines = [text for _, text in complained]
    assert any("L99H1" in line for line in lines[:2]), "what the link cannot be comes first"
    assert any("may not know these words" in line for line in lines)
    at = lines.index("How is this measured?")
    assert complained[at][0] == "heading"
    assert complained[at + 1][1].startswith("Percentages on the sentence are shares")
    brought = [text for _, text in said_in(written(page_of(HEADS[2])))]
    assert any(line.startswith("Contribution: the size of the vector") for line in brought)


def test_a_file_of_a_model_that_writes_has_the_picture_of_what_it_wrote():
    parts, _ = inside(written(page_of(HEADS[3])))
    roles = [(part["module"], part["role"]) for part in parts]
    assert roles.index(("writing/writing.js", "")) < roles.index(("heads/overview.js", "overview"))


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("", "one scale, 0 to 100 %, in tenths of a per cent"),
        ("&scale=each+row", "each row&#x27;s own scale, in tenths of a per cent"),
        ("&heads_weights=What+it+brings", "(Kobayashi et al. 2020); one scale, 0 to 100 %"),
    ],
)
def test_the_foot_says_on_which_scale_and_what_was_excluded(link, said):
    foot = written(page_of(f"?text=Dogs+bark{link}")).rpartition("<footer>")[2]
    assert said in foot
    assert "nothing rescaled" not in foot
    assert "excluded, rows rescaled" in foot


def formulas_in(text):
    """Return the MathML of a file's formulas, what stands for one letter as that letter."""
    parts, _ = inside(text)
    return [html.unescape(one) for part in parts for one in part.get("data", {}).get("formulas", ())]


def test_formulas_are_laid_out_by_the_browser():
    first, second = formulas_in(file_of(Formula((r"\sqrt{d_k}", "b"))))
    assert "<msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt>" in first
    assert "<mi>b</mi>" in second


@pytest.mark.parametrize("link", [*(f"steps?steps_step={step}" for step in STEPS), "questions?questions_open=formula"])
def test_nothing_of_a_formula_stays_as_it_is_typed(link):
    found = formulas_in(written(page_of(link.replace(" ", "+"))))
    assert found or link.startswith("questions")
    assert not re.search(r"[\\&]|begin|operatorname", "".join(found))


def test_fixed_fields_and_the_options_of_a_guess_are_in_the_file():
    text = file_of(
        Fixed("A sentence", "Dogs bark", "fixed"),
        Guess("g", "Your guess", (r"it\'s", r"a\*b\\c")),
        Guess("g", "Which looks", ("to", "from"), required=True),
    )
    assert [said for _, said in said_in(text)] == ["A sentence: Dogs bark", "it's", r"a*b\c"]


def test_what_has_nothing_but_controls_in_it_has_no_heading():
    assert said_in(file_of(More("Ways", (Press("Go", ()),)))) == []
    assert said_in(file_of(More("Ways", (Press("Go", ()), caption("It leans."))))) == [
        ("heading", "Ways"),
        ("said", "It leans."),
    ]


def test_our_markdown_is_read_as_text_and_what_is_none_stays():
    lines = (
        "Li 2018, [Many *heads*](https://example.org/a_b)",
        "Five: *copier* and **two nouns**; `python -m mha.truth`",
        "2 * 3 * 4 [CLS] (a) {b}",
    )
    assert [said for _, said in said_in(file_of(Listed(lines)))] == [
        "Li 2018, Many heads, https://example.org/a_b",
        "Five: copier and two nouns; python -m mha.truth",
        lines[2],
    ]
    entry = "@software{parallax,\n  title = {{A}: *b* `c`},\n}\n"
    text = file_of(Plain(entry, "quoted"))
    assert said_in(text) == [("said", entry)]
    assert '"style":"caption quoted"' in text


def foot(text):
    """Return what a file says of where its numbers come from."""
    return dict(re.findall(r"<dt>(.*?)</dt><dd><bdi>(.*?)</bdi></dd>", text.rpartition("<footer>")[2]))


@pytest.mark.parametrize(
    ("link", "texts"),
    [
        ("?text=Dogs+bark", "Dogs bark"),
        ("?model=reverser&heads_stack=Cross", "apple boat candle drum fish / fish drum candle boat apple"),
        ("compare?text=The+dog+ran&compare_second=The+cat+ran", "The dog ran / The cat ran"),
        ("compare?text=The+dog+ran&compare_second=Cats+sleep+all+day+long", "The dog ran / Cats sleep all day long"),
        ("compare?text=The+dog+ran&compare_against=the+scrambled+twin", "The dog ran"),
        ("readings?text=Dogs+bark", "Dogs bark"),
        ("?model=reverser&heads_cell=L0H0+1+2", "apple boat candle drum fish"),
    ],
)
def test_the_foot_names_the_texts_that_are_shown(link, texts):
    assert foot(written(page_of(link)))["text"] == texts


def test_of_a_long_text_which_no_link_holds_the_foot_names_neither_text_nor_link():
    long = ComponentPicture("long", Drawing({"part": "reader"}), "long_reader")
    told = foot(written(ReadPage(page_of("?text=Dogs+bark").link, (), (long,), "https://example.org/?text=Dogs+bark")))
    assert "text" not in told
    assert "link" not in told
    assert told["model"] == "MiniLM"


def test_the_file_of_maps_of_ones_own_has_no_link_that_would_show_others():
    maps = maps_of(n=7)

    def ask(question):
        known = {OWN_MAPS: OwnFile("mine.npz", maps, lambda: maps), ADDRESS: "https://example.org/?text=Dogs+bark"}
        return known[question] if question in known else here(question)

    told = foot(written(page_of("?text=Dogs+bark", ask)))
    assert "link" not in told
    assert told["text"] == maps.text


def test_a_file_asks_for_no_click_that_it_cannot_answer():
    ask, said = ("next", "Click a head."), ("plain", "Two are dimmed. ")
    columns = Columns(((heading("Right"), Said("sub", (ask,))), (Said("cap", (said, ask)),)))
    text = file_of(
        Together((heading("Map"), Said("cap", (ask, said)))),
        Together((heading("Pinned"), Said("sub", (ask,)))),
        caption((ask,)),
        Together((columns,)),
    )
    assert "Click" not in text.partition('id="parts">')[2]
    assert said_in(text) == [("heading", "Map"), ("said", "Two are dimmed. "), ("columns", "")]
    parts, _ = inside(text)
    left, right = parts[-1]["data"]["blocks"][0]["columns"]
    assert left == []
    assert right[0]["spans"] == [list(said)]


@pytest.mark.parametrize(
    "link",
    [
        "?heads_table=both",
        "atlas",
        "compare?pins=none",
        "compare?compare_against=another+model&compare_other=toy&pins=none",
        "steps",
        "steps?steps_editing=1",
    ],
)
def test_what_a_page_asks_to_click_is_on_the_page_alone(link):
    found = page_of(link)
    asks = re.findall(r'\["next", "(.*?)"\]', json.dumps(page_data(found)))
    assert asks
    assert ("Tick a row to pin its head." in asks) == (link == "?heads_table=both")
    text = json.dumps(list(inside(written(found))))
    assert not [one for one in asks if one in text]


@pytest.mark.parametrize(
    ("link", "kinds", "line"),
    [
        ("?model=copier", {"row_chart"}, "Copier knows 48 words"),
        ("?model=copier&heads_prompt=Write+on", {"row_chart"}, "Copier knows 48 words"),
        ("?model=reverser&heads_stack=Decoder", {"kind_map"}, "Output text, written by the model: fish drum"),
        ("?text=Dogs+bark", set(), ""),
    ],
)
def test_a_file_of_heads_has_the_next_words_and_what_a_model_wrote(link, kinds, line):
    text = written(page_of(link))
    parts, _ = inside(text)
    blocks = [block for part in parts for block in part.get("data", {}).get("blocks", ())]
    columns = [
        one for block in blocks for column in block.get("columns", ()) for one in column if block["kind"] != "rows"
    ]
    assert {one["kind"] for one in columns} - {"heading", "said"} == kinds
    assert any(said.startswith(line) for _, said in said_in(text))


@pytest.mark.parametrize("address", ["http://localhost:8501/about/", "/about#limits", "about/?v=1"])
def test_an_address_leads_to_its_page_with_all_that_may_stand_in_it(address):
    assert page_of(address, known_already).title == page_of("about", known_already).title
    assert page_of("about?text=I like C#", known_already).link.view.text == "I like C#", "a text need not be encoded"


def test_a_link_without_a_text_is_a_page_in_a_notebook_too():
    assert "hungry" in mha.page("readings?text=").html
