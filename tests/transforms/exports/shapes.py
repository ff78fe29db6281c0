"""JSON Schemas of the lines that training tools document, each format's own.

Sources: OpenAI's chat completions (content parts); ShareGPT's conversations; LLaVA-NeXT's training
data; the messages of qwen-vl-utils; ms-swift's standard messages; LLaMA-Factory's data README
(OpenAI messages with columns of media).
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1}
PATHS: Schema = {"type": "array", "items": TEXT}


def of(required: Schema, optional: Schema | None = None) -> Schema:
    """An object with these keys and no others."""
    return {"type": "object", "properties": required | (optional or {}),
            "required": list(required), "additionalProperties": False}  # fmt: skip


def said(role: str, roles: list[str], content: str, what: Schema) -> Schema:
    """Messages: who says it under one key, what under another."""
    one = of({role: {"enum": roles}, content: what})
    return {"type": "array", "items": one, "minItems": 2}


def parts(*kinds: Schema) -> Schema:
    """Content in parts, of text or of these kinds."""
    text = of({"type": {"const": "text"}, "text": TEXT})
    return {"type": "array", "items": {"oneOf": [text, *kinds]}, "minItems": 1}


def named(kind: str) -> Schema:
    """A part whose path stands under the name of its kind."""
    return of({"type": {"const": kind}, kind: TEXT})


def linked(kind: str) -> Schema:
    """A part with a link, as an endpoint takes it."""
    return of({"type": {"const": kind}, kind: of({"url": TEXT})})


LINKS = parts(linked("image_url"), linked("video_url"))
NAMES = parts(named("image"), named("video"))
CHAT, HUMAN = ["system", "user", "assistant"], ["system", "human", "gpt"]
MEDIA = {"images": PATHS, "videos": PATHS}
ONE_OR_MORE: Schema = {"oneOf": [TEXT, PATHS | {"minItems": 2}]}

SHAPES = {
    "messages": of(
        {"messages": said("role", CHAT, "content", LINKS)},
        {"metadata": {"type": "object", "additionalProperties": {"type": ["string", "null"]}}},
    ),
    "sharegpt": of({"id": TEXT, "conversations": said("from", HUMAN, "value", TEXT), **MEDIA}),
    "llava": of(
        {"id": TEXT, "conversations": said("from", HUMAN[1:], "value", TEXT)},
        {"image": ONE_OR_MORE, "video": ONE_OR_MORE},
    ),
    "qwen-vl": of({
        "id": TEXT, "messages": said("role", CHAT, "content", NAMES),
    }),
    "ms-swift": of({"messages": said("role", CHAT, "content", TEXT)}, MEDIA),
    "llama-factory": of({"messages": said("role", CHAT, "content", TEXT), **MEDIA}),
}  # fmt: skip
"""Format -> the shape of a line."""
