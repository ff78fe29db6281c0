"""Questions of one template as arrays: items, their options, and the texts around them.

An open question gets the template's most frequent answers as its options, and each round of a
stream becomes a separate item. Questions of all forms can then be guessed in the same way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import orjson

from surgqa.ontology.garbage import no_collection
from surgqa.ontology.times import SECOND_US

COLUMNS = (
    "item_id", "benchmark", "template_id", "task", "form", "unit", "dataset", "video_id",
    "split_group", "procedure", "start_us", "end_us", "query_us", "question", "answer", "options",
    "rule_args", "chain_id", "stage", "context", "clue", "knowledge", "rounds", "block",
)  # fmt: skip
"""Columns that are read from a row."""
CANDIDATES = 8
"""Number of answers that are considered for an open question."""
TRUTHS = ("yes", "no")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question as a model sees it, with its correct answer.

    Attributes:
        item_id: id of the row, which is the same for all rounds of a stream.
        group: id of the surgery; all items of a surgery are in the same split.
        at: query time in microseconds.
        answer: text of the correct answer.
        options: texts of the options; empty if the answer is open.
        right: index of the correct option; 0 if the answer is open.
        shown: texts that a setting shows in addition to the question.
        before: earlier questions of the same chain or video.
        said: correct answer to the template's previous question in the video, or "".
        place: "index/count" of a round; "" if it is not a round.
        timing: whether the round's time has decimals, and how the time since the previous round
            compares with the time before that; "" if it is not a round.
        block: id of the item's block (items that offer each other's answers as options), or "".
        window: (start, end) of the visible time in microseconds, which the prompt states.
    """

    item_id: str
    group: str
    video: str
    procedure: str
    at: int
    question: str
    answer: str
    options: tuple[str, ...]
    right: int
    shown: str = ""
    before: str = ""
    said: str = ""
    place: str = ""
    timing: str = ""
    block: str = ""
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """Questions of one template, stage and setting, with all their options in one array.

    Attributes:
        asks: (n) questions.
        item: int64 (m), index of each option's item, ascending.
        right: float64 (m), 1.0 if the option is correct, else 0.0.
        text: int64 (m), index of the option's text in ``texts``.
        position: int64 (m), index of the option within its item.
        count: int64 (n), number of options of each item.
        group: int64 (n), index of the surgery, below ``groups``.
        weight: float64 (n), mean 1: weight of each item with which all answers of a video are
            equally frequent.
        closed: True if the options are those of the questions; False for open questions.
        fixed: True if all items have the same options (or one of a few fixed lists, see
            :func:`_lists`), or options in a fixed order. Rank and letter then identify the answer
            and say nothing about how distractors are made.
    """

    asks: tuple[Ask, ...]
    item: np.ndarray
    right: np.ndarray
    text: np.ndarray
    texts: tuple[str, ...]
    position: np.ndarray
    count: np.ndarray
    group: np.ndarray
    weight: np.ndarray
    groups: int
    closed: bool
    fixed: bool

    @property
    def chance(self) -> np.ndarray:
        """float64 (n), accuracy of a random choice; 0 for open questions."""
        return 1 / self.count if self.closed else np.zeros(len(self.count))


def group_of(row: Row) -> str:
    """Return the id of a row's surgery: its split group, or its video if it has none."""
    return str(row["split_group"] or f"{row['dataset']}/{row['video_id']}")


@no_collection()
def asks_of(
    rows: Sequence[Row], shown: Mapping[str, str] | None = None,
    earlier: Mapping[str, str] | None = None,
) -> list[Ask]:  # fmt: skip
    """Return the questions of the rows of one template and stage, one for each round of a stream.

    Args:
        rows: the rows, in any order.
        shown: for each item id, the texts that a setting shows in addition to the question.
        earlier: for each item id, the earlier questions of its chain. If not given, the template's
            previous question about the video is used.
    """
    ordered = sorted(rows, key=_when)
    last: dict[tuple[str, str], Ask] = {}
    out: list[Ask] = []
    for row in ordered:
        key = (str(row["dataset"]), str(row["video_id"]))
        before = last.get(key)
        for ask in _asked(row, shown or {}, earlier or {}, before):
            out.append(ask)
            last[key] = ask
    return sorted(out, key=in_order)


def in_order(one: Ask) -> tuple[str, int]:
    """Return a sort key: the item id, then the query time (for rounds of a stream)."""
    return one.item_id, one.at


def _when(row: Row) -> tuple[Any, ...]:
    at = row["query_us"] if row["query_us"] is not None else row["start_us"]
    return str(row["dataset"]), str(row["video_id"]), at or 0, row["item_id"]


def _asked(
    row: Row, shown: Mapping[str, str], earlier: Mapping[str, str], before: Ask | None
) -> list[Ask]:
    options, right = _options(row)
    asked_before = before.question if before else ""
    plain = Ask(
        item_id=row["item_id"], group=group_of(row), video=f"{row['dataset']}/{row['video_id']}",
        procedure=row["procedure"] or "", at=_when(row)[2], question=row["question"] or "",
        answer=options[right] if options else row["answer"] or "", options=options, right=right,
        shown=shown.get(row["item_id"], ""), before=earlier.get(row["item_id"], asked_before),
        said=before.answer if before else "", block=row["block"] or "", window=_window(row),
    )  # fmt: skip
    rounds = row["rounds"] or ()
    return [_round(plain, row, k, options) for k in range(len(rounds))] if rounds else [plain]


def _window(row: Row) -> tuple[int, int] | None:
    start, end = row["start_us"], row["end_us"]
    return None if start is None or end is None else (start, end)


def _round(plain: Ask, row: Row, k: int, options: tuple[str, ...]) -> Ask:
    """Return the question of one round of a stream.

    The expected output of round k - 1 becomes the attribute ``said`` of round k.
    """
    one = row["rounds"][k]
    said = row["rounds"][k - 1]["expected_output"] if k else ""
    return replace(
        plain, at=one["current_us"] or 0, answer=one["expected_output"] or "", options=(), right=0,
        said=said, window=None, place=f"{k}/{len(row['rounds'])}",
        timing=_timing([one["current_us"] or 0 for one in row["rounds"][: k + 1]]),
        shown=" ".join((plain.shown, *options)),
    )  # fmt: skip


def _timing(times: Sequence[int]) -> str:
    """Return what the time of the last round reveals, given the times of all rounds so far."""
    decimals = "decimals" if times[-1] % SECOND_US else "whole"
    gaps = [later - one for one, later in pairwise(times)]
    if len(gaps) < 2:
        return decimals
    change = gaps[-1] - gaps[-2]
    return f"{decimals}, {'longer' if change > 0 else 'shorter' if change else 'same'}"


def _options(row: Row) -> tuple[tuple[str, ...], int]:
    found = row["options"] or ()
    right = [k for k, one in enumerate(found) if one["is_answer"]]
    if len(found) > 1 and len(right) == 1:
        return tuple(one["text"] for one in found), right[0]
    return (), 0


def items_of(asks: Sequence[Ask], ranked: bool = False) -> Items:
    """Return questions as arrays; if one question is open, all are treated as open.

    Args:
        asks: the questions, at least one.
        ranked: True if the options have a fixed order.
    """
    closed = all(one.options for one in asks)
    offered = [one.options for one in asks] if closed else [_candidates(asks)] * len(asks)
    truths = not closed and {one.answer.casefold() for one in asks} <= set(TRUTHS)
    if truths:
        closed, offered = True, [("Yes", "No")] * len(asks)
    count = np.array([len(some) for some in offered], dtype=np.int64)
    numbers: dict[str, int] = {}
    flat = [text for some in offered for text in some]
    text = np.array([numbers.setdefault(one, len(numbers)) for one in flat], dtype=np.int64)
    item = np.repeat(np.arange(len(asks)), count)
    starts = np.cumsum(count) - count
    position = np.arange(len(flat)) - starts[item]
    answers = np.array([numbers.get(one.answer, -1) for one in asks], dtype=np.int64)
    places = np.array([one.right if one.options else -1 for one in asks], dtype=np.int64)
    right = position == places[item] if closed and not truths else text == answers[item]
    groups = sorted({one.group for one in asks})
    which = {name: k for k, name in enumerate(groups)}
    return Items(
        asks=tuple(asks), item=item, right=right.astype(np.float64), text=text,
        texts=tuple(numbers), position=position, count=count,
        group=np.array([which[one.group] for one in asks], dtype=np.int64), groups=len(groups),
        weight=_weights(asks), closed=closed,
        fixed=ranked or _lists(asks, offered),
    )  # fmt: skip


def _lists(asks: Sequence[Ask], offered: Sequence[tuple[str, ...]]) -> bool:
    """Return whether all items offer one list of options, or one of several disjoint lists.

    An example of several lists are the levels of several rating scales. Each list must occur in
    more than one surgery and with more than one correct answer. Options that are made from the
    correct answer fail this test.
    """
    lists: dict[frozenset[str], list[Ask]] = defaultdict(list)
    for one, some in zip(asks, offered, strict=True):
        lists[frozenset(some)].append(one)
    apart = sum(map(len, lists)) == len(frozenset().union(*lists))
    return len(lists) == 1 or (apart and all(
        len({one.group for one in some}) > 1 and len({one.answer for one in some}) > 1
        for some in lists.values()
    ))  # fmt: skip


def _weights(asks: Sequence[Ask]) -> np.ndarray:
    """Return float64 (n): weights with mean 1 that make a video's answers equally frequent.

    Items in blocks keep weight 1, because in a block each answer is correct exactly once. Among
    other items, some answers are naturally more frequent. The weights remove this difference.
    """
    alone = [one for one in asks if not one.block]
    often = Counter((one.video, one.answer) for one in alone)
    items, answers = Counter(one.video for one in alone), Counter(video for video, _ in often)
    return np.array([
        1.0 if one.block else
        items[one.video] / answers[one.video] / often[one.video, one.answer] for one in asks
    ])  # fmt: skip


def _candidates(asks: Sequence[Ask]) -> tuple[str, ...]:
    """Return the answers that occur in most surgeries, most frequent first, then by text."""
    often = Counter(one.answer for one in asks)
    wide = Counter(answer for answer, _ in {(one.answer, one.group) for one in asks})
    ranked = sorted(often, key=lambda one: (-wide[one], -often[one], one))
    return tuple(ranked[:CANDIDATES])


def is_ranked(row: Row) -> bool:
    """Return whether the options of a row have a fixed order."""
    text = row["rule_args"] or "{}"
    return '"ranked"' in text and orjson.loads(text).get("ranked") is not None
