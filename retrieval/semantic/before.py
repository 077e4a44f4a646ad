"""The index that a run starts from, as far as it can be built upon."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import IndexUnavailable
from retrieval.semantic.embedding import Embedder
from retrieval.semantic.generation import Generation, find_differences
from retrieval.semantic.generations import current_generation, read_manifest
from retrieval.settings import LookupSettings
from retrieval.types import Entry, LoadIssue, LoadReport

if TYPE_CHECKING:
    from retrieval.semantic.server import ChromaServer

Files = dict[str, tuple[int, int, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """The generation that is current when a run begins."""

    files: Files
    """Empty when there was none or its manifest cannot be read."""
    generation: Generation | None = None
    rebuild: str | None = None
    """Why its notes and rows cannot be built upon."""

    def notes(self) -> dict[str, Entry]:
        """The notes that stand as they were cut, by source."""
        if self.generation is None or self.rebuild:
            return {}
        return {entry.source: entry for entry in self.generation.knowledge.entries}

    def issues(self) -> tuple[LoadIssue, ...]:
        """What the load of those notes met."""
        return self.generation.knowledge.report.issues if self.generation else ()

    def is_current(self, files: Files, report: LoadReport) -> bool:
        """True when there is nothing to write."""
        return (
            self.generation is not None
            and self.rebuild is None
            and files == self.files
            and report == self.generation.knowledge.report
        )


def open_before(
    state_dir: Path,
    settings: LookupSettings,
    embedder: Embedder,
    *,
    server: "ChromaServer | None" = None,
    full: bool = False,
) -> Before:
    """What can be built upon; its generation is for the caller to close."""
    files: Files = {}
    try:
        folder = current_generation(state_dir)
        if folder is None:
            return Before(files={})
        generation = Generation(folder, read_manifest(folder), server)
        files = generation.manifest.files
        if full:
            return Before(files=files, rebuild="a full build was asked for")
        # Opened here, so that damage is met before anything is built on it.
        _ = generation.knowledge, generation.fulltext.texts
        if generation.manifest.server is None:
            _ = generation.vectors
    except IndexUnavailable as error:
        return Before(files=files, rebuild=error.message.rstrip("."))
    differences = find_differences(generation.manifest, settings, embedder.spec)
    return Before(files=files, generation=generation, rebuild="; ".join(differences) or None)
