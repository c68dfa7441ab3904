"""One home for colours, and a configuration that is what the script writes."""

import re
import tomllib
from pathlib import Path

from mha.formats import LABEL_LENGTH, escape
from mha.theme import THEMES, colours, ramp, tokens
from tools.streamlit_config import SETTINGS, config_text, paper_css, write

REPOSITORY = Path(__file__).resolve().parents[1]
HEX = re.compile(r"(?<![&\w])#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})\b")
CODE = (".py", ".js", ".mjs", ".css", ".html", ".svg", ".toml")


def test_the_configuration_in_the_repository_is_what_the_script_writes(tmp_path):
    assert (REPOSITORY / ".streamlit" / "config.toml").read_text(encoding="utf-8") == config_text()
    assert write(tmp_path).read_text(encoding="utf-8") == config_text()
    assert (REPOSITORY / "assets" / "css" / "paper.css").read_text(encoding="utf-8") == paper_css()


def test_the_configuration_holds_both_themes_and_the_safe_settings():
    config = tomllib.loads(config_text())
    for section, options in SETTINGS.items():
        assert config[section] == options
    for theme in THEMES:
        assert config["theme"][theme]["textColor"] == tokens()[theme]["text"]
        assert config["theme"][theme]["orangeColor"] == tokens()[theme]["reading_a"]["graphic"]
        assert len(config["theme"][theme]["chartDivergingColors"]) == 10
        assert len(config["theme"][theme]["chartSequentialColors"]) == 10


def test_streamlit_knows_every_option():
    from streamlit import config as streamlit_config

    known = set(streamlit_config.get_config_options())

    def leaves(prefix: str, table: dict) -> list[str]:
        found = []
        for name, value in table.items():
            path = f"{prefix}.{name}" if prefix else name
            found += leaves(path, value) if isinstance(value, dict) else [path]
        return found

    assert [option for option in leaves("", tomllib.loads(config_text())) if option not in known] == []


def test_no_other_file_holds_a_colour():
    folders = ("mha", "pages", "assets")
    files = [path for name in folders for path in (REPOSITORY / name).rglob("*") if path.suffix in CODE]
    files += list(REPOSITORY.glob("*.py"))
    files.remove(REPOSITORY / "assets" / "css" / "paper.css")  # written by tools.streamlit_config
    found = [
        f"{path.relative_to(REPOSITORY)}: {match[0]}"
        for path in files
        for match in HEX.finditer(path.read_text(encoding="utf-8"))
    ]
    assert len(files) > 10
    assert found == []


def test_labels_are_cut_before_they_are_escaped():
    assert escape("<" * 30) == "&lt;" * (LABEL_LENGTH - 1) + "…"
    assert escape('a & "b" <i>') == 'a &amp; "b" &lt;i&gt;'
    assert escape("exactly18charslong") == "exactly18charslong"
    assert escape("%{x}") == "%{x}"  # harmless in a label; labels never enter a hover template


def test_ramps_run_from_the_page_colour_in_even_steps():
    for theme in THEMES:
        weights = ramp(theme)
        assert weights[0] == [0, colours(theme)["background"]]
        assert weights[-1][0] == 1
