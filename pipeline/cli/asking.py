"""Options of ``surgqa infer`` and ``surgqa judge`` that select the model, as settings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontology.errors import UserError
from pipeline.cli.console import talk

if TYPE_CHECKING:
    from transforms.inference.client import EndpointSettings
    from transforms.inference.engine import Manner


def source_of(
    base_url: str | None, model: str | None, command: str | None, key: str | None,
    image_folder: Path | None,
) -> str | None:  # fmt: skip
    """The address of the endpoint, or None if a program is called.

    Raises:
        UserError: neither or both are given, or an option belongs to the other.
    """
    if bool(base_url) == bool(command):
        raise UserError(
            "no model is given",
            expected="either --base-url URL --model NAME, or --command 'PROGRAM ARGS'",
            found="both" if command else "neither",
        )
    if base_url and not model:
        raise UserError("an endpoint needs the name of a model", expected="--model NAME")
    if command and (model or key):
        raise UserError("--model and --api-key-env belong to --base-url")
    if image_folder and not command:
        raise UserError("--image-folder belongs to --command")
    return base_url


def endpoint_of(
    base_url: str, model: str, temperature: float, max_tokens: int | None,
    body: str | None, timeout: float | None, key: str | None,
) -> EndpointSettings:  # fmt: skip
    """Settings of the calls to an endpoint.

    Raises:
        UserError: the address, the body or the key is not usable.
    """
    from transforms.inference.client import EndpointSettings

    settings = EndpointSettings(
        base_url, model, temperature, max_tokens, _body(body), timeout or 120.0, _key(key)
    )
    _ = settings.url  # refuse a bad address before the jobs are read
    return settings


def _body(text: str | None) -> dict[str, Any]:
    import orjson

    try:
        body = orjson.loads(text or "{}")
    except orjson.JSONDecodeError as error:
        raise UserError("not JSON", found=str(error), where="--body") from None
    if not isinstance(body, dict) or {"model", "messages", "stream"} & set(body):
        raise UserError(
            "these fields cannot be added to a request",
            expected='an object such as {"seed": 1}, without model, messages and stream',
            found=text,
            where="--body",
        )
    return body


def _key(name: str | None) -> str | None:
    if name is None:
        return None
    key = os.environ.get(name, "").strip()
    if not key or not key.isascii():
        raise UserError(
            "the environment contains no key",
            expected=f"a variable {name} that holds the endpoint's key",
            found="characters that no key contains" if key else "none, or an empty one",
            where="--api-key-env",
            fix=f"export {name}=…",
        )
    return key


def manner_of(concurrency: int, rate: float | None, retries: int, backoff: float) -> Manner:
    """Settings of the calls: how many in parallel, at which rate, with how many retries."""
    from transforms.inference.client import Retry
    from transforms.inference.engine import Manner

    return Manner(concurrency, rate, Retry(retries, backoff))


def say_waiting(under_way: int) -> None:
    """After Ctrl-C, print which calls are still awaited."""
    talk.say(f"waiting for {under_way} running calls; press Ctrl-C again to stop")
