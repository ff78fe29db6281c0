"""Calls to an endpoint that fails in every way it can, and is asked no more than it must."""

from __future__ import annotations

import asyncio
import json
import time

import httpx
import pytest

from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.transforms.inference import engine
from surgqa.transforms.inference.client import (
    Again,
    EndpointSettings,
    Pace,
    Refused,
    Retry,
    asked_pause_s,
    reply_of,
)
from surgqa.transforms.inference.engine import CallSettings, ModelCall, run_calls
from surgqa.transforms.inference.journal import Journal, RunCounts, Tokens, answered, entries
from tests.each import cases

QUICK = Retry(times=5, first_s=0.01)


def calls(count: int) -> list[ModelCall]:
    def messages(number: int):
        return [{"role": "user", "content": f"Question {number:04d}"}]

    return [ModelCall(f"c{n:04d}", {"n": n}, lambda n=n: messages(n)) for n in range(count)]


def ran(stub, tmp_path, count=10, *, manner=None, what=None, on_change=lambda t: None, **settings):
    told = {"base_url": stub.url, "model": "m", "timeout_s": 5.0} | settings
    tally = RunCounts(total=count)
    with Journal(tmp_path / "j", {}) as journal:
        run_calls(calls(count) if what is None else what, EndpointSettings(**told),
                  manner or CallSettings(4, None, QUICK), journal, tally, on_change)  # fmt: skip
    return tally


@pytest.mark.parametrize("fault", ["429", "500", "503", "408", "cut", "garbage"])
def test_what_may_heal_is_asked_again(stub, tmp_path, fault):
    stub.plan = lambda n, question: fault if stub.asked[question] < 3 else "good"
    tally = ran(stub, tmp_path, 6)
    assert (tally.done, tally.failed, tally.retries) == (6, {}, 12)
    assert set(stub.asked.values()) == {3} and set(stub.delivered.values()) == {1}
    assert tally.tokens == Tokens(600, 42)
    kept = {e["id"]: e for e in entries(tmp_path / "j")}
    assert kept["c0003"]["response"] == "answer to Question 0003"
    assert kept["c0003"]["attempts"] == 3 and kept["c0003"]["n"] == 3
    assert json.loads(kept["c0003"]["raw"])["usage"]["prompt_tokens"] == 100


def test_a_reply_that_takes_too_long_is_given_up_and_asked_again(stub, tmp_path):
    stub.plan = lambda n, question: "slow" if n == 0 else "good"
    start = time.monotonic()
    tally = ran(stub, tmp_path, 3, timeout_s=0.5)
    assert tally.done == 3 and tally.retries == 1 and time.monotonic() - start < 4


def test_a_reply_in_drips_does_not_outlast_the_limit(stub, tmp_path, monkeypatch):
    def drip(handler, status, data, headers=None):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            if stub.closing.wait(0.05):
                break

    monkeypatch.setattr(stub.RequestHandlerClass, "raw", drip)
    start = time.monotonic()
    tally = ran(stub, tmp_path, 1, timeout_s=0.4, manner=CallSettings(1, None, Retry(0)))
    assert "no reply within 0.4 s" in tally.failed["c0000"] and time.monotonic() - start < 3


@pytest.mark.parametrize("status", ["400", "413", "422"])
def test_what_cannot_heal_is_asked_once(stub, tmp_path, status):
    stub.plan = lambda n, question: status if question.endswith("2") else "good"
    tally = ran(stub, tmp_path, 6)
    assert tally.done == 5 and tally.failed == {"c0002": f"HTTP {status}: planned {status}"}
    assert set(stub.asked.values()) == {1}
    assert "c0002" not in answered(entries(tmp_path / "j"))


@pytest.mark.parametrize("status", ["401", "402", "403", "404"])
def test_a_closed_door_ends_the_run_at_once(stub, tmp_path, status):
    stub.plan = lambda n, question: status
    with pytest.raises(UserError, match="refuses all calls") as caught:
        ran(stub, tmp_path, 100)
    assert f"planned {status}" in caught.value.found and sum(stub.asked.values()) <= 4


def test_a_refusal_of_one_job_among_good_ones_is_that_jobs_alone(stub, tmp_path):
    stub.plan = lambda n, question: "403" if question.endswith("5") else "good"
    tally = ran(stub, tmp_path, 9, manner=CallSettings(1, None, QUICK))
    assert tally.done == 8 and list(tally.failed) == ["c0005"]


def test_an_endpoint_that_stays_unwell_is_left_alone(stub, tmp_path):
    stub.plan = lambda n, question: "500"
    with pytest.raises(UserError, match="keeps failing") as caught:
        ran(stub, tmp_path, 500, manner=CallSettings(2, None, Retry(1, 0.001)))
    assert caught.value.exit_code == 3
    assert sum(stub.asked.values()) <= 2 * (engine.HOPELESS + 2)


def test_nobody_there(tmp_path, stub):
    tally = RunCounts(total=1)
    settings = EndpointSettings("http://127.0.0.1:1/v1", "m")
    with Journal(tmp_path / "j", {}) as journal:
        run_calls(calls(1), settings, CallSettings(1, None, Retry(1, 0.01)), journal, tally)
    assert "connection failed" in tally.failed["c0000"] and "(2 calls)" in tally.failed["c0000"]


def test_pictures_that_are_not_there_fail_their_job_without_a_call(stub, tmp_path):
    def gone():
        raise SourceBroken("v.mp4 shows nothing")

    tally = ran(stub, tmp_path, 3, what=[*calls(2), ModelCall("x", {}, gone)])
    assert tally.failed == {"x": "v.mp4 shows nothing"} and sum(stub.asked.values()) == 2


def test_an_own_mistake_is_not_swallowed(stub, tmp_path):
    def bug():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ran(stub, tmp_path, 3, what=[ModelCall("x", {}, bug), *calls(2)])


def test_so_many_calls_at_a_time_and_no_more(stub, tmp_path):
    stub.delay_s = 0.05
    ran(stub, tmp_path, 24, manner=CallSettings(6, None, QUICK))
    assert stub.most_at_once == 6


def test_calls_keep_their_distance(stub, tmp_path, monkeypatch):
    """Measured where calls start: how long one takes to arrive is the machine's affair."""
    started, turn = [], Pace.turn

    async def noted(pace: Pace, stop: asyncio.Event) -> bool:
        may = await turn(pace, stop)
        started.append(asyncio.get_running_loop().time())
        return may

    monkeypatch.setattr(Pace, "turn", noted)
    stub.plan = lambda n, question: "500" if n == 2 else "good"
    ran(stub, tmp_path, 5, manner=CallSettings(5, 1200, QUICK))  # one every 50 ms, retries included
    gaps = [b - a for a, b in zip(started, started[1:], strict=False)]
    assert len(stub.times) == len(started) == 6 and min(gaps) > 0.049


def test_a_pause_that_the_server_asks_for_holds_everyone():
    async def measured() -> float:
        pace, stop = Pace(), asyncio.Event()
        loop = asyncio.get_running_loop()
        start = loop.time()
        pace.hold(0.2)
        assert await asyncio.gather(pace.turn(stop), pace.turn(stop)) == [True, True]
        return loop.time() - start

    assert 0.19 <= asyncio.run(measured()) < 2


def test_pauses_double_up_to_the_longest_and_differ_by_call():
    retry = Retry(times=9, first_s=1, longest_s=60)
    pauses = [retry.pause_s("a", n) for n in range(1, 10)]
    for number, pause in enumerate(pauses):
        assert 0.5 * min(2**number, 60) <= pause <= min(2**number, 60)
    assert retry.pause_s("a", 1) == pauses[0] != retry.pause_s("b", 1)
    assert retry.pause_s("a", 5000) <= 60


@cases(
    ("header", "date", "seconds"),
    [("7", None, 7.0), ("0.5", None, 0.5), (None, None, None), ("soon", None, None),
     ("-3", None, None), ("nan", None, None), ("inf", None, None),
     ("Wed, 21 Oct 2026 07:28:30 GMT", "Wed, 21 Oct 2026 07:28:00 GMT", 30.0),
     ("Wed, 21 Oct 2026 07:28:30 GMT", None, None)],
)  # fmt: skip
def test_retry_after(header, date, seconds):
    assert asked_pause_s(header, date) == seconds


def answer(status: int, value: object, headers: dict[str, str] | None = None) -> httpx.Response:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return httpx.Response(status, content=data, headers=headers)


def chat(content: object, **more: object) -> dict[str, object]:
    return {"choices": [{"message": {"content": content, **more}}]}


@cases(
    ("value", "text"),
    [(chat("B"), "B"), (chat(""), ""), (chat(None), ""), (chat(None, refusal="no"), "no"),
     (chat([{"type": "text", "text": "a"}, {"type": "x"}, {"text": "b"}]), "ab"),
     (chat("half \ud83d"), "half \ufffd")],
)  # fmt: skip
def test_texts_of_replies(value, text):
    assert reply_of(answer(200, value)).text == text


def test_counts_that_are_none_are_not_taken():
    usage = {"prompt_tokens": 3, "completion_tokens": True, "total_tokens": 10**30, "x": {"y": 1}}
    assert reply_of(answer(200, chat("B") | {"usage": usage})).usage == {"prompt_tokens": 3}
    assert reply_of(answer(200, chat("B") | {"usage": "many"})).usage == {}


@cases(
    "value",
    [b"", b"null", b"[]", b"{}", b'{"choices": []}', b'{"choices": [null]}', b"\xff\xfe",
     b'{"choices": {"0": 1}}', b"[" * 100_000, b'{"error": {"message": "overloaded"}}'],
    ids=range(10),
)  # fmt: skip
def test_garbage_is_told_from_replies(value):
    with pytest.raises(Again) as caught:
        reply_of(answer(200, value))
    assert len(caught.value.reason) < 300
    assert b"overloaded" not in value or "overloaded" in caught.value.reason


def test_an_empty_purse_and_a_pause_too_long_do_not_heal():
    broke = {"error": {"message": "pay", "code": "insufficient_quota"}}
    for one in (answer(429, broke), answer(429, {}, {"Retry-After": "86400"})):
        with pytest.raises(Refused) as caught:
            reply_of(one)
        assert caught.value.everyone
    with pytest.raises(Again) as again:
        reply_of(answer(503, b"", {"Retry-After": "20"}))
    assert again.value.after_s == 20


def test_the_key_is_sent_and_never_told(stub, tmp_path, capsys):
    key = "sk-0123456789"

    def tell(n, question):
        return "good" if n else "400"

    stub.plan = tell
    real = stub.RequestHandlerClass.send
    stub.RequestHandlerClass = type("H", (stub.RequestHandlerClass,), {
        "send": lambda self, status, value, headers=None: real(
            self, status, {"error": f"bad key {key}"} if status == 400 else value, headers),
    })  # fmt: skip
    tally = ran(stub, tmp_path, 2, key=key, manner=CallSettings(1, None, QUICK))
    assert stub.headers[0]["Authorization"] == f"Bearer {key}"
    assert tally.failed["c0000"] == "HTTP 400: bad key [key]"
    assert key not in (tmp_path / "j").read_text() + repr(
        EndpointSettings("http://x", "m", key=key)
    )


def test_what_is_sent(stub, tmp_path):
    ran(stub, tmp_path, 1, temperature=0.5, max_tokens=9,
        body={"seed": 1, "max_tokens": None, "max_completion_tokens": 8})  # fmt: skip
    assert stub.bodies[0] == {
        "model": "m", "temperature": 0.5, "seed": 1, "max_completion_tokens": 8,
        "messages": [{"role": "user", "content": "Question 0000"}],
    }  # fmt: skip


@cases("url", ["localhost:8000", "ftp://x/v1", "http://", "", "http://h:x/"])
def test_addresses_that_are_none(url):
    with pytest.raises(UserError, match="address"):
        _ = EndpointSettings(url, "m").url


def test_addresses_may_end_as_they_like():
    for url in ("http://h/v1", "http://h/v1/", "http://h/v1/chat/completions"):
        assert EndpointSettings(url, "m").url == "http://h/v1/chat/completions"


def test_costs():
    tokens = Tokens().plus({"prompt_tokens": 2_000_000, "completion_tokens": 10})
    tokens = tokens.plus({"input_tokens": 1}).plus(None)
    assert tokens == Tokens(2_000_001, 10, 2)
    assert tokens.cost(1.5, 100) == pytest.approx(3.0010015)
