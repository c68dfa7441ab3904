"""Layout of maps in rows or columns with square cells; longer labels need fewer columns."""

from __future__ import annotations

from dataclasses import dataclass

LEGEND = 62  # px above the first row: the legend and "row attends to column"
TITLE = 26  # px above each map
GAP = 22  # px between columns
ROW_GAP = 18  # px between rows, besides the title
CELL_MIN = 11  # px below which labels no longer fit; then fewer columns, then no labels
CHARACTER = 7.2  # px of one letter at tick size


@dataclass(frozen=True)
class Grid:
    """Positions of square maps in ``columns`` columns, and the ``height`` of the whole figure in px.

    ``boxes`` are x0, x1, y0, y1 of each map as shares of the figure, y upwards; ``labelled`` is true if words fit next
    to the cells.
    """

    boxes: tuple[tuple[float, ...], ...]
    columns: int
    height: float
    labelled: bool

    def first_in_row(self, number: int) -> bool:
        """Whether this map has the row labels at its left."""
        return number % self.columns == 0

    def last_in_column(self, number: int) -> bool:
        """Whether this map has the column labels below it."""
        return number + self.columns >= len(self.boxes)


def grid(count: int, n_queries: int, n_keys: int, longest: int, width: float) -> Grid:
    """Return the positions of ``count`` maps in ``width`` px: as many columns as keep words legible.

    ``longest`` is the length in characters of the longest label. A text too long for that gets maps without labels.
    """
    side = max(n_queries, n_keys)
    label_width = min(max(CHARACTER * longest + 16, 40), width / 3)

    def cell_of(columns: int) -> float:
        return (width - label_width - GAP * (columns - 1)) / columns / side

    fitting = [columns for columns in range(count, 0, -1) if cell_of(columns) >= CELL_MIN]
    labelled, columns_used = bool(fitting), max(fitting, default=1)
    if not labelled:
        label_width = 8.0  # no labels: the tooltip of a cell has its words
    size, rows = cell_of(columns_used) * side, -(-count // columns_used)
    below = 0.8 * CHARACTER * longest + 24 if labelled else 8
    height = LEGEND + rows * (TITLE + size) + (rows - 1) * ROW_GAP + below
    boxes = []
    for row, column in (divmod(number, columns_used) for number in range(count)):
        x = label_width + column * (size + GAP)
        y = LEGEND + TITLE + row * (size + TITLE + ROW_GAP)  # px from the top
        ends = x / width, (x + size) / width, 1 - (y + size) / height, 1 - y / height
        boxes.append(tuple(round(end, 5) for end in ends))  # a hundredth of a pixel, and half the letters on the wire
    return Grid(tuple(boxes), columns_used, height, labelled)
