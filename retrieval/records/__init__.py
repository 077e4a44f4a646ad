"""Records of invocations: one row of `tool_invocation` for each recorded lookup.

Importing this package imports SQLAlchemy; import it where a record is written or read.
"""

from retrieval.records.invocation import ToolInvocation
from retrieval.records.place import open_store, record_place
from retrieval.records.store import InvocationStore

__all__ = ["InvocationStore", "ToolInvocation", "open_store", "record_place"]
