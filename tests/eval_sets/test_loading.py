import json
import stat
from pathlib import Path
from typing import Any

import pytest

from eval_sets.errors import Problem, SetError
from eval_sets.loading import load_set, save_cases
from eval_sets.types import Case, SetMeta
from tests.eval_sets.samples import case, write_set

GOOD = {"id": "q1", "query": "how long is the refund window?", "relevant": {"billing/refund.md": 3}}


def _problems(folder: Path) -> list[str]:
    with pytest.raises(SetError) as caught:
        load_set(folder)
    return [str(problem) for problem in caught.value.problems]


def test_a_set_is_loaded_with_defaults(tmp_path: Path) -> None:
    about = "name: small\nlicence: Apache-2.0\nrevision: 1.10\nlanguage: en\n"
    loaded = load_set(write_set(tmp_path, [GOOD, "", {**GOOD, "id": "q2"}], about=about))
    assert loaded.name == "small"
    assert loaded.root == loaded.knowledge_base == tmp_path / "knowledge"
    assert loaded.meta == SetMeta(licence="Apache-2.0", revision="1.10", language="en")
    assert [c.id for c in loaded.cases] == ["q1", "q2"]
    assert loaded.cases[0] == Case(
        id="q1", query="how long is the refund window?", relevant={"billing/refund.md": 3}
    )
    assert loaded.cases[0].split == "test"
    assert loaded.cases[0].expect_filter == "any"


def test_knowledge_toml_says_where_the_notes_are(tmp_path: Path) -> None:
    write_set(tmp_path, [{"id": "q1", "query": "x", "relevant": {"a.txt": 1}}])
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.txt").write_text("# A\n")
    config = 'root = "elsewhere"\n[knowledge]\ninclude = ["*.txt"]\n'
    (tmp_path / "knowledge.toml").write_text(config)
    loaded = load_set(tmp_path)
    assert loaded.root.samefile(tmp_path / "elsewhere")
    assert loaded.knowledge_base == tmp_path


def test_all_problems_are_told_at_once_with_file_and_line(tmp_path: Path) -> None:
    lines = [
        GOOD,
        {**GOOD, "query": "again"},
        {"id": "empty", "query": " ?! "},
        "{not json",
        {"id": "q5", "query": "x", "relevant": {"billing/refunds.md": 1, "nowhere.md": 1}},
        {"id": "q6", "query": "x", "exclude": ["gone.md"]},
        {"id": "q7", "query": "x", "relevant": {"billing/refund.md": -1}},
    ]
    assert _problems(write_set(tmp_path, lines)) == [
        "cases.jsonl:2: the id 'q1' stands in line 1 already",
        "cases.jsonl:3: query: the query is empty: it holds no letter or digit",
        "cases.jsonl:4: no JSON: Expecting property name enclosed in double quotes at column 2",
        "cases.jsonl:5: unknown source 'billing/refunds.md' (did you mean 'billing/refund.md'?)",
        "cases.jsonl:5: unknown source 'nowhere.md'",
        "cases.jsonl:6: unknown source 'gone.md'",
        "cases.jsonl:7: relevant.billing/refund.md: "
        "Input should be greater than or equal to 0, but it is -1",
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"relevant": {"billing/refund.md": 11}}, "less than or equal to 10"),
        ({"relevant": {"billing/refund.md": 1.5}}, "valid integer"),
        ({"relevant": {"billing/refund.md": "1"}}, "valid integer"),
        ({"relevant": {"billing/refund.md": True}}, "valid integer"),
        ({"relevant": ["billing/refund.md"]}, "valid dictionary"),
        ({"grade": 1}, "unknown field 'grade'"),
        ({"id": ""}, "at least 1 character"),
        ({"id": "a\tb"}, "no control characters"),
        ({"id": " a"}, "no blanks around it"),
        ({"id": 7}, "valid string"),
        ({"split": "train"}, "'dev' or 'test'"),
        ({"expect_filter": "yes"}, "'applied', 'none' or 'any'"),
        ({"expected_category": ""}, "at least 1 character"),
        ({"expect_no_answer": True}, "expect_no_answer is true, but there are relevant sources"),
        ({"exclude": ["billing/refund.md"]}, "'billing/refund.md' is both judged and excluded"),
        ({"exclude": ["access/token.md"] * 2}, "a source is excluded twice"),
    ],
)
def test_a_bad_field_is_refused(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    (problem,) = _problems(write_set(tmp_path, [{**GOOD, **fields}]))
    assert problem.startswith("cases.jsonl:1: ")
    assert message in problem


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    assert _problems(write_set(tmp_path, [{"id": "q1"}])) == ["cases.jsonl:1: 'query' is missing"]


def test_a_source_that_is_graded_twice_is_refused(tmp_path: Path) -> None:
    line = (
        '{"id": "q1", "query": "x", "relevant": {"billing/refund.md": 1, "billing/refund.md": 2}}'
    )
    assert _problems(write_set(tmp_path, [line])) == [
        "cases.jsonl:1: the key 'billing/refund.md' is there twice"
    ]


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        ("name: x\nlicense: MIT\n", "set.yaml: unknown field 'license'"),
        ("revision: 1\n", "set.yaml: 'name' is missing"),
        ("name: [\n", "set.yaml: cannot be read: line 2: it is no YAML: "),
        ("name: x\nknowledge: none\n", "set.yaml: The knowledge base "),
        ("", "set.yaml: Input should be a valid dictionary"),
    ],
)
def test_a_bad_set_file_is_refused(tmp_path: Path, about: str, problem: str) -> None:
    (found,) = _problems(write_set(tmp_path, [GOOD], about=about))
    assert found.startswith(problem)


def test_missing_and_foreign_files_are_problems(tmp_path: Path) -> None:
    assert [p.split(": ")[1] for p in _problems(tmp_path)] == ["cannot be read"] * 2
    write_set(tmp_path, [GOOD])
    (tmp_path / "cases.jsonl").write_bytes(b'{"id": "q1", "query": "caf\xe9"}\n')
    assert _problems(tmp_path) == ["cases.jsonl:1: is not UTF-8 at byte 26 of the line"]
    (tmp_path / "cases.jsonl").write_bytes(b"\n")
    assert _problems(tmp_path) == ["cases.jsonl: there is no case in it"]
    write_set(tmp_path, [GOOD])
    (tmp_path / "set.yaml").write_bytes(b"name: \xff\n")
    assert _problems(tmp_path) == ["set.yaml: cannot be read: line 1: it is not UTF-8 (byte 6)"]


def test_many_problems_are_counted_and_the_first_are_shown() -> None:
    problems = [Problem(file="cases.jsonl", line=n, message="bad") for n in range(1, 26)]
    text = str(SetError("small", problems))
    assert text.startswith("25 problems in small:\n  cases.jsonl:1: bad\n")
    assert "cases.jsonl:20: bad\n  and 5 more\n" in text
    assert "cases.jsonl:21" not in text


def test_composed_and_decomposed_names_are_one_source(tmp_path: Path) -> None:
    line = {"id": "q1", "query": "x", "relevant": {"cafe\u0301.md": 1}}
    loaded = load_set(write_set(tmp_path, [line], notes={"caf\u00e9.md": "# Café\n"}))
    assert loaded.cases[0].relevant == {"caf\u00e9.md": 1}


def test_saved_cases_load_as_they_were(tmp_path: Path) -> None:
    cases = (
        case("q1", query="ein  „Zitat“\u2028und 密钥", relevant={"billing/refund.md": 2}),
        case(
            "q2",
            exclude=("access/token.md",),
            stratum="typo",
            split="dev",
            expected_category="billing",
            expect_filter="applied",
            expect_no_answer=True,
            origin="written",
            judged_by="authors",
            judged_at="2026-12-01",
            note="\n",
        ),
    )
    write_set(tmp_path, [])
    save_cases(tmp_path / "cases.jsonl", cases)
    assert load_set(tmp_path).cases == cases
    lines = (tmp_path / "cases.jsonl").read_text(encoding="utf-8").split("\n")
    assert list(json.loads(lines[0])) == [
        "id",
        "query",
        "relevant",
        "exclude",
        "stratum",
        "split",
        "expected_category",
        "expect_filter",
        "expect_no_answer",
        "origin",
        "judged_by",
        "judged_at",
        "note",
    ]
    assert "密钥" in lines[0]


def test_a_failed_save_leaves_the_old_file_and_no_part(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    save_cases(path, [case("q1")])
    path.chmod(0o640)
    before = path.read_bytes()
    with pytest.raises(UnicodeEncodeError):
        save_cases(path, [case("q1"), case("q2", query="\ud800")])
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["cases.jsonl"]
    save_cases(path, [case("q3")])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_the_digest_follows_the_labels(tmp_path: Path) -> None:
    first = load_set(write_set(tmp_path, [GOOD])).digest()
    assert load_set(tmp_path).digest() == first
    assert load_set(write_set(tmp_path, [{**GOOD, "note": "x"}])).digest() != first


def test_strata_and_splits_are_in_order(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "query": "x", "stratum": "typo", "split": "dev"},
        {"id": "b", "query": "x", "stratum": "exact"},
        {"id": "c", "query": "x", "stratum": "typo"},
    ]
    loaded = load_set(write_set(tmp_path, lines))
    assert loaded.strata == ("typo", "exact")
    assert [c.id for c in loaded.split("test")] == ["b", "c"]
    assert not loaded.cases[0].judged
