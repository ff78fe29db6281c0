"""An S3 server in this process, and folders to try things in: local and remote."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from surgqa.transforms.places import Place, RemotePath, configure, place
from surgqa.transforms.places.stores import store

BUCKET = "surgery"
SETTINGS = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "a secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
_numbers = itertools.count()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """URL of an S3 server that is empty but for one bucket."""
    log = logging.getLogger("werkzeug")
    before, log.disabled = log.disabled, True
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    maker = boto3.client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="somebody",
        aws_secret_access_key="a secret",
    )
    maker.create_bucket(Bucket=BUCKET)
    yield url
    maker.close()
    server.stop()
    log.disabled = before


@pytest.fixture(scope="module")
def s3_environment(s3_server: str) -> Iterator[str]:
    """The environment that a user of this server sets; gives the server's URL."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**SETTINGS, "AWS_ENDPOINT_URL": s3_server}.items():
            patch.setenv(name, value)
        patch.delenv("AWS_PROFILE", raising=False)
        configure([])
        yield s3_server
    configure([])


@pytest.fixture
def other_settings(
    s3_environment: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[pytest.MonkeyPatch]:
    """For a test that changes the environment or the options: both are put back."""
    yield monkeypatch
    configure([])


@pytest.fixture
def remote(s3_environment: str) -> RemotePath:
    """A folder in the bucket that no other test uses."""
    folder = place(f"s3://{BUCKET}/test {next(_numbers)} [x]")
    assert isinstance(folder, RemotePath)
    return folder


@pytest.fixture(params=["local", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty folder of either kind."""
    return tmp_path if request.param == "local" else request.getfixturevalue("remote")


@pytest.fixture
def asked(remote: RemotePath) -> Iterator[list[str]]:
    """Requests to the server from here on, as ``GET key`` or ``GET ?prefix``."""
    seen: list[str] = []

    def note(request: Any, **_: Any) -> None:
        seen.append(f"{request.method} {request.url}")

    events = store("s3").client.meta.events
    events.register("before-send.s3", note)
    yield seen
    events.unregister("before-send.s3", note)
