"""Rows to make jobs of, and an endpoint that misbehaves."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.rows import ITEM, VIDEOS

GOOD = "good"
CYCLE = ("429", "500", "cut", "garbage", "slow")


def row(number: int = 0, **more: Any) -> dict[str, Any]:
    """A row of ``data/``, with an answer that must not be seen."""
    out = dict.fromkeys(ITEM.names) | {
        "item_id": f"{number:032x}",
        "unit": "now",
        "rule": "only",
        "rule_args": '{"answer":{"here.label":{"type":"label","of":"phase"}}}',
        "benchmark": "medstream",
        "task": "phase_now",
        "form": "choice",
        "template_id": "medstream.phase_now",
        "dataset": "demochole",
        "video_id": "v07",
        "start_us": 352_000_000,
        "end_us": 412_000_000,
        "media": {"path": "videos/v07.mp4", "kind": "video", "fps_num": 25, "fps_den": 1,
                  "width": 400, "height": 240},
        "question": f"Question {number:04d}: which phase is under way?",
        "answer": "A) sorrel",
        "answer_key": "A",
        "answer_value": '{"here.label":"sorrel"}',
        "options": [
            {"key": "A", "text": "clipping", "is_answer": True, "kind": "answer"},
            {"key": "B", "text": "packaging", "is_answer": False, "kind": "other_phase"},
        ],
        "slots": '{"phase":"sorrel"}',
        "evidence": [{"kind": "segments", "id": "sorrel", "start_us": 0, "end_us": 1}],
        "reasoning": ["sorrel"],
        "knowledge": "sorrel",
        "clue": "sorrel",
        "context": "sorrel",
        "temporal_mode": "present",
        "task_mode": "single_turn",
        "query_us": 412_000_000,
        "rounds": [],
        "checks": [],
    }  # fmt: skip
    return out | more


def streaming(number: int = 1) -> dict[str, Any]:
    """A proactive item of four rounds."""
    rounds = [
        {
            "round_index": k, "current_us": at, "start_us": 600_000_000, "end_us": at,
            "expected_output": "alert: sorrel" if k > 1 else "no_alert",
            "accepted_outputs": ["alert: sorrel", "sorrel"], "answerable": k > 1,
        }
        for k, at in enumerate((605_000_000, 610_000_000, 655_000_000, 675_000_000))
    ]  # fmt: skip
    return row(number, unit="stream", form="open", options=[], temporal_mode="proactive",
               task_mode="streaming", query_us=600_000_000, start_us=600_000_000,
               end_us=675_000_000, rounds=rounds)  # fmt: skip


@pytest.fixture
def finished(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as a finished dataset of one benchmark."""

    def write(rows: list[dict[str, Any]], name: str = "out", shards: int = 1) -> Path:
        out = tmp_path / name
        data = out / "data" / "medstream"
        data.mkdir(parents=True)
        (out / "evidence").mkdir()
        for shard in range(shards):
            path = data / f"train-{shard:05d}-of-{shards:05d}.parquet"
            pq.write_table(pa.Table.from_pylist(rows[shard::shards], ITEM), path)
        keys = {(one["dataset"], one["video_id"]) for one in rows}
        videos = [{"dataset": d, "video_id": v, "clock": "time", "period_us": 1_000_000}
                  for d, v in sorted(keys)]  # fmt: skip
        pq.write_table(pa.Table.from_pylist(videos, VIDEOS), out / "evidence" / "videos.parquet")
        (out / "manifest.json").write_text("{}", encoding="utf-8")
        return out

    return write


class Stub(ThreadingHTTPServer):
    """A chat completions endpoint on this machine.

    Attributes:
        plan: what to do with the n-th request: ``good``, a status, ``cut``, ``garbage``,
            ``slow``; or a function of (n, question) that says so.
        reply: makes the text of a reply of (question, body).
        delivered: replies that went out whole, by question.
        asked: requests, by question.
        bodies: what was sent, as parsed.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan: Callable[[int, str], str] = lambda n, question: GOOD
        self.reply: Callable[[str, dict[str, Any]], str] = lambda question, _: (
            f"answer to {question}"
        )
        self.delay_s = 0.0
        self.slow_s = 5.0
        self.delivered: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.most_at_once = self.at_once = 0
        self.lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Stub

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
        stub = self.server
        self.body = body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = question_of(body)
        with stub.lock:
            number = sum(stub.asked.values())
            stub.asked[question] += 1
            stub.bodies.append(body)
            stub.headers.append(dict(self.headers))
            stub.times.append(time.monotonic())
            stub.at_once += 1
            stub.most_at_once = max(stub.most_at_once, stub.at_once)
        try:
            stub.closing.wait(stub.delay_s)
            self.act(stub.plan(number, question), question)
        finally:
            with stub.lock:
                stub.at_once -= 1

    def act(self, plan: str, question: str) -> None:
        stub = self.server
        if self.path != "/v1/chat/completions":
            plan = "404"
        if plan.isdigit():
            after = {"Retry-After": "0"} if plan == "429" else {}
            self.send(int(plan), {"error": {"message": f"planned {plan}"}}, after)
        elif plan == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "5000")
            self.end_headers()
            self.wfile.write(b'{"choices": [{"mess')
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif plan == "garbage":
            self.raw(200, b"<html>{{{ [[[ \xff not a reply")
        else:
            if plan == "slow":
                stub.closing.wait(stub.slow_s)
            message = {"role": "assistant", "content": stub.reply(question, self.body)}
            self.send(200, {
                "id": "r", "choices": [{"message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 7},
            })  # fmt: skip
            with stub.lock:
                stub.delivered[question] += 1

    def send(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        self.raw(status, json.dumps(value).encode(), headers)

    def raw(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()


def question_of(body: dict[str, Any]) -> str:
    """The mark of the job in a request's text: ``Question 0007`` and its round's end."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    lines = [line for line in text.split("\n") if line.startswith(("Use nothing", "Question"))]
    return " ".join(lines)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A running endpoint; calls to this machine go around any proxy."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()
    thread.join()


def one_in_ten(number: int, question: str) -> str:
    """Every tenth request goes wrong, each time in another way."""
    return CYCLE[(number // 10) % len(CYCLE)] if number % 10 == 3 else GOOD
