"""What holds for the notebooks as files; `pytest --nbval-lax notebooks` runs them."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
CHECKED = "# NBVAL_CHECK_OUTPUT"
HEADINGS = ("## What you'll do", "## What you'll learn", "## What you'll need")
LONGEST_CELL = 24
LARGEST_FILE = 600_000
"""Bytes; nearly all of them are pictures."""

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
ABSOLUTE_PATH = re.compile(
    r"(?<![\w./])(?:/(?:home|root|tmp|usr|opt|var|work|private|Users|mnt)/|[A-Za-z]:\\)"
)
TIMING = re.compile(
    r"\b\d+(?:\.\d+)?\s?(?:ms|µs|seconds?|secs?)\b|\b\d{1,2}:\d{2}:\d{2}\b|\d+(?:\.\d+)?it/s"
)
IDENTIFIER = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-|\b(?=[a-f]*\d)[0-9a-f]{12,}\b|\bgen-\d{8}")
WARNING = re.compile(r"\b\w*Warning\b|\bTraceback\b")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def _cells(path: Path, kind: str) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == kind]


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _outputs(path: Path) -> Iterator[dict[str, Any]]:
    for cell in _cells(path, "code"):
        yield from cell["outputs"]


def _texts(path: Path) -> Iterator[str]:
    """Every text that a reader sees among the outputs."""
    for output in _outputs(path):
        yield "".join(output.get("text", ""))
        for kind, data in output.get("data", {}).items():
            if kind.startswith("text/"):
                yield "".join(data)


def test_there_are_notebooks() -> None:
    names = [path.stem for path in NOTEBOOKS]
    assert set(names) == {
        "bring-your-own-notes",
        "fallback-under-faults",
        "filter-cost-and-earnings",
        "l0-against-l0-l1",
        "llamaindex-agent-without-a-key",
        "one-lookup-stage-by-stage",
    }
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"({name}.ipynb)" not in readme] == []


@each_notebook
def test_it_says_first_what_you_do_learn_and_need(path: Path) -> None:
    first = _source(_cells(path, "markdown")[0])
    places = [first.find(heading) for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)


@each_notebook
def test_it_defines_nothing(path: Path) -> None:
    found = [
        ast.unparse(node)
        for cell in _cells(path, "code")
        for node in ast.walk(ast.parse(_source(cell)))
        if isinstance(node, DEFINITIONS)
    ]
    assert found == []


@each_notebook
def test_its_cells_are_short(path: Path) -> None:
    lengths = {cell["id"]: len(_source(cell).splitlines()) for cell in _cells(path, "code")}
    assert {name: length for name, length in lengths.items() if length > LONGEST_CELL} == {}


@each_notebook
def test_at_least_three_cells_are_checked_and_have_an_output(path: Path) -> None:
    checked = [cell for cell in _cells(path, "code") if CHECKED in _source(cell)]
    assert len(checked) >= 3
    assert [cell["id"] for cell in checked if not cell["outputs"]] == []
    late = [cell["id"] for cell in checked if not _source(cell).startswith(CHECKED)]
    assert late == []


@each_notebook
def test_it_was_run_from_top_to_bottom(path: Path) -> None:
    cells = _cells(path, "code")
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert [output for output in _outputs(path) if output["output_type"] == "error"] == []


@each_notebook
def test_its_outputs_hold_nothing_of_one_machine_or_moment(path: Path) -> None:
    assert [output for output in _outputs(path) if output.get("name") == "stderr"] == []
    found = [
        match[0]
        for text in _texts(path)
        for pattern in (ABSOLUTE_PATH, TIMING, IDENTIFIER, WARNING)
        for match in pattern.finditer(text)
    ]
    assert found == []
    assert [cell["id"] for cell in _cells(path, "code") if "execution" in cell["metadata"]] == []


@each_notebook
def test_it_asks_for_the_plain_kernel(path: Path) -> None:
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    assert metadata["kernelspec"]["name"] == "python3"


@each_notebook
def test_it_is_not_heavy(path: Path) -> None:
    assert path.stat().st_size < LARGEST_FILE
