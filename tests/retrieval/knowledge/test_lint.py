import ast
from pathlib import Path

import pytest

import retrieval.knowledge as package
from retrieval.errors import SettingsError
from retrieval.knowledge import lint
from retrieval.knowledge.lint import LOAD_ROWS, RULES, Asked, at_least, rules_table
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
    write(tmp_path, bare="Text.\n", ops__held="---\ntitle: T\nkeywords: [k9]\n---\nText.\n")
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
    assert codes(tmp_path) == [("n0.md", "dead_keyword")]
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


PROSE = " ".join(f"word{n} of the long text" for n in range(40))


def body(title, text, keywords="[narrow-{}]"):
    return f"---\ntitle: {title}\nkeywords: {keywords.format(title)}\ncategory: ops\n---\n{text}\n"


def found(root, rule, **options):
    return [finding for finding in lint(load(root), **options) if finding.rule == rule]


def test_a_rare_phrase_on_many_notes_still_matches_and_is_common(tmp_path):
    for n in range(60):
        keywords = "[quarterly boiler inspection]" if n < 5 else f"[own-{n}]"
        write(tmp_path, **{f"n{n:02}": note(f"N{n}", keywords)})
    assert [f.source for f in found(tmp_path, "common_keyword")] == ["n00.md"]
    assert found(tmp_path, "dead_keyword") == []


def test_keywords_of_several_categories(tmp_path):
    write(
        tmp_path,
        a=note("A", "[token]", "billing"),
        b=note("B", "[Tokens]", "access"),
        c=note("C", "[badge]", "access"),
        d=note("D", "[badge]", "[access, ops]"),
    )
    (finding,) = found(tmp_path, "ambiguous_keyword")
    assert finding.data == {
        "term": "token",
        "sources": ["a.md", "b.md"],
        "domains": ["billing", "access"],
    }


def test_keywords_that_match_alike(tmp_path):
    write(tmp_path, a=note("A", "[refund-rule, refund rules, refunds]"))
    (finding,) = found(tmp_path, "redundant_keyword")
    assert (finding.data["term"], finding.data["other"]) == ("refund rules", "refund-rule")


def test_titles_that_repeat(tmp_path):
    write(tmp_path, a=note("Over view", "[x1]"), b=note("over-view", "[x2]"), c=note("C", "[x3]"))
    assert [f.source for f in found(tmp_path, "duplicate_title")] == ["b.md"]


def test_copies_and_near_copies(tmp_path):
    write(
        tmp_path,
        a=body("A", PROSE),
        b=body("B", PROSE),
        c=body("C", PROSE + " and one more sentence stands here"),
        d=body("D", " ".join(reversed(PROSE.split()))),
        e=body("E", "short"),
        f=body("F", "short"),
    )
    (copy,) = found(tmp_path, "duplicate_note")
    assert copy.data["sources"] == ["a.md", "b.md"]
    (near,) = found(tmp_path, "near_duplicate")
    assert near.data["sources"] == ["a.md", "c.md"]
    assert 0.8 <= near.data["resemblance"] < 1


def test_notes_without_text(tmp_path):
    write(tmp_path, a=body("A", "# A\n\n## B\n"), b=body("B", "## B\n\nText."), c=body("C", ""))
    assert [f.source for f in found(tmp_path, "empty_note")] == ["a.md", "c.md"]


def test_fences_that_nothing_closes(tmp_path):
    write(
        tmp_path,
        a=body("A", "text\n\n```sh\nls\n"),
        b=body("B", "````\n```\n````\n\n~~~\n```\n~~~"),
        c=body("C", "a ```code``` span"),
    )
    assert [(f.source, f.line) for f in found(tmp_path, "unclosed_fence")] == [("a.md", 8)]


def test_links_that_lead_nowhere(tmp_path):
    text = """[here](b.md#part) [up](../top.md) [gone](old%20plan.md) `[code](no.md)`
[web](https://example.org/x.md) [root](/ops/b.md) [out](../../x.md) [dir](assets/)

```
[in code](no.md)
```

[ref]: <missing.md> "title"
"""
    write(tmp_path, ops__a=body("A", text), ops__b=body("B", "x"), top=body("T", "y"))
    (tmp_path / "ops" / "excluded.mdx").write_text("x")
    write(tmp_path, ops__c=body("C", "[other](excluded.mdx)"))
    assert [(f.line, f.data["target"]) for f in found(tmp_path, "broken_link")] == [
        (6, "old%20plan.md"),
        (7, "../../x.md"),
        (13, "missing.md"),
    ]


def test_use_is_judged_only_with_queries(tmp_path):
    write(tmp_path, a=note("A", "[token]", "billing"), b=note("B", "[token]", "access"))
    assert found(tmp_path, "unused_note") == []
    asked = [Asked(query="A Token?", sources=("a.md",)), Asked(query="tokenise")]
    (unused,) = found(tmp_path, "unused_note", queries=asked)
    assert (unused.source, unused.data) == ("b.md", {"queries": 2})
    (ambiguous,) = found(tmp_path, "ambiguous_keyword", queries=asked)
    assert (ambiguous.data["queries"], ambiguous.data["queries_shown"]) == (1, ["A Token?"])


def test_rules_can_be_left_out_by_name(tmp_path):
    write(tmp_path, bare="Text.\n")
    names = ("missing_title", "missing_keywords")
    assert [f.rule for f in lint(load(tmp_path), ignore=names)] == ["missing_category"]
    with pytest.raises(SettingsError, match="no lint rule 'missing_keyword'"):
        lint(load(tmp_path), ignore=["missing_keyword"])


def test_severities_are_ordered():
    assert at_least("error", "warning")
    assert at_least("info", "info")
    assert not at_least("info", "warning")


def test_every_row_of_a_load_is_known_and_every_rule_documented():
    folder = Path(package.__file__).parent
    calls = [
        node
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("refuse", "warn")
    ]
    codes = {call.args[1].value for call in calls if isinstance(call.args[1], ast.Constant)}
    assert codes <= set(LOAD_ROWS)
    assert len(codes) > 10
    assert rules_table() in (folder / "README.md").read_text(encoding="utf-8")


def test_every_rule_reports_under_its_own_name_and_severity(tmp_path):
    severities = {rule.id: rule.severity for rule in RULES}
    assert len(severities) == len(RULES)
    write(tmp_path, a="x", b=note("B", "[how to]", "ops"), c=note("C", category="Ops"))
    own = [f for f in lint(load(tmp_path)) if f.rule in severities]
    assert own
    assert all(severities[f.rule] == f.severity for f in own)
