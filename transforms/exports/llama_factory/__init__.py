"""``--as llama-factory``: messages with tags, and ``dataset_info.json`` for LLaMA-Factory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from surgqa.transforms.exports.chat import chat_format
from surgqa.transforms.exports.dialogue import Dialogue, messages, tagged
from surgqa.transforms.exports.writing import indented
from surgqa.transforms.store import OutputFolder

INFO = "dataset_info.json"
TAGS = {"role_tag": "role", "content_tag": "content", "user_tag": "user",
        "assistant_tag": "assistant", "system_tag": "system"}  # fmt: skip


def shape(dialogue: Dialogue) -> dict[str, Any]:
    """Return the object for a line of the file, which has all keys, because the columns are
    declared.
    """
    return {
        "messages": messages(dialogue, tagged()),
        "images": dialogue.media("image"),
        "videos": dialogue.media("video"),
    }


def write_info(_folder: OutputFolder, to: Path, splits: Sequence[str]) -> None:
    """Write ``dataset_info.json`` with a dataset per split; ``media_dir`` is its folder."""
    columns = {"messages": "messages", "images": "images", "videos": "videos"}
    info = {
        f"surgqa_{split}": {"file_name": f"{split}.jsonl", "formatting": "sharegpt",
                            "columns": columns, "tags": TAGS}
        for split in splits
    }  # fmt: skip
    (to / INFO).write_bytes(indented(info))


FORMAT = chat_format(
    "llama-factory", "messages with tags and dataset_info.json for LLaMA-Factory", shape, write_info
)
