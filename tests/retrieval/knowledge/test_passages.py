import re
from itertools import pairwise

import pytest

from retrieval.knowledge import embedding_text
from retrieval.knowledge.splitting import cut_text
from tests.retrieval.knowledge.notes import passages, words


def test_one_passage_for_each_heading_with_its_lines():
    found = passages("\nIntro.\n\n# A\n\none\n\n## B\n\ntwo\nthree\n\n\n# A\n\nfour\n")
    assert [(p.breadcrumb, p.text, p.line_start, p.line_end) for p in found] == [
        (("Note",), "Intro.", 5, 5),
        (("A",), "# A\n\none", 7, 9),
        (("A", "B"), "## B\n\ntwo\nthree", 11, 14),
        (("A",), "# A\n\nfour", 17, 19),
    ]
    assert [p.id for p in found] == [f"note.md#{n}" for n in range(4)]


@pytest.mark.parametrize("body", ["", "\n\n", "<!-- hidden -->\n"])
def test_a_note_without_text_can_be_found_by_its_title(body):
    (passage,) = passages(body, title="Visitor wifi")
    assert (passage.text, passage.breadcrumb, passage.line_start) == (
        "Visitor wifi", ("Visitor wifi",), 1,
    )  # fmt: skip


def test_a_table_is_cut_between_rows_and_repeats_its_header():
    rows = [
        f"| R-{n:02} | what the code number {n} means | do the first thing |" for n in range(40)
    ]
    head = "| Code | Meaning | First action |\n|---|---|---|"
    found = passages("# Codes\n\n" + head + "\n" + "\n".join(rows), window=800, measure=len)
    assert len(found) > 2
    assert all(head in p.text and len(embedding_text("Note", p)) <= 800 for p in found)
    assert re.findall(r"(?m)^\| R-.*\|$", "\n".join(p.text for p in found)) == rows
    assert found[0].text.startswith("# Codes\n\n| Code")
    spans = [(p.line_start, p.line_end) for p in found]
    assert spans[0][0] == 4
    assert spans[-1][1] == 4 + 3 + 40
    assert all(b[0] == a[1] + 1 for a, b in pairwise(spans))


@pytest.mark.parametrize("mark", ["  ", "> "])
def test_a_table_in_a_list_or_quote_repeats_its_header_as_well(mark):
    rows = [f"{mark}| r{n:02} | the meaning of {n} |" for n in range(40)]
    lead = "- item\n\n" if mark == "  " else ""
    head = f"{mark}| Code | Meaning |\n{mark}|---|---|"
    body = lead + head + "\n" + "\n".join(rows) + "\n\nAfter."
    found = passages(body, window=400, measure=len)
    assert len(found) > 2
    with_rows = [p for p in found if "| r" in p.text]
    assert all("| Code | Meaning |" in p.text for p in with_rows)
    assert re.findall(r"\| r(\d\d) ", "\n".join(p.text for p in found)) == [
        f"{n:02}" for n in range(40)
    ]
    assert found[-1].text.endswith("After.")


def test_a_fence_is_cut_between_lines_and_repeated():
    code = [f"run step {n}" for n in range(60)]
    found = passages("```bash title\n" + "\n".join(code) + "\n```\n", window=60)
    assert len(found) > 2
    assert all(p.text.startswith("```bash title\n") and p.text.endswith("\n```") for p in found)
    inner = [line for p in found for line in p.text.split("\n")[1:-1]]
    assert inner == code
    assert (found[0].line_start, found[-1].line_end) == (4, 4 + 61)


def test_an_unclosed_fence_is_cut_as_well():
    found = passages("~~~~\n" + "x y\n" * 60, window=40)
    assert all(p.text.startswith("~~~~\n") and p.text.endswith("\n~~~~") for p in found)
    assert sum(p.text.count("x y") for p in found) == 60


def test_a_header_wider_than_half_the_window_is_not_repeated():
    head = "| " + " | ".join(["column"] * 20) + " |\n|" + "---|" * 20
    found = passages(head + "\n" + "| a |\n" * 30, window=50)
    assert sum(p.text.count("| a |") for p in found) == 30
    assert all(words(embedding_text("Note", p)) <= 50 for p in found)


def test_blocks_stay_whole_where_they_fit():
    first, second, third = ("a " * 30).strip(), ("b " * 30).strip(), ("c " * 30).strip()
    found = passages(f"{first}\n\n{second}\n\n{third}\n", window=70)
    assert [p.text for p in found] == [f"{first}\n\n{second}", third]


def test_a_long_line_is_cut_after_sentences():
    sentence = "One two three four five six seven eight nine ten. "
    found = passages(sentence * 12, window=50)
    assert all(p.text.endswith("ten.") for p in found)
    assert sum(p.text.count("ten.") for p in found) == 12
    assert {(p.line_start, p.line_end) for p in found} == {(4, 4)}


@pytest.mark.parametrize("body", ["网关限流认证" * 100, "网关限流。" * 100, "x" * 900])
def test_text_without_blanks_is_cut(body):
    found = passages(body, window=120, measure=len)
    assert len(found) >= 5
    assert "".join(p.text for p in found) == body
    assert all(len(embedding_text("Note", p)) <= 120 for p in found)


def test_a_heading_is_not_left_alone():
    found = passages("# Head\n\n" + "\n".join(f"line {n} of it" for n in range(60)), window=50)
    assert found[0].text.startswith("# Head\n\nline 0 of it\n")


def test_embedding_text_does_not_repeat_the_title():
    (passage,) = passages("# note\n\nText.\n")
    assert embedding_text("Note", passage) == "Note\n\n# note\n\nText."
    (_, inner) = passages("# Other\n\nIntro.\n\n## Inner\n\nText.\n")
    assert embedding_text("Note", inner) == "Note > Other > Inner\n\n## Inner\n\nText."


def test_a_long_prefix_loses_the_middle_then_length():
    long = "word " * 45
    found = passages(f"# {long}\n\n## {long}\n\n### Own\n\nText.\n")
    assert embedding_text("Note", found[-1]).startswith("Note > Own\n\n")
    first = embedding_text("T" * 400, found[-1]).split("\n")[0]
    assert first.endswith(" > Own")
    assert len(first) <= 200
    assert len(embedding_text("网" * 400, found[-1]).split("\n")[0]) <= 100


@pytest.mark.parametrize("window", [32, 40, 64])
def test_small_windows_hold_with_the_measure_given(window):
    title = "A rather long title of a note about gateways"
    found = passages(
        "# Some heading\n\n" + "many words here " * 50, title=title, window=window, measure=len
    )
    for passage in found:
        assert len(embedding_text(title, passage, window=window, measure=len)) <= window


def test_a_measure_that_does_not_add_up_still_fits():
    def uneven(text):
        return len(text) + 5 * text.count("\n") ** 2

    found = passages("\n".join(f"line {n}" for n in range(80)), window=200, measure=uneven)
    assert all(uneven(embedding_text("Note", p)) <= 200 for p in found)
    assert "\n".join(p.text for p in found) == "\n".join(f"line {n}" for n in range(80))


def test_cut_text_joins_to_the_text():
    text = "One two. Three, four; five six seven eight! 网关。限流"
    parts = cut_text(text, lambda part: len(part) <= 12)
    assert "".join(parts) == text
    assert max(map(len, parts)) <= 12
    assert cut_text("ab", lambda _: False) == ["a", "b"]


def test_a_heading_that_only_leads_to_deeper_ones_stands_with_the_first_of_them():
    first, second, third = passages("# A\n\n## B\n\n### C\n\nText.\n\n## D\n\n# E\n\nMore.\n")
    assert first.breadcrumb == ("A", "B", "C")
    assert first.text == "# A\n\n## B\n\n### C\n\nText."
    assert (first.line_start, first.line_end) == (4, 10)
    assert second.text == "## D"
    assert third.breadcrumb == ("E",)
