"""A local stand-in for the two Google services that a submission talks to.

It answers what the Dataflow client and the Cloud Storage client ask while a job is
submitted, keeps every request, and calls every job done at once.  Nothing is executed: what
it shows is what Dataflow would be told.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import google_crc32c

SECONDS = 20
"""A request that hangs longer fails its test."""

DONE = "JOB_STATE_DONE"


@dataclass
class Recorded:
    """What was asked, and how to answer.

    Attributes:
        requests: method and path of every request, in the order they came.
        objects: contents of what was uploaded, by ``bucket/name``.
        jobs: the JSON of every job that was created, in order.
        refuse: HTTP status with which every request of a bucket is refused, or 0.
        taken: whether a job of every name is active already.
        state: what becomes of a job.
    """

    requests: list[tuple[str, str]] = field(default_factory=list)
    objects: dict[str, bytes] = field(default_factory=dict)
    jobs: list[dict[str, Any]] = field(default_factory=list)
    refuse: int = 0
    taken: bool = False
    state: str = DONE
    url: str = ""

    def pipeline(self, number: int = -1) -> Any:
        """The graph that came with a job, as Beam's ``Pipeline`` message."""
        from apache_beam.portability.api import beam_runner_api_pb2

        address = self.jobs[number]["environment"]["sdkPipelineOptions"]["options"]["pipelineUrl"]
        data = self.objects[address.removeprefix("gs://")]
        return beam_runner_api_pb2.Pipeline.FromString(data)


@contextmanager
def serve() -> Iterator[Recorded]:
    """Answer on a free port of this machine."""
    recorded = Recorded()
    handler = type("Bound", (_Handler,), {"recorded": recorded})
    with ThreadingHTTPServer(("localhost", 0), handler) as server:
        recorded.url = f"http://localhost:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield recorded
        finally:
            server.shutdown()
            thread.join(SECONDS)


class _Handler(BaseHTTPRequestHandler):
    recorded: Recorded
    protocol_version = "HTTP/1.1"
    timeout = SECONDS

    def do_GET(self) -> None:
        path = self._noted()
        parts = path.split("/")
        if path.startswith("/storage/v1/b/"):
            self._storage(parts[4], parts[6] if len(parts) > 6 else None)
        elif path.endswith("/messages"):
            self._answer({"jobMessages": []})
        elif path.endswith("/metrics"):
            self._answer({"metrics": []})
        elif "/jobs/" in path:
            self._answer({**self.recorded.jobs[int(parts[-1]) - 1], **self._told(parts[-1])})
        else:
            self._answer({}, 404)

    def do_POST(self) -> None:
        path, body = self._noted(), self._body()
        parts = path.split("/")
        if path.startswith("/upload/storage/v1/b/"):
            query = parse_qs(urlsplit(self.path).query)
            name = query["name"][0] if "name" in query else json.loads(body)["name"]
            self._answer({}, headers={"Location": f"{self.recorded.url}/session/{parts[5]}/{name}"})
        elif path.endswith("/jobs"):
            self._create(json.loads(body))
        else:
            self._answer({}, 404)

    def do_PUT(self) -> None:
        bucket, _, name = self._noted().removeprefix("/session/").partition("/")
        self.recorded.objects[f"{bucket}/{name}"] = self._body()
        self._answer(self._metadata(bucket, name))

    def _create(self, job: dict[str, Any]) -> None:
        self.recorded.jobs.append(job)
        told = self._told(str(len(self.recorded.jobs)))
        if self.recorded.taken:
            # The service answers with the job that has the name, which another one asked for.
            told["clientRequestId"] = "another"
        self._answer({**job, **told})

    def _told(self, number: str) -> dict[str, str]:
        return {
            "id": number,
            "projectId": "hospital-research",
            "location": "europe-west4",
            "currentState": self.recorded.state,
        }

    def _storage(self, bucket: str, name: str | None) -> None:
        if self.recorded.refuse:
            error = {"code": self.recorded.refuse, "message": "refused"}
            self._answer({"error": error}, self.recorded.refuse)
        elif name is None:
            keep = {"retentionDurationSeconds": "0"}
            self._answer({"name": bucket, "location": "EU", "softDeletePolicy": keep})
        elif f"{bucket}/{unquote(name)}" in self.recorded.objects:
            self._answer(self._metadata(bucket, unquote(name)))
        else:
            self._answer({"error": {"code": 404, "message": "no such object"}}, 404)

    def _metadata(self, bucket: str, name: str) -> dict[str, str]:
        data = self.recorded.objects[f"{bucket}/{name}"]
        crc = google_crc32c.value(data).to_bytes(4, "big")
        return {
            "name": name,
            "bucket": bucket,
            "size": str(len(data)),
            "md5Hash": base64.b64encode(hashlib.md5(data).digest()).decode(),
            "crc32c": base64.b64encode(crc).decode(),
        }

    def _noted(self) -> str:
        path = urlsplit(self.path).path
        self.recorded.requests.append((self.command, path))
        return path if path.startswith("/storage/") else unquote(path)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        whole = b""
        while size := int(self.rfile.readline(), 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def _answer(
        self, answer: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Requests are kept, not printed."""
