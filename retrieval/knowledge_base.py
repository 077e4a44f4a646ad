"""A knowledge base: a folder of notes, its index, and the lookups on it."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from retrieval.errors import QueryNotText, RetrievalError
from retrieval.lookup import View, run_lookup
from retrieval.opening import index_exists, open_server, open_view, state_key
from retrieval.options import FixedOptions, ScopedOptions, settle_options, spell_out
from retrieval.refusal import NO_FINGERPRINT, refuse
from retrieval.scope import without_counts
from retrieval.settings import Location, LookupSettings, load_settings
from retrieval.staleness import StaleScan
from retrieval.telemetry import describe_lookup, trace_lookup
from retrieval.types import (
    Entry,
    Fingerprint,
    L1Outcome,
    LookupResult,
    Outcome,
)
from retrieval.worker import TimeLimit

if TYPE_CHECKING:
    from retrieval.knowledge import Knowledge
    from retrieval.records import InvocationStore
    from retrieval.semantic.build import IndexReport, Progress
    from retrieval.semantic.embedding import Embedder
    from retrieval.tools.llama_index import LookupTool
    from retrieval.tools.retriever import KnowledgeRetriever


class KnowledgeBase:
    """Looks up one folder of notes. Safe to use from many threads.

    Each lookup reads one finished index generation from start to end; a re-index, also by another
    process, is seen by the next lookup.
    """

    def __init__(
        self, settings: LookupSettings, location: Location, *, embedder: "Embedder | None" = None
    ) -> None:
        self.settings = settings
        self.location = location
        self._lock = threading.Lock()
        self._limit: TimeLimit[L1Outcome] = TimeLimit()
        self._embedder = embedder
        self._server = open_server(settings)
        self._store: InvocationStore | None = None
        self._state: object = None
        self._opened: tuple[View, Knowledge] | None = None
        self._stale = StaleScan(settings, location)

    @classmethod
    def open(
        cls, path: Path | str | None = None, settings: Mapping[str, Any] | None = None
    ) -> Self:
        """The knowledge base at `path`: a notes root, or a folder with `knowledge.toml`.

        Without a path: the current folder if it has a `knowledge.toml`, else the bundled starter.
        `settings` are nested like the file: `{"lookup": {"top_k": 5}}`. Nothing is built.

        Raises `SettingsError` and `KnowledgeError`.
        """
        from retrieval.bundled import default_knowledge

        where = Path(path) if path is not None else default_knowledge(Path.cwd())
        return cls(*load_settings(where, settings))

    @property
    def embedder(self) -> "Embedder":
        """The embedder that the settings name; its model is loaded with the first text."""
        from retrieval.semantic.embedding import open_embedder

        with self._lock:
            if self._embedder is None:
                self._embedder = open_embedder(self.settings.embedding)
            return self._embedder

    @property
    def view(self) -> View:
        """What the next lookup reads: notes, L0, L1 and the thresholds, of one state."""
        return self._view()[0]

    @property
    def knowledge(self) -> "Knowledge":
        """The notes that lookups see now, and the report of their load."""
        return self._view()[1]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The notes, by source."""
        return self.knowledge.entries

    @property
    def fingerprint(self) -> Fingerprint:
        """What lookups answer from now."""
        return self._view()[0].fingerprint

    def has_index(self) -> bool:
        """True when an index exists, whatever its state; also when a server cannot tell."""
        return index_exists(self.location, self._server)

    @spell_out
    def lookup(self, query: str, **options: Unpack[ScopedOptions]) -> LookupResult:
        """The answer to `query`; what is left out comes from the settings. Nothing is recorded.

        `filters` maps `category`, `source`, `title`, `keywords` or a frontmatter key to a value, a
        list of values, or `{operator: value}` with `eq`, `ne`, `in`, `nin`. `scope` is written
        like them; a note outside it does not exist for this lookup, error messages included.
        `fault` breaks L1 on purpose. A blank query gives a result with outcome `refused`.

        Raises `InvalidInput` for a wrong argument, and `UnknownFilter` for a filter field or
        operator that does not exist.
        """
        view = self._view()[0]
        settled = settle_options(self.settings.lookup, view.entries.values(), **options)
        if not isinstance(query, str):
            raise QueryNotText(
                f"The query is a {type(query).__name__}, not a text.",
                next_action="Pass the query as a string.",
            )
        with trace_lookup(with_query=self.settings.records.record == "full") as span:
            result = run_lookup(query, view, settled, self._limit)
            describe_lookup(span, result)
        stale = self._stale.warning()
        warnings = (*result.warnings, stale) if stale else result.warnings
        return replace(result, warnings=without_counts(warnings) if settled.scope else warnings)

    @spell_out
    async def alookup(self, query: str, **options: Unpack[ScopedOptions]) -> LookupResult:
        """`lookup`, in a thread: for code that runs an event loop."""
        return await asyncio.to_thread(self.lookup, query, **options)

    def refuse(self, query: str, error: RetrievalError, outcome: Outcome) -> LookupResult:
        """The result of a query that could not be looked up, with the error as data."""
        try:
            known = self.fingerprint
        except Exception:  # noqa: BLE001 - an agent's door: why nothing opens is in `error`
            known = NO_FINGERPRINT
        return refuse(query, error, self.settings.lookup, fingerprint=known, outcome=outcome)

    def reindex(self, *, full: bool = False, progress: "Progress | None" = None) -> "IndexReport":
        """Brings the index up to date with the folder; see `build_index`."""
        from retrieval.semantic.build import build_index

        return build_index(
            state_dir=self.location.state_dir,
            root=self.location.root,
            settings=self.settings,
            embedder=self.embedder,
            full=full,
            progress=progress,
        )

    @spell_out
    def as_retriever(self, **options: Unpack[ScopedOptions]) -> "KnowledgeRetriever":
        """A LlamaIndex retriever with these options of `lookup`, one node for a block."""
        from retrieval.tools.retriever import KnowledgeRetriever

        return KnowledgeRetriever(self, **options)

    @spell_out
    def as_tool(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        record: bool = True,
        **fixed: Unpack[FixedOptions],
    ) -> "LookupTool":
        """A LlamaIndex `FunctionTool` for an agent; see `retrieval.tools.llama_index.LookupTool`.

        `filters` limit what exists for the agent, which cannot lift them. Options of `lookup`
        given here are fixed too, and the model is not asked for them.
        """
        from retrieval.tools.llama_index import LookupTool

        return LookupTool.over(self, filters=filters, session_id=session_id, record=record, **fixed)

    def get(self, source: str, lines: tuple[int, int] | None = None) -> str:
        """The text of a note, or some of its lines (1-based, both included), or `UnknownSource`."""
        from retrieval.knowledge import read_note

        return read_note(self.location.root, source, lines, self.settings.knowledge)

    def records(self) -> "InvocationStore":
        """Where invocations are recorded."""
        from retrieval.records import open_store

        with self._lock:
            if self._store is None:
                self._store = open_store(self.settings, self.location)
            return self._store

    def close(self) -> None:
        """Releases the index and the database; the knowledge base opens them again on use."""
        with self._lock:
            for part in (self._server, self._store):
                if part is not None:
                    part.close()
            self._store = self._opened = self._state = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _view(self) -> "tuple[View, Knowledge]":
        """What lookups read, opened again when the index or an unindexed folder changed."""
        embedder = self.embedder
        state = state_key(self.settings, self.location, self._server)
        with self._lock:
            if self._opened is None or state != self._state:
                self._opened = open_view(self.settings, self.location, embedder, self._server)
                self._state = state
                self._stale = StaleScan(self.settings, self.location)
            return self._opened
