"""``--as messages``: chat messages as OpenAI's interface takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transforms.exports.chat import chat_format
from transforms.exports.dialogue import Dialogue, Part, messages


def content(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Every part by its kind; ``video_url`` is not OpenAI's own: servers of open models take it."""
    return [
        {"type": "text", "text": text} if kind == "text"
        else {"type": f"{kind}_url", f"{kind}_url": {"url": text}}
        for kind, text in parts
    ]  # fmt: skip


def shape(dialogue: Dialogue) -> dict[str, Any]:
    """A line of the file."""
    about = {"id": dialogue.id, "benchmark": dialogue.labels["benchmark"]}
    return {"messages": messages(dialogue, content), "metadata": about}


FORMAT = chat_format("messages", "chat messages of OpenAI's shape, a file a split", shape)
