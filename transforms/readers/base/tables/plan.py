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
from transforms.readers.base.tables.sorts import (
    _VIDEOS,
    ALL,
    ANY,
    BOX_UNITS,
    BOXES,
    COCO,
    CORNERS,
    DATASET_KEYS,
    END,
    EVENTS,
    FRAMES,
    HOLDS,
    INSTANT_KINDS,
    LABEL_KINDS,
    LABELS,
    PICTURED,
    QUESTIONS,
    RATINGS,
    REGISTRY_KEYS,
    ROLES,
    SEGMENTS,
    TABLE_KEYS,
    TOP_KEYS,
    VIDEO_ROLES,
)
from transforms.readers.base.tables.values import Values, values_of
from transforms.readers.base.words import Mapped, Words, words_of


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
        values: kind -> value of a mask's pixels -> what they show.
        apart: smallest connected area in pixels that is a thing of its own; 0 if the areas of a
            mask are one thing.
        beside: the folder of a video with a file for each labelled picture; None for its media.
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
    values: Values = field(default_factory=dict)
    beside: Pattern | None = None
    apart: int = 0

    @property
    def shared(self) -> bool:
        """Whether all videos are in one file."""
        return "video" not in self.file.names

    @property
    def folders(self) -> bool:
        """Whether folders' names are the labels and there is nothing to open."""
        return not self.columns and not self.flags and self.holds == LABELS

    @property
    def pictured(self) -> bool:
        """Whether each of its files belongs to one picture."""
        return self.holds in PICTURED

    @property
    def single(self) -> bool:
        """Whether a video is one picture."""
        return self.pictured and self.file.bound({"video": ""}).plain

    @property
    def timed(self) -> bool:
        """Whether its rows belong to times."""
        return self.holds in (EVENTS, SEGMENTS, BOXES, FRAMES, *PICTURED, COCO)

    @property
    def counts_frames(self) -> bool:
        """Whether its times are frame numbers without a rate of their own."""
        return self.timed and self.time.frames and self.time.rate is None

    def kinds(self) -> tuple[str, ...]:
        """Kinds of label that it holds, of columns and of flags."""
        known = ("rating",) if self.holds == RATINGS else (*INSTANT_KINDS, *LABEL_KINDS)
        names = {*self.columns, *self.flags, *self.file.names, *self.values}
        names |= {"instrument", "action", "structure"} if self.holds == QUESTIONS else set()
        return tuple(kind for kind in dict.fromkeys(known) if kind in names)


@dataclass(frozen=True, slots=True)
class VideosPlan:
    """The table with one row for each video.

    Attributes:
        picture: how the column of the video names it, if not by its id; '' otherwise.
        optional: whether the file may be absent.
    """

    file: str
    header: bool
    columns: Mapping[str, str]
    picture: str = ""
    optional: bool = False


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
        group: regular expression of ids -> split group, with ``{0}`` for what it captures.
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
    group: Mapping[str, str] = field(default_factory=dict)
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
        return filled(self.spelled, text, re.IGNORECASE) if self.spelled else text

    def kinds(self, known: Sequence[str], *holds: str) -> tuple[str, ...]:
        """Those of the known kinds that tables of some sort hold, in the order of the tables."""
        tables = [table for table in self.tables if table.holds in holds]
        return tuple(dict.fromkeys(
            kind for table in tables for kind in table.kinds() if kind in known
        ))  # fmt: skip


def filled(rules: Mapping[str, str], text: str, flags: re.RegexFlag = re.NOFLAG) -> str:
    """The text of the first rule that matches, with what it captures; '' if none does.

    Args:
        rules: regular expression, or a range of numbers such as ``1-25`` -> text.
    """
    for ids, own in rules.items():
        first, dash, last = ids.partition("-")
        if dash and first.isdecimal() and last.isdecimal():
            if text.isdecimal() and int(first) <= int(text) <= int(last):
                return own
        elif match := re.fullmatch(ids, text, flags):
            return own.format(*match.groups())
    return ""


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
    groups = top.section("group")
    names = {kind: _videos(one, ("code", "name")) for kind, one in top.section("names").sections()}
    return Plan(
        {str(ids): procedures.word(ids) for ids in procedures.data} or {".*": procedure},
        specialty,
        licence,
        **_shared(top, words),
        unit=top.word("unit", "label rows"),
        group={str(ids): groups.word(ids) for ids in groups.data},
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
    picture = pattern_of(section, "picture", ("video",))
    return VideosPlan(file.text, section.flag("header", True), columns,
                      picture.text if picture else "", section.flag("optional", False))  # fmt: skip


def _table(
    section: Section, name: str, words: Mapping[str, Words] | Mapping[str, Mapped]
) -> TablePlan:
    section.closed(TABLE_KEYS, ("holds", "file"))
    holds = section.choice("holds", HOLDS, "")
    kinds = LABEL_KINDS if holds == LABELS else ()
    frame = ("frame",) if holds in PICTURED else ()
    places = places_of(section, "file", ("video", *frame, *kinds))
    assert places is not None  # closed() has seen it
    file = places.rules[0][1][0]
    folders = any(kind in file.names for kind in kinds)
    told = "video" in file.names or holds == COCO or "picture" in section.section("columns").data
    needed = () if told else ("video",)
    columns = {} if folders else _columns(section, ROLES.get(holds, ()), needed)
    flags = _flags(section, holds)
    box = section.section("box").closed(("unit", "size"))
    plan = TablePlan(
        name, holds, file, bool(_names(section)) or section.flag("header", True), columns, flags,
        scale_of(section, "frames" if "picture" in columns or frame else "seconds"),
        section.rate("every"), pattern_of(section, "picture", ("video", "frame", "patient")),
        box.choice("unit", BOX_UNITS, "pixels"), box.pair("size"), section.pair("scale"),
        section.word("separator"), section.where(), places, _names(section),
        section.choice("cells", ("", "blanks"), "") == "blanks", section.word("list"),
        section.word("pointer"), _total(section), section.flag("line_end", False),
        section.word("agrees"), section.word("unless"), section.flag("one_row", False),
        next(((str(kind), str(one)) for kind, one in section.section("during").data.items()), None),
        values_of(section.section("values"), words), pattern_of(section, "beside", ("video",)),
        section.whole("apart", range(1, 10**6), 0),
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
    if plan.timed and plan.holds not in (*PICTURED, COCO):
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
