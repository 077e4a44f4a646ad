"""The README's blocks: Python that needs no model runs, and commands have their options."""

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import retrieval
from retrieval.cli.program import cli
from tests.retrieval.tools.mcp.serving import environment

README = Path(retrieval.__file__).parent / "tools" / "README.md"
BLOCKS = re.findall(r"^```(\w+)( no-run)?\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
SCRIPTS = [text for language, skipped, text in BLOCKS if language == "python" and not skipped]


@pytest.mark.parametrize("number", range(len(SCRIPTS)))
def test_python_runs_from_an_empty_folder(number: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPTS[number]],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "billing/" in done.stdout or "seat" in done.stdout or "evidence" in done.stdout


def test_there_is_a_block_for_each_framework() -> None:
    assert len(SCRIPTS) == 4


def test_what_needs_a_model_is_python_too() -> None:
    skipped = [text for language, no_run, text in BLOCKS if language == "python" and no_run]
    assert len(skipped) == 3
    for text in skipped:
        compile(text, "README", "exec", flags=0x2000)  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def test_configurations_start_the_command_with_options_that_it_has() -> None:
    command = cli.commands["mcp"]
    known = {name for option in command.params for name in option.opts}
    configurations = [json.loads(text) for language, _, text in BLOCKS if language == "json"]
    servers = [found["mcpServers"]["knowledge"] for found in configurations]
    assert len(servers) == 3
    words = [word for server in servers for word in server.get("args", ())]
    words += [w for language, _, text in BLOCKS if language == "console" for w in text.split()]
    options = {word for word in words if word.startswith("--")}
    assert options
    assert options <= known
    assert isinstance(command, click.Command)
