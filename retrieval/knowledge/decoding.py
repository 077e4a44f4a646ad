"""The bytes of a note as text: UTF-8, one kind of line end, no control characters."""

import codecs
import re

from retrieval.knowledge.refusal import refuse

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SPACING = str.maketrans("\x0b\x0c\x85", "   ")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Further byte order marks and the like hide the first line from everything that reads it.
_INVISIBLE = "\ufeff\u200b\u2060"
# Text in UTF-16 without a byte order mark decodes as UTF-8, with a NUL beside each letter.
_NUL_SHARE = 0.4


def decode(data: bytes, source: str) -> str:
    """The text of a note, without a byte order mark and with `\\n` as its only line end.

    Control characters are still in it, so that their line can be told; see `without_controls`.

    Raises `NoteRefused` for bytes that are not UTF-8, with their offset and line.
    """
    convert = "Convert the file to UTF-8 and index again."
    if data.startswith(_UTF16) or data.count(0) > _NUL_SHARE * len(data):
        what = "UTF-16" if data.startswith(_UTF16) else "UTF-16 or binary data"
        raise refuse(source, "not_utf8", f"The file is not UTF-8 but {what}.", convert)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # utf-8-sig counts from behind the mark.
        offset = error.start + len(codecs.BOM_UTF8) * data.startswith(codecs.BOM_UTF8)
        line = one_line_end(data[:offset].decode("utf-8", "replace")).count("\n") + 1
        raise refuse(
            source,
            "not_utf8",
            f"The file is not UTF-8: byte 0x{data[offset]:02x} at offset {offset}, line {line}.",
            convert,
            line,
        ) from None
    return one_line_end(text.lstrip(_INVISIBLE))


def one_line_end(text: str) -> str:
    """The text with CRLF and CR line ends turned into LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def without_controls(text: str) -> str:
    """The text without NUL and other control characters; form feeds become blanks."""
    return CONTROL.sub("", text.translate(_SPACING)) if CONTROL.search(text) else text
