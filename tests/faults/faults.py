"""The faults, each a context manager over a `Site`, and what a lookup owes its caller then."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval.types import L1Status
from tests.faults import databases, embedder, model_files
from tests.faults import index_files as files
from tests.faults.site import Place, Site

Apply = Callable[[Site], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is broken, and what has to be seen then."""

    id: str
    apply: Apply
    l1: tuple[L1Status, ...] = ("ok",)
    code: str | None = None
    """Of the warning that every recorded answer carries."""
    live: bool = False
    """It happens under a process that has answered before."""
    record: Place = "database"
    model: str = embedder.MODEL
    stops_eval: str | None = None
    """Code of the error by which an evaluation that needs L1 refuses to begin."""
    built_in: bool = False
    """Where each answer opens the index anew, `--fault l1-timeout` stands for it."""

    def __str__(self) -> str:
        return self.id


def with_model(behaviour: embedder.Behaviour) -> Apply:
    return lambda _: embedder.behave(behaviour)


@contextmanager
def hang(_: Site) -> Iterator[None]:
    with embedder.hanging():
        yield


def on_disk(change: Callable[[Site], object]) -> Apply:
    """A fault that is done once and stays."""

    @contextmanager
    def apply(site: Site) -> Iterator[None]:
        change(site)
        yield

    return apply


@contextmanager
def fail_without_index(site: Site) -> Iterator[None]:
    """Two at once."""
    files.delete_index(site)
    with embedder.behave(embedder.fail):
        yield


SEMANTIC = (
    Fault(id="l1-raises", apply=with_model(embedder.fail), l1=("failed",), code="embedding_error"),
    Fault(id="l1-panics", apply=with_model(embedder.panic), l1=("failed",), code="l1_failed"),
    Fault(
        id="l1-hangs",
        apply=hang,
        l1=("timeout",),
        code="l1_timeout",
        live=True,
        built_in=True,
    ),
    Fault(id="l1-finds-nothing", apply=with_model(embedder.find_nothing), l1=("empty",)),
    Fault(
        id="l1-query-vector-nan",
        apply=with_model(embedder.give_nan),
        l1=("failed",),
        code="embedding_error",
    ),
    Fault(
        id="l1-query-vector-of-another-shape",
        apply=with_model(embedder.give_another_shape),
        l1=("failed",),
        code="index_mismatch",
    ),
    Fault(id="l1-ids-of-no-note", apply=on_disk(files.swap_ids), l1=("failed",), code="l1_failed"),
    Fault(
        id="l1-stored-vectors-nan",
        apply=on_disk(files.store_nan),
        l1=("failed",),
        code="index_damaged",
    ),
)
INDEX = (
    Fault(
        id="index-missing",
        apply=on_disk(files.delete_index),
        l1=("not_ready",),
        code="index_missing",
        stops_eval="index_missing",
    ),
    Fault(
        id="index-missing-and-model-fails",
        apply=fail_without_index,
        l1=("not_ready",),
        code="index_missing",
        stops_eval="index_missing",
    ),
    Fault(id="index-stale", apply=on_disk(files.change_note), code="index_stale"),
    Fault(
        id="index-of-another-model",
        apply=on_disk(files.change_model),
        l1=("not_ready",),
        code="index_mismatch",
        stops_eval="index_missing",
    ),
    *(
        Fault(
            id=f"index-cut-{name}",
            apply=on_disk(files.cut(name)),
            l1=("not_ready",),
            code="index_damaged",
            stops_eval="index_missing",
        )
        for name in ("CURRENT", "manifest.json", "chroma.sqlite3")
    ),
    *(
        Fault(
            id=f"index-scrambled-{name}",
            apply=on_disk(files.scramble(name)),
            l1=l1,
            code="index_damaged",
            stops_eval=stops,
        )
        for name, l1, stops in (
            ("chroma.sqlite3", ("failed",), None),
            # Read only when there are more vectors than the database keeps itself.
            ("data_level0.bin", ("failed", "ok"), None),
            ("snapshot.json", ("not_ready",), "index_missing"),
        )
    ),
    # A re-index reads it, and a lookup does not.
    Fault(id="index-scrambled-words.npz", apply=on_disk(files.scramble("words.npz"))),
    *(
        Fault(
            id=f"index-scrambled-{name}",
            apply=on_disk(files.scramble_numbers(f"{name}.csc.index.npy")),
            l1=("failed",),
            code="index_damaged",
        )
        for name in ("data", "indices", "indptr")
    ),
    Fault(
        id="index-deleted-under-a-process",
        apply=on_disk(files.delete_index),
        l1=("not_ready",),
        code="index_missing",
        live=True,
        stops_eval="index_missing",
    ),
    Fault(
        id="generation-deleted-under-a-process",
        apply=on_disk(files.delete_generation),
        l1=("not_ready",),
        code="index_damaged",
        live=True,
        stops_eval="index_missing",
    ),
    Fault(id="notes-deleted", apply=on_disk(files.delete_notes), code="index_stale"),
    Fault(
        id="state-deleted-under-a-process",
        apply=on_disk(files.delete_state),
        l1=("not_ready",),
        code="index_missing",
        live=True,
        stops_eval="index_missing",
    ),
)
MODEL = tuple(
    Fault(id=name, apply=apply, l1=("failed",), code="embedding_error", model="minilm")
    for name, apply in (
        ("model-file-missing", model_files.model_file(Path.unlink)),
        ("model-file-altered", model_files.model_file(model_files.alter)),
        ("tokenizer-missing", model_files.tokenizer_file(Path.unlink)),
        ("tokenizer-altered", model_files.tokenizer_file(model_files.alter)),
    )
)
SPOOLED: dict[str, Any] = {"code": "record_spooled", "record": "spool"}
LOST: dict[str, Any] = {"code": "record_failed", "record": "nowhere"}
DATABASE = (
    Fault(id="database-locked", apply=databases.lock_database, **SPOOLED),
    Fault(id="database-full", apply=databases.fill_disk, **SPOOLED),
    Fault(
        id="database-read-only",
        apply=databases.protect_database,
        code="record_spooled",
        record="spool",
    ),
    Fault(id="database-down", apply=databases.stop_database, **SPOOLED),
    Fault(
        id="database-damaged",
        apply=on_disk(databases.damage_database),
        code="record_spooled",
        record="spool",
    ),
    Fault(
        id="database-of-unknown-kind",
        apply=on_disk(databases.misname_database),
        **LOST,
    ),
    Fault(
        id="state-folder-read-only",
        apply=databases.protect_state,
        **LOST,
    ),
)
FAULTS = (*SEMANTIC, *INDEX, *MODEL, *DATABASE)
