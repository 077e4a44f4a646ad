"""Names of the widgets and session values of the page Settings: each starts with `settings.`."""

APPLY = "settings.apply"
DISCARD = "settings.discard"
KEEP_STATE = "settings.keep_state"
ROUND = "settings.round"
"""Session value: counts discarded edits, so that the fields start again from the file."""
NOTICE = "settings.notice"
"""Session value: how the last attempt to apply ended."""


def field(setting: str, file: str, number: int) -> str:
    """The widget of one setting; another file or number is another widget."""
    return f"settings.field.{number}.{file[:8]}.{setting}"
