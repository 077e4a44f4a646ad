"""The embedder and the index, and who is writing it."""

import importlib.util
import json
import os
import socket
from collections.abc import Iterable
from http.client import HTTPException

from retrieval.doctor.check import Check
from retrieval.settings import Location, LookupSettings

REINDEX = "Run: lookup-knowledge index"


def check_embedder(settings: LookupSettings, _location: Location) -> Iterable[Check]:
    """Whether the model's files are the right ones and a text gets its vector.

    A model that comes from elsewhere is not asked: that could fetch it, or cost money.
    """
    from retrieval.semantic.embedding import open_embedder

    embedder = open_embedder(settings.embedding)
    name = embedder.spec.name
    integration = name.partition(":")[0]
    if name != "minilm" and integration != "hash":
        module = f"llama_index.embeddings.{integration}"
        if importlib.util.find_spec("llama_index.embeddings") and importlib.util.find_spec(module):
            detail = f"{name}: its package is installed; the model itself was not asked"
            yield Check(name="embedder", status="not checked", detail=detail)
        else:
            yield Check(
                name="embedder",
                status="problem",
                detail=f"{name}: its package is not installed.",
                next_action=f"Run: pip install llama-index-embeddings-{integration}",
            )
        return
    size = embedder.embed_query("door badge").shape[0]
    yield Check(name="embedder", status="ok", detail=f"{name}, vectors of {size} numbers")


def check_index(settings: LookupSettings, location: Location) -> Iterable[Check]:
    """Whether there is an index, whole, of these settings and of the notes as they are."""
    from retrieval.semantic.embedding import open_embedder
    from retrieval.semantic.generation import find_differences
    from retrieval.semantic.generations import current_generation, read_manifest
    from retrieval.staleness import count_stale

    folder = current_generation(location.state_dir)
    if folder is None:
        detail = "There is none yet; keywords answer meanwhile."
        yield Check(name="index", status="warning", detail=detail, next_action=REINDEX)
        return
    manifest = read_manifest(folder)
    differences = find_differences(manifest, settings, open_embedder(settings.embedding).spec)
    if differences:
        detail = f"It does not fit the settings: {'; '.join(differences)}."
        yield Check(name="index", status="problem", detail=detail, next_action=REINDEX)
        return
    stale = count_stale(settings, location)
    if stale:
        detail = f"{stale} {'note has' if stale == 1 else 'notes have'} changed since it was built."
        yield Check(name="index", status="warning", detail=detail, next_action=REINDEX)
        return
    megabytes = sum(manifest.sizes.values()) / 1024**2
    yield Check(
        name="index",
        status="ok",
        detail=f"{manifest.passages} passages, {megabytes:.1f} MiB, "
        f"built {manifest.created_at[:16].replace('T', ' ')} UTC",
    )


def check_writer(_settings: LookupSettings, location: Location) -> Iterable[Check]:
    """Who holds the right to write the index, as far as the mark beside the lock tells."""
    from retrieval.semantic.generations import index_folder

    path = index_folder(location.state_dir) / "writer.json"
    try:
        mark = json.loads(path.read_bytes())
        pid, host, since = int(mark["pid"]), str(mark["host"]), str(mark["since"])
    except FileNotFoundError:
        yield Check(name="index writer", status="ok", detail="nobody is writing the index")
        return
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        detail = f"{path} cannot be read: somebody is writing, or stopped half-way."
        yield Check(name="index writer", status="not checked", detail=detail)
        return
    who = f"process {pid} on {host}, since {since}"
    if host == socket.gethostname() and not _lives(pid):
        detail = f"left by {who}, which has ended; the next `lookup-knowledge index` takes over"
        yield Check(name="index writer", status="ok", detail=detail)
    else:
        yield Check(name="index writer", status="ok", detail=f"the index is being written: {who}")


def check_server(settings: LookupSettings, _location: Location) -> Iterable[Check]:
    """Whether the Chroma server answers, where the settings name one."""
    url = getattr(getattr(settings, "chroma", None), "url", None)
    if url is None:
        detail = "none is set: the vectors lie in the state folder"
        yield Check(name="Chroma server", status="ok", detail=detail)
    else:
        yield ask_server(url)


def ask_server(url: str) -> Check:
    """Whether a Chroma server answers at this address."""
    import urllib.request

    try:
        heartbeat = f"{url.rstrip('/')}/api/v2/heartbeat"
        with urllib.request.urlopen(heartbeat, timeout=3) as answer:
            beats = "nanosecond heartbeat" in json.loads(answer.read(1000))
    except (OSError, ValueError, HTTPException) as error:
        detail = f"{url} does not answer as Chroma does: {getattr(error, 'reason', error)}."
    else:
        if beats:
            return Check(name="Chroma server", status="ok", detail=f"{url} answers")
        detail = f"{url} is no Chroma server."
    return Check(
        name="Chroma server",
        status="problem",
        detail=detail,
        next_action="Start it, or correct `chroma.url`; keywords answer meanwhile.",
    )


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
