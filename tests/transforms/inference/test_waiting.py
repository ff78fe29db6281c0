"""Calls that wait for others: order, failures, stops, and what a second run does."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.inference.client import EndpointSettings, Retry
from surgqa.transforms.inference.engine import CallSettings, ModelCall, Queue, run_calls
from surgqa.transforms.inference.journal import Journal, RunCounts, answered


@dataclass(frozen=True)
class One:
    id: str
    after: tuple[str, ...] = ()


def line(length: int, name: str = "c") -> list[One]:
    """Calls each of which waits for all before it."""
    ids = [f"{name}{n}" for n in range(length)]
    return [One(name, tuple(ids[:n])) for n, name in enumerate(ids)]


def test_each_call_follows_those_it_waits_for():
    replies: dict[str, str] = {}
    queue = Queue([*line(3, "a"), *line(2, "b")], replies)
    assert [queue.next().id, queue.next().id] == ["a0", "b0"] and queue.next() is None
    replies["b0"] = ""
    queue.settled("b0")
    assert queue.next().id == "b1" and queue.next() is None
    for name, following in (("a0", "a1"), ("a1", "a2")):
        replies[name] = ""
        queue.settled(name)
        assert queue.next().id == following and queue.next() is None


def test_what_waits_for_a_failure_is_never_made():
    queue = Queue([*line(3, "a"), One("z", ("a2",)), *line(1, "b")], {})
    assert queue.next().id == "a0"
    queue.settled("a0")  # without a reply
    assert queue.next().id == "b0" and queue.next() is None


def test_replies_of_an_earlier_run_hold_nothing_up():
    queue = Queue(line(3)[2:], {"c0": "", "c1": ""})
    assert queue.next().id == "c2"


@given(st.integers(1, 6), st.integers(1, 5), st.sets(st.integers(0, 29)), st.randoms())
def test_all_that_can_be_made_is_made_once_and_in_order(chains, length, failing, draw):
    calls = [one for n in range(chains) for one in line(length, f"{n}-")]
    replies: dict[str, str] = {}
    queue, out, made = Queue(calls, replies), [], []
    lost = {calls[n].id for n in failing if n < len(calls)}
    while (call := queue.next()) or out:
        if call:
            assert all(name in replies for name in call.after)
            out.append(call)
            made.append(call.id)
            continue
        done = out.pop(draw.randrange(len(out)))
        if done.id not in lost:
            replies[done.id] = ""
        queue.settled(done.id)
    able = [c.id for c in calls if not lost & set(c.after)]
    assert sorted(made) == sorted(able)


def calls_of(chains: int, length: int, seen: dict[str, list[str]], replies: dict[str, str]):
    """Chains of calls; what each had of the replies that it waits for goes to ``seen``."""

    def messages(one: One):
        seen.setdefault(one.id, []).append([replies[name] for name in one.after])
        return [{"role": "user", "content": f"Question {one.id}"}]

    for number in range(chains):
        for one in line(length, f"{number}-"):
            yield ModelCall(one.id, {}, lambda one=one: messages(one), one.after)


def ran(stub, tmp_path, chains=3, length=4, concurrency=4, **more):
    seen: dict[str, list[str]] = {}
    tally = RunCounts(total=chains * length)
    with Journal(tmp_path / "j", {}) as journal:
        replies = answered(journal.entries())
        tally.kept = len(replies)
        todo = (c for c in calls_of(chains, length, seen, replies) if c.id not in replies)
        run_calls(todo, EndpointSettings(stub.url, "m", timeout_s=5.0),
                  CallSettings(concurrency, None, Retry(2, 0.01)), journal, tally,
                  replies=replies, **more)  # fmt: skip
    return tally, seen


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_every_call_has_the_replies_of_those_before_it(stub, tmp_path, concurrency):
    tally, seen = ran(stub, tmp_path, 5, 4, concurrency)
    assert (tally.done, tally.failed, tally.open) == (20, {}, 0)
    for name, (quoted,) in seen.items():
        head, place = name.split("-")
        assert quoted == [f"answer to Question {head}-{n}" for n in range(int(place))]


def test_chains_go_on_beside_each_other(stub, tmp_path):
    stub.delay_s = 0.05
    start = time.monotonic()
    tally, _ = ran(stub, tmp_path, 4, 4, 4)
    assert tally.done == 16 and 2 <= stub.most_at_once <= 4
    assert time.monotonic() - start < 16 * 0.05 + 1


def test_a_failure_ends_its_own_chain_alone(stub, tmp_path):
    stub.plan = lambda n, question: "400" if question.endswith("1-1") else "good"
    tally, seen = ran(stub, tmp_path)
    assert (tally.done, list(tally.failed), tally.open) == (9, ["1-1"], 2)
    assert "1-2" not in seen and "1-3" not in seen
    stub.plan = lambda n, question: "good"
    tally, seen = ran(stub, tmp_path)
    assert (tally.done, tally.kept, tally.open) == (3, 9, 0)
    assert seen["1-3"] == [[f"answer to Question 1-{n}" for n in range(3)]]
    assert stub.delivered["Question 1-0"] == 1


def test_retries_hold_the_chain_up_and_lose_nothing(stub, tmp_path):
    stub.plan = lambda n, question: "500" if stub.asked[question] == 1 else "good"
    tally, seen = ran(stub, tmp_path, 2, 3)
    assert (tally.done, tally.retries, tally.open) == (6, 6, 0)
    assert all(len(times) == 1 for times in seen.values())


def test_a_stop_while_others_wait(stub, tmp_path, monkeypatch):
    """The door is closed at the first call: workers that wait for it end as well."""
    stub.plan, stub.delay_s = lambda n, question: "401", 0.05
    done = threading.Event()

    def run():
        with pytest.raises(Exception, match="refuses all calls"):
            ran(stub, tmp_path, 1, 4, 4)
        done.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert done.wait(10)
    thread.join()
