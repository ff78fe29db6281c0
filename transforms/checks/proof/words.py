"""Prints every text of an item again, and compares the row's texts with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from surgqa.transforms.algebra.tree import Node, Print, Text
from surgqa.transforms.checks.proof.printing import Page
from surgqa.transforms.checks.proof.reading import RowValues
from surgqa.transforms.checks.proof.rows import Problem, ProofRow
from surgqa.transforms.checks.proof.texts import Unprintable, capital, expected, says
from surgqa.transforms.language.program import Stage

APART = 0.10
"""Smallest distance of centres, as a share of the frame's width, for "left" and "right"."""

NAMING = ("the", "name")
"""Filters whose text states which instance is meant."""

NEW = """
create or replace temp table new_windows as
select distinct video, a, b from windows anti join shared_windows using (video, a, b)
"""
MADE = """
create temp table if not exists shared_windows (video varchar, a bigint, b bigint);
create temp table if not exists shared_words (
  video varchar, a bigint, b bigint, track varchar, words varchar);
"""
WORDS = """
insert into shared_windows from new_windows;
insert into shared_words
with seen as (
  select distinct c.video, c.a, c.b, f.subject, coalesce(f.track, '') as track
  from new_windows c join facts f on f.video = c.video and f.s0 < c.b and f.e1 > c.a
  where f.kind = 'instrument'),
reach as (
  select e.video, e.a, e.b, e.subject, e.track,
         count(*) over (partition by e.video, e.a, e.b, e.subject) as many, r.low, r.high
  from seen e left join (
    select n.video, n.a, n.b, n.track, min((s.x1 + s.x2) / 2) as low,
           max((s.x1 + s.x2) / 2) as high
    from (select distinct video, a, b, track from seen) n
    join samples s on s.video = n.video and s.track = n.track and s.t >= n.a and s.t < n.b
    group by n.video, n.a, n.b, n.track) r using (video, a, b, track))
select video, a, b, track, case
    when many = 1 then ''
    when low is null then null
    when (select bool_and(coalesce(m.high + {apart} < o.low, false)) from reach o
          where o.video = m.video and o.a = m.a and o.b = m.b
            and o.subject is not distinct from m.subject and o.track <> m.track)
      then ' on the left'
    when (select bool_and(coalesce(o.high + {apart} < m.low, false)) from reach o
          where o.video = m.video and o.a = m.a and o.b = m.b
            and o.subject is not distinct from m.subject and o.track <> m.track)
      then ' on the right'
  end as words
from reach m
"""
"""Creates the words for each track and window: '' for the only track of its class.

Many items have the same window, so its words are stored.
"""


def track_words_of(con: duckdb.DuckDBPyConnection) -> dict[int, dict[str, str]]:
    """Return case -> track -> the words that distinguish the track.

    Tracks that no words distinguish are missing.

    Args:
        con: database with the tables ``windows`` (q, video, a, b), ``facts`` and ``samples``.
    """
    con.execute(MADE)
    con.execute(NEW)
    con.execute(WORDS.format(apart=APART))
    out: dict[int, dict[str, str]] = defaultdict(dict)
    found = ("select q, track, words from windows join shared_words using (video, a, b) "
             "where words is not null")  # fmt: skip
    for q, track, words in con.execute(found).fetchall():
        out[q][track] = words
    return out


def names_instances(stage: Stage) -> bool:
    """Return whether a text of a stage names an instance."""
    return any(
        piece.filter in NAMING and piece.node.type.name in ("fact", "track")
        for text in stage.texts
        for piece in pieces(text)
    )


def pieces(text: Text) -> list[Print]:
    """Return the parts of a text that print a value."""
    return [piece for piece in text if isinstance(piece, Print)]


def word_problems(
    asked: ProofRow,
    track_words: Mapping[str, str] | None = None,
    said: Mapping[str, str] | None = None,
    given: Mapping[Node, Any] | None = None,
) -> Iterator[Problem]:
    """Yield (code, detail) for each text of a row that differs from its template's text.

    Args:
        track_words: for each track, the words that distinguish it from others of its class within
            the window.
        said: for each stage of a chain, the text of its answer.
        given: values that no column of the row contains.
    """
    row, stage, page, known = (
        asked.row,
        asked.stage,
        asked.page(track_words),
        asked.known(said, given),
    )
    yield from _one_of("question", stage.ask, row["question"], known, page)
    silence = silence_of(asked)
    if silence and row["answer"] not in (silence, capital(silence)):
        yield "words_differ", f"answer {row['answer']!r}, expected {silence!r}"
    elif not silence and not row["options"]:
        yield from _one_of("answer", (stage.say,), row["answer"], known, page)
    for option, value in zip(row["options"] or (), asked.offered, strict=True):
        what = f"option {option['key']}"
        yield from _one_of(what, (stage.say,), option["text"],
                           _in_place(asked, known, value), page)  # fmt: skip
    yield from _reasoning(asked, known, page)
    for name, text in (("context", stage.context), ("clue", stage.clue)):
        if bool(text) != bool(row[name]):
            yield "stage_texts", f"{name}: {row[name]!r}"
        elif text:
            yield from _one_of(name, (text,), row[name], known, page)


def silence_of(asked: ProofRow) -> str:
    """Return the expected reply if an item has no answer, such as "Unanswerable"; otherwise ''."""
    rounds = asked.program.rounds
    if asked.row["options"]:
        return ""
    if asked.answer == "unanswerable":
        return "Unanswerable"
    if rounds is None or rounds.due is None:
        return ""
    comes = any(one["answerable"] for one in asked.row["rounds"] or ())
    return "" if comes else rounds.otherwise


def _in_place(asked: ProofRow, known: RowValues, value: object) -> RowValues:
    """Return the values for printing an option: the option's value takes the answer's place."""
    fields = len(asked.stage.answer)
    if fields > 1 and not (isinstance(value, list) and len(value) == fields):
        return known
    return known.with_answer(asked.stage, value)


def _reasoning(asked: ProofRow, known: RowValues, page: Page) -> Iterator[Problem]:
    wanted, found = asked.stage.reasoning, asked.row["reasoning"] or []
    if len(wanted) != len(found):
        yield "words_differ", f"reasoning has {len(found)} lines, the template {len(wanted)}"
        return
    for i, (text, line) in enumerate(zip(wanted, found, strict=True)):
        yield from _one_of(f"reasoning {i + 1}", (text,), line, known, page)


def _one_of(
    what: str, texts: tuple[Text, ...], found: str, known: RowValues, page: Page
) -> Iterator[Problem]:
    try:
        if any(says(text, found or "", known, page) for text in texts):
            return
        shown = expected(texts[0], known, page)
    except Unprintable as error:
        yield "words_differ", f"{what}: {error}"
        return
    more = f" (or one of {len(texts) - 1} other wordings)" if len(texts) > 1 else ""
    yield "words_differ", f"{what} {found!r}, expected {shown!r}{more}"
