"""What the pages about the code name is there."""

import re

import pytest

from tests.pages.markdown import ROOT, tables

PAGE = (ROOT / "retrieval/README.md").read_text(encoding="utf-8")
FIRST = (ROOT / "README.md").read_text(encoding="utf-8")
WORKBENCH = (ROOT / "workbench/README.md").read_text(encoding="utf-8")
PATH = re.compile(r"(?<![\w/.-])(?:[\w-]+(?:/[\w-]+)*(?:\.py|/)|tests(?:/\w+)+)(?![\w/.])")


def _missing(text: str, *folders: str) -> list[str]:
    """The modules and folders named in the text that none of these folders has."""
    named = {
        path
        for quoted in re.findall(r"`([^`\n]+)`", text)
        for path in ([quoted] if PATH.fullmatch(quoted) else [])
    }
    assert named
    return sorted(p for p in named if not any((ROOT / f / p).exists() for f in folders))


def test_modules_named_in_the_page_of_the_lookup_exist() -> None:
    assert _missing(PAGE, "retrieval", ".") == []


def test_modules_named_on_the_first_page_exist() -> None:
    assert _missing(FIRST, ".", "retrieval") == []


def test_modules_named_in_the_page_of_the_workbench_exist() -> None:
    assert _missing(WORKBENCH, "workbench", "workbench/presenters", ".") == []


def test_modules_in_the_diagram_exist() -> None:
    diagram = PAGE.split("```")[1]
    named = set(PATH.findall(diagram))
    assert {"lookup.py", "evidence.py", "semantic/retriever.py", "records/"} <= named
    assert [path for path in named if not (ROOT / "retrieval" / path).exists()] == []


@pytest.mark.parametrize("row", tables(PAGE)["Where to add what"], ids=lambda row: row[0])
def test_what_a_row_says_to_edit_stands_in_a_file_that_it_names(row: list[str]) -> None:
    quoted = re.findall(r"`([^`]+)`", row[1])
    paths = [ROOT / f / q for q in quoted for f in ("retrieval", ".") if PATH.fullmatch(q)]
    texts = [path.read_text(encoding="utf-8") for path in paths if path.is_file()]
    folders = [path for path in paths if path.is_dir()]
    assert texts or folders
    names = [q for q in quoted if not PATH.fullmatch(q)]
    told = "\n".join([*texts, (ROOT / "pyproject.toml").read_text(encoding="utf-8")])
    assert [name for name in names if name not in told] == []


def test_a_module_that_is_not_there_is_seen() -> None:
    assert _missing("`lookup.py` and `nowhere.py`", "retrieval") == ["nowhere.py"]
