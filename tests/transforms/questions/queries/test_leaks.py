"""No question knows what comes after it: cutting the recording there changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given, seed, settings

from ontology.records import Item, VideoEvidence
from transforms.language.queries import Query
from transforms.questions.queries.ask import ask_queries
from transforms.timeline import build_timeline
from transforms.timeline.channels import fact_book

from .drawn import book_at, recordings
from .scenes import SEED, S, queries

PAST = ("retrospective", "present")


def shorter(one: Query) -> Query:
    """The same with more items in a short recording."""
    return replace(one, every_us=min(one.every_us, 40 * S))


AT_ONCE = [shorter(q) for q in queries().values() if q.core_task in PAST]
STREAMS = [shorter(q) for q in queries().values() if q.found_by.streaming]


def items(evidence: VideoEvidence, templates: Iterable[Query]) -> list[Item]:
    book = fact_book(evidence, build_timeline(evidence))
    return ask_queries(book, list(templates), SEED).items


def items_at(evidence: VideoEvidence, templates: Iterable[Query], time_us: int) -> dict:
    found = ask_queries(book_at(evidence, time_us), list(templates), SEED).items
    return {(one.template_id, one.window.end_us): one for one in found}


def asked_of(item: Item, templates: list[Query]) -> list[Query]:
    return [one for one in templates if one.id == item.template_id]


def seen_by_models(item: Item) -> tuple:
    """All of an item but the note for graders, which tells when a label ends."""
    extra = {name: item.extra[name] for name in ("query_us", "rounds", "rubric", "temporal_mode")}
    return (item.item_id, item.window, item.question, item.answer, item.options,
            item.answer_value, item.slots, item.evidence, item.checks, extra)  # fmt: skip


@settings(max_examples=12)
@given(recordings())
def test_the_past_and_the_present_know_nothing_of_what_follows(evidence):
    for item in items(evidence, AT_ONCE):
        time_us = item.extra["query_us"]
        assert time_us == item.window.end_us
        again = items_at(evidence, asked_of(item, AT_ONCE), time_us)
        same = again.get((item.template_id, time_us))
        assert same is not None, f"{item.template_id} at {time_us / S} is asked by what follows"
        assert seen_by_models(same) == seen_by_models(item)
        assert all(p.end_us <= time_us for p in item.evidence)


@settings(max_examples=25)
@given(recordings())
def test_a_stream_knows_nothing_of_what_follows_its_last_round(evidence):
    for item in items(evidence, STREAMS):
        last = item.extra["rounds"][-1]["current_us"]
        again = items_at(evidence, asked_of(item, STREAMS), last)
        same = again.get((item.template_id, item.window.end_us))
        assert same is not None, f"{item.template_id} to {last / S} is asked by what follows"
        assert seen_by_models(same) == seen_by_models(item)
        assert all(p.end_us <= last for p in item.evidence)


@settings(max_examples=25)
@given(recordings())
def test_rounds_up_to_a_time_are_those_of_what_was_known_then(evidence):
    for item in items(evidence, STREAMS):
        rounds, event = item.extra["rounds"], item.answer_value["event_us"]
        if event is None:
            continue
        for time_us in {event, event + S, rounds[-1]["current_us"] - 1}:
            again = items_at(evidence, asked_of(item, STREAMS), time_us)
            for other in again.values():
                if (other.extra["query_us"], other.answer_value["event_us"]) != (
                    item.extra["query_us"], event,
                ):  # fmt: skip
                    continue
                before = [one for one in rounds if one["current_us"] <= event]
                assert other.extra["rounds"][: len(before)] == before


@settings(max_examples=25)
@given(recordings())
def test_nothing_expected_before_the_event_rests_on_what_comes_after(evidence):
    for item in items(evidence, STREAMS):
        event = item.answer_value["event_us"]
        for one in item.extra["rounds"]:
            if event is None or one["current_us"] < event:
                assert not one["answerable"]
                assert one["expected_output"] in ("unanswerable", "no_alert")
                told = [i for i in items_at(
                    evidence, asked_of(item, STREAMS), one["current_us"]).values()
                    if i.extra["query_us"] == item.extra["query_us"]
                    and i.answer_value["event_us"] is not None]  # fmt: skip
                assert told == [], "nothing has begun by then"


def test_the_drawn_recordings_give_every_kind_of_item():
    found: set[str] = set()

    @seed(20)
    @settings(max_examples=60, database=None)
    @given(recordings())
    def look(evidence):
        found.update(item.template_id for item in items(evidence, [*AT_ONCE, *STREAMS]))

    look()
    names = {name.removeprefix("medstream.").split(".")[0] for name in found}
    wanted = """state_now state_past states_done presence seen_before set_now set_before
        tool_count tool_left target_now lesion_region score_now state_begins tool_enters alert
        out_of_body view_quality"""
    assert set(wanted.split()) <= names
