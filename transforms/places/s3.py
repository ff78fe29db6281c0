"""Amazon S3 and services with the same protocol.

Beam creates a new client for every operation, which takes thirty times as long as checking whether
an object exists. So Beam's client, which applies Beam's options, is created once in each process
and called directly. This also avoids two faults. Beam retries seven times, after five seconds and
then each time after twice as long, so that a user without credentials waits for minutes. And Beam's
writer cannot write an empty object.
"""

from __future__ import annotations

import errno
import io
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from botocore import exceptions as aws

from surgqa.ontology.errors import CredentialsMissing, FileMissing, ServiceUnavailable, UserError
from surgqa.transforms.places.stores import missing, options

BLOCK = 4 << 20
_BATCH = 1000
_TRIES = 3
_ABSENT = ("404", "NoSuchKey", "NotFound")
_REFUSED = ("401", "403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch")


class S3:
    """Reads and writes objects in S3 buckets."""

    def __init__(self) -> None:
        self._made: tuple[int, Any, Any] = (0, None, None)
        self._making = threading.Lock()

    @property
    def client(self) -> Any:
        """The client for the current options; a forked process makes its own."""
        with self._making:  # several threads may need the first client at the same moment
            now = options()
            pid, for_options, client = self._made
            if pid != os.getpid() or for_options is not now:
                client = _new_client(now)
                self._made = (os.getpid(), now, client)
            return client

    def size(self, url: str) -> int | None:
        bucket, key = _split(url)
        try:
            with store_errors(url):
                return self.client.head_object(Bucket=bucket, Key=key)["ContentLength"]
        except FileNotFoundError:
            return None

    def is_folder(self, url: str) -> bool:
        bucket, prefix = _folder(url)
        with store_errors(url):
            page = self.client.list_objects_v2(Bucket=bucket, Prefix=prefix, MaxKeys=1)
        return page["KeyCount"] > 0

    def children(self, url: str) -> Iterator[str]:
        _, prefix = _folder(url)
        seen = {""}  # an object may have the name of this folder or of a folder in it
        for page in self._pages(url, Delimiter="/"):
            keys = [one["Key"] for one in page.get("Contents", ())]
            keys += [one["Prefix"][:-1] for one in page.get("CommonPrefixes", ())]
            names = [key[len(prefix) :] for key in keys]
            yield from (name for name in names if name not in seen)
            seen.update(names)

    def below(self, url: str) -> Iterator[str]:
        _, prefix = _folder(url)
        yield from (key[len(prefix) :] for key in self._keys(url) if not key.endswith("/"))

    def _keys(self, url: str) -> Iterator[str]:
        for page in self._pages(url):
            yield from (one["Key"] for one in page.get("Contents", ()))

    def _pages(self, url: str, **more: str) -> Iterator[dict[str, Any]]:
        bucket, prefix = _folder(url)
        with store_errors(url):
            pages = self.client.get_paginator("list_objects_v2")
            yield from pages.paginate(Bucket=bucket, Prefix=prefix, **more)

    def reader(self, url: str) -> BinaryIO:
        from apache_beam.io.filesystemio import DownloaderStream

        stream = DownloaderStream(_ranges(self, url), read_buffer_size=BLOCK)
        return io.BufferedReader(stream, buffer_size=BLOCK)  # type: ignore[return-value]

    def read(self, url: str) -> bytes:
        _, data = self.fetch(url, None)
        return data

    def fetch(self, url: str, part: tuple[int, int] | None) -> tuple[int, bytes]:
        """Return (size of the object, its bytes), or only the bytes [part[0], part[1])."""
        bucket, key = _split(url)
        asked = {} if part is None else {"Range": f"bytes={part[0]}-{part[1] - 1}"}
        for left in reversed(range(_TRIES)):
            try:
                with store_errors(url):
                    answer = self.client.get_object(Bucket=bucket, Key=key, **asked)
                    data = answer["Body"].read()
                    whole = answer.get("ContentRange", f"/{len(data)}").rpartition("/")[2]
                    return int(whole), data
            except _Broken:
                if not left:
                    raise
        raise AssertionError("unreachable")

    def write(self, url: str, file: BinaryIO) -> None:
        bucket, key = _split(url)
        with store_errors(url):
            self.client.upload_fileobj(file, bucket, key)

    def delete(self, urls: Sequence[str]) -> None:
        for bucket in sorted({_split(url)[0] for url in urls}):
            keys = [key for one, key in map(_split, urls) if one == bucket]
            self._delete(bucket, keys)

    def delete_below(self, url: str) -> None:
        self._delete(_folder(url)[0], list(self._keys(url)))

    def _delete(self, bucket: str, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), _BATCH):
            batch = [{"Key": key} for key in keys[start : start + _BATCH]]
            with store_errors(f"s3://{bucket}"):
                answer = self.client.delete_objects(
                    Bucket=bucket, Delete={"Objects": batch, "Quiet": True}
                )
            for left in answer.get("Errors", ()):
                raise OSError(errno.EIO, left["Message"], f"s3://{bucket}/{left['Key']}")

    def copy(self, source: str, target: str) -> None:
        bucket, key = _split(source)
        with store_errors(source):
            self.client.copy({"Bucket": bucket, "Key": key}, *_split(target))

    def move(self, source: str, target: str) -> None:
        self.copy(source, target)
        self.delete([source])

    def make_folder(self, url: str) -> None:
        """Do nothing; an object store has no folders."""


def _new_client(options: Any) -> Any:
    from apache_beam.io.aws.clients.s3 import boto3_client

    try:
        return boto3_client.Client(options).client
    except ValueError as error:
        raise _unusable(error) from None


def _ranges(store: S3, url: str) -> Any:
    """Return Beam's reader for the blocks of an object; the first request also returns the size."""
    from apache_beam.io.filesystemio import Downloader

    class Ranges(Downloader):
        def __init__(self) -> None:
            try:
                self._size, self._first = store.fetch(url, (0, BLOCK))
            except _EmptyObject:
                self._size, self._first = 0, b""

        @property
        def size(self) -> int:
            return self._size

        def get_range(self, start: int, end: int) -> bytes:
            if end <= len(self._first):
                return self._first[start:end]
            return store.fetch(url, (start, end))[1]

    return Ranges()


def _split(url: str) -> tuple[str, str]:
    bucket, _, key = url.removeprefix("s3://").partition("/")
    return bucket, key


def _folder(url: str) -> tuple[str, str]:
    bucket, key = _split(url)
    return bucket, f"{key}/" if key else ""


class _Broken(OSError):
    """The connection broke while the contents of an object were read."""


class _EmptyObject(OSError):
    """A range of bytes of an empty object was requested."""


@contextmanager
def store_errors(url: str) -> Iterator[None]:
    """Convert S3's errors into those of :class:`~transforms.places.stores.Store`."""
    try:
        yield
    except aws.ClientError as error:
        raise _answered(error, url) from None
    except (aws.NoCredentialsError, aws.PartialCredentialsError, aws.CredentialRetrievalError):
        raise CredentialsMissing(
            "no credentials for S3",
            expected="AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile",
            where=url,
            fix="set them in the environment, or AWS_PROFILE (docs/storage.md)",
        ) from None
    except aws.ConnectionError as error:
        raise ServiceUnavailable(
            "S3 cannot be reached",
            found=str(error),
            where=url,
            fix="check the network and AWS_ENDPOINT_URL (docs/storage.md)",
        ) from None
    except (aws.HTTPClientError, aws.IncompleteReadError) as error:
        raise _Broken(errno.EIO, str(error), url) from None
    except aws.BotoCoreError as error:
        raise _unusable(error) from None


def _unusable(error: Exception) -> UserError:
    return ServiceUnavailable(
        "S3 cannot be used with the current settings",
        found=str(error),
        fix="check the URL and the variables that start with AWS_ (docs/storage.md)",
    )


def _answered(error: Any, url: str) -> Exception:
    code, message = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
    if code == "NoSuchBucket":
        bucket = _split(url)[0]
        return FileMissing(
            f"bucket not found: {bucket!r}",
            where=url,
            fix="check the name, and AWS_ENDPOINT_URL if the storage is not Amazon's",
        )
    if code in _ABSENT:
        return missing(url)
    if code in ("InvalidRange", "416"):
        return _EmptyObject(errno.EINVAL, message, url)
    if code in _REFUSED:
        return PermissionError(errno.EACCES, message or "access denied", url)
    return OSError(errno.EIO, f"{code}: {message}", url)
