"""Servers listen on loopback unless told otherwise, and no file that is read runs anything."""

import ast
import inspect
import json
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pytest

from retrieval.cli.mcp import mcp
from retrieval.knowledge import NoteRefused, read_entry
from retrieval.reading import read_yaml
from retrieval.settings import KnowledgeSettings
from retrieval.tools.mcp import http
from tests.browser.conftest import run_app, write_base
from tests.notes import write_notes
from tests.retrieval.tools.mcp.serving import serving_http
from workbench.cli import workbench


def answers(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex((host, port)) == 0


def port_of(url: str) -> int:
    return int(url.split(":")[2].split("/", maxsplit=1)[0])


@pytest.mark.parametrize("command", [mcp, workbench], ids=["mcp", "workbench"])
def test_the_default_address_is_loopback(command: click.Command) -> None:
    (host,) = [option for option in command.params if option.name == "host"]
    assert host.default == "127.0.0.1"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux answers on all of 127.0.0.0/8")
def test_the_mcp_server_is_bound_to_its_address_alone(tmp_path: Path) -> None:
    """127.0.0.2 would answer too if the server were bound to every address."""
    with serving_http("--kb", str(write_notes(tmp_path / "notes"))) as (_, url):
        assert answers("127.0.0.1", port_of(url))
        assert not answers("127.0.0.2", port_of(url))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux answers on all of 127.0.0.0/8")
def test_the_workbench_is_bound_to_its_address_alone(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base", {}, index=False)
    with run_app(base, tmp_path, ()) as app:
        assert answers("127.0.0.1", port_of(app.url + "/"))
        assert not answers("127.0.0.2", port_of(app.url + "/"))


def test_tokens_are_compared_in_constant_time() -> None:
    """The token is only ever an argument of `compare_digest`: no operator of Python touches it."""
    tree = ast.parse(inspect.getsource(http.RequireToken))
    compared = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and "_token" in ast.dump(node)
    ]
    assert compared == []
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "hmac.compare_digest"
    ]
    assert len(calls) == 1
    assert "self._token" in [ast.unparse(argument) for argument in calls[0].args]


@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.system ['touch {marker}']",
        "!!python/object/new:os.system ['touch {marker}']",
        "!!python/name:os.system",
        "!!python/module:os",
        '!!python/object/apply:subprocess.check_output [["touch", "{marker}"]]',
        "!<tag:yaml.org,2002:python/object/apply:os.system> ['touch {marker}']",
        "!custom {{a: b}}",
    ],
)
@pytest.mark.parametrize("form", ["k: {}", "title: {}", "keywords: [{}]", "? {}\n: v"])
def test_frontmatter_builds_no_objects(tmp_path: Path, value: str, form: str) -> None:
    marker = tmp_path / "ran"
    yaml = form.format(value.format(marker=marker))
    data = f"---\n{yaml}\n---\nbody\n".encode()
    # Refused, or kept as text: what the note holds is JSON either way.
    with suppress(NoteRefused):
        entry, _ = read_entry("n.md", data, KnowledgeSettings(), window=256, measure=len)
        json.dumps([entry.title, entry.keywords, dict(entry.metadata)])
    (tmp_path / "set.yaml").write_text(yaml, encoding="utf-8")
    for typed in (True, False):
        with suppress(ValueError):
            json.dumps(read_yaml(tmp_path / "set.yaml", typed=typed))
    assert not marker.exists()


def test_no_file_of_the_project_loads_objects() -> None:
    """Neither pickles nor unsafe YAML, and nothing is run through a shell."""
    root = Path(http.__file__).parents[3]
    forbidden: dict[str, Callable[[ast.Call], bool]] = {
        # `Loader` is the strict one of retrieval/reading.py, tried above.
        "yaml.load": lambda call: (
            [ast.unparse(k.value) for k in call.keywords] not in (["yaml.BaseLoader"], ["Loader"])
        ),
        "yaml.unsafe_load": lambda call: True,
        "pickle.load": lambda call: True,
        "pickle.loads": lambda call: True,
        "eval": lambda call: True,
        "exec": lambda call: True,
        "os.system": lambda call: True,
        "np.load": lambda call: any(
            k.arg == "allow_pickle" and ast.unparse(k.value) != "False" for k in call.keywords
        ),
    }
    for package in ("retrieval", "eval_sets", "workbench"):
        for path in (root / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func)
                    assert not (name in forbidden and forbidden[name](node)), (path, name)
                    assert not any(k.arg == "shell" for k in node.keywords), path


def test_a_settings_file_runs_nothing(tmp_path: Path) -> None:
    """A knowledge.toml may come with notes of somebody else."""
    marker = tmp_path / "ran"
    write_notes(tmp_path / "notes")
    config = f'root = "notes"\n[embedding]\nmodel = "os:touch {marker}"\n'
    (tmp_path / "knowledge.toml").write_text(config, encoding="utf-8")
    command = [sys.executable, "-m", "retrieval.cli", "query", "refund", "--kb", str(tmp_path)]
    done: Any = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, marker.exists()) == (2, False)
    assert "names no embedder" in " ".join(done.stderr.split())
