"""The sentences of blocks, as a reader reads them."""

from mha.screens.blocks import as_data


def told(blocks) -> str:
    texts = []

    def walk(value):
        if isinstance(value, dict):
            if "spans" in value:
                texts.append("".join(span[1] for span in value["spans"]))
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(as_data(list(blocks)))
    return "\n".join(texts)
