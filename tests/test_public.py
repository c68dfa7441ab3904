"""Where others find the app, and who can open an address."""

import pytest

from mha.public import public_address, reach


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
    monkeypatch.setenv("PARALLAX_PUBLIC_URL", "https://example.org/parallax/")
    assert public_address("http://localhost:8501/") == "https://example.org/parallax/"
    assert public_address("http://localhost:8501/readings") == "https://example.org/parallax/readings"
    monkeypatch.setenv("PARALLAX_PUBLIC_URL", "javascript:alert(1)")
    assert public_address("http://localhost:8501/") == "http://localhost:8501/"
