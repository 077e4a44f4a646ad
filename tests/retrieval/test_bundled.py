"""Which knowledge base is the default."""

from pathlib import Path

from retrieval.bundled import default_knowledge


def test_a_settings_file_in_the_folder_wins(tmp_path: Path) -> None:
    (tmp_path / "knowledge.toml").write_text("")
    assert default_knowledge(tmp_path) == tmp_path


def test_without_one_it_is_the_bundled_starter(tmp_path: Path) -> None:
    folder = default_knowledge(tmp_path)
    assert (folder / "billing" / "refund-window.md").is_file()
