"""Files that come in: where a field stands, as large as it takes, few of them, and not for long."""

from __future__ import annotations

import asyncio
import weakref
from unittest.mock import Mock

import pytest
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from mha.guard import door
from mha.guard import uploads as files
from mha.guard.door import Door
from mha.guard.limits import Limits
from mha.guard.uploads import MEGABYTE, OVERHEAD, Uploads
from mha.ui import uploads as of_pages
from tests.apart import run_apart
from tests.guard.asgi import LIMITS, scope

FEW = Limits(upload_mb=20, upload_mb_per_client=6, upload_mb_per_visit=8)  # as 200, 60 and 80 are to fields of 20 MB


@pytest.fixture
def uploads(monkeypatch):
    fresh = Uploads(FEW)
    monkeypatch.setattr(door, "UPLOADS", fresh)
    return fresh


@pytest.fixture
def clock(monkeypatch):
    """Return the time, as a list of one number of seconds that may be changed."""
    now = [1000.0]
    monkeypatch.setattr(files.time, "monotonic", lambda: now[0])
    return now


class Keeping:
    """A server that keeps whole bodies by their address, as Streamlit's route does."""

    def __init__(self):
        self.kept, self.taken = {}, 0

    async def __call__(self, scope_, receive, send):
        body, status = 0, 204
        while scope_["method"] == "PUT" and (message := await receive())["type"] == "http.request":
            body += len(message["body"])
            self.taken += len(message["body"])
            if not message.get("more_body"):
                self.kept[scope_["path"]] = body
                break
        else:
            status = 204 if self.kept.pop(scope_["path"], None) is not None else 400
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    @property
    def bytes(self):
        return sum(self.kept.values())


def asked(guard, sizes, visitor="anna", file="a-file", method="PUT", **more):
    """Send a body in parts of these sizes and return the status and what is said."""
    sent, parts = [], list(sizes)

    async def send(message):
        sent.append(message)

    async def receive():
        if not parts:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": b"x" * parts.pop(0), "more_body": bool(parts)}

    path = f"/_stcore/upload_file/{visitor}/{file}"
    run_apart(guard(scope(path=path, method=method, **more), receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:]).decode()


def sent_file(guard, sizes, *given, **more):
    return asked(guard, sizes, *given, **more)[0]


def test_a_file_comes_in_while_a_field_stands_on_the_page_and_only_for_that_visitor(uploads):
    keeping = Keeping()
    guard = Door(keeping, LIMITS)
    assert sent_file(guard, [10]) == 404
    uploads.open("anna", 1000)
    assert sent_file(guard, [600, 300]) == 204
    assert sent_file(guard, [10], "bert") == 404
    uploads.drawn("anna", [], fields=False)
    assert sent_file(guard, [10]) == 404
    assert keeping.taken == 900


def test_a_file_that_is_too_large_is_cut_off_whatever_it_says_of_itself(uploads):
    keeping = Keeping()
    guard = Door(keeping, LIMITS)
    uploads.open("anna", MEGABYTE)
    most = MEGABYTE + OVERHEAD
    declared = asked(guard, [10], **{"content-length": str(most + 1)})
    assert declared == (413, "This file is too large: this field takes up to 1 MB.")
    assert asked(guard, [most, 10_000, 10_000]) == declared
    assert keeping.bytes == 0
    assert keeping.taken == most


def test_one_budget_a_visit_that_no_change_of_the_field_resets(uploads):
    keeping = Keeping()
    guard = Door(keeping, LIMITS)
    said = set()
    for number in range(20):
        uploads.open("anna", 2 * MEGABYTE)
        said.add(asked(guard, [2 * MEGABYTE], file=f"file{number}", who=f"10.0.0.{number}"))
        uploads.open("anna", MEGABYTE)  # another page, with another field
        uploads.drawn("anna", [], fields=False)  # and one without
    assert keeping.taken <= FEW.upload_mb_per_visit * MEGABYTE
    assert said == {(204, ""), (429, files.MUCH.format(8))}


def test_what_was_sent_in_a_circle_counts_too(uploads):
    keeping = Keeping()
    guard = Door(keeping, LIMITS)
    uploads.open("anna", 2 * MEGABYTE)
    for _ in range(20):
        sent_file(guard, [2 * MEGABYTE])
        sent_file(guard, [], method="DELETE")
    assert keeping.taken <= FEW.upload_mb_per_visit * MEGABYTE


def test_fifteen_tabs_of_one_address_keep_what_one_address_may(uploads):
    keeping = Keeping()
    guard = Door(keeping, LIMITS)
    said = set()
    for number in range(15):
        uploads.open(f"tab{number}", 2 * MEGABYTE)
        said.add(asked(guard, [2 * MEGABYTE - OVERHEAD], f"tab{number}"))
    assert 2 * MEGABYTE < keeping.bytes <= FEW.upload_mb_per_client * MEGABYTE
    assert said == {(204, ""), (429, files.CROWDED.format(6))}
    uploads.open("else", 2 * MEGABYTE)
    assert sent_file(guard, [2 * MEGABYTE], "else", who="10.0.0.99") == 204


def test_the_address_is_the_one_that_a_proxy_says(uploads, monkeypatch):
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "10.0.0.7")
    guard = Door(Keeping(), LIMITS)
    statuses = []
    for number in range(5):
        uploads.open(f"tab{number}", 2 * MEGABYTE)
        statuses.append(
            sent_file(guard, [2 * MEGABYTE - OVERHEAD], f"tab{number}", x_forwarded_for=f"192.0.2.{number}")
        )
    assert statuses == [204] * 5


def test_all_addresses_together_keep_what_a_process_may(uploads):
    keeping = Keeping()
    guard = Door(keeping, LIMITS)
    said = set()
    for number in range(30):
        uploads.open(f"tab{number}", 2 * MEGABYTE)
        said.add(asked(guard, [2 * MEGABYTE - OVERHEAD], f"tab{number}", who=f"10.0.0.{number}"))
    assert 15 * MEGABYTE < keeping.bytes <= FEW.upload_mb * MEGABYTE
    assert said == {(204, ""), (503, files.FULL)}


def test_files_on_their_way_have_their_room_already(uploads):
    uploads.open("anna", 2 * MEGABYTE)
    path = "/_stcore/upload_file/anna/file"
    coming = [uploads.begin(path, "10.0.0.7", 2 * MEGABYTE) for _ in range(3)]
    with pytest.raises(files.RefusedFile):
        uploads.begin(path, "10.0.0.7", 2 * MEGABYTE)
    uploads.end(coming.pop(), kept=False)  # it broke off
    uploads.begin(path, "10.0.0.7", 2 * MEGABYTE)


def test_a_file_that_is_removed_gives_its_room_back(uploads):
    guard = Door(Keeping(), LIMITS)
    for number in range(3):
        uploads.open(f"tab{number}", 2 * MEGABYTE)
        assert sent_file(guard, [2 * MEGABYTE - OVERHEAD], f"tab{number}") == 204
    uploads.open("more", 2 * MEGABYTE)
    assert sent_file(guard, [2 * MEGABYTE - OVERHEAD], "more") == 429
    assert sent_file(guard, [], "tab0", file="another", method="DELETE") == 400
    assert sent_file(guard, [2 * MEGABYTE - OVERHEAD], "more") == 429
    assert sent_file(guard, [], "tab0", method="DELETE") == 204
    assert sent_file(guard, [2 * MEGABYTE - OVERHEAD], "more") == 204


def test_a_file_can_be_removed_by_whoever_may_send_no_more(uploads):
    guard = Door(Keeping(), LIMITS)
    uploads.open("anna", 2 * MEGABYTE)
    statuses = [sent_file(guard, [2 * MEGABYTE], file=f"file{number}") for number in range(6)]
    assert statuses[-1] == 429
    assert sent_file(guard, [], file="file0", method="DELETE") == 204


def test_empty_files_count_too(uploads):
    guard = Door(Keeping(), LIMITS)
    uploads.open("anna", 2 * MEGABYTE)
    statuses = [sent_file(guard, [0], file=f"file{number}") for number in range(600)]
    assert statuses.count(204) <= FEW.upload_mb_per_client * MEGABYTE / OVERHEAD


def test_a_page_of_another_origin_sends_no_file(uploads):
    uploads.open("anna", 1000)
    assert sent_file(Door(Keeping(), LIMITS), [10], origin="https://elsewhere.example") == 404


def test_files_go_ten_seconds_after_their_page(uploads, clock):
    guard = Door(Keeping(), LIMITS)
    uploads.open("anna", MEGABYTE)
    uploads.open("bert", MEGABYTE)
    sent_file(guard, [100])
    sent_file(guard, [100], "bert")
    assert uploads.spare(lambda visitor: visitor == "bert") == []
    clock[0] += 9
    assert uploads.spare(lambda visitor: visitor == "bert") == []
    clock[0] += 1
    assert uploads.spare(lambda visitor: visitor == "bert") == [("anna", "a-file")]
    clock[0] += 1000
    assert uploads.spare(lambda visitor: visitor == "bert") == []


def test_a_page_that_was_away_for_a_moment_keeps_its_file(uploads, clock):
    uploads.open("anna", MEGABYTE)
    sent_file(Door(Keeping(), LIMITS), [100])
    for there in (False, True, False):
        uploads.spare(lambda _, there=there: there)
        clock[0] += 9
    assert uploads.spare(lambda _: False) == []


def test_a_file_that_no_field_holds_goes_and_one_that_is_held_stays(uploads, clock):
    guard = Door(Keeping(), LIMITS)
    uploads.open("anna", MEGABYTE)
    sent_file(guard, [100], file="first")
    clock[0] += 100
    assert uploads.spare(lambda _: True) == [], "the run that takes it in may come late"
    uploads.drawn("anna", ["first"], fields=True)
    sent_file(guard, [100], file="second")
    for _ in range(3):
        uploads.drawn("anna", ["second"], fields=True)
        clock[0] += 5
    assert uploads.spare(lambda _: True) == [("anna", "first")]
    uploads.drawn("anna", [], fields=False)  # another page
    clock[0] += 10
    assert uploads.spare(lambda _: True) == [("anna", "second")]


def test_files_go_without_anybody_else(uploads, monkeypatch):
    monkeypatch.setattr(uploads, "limits", Limits(upload_seconds=0.2))
    sent, gone = asyncio.Event, []

    async def left():
        gone_now = sent()
        uploads.open("anna", MEGABYTE)
        uploads.end(uploads.begin("/_stcore/upload_file/anna/file", "10.0.0.7", 100), kept=True)

        def forget(*which):
            gone.append(which)
            gone_now.set()

        async with uploads.kept_short(lambda _: False, forget):
            await asyncio.wait_for(gone_now.wait(), 20)

    run_apart(left())
    assert gone == [("anna", "file")]


def test_what_goes_is_gone_from_the_store_and_from_what_a_session_keeps(uploads, monkeypatch):
    store = MemoryUploadedFileManager("/there")
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: Mock(Runtime, uploaded_file_mgr=store))
    monkeypatch.setattr(uploads, "limits", Limits(upload_seconds=0.2))
    records = {name: UploadedFileRec(name, "a.txt", "text/plain", b"x" * 1000) for name in ("first", "second")}
    objects = {name: UploadedFile(record, FileURLs()) for name, record in records.items()}
    for who, (name, record) in zip(("anna", "bert"), records.items(), strict=True):
        store.add_file(who, record)
        uploads.open(who, MEGABYTE)
        uploads.end(uploads.begin(f"/_stcore/upload_file/{who}/{name}", "10.0.0.7", 1000), kept=True)
        monkeypatch.setitem(of_pages._objects, who, [weakref.ref(objects[name])])

    async def left():
        async with uploads.kept_short(lambda who: who == "bert", of_pages.forget):
            async with asyncio.timeout(20):
                while store.get_files("anna", ["first"]):
                    await asyncio.sleep(0.05)

    run_apart(left())
    assert store.get_files("anna", ["first"]) == []
    assert len(store.get_files("bert", ["second"])) == 1, "bert's page is open"
    assert (objects["first"].closed, objects["second"].closed) == (True, False)
    assert uploads.bytes == max(1000, OVERHEAD)


def test_a_file_that_still_comes_in_when_its_page_is_gone_counts_and_is_forgotten(uploads, clock):
    uploads.open("anna", 5 * MEGABYTE)
    coming = uploads.begin("/_stcore/upload_file/anna/file", "1.2.3.4", 4 * MEGABYTE)

    def gone_for(seconds):
        found = uploads.spare(lambda visitor: False)
        clock[0] += seconds
        return found + uploads.spare(lambda visitor: False)

    assert gone_for(1000) == []
    coming.came = 4 * MEGABYTE
    uploads.end(coming, kept=True)
    assert uploads.bytes == 4 * MEGABYTE
    assert gone_for(1000) == [("anna", "file")]
    assert uploads.bytes == 0
