import json

import pytest

from retrieval.knowledge.refusal import NoteRefused
from retrieval.knowledge.yaml_fields import read_yaml


def fields(block):
    return read_yaml(block, line=2, source="note.md")[0]


def issues(block):
    return read_yaml(block, line=2, source="note.md")[1]


def error(block):
    with pytest.raises(NoteRefused) as caught:
        fields(block)
    return caught.value.issue


@pytest.mark.parametrize(
    "value",
    ["2024-05-18", "2024-02-30", "12:30", "no", "on", "y", "true", "1.10", "0x1F", "1_000", ".nan"],
)
def test_scalars_stay_as_written(value):
    assert fields(f"key: {value}\n") == {"key": value}


@pytest.mark.parametrize("value", ["", "~", "null", "Null", "NULL"])
def test_plain_null_is_none(value):
    assert fields(f"key: {value}\nlist: [a, {value or '~'}]\n") == {
        "key": None,
        "list": ["a", None],
    }


@pytest.mark.parametrize("value", ['""', "'null'", '"~"'])
def test_quoted_null_is_text(value):
    assert fields(f"key: {value}\n") == {"key": value[1:-1]}


def test_keys_are_text_whatever_they_are():
    assert fields("1: one\non: x\ncontent: c\nhandler: h\n'': e\n") == {
        "1": "one", "on": "x", "content": "c", "handler": "h", "": "e",
    }  # fmt: skip


def test_block_scalars_and_nesting():
    block = "a: |\n  x\n  y\nb: >-\n  x\n  y\nc:\n  - d: [1, {e: f}]\n"
    assert fields(block) == {"a": "x\ny\n", "b": "x y", "c": [{"d": ["1", {"e": "f"}]}]}


def test_an_empty_block_is_none():
    assert fields("# nothing\n") is None


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("[[Reset a badge]]", ["Reset a badge"]),
        ("\n  - [[A]]\n  - [[B]]", [["A"], ["B"]]),
        ('["[[A]]", "[[B]]"]', ["[[A]]", "[[B]]"]),
        ("[a, [b, c]]", ["a", ["b", "c"]]),
    ],
)
def test_wiki_links_lose_a_level(written, read):
    assert fields(f"related: {written}\n") == {"related": read}
    assert "[[" not in json.dumps(fields("related: [[Reset a badge]]\n")["related"])


def test_two_wiki_links_are_refused_with_the_line():
    assert error("title: Two\nrelated: [[A]], [[B]]\n").line == 3


def test_a_key_twice_keeps_both_values_and_says_where():
    block = "keywords: [invoice, bill]\ncategory: billing\nkeywords: receipt\n"
    (issue,) = issues(block)
    assert fields(block)["keywords"] == ["invoice", "bill", "receipt"]
    assert (issue.code, issue.severity, issue.line) == ("duplicate_key", "warning", 4)
    assert "'keywords'" in issue.message


def test_hash_tags_that_vanish_are_told():
    found = issues("keywords: #vpn #token\ntags:\n  - #copier\n  - scanner #two\n")
    assert [(i.code, i.line) for i in found] == [
        ("dropped_comment", 2),
        ("dropped_comment", 4),
        ("dropped_comment", 5),
    ]
    assert "'keywords'" in found[0].message
    assert "#vpn #token" in found[0].message


def test_ordinary_comments_are_none():
    assert issues("# top\nkeywords: [a] # why\ntitle: A # said once\nurl: a#b\n") == ()


@pytest.mark.parametrize("block", ["title: {{title}}\n", "{{title}}\n", "a: b\n{% if x %}\n"])
def test_unfilled_placeholders_are_refused(block):
    issue = error(block)
    assert issue.code == "placeholder"
    assert issue.line == (3 if "%" in block else 2)


def test_a_quoted_placeholder_is_told():
    (issue,) = issues('title: "{{title}}"\n')
    assert (issue.code, issue.severity) == ("placeholder", "warning")


@pytest.mark.parametrize(
    ("block", "line", "says"),
    [
        ("category: a\ntitle: Remote access: reset\n", 3, "colon"),
        ('a: b\nkeywords: "x\nc: d\n', 3, "never closed"),
        ("a: b\nkeywords: [x\nc: d\n", 3, "bracket"),
        ("title: T\nwords only\n", 3, "no `key: value`"),
        ("a: @x\n", 2, "begins with @"),
        ("a:\n\t- x\n", 3, "tab"),
        ("a: *b\n", 2, "alias"),
        ("? [a, b]\n: c\n", 2, "key"),
        ("a: 'x' y\n", 2, "complete"),
        ("a: \ufffe\n", 2, "control characters"),
    ],
)
def test_errors_name_line_and_cause(block, line, says):
    issue = error(block)
    assert issue.line == line
    assert says in issue.message
    assert f"line {line}" in issue.message
    assert issue.next_action


def test_a_colon_asks_for_quotes():
    assert "quotes" in error("title: a: b\n").next_action


@pytest.mark.parametrize(
    "value", ["!!python/object/apply:os.getcwd []", "!!binary aGk=", "!custom x", "!!set {a}"]
)
def test_tags_beyond_plain_types_are_refused(value):
    assert error(f"a: {value}\n").code == "yaml_tag"


def test_core_tags_change_nothing():
    assert fields("a: !!str 1\nb: !!int 2\n") == {"a": "1", "b": "2"}


def test_aliases_repeat_their_value():
    assert fields("a: &x [1, 2]\nb: *x\nc: &y z\nd: *y\n") == {
        "a": ["1", "2"], "b": ["1", "2"], "c": "z", "d": "z",
    }  # fmt: skip


def test_alias_bombs_are_refused():
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert error("\n".join(rows)).code == "alias_bomb"


def test_an_alias_inside_itself_is_refused():
    assert error("a: &a [*a]\n").line == 2


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(opening):
    assert error("a: " + opening * 60 if opening != "- " else opening * 5000).severity == "error"


def test_a_line_separator_is_no_line_end() -> None:
    fields, _ = read_yaml("title: a\u2028b\nother: c\n", line=2, source="a.md")
    assert fields == {"title": "a b", "other": "c"}


def test_an_escaped_control_character_is_left_out() -> None:
    assert read_yaml('title: "a\\0b\\x07"\n', line=2, source="a.md")[0] == {"title": "ab"}
