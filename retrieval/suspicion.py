"""Whether a text reads like instructions to a model: a hint for readers, no defence by itself."""

import re
import unicodedata

# Characters that models read and people do not see: all with Unicode's property
# Default_Ignorable_Code_Point (DerivedCoreProperties.txt, version 16), and the interlinear marks.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
HIDDEN = re.compile(f"[{_UNSEEN}]")
# Text hides in a row of them, or in a selector behind each of many letters that have no variants.
_ROW = re.compile(f"[{_UNSEEN}]{{8,}}")
_SELECTED = re.compile("[A-Za-z.,:;!? ][\ufe00-\ufe0f\U000e0100-\U000e01ef]")
SELECTED_LEAST = 8
_OBJECT = r"(?:instructions?|prompts?|rules?|directions?|guidelines?|context|messages?|orders?)"
_OBJECT_STEMS = "instruction/prompt/rule/direction/guideline/context/message/order"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|existing|all|any|your|these|the system)"
# Each pattern with words of which every match holds one of each group: plain search finds out in a
# fraction of the time whether the pattern need be tried at all.
PATTERNS = tuple(
    (tuple(group.split("/") for group in groups), re.compile(p, re.IGNORECASE | re.MULTILINE))
    for groups, p in (
        (
            ("ignore/disregard/forget/override/bypass", _OBJECT_STEMS),
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}"
            rf"\b{_EARLIER}\b.{{0,30}}\b{_OBJECT}\b",
        ),
        (
            ("new /updated /real /following /hidden /secret ", _OBJECT_STEMS, ":"),
            rf"\b(?:new|updated|real|following|hidden|secret) (?:system )?{_OBJECT}:",
        ),
        (
            ("you are now/act as now",),
            r"\byou (?:are|must act as|will act as) now\b|\byou are now (?:a|an|in|the)\b",
        ),
        (
            ("from now on/system prompt/developer mode",),
            r"\bfrom now on,? you\b|\b(?:your|the) system prompt\b|\bdeveloper mode\b",
        ),
        (
            ("do not /don't /never ", "tell/inform/mention/reveal/show", "user"),
            r"\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show)\b.{0,40}\buser\b",
        ),
        (
            ("ai/assistant/language model/llm/chatbot", "must/should/shall/please"),
            r"\b(?:ai|assistant|language model|llm|chatbot)s?\b.{0,20}"
            r"\b(?:must|should|shall|please)\b.{0,40}"
            r"\b(?:call|send|reply|respond|answer|execute|run|output|reveal|delete|approve)\b",
        ),
        (
            ("call/invoke/use", "tool/function", "send/delete/forward/upload"),
            r"\b(?:call|invoke|use)\b.{0,20}\b(?:tool|function)\b.{0,60}"
            r"\b(?:send|delete|forward|upload)\b",
        ),
        (
            ("<|/inst]/sys>>",),
            r"<\|(?:im_start|im_end|system|endoftext|start_header_id)\|>|\[/?inst\]|<</?sys>>",
        ),
        (
            ("system/assistant/human/new instruction",),
            r"^\W{0,3}(?:system|assistant|human)\s*:|^#+\s*(?:system|new instructions?)\b",
        ),
        (
            ("system>/assistant>/tool_result>/function_call/instruction",),
            r"</?(?:system|assistant|tool_result|function_calls?|instructions?)>",
        ),
        (
            ("忽略/无视/無視/忘记/忘記/不要理会",),
            r"(?:忽略|无视|無視|忘记|忘記|不要理会)[^。\n]{0,12}(?:指令|指示|提示|规则|規則|要求)",
        ),
        (
            ("现在是/系统提示词/系統提示詞",),
            r"(?:你|您)现在是|系统提示词|系統提示詞",
        ),
        (
            ("ignor", "anweisung/instruccion/instruction/istruzion"),
            r"\bignor(?:iere|ieren sie|a|e|ez|ar)\b.{0,40}"
            r"\b(?:anweisung|instruccion|instruction|istruzion)",
        ),
    )
)


def reads_like_instructions(text: str) -> bool:
    """True when the text holds phrases that are usual in attempts to steer a model.

    Some honest notes hold them too, and an attempt in other words is not seen.
    """
    plain = text
    if not text.isascii():
        if _holds_unseen_text(text):
            return True
        plain = unicodedata.normalize("NFKC", HIDDEN.sub("", text))
    # Patterns that ignore case take the Turkish letters for an i, too.
    lower = plain.lower().replace("i\u0307", "i").replace("\u0131", "i")
    return any(
        all(any(word in lower for word in group) for group in groups)
        and pattern.search(plain) is not None
        for groups, pattern in PATTERNS
    )


def _holds_unseen_text(text: str) -> bool:
    return _ROW.search(text) is not None or len(_SELECTED.findall(text)) >= SELECTED_LEAST
