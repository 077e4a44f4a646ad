"""Numbers as people read them; a dash where there is none."""

from collections.abc import Mapping

DASH = "–"


def decimal(value: float | None, digits: int = 2) -> str:
    """The number with so many digits, or a dash."""
    return DASH if value is None else f"{value:.{digits}f}"


def ordinal(rank: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`."""
    tail = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{tail}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 note`, `2 notes`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def milliseconds(value: float) -> str:
    """`0.4 ms`, `12 ms`, `1.3 s`."""
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"


def timings(timings_ms: Mapping[str, float]) -> list[tuple[str, str]]:
    """Stage and time, in the order of the stages."""
    return [(name, milliseconds(value)) for name, value in timings_ms.items()]
