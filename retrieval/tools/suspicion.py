"""Whether a text reads like instructions to a model: a hint for readers, no defence by itself."""

import re
import unicodedata

# Characters that models read and people do not see: tags, zero width, direction overrides.
HIDDEN = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]"
)
_TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
_OBJECT = r"(?:instructions?|prompts?|rules?|directions?|guidelines?|context|messages?|orders?)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|existing|all|any|your|these|the system)"
_PATTERNS = re.compile(
    "|".join(
        (
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}"
            rf"\b{_EARLIER}\b.{{0,30}}\b{_OBJECT}\b",
            rf"\b(?:new|updated|real|following|hidden|secret) (?:system )?{_OBJECT}:",
            r"\byou (?:are|must act as|will act as) now\b|\byou are now (?:a|an|in|the)\b",
            r"\bfrom now on,? you\b|\b(?:your|the) system prompt\b|\bdeveloper mode\b",
            r"\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show)\b.{0,40}\buser\b",
            r"\b(?:ai|assistant|language model|llm|chatbot)s?\b.{0,20}"
            r"\b(?:must|should|shall|please)\b.{0,40}"
            r"\b(?:call|send|reply|respond|answer|execute|run|output|reveal|delete|approve)\b",
            r"\b(?:call|invoke|use)\b.{0,20}\b(?:tool|function)\b.{0,60}"
            r"\b(?:send|delete|forward|upload)\b",
            r"<\|(?:im_start|im_end|system|endoftext|start_header_id)\|>|\[/?inst\]|<</?sys>>",
            r"^\W{0,3}(?:system|assistant|human)\s*:|^#+\s*(?:system|new instructions?)\b",
            r"</?(?:system|assistant|tool_result|function_calls?|instructions?)>",
            r"(?:忽略|无视|無視|忘记|忘記|不要理会)[^。\n]{0,12}(?:指令|指示|提示|规则|規則|要求)",
            r"(?:你|您)现在是|系统提示词|系統提示詞",
            r"\bignor(?:iere|ieren sie|a|e|ez|ar)\b.{0,40}"
            r"\b(?:anweisung|instruccion|instruction|istruzion)",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)


def reads_like_instructions(text: str) -> bool:
    """True when the text holds phrases that are usual in attempts to steer a model.

    Some honest notes hold them too, and an attempt in other words is not seen.
    """
    if _TAGS.search(text):
        return True
    return _PATTERNS.search(unicodedata.normalize("NFKC", HIDDEN.sub("", text))) is not None
