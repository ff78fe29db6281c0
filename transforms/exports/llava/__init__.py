"""``--as llava``: conversations as LLaVA-NeXT's and LLaVA-Video's training reads them."""

from __future__ import annotations

from typing import Any

from transforms.exports.chat import chat_format
from transforms.exports.dialogue import Dialogue, messages, renamed, tagged

NAMES = {"user": "human", "assistant": "gpt"}


def shape(dialogue: Dialogue) -> dict[str, Any]:
    """A line of the file.

    The training has no role for a first text, and one tag, ``<image>``, for pictures and clips; it
    knows them apart by the key that holds their paths.  A single path stands there as a text.
    """
    content = tagged(video="<image>")
    found = {
        "id": dialogue.id,
        "conversations": renamed(messages(dialogue, content, system=False), "from", "value", NAMES),
    }
    for key in ("image", "video"):
        paths = dialogue.media(key)
        if paths:
            found[key] = paths[0] if len(paths) == 1 else paths
    return found


FORMAT = chat_format("llava", "conversations of LLaVA's shape, a file a split", shape)
