"""Points in time on the command line."""

import re
from datetime import UTC, datetime, timedelta

from retrieval.errors import InvalidInput

_AGE = re.compile(r"(\d{1,6})\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_when(text: str, now: datetime | None = None, *, option: str | None = None) -> datetime:
    """The time that `7d` (m, h, d, w before now) or an ISO date or time means, with a time zone.

    A time without a zone is UTC, as records show it. Raises `InvalidInput`, which names the
    `option`; also for a time that is before the year 1 or after 9999 in UTC.
    """
    now = now or datetime.now(UTC)
    age = _AGE.fullmatch(text.strip().lower())
    try:
        if age:
            return now - timedelta(**{_UNITS[age[2]]: int(age[1])})
        when = datetime.fromisoformat(text.strip())
        return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"'{text}' is no time{f' for {option}' if option else ''}.",
            next_action="Write an age such as 30m, 12h, 7d or 2w, or a date such as 2026-05-31.",
        ) from None
