"""Where others find the app, and who can open an address."""

import pytest

from mha.navigation import public_folder, reach


@pytest.mark.parametrize(
    ("address", "who"),
    [
        ("http://localhost:8501/?a=b", "here only"), ("http://127.0.0.1/", "here only"),
        ("http://[::1]:8501/", "here only"),
        ("http://desk.local/", "here only"), ("", "here only"), ("http://10.0.0.7/", "same network"),
        ("http://172.16.0.1/", "same network"), ("https://example.org/x", "anywhere"), ("http://8.8.8.8/", "anywhere"),
    ],
)  # fmt: skip
def test_who_can_open_an_address(address, who):
    assert reach(address) == who


def test_what_is_said_goes_before_what_a_browser_shows(monkeypatch):
    for said in ("https://example.org/parallax", "https://example.org/parallax/"):
        monkeypatch.setenv("PARALLAX_PUBLIC_URL", said)
        for shown, page in (
            ("http://localhost:8501/", ""),
            ("http://localhost:8501/readings", "readings"),
            ("http://localhost:8501/parallax", ""),  # below a folder of the proxy's
            ("http://localhost:8501/parallax/readings", "readings"),
        ):
            assert public_folder(shown, page) == "https://example.org/parallax/"


@pytest.mark.parametrize("said", ["", "javascript:alert(1)", "example.org"])
def test_without_an_address_that_can_be_one_the_browser_s_own_is_taken(monkeypatch, said):
    monkeypatch.setenv("PARALLAX_PUBLIC_URL", said)
    assert public_folder("http://localhost:8501/", "") == "http://localhost:8501/"
    assert public_folder("http://localhost:8501", "") == "http://localhost:8501/"
    assert public_folder("http://localhost:8501/readings", "readings") == "http://localhost:8501/"
    assert public_folder("http://localhost:8501/parallax", "") == "http://localhost:8501/parallax/"
    assert public_folder("", "readings") == ""
