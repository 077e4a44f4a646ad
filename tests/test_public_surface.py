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
from types import ModuleType

import pytest

import retrieval
from retrieval import errors

ROOT = Path(__file__).parent.parent
PACKAGES = ("retrieval", "eval_sets", "workbench")
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
    assert list(retrieval.__all__) == sorted(set(retrieval.__all__))
    exported = {
        name
        for name in {*dir(retrieval), *retrieval.__all__}
        if not name.startswith("_") and not isinstance(getattr(retrieval, name), ModuleType)
    }
    assert exported == set(retrieval.__all__) - {"__version__"}


def test_every_public_name_says_what_you_get() -> None:
    silent = [
        name
        for name in retrieval.__all__
        if isinstance(value := getattr(retrieval, name), type) or callable(value)
        if not (value.__doc__ or "").strip() or value.__doc__.startswith(f"{name}(")
    ]
    assert silent == []


def _subclasses(kind: type[Exception]) -> set[type[Exception]]:
    return {kind}.union(*(_subclasses(child) for child in kind.__subclasses__()))


def test_the_error_tree_is_drawn_in_the_docstring() -> None:
    drawn: dict[str, str | None] = {"RetrievalError": None}
    path = ["RetrievalError"]
    for branch, name in re.findall(r"^([│├└─ ]+)(\w+)  ", errors.__doc__ or "", re.MULTILINE):
        depth = len(branch) // 4
        drawn[name] = path[depth - 1]
        path[depth:] = [name]
    tree = {
        kind.__name__: None if kind is errors.RetrievalError else kind.__bases__[0].__name__
        for kind in _subclasses(errors.RetrievalError)
        if kind.__module__.partition(".")[0] in PACKAGES
    }
    assert drawn == tree


def test_error_codes_are_their_own() -> None:
    kinds = _subclasses(errors.RetrievalError)
    assert len({kind.code for kind in kinds}) == len(kinds)  # type: ignore[attr-defined]


def test_no_error_stands_outside_the_tree() -> None:
    builtin = {
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    strays = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and node.name != "RetrievalError":
                    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
                    if bases & builtin:
                        strays.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
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
            "from retrieval.cli import main\n"
            "try:\n    main(['--help'])\n"
            "except SystemExit as stop:\n    assert not stop.code, stop.code",
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
