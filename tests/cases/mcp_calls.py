"""The action `mcp_call`: the real server over stdio, every line of its stdout read."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema

from tests.cases.case import Case, Expected, includes, noted, problems

_ROOT = Path(__file__).parents[2]
_VERSION = "2025-11-25"
_NAIVE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?!\S*(?:Z|[+-]\d\d:?\d\d))")


@dataclass
class Spoken:
    """What the server wrote to stdout, and the answers by their request."""

    lines: list[str] = field(default_factory=list)
    tools: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    """Arguments and result of each call."""


def judge_calls(case: Case, root: Path, state: Path, expected: Expected) -> list[str]:
    """What does not hold of a session with the case's calls."""
    return problems(_TABLE, _speak(case, root, state), expected)


def _speak(case: Case, root: Path, state: Path) -> Spoken:
    spoken = Spoken()
    level = case.data.get("config", {}).get("log_level", "WARNING")
    command = [sys.executable, "-c", _SERVER, level, "mcp", "--kb", str(root)]
    env = {
        **os.environ,
        "PYTHONPATH": str(_ROOT),
        "LOOKUP_STATE_DIR": str(state),
        "LOOKUP_EMBEDDING__MODEL": "hash:64",
    }
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            while True:
                line = process.stdout.readline().decode("utf-8")
                spoken.lines.append(line)
                try:
                    answer: dict[str, Any] = json.loads(line)
                except ValueError:
                    if line:
                        continue
                    raise
                if answer.get("id") == number:
                    return answer.get("result", answer)

        client = {"name": "case", "version": "0"}
        ask(
            1, "initialize", {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": client}
        )
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        listed = ask(2, "tools/list", {})["tools"]
        spoken.tools = {tool["name"]: tool for tool in listed}
        calls = [call for call in case.data["calls"] if "name" in call]
        for number, call in enumerate(calls, start=3):
            params = {"name": call["name"], "arguments": call["arguments"]}
            spoken.calls.append((params, ask(number, "tools/call", params)))
        process.stdin.close()
        spoken.lines += process.stdout.read().decode("utf-8").splitlines()
    return spoken


# The command as users start it, with every logger as talkative as the case wants.
_SERVER = """
import logging, sys
logging.basicConfig(level=sys.argv[1])
from retrieval.cli import main
sys.exit(main(sys.argv[2:]))
"""


def _is_json(line: str) -> bool:
    try:
        return json.loads(line)["jsonrpc"] == "2.0"
    except (ValueError, KeyError, TypeError):
        return False


def _schema_errors(spoken: Spoken) -> list[str]:
    found = []
    for params, result in spoken.calls:
        schema = spoken.tools[params["name"]]["outputSchema"]
        validator = jsonschema.Draft202012Validator(schema)
        content = result.get("structuredContent")
        found += [f"{params}: {error.message}" for error in validator.iter_errors(content)]
        if json.loads(result["content"][0]["text"]) != content:
            found.append(f"{params}: text and structured content differ")
    return found


def _wrong_flags(spoken: Spoken) -> list[Any]:
    """Calls of which `isError` does not say what their outcome says."""
    return [
        params
        for params, result in spoken.calls
        if result.get("isError", False)
        != (result["structuredContent"]["outcome"] in ("refused", "error"))
    ]


_TABLE = {
    "every_stdout_line_is_json": lambda s, _: (
        all(map(_is_json, s.lines)) or [line for line in s.lines if not _is_json(line)]
    ),
    "stderr_may_have_logs": noted,
    "tools_include": includes(lambda s: s.tools),
    "structured_matches_output_schema": lambda s, _: not (found := _schema_errors(s)) or found,
    "no_extra_properties_if_closed": lambda s, _: not (found := _schema_errors(s)) or found,
    "error_result_has_is_error": lambda s, _: (
        any(result.get("isError") for _, result in s.calls)
        and (not (found := _wrong_flags(s)) or found)
    ),
    "datetimes_have_timezone": lambda s, _: (
        not (found := [line for line in s.lines if _NAIVE.search(line)]) or found
    ),
}
