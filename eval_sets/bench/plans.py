"""Sizes for a run that only shows that everything works."""

from typing import Any

QUICK: dict[str, Any] = {
    "quick": True,
    "megabytes": 0.03,
    "repeat": 1,
    "passages": 200,
    "entries": (1_000, 5_000),
    "sizes": (100, 200),
    "queries": 10,
}
