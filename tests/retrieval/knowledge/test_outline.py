import pytest

from retrieval.knowledge import read_outline


def breadcrumbs(body):
    return [list(section.breadcrumb) for section in read_outline(body).sections]


def visible(body):
    return "\n".join(read_outline(body).lines)


def test_hash_lines_in_code_are_no_headings():
    body = (
        "# Restart\n\n```bash\n# stop\n```\n\n~~~\n# tilde\n~~~\n\n````text\n"
        "```\n# inner\n```\n````\n"
        "\n- step\n\n  ```\n  # in a list\n  ```\n\n    # indented\n\n## After\n\nGreen.\n"
    )
    assert breadcrumbs(body) == [["Restart"], ["Restart", "After"]]


def test_a_skipped_level_keeps_siblings_apart():
    body = "# C\n\n### Chairs\n\n### Tables\n\n##### Oak\n\n# Returns\n"
    assert breadcrumbs(body) == [
        ["C"],
        ["C", "Chairs"],
        ["C", "Tables"],
        ["C", "Tables", "Oak"],
        ["Returns"],
    ]


@pytest.mark.parametrize(
    "above", ["- one\n- two", "> quoted", "| a |\n|---|\n| b |", "```\nx\n```", "## Real"]
)
def test_a_rule_is_a_heading_only_below_a_paragraph(above):
    heads = [["L"]] + ([["L", "Real"]] if above == "## Real" else [])
    assert breadcrumbs(f"# L\n\n{above}\n---\n\nText.\n") == heads


def test_underlined_headings():
    assert breadcrumbs("Top\n===\n\nx\n\nSub\n---\ny\n") == [["Top"], ["Top", "Sub"]]


def test_text_before_the_first_heading_and_relative_levels():
    assert breadcrumbs("Intro.\n\n## First\n\n### Inner\n\n## Second\n") == [
        [], ["First"], ["First", "Inner"], ["Second"],
    ]  # fmt: skip


def test_headings_are_plain_text():
    outline = read_outline(
        "# **Bold** [link](u) `x_y` ![pic](s) &amp; <b>t</b> {#anchor}\n\n#\n\n## A/B > C\n"
    )
    assert outline.headings == ((1, "Bold link x_y pic & t"), (1, ""), (2, "A/B > C"))
    assert outline.sections[1].breadcrumb == ()


def test_headings_inside_quotes_and_lists_open_no_section():
    assert breadcrumbs("# A\n\n> # Q\n\n- # L\n") == [["A"]]


def test_comments_are_neither_sections_nor_text():
    body = (
        "# P\n\n<!--\n## Draft\n\nSECRET\n-->\n\n"
        "## Now <!-- hid -->\n\nTwelve <!-- a\nb --> each.\n"
    )
    assert breadcrumbs(body) == [["P"], ["P", "Now"]]
    assert visible(body) == "# P\n\n\n\n\n\n\n\n## Now \n\nTwelve \n each.\n"


def test_comments_in_code_are_text():
    body = "```html\n<!-- kept -->\n```\n\nUse `<!-- span -->` here.\n\n    <!-- indented -->\n"
    assert visible(body) == body


def test_a_comment_that_outlives_its_block_is_hidden():
    body = "<div>\n<!-- SECRET\n\n## Draft\n\nmore --> after\n</div>\n\n# Real <!-- x -->\n"
    assert breadcrumbs(body) == [[], ["Real"]]
    assert "SECRET" not in visible(body)
    assert "more" not in visible(body)
    assert visible(body).count("\n") == body.count("\n")


def test_comments_in_tables_are_hidden():
    assert "c" not in visible("| a |\n|---|\n| b <!-- c --> |\n")


def test_an_unclosed_comment_loses_no_text():
    outline = read_outline("# A\n\n<!-- open\n\n## B\n\ntext\n")
    assert outline.unclosed_comment == 2
    assert [s.breadcrumb for s in outline.sections] == [("A",), ("A", "B")]
    assert "<!-- open" in outline.lines


def test_lines_without_a_token_belong_to_a_block():
    outline = read_outline("[a]: http://x\n\ntext\n\n[b]: http://y\n")
    assert [(b.kind, b.start, b.end) for b in outline.sections[0].blocks] == [
        ("text", 0, 2), ("text", 2, 3), ("text", 3, 6),
    ]  # fmt: skip


def test_nothing_has_no_section():
    assert read_outline("\n<!-- only -->\n").sections == ()
