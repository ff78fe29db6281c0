"""Asking query templates: from a video's facts to finished items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson

from ontology.continuations import CONTINUATION
from ontology.keys import Key, digest
from ontology.records import Check, Code, Item, Option, Rejected
from ontology.rows import SCHEMA_VERSION
from ontology.times import SECOND_US
from transforms.language.queries.query import Query
from transforms.questions.options import ANSWER, LETTERS, lettered
from transforms.questions.options import Choice as Lettered
from transforms.questions.queries import (
    actions,
    ahead,
    alerts,
    continuations,
    past,
    places,
    present,
    scores,
    sets,
    whole,
)
from transforms.questions.queries.found import (
    NO_ALERT,
    UNANSWERABLE,
    Found,
    Missed,
    Results,
    Search,
)
from transforms.questions.queries.render import fill
from transforms.questions.queries.rubric import rubric_of
from transforms.questions.queries.walk import at_moments, of_events
from transforms.timeline.facts import FactBook

UNCERTAIN = "uncertain"

_MOMENTS = (
    present.state_now, present.doing_now, present.presence_now, present.target_now,
    sets.set_now, sets.number_now, places.place_now, scores.score_now,
    past.states_done, past.presence_before, past.set_before,
)  # fmt: skip
_EVENTS = (past.state_ended, past.left_view, ahead.state_begins)
_WHOLE = (
    whole.whole_label, whole.image_label, whole.whole_presence, whole.whole_score,
    whole.whole_number,
)  # fmt: skip
_UNITS = (
    actions.next_action, actions.next_action_told, actions.action_plan,
    continuations.continuation, continuations.stage_of_frame, continuations.stage_after,
    continuations.frame_order,
)  # fmt: skip

FINDERS: Mapping[str, Callable[[Search], Results]] = {
    **{look.__name__: partial(at_moments, look=look) for look in _MOMENTS},
    **{events.__name__: partial(of_events, events=events) for events in _EVENTS},
    **{look.__name__: partial(whole.of_whole, look=look) for look in _WHOLE},
    "state_next": ahead.state_next,
    "alert": alerts.alert,
    **{look.__name__: look for look in _UNITS},
}


@dataclass
class AskedQueries:
    """What asking gave: items, and for the stretches without one, why."""

    items: list[Item] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)


def ask_queries(book: FactBook, queries: Sequence[Query], seed: str) -> AskedQueries:
    """Ask every query template about a video; each one's items depend on it alone.

    A template is not asked of a video that has no label of its kind; otherwise it gives an
    item or a reason for every stretch of the recording.
    """
    out = AskedQueries()
    for query in queries:
        key = Key(SCHEMA_VERSION, seed, query.benchmark, query.id, book.video.key)
        search = Search(book, query, key)
        missed: Counter[tuple[Code, str]] = Counter()
        for result in FINDERS[query.finder](search):
            item = result if isinstance(result, Missed) else _item(search, result)
            if not isinstance(item, Missed):
                out.items.append(item)
            elif item.code != Code.NO_EVIDENCE:  # not a question for this video at all
                missed[item.code, item.reason] += 1
        out.declined += [
            Rejected("ask", f"{query.id} {book.video.key}", code, reason, query.finder, count)
            for (code, reason), count in sorted(missed.items())
        ]
    return out


def _item(search: Search, found: Found) -> Item | Missed:
    query = search.query
    slots = orjson.dumps(found.slots, option=orjson.OPT_SORT_KEYS).decode()
    window = found.window
    item_id = digest(SCHEMA_VERSION, query.id, query.version, search.video.key, window.window_id,
                     slots)  # fmt: skip
    key = search.key.extended(window.window_id).extended(slots)
    names = [f"ask[{i}]" for i in range(len(query.ask))]
    wording = query.ask[key.extended("wording").choose(names)]
    options = _options(search, found, key)
    if options is None:
        return Missed(Code.TOO_FEW_OPTIONS, "too few wrong options that are certainly wrong")
    right = next((option for option in options if option.is_answer), None)
    told = found.gold or fill(query.answer, found.fields)
    answer = f"{right.key}) {right.text}" if right else told
    streaming = query.found_by.streaming
    bounded = not streaming and query.finder not in {look.__name__ for look in _WHOLE}
    limit = f"<= {query.look_back_us / SECOND_US:g}" if bounded else ""
    return Item(
        item_id=item_id,
        template_id=query.id,
        window=window,
        question=fill(wording, found.fields),
        answer=answer,
        options=options,
        answer_value=found.value,
        slots=found.slots,
        evidence=found.pointers,
        checks=(Check("window_s", window.duration_us / SECOND_US, limit), *found.checks),
        clue=found.note,
        extra={
            "temporal_mode": query.core_task,
            "task_mode": "streaming" if streaming else "single_turn",
            "query_us": found.query_us,
            "rounds": _rounds(query, found, right.text if right else told),
            "rubric": _rubric(query, found),
        },
    )


def _options(search: Search, found: Found, key: Key) -> tuple[Option, ...] | None:
    """The options of a closed question, () of an open one, None if there are too few."""
    if search.query.form in ("open", CONTINUATION):
        return ()
    if found.fixed:
        return tuple(
            Option(key, choice.text, choice.text == found.right,
                   ANSWER if choice.text == found.right else choice.why)
            for key, choice in zip(LETTERS, found.fixed, strict=False)
        )  # fmt: skip
    if search.query.form == "yes_no":
        yes = bool(found.value["yes"])
        return (
            Option("A", "Yes", yes, ANSWER if yes else "opposite"),
            Option("B", "No", not yes, "opposite" if yes else ANSWER),
        )
    if not found.wrong or found.right is None:
        return None
    wrong = [Lettered(choice.text, choice.why) for choice in found.wrong]
    return lettered(Lettered(found.right, ANSWER), wrong, key)


def _rounds(query: Query, found: Found, told: str) -> list[dict[str, Any]]:
    """The rounds with what is expected of each."""
    if query.core_task == "proactive":
        before: tuple[str, ...] = (NO_ALERT, UNCERTAIN)
    else:
        before = (UNANSWERABLE,)
    out = []
    for index, (time_us, answerable) in enumerate(found.rounds):
        accepted = (told,) if answerable else before
        out.append({
            "round_index": index,
            "current_us": time_us,
            "start_us": found.query_us,
            "end_us": time_us,
            "expected_output": accepted[0],
            "accepted_outputs": list(accepted),
            "answerable": answerable,
        })  # fmt: skip
    return out


def _rubric(query: Query, found: Found) -> str | None:
    if query.rubric is None:
        return None
    rubric = rubric_of(query.rubric, found)
    return orjson.dumps(rubric, option=orjson.OPT_SORT_KEYS).decode()
