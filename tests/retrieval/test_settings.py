from pathlib import Path

import pytest

from retrieval.errors import KnowledgeError, SettingsError
from retrieval.settings import LookupSettings, load_settings


def write(folder: Path, text: str) -> Path:
    (folder / "knowledge.toml").write_text(text, encoding="utf-8")
    return folder


def test_without_a_file_the_folder_itself_is_the_root(tmp_path: Path) -> None:
    settings, location = load_settings(tmp_path)
    assert settings == LookupSettings()
    assert (location.root, location.config) == (tmp_path.resolve(), None)
    assert tmp_path not in location.state_dir.parents


def test_the_file_names_a_root_and_state_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    _, location = load_settings(write(tmp_path, 'root = "docs"'))
    assert location.root == (tmp_path / "docs").resolve()
    assert location.state_dir == (tmp_path / ".lookup-knowledge").resolve()


def test_a_relative_folder_is_the_same_knowledge_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path / "base"
    base.mkdir()
    write(base, "")
    monkeypatch.chdir(tmp_path)
    assert load_settings(Path("base")) == load_settings(base)
    assert load_settings(Path("base"), {"state_dir": "here"})[1].state_dir == base / "here"


def test_the_environment_beats_the_file_and_an_argument_beats_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "[lookup]\ntop_k = 2\nfilter_mode = 'off'\nl1_mode = 'dense'")
    monkeypatch.setenv("LOOKUP_LOOKUP__TOP_K", "3")
    monkeypatch.setenv("LOOKUP_LOOKUP__FILTER_MODE", "strict")
    monkeypatch.setenv("LOOKUP_KNOWLEDGE__CATEGORY", '["team", "area"]')
    settings, _ = load_settings(tmp_path, {"lookup": {"top_k": 4}})
    assert settings.lookup.top_k == 4
    assert settings.lookup.filter_mode == "strict"
    assert settings.lookup.l1_mode == "dense"
    assert settings.knowledge.category == ("team", "area")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topk = 3", "Unknown setting 'topk' in .*knowledge.toml"),
        ("[lookup]\ntopk = 3", r"Unknown setting 'lookup.topk'.*top_k"),
        ("[lookup]\ntop_k = 0", "Setting 'lookup.top_k' in .* is not usable.* but it is 0"),
        ("[lookup]\nfilter_mode = 'always'", "'auto', 'strict' or 'off'"),
        ("top_k = = 3", "cannot be read: it is no TOML: .*line 1"),
        ("top_k = " + "9" * 5000, "a number has too many digits"),
        ("top_k = " + "[" * 5000 + "]" * 5000, "it nests too deeply"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=f"(?s){message}"):
        load_settings(write(tmp_path, text))


def test_an_unknown_environment_variable_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKUP_LOOKUP__TOPK", "3")
    with pytest.raises(
        SettingsError, match=r"'lookup.topk' in the environment .*LOOKUP_LOOKUP__TOPK"
    ):
        load_settings(tmp_path)


def test_an_unknown_argument_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"'lookup.topk' in .*an argument"):
        load_settings(tmp_path, {"lookup": {"topk": 3}})


def test_a_missing_folder_and_a_missing_root_say_so(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="does not exist"):
        load_settings(tmp_path / "none")
    with pytest.raises(KnowledgeError, match="is not a folder"):
        load_settings(write(tmp_path, 'root = "gone"'))


def test_the_digest_follows_what_can_change_an_answer(tmp_path: Path) -> None:
    base = LookupSettings()
    assert base.digest() == LookupSettings(state_dir=tmp_path).digest()
    for other in (
        {"embedding": {"threads": 1}},
        {"lookup": {"l1_timeout": 1}},
        {"records": {"record": "off"}},
    ):
        assert LookupSettings.model_validate(other).digest() == base.digest()
    for other in ({"lookup": {"top_k": 3}}, {"embedding": {"model": "hash:8"}}):
        assert LookupSettings.model_validate(other).digest() != base.digest()


def test_settings_that_need_each_other_may_both_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKUP_CHROMA__URL", "http://127.0.0.1:8000")
    with pytest.raises(SettingsError, match="`url` needs `collection`"):
        load_settings(tmp_path)
    monkeypatch.setenv("LOOKUP_CHROMA__COLLECTION", "handbook")
    assert load_settings(tmp_path)[0].chroma.collection == "handbook"
    monkeypatch.setenv("LOOKUP_CHROMA__URL", "chroma.internal")
    with pytest.raises(SettingsError, match="LOOKUP_CHROMA__URL is not usable"):
        load_settings(tmp_path)
