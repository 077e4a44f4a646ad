from retrieval.knowledge import lint
from retrieval.knowledge.lint import RULES
from tests.retrieval.knowledge.notes import load, write


def note(title, keywords="[narrow-{}]", category="ops"):
    return (
        f"---\ntitle: {title}\nkeywords: {keywords.format(title)}\ncategory: {category}\n---\nx\n"
    )


def codes(root):
    return [(issue.source, issue.rule) for issue in lint(load(root))]


def test_a_tidy_base_has_no_finding(tmp_path):
    assert codes(write(tmp_path, a=note("A"), b=note("B"))) == []


def test_what_is_missing(tmp_path):
    write(tmp_path, bare="Text.\n", ops__held="---\ntitle: T\nkeywords: [k9]\n---\n")
    assert codes(tmp_path) == [
        ("bare.md", "missing_title"),
        ("bare.md", "missing_keywords"),
        ("bare.md", "missing_category"),
    ]


def test_load_rows_come_first(tmp_path):
    write(tmp_path, a=note("A", "[]"), z="---\na: b: c\n---\n")
    assert codes(tmp_path) == [("z.md", "yaml"), ("a.md", "missing_keywords")]


def test_categories_that_differ_in_spelling(tmp_path):
    write(
        tmp_path,
        a=note("A", category="Cloud Servers"),
        b=note("B", category="Cloud Servers"),
        c=note("C", category="cloud-server"),
        d=note("D", category="[Data, Cloud servers]"),
    )
    found = [i for i in lint(load(tmp_path)) if i.rule == "category_spelling"]
    assert [i.source for i in found] == ["c.md", "d.md"]
    assert "'Cloud Servers' (2 notes)" in found[0].message


def test_a_keyword_on_many_notes_is_told_once(tmp_path):
    for n in range(4):
        write(tmp_path, **{f"n{n}": note(f"N{n}", f"[Gateway, own-{n}]")})
    assert codes(tmp_path) == [("n0.md", "common_keyword")]
    (tmp_path / "n3.md").unlink()
    assert codes(tmp_path) == []


def test_keywords_that_fit_anything(tmp_path):
    write(tmp_path, a=note("A", "[how to, Guide, printer, 限]"))
    found = lint(load(tmp_path))
    assert [(i.rule, i.message.split("'")[1]) for i in found] == [
        ("generic_keyword", "how to"),
        ("generic_keyword", "Guide"),
    ]


def test_every_rule_says_what_to_do(tmp_path):
    write(tmp_path, a="x", b=note("B", "[how to]", "ops"), c=note("C", category="Ops"))
    found = lint(load(tmp_path))
    assert {i.rule for i in found} <= {rule.id for rule in RULES} | {"missing_title"}
    assert {i.severity for i in found} == {"warning"}
    assert all(i.next_action for i in found)
