"""What is the same in two answers to the same question."""

from typing import Any


def steady(answer: Any) -> dict[str, Any]:
    """The answer as a dict without what differs from call to call."""
    found = dict(answer if isinstance(answer, dict) else answer.to_dict())
    for name in ("timings_ms", "invocation_id"):
        found.pop(name)
    return found
