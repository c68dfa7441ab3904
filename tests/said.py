"""What blocks say, as plain text."""

from mha.screens.blocks import as_data


def texts(blocks):
    """Return every sentence in blocks, or in what was sent of them, a line each; columns included."""
    lines = []
    for block in as_data(list(blocks)):
        for column in block["columns"] if block["kind"] == "columns" else ():
            lines.append(texts(column))
        if block["kind"] == "more":
            lines.append(texts(block["blocks"]))
        for row in (block, *block.get("rows", ()), *block.get("ways", ())):
            if "spans" in row:
                lines.append("".join(span[1] for span in row["spans"]))
    return "\n".join(lines)
