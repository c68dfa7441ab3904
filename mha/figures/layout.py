"""Where the small maps of a layer stand: columns that fit the text, square cells, shared labels."""

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
    """The places of ``count`` square maps of ``size`` px; ``labelled`` says whether words fit beside the cells."""

    count: int
    columns: int
    cell: float
    size: float
    left: float
    bottom: float
    labelled: bool
    width: float

    @property
    def rows(self) -> int:
        """Number of rows of maps."""
        return -(-self.count // self.columns)

    @property
    def height(self) -> float:
        """Height of the whole figure in px."""
        return LEGEND + self.rows * (TITLE + self.size) + (self.rows - 1) * ROW_GAP + self.bottom

    def place(self, number: int) -> tuple[float, float, float, float]:
        """Return x0, x1, y0, y1 of one map as shares of the figure, y upwards."""
        row, column = divmod(number, self.columns)
        x = self.left + column * (self.size + GAP)
        y = LEGEND + TITLE + row * (self.size + TITLE + ROW_GAP)  # px from the top
        return (
            round(x / self.width, 5),  # a hundredth of a pixel, and half the letters on the wire
            round((x + self.size) / self.width, 5),
            round(1 - (y + self.size) / self.height, 5),
            round(1 - y / self.height, 5),
        )

    def first_in_row(self, number: int) -> bool:
        """Whether the words of the rows stand at the left of this map."""
        return number % self.columns == 0

    def last_in_column(self, number: int) -> bool:
        """Whether the words of the columns stand under this map."""
        return number + self.columns >= self.count


def grid(count: int, n_queries: int, n_keys: int, longest: int, columns: int = 6, width: float = 1120) -> Grid:
    """Return the places of ``count`` maps in ``width`` px: as many columns, up to ``columns``, as keep words legible.

    ``longest`` is the length in characters of the longest label. A text too long for that gets maps without labels.
    """
    side = max(n_queries, n_keys)
    left = min(max(CHARACTER * longest + 16, 40), width / 3)
    wanted = max(1, min(columns, width_fits(width)))

    def cell_of(number: int) -> float:
        return (width - left - GAP * (number - 1)) / number / side

    fitting = [number for number in range(wanted, max(wanted // 3, 1) - 1, -1) if cell_of(number) >= CELL_MIN]
    labelled = bool(fitting)
    chosen = fitting[0] if labelled else max(2 * wanted // 3, 1)
    if not labelled:
        left = 8.0  # no words beside the cells: pointing at a cell names them
    size = cell_of(chosen) * side
    bottom = 0.8 * CHARACTER * longest + 24 if labelled else 8
    return Grid(count, chosen, size / side, size, left, bottom, labelled, width)


def width_fits(width: float) -> int:
    """Return how many columns a page of that width takes: 6 from 900 px, 4 from 520, else 2."""
    return 6 if width >= 900 else 4 if width >= 520 else 2
