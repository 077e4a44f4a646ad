"""An index's vectors on a Chroma server that several hosts share.

Each index is a collection of its own, `<name>-<id>`, which never changes once it is published. The
collection `<name>` is empty; its metadata name the one that is current, so a new index is seen by
every host at its next lookup. Times are the server's: the clocks of the hosts do not matter.
"""

import re
import secrets
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from retrieval.errors import IndexDamaged
from retrieval.semantic.connection import Connection
from retrieval.semantic.generations import REBUILD, ServerIndex
from retrieval.settings.chroma import ChromaSection

READ_SECONDS = 5.0
"""What one request of a lookup may take."""
WRITE_SECONDS = 120.0
"""What one request of an index run may take."""
GRACE_SECONDS = 600.0
"""How long a superseded collection is kept, for hosts whose lookups still read it."""
UNFINISHED_SECONDS = 86_400.0
"""How long a collection that was never published is kept: another host may be writing it."""


class ChromaServer(Connection):
    """The collections of one knowledge base. Every method raises `IndexUnreachable` when the server
    does not answer or refuses."""

    def __init__(self, settings: ChromaSection, *, seconds: float = READ_SECONDS) -> None:
        super().__init__(settings, seconds=seconds)
        self.name = settings.collection or ""
        self._own = re.compile(rf"{re.escape(self.name)}-([0-9]{{13}})-[0-9a-f]{{6}}")
        self._known: ServerIndex | None = None

    @property
    def last_known(self) -> str | None:
        """The collection that was current when the server was last asked."""
        return self._known.collection if self._known else None

    def current(self) -> ServerIndex | None:
        """The index that is current on the server, or None before the first."""
        with self.asking():
            pointer = self.find_collection(self.name)
            name = (pointer.metadata or {}).get("current") if pointer else None
            if name is None:
                self._known = None
            elif not isinstance(name, str) or not self._own.fullmatch(name):
                # Not asked for: what is no name of ours may be somebody else's, or none at all.
                raise _damaged(f"what {self.name} names as its current index is no collection")
            elif self._known is None or self._known.collection != name:
                self._known = _read_manifest(name, self.find_collection(name))
            return self._known

    def new_name(self) -> str:
        """A collection name that is not in use; later ones sort after earlier ones."""
        return f"{self.name}-{self._now_ms():013d}-{secrets.token_hex(3)}"

    def publish(self, index: ServerIndex) -> None:
        """Makes a written collection the current one, for every host at once."""
        with self.asking():
            collection = self.client.get_collection(index.collection, embedding_function=None)
            collection.modify(metadata={"manifest": index.model_dump_json()})
            pointer = self.client.get_or_create_collection(self.name, embedding_function=None)
            pointer.modify(metadata={"current": index.collection})
            self._known = index

    def remove_old(
        self,
        *,
        grace_seconds: float = GRACE_SECONDS,
        unfinished_seconds: float = UNFINISHED_SECONDS,
    ) -> None:
        """Deletes collections that were superseded, or left unfinished, long enough ago.

        Only those whose whole name is one that `new_name` gives: others may use the server too.
        """
        current = self.current()
        with self.asking():
            now = self._now_ms()
            for collection, began in self._own_collections():
                metadata = dict(collection.metadata or {})
                if current is not None and collection.name == current.collection:
                    if metadata.pop("superseded", None):  # marked before it was pointed to
                        collection.modify(metadata=metadata)
                    continue
                if "manifest" not in metadata:
                    over = now - began > 1000 * unfinished_seconds
                elif "superseded" not in metadata and grace_seconds > 0:
                    collection.modify(metadata=metadata | {"superseded": now})
                    over = False
                else:
                    over = now - int(metadata.get("superseded", 0)) >= 1000 * grace_seconds
                if over:
                    self.drop(collection.name)

    def _own_collections(self) -> Iterator[tuple[Any, int]]:
        """Each collection that `new_name` named, with when it did so, in ms."""
        page, offset = 100, 0
        found: list[Any] = []
        while part := self.client.list_collections(limit=page, offset=offset):
            found += part
            offset += len(part)
        for collection in found:
            if own := self._own.fullmatch(collection.name):
                yield collection, int(own[1])

    def _now_ms(self) -> int:
        with self.asking():
            return int(self.client.heartbeat()) // 1_000_000


def _read_manifest(name: str, collection: Any) -> ServerIndex:
    try:
        return ServerIndex.model_validate_json((collection.metadata or {})["manifest"])
    except (ValidationError, AttributeError, KeyError, TypeError) as error:
        raise _damaged(f"its collection {name}, which is to be current, is not usable") from error


def _damaged(what: str) -> IndexDamaged:
    return IndexDamaged(f"The index on the Chroma server is damaged: {what}.", next_action=REBUILD)
