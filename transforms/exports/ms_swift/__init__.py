"""``--as ms-swift``: messages with tags and lists of paths, the standard format of ms-swift."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.exports.chat import chat_format
from surgqa.transforms.exports.dialogue import Dialogue, messages, tagged


def shape(dialogue: Dialogue) -> dict[str, Any]:
    """Return the object in a line of the file; as ms-swift documents, empty lists are left out."""
    found: dict[str, Any] = {"messages": messages(dialogue, tagged())}
    lists = {"images": dialogue.media("image"), "videos": dialogue.media("video")}
    return found | {name: paths for name, paths in lists.items() if paths}


FORMAT = chat_format("ms-swift", "messages with tags as ms-swift reads them, a file a split", shape)
