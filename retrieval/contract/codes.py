"""The codes that come as data beside those of the error tree, and when each comes."""

NOTICE_CODES = {
    "budget_exceeded": "even the primary alone, trimmed, is larger than the budget",
    "calibration_ignored": "the stored calibration was made for another index or embedder, or "
    "cannot be read",
    "error": "`get_knowledge` over MCP met an error that nobody foresaw",
    "index_stale": "notes changed since the index was built",
    "instructions_in_notes": "a note in the answer reads like instructions to a model",
    "l1_failed": "L1 failed with an error that is not of this project",
    "l1_paused": "L1 timed out three times in a row and is left alone for 30 seconds",
    "l1_timeout": "L1 took longer than `lookup.l1_timeout`",
    "no_notes": "no note exists for this caller",
    "notes_differ": "the index on the Chroma server was made of other notes",
    "notes_unreadable": "files of the folder could not be read and are not searched",
    "query_cut": "a query that is too long for a tool was refused, and is kept in part",
    "record_failed": "the lookup could be recorded neither in the database nor in the spool",
    "record_spooled": "the record waits in the spool file until the database takes it",
    "unknown_value": "no note has the value that a filter of the caller asks for",
}
"""Code → when it stands in `warnings`, `error` or `l1.error`; errors of the tree may stand there
as well."""

COMMAND_CODES = {
    "usage": ("an option or argument of the command is wrong", 2),
    "system": ("the operating system refuses: a file, a port, a full disk", 1),
    "failed": ("the command could not do it", 1),
    "interrupted": ("stopped by the user", 1),
}
"""Code → when it stands in `{"error": …}` of a command with `--json`, and its exit code."""
