"""What holds for any input."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.knowledge import (
    NoteRefused,
    embedding_text,
    read_entry,
    read_frontmatter,
    read_outline,
)
from retrieval.settings import KnowledgeSettings
from tests.retrieval.knowledge.notes import words

LINES = st.sampled_from(
    [
        "", "---", "===", "+++", "...", "# One", "## Two {#x}", "#### Four",
        "text words, and more.",
        "- item", "  - nested", "1. one", "> quote", "```", "````", "~~~", "    code", "\ttab",
        "| a | b |", "|---|---|", "| c | d |", "<!--", "-->", "<!-- c -->", "a <!-- b", "c --> d",
        "<div>", "</div>", "`<!-- x -->`", "[a]: http://x", "网关限流认证，很长的一行。" * 5,
        "title: T", "keywords: [a, b]", "x" * 150, "word " * 60, "![i](u)", "\\<!-- n -->", "<!-->",
    ]
)  # fmt: skip
BODIES = st.lists(LINES, max_size=25).map("\n".join)
MEASURES = st.sampled_from([words, len])
PROFILE = settings(derandomize=True, max_examples=200, deadline=None)


def read_or_refuse(data, window=64, measure=words):
    try:
        return read_entry("n.md", data, KnowledgeSettings(), window=window, measure=measure)
    except NoteRefused as refused:
        return None, (refused.issue,)


def visible(text):
    return Counter(char for char in text if not char.isspace())


@PROFILE
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_load_or_give_a_row(data):
    entry, issues = read_or_refuse(data)
    assert all(issue.next_action for issue in issues)
    if entry is None:
        assert [issue.severity for issue in issues] == ["error"]
        return
    assert entry.passages
    assert all(issue.severity == "warning" for issue in issues)
    json.dumps(dict(entry.metadata), allow_nan=False)


@PROFILE
@given(block=st.text(alphabet="ab:-[]{}#&*!|>'\"%@`,?~ \n\t", max_size=60))
def test_any_frontmatter_loads_or_gives_a_row_with_a_line_of_the_file(block):
    text = f"---\nk: v\n{block}\n---\nbody\n"
    entry, issues = read_or_refuse(text.encode())
    assert all(1 <= (issue.line or 1) <= text.count("\n") for issue in issues)
    if entry is None:
        assert issues[0].line
        return
    assert text.endswith(read_frontmatter(text, "n.md").body)


@PROFILE
@given(body=BODIES, measure=MEASURES, window=st.sampled_from([64, 120, 256]))
def test_every_visible_character_stands_in_a_passage_that_fits(body, measure, window):
    entry, _ = read_or_refuse(body.encode(), window, measure)
    if entry is None:
        return
    front = read_frontmatter(body, "n.md")
    kept = "".join(passage.text for passage in entry.passages)
    assert not visible("".join(read_outline(front.body).lines)) - visible(kept)
    for number, passage in enumerate(entry.passages):
        assert passage.ordinal == number
        assert passage.text.strip()
        assert 1 <= passage.line_start <= passage.line_end <= body.count("\n") + 1
        text = embedding_text(entry.title, passage, window=window, measure=measure)
        assert measure(text) <= window


@PROFILE
@given(body=BODIES)
def test_without_comment_marks_nothing_is_hidden(body):
    body = body.replace("<!--", "").replace("-->", "")
    outline = read_outline(body)
    assert "\n".join(outline.lines) == body
    covered = [n for s in outline.sections for b in s.blocks for n in range(b.start, b.end)]
    assert covered == sorted(set(covered))
    assert {n for n, line in enumerate(outline.lines) if line.strip()} <= set(covered)


@pytest.mark.parametrize("mark", ["<", "`", "[", ">", "*", "- ", "<!--", "\n#"])
def test_repeated_marks_end(mark):
    entry, _ = read_entry(
        "n.md", (mark * 3000).encode(), KnowledgeSettings(), window=256, measure=words
    )
    assert entry.passages
