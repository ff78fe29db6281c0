"""``--as qwen-vl``: messages for qwen_vl_utils and the processors of Qwen-VL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgqa.transforms.exports.chat import chat_format
from surgqa.transforms.exports.dialogue import Dialogue, Part, messages


def content(parts: Sequence[Part]) -> list[dict[str, str]]:
    """Return each part under the key of its kind."""
    return [{"type": kind, kind: text} for kind, text in parts]


def shape(dialogue: Dialogue) -> dict[str, Any]:
    """Return the object in a line of the file."""
    return {"id": dialogue.id, "messages": messages(dialogue, content)}


FORMAT = chat_format("qwen-vl", "messages for Qwen-VL's processors, a file a split", shape)
