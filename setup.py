"""What the package needs beside it travels inside it: the wheel's `mha/beside` is laid out as this folder is."""

from setuptools import find_packages, setup

BESIDE = {  # folder of this checkout: what of it travels
    ".": ["app.py", "requirements.txt", ".streamlit/config.toml"],
    "assets": [
        "*.*",
        "css/*",
        "fonts/*",
        "images/icon.png",
        "images/preview.png",
        "js/**/*.js",
        "copier/*",
        "reverser/*",
        "lessons/*",
    ],
    "deploy": ["nginx.conf"],
    "docs": ["glossary.md"],
    "pages": ["*.py"],
}


def inside(folder: str) -> str:
    """Return the package that a folder of this checkout becomes."""
    return "mha.beside" if folder == "." else f"mha.beside.{folder}"


setup(
    packages=[*find_packages(include=["mha*"]), *map(inside, BESIDE)],
    package_dir={inside(folder): folder for folder in BESIDE},
    package_data={"mha": ["py.typed"]} | {inside(folder): files for folder, files in BESIDE.items()},
    include_package_data=False,
    script_name="setup.py",  # so that it does not count as a module of the folder it lies in
)
