"""The lookups of a run: every variant, its twin without the filter, and the fault profiles."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from eval_sets.asking import (
    Asking,
    Progress,
    RecordedApart,
    ask_all,
    ask_and_record,
    recorded_apart,
)
from eval_sets.cache import RowCache, code_digest, library_versions
from eval_sets.contract import FilterMetrics, fallback_metrics, filter_metrics
from eval_sets.metrics import depth, mean_score
from eval_sets.results import FaultResult
from eval_sets.types import Case, FaultProfile, Row, Variant, cases_digest
from eval_sets.variants import open_variant
from retrieval.errors import IndexMissing
from retrieval.faults import Fault
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import Entry

INDEX_MISSING: FaultProfile = "index-missing"
MOST_WORKERS = 4
HANGING_WORKERS = 24
"""Lookups at once where each one only waits for a hanging L1."""


@dataclass(kw_only=True)
class Running:
    """One run over some cases; what it opens is released when `stack` is closed."""

    base: KnowledgeBase
    cases: Sequence[Case]
    metric: str
    """What the accounts of filter and fallback measure."""
    depth: int
    workers: int
    use_cache: bool
    progress: Progress | None
    stack: ExitStack
    opened: dict[str, KnowledgeBase] = field(default_factory=dict)
    cached: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def open(self, variant: Variant) -> KnowledgeBase:
        """The knowledge base that answers for the variant.

        Raises `IndexMissing` when it needs L1 and has no usable index.
        """
        if variant.name not in self.opened:
            state: Path | None = None
            if variant.fault == INDEX_MISSING:
                state = Path(self.stack.enter_context(TemporaryDirectory(prefix="lookup-eval-")))
            kb = open_variant(self.base, variant, state_dir=state, progress=self.progress)
            self.opened[variant.name] = self.stack.enter_context(kb)
            self._check(variant, kb)
        return self.opened[variant.name]

    def rows(self, variant: Variant, cases: Sequence[Case] | None = None) -> tuple[Row, ...]:
        """The rows of a variant, from the cache or asked now."""
        kb = self.open(variant)
        asking = self._asking(variant, self.depth)
        chosen = self.cases if cases is None else cases
        return self._kept(
            self._key(variant, kb, chosen, asking),
            kb,
            lambda: ask_all(kb, chosen, asking, progress=self.progress),
        )

    def filter_account(self, variant: Variant, rows: Sequence[Row]) -> FilterMetrics | None:
        """The filter's account; None for a variant that derives none, or whose L1 is broken."""
        if self.open(variant).settings.lookup.filter_mode == "off" or not self.asks_both(variant):
            return None
        touched = {row.case_id for row in rows if row.filter and row.filter.category is not None}
        twin = Variant(
            name=f"{variant.name} without filter",
            settings=_with_lookup(variant.settings, filter_mode="off"),
        )
        cases = [case for case in self.cases if case.id in touched]
        return filter_metrics(
            rows,
            self._by_id,
            unfiltered=self.rows(twin, cases) if cases else (),
            categories={entry.source: entry.categories for entry in self._entries(variant)},
            metric=self.metric,
        )

    def asks_both(self, variant: Variant) -> bool:
        """True when the variant asks L0 and an L1 that is not broken on purpose."""
        return self.open(variant).settings.lookup.mode == "l0+l1" and variant.fault is None

    def fault_accounts(
        self, variant: Variant, healthy: Sequence[Row], profiles: Iterable[FaultProfile]
    ) -> tuple[FaultResult, ...]:
        """The variant under each profile, recorded into a database of its own."""
        return tuple(self._fault_account(variant, healthy, profile) for profile in profiles)

    def _fault_account(
        self, variant: Variant, healthy: Sequence[Row], profile: FaultProfile
    ) -> FaultResult:
        name = f"{variant.name} under {profile}"
        broken = replace(variant, name=name, fault=profile)
        asking = self._asking(broken, min(self.depth, depth([self.metric]) or self.depth))

        def open_recorded(state: Path) -> RecordedApart:
            kb = open_variant(
                self.base,
                broken,
                opened=RecordedApart,
                state_dir=state if profile == INDEX_MISSING else None,
            )
            return cast(RecordedApart, kb)

        if self.progress is not None:  # without an index, all notes are read before a query
            self.progress(name, 0, len(self.cases))
        with recorded_apart(open_recorded) as kb:
            rows = self._kept(
                self._key(broken, kb, self.cases, asking),
                kb,
                lambda: ask_and_record(kb, self.cases, asking, progress=self.progress),
            )
        return FaultResult(
            variant=variant.name,
            profile=profile,
            metrics=fallback_metrics(rows, healthy=healthy),
            quality=mean_score(rows, self._by_id, self.metric),
            healthy=mean_score(healthy, self._by_id, self.metric),
            no_evidence=sum(not row.ranking for row in rows),
            failed=tuple(row.case_id for row in rows if row.status == "failed"),
        )

    def _asking(self, variant: Variant, deep: int) -> Asking:
        return Asking(
            variant=variant.name,
            depth=deep,
            keep_top_k="top_k" in variant.settings.get("lookup", {}),
            fault=lookup_fault(variant.fault),
            workers=HANGING_WORKERS if variant.fault == "l1-timeout" else self.workers,
        )

    @property
    def _by_id(self) -> dict[str, Case]:
        return {case.id: case for case in self.cases}

    def _entries(self, variant: Variant) -> tuple[Entry, ...]:
        return self.open(variant).entries

    def _check(self, variant: Variant, kb: KnowledgeBase) -> None:
        told = kb.lookup(self.cases[0].query, mode="l0").warnings
        self.warnings.extend(f"{warning.message} {warning.next_action}" for warning in told)
        wants_l1 = kb.settings.lookup.mode != "l0" and variant.fault is None
        if not wants_l1 or kb.fingerprint.index is not None:
            return
        error = kb.lookup(self.cases[0].query).l1.error
        why = error.message if error else "There is none."
        raise IndexMissing(
            f"The variant {variant.name!r} needs an index. {why}",
            next_action="Run `lookup-knowledge index`, or `reindex()` on the knowledge base.",
        )

    def _kept(
        self, key: Mapping[str, Any], kb: KnowledgeBase, ask: Callable[[], tuple[Row, ...]]
    ) -> tuple[Row, ...]:
        """The rows under this key, asked only when they are not there."""
        cache = RowCache(self.base.location.state_dir)
        if self.use_cache and (kept := cache.get(key)) is not None:
            self.cached.append(key["asking"]["variant"])
            return kept
        rows = ask()
        if self.use_cache and _repeatable(rows, kb, broken=key["profile"] is not None):
            cache.put(key, rows)
        return rows

    def _key(
        self, variant: Variant, kb: KnowledgeBase, cases: Sequence[Case], asking: Asking
    ) -> Mapping[str, Any]:
        return {
            "cases": cases_digest(cases),
            "settings": variant.settings,
            "profile": variant.fault,
            "fingerprint": asdict(kb.fingerprint),
            "notes": notes_digest(kb.entries),
            "asking": {**asdict(asking), "workers": None},
            "code": code_digest(),
            "libraries": library_versions(),
        }


def default_workers() -> int:
    """The cores, 4 at most: embedding and the vector store let other threads run meanwhile."""
    return min(MOST_WORKERS, os.cpu_count() or 1)


def notes_digest(entries: Iterable[Entry]) -> str:
    """Short digest of the notes' names and contents."""
    text = json.dumps(sorted((entry.source, entry.content_hash) for entry in entries))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def lookup_fault(profile: FaultProfile | None) -> Fault | None:
    """The fault of a lookup under this profile; a missing index is none of the lookup itself."""
    return None if profile is None or profile == "index-missing" else profile


def _with_lookup(settings: Mapping[str, Any], **values: object) -> dict[str, Any]:
    return {**settings, "lookup": {**settings.get("lookup", {}), **values}}


def _repeatable(rows: Sequence[Row], kb: KnowledgeBase, *, broken: bool) -> bool:
    """True when asking again would give the same: no crash, no accident of L1, one index."""
    fingerprint = kb.fingerprint
    accidents = () if broken else ("failed", "timeout", "not_ready")
    return all(
        row.fingerprint == fingerprint
        and row.status != "failed"
        and row.l1_status not in accidents
        and row.hints_recorded is not False
        for row in rows
    )
