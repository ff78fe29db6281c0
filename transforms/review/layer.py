"""A layer: a JSON Lines file with the reviewers' decisions about items, which later builds apply.

Lines are canonical JSON, sorted by item. Each line states who decided what, when, and about which
output, so layers can be joined by concatenation. If several lines are about one item, the line with
the latest date counts; on the same date, a line that leaves the item out counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.files import read_bytes
from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.places import Place, place
from surgqa.transforms.review.terms import LAYER_SCHEMA
from surgqa.transforms.review.votes import Verdict, Vote

KEEP, DROP = "keep", "drop"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of the reviewers about one item.

    Attributes:
        chain_id: the item's chain, or None.
        reason: why the item is left out, '' if it is kept.
        date: ISO date, given by the user.
    """

    item_id: str
    chain_id: str | None
    keep: bool
    reason: str
    reviewers: tuple[str, ...]
    date: str

    @property
    def sentence(self) -> str:
        """Return a sentence that states who left the item out, when and why."""
        *others, last = self.reviewers
        names = f"{', '.join(others)} and {last}" if others else last
        return f"left out by {names} on {self.date}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Review:
    """The content of a layer, as a build applies it.

    Attributes:
        sha256: digest of the file.
        decisions: one for each item, sorted by item.
    """

    sha256: str
    decisions: tuple[Decision, ...]


def layer_bytes(
    rows: Mapping[str, Mapping[str, Any]], votes: Mapping[str, Mapping[str, Vote]],
    decided: Mapping[str, Verdict], output: str, date: str,
) -> bytes:  # fmt: skip
    """Return the bytes of a layer's file.

    Args:
        rows: for each item, the row of the output.
        votes: for each reviewer and item, the vote.
        output: digest of the reviewed output.
    """
    lines = [
        _line(rows[item], [mine[item] for mine in votes.values()], verdict, output, date)
        for item, verdict in sorted(decided.items())
    ]
    options = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return b"".join(orjson.dumps(line, option=options) for line in lines)


def _line(
    row: Mapping[str, Any], votes: Sequence[Vote], verdict: Verdict, output: str, date: str
) -> dict[str, Any]:
    kept = ("item_id", "chain_id", "benchmark", "task", "specialty")
    return {
        "schema": LAYER_SCHEMA,
        **{name: row[name] for name in kept},
        "decision": KEEP if verdict.keep else DROP,
        "reason": verdict.reason,
        "disputed": verdict.disputed,
        "contested": verdict.contested,
        "reviewers": [vote.reviewer for vote in votes],
        "date": date,
        "output": output,
        "votes": [
            {"reviewer": vote.reviewer, "answer": vote.answer, "valid": vote.valid,
             "wrong": list(map(str, vote.flaws)), "comment": vote.comment}
            for vote in votes
        ],
    }  # fmt: skip


def read_layer(path: Place | str) -> Review:
    """Return the decisions of a layer.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: a line is not a decision.
    """
    data = read_bytes(place(path), str(path))
    decisions = [
        _decision(line, f"{path}:{number}")
        for number, line in enumerate(data.split(b"\n"), 1)
        if line.strip()
    ]
    return Review(bytes_digest(data), _latest(decisions))


def _decision(line: bytes, where: str) -> Decision:
    try:
        data = orjson.loads(line)
        if data["schema"] != LAYER_SCHEMA or data["decision"] not in (KEEP, DROP):
            raise ValueError(f"the schema {data['schema']} and the decision {data['decision']}")
        texts = (data["item_id"], data["reason"], data["date"], *data["reviewers"])
        if not all(isinstance(text, str) for text in texts) or not data["reviewers"]:
            raise ValueError("a field that should be text is not")
        return Decision(
            data["item_id"], data["chain_id"], data["decision"] == KEEP, data["reason"],
            tuple(data["reviewers"]), data["date"],
        )  # fmt: skip
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        found = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise SourceBroken(
            "a line of the layer is not a decision", expected=LAYER_SCHEMA, found=found,
            where=where, fix="name a file that 'surgqa review import' wrote",
        ) from None  # fmt: skip


def _latest(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decision that counts for each item (see the module's text)."""
    found: dict[str, Decision] = {}
    for one in sorted(decisions, key=lambda d: (d.date, not d.keep, d.reviewers, d.reason)):
        found[one.item_id] = one
    return tuple(found[item] for item in sorted(found))
