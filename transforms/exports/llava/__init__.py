"""``--as llava``: conversations for the training code of LLaVA-NeXT and LLaVA-Video."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.exports.chat import chat_format
from surgqa.transforms.exports.dialogue import Dialogue, messages, renamed, tagged

NAMES = {"user": "human", "assistant": "gpt"}


def shape(dialogue: Dialogue) -> dict[str, Any]:
    """Return the object in a line of the file.

    The training code of LLaVA has no system role. In its texts, the tag ``<image>`` marks the place
    of an image or of a clip. The paths of images have the key ``image``, and the paths of clips the
    key ``video``. A single path is a text instead of a list.
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
