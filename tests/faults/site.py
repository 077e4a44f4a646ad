"""A knowledge base on disk that a fault can be brought to, and what a lookup left there."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from retrieval import KnowledgeBase
from retrieval.semantic.generations import current_generation, index_folder
from tests.notes import write_notes

QUERY = "Is there a guest network for visitors?"
RIGHT = "network/wifi.md"
"""The note that L0 finds for `QUERY`, whatever L1 does."""
Place = Literal["database", "spool", "nowhere"]


@dataclass
class Site:
    """A folder with `knowledge.toml`, six notes, and its state."""

    folder: Path
    database: Path = field(init=False)
    """The SQLite file of the records; a fault may put it elsewhere."""

    def __post_init__(self) -> None:
        self.database = self.state / "records.sqlite3"

    @property
    def config(self) -> Path:
        return self.folder / "knowledge.toml"

    @property
    def notes(self) -> Path:
        return self.folder / "notes"

    @property
    def state(self) -> Path:
        return self.folder / ".lookup-knowledge"

    @property
    def index(self) -> Path:
        return index_folder(self.state)

    @property
    def generation(self) -> Path:
        """The current one's folder."""
        folder = current_generation(self.state)
        assert folder is not None
        return folder

    def set(self, table: str, line: str) -> None:
        """One more setting."""
        text = self.config.read_text(encoding="utf-8")
        self.config.write_text(f"{text}\n[{table}]\n{line}\n", encoding="utf-8")

    def where_is(self, invocation: str | None) -> tuple[Place, dict[str, Any]]:
        """Where the record of an invocation is now, and its `retrieval_details`."""
        for line in self.spooled():
            if line["id"] == invocation:
                return "spool", line["retrieval_details"]
        for identifier, details in self._rows():
            if identifier == invocation:
                return "database", json.loads(details)
        return "nowhere", {}

    def count_records(self) -> int:
        """Rows of the database, and lines of the spool."""
        return len(self._rows()) + len(self.spooled())

    def spooled(self) -> list[dict[str, Any]]:
        path = self.state / "spool.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def _rows(self) -> list[tuple[str, str]]:
        if not self.database.exists():
            return []
        # `immutable` is not asked for: a row may still be in the write-ahead log.
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            try:
                return database.execute(
                    "SELECT id, retrieval_details FROM tool_invocation"
                ).fetchall()
            except sqlite3.DatabaseError:
                return []  # damaged on purpose, or without a table yet


def build_site(folder: Path, model: str) -> Site:
    """A new site with an index."""
    write_notes(folder / "notes")
    config = f'root = "notes"\n[embedding]\nmodel = "{model}"\n[lookup]\nl1_timeout = 2.0\n'
    (folder / "knowledge.toml").write_text(config, encoding="utf-8")
    with KnowledgeBase.open(folder) as base:
        assert base.reindex().added == 6
        healthy = base.lookup(QUERY)
        assert (healthy.outcome, healthy.l1.status) == ("evidence", "ok"), healthy.l1
        assert healthy.relevance.semantic_support
    return Site(folder)


def copy_site(site: Site, folder: Path) -> Site:
    """The same elsewhere, file times included: to the lookup nothing has changed."""
    shutil.copytree(site.folder, folder)
    return Site(folder)
