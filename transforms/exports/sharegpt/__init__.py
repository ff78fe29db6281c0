"""``--as sharegpt``: conversations of human and gpt, with tags for images and clips."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.exports.chat import chat_format
from surgqa.transforms.exports.dialogue import Dialogue, messages, renamed, tagged

NAMES = {"system": "system", "user": "human", "assistant": "gpt"}


def shape(dialogue: Dialogue) -> dict[str, Any]:
    """Return the object in a line of the file; paths are in the order of the tags."""
    return {
        "id": dialogue.id,
        "conversations": renamed(messages(dialogue, tagged()), "from", "value", NAMES),
        "images": dialogue.media("image"),
        "videos": dialogue.media("video"),
    }


FORMAT = chat_format("sharegpt", "conversations of ShareGPT's shape, a file a split", shape)
