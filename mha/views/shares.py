"""Formats of shares, changes of shares and ranks; one rule for shares below one per cent."""

from mha.formats import number, signed

SMALLEST_SHARE = 0.005  # half a per cent: smaller shares and changes have no whole number
NARROW_SPACE = "\u00a0"


def share(probability: float) -> str:
    """Return a probability as whole per cents, in words where rounding would show 0 or 100.

    >>> share(0.773), share(0.004), share(0.998)
    ('77\\xa0%', 'less than 1\\xa0%', 'more than 99\\xa0%')
    """
    if 0 < probability < SMALLEST_SHARE:
        return "less than 1\u00a0%"
    return "more than 99\u00a0%" if 1 - SMALLEST_SHARE < probability < 1 else f"{number(100 * probability, 0)}\u00a0%"


def short_share(probability: float) -> str:
    """Return `share` for a narrow place.

    >>> short_share(0.004), short_share(0.998)
    ('<\\xa01\\xa0%', '>\\xa099\\xa0%')
    """
    return share(probability).replace("less than ", "<\u00a0").replace("more than ", ">\u00a0")


def from_to(first_share: float, second_share: float) -> str:
    """Return two different probabilities with one unit, with a decimal if whole per cents are equal.

    >>> from_to(0.77, 0.13), from_to(0.008, 0.11), from_to(0.002, 0.11), from_to(0.504, 0.496)
    ('77 to 13\\xa0%', '1 to 11\\xa0%', 'less than 1\\xa0% to 11\\xa0%', '50.4 to 49.6\\xa0%')
    """
    first, second = share(first_share), share(second_share)
    if first == second and first[0].isdigit():
        return f"{number(100 * first_share, 1)} to {number(100 * second_share, 1)}\u00a0%"
    plain = first[0].isdigit() and second[0].isdigit()
    return f"{first.removesuffix(NARROW_SPACE + '%') if plain else first} to {second}"


def moves(first_share: float, second_share: float) -> str:
    """Return how a probability changes, as a verb with its values; by less than half a per cent it stays.

    >>> moves(0.77, 0.13), moves(0.77, 0.7709), moves(0.002, 0.001)
    ('falls from 77 to 13\\xa0%', 'stays at 77\\xa0%', 'stays at less than 1\\xa0%')
    """
    is_small = abs(second_share - first_share) < SMALLEST_SHARE or not share(first_share)[0].isdigit()
    if is_small and share(first_share) == share(second_share):
        return f"stays at {share(first_share)}"
    return f"{'falls' if second_share < first_share else 'rises'} from {from_to(first_share, second_share)}"


def points(change: float) -> str:
    """Return a change of a probability as points of 100 with a true minus, "" below half a point.

    >>> points(-0.643), points(0.0042)
    ('−64', '')
    """
    return signed(100 * change, 0) if abs(change) >= SMALLEST_SHARE else ""


def nats(change: float) -> str:
    """Return a change in nats with one decimal and a true minus, "" where that would be 0.0.

    >>> nats(-1.79), nats(0.04)
    ('−1.8', '')
    """
    return signed(change, 1) if abs(change) >= 0.05 else ""


def ordinal(rank: int) -> str:
    """Return a rank as an ordinal number.

    >>> ordinal(1), ordinal(2), ordinal(11), ordinal(2079), ordinal(32_722)
    ('first', '2nd', '11th', '2,079th', '32,722nd')
    """
    if rank == 1:
        return "first"
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{rank:,}{'th' if rank % 100 in (11, 12, 13) else endings.get(rank % 10, 'th')}"
