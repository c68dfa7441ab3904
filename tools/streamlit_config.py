"""`.streamlit/config.toml` with safe server settings and the theme, and `assets/css/paper.css`, from the tokens."""

import argparse
import json
from pathlib import Path
from typing import Any

from mha.theme import THEMES, colours

HEADER = """\
# Written by `python -m tools.streamlit_config` from assets/tokens.json. Change that file or the script, not this one.
"""

# Each line has its reason in docs/deploy.md; tests/test_theme.py checks that Streamlit knows every option.
SETTINGS: dict[str, dict[str, Any]] = {
    "global": {
        "disableWidgetStateDuplicationWarning": True,
        # Data that a browser still has are sent as a reference. A reference to what it has just dropped would leave the
        # page waiting for ever, so only large messages are kept, and for more runs than clicks can wait in a row.
        "minCachedMessageSize": 3000.0,
        "maxCachedMessageAge": 6,
    },
    "server": {
        "headless": True,
        "fileWatcherType": "none",
        "runOnSave": False,
        "enableXsrfProtection": True,
        "maxUploadSize": 20,
        "maxMessageSize": 10,
        "enableWebsocketCompression": False,
        "disconnectedSessionTTL": 60,
    },
    # Without a configured address Streamlit asks an outside service for it, and waits for the answer.
    "browser": {"gatherUsageStats": False, "serverAddress": "localhost"},
    "client": {"showErrorDetails": "none", "toolbarMode": "viewer"},
    "runner": {"magicEnabled": False, "postScriptGC": False},
}

# Only fonts that Streamlit ships: Source Sans, Source Serif, Source Code. Nothing is fetched from another host.
SHAPE: dict[str, Any] = {
    "font": "sans-serif",
    "headingFont": "serif",
    "codeFont": "monospace",
    "baseFontSize": 16,
    "baseFontWeight": 400,
    "headingFontSizes": ["2rem", "1.5625rem", "1.1875rem", "1.0625rem", "1rem", "0.875rem"],
    "headingFontWeights": [500, 500, 500, 600, 600, 600],
    "codeFontSize": "0.875rem",
    "metricValueFontSize": "1.75rem",
    "metricValueFontWeight": 500,
    "baseRadius": "6px",
    "buttonRadius": "6px",
    "linkUnderline": True,
    "showWidgetBorder": True,
    "showSidebarBorder": False,
    "paddingTop": "1.5rem",
    "paddingBottom": "6rem",
}

# Option → path in the tokens. Orange is reading A, green reading B, blue the accent, yellow neutral, so that a warning
# is never taken for reading A.
COLOURS: dict[str, str] = {
    "primaryColor": "accent",
    "backgroundColor": "background",
    "secondaryBackgroundColor": "surface",
    "textColor": "text",
    "linkColor": "accent",
    "borderColor": "control_border",
    "dataframeBorderColor": "border",
    "dataframeHeaderBackgroundColor": "surface",
    "dataframeHeaderTextColor": "muted",
    "codeBackgroundColor": "surface",
    "codeTextColor": "text",
    "orangeColor": "reading_a.graphic",
    "orangeTextColor": "reading_a.text",
    "orangeBackgroundColor": "reading_a.wash",
    "greenColor": "reading_b.graphic",
    "greenTextColor": "reading_b.text",
    "greenBackgroundColor": "reading_b.wash",
    "blueColor": "accent",
    "blueTextColor": "accent",
    "blueBackgroundColor": "accent_wash",
    "redColor": "error",
    "redTextColor": "error",
    "yellowColor": "muted",
    "yellowTextColor": "text",
    "yellowBackgroundColor": "surface",
    "grayColor": "control_border",
    "grayTextColor": "muted",
    "grayBackgroundColor": "surface",
}
SIDEBAR = {"backgroundColor": "surface", "secondaryBackgroundColor": "background", "borderColor": "control_border"}
PRINTED = {  # CSS variable of Streamlit → token
    "background-color": "background", "secondary-background-color": "surface", "text-color": "text",
    "gray-text-color": "muted", "border-color": "border", "primary-color": "accent",
}  # fmt: skip
CATEGORICAL = ("reading_a.graphic", "reading_b.graphic", "accent", "control_border", "text", "muted")


def config_text() -> str:
    """Return the whole file."""
    parts = [HEADER]
    parts += [_section(name, options) for name, options in SETTINGS.items()]
    parts.append(_section("theme", SHAPE))
    for theme in THEMES:
        parts.append(_section(f"theme.{theme}", _theme(theme)))
        sidebar = {option: _colour(theme, path) for option, path in SIDEBAR.items()}
        parts.append(_section(f"theme.{theme}.sidebar", sidebar))
    return "\n".join(parts)


def paper_css() -> str:
    """Return the colours of a printed page: always the light theme's; access.css has the other print rules."""
    light = colours("light")
    variables = [f"--st-{name}: {light[token]} !important" for name, token in PRINTED.items()]
    variables.append(f"--st-chart-sequential-colors: {','.join(light['sequential'])} !important")
    return (
        f"html {{ --paper: {light['background']}; --paper-text: {light['text']}; }}\n"
        f"html.printing :is(.stBidiComponent, .stBidiComponent *) {{ {'; '.join(variables)} }}\n"
    )


def write(repository: Path) -> Path:
    """Write `assets/css/paper.css` and `.streamlit/config.toml` below ``repository`` and return the latter's path."""
    sheet = repository / "assets" / "css" / "paper.css"
    sheet.parent.mkdir(parents=True, exist_ok=True)
    sheet.write_text(paper_css(), encoding="utf-8")
    path = repository / ".streamlit" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(config_text(), encoding="utf-8")
    return path


def _theme(theme: str) -> dict[str, Any]:
    diverging = colours(theme)["diverging"]
    middle = len(diverging) // 2  # Streamlit takes ten diverging colours: ours without the neutral middle
    return {
        **{option: _colour(theme, path) for option, path in COLOURS.items()},
        "chartCategoricalColors": [_colour(theme, path) for path in CATEGORICAL],
        "chartSequentialColors": colours(theme)["sequential"],
        "chartDivergingColors": diverging[:middle] + diverging[middle + 1 :],
    }


def _colour(theme: str, path: str) -> str:
    value: Any = colours(theme)
    for name in path.split("."):
        value = value[name]
    return value


def _section(name: str, options: dict[str, Any]) -> str:
    lines = [f"{option} = {json.dumps(value)}" for option, value in options.items()]  # JSON scalars are TOML scalars
    return "\n".join([f"[{name}]", *lines, ""])


if __name__ == "__main__":
    description = "Write .streamlit/config.toml of this folder anew, from assets/tokens.json."
    argparse.ArgumentParser(prog="python -m tools.streamlit_config", description=description).parse_args()
    print(f"Wrote {write(Path.cwd())}")
