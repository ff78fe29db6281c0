"""What the mapping of the reader ``tables`` says, checked before any table is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ontology.errors import UserError
from ontology.ratings import rating
from transforms.readers.base.moments import Scale, scale_of
from transforms.readers.base.patterns import Pattern, pattern_of
from transforms.readers.base.tables.mapping import Section, read_mapping
from transforms.readers.base.words import Words, words_of

EVENTS, SEGMENTS, BOXES, RATINGS, LABELS = "events", "segments", "boxes", "ratings", "labels"
HOLDS = (EVENTS, SEGMENTS, BOXES, RATINGS, LABELS)

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
}
"""What a column may be, by what the table holds."""

TABLE_KEYS = ("holds", "file", "header", "columns", "flags", "time", "every", "picture", "box",
         "scale", "separator")  # fmt: skip
TOP_KEYS = ("procedure", "specialty", "licence", "rate", "media", "videos", "tables", "labels")
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

    @property
    def shared(self) -> bool:
        """Whether all videos are in one file."""
        return "video" not in self.file.names

    @property
    def folders(self) -> bool:
        """Whether folders' names are the labels and there is nothing to open."""
        return not self.columns and not self.flags

    @property
    def timed(self) -> bool:
        """Whether its rows belong to times."""
        return self.holds in (EVENTS, SEGMENTS, BOXES)

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
        media: where a video's pictures lie, with ``{video}``.
        words: kind -> words.
        file: name of the mapping.
    """

    procedure: str
    specialty: str
    licence: str
    rate: Fraction | None
    media: Pattern | None
    videos: VideosPlan | None
    tables: tuple[TablePlan, ...]
    words: Mapping[str, Words]
    file: str


def read_plan(data: bytes, name: str) -> Plan:
    """Parse and check a mapping.

    Raises:
        UserError: names file and line, what was expected, and the nearest word.
    """
    top = read_mapping(data, name).closed(TOP_KEYS, ("tables",))
    words = words_of(top)
    tables = tuple(_table(one, key, words) for key, one in top.section("tables").sections())
    if not tables:
        top.wrong("tables", "at least one table")
    return Plan(
        top.word("procedure", "not stated"),
        top.word("specialty", "not stated"),
        top.word("licence", "not stated"),
        top.rate("rate"),
        pattern_of(top, "media", ("video",)),
        _videos(top.section("videos")),
        tables,
        words,
        name,
    )


def _videos(section: Section) -> VideosPlan | None:
    if not section.data:
        return None
    section.closed(_VIDEOS, ("file", "columns"))
    file = pattern_of(section, "file", ())
    assert file is not None  # closed() has seen it
    columns = _columns(section, VIDEO_ROLES, ("video",))
    return VideosPlan(file.text, section.flag("header", True), columns)


def _table(section: Section, name: str, words: Mapping[str, Words]) -> TablePlan:
    section.closed(TABLE_KEYS, ("holds", "file"))
    holds = section.choice("holds", HOLDS, "")
    kinds = LABEL_KINDS if holds == LABELS else ()
    file = pattern_of(section, "file", ("video", *kinds))
    assert file is not None  # closed() has seen it
    folders = any(kind in file.names for kind in kinds)
    needed = () if "video" in file.names or "picture" in section.section("columns").data else (
        "video",)  # fmt: skip
    columns = {} if folders else _columns(section, ROLES[holds], needed)
    flags = _flags(section, holds)
    box = section.section("box").closed(("unit", "size"))
    plan = TablePlan(
        name, holds, file, section.flag("header", True), columns, flags,
        scale_of(section, "frames" if "picture" in columns else "seconds"),
        section.rate("every"), pattern_of(section, "picture", ("video", "frame", "patient")),
        box.choice("unit", BOX_UNITS, "pixels"), box.pair("size"), section.pair("scale"),
        section.word("separator"), section.where(),
    )  # fmt: skip
    _check(section, plan, words)
    return plan


def _columns(section: Section, roles: Sequence[str], needed: Sequence[str]) -> dict[str, str]:
    columns = section.section("columns").closed(roles, needed)
    out = {role: columns.word(role) for role in columns.data}
    if not section.flag("header", True):
        for role, number in out.items():
            if not number.isdigit() or int(number) < 1:
                columns.wrong(role, "the column's number, from 1, since the table has no header")
    return out


def _flags(section: Section, holds: str) -> dict[str, tuple[str, ...]]:
    kinds = {RATINGS: ("rating",), EVENTS: INSTANT_KINDS, LABELS: LABEL_KINDS}.get(holds, ())
    flags = section.section("flags").closed(kinds)
    return {str(kind): flags.texts(str(kind)) for kind in flags.data}


def _check(section: Section, plan: TablePlan, words: Mapping[str, Words]) -> None:
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


def _check_scale(section: Section, plan: TablePlan, words: Mapping[str, Words]) -> None:
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
