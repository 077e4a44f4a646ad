import frontmatter
import pytest

from retrieval.knowledge import NoteHandler, read_frontmatter
from tests.retrieval.knowledge.notes import body_of, read, refused


def parts(text):
    found = read_frontmatter(text, "note.md")
    return dict(found.fields), found.body, found.body_line


def test_fields_body_and_line():
    assert parts("---\ntitle: A\n---\n\nbody\n") == ({"title": "A"}, "\nbody\n", 4)


@pytest.mark.parametrize("text", ["---\ntitle: A\n---", "---\ntitle: A\n--- \t"])
def test_closing_fence_may_be_the_last_byte(text):
    assert parts(text) == ({"title": "A"}, "", 4)


def test_three_dots_close_as_well():
    assert parts("---\ntitle: A\n...\nbody") == ({"title": "A"}, "body", 4)


def test_later_rules_belong_to_the_body():
    fields, body, line = parts("---\ntitle: A\n---\nFirst.\n\n---\n\nSecond part: keep\n\n---\nx\n")
    assert (list(fields), line) == (["title"], 4)
    assert body == "First.\n\n---\n\nSecond part: keep\n\n---\nx\n"


def test_a_rule_below_text_opens_nothing():
    text = "Opening.\n\n---\n\nowner: nobody\n\n---\n\nClosing.\n"
    assert parts(text) == ({}, text, 1)


def test_dashes_inside_a_value_close_nothing():
    entry, _ = read(
        "---\ntitle: Freight---what to sign\nkeywords: [freight, a---b]\nnote: |\n  one\n  ---\n"
        "  two\ncategory: logistics\n---\n\nSign the form.\n"
    )
    assert (entry.title, entry.keywords) == ("Freight---what to sign", ("freight", "a---b"))
    assert (entry.category, entry.metadata["note"]) == ("logistics", "one\n---\ntwo\n")


@pytest.mark.parametrize("block", ["**DEPOT**\nDock 4, east side", "", "# only a comment"])
def test_text_between_two_rules_is_body(block):
    text = f"---\n{block}\n---\n\nThe memo.\n"
    fields, body, _ = parts(text)
    assert fields == {}
    assert body == (text if block else "\nThe memo.\n")
    assert read_frontmatter(text, "note.md").issues == ()


def test_a_letterhead_with_one_key_like_line_is_body_and_said_so():
    text = "---\nNORTHGATE\nTel: 555\n---\nMemo.\n"
    found = read_frontmatter(text, "note.md")
    assert found.body == text
    assert [issue.code for issue in found.issues] == ["not_frontmatter"]


def test_a_block_that_is_no_mapping_is_body_and_said_so():
    text = "---\n<% template %>\n---\nMemo.\n"
    found = read_frontmatter(text, "note.md")
    assert (found.fields, found.body) == ({}, text)
    assert found.issues[-1].code == "not_frontmatter"


def test_frontmatter_without_an_end_is_body_and_said_so():
    entry, issues = read("---\ntitle: Open\n\nStill text.\n", "open.md")
    assert "Still text." in body_of(entry)
    assert (issues[0].code, issues[0].line) == ("unclosed_frontmatter", 1)


def test_a_lone_rule_on_top_is_no_frontmatter():
    found = read_frontmatter("---\n\nOnly text.\n", "note.md")
    assert (found.fields, found.issues) == ({}, ())


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("<!-- licence -->\n", 5),
        ("<!--\nlicence\n-->\n\n", 8),
        ("\n  \n", 6),
        ("<!-- a -->\n<!--b-->\n", 6),
    ],
)
def test_comments_and_blank_lines_may_stand_before(before, line):
    assert parts(f"{before}---\ntitle: A\n---\nbody") == ({"title": "A"}, "body", line)


@pytest.mark.parametrize("before", ["text\n", "<!-- a --> text\n", "<!-- open\n", " "])
def test_other_text_may_not(before):
    assert parts(f"{before}---\ntitle: A\n---\nbody")[0] == {}


def test_error_lines_count_from_the_top_of_the_file():
    issue = refused("<!-- a\n-->\n---\nkeywords: [x]\ntitle: Remote: reset\n---\n")
    assert issue.line == 5


def test_toml_is_read_as_text():
    entry, _ = read(
        '+++\ntitle = "Night shuttle"\nkeywords = ["shuttle", 7]\nupdated = 2024-03-01\n'
        "weight = 1.10\ndraft = false\nat = 07:30:00\n[extra]\nratio = nan\n+++\n\nIt leaves.\n"
    )
    assert (entry.title, entry.keywords) == ("Night shuttle", ("shuttle", "7"))
    assert entry.metadata == {
        "updated": "2024-03-01",
        "weight": "1.10",
        "draft": "false",
        "at": "07:30:00",
        "extra": {"ratio": "nan"},
    }
    assert body_of(entry) == "It leaves."


def test_bad_toml_is_refused_by_name_and_line():
    issue = refused('+++\ntitle = "A"\nkeywords = [x]\n+++\n')
    assert (issue.code, issue.line) == ("toml", 3)
    assert "TOML" in issue.message


def test_plus_signs_over_text_are_text():
    assert parts("+++\nnothing here\n+++\n")[0] == {}


def test_the_handler_serves_python_frontmatter():
    post = frontmatter.loads("---\non: 12:30\ntitle: no\n---\nbody", handler=NoteHandler())
    assert (post.metadata, post.content) == ({"on": "12:30", "title": "no"}, "body")
    assert not NoteHandler().detect("text\n---\na: b\n---\n")
    with pytest.raises(ValueError, match="no YAML"):
        NoteHandler().split("text")
