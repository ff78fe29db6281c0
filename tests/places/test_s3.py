"""S3: how many requests, whose credentials, and what is said when it does not work."""

from __future__ import annotations

import multiprocessing
import pickle
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from botocore.exceptions import ReadTimeoutError
from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.places import RemotePath, configure, place
from surgqa.transforms.places.s3 import BLOCK
from surgqa.transforms.places.stores import store


def test_each_question_costs_one_request(remote, asked):
    (remote / "a" / "b.bin").write_bytes(b"12345")
    asked.clear()
    path = remote / "a" / "b.bin"
    for ask in (
        path.is_file, path.stat, path.exists, path.read_bytes, remote.is_dir,
        lambda: list(remote.iterdir()), lambda: list(remote.rglob("*")),
        lambda: path.write_bytes(b"12345"), lambda: path.unlink(missing_ok=True),
    ):  # fmt: skip
        ask()
        assert len(asked) == 1, asked
        asked.clear()


def test_opening_reads_a_small_file_in_one_request_and_a_large_one_by_blocks(remote, asked):
    (remote / "small").write_bytes(b"12345")
    (remote / "large").write_bytes(bytes(3 * BLOCK))
    asked.clear()
    with (remote / "small").open("rb") as file:
        assert file.read(2) + file.read() == b"12345"
    assert len(asked) == 1
    asked.clear()
    with (remote / "large").open("rb") as file:
        while file.read(BLOCK // 8):
            pass
    assert len(asked) == 3


def test_a_folder_of_many_files_is_listed_whole(remote):
    # Straight into the server, which is in this process: a thousand uploads take seconds.
    server = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    for number in range(1003):
        server.put_object(remote.bucket, f"{remote.name}/frames/{number:06d}.png", b"")
    assert len(list((remote / "frames").iterdir())) == 1003
    assert [path.name for path in remote.iterdir()] == ["frames"]
    store("s3").delete_below(str(remote))
    assert not remote.exists()


def test_markers_of_folders_are_no_files(remote):
    client, bucket = store("s3").client, remote.bucket
    client.put_object(Bucket=bucket, Key=f"{remote.name}/empty/", Body=b"")
    assert (remote / "empty").is_dir() and not (remote / "empty").is_file()
    assert list((remote / "empty").iterdir()) == []
    assert [p.name for p in remote.iterdir()] == ["empty"]
    assert remote.files_below() == []
    store("s3").delete_below(str(remote))
    assert not remote.exists()


def test_a_connection_that_breaks_while_reading_is_tried_again(remote, monkeypatch):
    (remote / "labels").write_bytes(b"12345")
    client = store("s3").client
    real, broken = client.get_object, []

    class Breaking:
        def read(self) -> bytes:
            broken.append(1)
            raise ReadTimeoutError(endpoint_url="x", error="too slow")

    def twice_broken(**asked):
        return real(**asked) if len(broken) == 2 else {"Body": Breaking()}

    monkeypatch.setattr(client, "get_object", twice_broken)
    assert (remote / "labels").read_bytes() == b"12345"
    monkeypatch.setattr(client, "get_object", lambda **_: {"Body": Breaking()})
    with pytest.raises(OSError, match="Read timeout"):
        (remote / "labels").read_bytes()
    assert len(broken) == 5


def test_a_missing_bucket_is_named(s3_environment):
    for ask in (RemotePath.is_dir, RemotePath.read_bytes, lambda p: p.write_bytes(b"x")):
        with pytest.raises(SourceMissing, match="bucket not found: 'surgeries'"):
            ask(place("s3://surgeries/cholect50"))


def test_a_bucket_that_cannot_be_is_a_users_mistake(s3_environment):
    with pytest.raises(UserError, match="cannot be used with the current settings"):
        place("s3://my bucket/x").is_file()


def test_missing_credentials_are_told_at_once(other_settings):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        other_settings.delenv(name)
    configure([])
    begun = time.perf_counter()
    with pytest.raises(UserError, match="no credentials for S3"):
        place("s3://surgery/x").is_dir()
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [("http://127.0.0.1:1", "cannot be reached"), ("127.0.0.1:1", "with the current settings")],
)
def test_an_endpoint_that_is_not_there_is_told(other_settings, endpoint, message):
    other_settings.setenv("AWS_ENDPOINT_URL", endpoint)
    other_settings.setenv("AWS_MAX_ATTEMPTS", "1")
    configure([])
    with pytest.raises(UserError, match=message):
        place("s3://surgery/x").read_bytes()


def test_a_refusal_is_a_permission_error(remote, monkeypatch):
    (remote / "x").write_bytes(b"1")
    answer = {"Error": {"Code": "AccessDenied", "Message": "not yours"}}
    client = store("s3").client
    monkeypatch.setattr(client, "get_object", lambda **_: _raise(client, answer))
    with pytest.raises(PermissionError, match="not yours") as caught:
        (remote / "x").read_bytes()
    assert caught.value.filename == str(remote / "x")


def _raise(client, answer):
    raise client.exceptions.ClientError(answer, "GetObject")


def test_one_client_serves_all_threads_until_the_options_change(remote, other_settings):
    held = store("s3")
    with ThreadPoolExecutor(8) as threads:
        clients = {id(client) for client in threads.map(lambda _: held.client, range(32))}
    assert clients == {id(held.client)}
    configure(["--s3_region_name=eu-central-1"])
    assert held.client.meta.region_name == "eu-central-1"


def test_a_fresh_process_reads_by_engine_options_alone(remote, other_settings):
    (remote / "labels").write_bytes(b"12345")
    options = [
        f"--s3_endpoint_url={_endpoint()}",
        "--s3_access_key_id=somebody",
        "--s3_secret_access_key=a secret",
        "--runner=FnApiRunner",
        "--no_option_of_storage=1",
    ]
    for name in ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        other_settings.delenv(name)
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        1, mp_context=fresh, initializer=configure, initargs=(options,)
    ) as pool:
        assert pool.submit(pickle.loads, pickle.dumps(remote)).result() == remote
        assert pool.submit(RemotePath.read_bytes, remote / "labels").result(60) == b"12345"


def _endpoint() -> str:
    return store("s3").client.meta.endpoint_url


def test_a_pipelines_own_options_are_taken(remote, other_settings):
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions

    store("s3").client.head_bucket(Bucket=remote.bucket)
    beam.Pipeline(options=PipelineOptions(["--s3_region_name=eu-west-3"]))
    assert store("s3").client.meta.region_name == "eu-west-3"
    configure([])
    assert store("s3").client.meta.region_name == "us-east-1"
