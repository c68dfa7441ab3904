"""The page on paper: light, as Streamlit's light theme has it, whatever the reader's theme is."""

from __future__ import annotations

from mha.theme import colours

VARIABLES = {  # Streamlit's: ours
    "background-color": "background", "secondary-background-color": "surface", "text-color": "text",
    "gray-text-color": "muted", "border-color": "border", "primary-color": "accent",
}  # fmt: skip


def css() -> str:
    """Return the rules; `assets/css/access.css` has the rest, which needs no colours."""
    light = colours("light")
    ramp = ",".join(light["sequential"])
    variables = [f"--st-{name}: {light[ours]} !important" for name, ours in VARIABLES.items()]
    variables.append(f"--st-chart-sequential-colors: {ramp} !important")
    return (
        f"html {{ --paper: {light['background']}; --paper-text: {light['text']}; }}\n"
        f"html.printing :is(.stBidiComponent, .stBidiComponent *) {{ {'; '.join(variables)} }}\n"
    )
