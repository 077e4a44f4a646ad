"""Points in time on the command line."""

import re
from datetime import UTC, datetime, timedelta

from retrieval.errors import InvalidInput

_AGE = re.compile(r"(\d{1,6})\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_when(text: str, now: datetime | None = None) -> datetime:
    """The time that `7d` (m, h, d, w before now) or an ISO date or time means, with a time zone.

    A time without a zone is UTC, as records show it. Raises `InvalidInput`.
    """
    now = now or datetime.now(UTC)
    age = _AGE.fullmatch(text.strip().lower())
    try:
        if age:
            return now - timedelta(**{_UNITS[age[2]]: int(age[1])})
        when = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"'{text}' is no time.",
            next_action="Write an age such as 30m, 12h, 7d or 2w, or a date such as 2026-05-31.",
        ) from None
    return when if when.tzinfo else when.replace(tzinfo=UTC)
