"""A local program for a model: ``python -m surgqa.transforms.inference.pretrained MODEL``.

The program reads jobs and writes answers, like every program for ``--command``. The model is a
folder, or a name in the local cache of the hub; nothing is downloaded. It needs the extra
``transformers``.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

import orjson

Job = Mapping[str, Any]
Message = dict[str, Any]
Ask = Callable[[list[Message]], str]
LENGTH = 512
"""Maximum number of tokens of a response."""


def conversation(job: Job, picture: Callable[[bytes], Any] | None) -> list[Message]:
    """A job's line as messages of a chat template: frames after their captions, then the text.

    Args:
        picture: converts the bytes of a JPEG to the model's input; None for a text-only model,
            whose messages contain text only.

    Raises:
        ValueError: there are frames, but the model is text-only.
    """
    if picture is None:
        if job["images"]:
            raise ValueError("this model accepts no images: send the text only")
        text = "\n\n".join([*job.get("not_shown", ()), job["user"]])
        return [{"role": role, "content": said}
                for role, said in (("system", job["system"]), ("user", text)) if said]  # fmt: skip
    content: list[Message] = []
    for one in job["images"]:
        if one["caption"]:
            content.append(_text(one["caption"]))
        data = base64.b64decode(one["url"].partition(",")[2])
        content.append({"type": "image", "image": picture(data)})
    content += [_text(one) for one in (*job.get("not_shown", ()), job["user"])]
    system = [{"role": "system", "content": [_text(job["system"])]}] if job["system"] else []
    return [*system, {"role": "user", "content": content}]


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def loaded(name: str, length: int) -> tuple[Ask, bool]:
    """Return a function that calls a model, and whether the model accepts images.

    Args:
        name: a folder, or a name in the hub's cache.
        length: maximum number of tokens of a response.

    Raises:
        OSError: the model is in neither place.
    """
    from transformers import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING, AutoConfig, pipeline

    sees = type(AutoConfig.from_pretrained(name)) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING
    task = "image-text-to-text" if sees else "text-generation"
    model = pipeline(task, model=name, dtype="auto")
    how: dict[str, Any] = {"max_new_tokens": length, "do_sample": False}
    how = {"generate_kwargs": how} if sees else how

    def ask(messages: list[Message]) -> str:
        return str(model(messages, return_full_text=False, **how)[0]["generated_text"])

    return ask, sees


def _picture(data: bytes) -> Any:
    from PIL import Image

    return Image.open(io.BytesIO(data)).convert("RGB")


def answer(lines: Iterable[bytes], sink: IO[bytes], ask: Ask, sees: bool) -> None:
    """Answer each line of JSON with one line."""
    for line in lines:
        job = orjson.loads(line)
        said = ask(conversation(job, _picture if sees else None))
        reply = {"job_id": job["job_id"], "response": said}
        sink.write(orjson.dumps(reply, option=orjson.OPT_APPEND_NEWLINE))
        sink.flush()


def main() -> int:
    """Load the model and answer until the input ends; status 3 if it cannot be loaded."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", help="folder, or name in the hub's cache")
    options.add_argument("--max-tokens", type=int, default=LENGTH)
    given = options.parse_args()
    sink, sys.stdout = sys.stdout.buffer, sys.stderr  # keep output of libraries out of the answers
    try:
        ask, sees = loaded(given.model, given.max_tokens)
        answer(sys.stdin.buffer, sink, ask, sees)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{given.model}: {error}\n")
        return 3
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
