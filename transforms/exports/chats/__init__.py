"""``--as llama-factory``, ``llava``, ``messages``, ``ms-swift``, ``qwen-vl``, ``sharegpt``: chats.

Each format writes one file for each split, with one dialogue in each line, for fine-tuning.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from surgqa.transforms.exports.chat import chat_format
from surgqa.transforms.exports.dialogue import Dialogue, Part, messages, renamed, tagged
from surgqa.transforms.exports.writing import indented
from surgqa.transforms.store import OutputFolder

NAMES = {"system": "system", "user": "human", "assistant": "gpt"}
"""Role -> its name in ShareGPT and LLaVA."""
INFO = "dataset_info.json"
TAGS = {"role_tag": "role", "content_tag": "content", "user_tag": "user",
        "assistant_tag": "assistant", "system_tag": "system"}  # fmt: skip


def _media(dialogue: Dialogue) -> dict[str, list[str]]:
    return {"images": dialogue.media("image"), "videos": dialogue.media("video")}


def llama_factory(dialogue: Dialogue) -> dict[str, Any]:
    """Return an object for LLaMA-Factory, with all keys that ``dataset_info.json`` declares."""
    return {"messages": messages(dialogue, tagged()), **_media(dialogue)}


def write_info(_folder: OutputFolder, to: Path, splits: Sequence[str]) -> None:
    """Write LLaMA-Factory's ``dataset_info.json``, which describes the file of each split."""
    columns = {"messages": "messages", "images": "images", "videos": "videos"}
    info = {
        f"surgqa_{split}": {"file_name": f"{split}.jsonl", "formatting": "sharegpt",
                            "columns": columns, "tags": TAGS}
        for split in splits
    }  # fmt: skip
    (to / INFO).write_bytes(indented(info))


def llava(dialogue: Dialogue) -> dict[str, Any]:
    """Return an object for the training code of LLaVA-NeXT and LLaVA-Video.

    This code knows no system role. The tag ``<image>`` in a text stands for an image or a clip. The
    paths of images have the key ``image``, and the paths of clips the key ``video``. A single path
    is a text instead of a list.
    """
    found = messages(dialogue, tagged(video="<image>"), system=False)
    media = {"image": dialogue.media("image"), "video": dialogue.media("video")}
    return {
        "id": dialogue.id, "conversations": renamed(found, "from", "value", NAMES),
        **{key: paths[0] if len(paths) == 1 else paths for key, paths in media.items() if paths},
    }  # fmt: skip


def openai(dialogue: Dialogue) -> dict[str, Any]:
    """Return an object with the messages of OpenAI's API.

    ``video_url`` is not part of that API, but servers of open models accept it.
    """

    def content(parts: Sequence[Part]) -> list[dict[str, Any]]:
        return [
            {"type": "text", "text": text} if kind == "text"
            else {"type": f"{kind}_url", f"{kind}_url": {"url": text}}
            for kind, text in parts
        ]  # fmt: skip

    about = {"id": dialogue.id, "benchmark": dialogue.labels["benchmark"]}
    return {"messages": messages(dialogue, content), "metadata": about}


def ms_swift(dialogue: Dialogue) -> dict[str, Any]:
    """Return an object in ms-swift's standard format, in which empty lists are left out."""
    lists = {name: paths for name, paths in _media(dialogue).items() if paths}
    return {"messages": messages(dialogue, tagged()), **lists}


def qwen_vl(dialogue: Dialogue) -> dict[str, Any]:
    """Return an object for ``qwen_vl_utils`` and the processors of Qwen-VL."""

    def content(parts: Sequence[Part]) -> list[dict[str, str]]:
        return [{"type": kind, kind: text} for kind, text in parts]

    return {"id": dialogue.id, "messages": messages(dialogue, content)}


def sharegpt(dialogue: Dialogue) -> dict[str, Any]:
    """Return a conversation of the roles human and gpt, for ShareGPT's format."""
    found = renamed(messages(dialogue, tagged()), "from", "value", NAMES)
    return {"id": dialogue.id, "conversations": found, **_media(dialogue)}


FORMATS = (
    chat_format("llama-factory", "messages with tags and dataset_info.json for LLaMA-Factory",
                llama_factory, write_info),
    chat_format("llava", "conversations of LLaVA's shape, a file a split", llava),
    chat_format("messages", "chat messages of OpenAI's shape, a file a split", openai),
    chat_format("ms-swift", "messages with tags as ms-swift reads them, a file a split", ms_swift),
    chat_format("qwen-vl", "messages for Qwen-VL's processors, a file a split", qwen_vl),
    chat_format("sharegpt", "conversations of ShareGPT's shape, a file a split", sharegpt),
)  # fmt: skip
