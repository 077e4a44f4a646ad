"""`lookup-knowledge workbench`: what it refuses, and how it starts Streamlit."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from retrieval.cli import main
from workbench import cli
from workbench.launch import Launch, read_launch


def test_the_command_has_help_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["workbench", "--help"]) == 0
    out = capsys.readouterr().out
    assert "lookup-knowledge workbench --kb handbook --port 8600" in out
    assert "[default: 127.0.0.1]" in out


def test_a_folder_that_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["workbench", "--kb", str(tmp_path / "none")]) == 2
    assert "is not a folder" in " ".join(capsys.readouterr().err.split())


def test_streamlit_listens_on_loopback_reports_nothing_and_takes_the_theme() -> None:
    flags = cli.flags(cli.LOOPBACK, None)
    assert "--server.address=127.0.0.1" in flags
    assert "--browser.gatherUsageStats=false" in flags
    assert not any(flag.startswith("--server.port") for flag in flags)
    assert "--server.port=8600" in cli.flags("localhost", 8600)
    assert {"light", "dark"} <= {flag.split(".")[1] for flag in flags if "--theme." in flag}


def test_every_flag_is_one_that_streamlit_knows() -> None:
    from streamlit.web.cli import main_run

    known = {name for option in main_run.params for name in option.opts}
    assert {flag.partition("=")[0] for flag in cli.flags(cli.LOOPBACK, 1)} <= known


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("box", False)],
)
def test_a_host_that_others_reach_is_known(host: str, loopback: bool) -> None:
    assert cli.is_loopback(host) == loopback


def test_how_it_was_started_travels_by_environment(tmp_path: Path) -> None:
    environ = {"WORKBENCH_READ_ONLY": "1", "WORKBENCH_KB": "/old"}
    for launch in (Launch(), Launch(kb=tmp_path), Launch(kb=tmp_path, read_only=True)):
        launch.write_to(environ)
        assert read_launch(environ) == launch
    assert "WORKBENCH_KB" not in os.environ


def test_the_command_alone_shows_its_options() -> None:
    result = CliRunner().invoke(cli.workbench, ["--port", "0"])
    assert result.exit_code == 2
    assert "--port" in result.output
