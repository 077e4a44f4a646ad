import pytest

from retrieval.knowledge.decoding import decode, without_controls
from tests.retrieval.knowledge.notes import body_of, read, refused


def test_byte_order_mark_does_not_hide_the_frontmatter():
    entry, _ = read(b"\xef\xbb\xbf---\ntitle: Visitor wifi\nkeywords: [wifi]\n---\n\nAsk.\n")
    assert (entry.title, entry.keywords, body_of(entry)) == ("Visitor wifi", ("wifi",), "Ask.")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_count_alike(end):
    entry, _ = read(f"---{end}title: Ends{end}---{end}{end}one{end}two".encode())
    (passage,) = entry.passages
    assert entry.title == "Ends"
    assert (passage.text, passage.line_start, passage.line_end) == ("one\ntwo", 5, 6)


def test_cp1252_is_refused_with_offset_and_line():
    issue = refused("---\r\ntitle: Zürich\r\n---\r\n".encode("cp1252"))
    assert (issue.code, issue.line) == ("not_utf8", 2)
    assert "byte 0xfc at offset 13" in issue.message
    assert "UTF-8" in issue.next_action


def test_offset_counts_the_byte_order_mark():
    assert "offset 4," in refused(b"\xef\xbb\xbfa\xff").message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_refused_by_name(encoding):
    issue = refused("---\ntitle: Wide\n---\n\nText.\n".encode(encoding))
    assert issue.code == "not_utf8"
    assert "UTF-16" in issue.message


def test_nul_in_the_body_is_left_out_with_a_warning():
    entry, issues = read(b"---\ntitle: Nul\n---\n\nbefore\x00after, that is all there is\n")
    assert body_of(entry) == "beforeafter, that is all there is"
    assert [(i.code, i.severity, i.line) for i in issues] == [("control_character", "warning", 5)]


def test_control_character_in_the_frontmatter_is_refused_with_its_line():
    issue = refused('---\nkeywords: [a]\ntitle: "Bell\x07"\n---\nText.\n')
    assert (issue.code, issue.line) == ("control_character", 3)
    assert "U+0007" in issue.message


def test_form_feed_and_next_line_separate_words():
    assert without_controls("a\x0cb\x85c\x1fd\te") == "a b cd\te"


def test_emoji_and_joiners_survive():
    entry, _ = read('---\ntitle: "🚀 Launch 👩\u200d🔧"\nkeywords: ["🚀", launch day]\n---\nGo.\n')
    assert entry.title == "🚀 Launch 👩\u200d🔧"
    assert entry.keywords == ("🚀", "launch day")


def test_empty_file_is_an_empty_text():
    assert decode(b"", "note.md") == ""


def test_more_than_one_byte_order_mark_hides_nothing() -> None:
    entry, issues = read("\ufeff\ufeff\u200b---\ntitle: Twice\n---\nText.")
    assert (entry.title, issues) == ("Twice", [])
