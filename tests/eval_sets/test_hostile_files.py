"""Files of settings, experiments and sets that were made to break who reads them.

Each reader gives an error of the tree that names the file; none hangs, raises anything else or
takes the content for something that it does not say.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eval_sets.baseline import load_baseline
from eval_sets.experiments.files import load_experiment, load_results
from eval_sets.loading import load_set, read_about
from eval_sets.report.files import load_report
from eval_sets.variants import parse_variant
from retrieval.errors import RetrievalError
from retrieval.settings import load_settings
from workbench.services.settings_file import propose

Read = Callable[[Path], object]


def as_variant(path: Path) -> object:
    return parse_variant(f"v={path}")


def as_settings(path: Path) -> object:
    return load_settings(path.parent)


def as_edited(path: Path) -> object:
    return propose(path.parent, path.parent / "state", {"lookup.top_k": 5})


def as_set(path: Path) -> object:
    return read_about(path.parent)


def as_cases(path: Path) -> object:
    path.with_name("set.yaml").write_text("name: odd\ndescription: odd\n")
    return load_set(path.parent)


TOML: dict[str, tuple[str, Read]] = {
    "variant": ("v.toml", as_variant),
    "settings": ("knowledge.toml", as_settings),
    "edited settings": ("knowledge.toml", as_edited),
    "experiment": ("e.toml", load_experiment),
}
YAML: dict[str, tuple[str, Read]] = {
    "experiment": ("e.yaml", load_experiment),
    "set": ("set.yaml", as_set),
}
JSON: dict[str, tuple[str, Read]] = {
    "cases": ("cases.jsonl", as_cases),
    "baseline": ("baseline.json", load_baseline),
    "report": ("report.json", load_report),
}
EVERY = [*TOML.values(), *YAML.values(), *JSON.values()]
NAMES = [*(f"toml {n}" for n in TOML), *(f"yaml {n}" for n in YAML), *JSON]

BAD_TOML = {
    "deep arrays": b"a = " + b"[" * 100_000 + b"]" * 100_000,
    "deep tables": b"a = " + b"{b = " * 5_000 + b"1" + b"}" * 5_000,
    "ten megabytes": b"# " + b"x" * 10_000_000,
    "digits": b"a = " + b"7" * 6_000,
    "key twice": b"[lookup]\ntop_k = 3\ntop_k = 4\n",
    "not a number": b"[lookup]\ntop_k = nan\nmin_score = nan\n",
    "cp1252": "# größer\n".encode("cp1252"),
    "utf-16": "[lookup]\n".encode("utf-16"),
    "nul": b"[lookup]\x00\n",
    "half": b"[lookup\n",
}
BAD_YAML = {
    "deep lists": b"a: " + b"[" * 100_000 + b"]" * 100_000,
    "ten megabytes": b"# " + b"x" * 10_000_000,
    "aliases": b"a: &a [x]\nb: &b [*a, *a, *a, *a]\nname: *b\n",
    "digits": b"seed: " + b"7" * 6_000,
    "key twice": b"name: one\nname: two\n",
    "not a number": b"name: [.nan]\n",
    "python object": b"name: !!python/object/apply:os.getcwd []\n",
    "cp1252": "name: größer\n".encode("cp1252"),
    "list": b"- a\n- b\n",
    "empty": b"",
    "nul": b"name: a\x00b\n",
}
BAD_JSON = {
    "deep lists": b"[" * 100_000 + b"]" * 100_000,
    "digits": b'{"id": ' + b"7" * 6_000 + b"}",
    "key twice": b'{"id": "a", "id": "b"}',
    "not a number": b'{"id": NaN}',
    "cp1252": '{"id": "größer"}'.encode("cp1252"),
    "list": b"[]",
    "empty": b"",
}


def refuse(read: Read, path: Path) -> str:
    with pytest.raises(RetrievalError) as raised:
        read(path)
    message = raised.value.message
    assert path.name in message
    assert raised.value.next_action
    assert len(message) < 2_000, message[:300]
    return message


@pytest.mark.parametrize("content", BAD_TOML)
@pytest.mark.parametrize("kind", TOML)
def test_toml_is_refused_by_name(kind: str, content: str, tmp_path: Path) -> None:
    name, read = TOML[kind]
    path = tmp_path / name
    path.write_bytes(BAD_TOML[content])
    if content == "not a number" and kind == "edited settings":
        assert read(path).errors  # type: ignore[attr-defined] - told beside the fields
        return
    message = refuse(read, path)
    if content in ("key twice", "cp1252"):
        assert "line" in message


@pytest.mark.parametrize("content", BAD_YAML)
@pytest.mark.parametrize("kind", YAML)
def test_yaml_is_refused_by_name(kind: str, content: str, tmp_path: Path) -> None:
    name, read = YAML[kind]
    path = tmp_path / name
    path.write_bytes(BAD_YAML[content])
    message = refuse(read, path)
    if content in ("key twice", "aliases", "cp1252"):
        assert "line" in message


@pytest.mark.parametrize("content", BAD_JSON)
@pytest.mark.parametrize("kind", JSON)
def test_json_is_refused_by_name(kind: str, content: str, tmp_path: Path) -> None:
    name, read = JSON[kind]
    path = tmp_path / name
    path.write_bytes(BAD_JSON[content])
    refuse(read, path)


@pytest.mark.parametrize(("name", "read"), EVERY, ids=NAMES)
@pytest.mark.parametrize("what", ["folder", "pipe", "device", "dangling link", "loop"])
def test_what_is_no_file_is_refused_and_not_waited_for(
    name: str, read: Read, what: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        targets = {"device": "/dev/zero", "dangling link": "nowhere", "loop": name}
        path.symlink_to(targets[what])
    if read is load_report and what == "folder":
        path = path / "report.json"
    refuse(read, path)


def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    """As another user where the tests run as root."""
    path = tmp_path / "v.toml"
    path.write_text("[lookup]\n")
    path.chmod(0)
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from eval_sets.variants import parse_variant\n"
        "from retrieval.errors import InvalidInput\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "try: parse_variant('v=' + sys.argv[1])\n"
        "except InvalidInput as error: print(error.message)\n"
    )
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() != "root" or folder.name.startswith("pytest"):
            folder.chmod(0o755)
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert "v.toml" in run.stdout
    assert "Permission denied" in run.stdout


def test_a_result_that_cannot_be_read_is_told_and_the_others_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    os.mkfifo(tmp_path / "set" / "pipe.json")
    (tmp_path / "set" / "deep.json").write_bytes(BAD_JSON["deep lists"])
    found, problems = load_results(tmp_path)
    assert found == ()
    assert len(problems) == 2
