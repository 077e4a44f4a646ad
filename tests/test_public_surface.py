"""What users import and type: exact names, one error tree, and a start that stays light."""

import ast
import builtins
import importlib
import json
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import retrieval
from retrieval import errors

ROOT = Path(__file__).parent.parent
PACKAGES = ("retrieval", "eval_sets", "workbench")
ERROR_PACKAGES = [name for name in PACKAGES if (ROOT / name / "errors.py").is_file()]
HEAVY = {
    "chromadb",
    "llama_index",
    "onnxruntime",
    "pandas",
    "pydantic_settings",
    "sqlalchemy",
    "streamlit",
}


def test_all_is_sorted_and_exact() -> None:
    assert list(retrieval.__all__) == [
        "EvidenceBlock",
        "KnowledgeBase",
        "LookupResult",
        "LookupSettings",
        "RetrievalError",
        "alookup_knowledge",
        "lookup_knowledge",
    ]
    assert list(retrieval.__all__) == sorted(retrieval.__all__)


def test_public_names_are_our_own_and_no_other_is_exported() -> None:
    ours = {
        name
        for name in {*dir(retrieval), *retrieval.__all__}
        if getattr(getattr(retrieval, name), "__module__", "").partition(".")[0] == "retrieval"
    }
    assert {name for name in ours if not name.startswith("_")} == set(retrieval.__all__)


def test_every_public_name_says_what_you_get() -> None:
    silent = [
        name
        for name in retrieval.__all__
        if isinstance(value := getattr(retrieval, name), type) or callable(value)
        if not (value.__doc__ or "").strip() or value.__doc__.startswith(f"{name}(")
    ]
    assert silent == []


def _errors(package: str) -> dict[str, type[Exception]]:
    module = importlib.import_module(f"{package}.errors")
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Exception)
        if value.__module__ == module.__name__
    }


def _drawn_tree(text: str) -> dict[str, str]:
    """Name → parent of each error in a drawn tree; the root has no row."""
    path = re.findall(r"^\w+$", text, re.MULTILINE)[:1]
    parents = {}
    for branch, name in re.findall(r"^([│├└─ ]+)(\w+)  ", text, re.MULTILINE):
        depth = len(branch) // 4
        parents[name] = path[depth - 1]
        path[depth:] = [name]
    return parents


@pytest.mark.parametrize("package", ERROR_PACKAGES)
def test_the_error_tree_is_drawn_in_the_docstring(package: str) -> None:
    module = importlib.import_module(f"{package}.errors")
    parents = {name: kind.__bases__[0].__name__ for name, kind in _errors(package).items()}
    parents.pop("RetrievalError", None)
    assert _drawn_tree(module.__doc__ or "") == parents


def test_every_error_descends_from_one_and_has_its_own_code() -> None:
    kinds = [kind for package in ERROR_PACKAGES for kind in _errors(package).values()]
    assert [kind.__name__ for kind in kinds if not issubclass(kind, errors.RetrievalError)] == []
    codes = [kind.code for kind in kinds if issubclass(kind, errors.RetrievalError)]
    assert len(set(codes)) == len(kinds)


def test_no_error_stands_outside_the_tree() -> None:
    builtin = {
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    strays = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name != "RetrievalError"
        if builtin & {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    ]
    assert strays == []


def test_every_error_says_what_to_do_next() -> None:
    error = errors.MissingExtra("The workbench", "workbench")
    assert error.info().code == "missing_extra"
    assert str(error).endswith("pip install 'knowledge-lookup-workbench[workbench]'")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import retrieval", id="import"),
        pytest.param(
            "from retrieval.cli import main\nassert main(['--help']) == 0",
            id="help",
        ),
    ],
)
def test_start_is_light(code: str) -> None:
    report = "import json, sys\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}
    assert loaded & HEAVY == set()


def test_the_command_and_the_bundled_base_are_installed() -> None:
    (command,) = entry_points(group="console_scripts", name="lookup-knowledge")
    assert command.value == "retrieval.cli:main"
    (starter,) = entry_points(group="lookup_knowledge.knowledge", name="starter")
    assert any(starter.load()().rglob("*.md"))


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_are_typed(package: str) -> None:
    folder = Path(importlib.import_module(package).__file__ or "").parent
    assert (folder / "py.typed").is_file()
