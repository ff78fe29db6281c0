"""``--as messages``: chat messages for OpenAI's API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgqa.transforms.exports.chat import chat_format
from surgqa.transforms.exports.dialogue import Dialogue, Part, messages


def content(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Return each part in the form of its kind.

    ``video_url`` is not part of OpenAI's API, but servers of open models accept it.
    """
    return [
        {"type": "text", "text": text} if kind == "text"
        else {"type": f"{kind}_url", f"{kind}_url": {"url": text}}
        for kind, text in parts
    ]  # fmt: skip


def shape(dialogue: Dialogue) -> dict[str, Any]:
    """Return the object in a line of the file."""
    about = {"id": dialogue.id, "benchmark": dialogue.labels["benchmark"]}
    return {"messages": messages(dialogue, content), "metadata": about}


FORMAT = chat_format("messages", "chat messages of OpenAI's shape, a file a split", shape)
