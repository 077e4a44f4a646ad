from datetime import UTC, datetime, timedelta, timezone

import pytest

from retrieval.cli.when import parse_when
from retrieval.errors import InvalidInput

NOW = datetime(2026, 5, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("30m", NOW - timedelta(minutes=30)),
        ("12 H", NOW - timedelta(hours=12)),
        ("7d", NOW - timedelta(days=7)),
        ("2w", NOW - timedelta(weeks=2)),
        ("2026-05-01", datetime(2026, 5, 1, tzinfo=UTC)),
        ("2026-05-01T10:00+02:00", datetime(2026, 5, 1, 10, tzinfo=timezone(timedelta(hours=2)))),
    ],
)
def test_ages_and_dates(text: str, when: datetime) -> None:
    assert parse_when(text, NOW) == when


@pytest.mark.parametrize(
    "text",
    [
        "soon",
        "7y",
        "",
        "2026-13-01",
        "999999w",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:00-05:00",
    ],
)
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(InvalidInput, match="is no time"):
        parse_when(text, NOW)
