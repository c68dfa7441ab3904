"""Your file: maps of other tools are drawn, refused with the way out, and in no link."""

import io

import numpy as np
import pytest

import mha
from mha.app import uploads
from mha.views.heads_text import RECIPES
from tests.pages.conftest import opened_at, pictures

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 3, 5)).astype(np.float32)
TOKENS = ["The", "Ġdog", "Ġ*ran*", "Ġaway", "."]


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def saved(maps):
    file = io.BytesIO()
    maps.save(file)
    return file.getvalue()


def opened(content, name="mine.npz", **link):
    while uploads._files.drop_oldest():
        pass
    test = opened_at("yours.py", **link)
    test.file_uploader[0].upload(name, content, "application/octet-stream").run()
    assert not test.exception
    return test


def header(test, name):
    (data,) = pictures(test, name)
    return data[0]


def plain(text):
    """Return Markdown without its escapes."""
    return text.replace("\\", "").replace("\u2060", "")


def captions(test):
    return plain("\n".join(element.value for element in test.caption))


def close(test):
    next(button for button in test.button if button.label == "Close the file").click().run()


def test_empty_page_lists_how_each_tool_saves_its_maps():
    test = opened_at("yours.py")
    assert [title.value for title in test.title] == ["Open attention maps of any tool"]
    assert [code.value for code in test.code] == [RECIPES]
    assert pictures(test, "overview") == []


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (saved(mha.from_arrays(WEIGHTS, TOKENS)), "maps.npz"),
        (npz(weights=WEIGHTS, tokens=np.array(TOKENS)), "arrays.npz"),
        (npz(**{f"blocks.{n}.attn.hook_pattern": layer[None] for n, layer in enumerate(WEIGHTS)},
             tokens=np.array(TOKENS)), "cache.npz"),
    ],
)  # fmt: skip
def test_file_is_drawn(content, name):
    test = opened(content, name)
    overview = header(test, "overview")
    assert (overview["layers"], overview["heads"]) == (2, 3)
    assert "dog" in overview["queries"]
    assert f"Your file {name}: a model that it does not name, imported, 2 layers × 3 heads." in captions(test)
    assert len(header(test, "pinned")["heads"]) == len(overview["pins"])


def test_choices_of_a_file_are_in_no_link():
    test = opened(npz(weights=WEIGHTS, tokens=np.array(TOKENS)), units="tokens")
    before = header(test, "overview")["pins"]
    test.session_state["file_view"]["pins"] = ["L1H2"]
    test.session_state["file_view"].update(lock=1, look="ask")
    test.run()
    overview = header(test, "overview")
    assert before != overview["pins"] == ["L1H2"]
    assert overview["queries"][overview["lock"]] == "dog"
    assert overview["asked"] is not None
    assert dict(test.query_params) == {"units": "tokens"}


def test_another_file_begins_without_choices():
    test = opened(npz(weights=WEIGHTS, tokens=np.array(TOKENS)))
    test.session_state["file_view"]["pins"] = ["L1H2"]
    test.run()
    test.file_uploader[0].upload("b.npz", npz(weights=WEIGHTS[:1]), "application/octet-stream").run()
    assert header(test, "overview")["pins"] != ["L1H2"]
    assert "numbered from 1" in captions(test)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x80\x04 a pickle", "may run code when it is opened"),
        (b"hello", "not an NPZ or NPY file"),
        (npz(weights=2 * WEIGHTS), "must lie between 0 and 1"),
        (npz(names=np.array(["a"])), "no array “weights”"),
    ],
)
def test_refused_file_has_the_way_out(content, reason):
    test = opened(content)
    assert [plain(title.value) for title in test.title] == ["mine.npz cannot be drawn"]
    assert reason in plain(test.markdown[0].value)
    assert [code.value for code in test.code] == [RECIPES]
    close(test)
    assert [title.value for title in test.title] == ["Open attention maps of any tool"]


def test_equal_files_are_read_once(monkeypatch):
    reads = []
    read = uploads.read_file
    monkeypatch.setattr(uploads, "read_file", lambda content: reads.append(1) or read(content))
    content = npz(weights=WEIGHTS)
    test = opened(content)
    test.run()
    test = opened_at("yours.py")
    test.file_uploader[0].upload("other.npz", content, "application/octet-stream").run()
    assert len(reads) == 1
    for _ in range(2):
        test.file_uploader[0].upload("bad.npz", b"hello", "application/octet-stream").run()
        assert "bad.npz cannot be drawn" in plain(test.title[0].value)
    assert len(reads) == 2


def test_cross_attention_is_drawn_without_statistics():
    cross = mha.from_arrays(np.full((1, 2, 2, 3), 1 / 3, np.float32), ["um", "dois"], ["one", "two", "three"])
    test = opened(saved(cross))
    assert header(test, "overview")["size"] == [2, 3]
    assert "Attention from “um dois” to “one two three”." in captions(test)
    assert [part.label for part in test.expander] == ["How is this measured?"]
