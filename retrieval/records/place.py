"""Where a knowledge base keeps its records and the spool behind them."""

from pathlib import Path

from retrieval.records.engine import place_url
from retrieval.records.store import InvocationStore
from retrieval.settings import Location, LookupSettings


def record_place(settings: LookupSettings, location: Location) -> tuple[str | Path, Path]:
    """The database (a URL or a SQLite file) and the spool file.

    A SQLite file that `records.url` names relatively lies below the folder of the settings file,
    or without one below the state folder. Raises `SettingsError`.
    """
    state = location.state_dir
    base = location.config.parent if location.config else state
    url = place_url(settings.records.url, base=base, default=state / "records.sqlite3")
    return url, state / "spool.jsonl"


def open_store(settings: LookupSettings, location: Location) -> InvocationStore:
    """The store of a knowledge base; nothing is connected yet.

    Raises `SettingsError` and `MissingExtra`.
    """
    return InvocationStore(*record_place(settings, location))
