"""Texts and results as they may go over the wire: always UTF-8, always of the promised shape."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, TextContent

_SURROGATE = re.compile("[\ud800-\udfff]")


def wire_text(text: str) -> str:
    """The text with halves of surrogate pairs replaced: UTF-8 refuses them."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def to_call_result(document: Mapping[str, Any]) -> CallToolResult:
    """The document as structured content and as the same JSON in text.

    It is marked as an error when its `error` is set.
    """
    text = wire_text(json.dumps(document, ensure_ascii=False, allow_nan=False))
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=json.loads(text),
        is_error=document["error"] is not None,
    )
