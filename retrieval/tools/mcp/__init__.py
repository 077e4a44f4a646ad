"""The knowledge base as an MCP server, over stdio and streamable HTTP."""

from retrieval.errors import MissingExtra

try:
    import mcp as _sdk  # noqa: F401 - found here, so that every module below may import it
except ImportError as error:
    raise MissingExtra("The MCP server", "mcp") from error
