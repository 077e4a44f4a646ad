"""Settings as they are drawn."""

from pathlib import Path

from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.settings import describe, group_settings, override_note, show_value
from workbench.services.settings import Setting, list_settings


def test_every_setting_is_described_and_in_one_section(tmp_path: Path) -> None:
    settings = list_settings(KnowledgeBase.open(tmp_path), {})
    assert [setting.path for setting in settings if not describe(setting)] == []
    grouped = [s.path for section in group_settings(settings) for s in section.settings]
    assert sorted(grouped) == sorted(setting.path for setting in settings)


def test_values_are_written_as_people_do() -> None:
    shown = [show_value(value) for value in (None, True, False, 0.1, 8, ("a", "b"), (), "x")]
    assert shown == ["none", "on", "off", "0.1", "8", "a, b", "none", "x"]


def test_only_the_environment_overrides() -> None:
    plain = Setting(path="lookup.top_k", kind="integer", optional=False, value=3)
    assert override_note(plain) == ""
