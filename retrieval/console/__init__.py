"""A lookup, and the record of one, as text for a terminal.

Text of notes and queries is data: it is never read as markup, and control characters that a
terminal would obey are left out.
"""

from retrieval.console.answer import show_result
from retrieval.console.page import Page, plain
from retrieval.console.trace import show_trace, show_trace_list

__all__ = ["Page", "plain", "show_result", "show_trace", "show_trace_list"]
