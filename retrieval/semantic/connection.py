"""The connection to a Chroma server: its time limits, its token, and its failures as our errors."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlsplit

import chromadb
import httpx
from chromadb.config import Settings as ChromaSettings
from chromadb.errors import (
    AuthorizationError,
    ChromaAuthError,
    ChromaError,
    InvalidArgumentError,
    NotFoundError,
    QuotaError,
    RateLimitError,
)

from retrieval.errors import IndexDamaged, IndexMismatch, IndexUnavailable, IndexUnreachable
from retrieval.semantic.generations import REBUILD
from retrieval.settings.chroma import ChromaSection

CONNECT_SECONDS = 2.0
_PAUSE = 5.0  # after a failure, in terms of the time that it took: a dead host costs a sixth
_LONGEST_PAUSE = 30.0


class Connection:
    """A Chroma client that connects on first use. Safe to use from many threads.

    When the server does not answer it is left alone for five times as long as that took, 30 seconds
    at most.
    """

    def __init__(self, settings: ChromaSection, *, seconds: float) -> None:
        """`seconds` is what one request may take."""
        self.settings = settings
        self._seconds = seconds
        self._lock = threading.Lock()
        self._client: Any = None
        self._paused_until = float("-inf")
        self._reason = ""

    @property
    def client(self) -> Any:
        """The Chroma client; use it within `asking`."""
        with self._lock:
            if self._client is None:
                self._client = self._connect()
            return self._client

    @contextmanager
    def asking(self, dimension: int | None = None) -> Iterator[None]:
        """Turns what goes wrong while the server is asked into our errors.

        `IndexMismatch` for a query of another `dimension`, `IndexDamaged` for a collection that is
        gone or refuses, else `IndexUnreachable`.
        """
        if time.monotonic() < self._paused_until:
            raise self._unreachable(self._reason)
        started = time.monotonic()
        try:
            yield
        except IndexUnavailable:
            raise
        except httpx.HTTPError as error:
            raise self._failed(_say(error), started) from None
        except (ChromaAuthError, AuthorizationError, RateLimitError, QuotaError) as error:
            raise self._unreachable(f"it refuses: {_say(error)}") from None
        except InvalidArgumentError as error:
            if dimension is None:
                raise IndexDamaged(
                    f"The Chroma server does not take the request: {error}.", next_action=REBUILD
                ) from error
            raise IndexMismatch(
                f"The index does not take a query of {dimension} dimensions: {error}.",
                next_action=REBUILD,
            ) from error
        except ChromaError as error:
            raise IndexDamaged(
                f"The vectors on the Chroma server cannot be read: {_say(error)}.",
                next_action=REBUILD,
            ) from error
        except Exception as error:
            if type(error) is not Exception:
                raise
            # Chroma's client raises a bare `Exception` for an answer that is not Chroma's own,
            # such as a proxy's page.
            raise self._failed(f"it answered: {_say(error)}", started) from None

    def _connect(self) -> Any:
        parts = urlsplit(self.settings.url or "")
        secure = parts.scheme == "https"
        host, port = parts.hostname or "", parts.port or (443 if secure else 80)
        headers: dict[str, str] = {}
        if self.settings.token is not None:
            token = self.settings.token.get_secret_value()
            bearer = self.settings.token_header == "Authorization"
            headers[self.settings.token_header] = f"Bearer {token}" if bearer else token
        # Chroma's client waits for an answer for ever: asked first here, and limited below.
        limit = httpx.Timeout(self._seconds, connect=CONNECT_SECONDS)
        tenant, database = self.settings.tenant, self.settings.database
        base = (self.settings.url or "").rstrip("/")
        place = f"{base}/api/v2/tenants/{quote(tenant, '')}/databases/{quote(database, '')}"
        answer = httpx.get(place, headers=headers, timeout=limit)
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise self._unreachable(f"it has no database '{database}' of a tenant '{tenant}'")
        answer.raise_for_status()
        try:
            client: Any = chromadb.HttpClient(
                host=host,
                port=port,
                ssl=secure,
                headers=headers,
                tenant=tenant,
                database=database,
                # Not from a `.env` in the working folder, nor from variables of other programs.
                settings=ChromaSettings(  # type: ignore[call-arg]
                    _env_file=None,
                    anonymized_telemetry=False,
                    chroma_server_host=None,
                    chroma_server_http_port=None,
                    chroma_http_keepalive_secs=30.0,
                ),
            )
        except ValueError as error:  # what its start makes of an answer that is no Chroma's
            raise self._unreachable(_say(error)) from None
        client._server._session.timeout = limit
        client._admin_client._server._session.close()  # it was needed for the start only
        return client

    def find_collection(self, name: str) -> Any:
        """The collection, or None; its metadata as they are now."""
        try:
            return self.client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def drop(self, collection: str) -> None:
        """Deletes a collection; one that is gone already does not matter."""
        with self.asking():
            try:
                self.client.delete_collection(collection)
            except NotFoundError:
                return

    def close(self) -> None:
        """Closes the connections; the next use opens them again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client._server._session.close()  # which Chroma leaves open
            client.close()

    def _failed(self, reason: str, started: float) -> IndexUnreachable:
        took = time.monotonic() - started
        self._paused_until = time.monotonic() + min(_LONGEST_PAUSE, _PAUSE * took)
        self._reason = reason
        return self._unreachable(reason)

    def _unreachable(self, reason: str) -> IndexUnreachable:
        return IndexUnreachable(
            f"The Chroma server {self.settings.url} cannot be used: {reason.rstrip('. ')}.",
            next_action="Check that it runs, and the settings in [chroma].",
        )


def _say(error: BaseException) -> str:
    lines: Sequence[str] = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200]
