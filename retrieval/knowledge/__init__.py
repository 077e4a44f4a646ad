"""From a folder of markdown files to entries and passages, with a report of what was met."""

from retrieval.knowledge.entries import read_entry
from retrieval.knowledge.files import cut_lines, near_sources, offer_sources, read_note
from retrieval.knowledge.frontmatter import Frontmatter, NoteHandler, read_frontmatter
from retrieval.knowledge.lint import lint
from retrieval.knowledge.loading import Knowledge, load_knowledge
from retrieval.knowledge.outline import Outline, read_outline
from retrieval.knowledge.passages import cut_passages, embedding_text
from retrieval.knowledge.refusal import NoteRefused
from retrieval.knowledge.snapshot import read_snapshot, write_snapshot
from retrieval.knowledge.walking import scan

__all__ = [
    "Frontmatter",
    "Knowledge",
    "NoteHandler",
    "NoteRefused",
    "Outline",
    "cut_lines",
    "cut_passages",
    "embedding_text",
    "lint",
    "load_knowledge",
    "near_sources",
    "offer_sources",
    "read_entry",
    "read_frontmatter",
    "read_note",
    "read_outline",
    "read_snapshot",
    "scan",
    "write_snapshot",
]
