"""The sentences of blocks, as a reader reads them."""

from mha.screens.blocks import as_data


def told(blocks) -> str:
    return "\n".join("".join(span[1] for span in part["spans"]) for part in parts(blocks) if "spans" in part)


def parts(blocks):
    """Return blocks and all that they hold as dicts, each before what is inside it."""
    waiting, found = [as_data(list(blocks))], []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            found.append(value)
            waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)
    return found
