"""The language that describes tables, parsed and checked before any table is opened.

``surgqa.yaml`` describes a user's tables in it, ``files.yaml`` those of a dataset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ontology.errors import UserError
from ontology.ratings import rating
from ontology.yaml import YamlText
from transforms.readers.base.moments import Scale, scale_of
from transforms.readers.base.patterns import Pattern, Places, pattern_of, places_of
from transforms.readers.base.tables.mapping import Section, read_mapping
from transforms.readers.base.words import Mapped, Words, words_of

EVENTS, SEGMENTS, BOXES, RATINGS, LABELS = "events", "segments", "boxes", "ratings", "labels"
FRAMES, END = "frames", "end"
HOLDS = (EVENTS, SEGMENTS, BOXES, RATINGS, LABELS, FRAMES, END)

AREA_KINDS = ("finding", "landmark", "structure")
"""Kinds that, at an instant, are something to be seen somewhere."""
SPAN_KINDS = (
    "phase", "step", "gesture", "action", "next_action", "condition", "event", "motion",
    *AREA_KINDS,
)  # fmt: skip
LABEL_KINDS = (*SPAN_KINDS, "count", "experience", "rating")
INSTANT_KINDS = ("instrument", *SPAN_KINDS)

CORNERS = (("x1", "y1", "x2", "y2"), ("x", "y", "w", "h"), ("cx", "cy", "w", "h"))
_AT = ("video", "at", "picture", "rater", "subject")
_BOX = ("x1", "y1", "x2", "y2", "x", "y", "w", "h", "cx", "cy",
        "picture_width", "picture_height", "track", "score")  # fmt: skip
ROLES: Mapping[str, tuple[str, ...]] = {
    EVENTS: (*_AT, "track", *INSTANT_KINDS, "verb", "target"),
    SEGMENTS: (*_AT, "start", "end", "value", *SPAN_KINDS),
    BOXES: (*_AT, *_BOX, "instrument", *AREA_KINDS, "verb", "target"),
    RATINGS: ("video", "rater", "rating", "value"),
    LABELS: ("video", "rater", "value", *LABEL_KINDS),
    FRAMES: INSTANT_KINDS,
    END: ("at",),
}
"""What a column may be, by what the table holds."""

TABLE_KEYS = ("holds", "file", "header", "columns", "flags", "time", "every", "picture", "box",
         "scale", "separator", "cells", "list", "pointer", "total", "line_end",
         "agrees", "unless", "one_row", "during")  # fmt: skip
SHARED_KEYS = ("rate", "media", "videos", "tables", "needs")
TOP_KEYS = ("procedure", "specialty", "licence", *SHARED_KEYS, "labels")
DATASET_KEYS = ("version", "unit", "procedure", "group", "probe", "names", "spelled", "usual_rate",
                *SHARED_KEYS)  # fmt: skip
REGISTRY_KEYS = ("video_ids", "patterns", "splits", "known_bad")
"""Keys of ``files.yaml`` that :mod:`transforms.registry` reads."""
ANY, ALL = "any", "all"
_VIDEOS = ("file", "header", "columns")
VIDEO_ROLES = ("video", "patient", "rate", "duration", "frames")
BOX_UNITS = ("pixels", "shares", "percent")


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One table.

    Attributes:
        columns: role -> name of the column, or its number where there is no header.
        flags: kind -> columns that are named by a label and hold whether it applies, or
            for ratings the score.
        every: seconds between two annotated instants, None for what is most common.
        picture: how a picture's name tells video and frame.
        unit, size: of boxes; size in pixels or None.
        scale: lowest and highest score.
        separator: what stands between several labels in a cell, '' for one label.
        where: ``file:line``.
        places: where the file of each video lies.
        names: the columns' names, if the file has no line of names; () otherwise.
        blanks: whether cells stand between any runs of blanks.
        list: key of the JSON list with the rows; '' for a table.
        pointer: how a place is written in the evidence; '' for ``file:line``.
        total: flag -> flags whose values add up to its value.
        line_end: whether a last line without a line end means that the file is cut short.
        agrees: the table that says what all subjects do together; '' if there is none.
        unless: the table instead of which this one is read; '' if there is none.
        one_row: whether a file has one row, which is used whole or not at all.
        during: kind and concept of the spans in which the labels hold.
    """

    name: str
    holds: str
    file: Pattern
    header: bool
    columns: Mapping[str, str]
    flags: Mapping[str, tuple[str, ...]]
    time: Scale
    every: Fraction | None
    picture: Pattern | None
    unit: str
    size: tuple[float, float] | None
    scale: tuple[float, float] | None
    separator: str
    where: str
    places: Places
    names: tuple[str, ...] = ()
    blanks: bool = False
    list: str = ""
    pointer: str = ""
    total: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    line_end: bool = False
    agrees: str = ""
    unless: str = ""
    one_row: bool = False
    during: tuple[str, str] | None = None

    @property
    def shared(self) -> bool:
        """Whether all videos are in one file."""
        return "video" not in self.file.names

    @property
    def folders(self) -> bool:
        """Whether folders' names are the labels and there is nothing to open."""
        return not self.columns and not self.flags and self.holds == LABELS

    @property
    def timed(self) -> bool:
        """Whether its rows belong to times."""
        return self.holds in (EVENTS, SEGMENTS, BOXES, FRAMES)

    @property
    def counts_frames(self) -> bool:
        """Whether its times are frame numbers without a rate of their own."""
        return self.timed and self.time.frames and self.time.rate is None

    def kinds(self) -> tuple[str, ...]:
        """Kinds of label that it holds, of columns and of flags."""
        known = ("rating",) if self.holds == RATINGS else (*INSTANT_KINDS, *LABEL_KINDS)
        names = {*self.columns, *self.flags, *self.file.names}
        return tuple(kind for kind in dict.fromkeys(known) if kind in names)


@dataclass(frozen=True, slots=True)
class VideosPlan:
    """The table with one row for each video."""

    file: str
    header: bool
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole mapping.

    Attributes:
        procedure: regular expression of video ids -> what is operated; first match counts.
        media: where a video's pictures lie, with ``{video}``.
        words: kind -> words.
        file: name of the mapping.
        needs: whether a video needs ``any`` or ``all`` of the tables.
        unit: what is counted, in the plural.
        group: regular expression whose group 1 names a video's split group; '' without one.
        probe: whether rate and length are read from the video file; None if they are needed.
        names: kind -> the table that lists a name for each code.
        spelled: regular expression of an id as files spell it, in any case -> the id, with
            ``{0}`` for what the expression captures.
        usual_rate: regular expression of ids -> frames per second, if nothing else tells it.
    """

    procedure: Mapping[str, str]
    specialty: str
    licence: str
    rate: Fraction | None
    media: Places | None
    videos: VideosPlan | None
    tables: tuple[TablePlan, ...]
    words: Mapping[str, Words | Mapped]
    file: str
    needs: str = ANY
    unit: str = "labels"
    group: str = ""
    probe: bool | None = None
    names: Mapping[str, VideosPlan] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)
    usual_rate: Mapping[str, Fraction] = field(default_factory=dict)

    def usual(self, video_id: str) -> Fraction | None:
        """Frames per second of a video, if neither the user nor a file states them."""
        rates = (rate for ids, rate in self.usual_rate.items() if re.fullmatch(ids, video_id))
        return next(rates, None)

    def id_of(self, text: str) -> str:
        """The id of a video as a file's name spells it; '' if it is no id."""
        found = ((re.fullmatch(ids, text, re.IGNORECASE), own) for ids, own in self.spelled.items())
        if self.spelled:
            return next((own.format(*match.groups()) for match, own in found if match), "")
        return text

    def kinds(self, known: Sequence[str], *holds: str) -> tuple[str, ...]:
        """Those of the known kinds that tables of some sort hold, in the order of the tables."""
        tables = [table for table in self.tables if table.holds in holds]
        return tuple(dict.fromkeys(
            kind for table in tables for kind in table.kinds() if kind in known
        ))  # fmt: skip


def read_plan(data: bytes, name: str) -> Plan:
    """Parse and check a mapping.

    Raises:
        UserError: names file and line, what was expected, and the nearest word.
    """
    top = read_mapping(data, name).closed(TOP_KEYS, ("tables",))
    return Plan(
        {".*": top.word("procedure", "not stated")},
        top.word("specialty", "not stated"),
        top.word("licence", "not stated"),
        **_shared(top, words_of(top)),
    )


def dataset_plan(
    text: YamlText, name: str, words: Mapping[str, Mapped], procedure: str, specialty: str,
    licence: str,
) -> Plan:  # fmt: skip
    """The plan of a dataset's ``files.yaml``.

    Args:
        name: the file's path, used in messages.
        words: of the dataset's label map, by kind.

    Raises:
        UserError: names file and line, what was expected, and the nearest word.
    """
    top = Section(text, name, (), text.data).closed((*REGISTRY_KEYS, *DATASET_KEYS), ("tables",))
    procedures, spelled, rates = map(top.section, ("procedure", "spelled", "usual_rate"))
    names = {kind: _videos(one, ("code", "name")) for kind, one in top.section("names").sections()}
    return Plan(
        {str(ids): procedures.word(ids) for ids in procedures.data} or {".*": procedure},
        specialty,
        licence,
        **_shared(top, words),
        unit=top.word("unit", "label rows"),
        group=top.word("group"),
        probe=top.flag("probe", False),
        names={kind: one for kind, one in names.items() if one},
        spelled={str(ids): spelled.word(ids) for ids in spelled.data},
        usual_rate={str(ids): rate for ids in rates.data if (rate := rates.rate(ids))},
    )


def _shared(top: Section, words: Mapping[str, Words] | Mapping[str, Mapped]) -> dict[str, Any]:
    """The keys that a user's mapping and a dataset's declaration have in common."""
    tables = tuple(_table(one, key, words) for key, one in top.section("tables").sections())
    if not tables:
        top.wrong("tables", "at least one table")
    return {
        "rate": top.rate("rate"),
        "media": places_of(top, "media", ("video",)),
        "videos": _videos(top.section("videos"), VIDEO_ROLES, ("video",)),
        "tables": tables,
        "words": words,
        "file": top.file,
        "needs": top.choice("needs", (ANY, ALL), ANY),
    }


def _videos(
    section: Section, roles: Sequence[str], needed: Sequence[str] | None = None
) -> VideosPlan | None:
    if not section.data:
        return None
    section.closed(_VIDEOS, ("file", "columns"))
    file = pattern_of(section, "file", ())
    assert file is not None  # closed() has seen it
    columns = _columns(section, roles, roles if needed is None else needed)
    return VideosPlan(file.text, section.flag("header", True), columns)


def _table(
    section: Section, name: str, words: Mapping[str, Words] | Mapping[str, Mapped]
) -> TablePlan:
    section.closed(TABLE_KEYS, ("holds", "file"))
    holds = section.choice("holds", HOLDS, "")
    kinds = LABEL_KINDS if holds == LABELS else ()
    places = places_of(section, "file", ("video", *kinds))
    assert places is not None  # closed() has seen it
    file = places.rules[0][1][0]
    folders = any(kind in file.names for kind in kinds)
    needed = () if "video" in file.names or "picture" in section.section("columns").data else (
        "video",)  # fmt: skip
    columns = {} if folders else _columns(section, ROLES[holds], needed)
    flags = _flags(section, holds)
    box = section.section("box").closed(("unit", "size"))
    plan = TablePlan(
        name, holds, file, bool(_names(section)) or section.flag("header", True), columns, flags,
        scale_of(section, "frames" if "picture" in columns else "seconds"),
        section.rate("every"), pattern_of(section, "picture", ("video", "frame", "patient")),
        box.choice("unit", BOX_UNITS, "pixels"), box.pair("size"), section.pair("scale"),
        section.word("separator"), section.where(), places, _names(section),
        section.choice("cells", ("", "blanks"), "") == "blanks", section.word("list"),
        section.word("pointer"), _total(section), section.flag("line_end", False),
        section.word("agrees"), section.word("unless"), section.flag("one_row", False),
        next(((str(kind), str(one)) for kind, one in section.section("during").data.items()), None),
    )  # fmt: skip
    if holds not in (FRAMES, END):
        _check(section, plan, words)
    return plan


def _columns(section: Section, roles: Sequence[str], needed: Sequence[str]) -> dict[str, str]:
    columns = section.section("columns").closed(roles, needed)
    out = {role: columns.word(role) for role in columns.data}
    if section.data.get("header", True) is False:
        for role, number in out.items():
            if not number.isdigit() or int(number) < 1:
                columns.wrong(role, "the column's number, from 1, since the table has no header")
    return out


def _names(section: Section) -> tuple[str, ...]:
    """The names of the columns of a file that has no line of names; () for a flag."""
    if isinstance(section.data.get("header"), Mapping):
        header = section.section("header").closed(("labels", "named"), ("labels",))
        count, name = header.word("labels"), header.word("named", "{n}")
        return ("frame", *(name.replace("{n}", str(n)) for n in range(int(count))))
    return section.texts("header") if isinstance(section.data.get("header"), list) else ()


def _total(section: Section) -> dict[str, tuple[str, ...]]:
    total = section.section("total")
    return {str(flag): total.texts(flag) for flag in total.data}


def _flags(section: Section, holds: str) -> dict[str, tuple[str, ...]]:
    kinds = {RATINGS: ("rating",), EVENTS: INSTANT_KINDS, LABELS: LABEL_KINDS,
             FRAMES: ("instrument", "action")}.get(holds, ())  # fmt: skip
    flags = section.section("flags").closed(kinds)
    return {str(kind): flags.texts(str(kind)) for kind in flags.data}


def _check(section: Section, plan: TablePlan, words: Mapping[str, Any]) -> None:
    """What one key asks of another."""
    roles = {*plan.columns}
    columns = section.section("columns")
    if bool(plan.picture) != ("picture" in roles):
        (columns if "picture" in roles else section).wrong(
            "picture", "both columns.picture and picture: '{video}-{frame}.jpg'"
        )
    if "picture" in roles and not plan.time.frames:
        section.section("time").wrong("unit", "frames, which pictures are numbered by")
    if plan.timed:
        starts = [role for role in ("at", "picture", "start") if role in roles]
        wanted = "at or picture" if plan.holds != SEGMENTS else "at, picture or start (with end)"
        if len(starts) != 1 or "end" in roles and "start" not in roles:
            section.wrong("columns", f"one column that tells the time: {wanted}")
    if plan.holds == BOXES and not any(roles.issuperset(one) for one in CORNERS):
        section.wrong("columns", "x1 y1 x2 y2, or x y w h, or cx cy w h")
    if plan.holds == RATINGS and not ({"rating", "value"} <= roles or plan.flags):
        section.wrong("columns", "rating and value, or flags: {rating: [columns]}")
    kinds = plan.kinds()
    if not kinds:
        section.wrong("columns", f"a column with labels: {', '.join(ROLES[plan.holds])}")
    if ("verb" in roles) != ("target" in roles) or "verb" in roles and "instrument" not in roles:
        columns.wrong("verb" if "verb" in roles else "target", "instrument, verb and target",
                      fix="call what is done without a target an action")  # fmt: skip
    for kind in (*kinds, *(role for role in ("verb", "target") if role in roles)):
        if kind not in words:
            raise UserError(
                f"labels says nothing of {kind}",
                expected=f"labels: {{{kind}: …}}",
                where=section.where("columns" if kind in roles else "flags"),
                fix=f"add '{kind}: same' below labels, or what each word means",
            )
    _check_scale(section, plan, words)


def _check_scale(section: Section, plan: TablePlan, words: Mapping[str, Any]) -> None:
    """Scores of another scale would be taken for what they are not."""
    if plan.scale is None:
        return
    for concept in words["rating"].concepts or () if "rating" in words else ():
        known = rating(concept)
        if (known.low, known.high) != plan.scale:
            section.wrong(
                "scale", f"[{known.low:g}, {known.high:g}], the scale of {concept}",
                fix="choose a rating of the ontology with your scale",
            )  # fmt: skip
