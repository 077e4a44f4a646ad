"""Notes as MCP resources: `knowledge:///billing/refund.md`, in pages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from retrieval.errors import RetrievalError
from retrieval.tools.mcp.wire import wire_text
from retrieval.tools.notes import list_notes, read_text
from retrieval.types import Condition

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase

SCHEME = "knowledge:///"
MARKDOWN = "text/markdown"
PAGE = 200


def uri_of(source: str) -> str:
    """The resource's URI of a note."""
    return SCHEME + quote(source, safe="/")


def list_resources(
    kb: "KnowledgeBase", scope: Sequence[Condition], cursor: str | None
) -> ListResourcesResult:
    """A page of the notes that the scope admits; the cursor is the last source of the one before.

    So a page is right whatever was added or removed meanwhile.
    """
    sources = list_notes(kb, scope)
    rest = [entry for entry in sources if cursor is None or entry.source > unquote(cursor)]
    page = rest[:PAGE]
    return ListResourcesResult(
        resources=[
            Resource(
                uri=uri_of(entry.source),
                name=wire_text(entry.source),
                title=wire_text(entry.title),
                description=wire_text(f"Category: {entry.category}") if entry.category else None,
                mime_type=MARKDOWN,
            )
            for entry in page
        ],
        next_cursor=quote(page[-1].source) if len(rest) > PAGE else None,
    )


def list_templates() -> ListResourceTemplatesResult:
    """The one form that all URIs have."""
    template = ResourceTemplate(
        name="note",
        title="A note by its source",
        uri_template=f"{SCHEME}{{+source}}",
        mime_type=MARKDOWN,
    )
    return ListResourceTemplatesResult(resource_templates=[template])


def read_resource(kb: "KnowledgeBase", scope: Sequence[Condition], uri: str) -> ReadResourceResult:
    """The whole text of a note. Raises `MCPError` for any URI that is not that of a note."""
    try:
        if not uri.startswith(SCHEME):
            raise MCPError(INVALID_PARAMS, f"Resources start with {SCHEME}.", {"uri": uri})
        text = read_text(kb, unquote(uri.removeprefix(SCHEME), errors="strict"), scope)
    except (RetrievalError, UnicodeDecodeError) as error:
        raise MCPError(INVALID_PARAMS, wire_text(str(error)), {"uri": uri}) from None
    contents = TextResourceContents(uri=uri, mime_type=MARKDOWN, text=wire_text(text))
    return ReadResourceResult(contents=[contents])
