"""What holds for the files of the project as a whole."""

import ast
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import click
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from eval_sets.sets import starter
from retrieval import __version__
from retrieval.cli import cli

ROOT = Path(__file__).parent.parent
PACKAGES = ("retrieval", "eval_sets", "workbench")
LONGEST_MODULE = 250
PROGRAM = "lookup-knowledge"
COMMAND_READMES = (
    "README.md",
    "eval_sets/README.md",
    "retrieval/knowledge/README.md",
    "retrieval/records/README.md",
    "workbench/README.md",
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Written in pieces, so that this file does not hold what it looks for.
FOREIGN = re.compile(
    "|".join(
        [
            r"/(?:work|farm)" + "/(?:main|shared|briefs)",
            "/tmp" + "/lab",
            "/opt" + "/venv",
            r"\bsub" + r"agents?\b",
            r"\bsteering" + r" repo\b",
            r"\b(?:helper|this)" + r" session\b",
            r"\bas an " + r"AI\b",
            r"--(?:extra-)?index" + "-url",
            r"files\.python" + r"hosted\.org",
            r"https?://[^\s\"]+\.(?:whl|tar" + r"\.gz|tgz)\b",
        ]
    ),
    re.IGNORECASE,
)


def _project_files() -> Iterator[Path]:
    """Every file that belongs to the project, whether or not git knows it already."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        hidden = any(part.startswith(".") for part in parts[:-1]) and parts[0] != ".ci"
        if path.is_file() and not hidden and "__pycache__" not in parts:
            yield path


def _modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def test_modules_stay_short() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in _modules()
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_the_project_speaks_only_of_itself() -> None:
    found = []
    for path in _project_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {match[0]}"
            for number, line in enumerate(lines, 1)
            if (match := FOREIGN.search(line))
        ]
    assert found == []


def _readme_commands() -> list[list[str]]:
    """The words of each command in a code block of the README, without prompt or comment."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [
        line.removeprefix("$ ").split(" #")[0] for block in blocks for line in block.split("\n")
    ]
    return [words for line in lines if (words := line.split())]


def test_readme_names_commands_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):(?!=)", makefile, re.MULTILINE))
    named = {words[1] for words in _readme_commands() if words[0] == "make" and len(words) > 1}
    assert {"demo", "test"} <= named
    assert named <= targets


def test_readme_shows_every_command() -> None:
    named = {words[1] for words in _readme_commands() if words[0] == PROGRAM and len(words) > 1}
    assert named == set(cli.list_commands(click.Context(cli)))


def _shown_commands(readme: str) -> list[list[str]]:
    """The arguments of each `lookup-knowledge` line with a prompt, joined where it goes on."""
    text = (ROOT / readme).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(rf"^\$ (?:\S*/)?{PROGRAM} (.+)$", text, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


def _parse(command: click.Command, words: list[str], above: click.Context | None = None) -> None:
    """Reads the words as the command does, without running it. Raises as click does."""
    with command.make_context(command.name, list(words), parent=above) as context:
        if isinstance(command, click.Group):
            _, inner, rest = command.resolve_command(
                context, [*context._protected_args, *context.args]
            )
            assert inner is not None
            _parse(inner, rest, context)


@pytest.mark.parametrize("readme", COMMAND_READMES)
def test_commands_of_a_readme_have_their_arguments_and_name_bundled_notes(readme: str) -> None:
    commands = _shown_commands(readme)
    assert commands
    for words in commands:
        _parse(cli, words)
    named = {word for words in commands for word in words if re.fullmatch(r"[\w-]+/.+\.md", word)}
    missing = {note for note in named if not (starter() / note).is_file()}
    assert missing == set()


def _helps(command: click.Command) -> Iterator[str]:
    yield command.help or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _helps(inner)


def test_examples_of_the_help_on_the_bundled_set_name_its_notes() -> None:
    lines = [line.split() for text in _helps(cli) for line in text.splitlines()]
    about = [words for words in lines if "starter" in words]
    named = {word for words in about for word in words if re.fullmatch(r"[\w-]+/.+\.md", word)}
    assert named
    assert {note for note in named if not (starter() / note).is_file()} == set()


def test_the_checks_run_the_commands_of_the_readme() -> None:
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert {"make demo", "make test"} <= set(steps)


def test_changelog_has_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[({re.escape(__version__)}|Unreleased)\]", text, re.MULTILINE)


def _requirements(*extras: str) -> list[Requirement]:
    """What the project and these extras, by default all, need of other projects."""
    optional = PROJECT["optional-dependencies"]
    lists = [PROJECT["dependencies"], *(optional[extra] for extra in extras or optional)]
    found = [Requirement(line) for lines in lists for line in lines]
    return [requirement for requirement in found if requirement.name != PROJECT["name"]]


def test_the_workbench_brings_what_its_reports_need() -> None:
    needs = [Requirement(line) for line in PROJECT["optional-dependencies"]["workbench"]]
    assert "eval" in {
        extra for need in needs if need.name == PROJECT["name"] for extra in need.extras
    }


def test_constraints_pin_what_is_required() -> None:
    text = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8")
    pins = [Requirement(line) for line in text.splitlines() if line and not line.startswith("#")]
    pinned = {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}
    (everything,) = PROJECT["optional-dependencies"]["all"]
    wrong = [
        f"{requirement} is pinned to {version}"
        for requirement in _requirements(*Requirement(everything).extras)
        if not (version := pinned.get(canonicalize_name(requirement.name)))
        or not requirement.specifier.contains(version)
    ]
    assert wrong == []


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_package_imports_is_declared(package: str) -> None:
    declared = {canonicalize_name(requirement.name) for requirement in _requirements()}
    distributions = packages_distributions()
    undeclared = {
        f"{path.relative_to(ROOT)}: {top}"
        for path in _modules()
        if path.is_relative_to(ROOT / package)
        for name in _imported(path)
        if (top := name.partition(".")[0]) not in {*PACKAGES, *sys.stdlib_module_names}
        if not declared & {canonicalize_name(owner) for owner in distributions.get(top, ())}
    }
    assert undeclared == set()
