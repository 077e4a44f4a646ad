"""Sizes for a run that only shows that everything works."""

from typing import Any

QUICK: dict[str, Any] = {
    "quick": True,
    "passages": 200,
    "entries": (1_000, 5_000),
    "sizes": (100, 200),
    "queries": 10,
}
