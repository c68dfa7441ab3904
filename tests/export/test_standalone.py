"""A page in one file: nothing in it is fetched, nothing typed is run, its modules are all there, and it stays small."""

import base64
import gzip
import html
import json
import re

import numpy as np
import pytest

from mha.errors import InputError
from mha.export import standalone as written
from mha.export.provenance import provenance_of
from mha.export.standalone import PagePart, closure, standalone
from mha.maps import AttentionMaps, HeadId, Token
from mha.views.heads import HeadsChoice, select
from mha.views.heads_file import show
from tests.export.test_statistics import HOSTILE, maps_of
from tests.unsealed import unseal

EVIL = '</script><script>alert(1)</script> "quoted" & <b>'


def random_maps(count: int, text: str = "", n_layers: int = 2, n_heads: int = 3) -> AttentionMaps:
    tokens = (
        Token("[CLS]", special=True),
        *(Token(f"w{n}", word=n) for n in range(count - 2)),
        Token(EVIL, word=count),
    )
    weights = np.random.default_rng(2).dirichlet(np.full(count, 0.1), size=(n_layers, n_heads, count))
    return AttentionMaps(weights, tokens, text=text or "All is well", model="MiniLM", origin="pretrained")


def part_of(page: str, number: int) -> tuple[dict, dict]:
    parts = json.loads(re.search(r'id="parts">(.*?)</script>', page)[1])
    return unseal(gzip.decompress(base64.b64decode(parts[number]["bytes"])))


def test_every_module_that_is_asked_for_is_there_by_name():
    modules = closure(["heads/overview.js", written.ENTRY])
    assert {"heads/overview.js", "heads/grid.js", "lib/colour.js", "standalone/pins.js"} <= set(modules)
    asked = [name for source in modules.values() for name in re.findall(r'from "([^"]+\.js)"', source)]
    assert asked
    assert {name.removeprefix("parallax/") for name in asked} <= set(modules)
    assert not any(name.startswith(".") for name in asked)


def test_nothing_is_fetched_and_no_script_comes_from_elsewhere():
    page = show(random_maps(5)).html
    assert "default-src 'none'" in page
    assert not re.findall(r"(?:src|href)=", page)
    assert page.count("<script") == 5
    imports = json.loads(re.search(r'<script type="importmap">(.*?)</script>', page)[1])["imports"]
    assert all(address.startswith("data:text/javascript;base64,") for address in imports.values())


ROUNDED = "Numbers in this file are rounded to a tenth of a per cent."


@pytest.mark.parametrize(("count", "said"), [(9, ""), (97, " Each cell shows the largest of 2\u00a0×\u00a02.")])
def test_the_overview_of_a_file_says_what_was_pooled_and_rounded(count, said):
    maps = random_maps(count)
    header, arrays = part_of(show(maps).html, 0)
    assert header["lead"].endswith(f" more attention.{said} {ROUNDED}")
    assert arrays["maps"].shape[-1] == len(range(0, count - 1, 2 if said else 1))  # of all but [CLS]


@pytest.mark.parametrize("text", [EVIL, *HOSTILE])
def test_hostile_texts_stay_texts(text):
    page = show(random_maps(5, text)).html
    assert "<script>alert" not in page
    assert "alert(1)</script>" not in page
    assert page.encode("utf-8", "backslashreplace")


def test_all_heads_are_inside_to_a_tenth_of_a_per_cent():
    maps = maps_of(n=7)
    header, arrays = part_of(show(maps).html, 1)
    assert [head["name"] for head in header["heads"]] == [str(head) for head in maps.heads]
    shown = select(maps, HeadsChoice(units=maps.units)).maps
    for row, head in enumerate(shown.heads):
        assert np.abs(arrays["weights"][row] / 65535 - shown[head]).max() < 0.00052


def test_long_texts_stay_small():
    page = show(random_maps(256, n_layers=6, n_heads=12)).html  # 512 in benchmarks, and in a browser
    assert len(page) < 2_160_000  # a hundredth of BertViz's


def test_the_chosen_heads_are_pinned_and_others_refused():
    page = show(maps_of(n=7), pins=["L1H4", HeadId(0, 2)]).html
    assert json.loads(re.search(r'id="answers">(.*?)</script>', page)[1])["pins"] == ["L1H4", "L0H2"]
    with pytest.raises(InputError, match="heads L0H0 to L1H4; you asked for L9H9"):
        show(maps_of(n=7), pins=["L9H9"])
    with pytest.raises(InputError, match="At most 4 heads are pinned; 5 were asked for"):
        show(maps_of(n=7), maps_of(n=7).heads[:5])


def test_it_says_where_its_numbers_come_from():
    page = show(maps_of()).html
    for said in ("Where these numbers come from", "MiniLM", "weights sha256", "in tenths of a per cent", "excluded"):
        assert said in page


def test_a_notebook_shows_it_in_a_frame(tmp_path):
    shown = show(random_maps(5, EVIL))
    frame = shown._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;!doctype html')
    inside = frame.split('srcdoc="')[1].split('"')[0]
    assert html.unescape(inside) == shown.html
    assert shown.save(tmp_path / "page.html").read_text(encoding="utf-8") == shown.html
    assert "characters of HTML" in repr(shown)


def test_what_cannot_be_is_refused(monkeypatch):
    told = provenance_of(maps_of())
    with pytest.raises(FileNotFoundError, match="none.js"):
        standalone("x", [PagePart("heads/none.js", (), b"", "overview")], told, {})
    with pytest.raises(FileNotFoundError, match="secret"):
        standalone("x", [PagePart("heads/grid.js", ("../secret",), b"", "overview")], told, {})
    monkeypatch.setattr(written, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="10 are the most"):
        standalone("x", [], told, {})
